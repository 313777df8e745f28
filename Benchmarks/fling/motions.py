"""The links and the flings."""

from dataclasses import dataclass

from fling.fronts import Layout


@dataclass(frozen=True)
class Shape:
    name: str
    rate: float | None
    round_trip: float

    def limit(self, size: int) -> float:
        """Seconds that no answer of `size` bytes can come sooner."""
        return self.round_trip + (size * 8 / self.rate if self.rate else 0)


SHAPES = [
    Shape("20 Mbit/s, 60 ms", 20e6, 0.060),
    Shape("20 Mbit/s, 200 ms", 20e6, 0.200),
    Shape("1.6 Mbit/s, 400 ms", 1.6e6, 0.400),
    Shape("unshaped", None, 0.0),
]

MOTIONS = ["slow", "abrupt", "natural", "jump"]
# Of these something is promised; the others are made in the first two rounds.
PROMISED = ["abrupt", "natural"]


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
