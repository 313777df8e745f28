"""Reports which measures became worse from one run to another, beyond their normal variation:

    Scripts/bench compare before.json after.json

A measure with at least three samples in both runs counts as worse if all of this holds: its median is worse (by a
tenth, and by a perceptible amount); a rank test is significant (5 %); the confidence interval of the ratio of medians
is beyond 1.05 (bootstrap, 95 %); and, if a peer was measured in the same rounds, ours is also worse relative to that
peer, which rules out that the machine is just slower today. A measure without samples counts as worse if a promise was
kept before and is now missed by a tenth. Exits with status 1 if anything is worse."""

import argparse
import itertools
import json
import math
import pathlib
import random
import sys
from dataclasses import dataclass
from statistics import median

FEWEST = 3
WORSE = 1.1
# The confidence interval must be beyond 1 by at least this.
SURELY = 1.05
LUCK = 0.05
DRAWS = 2_000
# Differences below this are imperceptible: a frame, a tile, a slot.
UNSEEN = {("fling", "ms"): 17.0, ("fling", "KB"): 16.0, ("fling", "%"): 3.0}


@dataclass
class Verdict:
    kind: str
    """worse, better, same, broken (a promise), or unknown."""
    what: str
    unit: str
    before: float
    after: float
    ratio: float
    interval: tuple[float, float] | None = None
    luck: float | None = None

    @property
    def is_worse(self) -> bool:
        return self.kind in ("worse", "broken")

    def line(self) -> str:
        interval = f"{self.interval[0]:.2f} to {self.interval[1]:.2f}" if self.interval else "-"
        luck = "-" if self.luck is None else f"{self.luck:.3f}"
        return (f"{self.kind:<8} {self.what:<76} {self.unit:<6} {_number(self.before):>9} {_number(self.after):>9} "
                f"{self.ratio:>6.2f} {interval:>16} {luck:>6}")


HEAD = f"{'':<8} {'what':<76} {'unit':<6} {'before':>9} {'after':>9} {'ratio':>6} {'95 % of ratio':>16} {'luck':>6}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def ratio_of(after: float, before: float) -> float:
    """Infinity means that something never arrived; values below the rounding error count as zero.

    >>> ratio_of(3.0, 2.0), ratio_of(math.inf, 2.0), ratio_of(math.inf, math.inf), ratio_of(0.0, 0.0)
    (1.5, inf, 1.0, 1.0)
    """
    return 1.0 if after == before else after / before if before else math.inf


def luck(low: list[float], high: list[float]) -> float:
    """The probability, if both are alike, that the second samples rank at least as high as they do (Mann-Whitney test).

    >>> luck([1, 2, 3], [4, 5, 6])
    0.05
    >>> luck([1, 2, 3], [1, 2, 3]) > 0.4
    True
    >>> luck(list(range(30)), list(range(40, 70))) < 0.001
    True
    """
    def rank(chosen: list[float], others: list[float]) -> float:
        return sum((one > other) + 0.5 * (one == other) for one in chosen for other in others)

    count, found = len(low) * len(high), rank(high, low)
    all = low + high
    if math.comb(len(all), len(high)) <= 5_000:
        places = range(len(all))
        orders = [rank([all[at] for at in some], [all[at] for at in places if at not in some])
                  for some in map(set, itertools.combinations(places, len(high)))]
        return sum(order >= found for order in orders) / len(orders)
    deviation = math.sqrt(count * (len(all) + 1) / 12)
    return 0.5 * math.erfc((found - 0.5 - count / 2) / deviation / math.sqrt(2))


