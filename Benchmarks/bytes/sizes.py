"""What is compared at each size: what the server sends today, and alternatives."""

import dataclasses

from .ladders import Encoder
from .photographs import PARTS, WHOLE

JPEG, WEBP, AVIF = Encoder("jpeg"), Encoder("webp", 2), Encoder("avif", 0)
AVIF_1, AVIF_2, AVIF_3 = (Encoder("avif", effort) for effort in (1, 2, 3))
# Most pictures lie between the first two.
_SMALL = {"jpeg": [20, 45, 65, 80], "webp": [20, 40, 65, 80], "avif": [30, 45, 60, 75]}
_MEDIUM = {"jpeg": [35, 55, 70, 85], "webp": [40, 60, 75, 90], "avif": [40, 52, 65, 80]}
_LARGE = {"jpeg": [45, 65, 80, 90], "webp": [60, 80, 90], "avif": [48, 60, 70, 80]}


@dataclasses.dataclass(frozen=True)
class Size:
    name: str
    # Pixels of the longer side.
    side: int
    # The first choice of `OutputFormat.preferences`, with the effort and quality of `Encoding`.
    present: Encoder
    quality: int
    others: list[Encoder]
    # For each format, in rising order.
    qualities: dict[str, list[int]]
    # The crops of each photograph (see `photographs`).
    parts: list = dataclasses.field(default_factory=lambda: [WHOLE])
    # By how much a browser enlarges it.
    enlarged: int = 1
    measure: str = "ssimulacra"


TILE = Size("tile", 320, AVIF_1, 47, [JPEG, WEBP, AVIF], _MEDIUM, PARTS)
SIZES = [
    Size("preview", 64, Encoder("webp", 6), 35, [JPEG, AVIF, WEBP], _SMALL, PARTS, enlarged=5),
    TILE,
    Size("tile, efforts", 320, TILE.present, TILE.quality, [Encoder("webp", 4), AVIF_2, AVIF_3], _MEDIUM),
    Size("tile, Butteraugli", 320, TILE.present, TILE.quality, [JPEG, WEBP, AVIF, AVIF_2, AVIF_3], _MEDIUM,
         measure="butteraugli"),
    Size("640", 640, AVIF, 50, [JPEG, WEBP, AVIF_1, AVIF_2, AVIF_3], _MEDIUM),
    Size("1280", 1280, WEBP, 75, [JPEG, AVIF], _LARGE),
    Size("1600", 1600, WEBP, 75, [JPEG, AVIF], _LARGE),
]


@dataclasses.dataclass(frozen=True)
class Density:
    """A slot of 320 CSS pixels on a denser screen: the rendition that is sent, and the one it is compared to."""
    ratio: int
    side: int
    present: Encoder
    quality: int
    qualities: list[int]


SLOT = 320
DENSITIES = [
    Density(2, 640, AVIF, 50, [20, 30, 40, 50]),
    Density(3, 1280, WEBP, 75, [1, 10, 30, 50, 75]),
]
