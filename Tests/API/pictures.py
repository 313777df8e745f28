"""Pictures made for the tests, good and bad."""

import io
import pathlib
import struct
import zlib

from PIL import Image


def drawing(width: int = 640, height: int = 480, seed: int = 0) -> Image.Image:
    """A picture with gradients and edges, another for each seed."""
    image = Image.radial_gradient("L").resize((width, height))
    other = Image.linear_gradient("L").rotate(90 * (seed % 4)).resize((width, height))
    third = Image.new("L", (width, height), (seed * 37) % 256)
    return Image.merge("RGB", (image, other, third))


def encoded(format: str = "JPEG", seed: int = 0, **options) -> bytes:
    file = io.BytesIO()
    drawing(seed=seed).save(file, format, **options)
    return file.getvalue()


def png(width: int, height: int, rows: bytes, depth: int = 1, colour: int = 0) -> bytes:
    """A PNG with the header's own claim of its size; `rows` are the filtered rows before compression."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def bomb() -> bytes:
    """2.5 gigapixels in 300 KB: decoding it would take gigabytes."""
    side = 50_000
    packer = zlib.compressobj(9)
    row = b"\0" + bytes(side // 8)
    rows = b"".join([packer.compress(row * 1000) for _ in range(side // 1000)] + [packer.flush()])
    whole = png(side, side, b"")
    empty = zlib.compress(b"", 9)
    old = struct.pack(">I", len(empty)) + b"IDAT" + empty + struct.pack(">I", zlib.crc32(b"IDAT" + empty))
    new = struct.pack(">I", len(rows)) + b"IDAT" + rows + struct.pack(">I", zlib.crc32(b"IDAT" + rows))
    return whole.replace(old, new)


def lying_png() -> bytes:
    """Says that it is 100,000 pixels square and has one row."""
    return png(100_000, 100_000, b"\0" + bytes(12_500))


def laughing_svg() -> bytes:
    """The billion laughs: entities that grow tenfold nine times."""
    entities = "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return (
        f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY l0 "ha">{entities}]>'
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><text y="50">&l9;</text></svg>').encode()


def curious_svg() -> bytes:
    """Asks for a file of the machine and for a page of the network."""
    return (
        b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="100">'
        b'<image xlink:href="file:///etc/passwd" width="100" height="100"/>'
        b'<image xlink:href="http://127.0.0.1:9/x.png" width="100" height="100"/>'
        b'<rect width="200" height="100" fill="green"/></svg>')


def many_frames() -> bytes:
    """A GIF of a thousand frames."""
    file = io.BytesIO()
    frames = [Image.new("L", (64, 64), n % 256) for n in range(1000)]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=20)
    return file.getvalue()


def write(folder: pathlib.Path, **files: bytes) -> pathlib.Path:
    """Writes files named by their keys, a "__" standing for the dot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def is_whole(content: bytes) -> bool:
    """Whether every pixel of a picture can be decoded."""
    with Image.open(io.BytesIO(content)) as image:
        image.load()
        return image.width > 0
