"""The links and the flings."""

from dataclasses import dataclass

from fling.fronts import Layout
from fling.link import Conditions


@dataclass(frozen=True)
class Shape:
    """A link as it is named, and how many times slower than this one the browser's processor is."""
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
        """Seconds that no answer of `size` bytes can come sooner, over a connection that need not start slowly."""
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
# Each of them, too, in the whole matrix: as people have them, and phones.
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
    """A motion for `fling.js`, each in rows of its own, so that none meets what another has loaded. All begin and end
    with whole rows on screen."""
    def rows(first: int, count: int) -> dict:
        return {"from": first * layout.pitch, "to": (first + count) * layout.pitch}

    match name:
        case "slow":  # one reads: a row in half a second
            return {"kind": "steady", "time": 2_500, **rows(4, 5)}
        case "abrupt":  # a thousand tiles in two seconds, then a finger on the glass
            return {"kind": "steady", "time": 2_000, **rows(20, round(1_000 / layout.columns))}
        case "natural":  # a flick: 10 pixels a millisecond at first, then as a trackpad lets it run out
            return {"kind": "natural", "decay": 325, **rows(160, round(3_250 / layout.pitch))}
        case "jump":
            return {"kind": "jump", **rows(200, 70)}
    raise ValueError(name)
