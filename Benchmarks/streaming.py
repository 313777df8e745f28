"""Viewport streams for benchmarks: as little of WebSocket as a client of `tessera.v1` needs."""

import asyncio
import json
import struct


def masked(message: dict) -> bytes:
    """A client's text message; the mask is zero."""
    text = json.dumps(message).encode()
    # The shortest form is mandatory (RFC 6455 §5.2).
    length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(text))
    return b"\x81" + length + bytes(4) + text


def viewport(first: int, count: int = 60) -> dict:
    return {"type": "viewport", "revision": 1, "first": first, "count": count, "direction": 1, "pixels": 360}


def handshake(accept: str = "") -> bytes:
    """A client's request for a stream, which accepts these types of renditions."""
    return (f"GET /api/v1/stream{accept and f'?accept={accept}'} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Protocol: tessera.v1\r\n\r\n").encode()


class Frames:
    """Parses a server's bytes into complete frames (RFC 6455 §5.2); none is fragmented."""

    def __init__(self):
        self._data = bytearray()

    def taken(self, piece) -> list[tuple[int, bytes]]:
        """The opcode and payload of each complete frame."""
        data = self._data
        data += piece
        frames, at, end = [], 0, len(data)
        while end - at >= 2:
            length, head = data[at + 1] & 127, 2
            if length >= 126:
                head = 4 if length == 126 else 10
                if end - at < head:
                    break
                (length,) = struct.unpack_from(">H" if head == 4 else ">Q", data, at + 2)
            if end - at < head + length:
                break
            frames.append((data[at] & 15, bytes(data[at + head : at + head + length])))
            at += head + length
        del data[:at]
        return frames


async def opened(
        port: int, source: str, accept: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream after its handshake."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    writer.write(handshake(accept))
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer
