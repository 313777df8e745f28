"""The network between browsers, nodes and Redis: a TCP load balancer, and gates. Either can be partitioned:\ntraffic then stops silently."""

import asyncio
import threading

STREAM = b"GET /api/v1/stream"
AT_ONCE = 65_536


class Traffic:
    """The event loop that runs all of it, on a thread of its own."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._tasks: set[asyncio.Task] = set()
        self._servers: list[asyncio.Server] = []

    def do(self, work):
        """Runs a coroutine to completion, and returns its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def begin(self, work):
        async def begin():
            self._keep(asyncio.current_task().get_loop().create_task(work))

        self.do(begin())

    def listen(self, serve) -> int:
        """Serves connections with `serve(reader, writer)`, and returns the port."""
        async def listen() -> int:
            async def guarded(reader, writer):
                self._keep(asyncio.current_task())
                try:
                    await serve(reader, writer)
                except (OSError, asyncio.CancelledError):
                    pass
                finally:
                    writer.close()

            server = await asyncio.start_server(guarded, "127.0.0.1", 0, limit=AT_ONCE)
            self._servers.append(server)
            return server.sockets[0].getsockname()[1]

        return self.do(listen())

    def _keep(self, task: asyncio.Task):
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self):
        async def stop():
            for server in self._servers:
                server.close()
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.do(stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


class Cut:
    """A point in the network that stops all traffic silently while it is closed."""

    def __init__(self, traffic: Traffic):
        self._traffic = traffic
        self._is_open = asyncio.Event()
        self._is_open.set()

    def close(self):
        self._traffic.do(self._turn(self._is_open.clear))

    def open(self):
        self._traffic.do(self._turn(self._is_open.set))

    async def _turn(self, turn):
        turn()

    async def passed(self):
        await self._is_open.wait()


async def carry(near, far, cut: Cut):
    """Relays in both directions until one side ends and the end gets through."""
    async def pipe(reader, writer):
        try:
            while data := await reader.read(AT_ONCE):
                await cut.passed()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass

    ways = [asyncio.ensure_future(pipe(near[0], far[1])), asyncio.ensure_future(pipe(far[0], near[1]))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        await cut.passed()
    finally:
        for way in ways:
            way.cancel()
        near[1].close()
        far[1].close()


class Gate(Cut):
    """A node's connection to Redis."""

    def __init__(self, traffic: Traffic, port: int):
        super().__init__(traffic)
        self._beyond = port
        self.port = traffic.listen(self._serve)

    async def _serve(self, *near):
        await self.passed()
        await carry(near, await asyncio.open_connection("127.0.0.1", self._beyond), self)


class Link(Cut):
    """A page's stream to a node."""

    def __init__(self, traffic: Traffic, node: int):
        super().__init__(traffic)
        self.node = node
        self.is_over = False


class Door:
    """The load balancer as one client sees it. It leads to one node for as long as that is healthy, as if chosen by
    the client's address; or streams go to one node and everything else to another."""

    def __init__(self, balancer: "Balancer", first: int, others: int | None = None):
        self.balancer = balancer
        self._first = first
        self._others = first if others is None else others
        self.streams: list[Link] = []
        self.port = balancer.traffic.listen(self._serve)
        self.address = f"http://127.0.0.1:{self.port}"

    @property
    def stream(self) -> Link | None:
        """The newest stream, unless it is over."""
        newest = self.streams[-1] if self.streams else None
        return newest if newest and not newest.is_over else None

    async def _serve(self, *near):
        head = await near[0].read(AT_ONCE)
        if not head:
            return
        node, far = await self.balancer.reach(self._first if head.startswith(STREAM) else self._others)
        link = Link(self.balancer.traffic, node)
        if head.startswith(STREAM):
            self.streams.append(link)
        try:
            far[1].write(head)
            await carry(near, far, link)
        finally:
            link.is_over = True


class Balancer:
    """Keeps checking the health of all nodes. An unhealthy node gets no new connections, but keeps existing ones. A
    connection that is refused goes to the next node."""

    INTERVAL = 0.25
    PATIENCE = 2.0

    def __init__(self, traffic: Traffic, ports: list[int]):
        self.traffic = traffic
        self._ports = ports
        self.well = set(range(len(ports)))
        self._seen = [0.0] * len(ports)
        """When each node was last healthy."""
        for node in range(len(ports)):
            traffic.begin(self._watch(node))

    async def reach(self, first: int):
        nodes = [(first + step) % len(self._ports) for step in range(len(self._ports))]
        # If no node is healthy, perhaps only because the machine is busy, try first the ones that were healthy last.
        nodes.sort(key=lambda node: (0, 0) if node in self.well else (1, -self._seen[node]))
        for node in nodes:
            try:
                return node, await asyncio.open_connection("127.0.0.1", self._ports[node])
            except OSError:
                self.well.discard(node)
        raise ConnectionRefusedError

    async def _watch(self, node: int):
        while True:
            try:
                is_well = await asyncio.wait_for(self._answers(self._ports[node]), self.PATIENCE)
            except (OSError, TimeoutError):
                is_well = False
            (self.well.add if is_well else self.well.discard)(node)
            if is_well:
                self._seen[node] = asyncio.get_running_loop().time()
            await asyncio.sleep(self.INTERVAL)

    async def _answers(self, port: int) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return (await reader.readline()).split()[1:2] == [b"200"]
        finally:
            writer.close()
