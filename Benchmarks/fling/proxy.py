"""The link itself: a delay in each direction, a rate for each direction that all connections share, and a bounded queue
in front of it.

A TCP proxy in a process of its own (started by `link`). It reads from a server only while the queue has room and the
connection's congestion window is open, so that data waits in the server's own socket, as on a real link. Each round
takes one segment of each connection with data, so that connections share the rate like TCP flows. A new connection
passes nothing for one round trip. No data is really lost: a lost segment is sent again and arrives one round trip
later, and everything behind it on its connection waits."""

import collections
import heapq
import json
import math
import pickle
import random
import resource
import select
import socket
import struct
import sys
import time

from window import SEGMENT, Window

# How many of the server's bytes the proxy's own sockets may hide; the kernel doubles this, and includes its overhead.
HIDDEN = 8 * 1024
# Seconds between two checks of a full queue.
REFILL = 0.002
RESET = struct.pack("ii", 1, 0)


class Shaping:
    """The conditions of a link, segment by segment."""

    def __init__(self, rate: float | None, round_trip: float, slow_start: bool, loss: float, jitter: float):
        self.rate = rate and rate / 8
        self.delay = round_trip / 2
        self.round_trip = round_trip
        self.slow_start = slow_start and round_trip > 0
        self.loss, self.jitter = loss, jitter
        # A router's buffer: 64 KB, or a tenth of a second's data if that is more.
        self.bound = max(64 * 1024, int(self.rate / 10)) if self.rate else 4 << 20
        # About a millisecond of the link at once: fewer rounds, and no flow gets further ahead. Segments that may be
        # lost go one by one.
        at_once = min(16, max(1, int(self.rate * 0.0012 / SEGMENT))) * SEGMENT if self.rate else 256 * 1024
        self.segment = SEGMENT if loss else at_once
        # The same random losses for every front on this link.
        self.luck = random.Random(1)

    def window(self) -> Window | None:
        return Window(self.round_trip) if self.slow_start else None


class Way:
    """One direction of the link: a queue, the rate, the delay."""

    def __init__(self, name: str):
        self.name = name
        self.ready: collections.deque[End] = collections.deque()
        self.departures: collections.deque[tuple[float, int]] = collections.deque()
        # Heaps by time: what leaves at the other end, and what the sender learns about it.
        self.flight: list[tuple] = []
        self.acknowledgements: list[tuple] = []
        self.queued = self.count = self.segments = self.lost = 0
        self.free_at = 0.0

    def put(self, now: float, end: "End", data: bytes | None, shaping: Shaping):
        """Queues `data`; None for the end of a connection, which takes no room."""
        size = len(data) if data else 0
        self.count += 1
        self.segments += math.ceil(size / SEGMENT)
        is_lost = size > 0 and shaping.loss > 0 and shaping.luck.random() < shaping.loss
        self.free_at = max(self.free_at, now)
        if shaping.rate:
            self.free_at += (2 if is_lost else 1) * size / shaping.rate
        self.departures.append((self.free_at, size))
        self.queued += size
        arrival = self.free_at + shaping.delay
        if shaping.jitter:
            arrival += shaping.luck.uniform(0, shaping.jitter)
        heard = arrival + shaping.delay
        if is_lost:
            self.lost += 1
            if end.window:
                heapq.heappush(self.acknowledgements, (heard, self.count, end, end.window, 0))
            arrival += shaping.round_trip
            heard += shaping.round_trip
        if size and end.window:
            end.window.sent(now, size)
            heapq.heappush(self.acknowledgements, (heard, self.count + 0.5, end, end.window, size))
        # Data never overtakes earlier data of its connection, even if the link has just become faster.
        end.arrival = max(end.arrival, arrival)
        heapq.heappush(self.flight, (end.arrival, self.count, end, data, now))

    def hear(self, now: float):
        """Acknowledgements open windows, and losses halve them."""
        heard = self.acknowledgements
        while heard and heard[0][0] <= now:
            _, _, end, window, size = heapq.heappop(heard)
            if size:
                window.acknowledged(size)
            else:
                window.lost()
            if end.is_held:
                end.is_held = False
                end.wake()

    def depart(self, now: float):
        while self.departures and self.departures[0][0] <= now:
            self.queued -= self.departures.popleft()[1]


