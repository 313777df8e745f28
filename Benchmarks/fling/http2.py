"""Parses HTTP/2 (RFC 9113) as it passed over the link: which requests were sent, and which bytes are their responses.

libnghttp2, a dependency of libcurl, decodes the header blocks (RFC 7541)."""

import ctypes
import struct
from dataclasses import dataclass, field

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, CONTINUATION = 0, 1, 3, 9
PADDED, PRIORITY, END_HEADERS = 0x8, 0x20, 0x4
LIBRARY = ctypes.CDLL("libnghttp2.so.14")
TABLE = 65_536


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("value", ctypes.c_void_p), ("name_length", ctypes.c_size_t),
                ("value_length", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Fields:
    """Decodes the header blocks of one direction, each of which may depend on earlier ones."""

    FINAL, EMIT = 1, 2

    def __init__(self):
        self._inflater = ctypes.c_void_p()
        LIBRARY.nghttp2_hd_inflate_new(ctypes.byref(self._inflater))
        LIBRARY.nghttp2_hd_inflate_change_table_size(self._inflater, ctypes.c_size_t(TABLE))
        LIBRARY.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t

    def __del__(self):
        LIBRARY.nghttp2_hd_inflate_del(self._inflater)

    def read(self, block: bytes) -> dict[str, str]:
        found: dict[str, str] = {}
        kept = ctypes.create_string_buffer(block, len(block))
        at, one, flags = 0, _Field(), ctypes.c_int(0)
        while True:
            used = LIBRARY.nghttp2_hd_inflate_hd2(
                self._inflater, ctypes.byref(one), ctypes.byref(flags), ctypes.byref(kept, at),
                ctypes.c_size_t(len(block) - at), 1)
            if used < 0:
                raise ValueError(f"a header block of HTTP/2 cannot be read: {used}")
            at += used
            if flags.value & self.EMIT:
                name, value = (ctypes.string_at(*both).decode("latin-1") for both in (
                    (one.name, one.name_length), (one.value, one.value_length)))
                found[name] = value
            elif flags.value & self.FINAL or not used:
                LIBRARY.nghttp2_hd_inflate_end_headers(self._inflater)
                return found


@dataclass
class Exchange:
    """One stream: the request, and the positions of the bytes of the response's body."""
    path: str
    status: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)
    is_reset: bool = False


def frames(data: bytes, at: int):
    """Yields (type, flags, stream, begin and end of the payload); the last frame may be incomplete."""
    while at + 9 <= len(data):
        length, kind, flags, stream = int.from_bytes(data[at : at + 3], "big"), data[at + 3], data[at + 4], \
            struct.unpack_from(">I", data, at + 5)[0] & 0x7FFFFFFF
        at += 9
        yield kind, flags, stream, at, at + length
        at += length


def _blocks(data: bytes, at: int):
    """Yields (stream, header block) in order, and (stream, None) for a reset."""
    open_block = b""
    for kind, flags, stream, begin, end in frames(data, at):
        if end > len(data):
            return
        if kind == RESET:
            yield stream, None
        elif kind in (HEADERS, CONTINUATION):
            if kind == HEADERS:
                padding = data[begin] if flags & PADDED else 0
                begin += bool(flags & PADDED) + 5 * bool(flags & PRIORITY)
                end -= padding
            open_block += data[begin:end]
            if flags & END_HEADERS:
                yield stream, open_block
                open_block = b""


def exchanges(up: bytes, down: bytes) -> list[Exchange]:
    """The streams of one connection that the browser opened."""
    found: dict[int, Exchange] = {}
    asked, answered = Fields(), Fields()
    for stream, block in _blocks(up, len(PREFACE)):
        if block is not None:
            found[stream] = Exchange(asked.read(block).get(":path", ""))
        elif stream in found:
            found[stream].is_reset = True
    for stream, block in _blocks(down, 0):
        if block is not None and (fields := answered.read(block)) and stream in found:
            found[stream].status = int(fields.get(":status", 0))
    for kind, _, stream, begin, end in frames(down, 0):
        if kind == DATA and stream in found and min(end, len(down)) > begin:
            found[stream].spans.append((begin, min(end, len(down))))
    return list(found.values())
