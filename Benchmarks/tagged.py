"""Makes JPEGs with a camera's metadata: when, where, with what."""

import struct

ASCII, SHORT, LONG, RATIONAL = 2, 3, 4, 5
SIZES = {ASCII: 1, SHORT: 2, LONG: 4, RATIONAL: 8}

CAMERAS = [("Canon", "EOS 40D"), ("NIKON CORPORATION", "NIKON D750"), ("FUJIFILM", "X-T3"), ("Apple", "iPhone 12")]
WORDS = "lake bird harbour mountain winter Straße garden été bridge market children forest night fête old river".split()


def with_facts(picture: bytes, *, make: str, model: str, taken: str, place: tuple[float, float] | None = None,
               lens: str = "", title: str = "", keywords: tuple[str, ...] = (), thumbnail: bytes = b"") -> bytes:
    """The JPEG with EXIF ("2019:07:28 12:30:00"; degrees north and east) and IPTC segments in front of its own."""
    segments = _segment(0xE1, b"Exif\0\0" + _exif(make, model, taken, place, lens, thumbnail))
    if title or keywords:
        segments += _segment(0xED, b"Photoshop 3.0\0" + _iptc(title, keywords))
    return picture[:2] + segments + picture[2:]


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _exif(make, model, taken, place, lens, thumbnail) -> bytes:
    def text(value: str):
        return ASCII, value.encode() + b"\0"

    def rationals(*values: tuple[int, int]):
        return RATIONAL, b"".join(struct.pack(">II", *value) for value in values)

    def shorts(*values: int):
        return SHORT, b"".join(struct.pack(">H", value) for value in values)

    details = {
        0x829A: rationals((1, 250)), 0x829D: rationals((28, 10)), 0x8827: shorts(200), 0x9003: text(taken),
        0x9004: text(taken), 0x920A: rationals((50, 1)), 0xA434: text(lens or f"{make} 50mm F1.8"),
    }
    main = {0x010F: text(make), 0x0110: text(model), 0x0112: shorts(1), 0x0132: text(taken)}
    where = {}
    if place is not None:
        def angle(value: float):
            minutes = abs(value) * 60
            return rationals((int(minutes // 60), 1), (int(minutes % 60), 1), (int(minutes * 6000 % 6000), 100))
        north, east = place
        where = {1: text("N" if north >= 0 else "S"), 2: angle(north), 3: text("E" if east >= 0 else "W"), 4: angle(east)}

    # The main directory contains the offsets of the others, so their positions are determined first.
    pointers = {0x8769: (LONG, bytes(4))} | ({0x8825: (LONG, bytes(4))} if where else {})
    at = 8 + len(_directory(main | pointers, 0))
    main[0x8769] = (LONG, struct.pack(">I", at))
    parts = [_directory(details, at)]
    at += len(parts[0])
    if where:
        main[0x8825] = (LONG, struct.pack(">I", at))
        parts.append(_directory(where, at))
        at += len(parts[-1])
    following = 0
    if thumbnail:
        following = at
        own = {0x0103: shorts(6), 0x0201: (LONG, bytes(4)), 0x0202: (LONG, struct.pack(">I", len(thumbnail)))}
        own[0x0201] = (LONG, struct.pack(">I", at + len(_directory(own, at))))
        parts += [_directory(own, at), thumbnail]
    return b"MM\0*" + struct.pack(">I", 8) + _directory(main, 8, following) + b"".join(parts)


def _directory(entries: dict[int, tuple[int, bytes]], at: int, following: int = 0) -> bytes:
    """An image file directory at the offset `at`, followed by the values that do not fit into it."""
    head, rest = struct.pack(">H", len(entries)), b""
    behind = at + 2 + 12 * len(entries) + 4
    for tag, (kind, value) in sorted(entries.items()):
        field = value.ljust(4, b"\0")
        if len(value) > 4:
            field = struct.pack(">I", behind + len(rest))
            rest += value + bytes(len(value) % 2)
        head += struct.pack(">HHI", tag, kind, len(value) // SIZES[kind]) + field
    return head + struct.pack(">I", following) + rest


def _iptc(title: str, keywords: tuple[str, ...]) -> bytes:
    records = [(5, title.encode())] if title else []
    content = b"\x1c\x01\x5a\0\x03\x1b%G" + b"".join(
        struct.pack(">BBBH", 0x1C, 2, number, len(value)) + value
        for number, value in records + [(25, word.encode()) for word in keywords])
    return b"8BIM\x04\x04\0\0" + struct.pack(">I", len(content)) + content + bytes(len(content) % 2)