def interval(before: list[float], after: list[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the ratio of medians; deterministic for the same samples.

    >>> low, high = interval([10, 11, 12, 10, 11], [20, 22, 21, 20, 23])
    >>> 1.6 < low < 2 < high < 2.4
    True
    """
    draw = random.Random(1)
    ratios = sorted(ratio_of(median(draw.choices(after, k=len(after))), median(draw.choices(before, k=len(before))))
                    for _ in range(DRAWS))
    return ratios[int(0.025 * DRAWS)], ratios[int(0.975 * DRAWS) - 1]


def samples_of(row: dict, name: str) -> list[float]:
    """The comparable samples: numbers, and None for what never arrived."""
    found = row["details"].get(name)
    if not isinstance(found, list) or not all(one is None or isinstance(one, (int, float)) for one in found):
        return []
    return [math.inf if one is None else float(one) for one in found] if len(found) >= FEWEST else []


def judge(before: dict, after: dict) -> Verdict:
    """Judges one measure in two runs."""
    is_more = after.get("better", "more" if after["unit"].endswith("/s") else "less") == "more"
    old, new = samples_of(before, "samples"), samples_of(after, "samples")
    verdict = Verdict("unknown", f"{after['benchmark']}: {after['what']}", after["unit"], before["ours"], after["ours"],
                      ratio_of(after["ours"], before["ours"]))
    if not old or not new:
        badly = ratio_of(before["ours"], after["ours"]) if is_more else verdict.ratio
        if before["holds"] and after["holds"] is False and badly >= WORSE:
            verdict.kind = "broken"
        return verdict
    verdict.interval, verdict.ratio = interval(old, new), ratio_of(median(new), median(old))
    sides = [("worse", not is_more), ("better", is_more)]
    verdict.kind, verdict.luck = "same", min(luck(old, new), luck(new, old))
    for kind, rises in sides:
        low, high = (old, new) if rises else (new, old)
        unseen = UNSEEN.get((after["benchmark"], after["unit"]), 0.0)
        if _differs(low, high, unseen) and _beside_peer(before, after, rises):
            verdict.kind = kind
    return verdict


def _differs(low: list[float], high: list[float], unseen: float) -> bool:
    return (ratio_of(median(high), median(low)) >= WORSE and median(high) - median(low) > unseen
            and luck(low, high) <= LUCK and interval(low, high)[0] >= SURELY)


def _beside_peer(before: dict, after: dict, rises: bool) -> bool:
    """Whether the difference remains when each sample is seen relative to the peer's in the same round."""
    peers = [samples_of(row, "peer_samples") for row in (before, after)]
    if not all(peers):
        return True
    beside = [[ratio_of(one, other) for one, other in zip(samples_of(row, "samples"), peer)]
              for row, peer in zip((before, after), peers)]
    low, high = beside if rises else beside[::-1]
    return _differs(low, high, 0.0)


def rows_of(path: str) -> dict[tuple[str, str], dict]:
    """By benchmark and measure; if there are several peers, the row of the first."""
    found: dict[tuple[str, str], dict] = {}
    for row in json.loads(pathlib.Path(path).read_text())["rows"]:
        known = found.setdefault((row["benchmark"], row["what"]), row)
        known["holds"] = known["holds"] if row["holds"] is None else row["holds"] and known["holds"] is not False
    return found


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="Scripts/bench compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="the JSON of a run")
    parser.add_argument("after", help="the JSON of a later one")
    parser.add_argument("--all", action="store_true", help="tell what stayed the same, too")
    options = parser.parse_args(words)
    before, after = rows_of(options.before), rows_of(options.after)
    verdicts = [judge(before[key], after[key]) for key in before if key in after]
    print(HEAD)
    for verdict in sorted(verdicts, key=lambda one: ("broken", "worse", "better", "unknown", "same").index(one.kind)):
        if options.all or verdict.kind not in ("same", "unknown"):
            print(verdict.line())
    worse = sum(verdict.is_worse for verdict in verdicts)
    counts = {kind: sum(one.kind == kind for one in verdicts) for kind in ("broken", "worse", "better", "same")}
    judged = len(verdicts) - sum(one.kind == "unknown" for one in verdicts)
    print(f"\n{len(verdicts)} measures are in both runs, {judged} could be judged: "
          + ", ".join(f"{count} {kind}" for kind, count in counts.items())
          + f"; {len(before.keys() - after.keys())} only before, {len(after.keys() - before.keys())} only after")
    if not verdicts:
        print("nothing can be compared", file=sys.stderr)
    return 1 if worse or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
