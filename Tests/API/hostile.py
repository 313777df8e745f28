"""Pictures that try to crash, stall or bloat their decoder. Always the same bytes."""

import base64
import random
import struct
import zlib
from collections.abc import Iterator

import pictures

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '


# Pictures that crash.

def convolving_svg() -> bytes:
    """A 21 by 21 convolution: librsvg (2.54) panics on the size of the kernel, and aborts the process."""
    kernel = " ".join(["1"] * 441)
    return (
        f'{SVG}width="200" height="200"><filter id="f"><feConvolveMatrix order="21" kernelMatrix="{kernel}"/></filter>'
        '<rect width="100" height="100" filter="url(#f)"/></svg>').encode()


def giant_text_svg() -> bytes:
    """Letters of 1e30 pixels in a picture without a size: librsvg (2.54) measures them, and aborts."""
    return f'{SVG}><text font-size="1e30" y="50">{"W" * 5000}</text></svg>'.encode()


# Pictures that never end. A seed makes another picture of the same kind.

def turbulent_svg(seed: int = 0) -> bytes:
    """Noise with a million octaves for every pixel: librsvg computes for hours."""
    return (
        f'{SVG}width="500" height="500"><filter id="f"><feTurbulence baseFrequency="0.05" numOctaves="1000000"'
        f' seed="{seed}"/></filter><rect width="500" height="500" filter="url(#f)"/></svg>').encode()


def dashed_svg(seed: int = 0) -> bytes:
    """Lines with two million dashes, drawn 100,000 times: cairo needs hours, but little memory."""
    lines = "".join(f"L{n % 2 * 1_000_000} {seed + n}" for n in range(1, 5))
    groups = "".join(
        f'<g id="{of}{of}">' + f'<use xlink:href="#{of}" y="1"/>' * 10 + "</g>"
        for of in ("d" * 2 ** power for power in range(5)))
    path = f'<path id="d" fill="none" stroke="black" stroke-dasharray="1" d="M0 0{lines}"/>'
    return f'{SVG}width="200" height="200">{path}{groups}</svg>'.encode()


def long_text_svg() -> bytes:
    """A line of 100,000 letters: pango and librsvg lay out and draw all of them, most beyond the edge."""
    return f'{SVG}width="200" height="200"><text font-size="12" y="50">{"W" * 100_000}</text></svg>'.encode()


# Pictures that bloat.

def _wrapping(type: str, content: bytes) -> bytes:
    data = base64.b64encode(content).decode()
    return (
        f'{SVG}width="200" height="200"><image width="200" height="200" xlink:href="data:{type};base64,{data}"/>'
        '</svg>').encode()


def svg_in_svg() -> bytes:
    """Half a kilobyte that contains an SVG of 30,000 by 30,000, which librsvg first draws on surfaces of 6.9 GB."""
    inner = f'{SVG}width="30000" height="30000"><rect width="30000" height="30000" opacity="0.5"/></svg>'
    return _wrapping("image/svg+xml", inner.encode())


