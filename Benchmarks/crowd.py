"""A crowd of clients of one URL in one process: epoll, one shared buffer, no allocation per read."""

import json
import os
import select
import socket
import subprocess
import sys
import time
import zlib


class Crowd:
    """A child process that runs `main` below: `clients` requests for `path`, the first at `start` (monotonic
    seconds), each later one `gap` seconds after the previous one. Without a gap, all clients connect beforehand;
    otherwise each connects when its turn comes, and the connection is part of its time."""

    def __init__(self, port: int, path: str, clients: int, start: float, gap: float = 0, nice: int = 0,
                 patience: float = 60):
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(dict(
                port=port, path=path, clients=clients, start=start, gap=gap, nice=nice, patience=patience))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def result(self) -> list[dict]:
        """For each client: the seconds from its request to its first and last body byte, its number of bytes and
        their CRC."""
        told, _ = self._process.communicate()
        return json.loads(told)


class Client:
    __slots__ = ("socket", "head", "length", "count", "crc", "sent", "first", "last", "status")

    def __init__(self):
        self.socket = None
        self.head, self.length, self.count, self.crc = b"", None, 0, 0
        self.sent = self.first = self.last = None
        self.status = 0

    def connect(self, port: int) -> int:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        return self.socket.fileno()

    def ask(self, request: bytes):
        if self.sent is None:
            self.sent = time.monotonic()
        self.socket.send(request)

    def take(self, buffer: bytearray, view: memoryview) -> bool:
        """Reads what is available.

        Returns whether the body is complete or the server has closed the connection."""
        try:
            count = self.socket.recv_into(buffer)
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
        now = time.monotonic()
        if count == 0:
            return True
        begin = 0
        if self.length is None:
            self.head += bytes(view[:count])
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return False
            begin = count - (len(self.head) - end - 4)
            lines = self.head[:end].decode("latin-1").split("\r\n")
            self.status = int(lines[0].split()[1])
            fields = dict(line.lower().split(": ", 1) for line in lines[1:])
            self.length = int(fields["content-length"])
        if count > begin:
            if self.first is None:
                self.first = now
            self.count += count - begin
            self.last = now
            self.crc = zlib.crc32(view[begin:count], self.crc)
        return self.count >= self.length


def main(settings: dict):
    os.nice(settings["nice"])
    poll = select.epoll()
    clients = [Client() for _ in range(settings["clients"])]
    by_descriptor = {}
    start, gap = settings["start"], settings["gap"]

    def connect(client: Client):
        descriptor = client.connect(settings["port"])
        by_descriptor[descriptor] = client
        poll.register(descriptor, select.EPOLLIN)

    if not gap:
        for client in clients:
            connect(client)
    request = f"GET {settings['path']} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n".encode()
    buffer = bytearray(256 * 1024)
    view = memoryview(buffer)
    asked, left = 0, len(clients)
    while left and time.monotonic() < start + settings["patience"]:
        while asked < len(clients) and time.monotonic() >= start + asked * gap:
            client = clients[asked]
            asked += 1
            if gap:
                client.sent = time.monotonic()
                connect(client)
            client.ask(request)
        pause = min(0.1, start + asked * gap - time.monotonic()) if asked < len(clients) else 0.1
        for descriptor, _ in poll.poll(max(0.0, pause), 256):
            if by_descriptor[descriptor].take(buffer, view):
                poll.unregister(descriptor)
                left -= 1
    sys.stdout.write(json.dumps([dict(
        status=client.status, bytes=client.count, crc=client.crc,
        first=client.first and client.first - client.sent, last=client.last and client.last - client.sent,
    ) for client in clients]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
