"""How many bytes an encoder needs to match the quality of another. Tries some qualities around the target, and
interpolates linearly between the two nearest, on logarithms of distance and bytes."""

import dataclasses
import math
import pathlib
import tempfile

from .libvips import Picture
from .scores import distance, written


@dataclasses.dataclass(frozen=True)
class Encoder:
    format: str
    effort: int | None = None

    def suffix(self, quality: int) -> str:
        """As Sources/Decoding/Pixels/Encoding.swift writes it."""
        effort = "" if self.effort is None else f",effort={self.effort}"
        kind = "optimize_coding" if self.format == "jpeg" else f"strip{effort}"
        return f".{'jpg' if self.format == 'jpeg' else self.format}[Q={quality},{kind},strip]"

    @property
    def name(self) -> str:
        return self.format if self.effort is None else f"{self.format}, effort {self.effort}"


@dataclasses.dataclass(frozen=True)
class Equal:
    """A file of the same quality as another."""
    quality: float
    bytes: float


class Trial:
    """One picture, and what encoders make of it as a viewer sees it: `seen` is what happens between the file and the
    eye."""

    def __init__(self, picture: Picture, seen, measure: str):
        self._picture, self._seen, self._measure = picture, seen, measure
        self._folder = tempfile.TemporaryDirectory(prefix="tessera-bench-")
        self._original = written(seen(picture), pathlib.Path(self._folder.name, "original.png"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def made(self, encoder: Encoder, quality: int) -> tuple[float, int]:
        """The distance and the bytes."""
        file = self._picture.encoded(encoder.suffix(quality))
        other = written(self._seen(Picture.decoded(file)), pathlib.Path(self._folder.name, "other.png"))
        return distance(self._measure, self._original, other), len(file)

    def equal(self, encoder: Encoder, qualities: list[int], to: float) -> Equal:
        """What this encoder needs for that distance; outside the qualities by extrapolation from the two nearest.
        Qualities must rise; no more are tried than needed."""
        rungs: list[tuple[int, float, int]] = []
        for quality in qualities:
            rungs.append((quality, *self.made(encoder, quality)))
            if rungs[-1][1] <= to and len(rungs) > 1:
                break
        (low, far, few), (high, near, many) = rungs[-2:]
        if near >= far or near <= 0:
            return Equal(high, many)
        share = math.log(far / max(to, 1e-9)) / math.log(far / near)
        share = max(-1.0, min(2.0, share))
        return Equal(max(1.0, low + share * (high - low)), few * (many / few) ** share)
