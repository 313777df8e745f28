"""A server that speaks PostgreSQL's protocol as far as its lies need it: it never runs out of bytes."""

import socket
import ssl
import struct
import threading


def message(kind: bytes, body: bytes = b"", length: int | None = None) -> bytes:
    return kind + struct.pack(">I", len(body) + 4 if length is None else length) + body


COLUMN = b"a\0" + bytes(18)
ONE_COLUMN = message(b"T", b"\0\1" + COLUMN)
STARTED = message(b"1") + message(b"2")
NOTICE = b"SNOTICE\0C00000\0M" + b"x" * 20_000 + b"\0\0"
ZEROS = b"0" * 65_536
GIGABYTE = 0x3FFFFFFF

# What each lie sends once, and then for as long as the client takes it; a gigabyte at most.
LIES = {
    "row": (STARTED + ONE_COLUMN + message(b"D", b"\0\1" + struct.pack(">I", GIGABYTE - 16), GIGABYTE), ZEROS),
    "error": (message(b"E", b"M", GIGABYTE), ZEROS),
    "errors": (STARTED, message(b"E", NOTICE)),
    "notices": (STARTED, message(b"N", NOTICE)),
    "parameters": (STARTED, b"".join(message(b"S", b"%d\0x\0" % number) for number in range(10_000))),
    "columns": (
        STARTED + message(b"T", b"\xff\xff" + COLUMN * 65_535), message(b"D", b"\xff\xff" + b"\xff" * 4 * 65_535)),
    "rows": (STARTED + ONE_COLUMN, message(b"D", b"\0\1\0\0\0\1x") * 5000),
}
WELCOME = (message(b"R", bytes(4)) + message(b"S", b"in_hot_standby\0off\0")
           + message(b"S", b"default_transaction_read_only\0off\0") + message(b"K", bytes(8)) + message(b"Z", b"I"))


class LyingDatabase:
    """Closes all connections until `lie` is set. `is_early` lies before the greeting has ended."""

    def __init__(self, certificate=None):
        self.lie: str | None = None
        self.is_early = False
        # Lies that the client has broken off, and the bytes it took of each.
        self.broken_off: list[int] = []
        self._context = None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self) -> str:
        return f"postgres://a@127.0.0.1:{self.port}/x?sslmode={'require' if self._context else 'disable'}"

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket):
        sent = 0
        try:
            with connection:
                if self.lie is None:
                    return
                if self._context:
                    assert connection.recv(8) == struct.pack(">II", 8, 80877103)
                    connection.sendall(b"S")
                    connection = self._context.wrap_socket(connection, server_side=True)
                connection.recv(4096)
                once, always = LIES[self.lie]
                if self.is_early:
                    connection.sendall(message(b"R", bytes(4)))
                else:
                    connection.sendall(WELCOME)
                    connection.recv(65_536)
                connection.sendall(once)
                while sent < 1 << 30:
                    connection.sendall(always)
                    sent += len(always)
        except OSError:
            self.broken_off.append(sent)
