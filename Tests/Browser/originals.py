"""Pictures that are difficult for a viewer."""

import io

from PIL import Image, ImageDraw
from PIL.TiffImagePlugin import IFDRational


def drawing(width: int, height: int, seed: int = 0) -> Image.Image:
    image = Image.radial_gradient("L").resize((width, height))
    other = Image.linear_gradient("L").rotate(90 * (seed % 4)).resize((width, height))
    return Image.merge("RGB", (image, other, Image.new("L", (width, height), seed * 37 % 256)))


def encoded(image: Image.Image, kind: str, **options) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def moving(kind: str) -> bytes:
    """A red bar that moves across, at a tenth of a second per frame."""
    frames = []
    for step in range(6):
        frame = Image.new("RGB", (320, 240), "white")
        ImageDraw.Draw(frame).rectangle((step * 50, 0, step * 50 + 50, 240), fill="red")
        frames.append(frame)
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)


def photograph(width: int = 1500, height: int = 1000, **options) -> bytes:
    """A photograph as written by a camera, with its location and settings."""
    exif = Image.Exif()
    exif[0x10f], exif[0x110] = "Canon", "Canon EOS 40D"
    shot = exif.get_ifd(0x8769)
    shot[0x829a], shot[0x829d], shot[0x8827] = IFDRational(1, 160), IFDRational(71, 10), 100
    shot[0x920a], shot[0x9003] = IFDRational(375, 64), "2019:06:07 10:11:12"
    place = exif.get_ifd(0x8825)
    place[1], place[2], place[3], place[4] = "N", (48.0, 51.0, 30.0), "E", (2.0, 17.0, 40.0)
    return encoded(drawing(width, height, 2), "JPEG", exif=exif, **options)


def damaged_png() -> bytes:
    """A PNG whose upper part is intact; browsers show that part."""
    content = bytearray(encoded(Image.effect_noise((600, 400), 40).convert("RGB"), "PNG"))
    middle = len(content) // 2
    content[middle:middle + 200] = bytes(200)
    return bytes(content)
