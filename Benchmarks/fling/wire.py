"""The traffic on the link by picture: responses over HTTP/1.1 and HTTP/2, with and without TLS, and the frames of
`tessera.v1`."""

import base64
import itertools
import json
import pathlib
import re
import struct

from fling import http2, tls
from fling.flow import Flow, Message

TILE = re.compile(r"/tiles/(\d+)\.")
BLOCK = re.compile(r"/previews/(\d+)\.")
IMAGE = re.compile(r"/images/([^/?]+)/(preview|tile)")
KINDS = {1: "preview", 2: "tile", 3: "160", 4: "640", 5: "1280", 6: "2560"}


class Tape:
    """All traffic since a page was opened."""

    def __init__(self, slots: dict[str, int], secrets: pathlib.Path, block: int):
        """`secrets` is the file in which the browser logs those of its connections; `block` is the number of
        previews per file."""
        self._slots, self._secrets, self._block = slots, secrets, block
        self.opened: list[float] = []
        self.flows: dict[tuple[int, str], Flow] = {}
        self.cpu = 0.0

    def add(self, taken: dict) -> int:
        """Appends a link's traffic; returns how many bytes came down."""
        self.opened += taken["connections"]
        self.cpu = taken["cpu"]
        down = 0
        for number, way, _, left, data in taken["passed"]:
            flow = self.flows.get((number, way))
            if flow is None:
                flow = self.flows[number, way] = Flow()
            flow.add(left, data)
            if way == "down":
                down += len(data)
        return down

    def connections(self) -> list[tuple[Flow, Flow]]:
        """Both directions of each connection with any response, without TLS."""
        known, found = tls.secrets(self._secrets), []
        for (number, way), down in self.flows.items():
            up = self.flows.get((number, "up"))
            if way == "up" or up is None:
                continue
            both = tls.plain(up, down, known) if tls.is_tls(up.data) else (up, down)
            if both:
                found.append(both)
        return found

    def messages(self) -> list[Message]:
        found: list[Message] = []
        for up, down in self.connections():
            if up.data.startswith(http2.PREFACE):
                found += self._streams(up, down)
            else:
                found += self._answers(up, down)
        return found

    def exchanges(self) -> list[http2.Exchange]:
        """The requests over HTTP/2."""
        return [one for up, down in self.connections() if up.data.startswith(http2.PREFACE)
                for one in http2.exchanges(up.data, down.data)]

    def said(self) -> list[tuple[float, dict]]:
        """The page's messages on its stream: when the server got them, and the messages."""
        found = []
        for flow, _ in self.connections():
            data = flow.data
            head = data.find(b"\r\n\r\n")
            if b"sec-websocket-key" not in data[:head].lower():
                continue
            for opcode, begin, end, mask in frames(data, head + 4):
                if opcode == 1:
                    plain = bytes(one ^ two for one, two in zip(data[begin:end], itertools.cycle(mask)))
                    found.append((flow.when(end - 1), json.loads(plain)))
        return sorted(found, key=lambda one: one[0])

    def _streams(self, up: Flow, down: Flow) -> list[Message]:
        found: list[Message] = []
        for one in http2.exchanges(up.data, down.data):
            slot, kind = self._named(one.path)
            if kind and one.spans and one.status == 200:
                found.append(Message(slot, kind, down, one.spans))
        return found

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
                found.append(Message(slot, kind, down, [(begin, min(at, len(data)))]))
        return found

    def _named(self, path: str) -> tuple[int | None, str]:
        if tile := TILE.search(path):
            return int(tile[1]), "tile"
        if block := BLOCK.search(path):
            return int(block[1]) * self._block, "previews"
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
                found.append(Message(slot, KINDS.get(data[begin + 16], "?"), down, [(begin, min(end, len(data)))]))
        return found


def frames(data: bytes, at: int):
    """Yields (opcode, begin and end of the payload, mask) of WebSocket frames (RFC 6455 section 5.2); the last may
    be incomplete."""
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
