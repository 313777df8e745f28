"""Draws a run: `python3 -m fling.chart benchmarks.json > ../Documentation/fling.svg`, in Benchmarks.

Times have a logarithmic scale, because the fronts are one or two orders of magnitude apart."""

import math
import sys
from html import escape

from fling.fronts import FRONTS, LABELS
from fling.results import Results, seconds

WIDTH = 940
LEFT, RIGHT = 190, 560
SHARE_LEFT, SHARE_RIGHT = 720, 880
ROW, GROUP, TOP = 22, 34, 96
LEAST, MOST = 0.1, 100.0

STYLE = """
    svg { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
    text { fill: #24292f; }
    .soft { fill: #59636e; font-size: 12px; }
    .title { font-size: 16px; font-weight: 600; }
    .link { font-weight: 600; }
    .grid { stroke: #d1d9e0; }
    .limit { stroke: #24292f; stroke-width: 2; stroke-dasharray: 3 3; }
    .rail { fill: #d1d9e0; opacity: 0.5; }
    .ours { fill: #0f766e; } .best { fill: #b45309; } .peer { fill: #64748b; }
    .strong { font-weight: 600; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .soft { fill: #9198a1; }
      .grid { stroke: #3d444d; }
      .rail { fill: #3d444d; }
      .limit { stroke: #e6edf3; }
      .ours { fill: #2dd4bf; } .best { fill: #f59e0b; } .peer { fill: #94a3b8; }
    }"""


def across(time: float) -> float:
    """The horizontal position of a time, in pixels."""
    share = math.log10(min(MOST, max(LEAST, time)) / LEAST) / math.log10(MOST / LEAST)
    return LEFT + share * (RIGHT - LEFT)


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    of = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{of} text-anchor="{anchor}">{escape(words)}</text>'


def settle_bar(results: Results, link, front: str, top: float, kind: str, limit: float) -> list[str]:
    """The bar of a front's settling time, and for ours the comparison to the best peer."""
    time, best = results.settle(link.name, front, "abrupt"), results.best(link.name, "abrupt")
    if time is None:
        return []
    end, words = across(time), seconds(time)
    if front == "ours" and best:
        words += f", {time / best[1]:.2f} of the best peer's"
    place = limit if limit - 60 < end < limit else end
    return [f'<rect class="{kind}" x="{LEFT}" y="{top + 2}" width="{end - LEFT:.1f}" height="14" rx="3"/>',
            text(place + 8, top + 14, words, "strong" if kind == "ours" else "")]


def share_bar(results: Results, link, front: str, top: float, kind: str) -> list[str]:
    share = results.share(link.name, front, "abrupt")
    if share is None:
        return []
    span = SHARE_RIGHT - SHARE_LEFT
    return [f'<rect class="rail" x="{SHARE_LEFT}" y="{top + 2}" width="{span}" height="14" rx="3"/>',
            f'<rect class="{kind}" x="{SHARE_LEFT}" y="{top + 2}" width="{max(3, span * share):.1f}" height="14" '
            f'rx="3"/>',
            text(SHARE_RIGHT + 8, top + 14, f"{100 * share:.0f} %", "strong" if kind == "ours" else "")]


def group(results: Results, link, y: float) -> list[str]:
    parts = [text(16, y - 8, link.name, "link")]
    limit, best = across(results.limit(link.name, "abrupt")), results.best(link.name, "abrupt")
    for row, front in enumerate(results.fronts):
        top = y + row * ROW
        kind = "ours" if FRONTS[front].is_ours else "best" if best and front == best[0] else "peer"
        parts.append(text(LEFT - 12, top + 13, LABELS[front], "strong" if front == "ours" else "", "end"))
        parts += settle_bar(results, link, front, top, kind, limit)
        parts += share_bar(results, link, front, top, kind)
    parts.append(f'<line class="limit" x1="{limit:.1f}" x2="{limit:.1f}" y1="{y - 2}" '
                 f'y2="{y + len(results.fronts) * ROW - 4}"/>')
    return parts


def chart(results: Results) -> str:
    links = [link for link in results.links if link.rate]
    one = len(results.fronts) * ROW + GROUP
    height = TOP + len(links) * one + 26
    bottom = height - 34
    parts = [
        text(16, 28, "A fling past 1,000 pictures, then an abrupt stop", "title"),
        text(16, 48, f"{results.slots} pictures of {results.tile / 1000:.1f} KB on screen; medians. The dashed line is the "
                     "limit: one round trip, and the bytes over the rate.", "soft"),
        text(LEFT, TOP - 24, "until every picture on screen is there", "soft"),
        text(SHARE_LEFT, TOP - 24, "own picture while it moves", "soft"),
    ]
    for time in (0.1, 1, 10, 100):
        x = across(time)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 14}" y2="{bottom}"/>')
        parts.append(text(x, bottom + 18, f"{time:g} s", "soft", "middle"))
    for number, link in enumerate(links):
        parts += group(results, link, TOP + 14 + number * one)
    inner = "\n  ".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="Time until every picture is there after a fling, by link and front">\n'
            f"  <style>{STYLE}\n  </style>\n  {inner}\n</svg>\n")


if __name__ == "__main__":
    sys.stdout.write(chart(Results(sys.argv[1])))
