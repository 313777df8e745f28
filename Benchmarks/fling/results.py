"""Reads a run's JSON for the tables and the chart."""

import json
import pathlib
from statistics import median

from fling.fronts import FRONTS
from fling.motions import MOTIONS, Shape


class Results:
    def __init__(self, path: str):
        found = json.loads(pathlib.Path(path).read_text())
        self.rows = [row for row in found["rows"] if row["benchmark"] == "fling"]
        self.tile = found["fling"]["tile"]
        self.slots = found["fling"]["slots"]
        self.links = [Shape(**link) for link in found["fling"]["links"]]
        self._readings = found["fling"]["readings"]
        self.fronts = [front for front in FRONTS if any(one["front"] == front for one in self._readings)]
        self.motions = [motion for motion in MOTIONS if any(one["motion"] == motion for one in self._readings)]

    def of(self, link: str, front: str, motion: str) -> list[dict]:
        return [one for one in self._readings if (one["link"], one["front"], one["motion"]) == (link, front, motion)]

    def _median(self, link: str, front: str, motion: str, what: str) -> float | None:
        some = [float("inf") if one[what] is None else one[what] for one in self.of(link, front, motion)]
        return median(some) if some else None

    def settle(self, link: str, front: str, motion: str) -> float | None:
        """The median in seconds; None if there is none, infinite if half of the flings did not settle."""
        return self._median(link, front, motion, "settle")

    def preview(self, link: str, front: str, motion: str) -> float | None:
        return self._median(link, front, motion, "preview")

    def best(self, link: str, motion: str) -> tuple[str, float] | None:
        """The peer that settles first, and its time."""
        known = {front: self.settle(link, front, motion) for front in self.fronts if not FRONTS[front].is_ours}
        known = {front: settle for front, settle in known.items() if settle is not None}
        return min(known.items(), key=lambda one: one[1]) if known else None

    def limit(self, link: str, motion: str) -> float:
        return median(one["limit"] for one in self._readings if (one["link"], one["motion"]) == (link, motion))

    def share(self, link: str, front: str, motion: str) -> float | None:
        """The share of slots on screen in motion that showed their own picture, 0 to 1."""
        some = self.of(link, front, motion)
        seen = sum(one["seen"] for one in some)
        return sum(one["own"] for one in some) / seen if seen else None

    def late(self, link: str, front: str, motion: str) -> float | None:
        """The maximum number of bytes for slots off screen between stopping and settling."""
        some = [one["late"] for one in self.of(link, front, motion)]
        return max(some) if some else None


def seconds(value: float | None) -> str:
    if value is None:
        return "-"
    if value == float("inf"):
        return "never"
    return f"{value:.2f} s" if value < 9.995 else f"{value:.0f} s"
