"""Viewport streams for benchmarks: as little of WebSocket as a client of `tessera.v1` needs."""

import asyncio
import json
import struct


def masked(message: dict) -> bytes:
    """A text message as a client sends it; the mask is zero."""
    text = json.dumps(message).encode()
    # In the shortest form, or it is an error (RFC 6455 §5.2).
    length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(text))
    return b"\x81" + length + bytes(4) + text


def viewport(first: int, count: int = 60) -> dict:
    return {"type": "viewport", "revision": 1, "first": first, "count": count, "direction": 1, "pixels": 360}


async def opened(
        port: int, source: str, accept: str = "*/*") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream whose handshake is done."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    writer.write((f"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  f"Accept: {accept}\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                  "Sec-WebSocket-Protocol: tessera.v1\r\n\r\n").encode())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer
