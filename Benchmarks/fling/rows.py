"""What the flings come to: one line for each thing that is promised, and for each that one wants to know."""

from measuring import median

from fling.fronts import LABELS
from fling.motions import Shape
from fling.readings import Reading

# How many times faster than the peer, after an abrupt stop: by round trip in milliseconds.
FASTER = {60: 1.8, 200: 3.5}
MOTION = {"abrupt": "abrupt stop", "natural": "natural fling", "slow": "slow scroll", "jump": "jump"}


def _short(shape: Shape) -> str:
    return f"{shape.rate / 1e6:g}M/{shape.round_trip * 1e3:g}ms" if shape.rate else "unshaped"


def _median(some: list[Reading], what) -> float | None:
    """None if one of the readings did not come to it."""
    values = [what(one) for one in some]
    return None if not values or None in values else median(values)


def _milliseconds(one: Reading) -> float | None:
    return None if one.settle is None else one.settle * 1e3


def flings(report, readings: dict[tuple[str, str, str], list[Reading]], shape: Shape, on):
    for motion in ("abrupt", "natural", "slow", "jump"):
        _settle(report, readings, shape, motion)
    _previews(report, readings, shape)
    _own(report, readings, shape)
    _bytes(report, readings, shape, max(map(len, on.pictures.tiles)))
    _connections(report, readings, shape)


def _settle(report, readings, shape: Shape, motion: str):
    some = readings[shape.name, "ours", motion]
    ours = _median(some, _milliseconds)
    what = f"{MOTION[motion]} {_short(shape)}: settle"
    if ours is None:
        report.add("fling", what, "ms", float("inf"), target="settles", holds=False)
        return
    limit = median(one.limit * 1e3 for one in some)
    if shape.rate:
        bound = {"abrupt": 1.25, "natural": 0.8}.get(motion)
        report.add("fling", what, "ms", ours, limit, "the limit", bound and f"ratio <= {bound}" or "",
                   bound and ours <= bound * limit)
    for peer in ("aborting", "lazy"):
        theirs = _median(readings.get((shape.name, peer, motion), []), _milliseconds)
        if theirs is None:
            continue
        target, holds = "", None
        if shape.rate and motion == "abrupt":
            times = 10 if peer == "lazy" else FASTER.get(round(shape.round_trip * 1e3))
            if times:
                target, holds = f"{times:g} times faster", theirs >= times * ours
        report.add("fling", what, "ms", ours, theirs, LABELS[peer], target, holds)


def _previews(report, readings, shape: Shape):
    ours = _median(readings[shape.name, "ours", "abrupt"], lambda one: one.preview and one.preview * 1e3)
    bound = shape.round_trip * 1e3 + 100
    is_promised = shape.rate == 20e6
    report.add("fling", f"abrupt stop {_short(shape)}: previews", "ms", float("inf") if ours is None else ours,
               target=f"<= {bound:g}" if is_promised else "",
               holds=(ours is not None and ours <= bound) if is_promised else None)


def _own(report, readings, shape: Shape):
    def share(front: str, motion: str) -> float | None:
        some = readings.get((shape.name, front, motion), [])
        seen = sum(one.seen for one in some)
        return 100 * sum(one.own for one in some) / seen if seen else None

    for motion in ("abrupt", "natural"):
        ours = share("ours", motion)
        is_promised = motion == "abrupt" and shape.rate == 20e6 and shape.round_trip == 0.06
        report.add("fling", f"{MOTION[motion]} {_short(shape)}: own picture in motion", "%", ours,
                   share("aborting", motion), LABELS["aborting"], ">= 90" if is_promised else "",
                   ours >= 90 if is_promised else None)


def _bytes(report, readings, shape: Shape, largest: int):
    def most(front: str) -> float:
        return max(one.late / 1e3 for one in readings[shape.name, front, "abrupt"])

    if shape.rate:
        bound = largest / 1e3 + 16
        report.add("fling", f"abrupt stop {_short(shape)}: late bytes, most", "KB", most("ours"), most("aborting"),
                   LABELS["aborting"], f"<= {bound:.3g}", most("ours") <= bound)
    for peer in ("aborting", "lazy"):
        some = readings.get((shape.name, peer, "abrupt"))
        if some:
            report.add("fling", f"abrupt stop {_short(shape)}: bytes never at rest", "KB",
                       _median(readings[shape.name, "ours", "abrupt"], lambda one: one.unseen / 1e3),
                       _median(some, lambda one: one.unseen / 1e3), LABELS[peer])


def _connections(report, readings, shape: Shape):
    def ten(front: str) -> float:
        some = [one.opened for (link, name, _), all in readings.items() if (link, name) == (shape.name, front)
                for one in all]
        return 10 * sum(some) / len(some)

    report.add("fling", f"{_short(shape)}: connections in ten flings", "", ten("ours"), ten("aborting"),
               LABELS["aborting"], "0", ten("ours") == 0)
