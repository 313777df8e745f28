"""The server's end of a WebSocket (RFC 6455), for tests that play the server."""

import base64
import hashlib
import json
import socket
import struct

KEY = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KINDS = {"preview": 1, "tile": 2}
FORMATS = {"": 0, "avif": 1, "webp": 2, "jpeg": 3, "png": 4}


class Peer:
    """One client of the stream, and the messages exchanged with it."""

    def __init__(self, connection: socket.socket, head: bytes):
        self._connection = connection
        self._buffer = b""
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        key = {name.lower(): value for name, value in fields.items()}[b"sec-websocket-key"]
        accept = base64.b64encode(hashlib.sha1(key + KEY).digest())
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           b"Sec-WebSocket-Accept: " + accept + b"\r\nSec-WebSocket-Protocol: tessera.v1\r\n\r\n")

    def say(self, **message):
        self._send(1, json.dumps(message).encode())

    def send(self, token: bytes, kind: str, body: bytes, *, format="", ends=False, problem=False, incomplete=False,
             version=0):
        head = bytes([KINDS[kind], int(problem), FORMATS[format], int(ends) | 4 * int(incomplete)])
        self._send(2, token + head + struct.pack(">Q", version) + body)

    def close(self, code=1001):
        self._send(8, struct.pack(">H", code))

    def hear(self, kind: str | None = None) -> dict | None:
        """The next message (of that kind); None if the client has disconnected."""
        while (message := self._next()) is not None:
            if kind in (None, message["type"]):
                return message
        return None

    def _next(self) -> dict | None:
        try:
            first, second = self._take(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(self._take(2 if length == 126 else 8))
            mask = self._take(4)
            body = bytes(byte ^ mask[at & 3] for at, byte in enumerate(self._take(length)))
        except OSError:
            return None
        return json.loads(body) if first & 15 == 1 else None

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            more = self._connection.recv(65_536)
            if not more:
                raise ConnectionResetError
            self._buffer += more
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _send(self, operation: int, body: bytes):
        size = len(body)
        length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65_536 \
            else b"\x7f" + struct.pack(">Q", size)
        self._connection.sendall(bytes([0x80 | operation]) + length + body)
