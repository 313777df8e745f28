"""The results of the flings: a line for each promise, and for each value of interest."""

from measuring import median

from fling.fronts import FRONTS, LABELS
from fling.motions import MOTIONS, Shape
from fling.readings import Reading

# What people perceive as instant, in milliseconds: differences matter only beyond it.
AT_ONCE = 50
# A factor of the limit, on these links.
OF_THE_LIMIT = {"abrupt": 1.25, "natural": 0.8}
MOTION = {"abrupt": "abrupt stop", "natural": "natural fling", "slow": "slow scroll", "jump": "jump"}

Readings = dict[tuple[str, str, str], list[Reading]]


def middle(some: list[Reading], what) -> float | None:
    """The median; infinite if half of the readings have no value, None if there are none."""
    values = [float("inf") if what(one) is None else what(one) for one in some]
    return median(values) if values else None


def milliseconds(name: str):
    def what(one: Reading) -> float | None:
        value = getattr(one, name)
        return None if value is None else value * 1e3
    return what


def best_peer(readings: Readings, link: str, motion: str) -> tuple[str, float] | None:
    """The peer that settles first, and its median in milliseconds."""
    known = {front: middle(readings.get((link, front, motion), []), milliseconds("settle"))
             for front in FRONTS if not FRONTS[front].is_ours}
    known = {front: settle for front, settle in known.items() if settle is not None}
    return min(known.items(), key=lambda one: one[1]) if known else None


def keeps_up(ours: float, best: float) -> tuple[str, bool]:
    """The promise for a settling time relative to the best peer's, and whether it is kept; in milliseconds."""
    return ("ratio <= 1", ours <= best) if best > AT_ONCE else (f"<= {AT_ONCE}", ours <= AT_ONCE)


def flings(report, readings: Readings, shape: Shape, on):
    motions = [motion for motion in MOTIONS if any(key[0] == shape.name and key[2] == motion for key in readings)]
    for front in FRONTS:
        if not FRONTS[front].is_ours or not any(key[:2] == (shape.name, front) for key in readings):
            continue
        for motion in motions:
            _settle(report, readings, shape, front, motion)
            _preview(report, readings, shape, front, motion)
            _own(report, readings, shape, front, motion)
        if "abrupt" in motions:
            _bytes(report, readings, shape, front, max(map(len, on.pictures.tiles)))
        _connections(report, readings, shape, front)


def _named(shape: Shape, front: str, motion: str, what: str) -> str:
    whose = "" if front == "ours" else f" {front}"
    return f"{MOTION[motion]} {shape.short}{whose}: {what}"


def _samples(some: list[Reading], what) -> list[float | None]:
    return [what(one) for one in some]


def _settle(report, readings: Readings, shape: Shape, front: str, motion: str):
    settle = milliseconds("settle")
    some = readings[shape.name, front, motion]
    ours, samples = middle(some, settle), _samples(some, settle)
    what = _named(shape, front, motion, "settle")
    best = best_peer(readings, shape.name, motion)
    if best:
        name, theirs = best
        target, holds = keeps_up(ours, theirs)
        report.add("fling", what, "ms", ours, theirs, f"{LABELS[name]}, the best", target, holds, samples=samples,
                   peer_samples=_samples(readings[shape.name, name, motion], settle))
    if shape.rate:
        limit = median(one.limit * 1e3 for one in some)
        # The limit does not account for a phone's processor, a rest before a jump, or losses.
        bound = OF_THE_LIMIT.get(motion) if front == "ours" and shape.slowed == 1 and not shape.loss else None
        report.add("fling", what, "ms", ours, limit, "the limit", f"ratio <= {bound}" if bound else "",
                   ours <= bound * limit if bound else None, samples=samples)
    elif not best:
        report.add("fling", what, "ms", ours, samples=samples)


def _preview(report, readings: Readings, shape: Shape, front: str, motion: str):
    preview = milliseconds("preview")
    some = readings[shape.name, front, motion]
    ours = middle(some, preview)
    known = {name: middle(readings[shape.name, name, motion], preview) for name in FRONTS
             if not FRONTS[name].is_ours and (shape.name, name, motion) in readings}
    name = min(known, key=lambda one: known[one]) if known else None
    bound = shape.round_trip * 1e3 + 100
    is_promised = front == "ours" and motion == "abrupt" and shape.rate == 20e6 and shape.slowed == 1
    report.add("fling", _named(shape, front, motion, "previews"), "ms", ours, known.get(name),
               f"{LABELS[name]}, the best" if name else "", f"<= {bound:g}" if is_promised else "",
               ours <= bound if is_promised else None, samples=_samples(some, preview),
               peer_samples=_samples(readings[shape.name, name, motion], preview) if name else None)


def share(some: list[Reading]) -> float | None:
    """The share of slots on screen in motion with their own picture, in per cent."""
    seen = sum(one.seen for one in some)
    return 100 * sum(one.own for one in some) / seen if seen else None


def _own(report, readings: Readings, shape: Shape, front: str, motion: str):
    some = readings[shape.name, front, motion]
    ours = share(some)
    if ours is None:
        return
    known = {name: share(readings.get((shape.name, name, motion), [])) for name in FRONTS if not FRONTS[name].is_ours}
    known = {name: one for name, one in known.items() if one is not None}
    name = max(known, key=lambda one: known[one]) if known else None
    is_promised = front == "ours" and motion == "abrupt" and shape.name == "20 Mbit/s, 60 ms"
    report.add("fling", _named(shape, front, motion, "own picture in motion"), "%", ours, known.get(name),
               f"{LABELS[name]}, the best" if name else "", ">= 90" if is_promised else "",
               ours >= 90 if is_promised else None, samples=[100 * one.share for one in some], better="more",
               peer_samples=[100 * one.share for one in readings[shape.name, name, motion]] if name else None)


def _bytes(report, readings: Readings, shape: Shape, front: str, largest: int):
    ours = readings[shape.name, front, "abrupt"]
    peers = {name: readings[shape.name, name, "abrupt"] for name in FRONTS
             if not FRONTS[name].is_ours and (shape.name, name, "abrupt") in readings}
    if shape.rate:
        most = {name: max(one.late for one in some) / 1e3 for name, some in peers.items()}
        least = min(most, key=lambda name: most[name]) if most else None
        bound = largest / 1e3 + 16
        late = max(one.late for one in ours) / 1e3
        is_promised = front == "ours"
        report.add("fling", _named(shape, front, "abrupt", "late bytes, most"), "KB", late, most.get(least),
                   f"{LABELS[least]}, the best" if least else "", f"<= {bound:.3g}" if is_promised else "",
                   late <= bound if is_promised else None, samples=[one.late / 1e3 for one in ours])
    for name, some in peers.items():
        report.add("fling", _named(shape, front, "abrupt", "bytes never at rest"), "KB",
                   middle(ours, lambda one: one.unseen / 1e3), middle(some, lambda one: one.unseen / 1e3), LABELS[name],
                   samples=[one.unseen / 1e3 for one in ours])


def _connections(report, readings: Readings, shape: Shape, front: str):
    def ten(name: str) -> float | None:
        some = [one.opened for (link, other, _), all in readings.items() if (link, other) == (shape.name, name)
                for one in all]
        return 10 * sum(some) / len(some) if some else None

    aborting = ten("aborting")
    whose = "" if front == "ours" else f" {front}"
    report.add("fling", f"{shape.short}{whose}: connections in ten flings", "", ten(front), aborting,
               LABELS["aborting"] if aborting is not None else "", "0", ten(front) == 0)
