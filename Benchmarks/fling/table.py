"""Prints a run as tables for the README: `python3 -m fling.table benchmarks.json`, in Benchmarks."""

import sys

from fling.fronts import LABELS
from fling.results import Results, seconds
from fling.rows import MOTION, keeps_up


def settles(results: Results) -> list[str]:
    """The times until every slot on screen shows its tile, and ours compared to the best peer in each cell."""
    def last(link, motion: str) -> str:
        best, ours = results.best(link.name, motion), results.settle(link.name, "ours", motion)
        if best is None or ours is None:
            return "- | "
        target, holds = keeps_up(1e3 * ours, 1e3 * best[1])
        ratio = f"{ours / best[1]:.2f}" if target.startswith("ratio") else f"{1e3 * ours:.0f} ms"
        return f"{ratio} ({LABELS[best[0]]}) | {target}: {'met' if holds else 'missed'}"

    head = ["link", "motion", "the limit", *(LABELS[front] for front in results.fronts), "beside the best", "target"]
    lines = [_row(head), _row(["---"] * len(head))]
    for link in results.links:
        for motion in results.motions:
            limit = seconds(results.limit(link.name, motion)) if link.rate else "-"
            times = [seconds(results.settle(link.name, front, motion)) for front in results.fronts]
            lines.append(_row([link.name, MOTION[motion], limit, *times, last(link, motion)]))
    return lines


def others(results: Results, title: str, told) -> list[str]:
    """Another figure of every front."""
    head = ["link", "motion", *(LABELS[front] for front in results.fronts)]
    lines = [title, "", _row(head), _row(["---"] * len(head))]
    for link in results.links:
        for motion in results.motions:
            values = [told(link.name, front, motion) for front in results.fronts]
            if any(value != "-" for value in values):
                lines.append(_row([link.name, MOTION[motion], *values]))
    return lines


def promises(results: Results) -> list[str]:
    lines = [_row(["what", "measured", "beside", "target", ""]), _row(["---"] * 5)]
    for row in results.rows:
        if row["holds"] is None:
            continue
        beside = f"{_number(row['peer'])} ({row['peer_name']})" if row["peer"] is not None else ""
        lines.append(_row([row["what"], f"{_number(row['ours'])} {row['unit']}", beside, row["target"],
                           "met" if row["holds"] else "missed"]))
    return lines


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def tables(results: Results) -> list[str]:
    def own(*cell: str) -> str:
        value = results.share(*cell)
        return "-" if value is None else f"{100 * value:.0f} %"

    def late(*cell: str) -> str:
        value = results.late(*cell)
        return "-" if value is None else f"{value / 1e3:,.0f} KB"

    return ["Until every slot on screen shows its tile:", "", *settles(results), "",
            *others(results, "Until every slot shows at least its preview:",
                    lambda *cell: seconds(results.preview(*cell))), "",
            *others(results, "Own picture in motion:", own), "",
            *others(results, "Late bytes, at most:", late), "",
            "What is promised:", "", *promises(results)]


if __name__ == "__main__":
    print("\n".join(tables(Results(sys.argv[1]))))
