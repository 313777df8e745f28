"""A hundred streams that fling at the same time through one link, compared to a single one."""

import json
import pathlib
import subprocess
import sys

from fling.link import Conditions, Link
from measuring import median, percentile

RATE, ROUND_TRIP = 200e6, 0.060
STREAMS = 100


def _fling(on, link: Link, count: int) -> list[dict]:
    told = subprocess.run(
        [sys.executable, str(pathlib.Path(__file__).with_name("streamers.py")), json.dumps(dict(
            port=link.port, count=count, slots=on.layout.slots, total=on.layout.total))],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=120).stdout
    return json.loads(told)


def run(report, on):
    def shares(flings: list[dict]) -> list[float]:
        """The seconds that each would take if all had an equal share of the link."""
        return [ROUND_TRIP + sum(len(on.pictures.tiles[slot]) for slot in one["visible"]) * 8 * len(flings) / RATE
                for one in flings]

    with Link(on.ours.port, Conditions(RATE, ROUND_TRIP)) as link:
        alone = [_fling(on, link, 1)[0] for _ in range(3)]
        all = _fling(on, link, STREAMS)
    settles = [one["settle"] for one in all]
    if None in settles:
        report.add("fling", f"{STREAMS} streams: settled", "", sum(one is not None for one in settles),
                   target=f"{STREAMS}", holds=False)
        return
    ratios = [settle / share for settle, share in zip(settles, shares(all))]
    report.add("fling", "one stream, 200M/60ms, abrupt stop: settle", "ms", 1e3 * median(one["settle"] for one in alone),
               1e3 * median(shares([one])[0] for one in alone), "the limit", samples=alone)
    report.add("fling", f"{STREAMS} streams at once: settle, median", "ms", 1e3 * median(settles),
               1e3 * median(shares(all)), "fair share", settles=settles)
    report.add("fling", f"{STREAMS} streams at once: settle, worst", "ms", 1e3 * max(settles),
               1e3 * median(shares(all)), "fair share", "each <= 1.5 shares", max(ratios) <= 1.5,
               ratios=ratios, p95=percentile(ratios, 0.95))
