"""The run as tables for the README: `python3 -m fling.table benchmarks.json`, in Benchmarks."""

import sys

from fling.fronts import LABELS
from fling.results import Results, seconds
from fling.rows import MOTION


def settles(results: Results) -> list[str]:
    lines = ["| link | motion | the limit | " + " | ".join(LABELS.values()) + " |", "| --- | --- | " + "--- | " * 4]
    for link in results.links:
        for motion in ("abrupt", "natural", "slow", "jump"):
            times = [seconds(results.settle(link.name, front, motion)) for front in LABELS]
            limit = seconds(results.limit(link.name, motion)) if link.rate else "-"
            lines.append(f"| {link.name} | {MOTION[motion]} | {limit} | "
                         + " | ".join(times) + " |")
    return [line.rstrip() for line in lines]


def promises(results: Results) -> list[str]:
    lines = ["| what | measured | beside | target | |", "| --- | --- | --- | --- | --- |"]
    for row in results.rows:
        if row["holds"] is None:
            continue
        beside = f"{_number(row['peer'])} ({row['peer_name']})" if row["peer"] is not None else ""
        lines.append(f"| {row['what']} | {_number(row['ours'])} {row['unit']} | {beside} | {row['target']} | "
                     f"{'met' if row['holds'] else 'missed'} |")
    return lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


if __name__ == "__main__":
    found = Results(sys.argv[1])
    print("\n".join([*settles(found), "", *promises(found)]))
