"""A reader's page, as a client of `tessera.v1`: it jumps to a place that it has not displayed, waits, slowly scrolls
on by half a screen, waits, and jumps again."""

import base64
import json
import socket
import time

from streaming import Frames, handshake, masked

SLOTS = 40  # slots on screen
AHEAD = 8
STEPS, STEP = 20, 0.05  # steps of a scroll, one slot each, and seconds per step
REST = 2.0  # seconds of rest after a jump and after a scroll
PERIOD = REST + STEPS * STEP + REST
TELL = 0.004  # seconds between two acknowledgements, as in a browser
# Pages jump to the beginnings of runs; before it begins, a page rests at the end of one.
RUNS, RUN = 8, 120
# The head of a binary message (Documentation/stream.md).
_KIND, _STATUS, _HEAD, _TILE = 16, 17, 28, 2


class Page:
    def __init__(self, number: int, port: int, runs: list[int]):
        self.number, self.runs = number, runs
        # Each page is a separate client to the server.
        self.socket = socket.create_connection(
            ("127.0.0.1", port), source_address=(f"127.0.{1 + number // 250}.{1 + number % 250}", 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(handshake("image/avif,image/webp"))
        answer = b""
        while b"\r\n\r\n" not in answer:
            # Byte by byte, so as not to consume what follows.
            answer += self.socket.recv(1)
        if b" 101 " not in answer:
            raise RuntimeError(answer.decode("latin-1"))
        self.socket.setblocking(False)
        self._frames = Frames()
        self._received = self._told = 0
        self._told_at = 0.0
        self._slots: dict[bytes, int] = {}
        self.missing: set[int] = set()
        self._asked = 0.0
        self.settles: list[float | None] = []
        self.tiles = self.previews = 0

    def view(self, first: int, velocity: float = 0, count: int = SLOTS):
        self._told = self._received
        self.socket.send(masked({
            "type": "viewport", "first": first, "count": count, "direction": 1 if velocity else 0,
            "velocity": velocity, "pixels": 320, "side": "longer", "ahead": AHEAD, "behind": 0,
            "received": self._received}))

    def jump(self, first: int, count: int = SLOTS):
        if self.missing:
            self.settles.append(None)
        self.missing = set(range(first, first + count))
        self._asked = time.monotonic()
        self.view(first, count=count)

    def script(self):
        """Performs a step, and yields the seconds until the next one."""
        place = self.number
        while True:
            # Three and eight are coprime, so each run gets its turn.
            first = self.runs[place % len(self.runs)]
            place += 3
            self.jump(first)
            yield REST
            for step in range(1, STEPS + 1):
                self.view(first + step, 1 / STEP)
                yield STEP
            self.view(first + STEPS)
            yield REST

    def tell(self, now: float) -> float | None:
        """Acknowledges what has arrived, if anything has; otherwise returns when it may next."""
        if self._received == self._told:
            return None
        if now < self._told_at + TELL:
            return self._told_at + TELL
        self._told, self._told_at = self._received, now
        self.socket.send(masked({"type": "received", "bytes": self._received}))
        return None

    def read(self, buffer: memoryview):
        try:
            count = self.socket.recv_into(buffer)
        except BlockingIOError:
            return
        if not count:
            raise RuntimeError("a stream was closed")
        for opcode, payload in self._frames.taken(buffer[:count]):
            if opcode == 2:
                self._picture(payload)
            elif opcode == 1:
                self._tokens(json.loads(payload).get("tokens", ()))
            elif opcode == 9:
                self.socket.send(b"\x8a" + bytes([0x80 | len(payload)]) + bytes(4) + payload)
            elif opcode == 8:
                raise RuntimeError(f"closed: {payload!r}")

    def _picture(self, payload: bytes):
        self._received += len(payload)
        if payload[_STATUS]:
            raise RuntimeError(payload[_HEAD:].decode())
        if payload[_KIND] == _TILE:
            self.tiles += 1
            self._has(self._slots.pop(payload[:16], None))
        else:
            self.previews += 1

    def _tokens(self, tokens):
        for one in tokens:
            if "token" in one:
                self._slots[base64.urlsafe_b64decode(one["token"] + "==")] = one["slot"]
            else:
                self._has(one["slot"])

    def _has(self, slot: int | None):
        if slot in self.missing:
            self.missing.discard(slot)
            if not self.missing:
                self.settles.append(time.monotonic() - self._asked)
