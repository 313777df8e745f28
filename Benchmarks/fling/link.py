"""A link between a browser and a server: a delay each way, a rate for each direction that all connections share, and a
queue before it that is bounded.

A TCP proxy in a process of its own. It takes bytes from a server only while the queue has room, so that what the link
has not taken waits in the server's own socket, as on a real link; and each turn takes one segment of each connection
that has something, so that they share the rate as TCP flows do. A new connection passes nothing for one round trip.
There is no loss and no slow start, which is kind to whoever opens many connections."""

import collections
import json
import pickle
import resource
import select
import socket
import struct
import subprocess
import sys
import time

SEGMENT = 1448
# What the proxy's own sockets may hide of the server's bytes; the kernel doubles it and counts its own needs in.
HIDDEN = 8 * 1024
# Seconds between two looks at a full queue.
REFILL = 0.002
RESET = struct.pack("ii", 1, 0)


class Conditions:
    """`rate` in bits a second each way (none: unlimited), `round_trip` in seconds."""

    def __init__(self, rate: float | None, round_trip: float):
        self.rate = rate and rate / 8
        self.delay = round_trip / 2
        self.round_trip = round_trip
        # A router's buffer: 64 KB, or a tenth of a second where that is more.
        self.bound = max(64 * 1024, int(self.rate / 10)) if self.rate else 4 << 20
        # About a millisecond of the link at once: fewer turns, and no flow gets ahead by more.
        self.segment = min(16, max(1, int(self.rate * 0.0012 / SEGMENT))) * SEGMENT if self.rate else 256 * 1024


class Link:
    """A child process that runs `Proxy`. What passed can be had afterwards, with the moments (`time.time()`)."""

    def __init__(self, target: int, rate: float | None = None, round_trip: float = 0):
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(dict(target=target, rate=rate, round_trip=round_trip))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = self._answer()

    def _answer(self):
        return pickle.load(self._process.stdout)

    def _ask(self, **words):
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()
        return self._answer()

    def shape(self, rate: float | None, round_trip: float):
        """Changes the link, for bytes that come to it from now on."""
        self._ask(ask="shape", rate=rate, round_trip=round_trip)

    def tape(self) -> dict:
        """All that passed since the last call. `connections`: the moments at which connections were opened; `passed`:
        (connection, "up" or "down", the moment it came to the link, the moment it left it, bytes); `cpu`: seconds of
        processor time so far."""
        return self._ask(ask="tape")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()


class Way:
    """One direction of the link: a queue, the rate, the delay."""

    def __init__(self, name: str):
        self.name = name
        self.ready: collections.deque[End] = collections.deque()
        self.departures: collections.deque[tuple[float, int]] = collections.deque()
        self.flight: collections.deque[tuple] = collections.deque()
        self.queued = 0
        self.free_at = 0.0

    def put(self, now: float, end: "End", data: bytes | None, conditions: Conditions):
        """`data` is none for the end of a connection, which takes no room."""
        size = len(data) if data else 0
        self.free_at = max(self.free_at, now)
        if conditions.rate:
            self.free_at += size / conditions.rate
        self.departures.append((self.free_at, size))
        self.queued += size
        arrival = self.free_at + conditions.delay
        # A link that was just made faster overtakes nothing.
        if self.flight:
            arrival = max(arrival, self.flight[-1][0])
        self.flight.append((arrival, end, data, now))

    def depart(self, now: float):
        while self.departures and self.departures[0][0] <= now:
            self.queued -= self.departures.popleft()[1]


class End:
    """One socket of a connection: what is read from it goes along `way` to `other`."""

    MOST_PENDING = 64 * 1024
    __slots__ = ("socket", "way", "other", "number", "is_open", "is_ready", "pending", "is_gone", "is_over", "is_refused",
                 "ends")

    def __init__(self, one: socket.socket, way: Way, number: int, is_open: bool):
        self.socket, self.way, self.number, self.is_open = one, way, number, is_open
        self.other: End
        self.is_ready = self.is_gone = self.is_over = self.is_refused = self.ends = False
        self.pending = b""

    def wake(self):
        if self.is_open and not self.is_ready and not self.is_gone and not self.is_over:
            self.is_ready = True
            self.way.ready.append(self)

    def give(self, data: bytes):
        """Bytes that have come through the link to this socket."""
        if self.is_gone:
            return
        if self.pending:
            self.pending += data
            return
        try:
            sent = self.socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            # Nobody is there any more, and its machine will say so.
            self.is_refused = True
            return
        self.pending = data[sent:]

    def writable(self):
        if not self.pending:
            return
        data, self.pending = self.pending, b""
        self.give(data)
        self.other.wake()
        if self.ends:
            self.finish()

    def finish(self):
        """The other side has said its last."""
        self.ends = True
        if not self.pending and not self.is_gone:
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                self.is_refused = True


