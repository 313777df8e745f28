"""What a run has left in its JSON, for the table and the chart."""

import json
import pathlib
from statistics import median

from fling.motions import Shape


class Results:
    def __init__(self, path: str):
        found = json.loads(pathlib.Path(path).read_text())
        self.rows = [row for row in found["rows"] if row["benchmark"] == "fling"]
        self.tile = found["fling"]["tile"]
        self.slots = found["fling"]["slots"]
        self.links = [Shape(**link) for link in found["fling"]["links"]]
        self._readings = found["fling"]["readings"]

    def of(self, link: str, front: str, motion: str) -> list[dict]:
        return [one for one in self._readings if (one["link"], one["front"], one["motion"]) == (link, front, motion)]

    def settle(self, link: str, front: str, motion: str) -> float | None:
        """The median in seconds; None if there is none, infinite if half of them did not settle."""
        some = [float("inf") if one["settle"] is None else one["settle"] for one in self.of(link, front, motion)]
        return median(some) if some else None

    def preview(self, link: str, front: str, motion: str) -> float | None:
        some = [float("inf") if one["preview"] is None else one["preview"] for one in self.of(link, front, motion)]
        return median(some) if some else None

    def limit(self, link: str, motion: str) -> float:
        return median(one["limit"] for one in self.of(link, "ours", motion))

    def share(self, link: str, front: str, motion: str) -> float | None:
        """Of the slots on screen in motion, those that showed their own picture, 0 to 1."""
        some = self.of(link, front, motion)
        seen = sum(one["seen"] for one in some)
        return sum(one["own"] for one in some) / seen if seen else None

    def unseen(self, link: str, front: str, motion: str) -> float | None:
        """Bytes for slots that were not on screen at rest."""
        some = [one["unseen"] for one in self.of(link, front, motion)]
        return median(some) if some else None


def seconds(value: float | None) -> str:
    if value is None:
        return "-"
    if value == float("inf"):
        return "never"
    return f"{value:.2f} s" if value < 9.995 else f"{value:.0f} s"