class End:
    """One socket of a connection: data read from it travels along `way` to `other`."""

    MOST_PENDING = 64 * 1024
    __slots__ = ("socket", "way", "other", "number", "window", "arrival", "is_open", "is_ready", "is_held", "pending",
                 "is_gone", "is_over", "is_refused", "ends")

    def __init__(self, one: socket.socket, way: Way, number: int, window: Window | None, is_open: bool):
        self.socket, self.way, self.number, self.window, self.is_open = one, way, number, window, is_open
        # When the last of it leaves the link.
        self.arrival = 0.0
        # Limited by its congestion window, which acknowledgements open.
        self.is_held = False
        self.other: End
        self.is_ready = self.is_gone = self.is_over = self.is_refused = self.ends = False
        self.pending = b""

    def wake(self):
        if self.is_open and not self.is_ready and not self.is_gone and not self.is_over:
            self.is_ready = True
            self.way.ready.append(self)

    def give(self, data: bytes):
        """Writes bytes that came through the link to this socket."""
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
            # The peer is gone, and its machine will say so.
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
        """The other side has finished sending."""
        self.ends = True
        if not self.pending and not self.is_gone:
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                self.is_refused = True


class Proxy:
    def __init__(self, settings: dict):
        self.shaping = Shaping(**settings["conditions"])
        self.target = settings["target"]
        self.up, self.down = Way("up"), Way("down")
        self.poll = select.epoll()
        self.ends: dict[int, End] = {}
        self.opening: collections.deque[tuple[float, End]] = collections.deque()
        self.opened: list[float] = []
        self.passed: list[tuple] = []
        self.count = 0
        # Reported times are wall-clock times; waits use the monotonic clock.
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
            near = End(client, self.up, self.count, self.shaping.window(), is_open=False)
            far = End(server, self.down, self.count, self.shaping.window(), is_open=True)
            near.other, far.other = far, near
            for end in (near, far):
                end.socket.setblocking(False)
                end.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.ends[end.socket.fileno()] = end
            server.connect_ex(("127.0.0.1", self.target))
            for end in (near, far):
                self.poll.register(end.socket, select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET)
            self.opening.append((now + self.shaping.round_trip, near))

    def take(self, way: Way, now: float):
        """Fills the queue with one segment of each connection in turn."""
        shaping, ready = self.shaping, way.ready
        while ready and way.queued < shaping.bound:
            end = ready.popleft()
            end.is_ready = False
            if end.is_gone or len(end.other.pending) > End.MOST_PENDING:
                continue
            size = shaping.segment
            if end.window:
                size = min(size, end.window.room(now))
                if size < SEGMENT:
                    end.is_held = True
                    continue
            try:
                data = end.socket.recv(size)
            except BlockingIOError:
                continue
            except OSError:
                self.reset(end, now)
                continue
            if data:
                way.put(now, end, data, shaping)
                end.is_ready = True
                ready.append(end)
            else:
                end.is_over = True
                way.put(now, end, b"", shaping)

    def deliver(self, way: Way, now: float):
        flight, passed, wall = way.flight, self.passed, self.wall
        while flight and flight[0][0] <= now:
            arrival, _, end, data, came = heapq.heappop(flight)
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
        """Resets a connection whose peer is gone, so that the sender learns it."""
        if not end.is_gone:
            end.way.put(now, end, None, self.shaping)
            self.close(end)

    def close(self, end: End):
        if end.is_gone:
            return
        end.is_gone = True
        del self.ends[end.socket.fileno()]
        # The sender must learn that the peer is gone.
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
            way.hear(now)
            way.depart(now)
            self.take(way, now)
            if way.flight:
                nearest = min(nearest, way.flight[0][0])
            if way.acknowledgements:
                nearest = min(nearest, way.acknowledgements[0][0])
            if way.ready and way.departures:
                # The queue is full, and long enough to be refilled from time to time.
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

    def shape(self, shaping: Shaping):
        self.shaping = shaping
        for end in self.ends.values():
            end.window, end.is_held = shaping.window(), False
            end.wake()

    def obey(self) -> bool:
        line = sys.stdin.buffer.readline()
        if not line:
            return False
        words = json.loads(line)
        if words["ask"] == "shape":
            self.shape(Shaping(**words["conditions"]))
            self.answer(None)
        else:
            used, ways = resource.getrusage(resource.RUSAGE_SELF), (self.up, self.down)
            self.answer(dict(connections=self.opened, passed=self.passed, cpu=used.ru_utime + used.ru_stime,
                             lost=[sum(way.lost for way in ways), sum(way.segments for way in ways)]))
            self.opened, self.passed = [], []
        return True


if __name__ == "__main__":
    proxy = Proxy(json.loads(sys.argv[1]))
    while proxy.turn():
        pass
