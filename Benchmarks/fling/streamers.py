"""Clients of `tessera.v1` without a browser, many in one process: each flings and stops like a page."""

import base64
import json
import os
import select
import socket
import struct
import sys
import time

SPEED = 500  # slots per second
FLING = 2.0  # seconds
TELL = 0.05  # seconds between two viewports in motion
TOLD_EVERY = 0.01  # seconds between two acknowledgements
PATIENCE = 60.0


def masked(text: str) -> bytes:
    """A client's text frame (RFC 6455 section 5.2)."""
    data = text.encode()
    mask = os.urandom(4)
    key = int.from_bytes((mask * (len(data) // 4 + 1))[: len(data)], "big")
    head = struct.pack(">BB", 0x81, 0x80 | len(data)) if len(data) < 126 else struct.pack(">BBH", 0x81, 0xFE, len(data))
    return head + mask + (int.from_bytes(data, "big") ^ key).to_bytes(len(data), "big")


class Streamer:
    def __init__(self, number: int, settings: dict):
        self.count, self.total = settings["slots"], settings["total"]
        # Each client at a different place.
        self.start = (number * 611) % (self.total - 2 * self.count - int(SPEED * FLING)) // 8 * 8
        self.stop = self.start + int(SPEED * FLING) // 8 * 8
        self.socket = socket.create_connection(("127.0.0.1", settings["port"]))
        self.socket.sendall(
            b"GET /api/v1/stream?accept=image/avif,image/webp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Key: " + base64.b64encode(os.urandom(16)) +
            b"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tessera.v1\r\n\r\n")
        self.socket.setblocking(False)
        self.is_open = False
        self.data = bytearray()
        self.skip = 0
        self.received = self.told = 0
        self.slots: dict[bytes, int] = {}
        self.tiles: set[int] = set()
        self.target: range | None = None
        self.missing: set[int] = set()
        self.settled: float | None = None

    def say(self, **message):
        self.told = self.received
        self.socket.send(masked(json.dumps(message, separators=(",", ":"))))

    def view(self, first: int, velocity: float):
        self.say(type="viewport", first=first, count=self.count, direction=1 if velocity else 0, velocity=velocity,
                 pixels=154, received=self.received)

    def expect(self, first: int):
        self.target, self.settled = range(first, first + self.count), None
        self.missing = set(self.target) - self.tiles
        if not self.missing:
            self.settled = time.monotonic()

    def read(self):
        try:
            self.data += self.socket.recv(65536)
        except BlockingIOError:
            return
        if not self.is_open:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in self.data[:end]:
                raise RuntimeError(self.data[:300].decode("latin-1"))
            del self.data[: end + 4]
            self.is_open = True
        while self._frame():
            pass

    def _frame(self) -> bool:
        """Takes one frame from the input; parts of a picture count as they arrive, as in a page's worker."""
        data = self.data
        if len(data) < 2:
            return False
        opcode, length, at = data[0] & 15, data[1] & 127, 2
        if length == 126:
            length, at = int.from_bytes(data[2:4], "big"), 4
        elif length == 127:
            length, at = int.from_bytes(data[2:10], "big"), 10
        if len(data) < at + length:
            return False
        payload = bytes(data[at : at + length])
        del data[: at + length]
        if opcode == 2:
            self.received += length
            self._picture(payload)
        elif opcode == 1:
            for one in json.loads(payload).get("tokens", []):
                if "token" in one:
                    self.slots[base64.urlsafe_b64decode(one["token"] + "==")] = one["slot"]
        elif opcode == 9:
            self.socket.send(b"\x8a" + bytes([0x80 | length]) + bytes(4) + payload)
        elif opcode == 8:
            raise RuntimeError(f"closed: {payload!r}")
        return True

    def _picture(self, payload: bytes):
        if payload[17]:
            raise RuntimeError(payload[28:].decode())
        if payload[16] != 2:
            return
        slot = self.slots.get(payload[:16])
        self.tiles.add(slot)
        self.missing.discard(slot)
        if self.target is not None and not self.missing and self.settled is None:
            self.settled = time.monotonic()


class Crowd:
    def __init__(self, settings: dict):
        self.streamers = [Streamer(number, settings) for number in range(settings["count"])]
        self.poll = select.epoll()
        self.by_descriptor = {one.socket.fileno(): one for one in self.streamers}
        for descriptor in self.by_descriptor:
            self.poll.register(descriptor, select.EPOLLIN)
        self.next_word = 0.0

    def turn(self, until: float):
        """Reads until the given time, and acknowledges what has arrived."""
        while (now := time.monotonic()) < until:
            for descriptor, _ in self.poll.poll(min(until, max(self.next_word, now + 0.001)) - now, 256):
                self.by_descriptor[descriptor].read()
            if time.monotonic() >= self.next_word:
                self.next_word = time.monotonic() + TOLD_EVERY
                for one in self.streamers:
                    if one.received > one.told:
                        one.say(type="received", bytes=one.received)

    def until(self, is_done) -> bool:
        deadline = time.monotonic() + PATIENCE
        while not all(map(is_done, self.streamers)):
            if time.monotonic() > deadline:
                return False
            self.turn(time.monotonic() + 0.02)
        return True

    def fling(self) -> list[dict]:
        self.until(lambda one: one.is_open)
        for one in self.streamers:
            one.expect(one.start)
            one.view(one.start, 0)
        self.until(lambda one: one.settled is not None)
        self.turn(time.monotonic() + 1)
        began = time.monotonic()
        while (passed := time.monotonic() - began) < FLING:
            for one in self.streamers:
                one.view(one.start + int(passed * SPEED), SPEED)
            self.turn(min(began + FLING, time.monotonic() + TELL))
        stopped = time.monotonic()
        before = [one.received for one in self.streamers]
        for one in self.streamers:
            one.expect(one.stop)
            one.view(one.stop, 0)
        self.until(lambda one: one.settled is not None)
        return [dict(settle=one.settled and one.settled - stopped, bytes=one.received - had,
                     visible=[one.stop + slot for slot in range(one.count)])
                for one, had in zip(self.streamers, before)]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(Crowd(json.loads(sys.argv[1])).fling()))
