"""Checks that the link behaves as specified, before its results are trusted."""

import contextlib
import doctest
import socket
import threading
import time

from fling import window
from fling.link import Conditions, Link

SIZE = 1_000_000
PLAIN = Conditions(20e6, 0.060)
# A viewport over an idle connection.
SLOW, VIEWPORT = Conditions(20e6, 0.200, slow_start=True), 480_000
LOSSY = Conditions(10e6, 0.040, slow_start=True, loss=0.02, jitter=0.020)
LOSSY_SIZE = 1_500_000


class Source:
    """Sends as many bytes as a connection requests; each byte is the low byte of its offset divided by 1,000."""

    CONTENT = b"".join(bytes([number % 251]) * 1_000 for number in range(2_000))

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    @classmethod
    def _serve(cls, connection: socket.socket):
        with connection, connection.makefile("rb") as asked:
            for line in asked:
                connection.sendall(cls.CONTENT[: int(line)])

    def close(self):
        self._listener.close()


def fetch(port: int, *sizes: int, rest: float = 0.0) -> list[float]:
    """The seconds to the last byte of each size, requested one after another over a new connection; opening it is
    part of the first. `rest` seconds pass in between."""
    taken, began = [], time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for size in sizes:
            connection.sendall(b"%d\n" % size)
            content = bytearray()
            while len(content) < size:
                content += connection.recv(65536)
            if content != Source.CONTENT[:size]:
                raise AssertionError("the link changes what passes")
            taken.append(time.monotonic() - began)
            time.sleep(rest)
            began = time.monotonic()
    return taken


def run(report):
    with contextlib.closing(Source()) as source, Link(source.port, PLAIN) as link:
        _rate(report, link)
        _sharing(report, link)
        link.shape(SLOW)
        _slow_start(report, link)
        link.shape(LOSSY)
        _loss(report, link)


def _rate(report, link: Link):
    wanted = 2 * PLAIN.round_trip + SIZE * 8 / PLAIN.rate
    before = link.tape()["cpu"]
    taken = min(fetch(link.port, SIZE)[0] for _ in range(3))
    used = (link.tape()["cpu"] - before) / (3 * SIZE * 8 / PLAIN.rate)
    report.add("fling", "the link: 1 MB over a new connection", "ms", taken * 1e3, wanted * 1e3,
               "bytes / rate + 2 round trips", "within 3 %", abs(taken / wanted - 1) <= 0.03)
    report.add("fling", "the link: its own CPU at 20 Mbit/s", "%", used * 100, target="<= 15", holds=used <= 0.15)


def _sharing(report, link: Link):
    shares: list[float] = []
    clients = [threading.Thread(target=lambda: shares.extend(fetch(link.port, SIZE))) for _ in range(2)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    # The first one has a head start of one queue.
    queue = 0.1
    both = 2 * PLAIN.round_trip + 2 * SIZE * 8 / PLAIN.rate
    report.add("fling", "the link: 1 MB each over two, the earlier", "ms", min(shares) * 1e3, both * 1e3,
               "both together", "within a queue", min(shares) >= both - queue - 0.03 and max(shares) <= 1.03 * both)


def _slow_start(report, link: Link):
    """480 KB over a new connection, again at once over the window that is open by then, and again after a rest."""
    failed, tried = doctest.testmod(window)
    report.add("fling", f"the window: failures of {tried} examples", "", failed, target="0",
               holds=tried > 0 and failed == 0)
    runs = [fetch(link.port, VIEWPORT, VIEWPORT) for _ in range(2)]
    rested = min(fetch(link.port, VIEWPORT, VIEWPORT, rest=SLOW.round_trip + 2 * window.ALLOWANCE)[1] for _ in range(2))
    cold = SLOW.round_trip + window.seconds(VIEWPORT, SLOW.rate, SLOW.round_trip)
    warm = SLOW.round_trip + VIEWPORT * 8 / SLOW.rate
    for what, taken, wanted in (("a new connection", min(one[0] for one in runs), cold + SLOW.round_trip),
                                ("the same at once", min(one[1] for one in runs), warm),
                                ("a rested one", rested, cold)):
        report.add("fling", f"slow start, 200 ms: 480 KB over {what}", "ms", taken * 1e3, wanted * 1e3, "computed",
                   "within 5 %", abs(taken / wanted - 1) <= 0.05)


def _loss(report, link: Link):
    before, _ = link.tape()["lost"], link.tape()
    taken = sum(fetch(link.port, LOSSY_SIZE)[0] for _ in range(2))
    lost, segments = (now - then for now, then in zip(link.tape()["lost"], before))
    # The random deviation is about the square root of the losses; three times that is practically impossible.
    wanted = LOSSY.loss * segments
    report.add("fling", "the link at 2 % loss: segments lost", "", lost, wanted, "2 % of all", "within 3 deviations",
               abs(lost - wanted) <= 3 * wanted**0.5)
    rate = 2 * LOSSY_SIZE / taken / 1e3
    law = window.most_with_loss(LOSSY.loss, LOSSY.round_trip + LOSSY.jitter / 2) / 1e3
    report.add("fling", "the link at 2 % loss: one connection", "KB/s", rate, law, "Mathis' law", "within 35 %",
               abs(rate / law - 1) <= 0.35)
