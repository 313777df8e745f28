"""Whether the link is what it says: run before it is believed."""

import socket
import threading
import time

from fling.link import Link

SIZE = 1_000_000
RATE, ROUND_TRIP = 20e6, 0.060


class Source:
    """Sends as many bytes as a connection asks for."""

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

    @staticmethod
    def _serve(connection: socket.socket):
        with connection, connection.makefile("rb") as asked:
            for line in asked:
                connection.sendall(bytes(int(line)))

    def close(self):
        self._listener.close()


def fetch(port: int, size: int) -> tuple[float, float]:
    """Seconds to the first and to the last byte, a new connection included."""
    began, count, first = time.monotonic(), 0, 0.0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"%d\n" % size)
        while count < size:
            count += len(connection.recv(65536))
            first = first or time.monotonic() - began
    return first, time.monotonic() - began


def run(report):
    source = Source()
    with Link(source.port, RATE, ROUND_TRIP) as link:
        wanted = 2 * ROUND_TRIP + SIZE * 8 / RATE
        before = link.tape()["cpu"]
        taken = min(fetch(link.port, SIZE)[1] for _ in range(3))
        used = (link.tape()["cpu"] - before) / (3 * SIZE * 8 / RATE)
        shares: list[float] = []
        clients = [threading.Thread(target=lambda: shares.append(fetch(link.port, SIZE)[1])) for _ in range(2)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    source.close()
    report.add("fling", "the link: 1 MB over a new connection", "ms", taken * 1e3, wanted * 1e3, "bytes / rate + 2 round trips",
               "within 3 %", abs(taken / wanted - 1) <= 0.03)
    # The one that comes first has a queue's worth of a start.
    queue = 0.1
    both = 2 * ROUND_TRIP + 2 * SIZE * 8 / RATE
    report.add("fling", "the link: 1 MB each over two, the earlier", "ms", min(shares) * 1e3, both * 1e3,
               "both together", "within a queue", min(shares) >= both - queue - 0.03 and max(shares) <= 1.03 * both)
    report.add("fling", "the link: its own CPU at 20 Mbit/s", "%", used * 100, target="<= 15", holds=used <= 0.15)
