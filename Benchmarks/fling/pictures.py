"""The pictures for the flings: each shows its number, and their tiles are as large as those of photographs."""

import pathlib
import random

from PIL import Image, ImageDraw, ImageEnhance

import originals

COUNT = 2_400
SIDE = 480
SCENES = 48

# The four colours of the frieze and their meanings: Sources/DemoOrigin/Drawing/NumberMosaic.swift,
# Tests/Browser/readings.js.
COLOURS = [(20, 22, 58), (205, 38, 58), (40, 186, 150), (255, 240, 190)]


def numbered_pictures() -> pathlib.Path:
    """A folder of JPEGs, ordered by their numbers."""
    return originals.made(f"fling-v1-{COUNT}", _make)


def _scene(seed: int) -> Image.Image:
    """Clouds, objects and grain in colour, with twice the side, so that many pictures can be cropped from one."""
    bands = []
    draw = random.Random(seed)
    for _ in range(3):
        band = Image.effect_noise((6, 6), 120).resize((2 * SIDE, 2 * SIDE), Image.BICUBIC)
        for size, weight in ((40, 0.35), (120, 0.3), (240, 0.42), (400, 0.26)):
            layer = Image.effect_noise((size, size), 90).resize((2 * SIDE, 2 * SIDE), Image.BICUBIC)
            band = Image.blend(band, layer, weight)
        bands.append(ImageEnhance.Brightness(band).enhance(draw.uniform(0.7, 1.2)))
    return ImageEnhance.Color(Image.merge("RGB", bands)).enhance(0.7)


def _frieze(picture: Image.Image, number: int):
    word = (number << 8 | ((number * 0x9E3779B1 & 0xFFFFFFFF) >> 24) ^ 0x5A) ^ 0x1BE46CB1
    pen = ImageDraw.Draw(picture)
    width, height = picture.size
    for tile in range(16):
        row, column = divmod(tile, 8)
        top = height * (8 + row) // 10
        pen.rectangle((width * column // 8, top, width * (column + 1) // 8 - 1, height * (9 + row) // 10 - 1),
                      fill=COLOURS[word >> (30 - 2 * tile) & 3])


def _make(folder: pathlib.Path):
    scenes = [_scene(seed) for seed in range(SCENES)]
    draw = random.Random(1)
    for number in range(COUNT):
        left, top = draw.randrange(SIDE), draw.randrange(SIDE)
        picture = scenes[number % SCENES].crop((left, top, left + SIDE, top + SIDE))
        if draw.random() < 0.5:
            picture = picture.transpose(Image.FLIP_LEFT_RIGHT)
        _frieze(picture, number)
        picture.save(folder / f"{number:05}.jpg", quality=88)