class Proxy:
    def __init__(self, settings: dict):
        self.conditions = Conditions(settings["rate"], settings["round_trip"])
        self.target = settings["target"]
        self.up, self.down = Way("up"), Way("down")
        self.poll = select.epoll()
        self.ends: dict[int, End] = {}
        self.opening: collections.deque[tuple[float, End]] = collections.deque()
        self.opened: list[float] = []
        self.passed: list[tuple] = []
        self.count = 0
        # The moments that are told are those of the clock on the wall; what is waited for is not.
        self.wall = time.time() - time.monotonic()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(1024)
        self.listener.setblocking(False)
        self.poll.register(self.listener, select.EPOLLIN)
        self.poll.register(sys.stdin.buffer.raw, select.EPOLLIN)
        self.answer(self.listener.getsockname()[1])

    def answer(self, what):
        pickle.dump(what, sys.stdout.buffer)
        sys.stdout.buffer.flush()

    def accept(self, now: float):
        while True:
            try:
                client, _ = self.listener.accept()
            except BlockingIOError:
                return
            server = socket.socket()
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, HIDDEN)
            self.count += 1
            self.opened.append(now + self.wall)
            near = End(client, self.up, self.count, is_open=False)
            far = End(server, self.down, self.count, is_open=True)
            near.other, far.other = far, near
            for end in (near, far):
                end.socket.setblocking(False)
                end.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.ends[end.socket.fileno()] = end
            server.connect_ex(("127.0.0.1", self.target))
            for end in (near, far):
                self.poll.register(end.socket, select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET)
            self.opening.append((now + self.conditions.round_trip, near))

    def take(self, way: Way, now: float):
        """Fills the queue, a segment of each connection in turn."""
        conditions, ready = self.conditions, way.ready
        while ready and way.queued < conditions.bound:
            end = ready.popleft()
            end.is_ready = False
            if end.is_gone or len(end.other.pending) > End.MOST_PENDING:
                continue
            try:
                data = end.socket.recv(conditions.segment)
            except BlockingIOError:
                continue
            except OSError:
                self.reset(end, now)
                continue
            if data:
                way.put(now, end, data, conditions)
                end.is_ready = True
                ready.append(end)
            else:
                end.is_over = True
                way.put(now, end, b"", conditions)

    def deliver(self, way: Way, now: float):
        flight, passed, wall = way.flight, self.passed, self.wall
        while flight and flight[0][0] <= now:
            arrival, end, data, came = flight.popleft()
            if data is None:
                self.close(end.other)
                continue
            if not data:
                end.other.finish()
                if end.ends:
                    self.close(end.other)
                    self.close(end)
                elif end.other.is_refused:
                    self.reset(end.other, now)
                continue
            passed.append((end.number, way.name, came + wall, arrival + wall, data))
            end.other.give(data)
            if end.other.is_refused:
                self.reset(end.other, now)

    def reset(self, end: End, now: float):
        """The end is gone, and says so to whoever still sends to it."""
        if not end.is_gone:
            end.way.put(now, end, None, self.conditions)
            self.close(end)

    def close(self, end: End):
        if end.is_gone:
            return
        end.is_gone = True
        del self.ends[end.socket.fileno()]
        # Whoever still sends to it is to hear that nobody is there.
        end.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        end.socket.close()

    def turn(self):
        now = time.monotonic()
        while self.opening and self.opening[0][0] <= now:
            end = self.opening.popleft()[1]
            end.is_open = True
            end.wake()
        nearest = now + 1.0
        for way in (self.up, self.down):
            self.deliver(way, now)
            way.depart(now)
            self.take(way, now)
            if way.flight:
                nearest = min(nearest, way.flight[0][0])
            if way.ready and way.departures:
                # The queue is full, and long enough to be filled up now and then.
                nearest = min(nearest, max(way.departures[0][0], now + REFILL))
        if self.opening:
            nearest = min(nearest, self.opening[0][0])
        for descriptor, event in self.poll.poll(max(0.0, nearest - time.monotonic()), 64):
            end = self.ends.get(descriptor)
            if end is not None:
                if event & select.EPOLLOUT:
                    end.writable()
                    if end.is_refused:
                        self.reset(end, time.monotonic())
                if event & ~select.EPOLLOUT:
                    end.wake()
            elif descriptor == self.listener.fileno():
                self.accept(time.monotonic())
            elif descriptor == sys.stdin.fileno() and not self.obey():
                return False
        return True

    def obey(self) -> bool:
        line = sys.stdin.buffer.readline()
        if not line:
            return False
        words = json.loads(line)
        if words["ask"] == "shape":
            self.conditions = Conditions(words["rate"], words["round_trip"])
            self.answer(None)
        else:
            used = resource.getrusage(resource.RUSAGE_SELF)
            self.answer(dict(connections=self.opened, passed=self.passed, cpu=used.ru_utime + used.ru_stime))
            self.opened, self.passed = [], []
        return True


if __name__ == "__main__":
    proxy = Proxy(json.loads(sys.argv[1]))
    while proxy.turn():
        pass
