"""What passed over the link, told by picture: HTTP/1.1 answers, and the frames of `tessera.v1`."""

import base64
import bisect
import itertools
import json
import re
import struct
from dataclasses import dataclass, field

TILE = re.compile(r"/tiles/(\d+)\.")
IMAGE = re.compile(r"/images/([^/?]+)/(preview|tile)")
KINDS = {1: "preview", 2: "tile"}


class Flow:
    """The bytes of one direction of one connection, with the moments at which they came out of the link."""

    def __init__(self):
        self.chunks: list[bytes] = []
        self.ends: list[int] = []
        self.times: list[float] = []
        self.asked: list[float] = []
        self._length = 0

    def add(self, came: float, left: float, data: bytes):
        self._length += len(data)
        self.chunks.append(data)
        self.ends.append(self._length)
        self.times.append(left)
        self.asked.append(came)

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    def when(self, offset: int) -> float:
        """The moment at which the byte at `offset` came out of the link."""
        return self.times[bisect.bisect_right(self.ends, offset)]

    def count(self, begin: int, end: int, since: float, until: float) -> int:
        """How many of the bytes from `begin` to `end` came out of the link between two moments."""
        first = bisect.bisect_left(self.times, since)
        past = bisect.bisect_right(self.times, until)
        low = self.ends[first - 1] if first else 0
        high = self.ends[past - 1] if past else 0
        return max(0, min(end, high) - max(begin, low))


@dataclass
class Message:
    """One picture (or a part of it) on its way down."""
    slot: int | None
    kind: str
    flow: Flow = field(repr=False)
    begin: int
    end: int

    def bytes_between(self, since: float, until: float) -> int:
        return self.flow.count(self.begin, self.end, since, until)

    @property
    def first(self) -> float:
        return self.flow.when(self.begin)

    @property
    def last(self) -> float:
        return self.flow.when(self.end - 1)


class Tape:
    """All that passed since a page was opened."""

    def __init__(self, slots: dict[str, int]):
        self._slots = slots
        self.opened: list[float] = []
        self.flows: dict[tuple[int, str], Flow] = {}
        self.cpu = 0.0

    def add(self, taken: dict) -> int:
        """Appends what a link tells; returns how many bytes came down."""
        self.opened += taken["connections"]
        self.cpu = taken["cpu"]
        down = 0
        for number, way, came, left, data in taken["passed"]:
            flow = self.flows.get((number, way))
            if flow is None:
                flow = self.flows[number, way] = Flow()
            flow.add(came, left, data)
            if way == "down":
                down += len(data)
        return down

    def messages(self) -> list[Message]:
        found: list[Message] = []
        for (number, way), down in self.flows.items():
            if way == "down" and (number, "up") in self.flows:
                found += self._answers(self.flows[number, "up"], down)
        return found

    def said(self) -> list[tuple[float, dict]]:
        """What the page said on its stream: the moment the server was given it, and the message."""
        found = []
        for (_, way), flow in self.flows.items():
            data = flow.data if way == "up" else b""
            head = data.find(b"\r\n\r\n")
            if b"Sec-WebSocket-Key" not in data[:head]:
                continue
            for opcode, begin, end, mask in frames(data, head + 4):
                if opcode == 1:
                    plain = bytes(one ^ two for one, two in zip(data[begin:end], itertools.cycle(mask)))
                    found.append((flow.when(end - 1), json.loads(plain)))
        return sorted(found, key=lambda one: one[0])

    def _answers(self, up: Flow, down: Flow) -> list[Message]:
        found: list[Message] = []
        data = down.data
        paths = re.findall(rb"(?:GET|POST|HEAD|DELETE) (/\S*) HTTP/1\.1\r\n", up.data)
        at = 0
        for path in paths:
            head = data.find(b"\r\n\r\n", at)
            if head < 0:
                break
            fields = data[at:head].decode("latin-1").lower().split("\r\n")
            status = int(fields[0].split()[1])
            at = head + 4
            if status == 101:
                return found + self._frames(down, data, at)
            known = dict(line.split(": ", 1) for line in fields[1:] if ": " in line)
            begin = at
            if "content-length" in known:
                at += int(known["content-length"])
            elif known.get("transfer-encoding") == "chunked":
                at = chunked_end(data, at)
            slot, kind = self._named(path.decode("latin-1"))
            if kind and min(at, len(data)) > begin and status == 200:
                found.append(Message(slot, kind, down, begin, min(at, len(data))))
        return found

    def _named(self, path: str) -> tuple[int | None, str]:
        if tile := TILE.search(path):
            return int(tile[1]), "tile"
        if image := IMAGE.search(path):
            return self._slots.get(image[1]), image[2]
        return None, ""

    def _frames(self, down: Flow, data: bytes, at: int) -> list[Message]:
        found: list[Message] = []
        tokens: dict[bytes, int] = {}
        for opcode, begin, end, _ in frames(data, at):
            if opcode == 1 and end <= len(data):
                message = json.loads(data[begin:end])
                for one in message.get("tokens", []):
                    if "token" in one:
                        tokens[base64.urlsafe_b64decode(one["token"] + "==")] = one["slot"]
            elif opcode == 2 and len(data) >= begin + 28 and data[begin + 17] == 0:
                slot = tokens.get(data[begin : begin + 16])
                found.append(Message(slot, KINDS.get(data[begin + 16], "?"), down, begin, min(end, len(data))))
        return found


def frames(data: bytes, at: int):
    """(opcode, begin and end of the payload, mask) of WebSocket frames (RFC 6455 section 5.2); the last may be cut."""
    while at + 2 <= len(data):
        opcode, length, masked = data[at] & 15, data[at + 1] & 127, data[at + 1] >> 7
        at += 2
        if length == 126:
            length, at = struct.unpack_from(">H", data, at)[0], at + 2
        elif length == 127:
            length, at = struct.unpack_from(">Q", data, at)[0], at + 8
        mask = data[at : at + 4] if masked else b""
        at += 4 * masked
        yield opcode, at, at + length, mask
        at += length


def chunked_end(data: bytes, at: int) -> int:
    while (line := data.find(b"\r\n", at)) >= 0:
        length = int(data[at:line], 16)
        at = line + 2 + length + 2
        if length == 0:
            return at
    return len(data)
