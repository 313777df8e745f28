"""Pictures made for the tests, intact and damaged."""

import io
import pathlib
import struct
import zlib

from PIL import Image


def drawing(width: int = 640, height: int = 480, seed: int = 0) -> Image.Image:
    """A picture with gradients and edges, different for each seed."""
    image = Image.radial_gradient("L").resize((width, height))
    other = Image.linear_gradient("L").rotate(90 * (seed % 4)).resize((width, height))
    third = Image.new("L", (width, height), (seed * 37) % 256)
    return Image.merge("RGB", (image, other, third))


def encoded(format: str = "JPEG", seed: int = 0, width: int = 640, height: int = 480, **options) -> bytes:
    file = io.BytesIO()
    drawing(width, height, seed).save(file, format, **options)
    return file.getvalue()


def camera_picture(width: int = 2400, height: int = 1800) -> bytes:
    """A picture like a camera's: a JPEG of noise with a small red thumbnail in its Exif data."""
    noise = Image.effect_noise((width, height), 80).convert("RGB")
    small, file = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (160, 120), "red").save(small, "JPEG")
    thumbnail = small.getvalue()
    # An empty IFD0 at 8, and at 14 IFD1 with the thumbnail's position and length (CIPA DC-008, 4.5.8).
    entry = struct.Struct(">HHII")
    start = 14 + 2 + 2 * entry.size + 4
    exif = b"MM\0*" + struct.pack(">IHI", 8, 0, 14) + struct.pack(">H", 2)
    exif += entry.pack(0x0201, 4, 1, start) + entry.pack(0x0202, 4, 1, len(thumbnail)) + bytes(4) + thumbnail
    noise.save(file, "JPEG", quality=90, exif=b"Exif\0\0" + exif)
    return file.getvalue()


def blurred_svg(width: int = 640, height: int = 480, seed: int = 0) -> bytes:
    """Coloured discs under a wide blur."""
    discs = "".join(
        f'<circle cx="{n * 97 % width}" cy="{(n * 61 + seed) % height}" r="{width // 9}" fill="hsl({n * 29},80%,50%)"/>'
        for n in range(40))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><filter id="f">'
        f'<feGaussianBlur stdDeviation="{width // 40}"/></filter><g filter="url(#f)">{discs}</g></svg>').encode()


def every_format(width: int = 640, height: int = 480, seed: int = 0) -> dict[str, bytes]:
    """One drawing in every encoding that has its own decoder or its own path through a decoder."""
    size = {"seed": seed, "width": width, "height": height}
    return {
        "baseline.jpg": encoded("JPEG", **size), "progressive.jpg": encoded("JPEG", progressive=True, **size),
        "plain.png": encoded("PNG", compress_level=1, **size), "interlaced.png": interlaced_png(width, height, seed),
        "plain.webp": encoded("WEBP", **size), "lossless.webp": encoded("WEBP", lossless=True, method=0, **size),
        "plain.avif": encoded("AVIF", speed=10, **size), "plain.gif": encoded("GIF", **size),
        "plain.tif": encoded("TIFF", **size), "packed.tif": encoded("TIFF", compression="tiff_lzw", **size),
        "blurred.svg": blurred_svg(width, height, seed)}


# The end of a PNG's header, where its other chunks begin.
PNG_HEAD = 33


def png_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png_of_data(
    width: int, height: int, data: bytes, depth: int = 1, colour: int = 0, interlaced: bool = False
) -> bytes:
    """A PNG whose header claims this size; `data` are the filtered and compressed rows."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return (
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b""))


def png(width: int, height: int, rows: bytes, depth: int = 1, colour: int = 0) -> bytes:
    """A PNG whose header claims this size; `rows` are the filtered rows before compression."""
    return png_of_data(width, height, zlib.compress(rows, 9), depth, colour)


def interlaced_png(width: int = 640, height: int = 480, seed: int = 0) -> bytes:
    """A PNG in the seven passes of Adam7, which Pillow can't write."""
    image = drawing(width, height, seed)
    packer = zlib.compressobj(6)
    data = []
    for x, y, across, down in (
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        columns, rows = len(range(x, width, across)), len(range(y, height, down))
        # Without smoothing, this picks one pixel out of `across` by `down`, counted from pixel centres.
        grid = (across, 0, x + 0.5 - across / 2, 0, down, y + 0.5 - down / 2)
        part = image.transform((columns, rows), Image.Transform.AFFINE, grid).tobytes()
        data += [packer.compress(b"\0" + part[row * columns * 3:][:columns * 3]) for row in range(rows)]
    return png_of_data(width, height, b"".join(data) + packer.flush(), depth=8, colour=2, interlaced=True)


def lying_png() -> bytes:
    """Claims to be 100,000 pixels square, but has one row."""
    return png(100_000, 100_000, b"\0" + bytes(12_500))


def laughing_svg() -> bytes:
    """The billion laughs: entities that grow tenfold, nine times."""
    entities = "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return (
        f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY l0 "ha">{entities}]>'
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><text y="50">&l9;</text></svg>').encode()


def curious_svg() -> bytes:
    """Refers to a local file and to a page on the network."""
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
    """Writes files named by their keys, in which "__" stands for the dot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def is_whole(content: bytes) -> bool:
    """Whether every pixel of a picture can be decoded."""
    with Image.open(io.BytesIO(content)) as image:
        image.load()
        return image.width > 0


def colour(content: bytes) -> tuple[int, int, int]:
    """The colour in the middle of a picture."""
    with Image.open(io.BytesIO(content)) as image:
        return image.convert("RGB").getpixel((image.width // 2, image.height // 2))


def size(content: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(content)) as image:
        return image.size
