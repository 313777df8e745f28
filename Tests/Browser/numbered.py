"""Pictures with their numbers encoded as by the demo's origin (see NumberMosaic there), for galleries of files."""

import pathlib

from PIL import Image, ImageDraw

COLOURS = [(20, 22, 58), (205, 38, 58), (40, 186, 150), (255, 240, 190)]
JOINT = (13, 15, 38)
WIDTH, HEIGHT = 400, 300


def tiles(number: int) -> list[int]:
    """The two bits of each of the sixteen tiles."""
    check = (number * 0x9E3779B1 & 0xFFFFFFFF) >> 24 ^ 0x5A
    word = (number << 8 | check) ^ 0x1BE46CB1
    return [word >> 30 - 2 * tile & 3 for tile in range(16)]


def numbered(number: int) -> Image.Image:
    picture = Image.new("RGB", (WIDTH, HEIGHT), (number * 37 % 256, number * 91 % 256, number * 13 % 256))
    canvas = ImageDraw.Draw(picture)
    canvas.rectangle((0, HEIGHT * 8 // 10, WIDTH, HEIGHT), JOINT)
    for tile, bits in enumerate(tiles(number)):
        row, column = divmod(tile, 8)
        canvas.rectangle((WIDTH * column // 8 + 1, HEIGHT * (8 + row) // 10 + 1,
                          WIDTH * (column + 1) // 8 - 2, HEIGHT * (9 + row) // 10 - 2), COLOURS[bits])
    return picture


def folder_of_numbered(folder: pathlib.Path, count: int) -> pathlib.Path:
    """This many of them, sorted by number."""
    folder.mkdir(parents=True)
    for number in range(count):
        numbered(number).save(folder / f"{number:06}.jpg", quality=85)
    return folder
