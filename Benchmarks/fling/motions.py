"""The links and the flings."""

from dataclasses import dataclass

from fling.fronts import Layout
from fling.link import Conditions


@dataclass(frozen=True)
class Shape:
    """A named link, and the factor by which the browser's processor is slowed."""
    name: str
    rate: float | None
    round_trip: float
    loss: float = 0.0
    jitter: float = 0.0
    slow_start: bool = True
    slowed: int = 1

    @property
    def conditions(self) -> Conditions:
        return Conditions(self.rate, self.round_trip, self.slow_start, self.loss, self.jitter)

    def limit(self, size: int) -> float:
        """A lower bound in seconds for a response of `size` bytes, over a connection that does not need slow start."""
        return self.round_trip + (size * 8 / self.rate if self.rate else 0)

    @property
    def short(self) -> str:
        link = f"{self.rate / 1e6:g}M/{self.round_trip * 1e3:g}ms" if self.rate else "unshaped"
        lossy = f"/{100 * self.loss:g}%" if self.loss else ""
        return f"{link}{lossy}{' phone' if self.slowed > 1 else ''}"


SHAPES = [
    Shape("20 Mbit/s, 60 ms", 20e6, 0.060),
    Shape("20 Mbit/s, 200 ms", 20e6, 0.200),
    Shape("1.6 Mbit/s, 400 ms", 1.6e6, 0.400),
]
# The full matrix also has these combinations, as on real phones.
MORE = [
    Shape("unshaped", None, 0.0),
    Shape("100 Mbit/s, 30 ms", 100e6, 0.030),
    Shape("10 Mbit/s, 40 ms, 2 % loss", 10e6, 0.040, loss=0.02, jitter=0.020),
    Shape("50 Mbit/s, 600 ms", 50e6, 0.600),
    Shape("20 Mbit/s, 60 ms, phone", 20e6, 0.060, slowed=4),
    Shape("1.6 Mbit/s, 400 ms, phone", 1.6e6, 0.400, slowed=4),
]

MOTIONS = ["slow", "abrupt", "natural", "jump"]


def motion(name: str, layout: Layout) -> dict:
    """A motion for `fling.js`. Each uses rows of its own, so that none profits from what another has loaded. All
    begin and end with whole rows on screen."""
    def rows(first: int, count: int) -> dict:
        return {"from": first * layout.pitch, "to": (first + count) * layout.pitch}

    match name:
        case "slow":  # reading: a row in half a second
            return {"kind": "steady", "time": 2_500, **rows(4, 5)}
        case "abrupt":  # a thousand tiles in two seconds, then an abrupt stop
            return {"kind": "steady", "time": 2_000, **rows(20, round(1_000 / layout.columns))}
        case "natural":  # a flick: 10 pixels per millisecond at first, then with a trackpad's inertia
            return {"kind": "natural", "decay": 325, **rows(160, round(3_250 / layout.pitch))}
        case "jump":
            return {"kind": "jump", **rows(200, 70)}
    raise ValueError(name)
