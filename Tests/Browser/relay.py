"""A relay between a browser and a Tessera, which can refuse the stream, hold it back, cut it, or act as the server."""

import socket
import threading
from typing import Callable

from peer import Peer
from server import Server

STREAM = b"GET /api/v1/stream"
REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Relay:
    def __init__(self, server: Server, play: Callable[[Peer], None] | None = None):
        self._server = server
        self._play = play
        self._streams: list[socket.socket] = []
        self.refuses = False
        """Whether to refuse streams, like a proxy without WebSocket support."""
        self.refused = 0
        self._may_pass = threading.Event()
        self._may_pass.set()
        self._hold_after: bytes | None = None
        self._passed = b""
        self.has_held = False
        """Whether the server has sent anything over a stream while it was held back."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._listener.close()
        self.let_go()
        self.cut()

    def hold(self, after: bytes):
        """Holds back what the server sends over streams, starting from these bytes."""
        self._hold_after = after

    def let_go(self):
        self._may_pass.set()

    def cut(self):
        """Breaks the open streams without a Close frame."""
        for stream in self._streams:
            shut(stream)
        self._streams.clear()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket):
        try:
            head = client.recv(65_536)
            if head.startswith(STREAM) and self.refuses:
                self.refused += 1
                client.sendall(REFUSAL)
                shut(client)
            elif head.startswith(STREAM) and self._play:
                self._streams.append(client)
                self._play(Peer(client, head))
            else:
                self._forward(client, head)
        except OSError:
            shut(client)

    def _forward(self, client: socket.socket, head: bytes):
        upstream = socket.create_connection(("127.0.0.1", self._server.port))
        if head.startswith(STREAM):
            self._streams += [client, upstream]
        upstream.sendall(head)
        watch = self._watch if head.startswith(STREAM) else None
        threading.Thread(target=pipe, args=(upstream, client, watch), daemon=True).start()
        pipe(client, upstream)

    def _watch(self, data: bytes):
        """Blocks while a stream's data is held back."""
        self.has_held = self.has_held or not self._may_pass.is_set()
        self._may_pass.wait()
        self._passed = (self._passed + data)[-65_536:]
        if self._hold_after and self._hold_after in self._passed:
            self._hold_after = None
            self._may_pass.clear()


def pipe(source: socket.socket, target: socket.socket, watch: Callable[[bytes], None] | None = None):
    try:
        while data := source.recv(65_536):
            if watch:
                watch(data)
            target.sendall(data)
    except OSError:
        pass
    shut(source)
    shut(target)


def shut(one: socket.socket):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    one.close()