def png_in_svg() -> bytes:
    """Contains a 1-bit PNG of 30,000 by 30,000, which gdk-pixbuf and cairo expand to 6 GB."""
    side = 30_000
    return _wrapping("image/png", pictures.png(side, side, bytes((1 + side // 8) * side)))


# Intact pictures with a great deal of data besides the pixels.

def _beside_pixels(*chunks: tuple[bytes, bytes]) -> bytes:
    """A small PNG with additional chunks before its data."""
    whole = pictures.encoded("PNG")
    more = b"".join(pictures.png_chunk(kind, content) for kind, content in chunks)
    return whole[:pictures.PNG_HEAD] + more + whole[pictures.PNG_HEAD:]


def png_with_exif(megabytes: int = 100) -> bytes:
    """An intact picture after an eXIf chunk of many megabytes, which libpng reads byte by byte."""
    return _beside_pixels((b"eXIf", b"MM\0*\0\0\0\x08" + bytes(megabytes * 1_000_000 - 8)))


def png_with_texts(count: int = 40) -> bytes:
    """An intact picture after compressed texts that expand to just below 8 MB each, all of which libpng keeps."""
    text = zlib.compress(b"a" * 7_900_000, 9)
    return _beside_pixels(*(
        (b"zTXt", b"Comment %d\0\0" % n + text) if n % 2 else (b"iTXt", b"Comment %d\0\1\0\0\0" % n + text)
        for n in range(count)))


# Intact pictures with a huge number of pixels.

def wide_jpeg(width: int = 20_000, height: int = 14_000) -> bytes:
    """A grey baseline JPEG of 280 megapixels in 1 MB: two bits per block, "as before" and "no more"."""
    blocks = -(-width // 8) * -(-height // 8)
    return _jpeg(0xC0, width, height) + _scan(0, 63, 0, 0, bytes(-(-blocks // 4))) + b"\xff\xd9"


def wide_png(side: int = 16_384) -> bytes:
    """268 megapixels of RGB in 3 MB. One block of rows is compressed separately and repeated."""
    rows = (b"\0" + bytes(range(256)) * (side * 3 // 256)) * 64
    packer = zlib.compressobj(9)
    first = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
    repeated = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = 1
    for _ in range(side // 64):
        checksum = zlib.adler32(rows, checksum)
    data = first + repeated * (side // 64 - 1) + b"\x03\0" + struct.pack(">I", checksum)
    return pictures.png_of_data(side, side, data, depth=8, colour=2)


# Pictures with a huge number of parts.

def many_scans_jpeg(scans: int = 882, width: int = 8_000, height: int = 6_000) -> bytes:
    """A progressive JPEG with 882 valid scans, each for one bit of one frequency, over 48 megapixels each."""
    blocks = -(-width // 8) * -(-height // 8)
    runs, rest = divmod(blocks, 0x7FFF)
    # Code 0 and fourteen bits: as many empty blocks as one code can represent. The rest takes a code per power of two.
    bits = ("0" + "1" * 14) * runs + "".join(
        ("0" if power == 14 else f"{16 | power:05b}") + "0" * power for power in range(15) if rest >> power & 1)
    bits += "1" * (-len(bits) % 8)
    empty = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    parts = [_jpeg(0xC2, width, height, empty_runs=True), _scan(0, 0, 0, 0, bytes(-(-blocks // 8)))]
    for number in range(scans - 1):
        frequency, step = 1 + number // 14 % 63, number % 14
        parts.append(_scan(frequency, frequency, 14 - step if step else 0, 13 - step, empty))
    return b"".join([*parts, b"\xff\xd9"])


def _jpeg(frame: int, width: int, height: int, empty_runs: bool = False) -> bytes:
    """The head of a grey JPEG whose codes are "0" for no difference (DC) and "0" for no more (AC)."""
    def segment(marker: int, content: bytes) -> bytes:
        return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content

    # With runs: "0" is a run of at least 2^14 empty blocks, and the 5-bit codes are runs of 2^0 to 2^13.
    lengths, codes = (bytes([1, 0, 0, 0, 14]), bytes([0xE0, *range(0, 0xE0, 16)])) if empty_runs else (b"\1", b"\0")
    return (
        b"\xff\xd8" + segment(0xDB, b"\0" + b"\x10" * 64)
        + segment(frame, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")
        + segment(0xC4, b"\x00" + b"\1".ljust(16, b"\0") + b"\0")
        + segment(0xC4, b"\x10" + lengths.ljust(16, b"\0") + codes))


def _scan(first: int, last: int, before: int, after: int, data: bytes) -> bytes:
    return b"\xff\xda\0\x08\1\1\0" + bytes([first, last, before << 4 | after]) + data


def many_frames_gif(frames: int = 100_000, side: int = 1000) -> bytes:
    """A single pixel that changes 100,000 times on a canvas of a megapixel, which a decoder may draw for each frame."""
    frame = b"\x21\xf9\4\0\1\0\0\0" + b"\x2c\0\0\0\0\1\0\1\0\0" + b"\2\2\x44\1\0"
    return b"GIF89a" + struct.pack("<HH", side, side) + b"\x80\0\0\xdc\x14\x14\x14\x14\xdc" + frame * frames + b"\x3b"


def circular_tiff() -> bytes:
    """An intact picture whose directory names itself as the next one: counting its pages never ends."""
    entries = [
        (256, 64), (257, 64), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 64), (279, 64 * 64)]
    directory = 8 + 64 * 64
    body = struct.pack("<2sHI", b"II", 42, directory) + bytes(range(256)) * 16 + struct.pack("<H", len(entries))
    return body + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries) + struct.pack(
        "<I", directory)


# Damaged copies of intact pictures.

def cut(picture: bytes, share: float = 0.6) -> bytes:
    """The first part of a picture, as after an interrupted copy."""
    return picture[:int(len(picture) * share)]


def mutations(seed: int, count: int, originals: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yields names and contents of damaged copies of `originals`, in turn: with changed bytes (half the time among
    the first 256), truncated, or with parts repeated or left out. Half the time a changed PNG gets correct
    checksums, because otherwise libpng would read no further."""
    chance = random.Random(seed)
    names = sorted(originals)
    for number in range(count):
        name = names[number % len(names)]
        kind, mutate = chance.choice(MUTATIONS)
        content = mutate(chance, originals[name])
        if chance.random() < 0.5:
            content = _mended(content)
        stem, _, extension = name.rpartition(".")
        yield f"{number:05}-{stem}-{kind}.{extension}", content


def _change_bytes(chance: random.Random, original: bytes) -> bytes:
    content = bytearray(original)
    reach = min(256, len(content)) if chance.random() < 0.5 else len(content)
    for _ in range(chance.randint(1, 12)):
        position = chance.randrange(reach)
        content[position] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, content[position] ^ 1 << chance.randrange(8)])
    return bytes(content)


def _cut_off(chance: random.Random, original: bytes) -> bytes:
    return original[:chance.randrange(1, len(original))]


def _double_part(chance: random.Random, original: bytes) -> bytes:
    parts = _parts(chance, original)
    at = chance.randrange(len(parts))
    return b"".join([*parts[:at], *[parts[at]] * chance.choice([2, 2, 3, 50]), *parts[at + 1:]])


def _leave_out_part(chance: random.Random, original: bytes) -> bytes:
    parts = _parts(chance, original)
    del parts[chance.randrange(len(parts))]
    return b"".join(parts)


MUTATIONS = [("changed", _change_bytes), ("changed", _change_bytes), ("cut", _cut_off), ("doubled", _double_part),
             ("without", _leave_out_part)]


def _parts(chance: random.Random, content: bytes) -> list[bytes]:
    """The chunks of a PNG, the segments of a JPEG, or pieces of arbitrary length of anything else."""
    if content.startswith(b"\x89PNG"):
        bounds = [0, *(start for start, _ in _chunks(content))]
    elif content.startswith(b"\xff\xd8"):
        bounds = [0, *(at for at in range(2, len(content) - 1) if content[at] == 0xFF and content[at + 1] >= 0xC0)]
    else:
        bounds = [0, *sorted(chance.randrange(1, len(content)) for _ in range(12))]
    return [content[start:end] for start, end in zip(bounds, [*bounds[1:], len(content)]) if start < end]


def _chunks(content: bytes) -> Iterator[tuple[int, int]]:
    """The start and end of each complete chunk of a PNG."""
    start = 8
    while start + 12 <= len(content):
        end = start + 12 + int.from_bytes(content[start:start + 4], "big")
        if end > len(content):
            return
        yield start, end
        start = end


def _mended(content: bytes) -> bytes:
    """A PNG with correct checksums for the present contents of its chunks; anything else unchanged."""
    if not content.startswith(b"\x89PNG"):
        return content
    mended = bytearray(content)
    for start, end in _chunks(content):
        mended[end - 4:end] = struct.pack(">I", zlib.crc32(content[start + 4:end - 4]))
    return bytes(mended)
