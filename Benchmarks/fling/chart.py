"""The run as a picture: `python3 -m fling.chart benchmarks.json > ../Documentation/fling.svg`, in Benchmarks.

Times lie on a logarithmic scale: the fronts are one or two orders of magnitude apart."""

import math
import sys
from html import escape

from fling.fronts import LABELS
from fling.results import Results, seconds

WIDTH = 860
LEFT, RIGHT = 156, 560
SHARE_LEFT, SHARE_RIGHT = 640, 800
ROW, GROUP, TOP = 24, 34, 96
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
    .ours { fill: #0f766e; } .aborting { fill: #b45309; } .lazy { fill: #64748b; }
    .strong { font-weight: 600; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .soft { fill: #9198a1; }
      .grid { stroke: #3d444d; }
      .rail { fill: #3d444d; }
      .limit { stroke: #e6edf3; }
      .ours { fill: #2dd4bf; } .aborting { fill: #f59e0b; } .lazy { fill: #94a3b8; }
    }"""


def across(time: float) -> float:
    """Where a time lies, in pixels."""
    share = math.log10(min(MOST, max(LEAST, time)) / LEAST) / math.log10(MOST / LEAST)
    return LEFT + share * (RIGHT - LEFT)


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    of = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{of} text-anchor="{anchor}">{escape(words)}</text>'


def group(results: Results, link, y: float) -> list[str]:
    parts = [text(16, y - 8, link.name, "link")]
    limit = across(results.limit(link.name, "abrupt"))
    for row, (front, name) in enumerate(LABELS.items()):
        top = y + row * ROW
        strong = " strong" if front == "ours" else ""
        parts.append(text(LEFT - 12, top + 13, name, strong.strip(), "end"))
        time = results.settle(link.name, front, "abrupt")
        if time is not None:
            end = across(time)
            parts.append(f'<rect class="{front}" x="{LEFT}" y="{top + 2}" width="{end - LEFT:.1f}" height="14" rx="3"/>')
            parts.append(text(max(end, limit if end > limit - 60 and end < limit else end) + 8, top + 14, seconds(time),
                              strong.strip()))
        share = results.share(link.name, front, "abrupt")
        if share is not None:
            span = SHARE_RIGHT - SHARE_LEFT
            parts.append(f'<rect class="rail" x="{SHARE_LEFT}" y="{top + 2}" width="{span}" height="14" rx="3"/>')
            parts.append(f'<rect class="{front}" x="{SHARE_LEFT}" y="{top + 2}" width="{max(3, span * share):.1f}" '
                         f'height="14" rx="3"/>')
            parts.append(text(SHARE_RIGHT + 8, top + 14, f"{100 * share:.0f} %", strong.strip()))
    parts.append(f'<line class="limit" x1="{limit:.1f}" x2="{limit:.1f}" y1="{y - 2}" y2="{y + 3 * ROW - 4}"/>')
    return parts


def chart(results: Results) -> str:
    links = [link for link in results.links if link.rate]
    height = TOP + len(links) * (3 * ROW + GROUP) + 26
    bottom = height - 34
    parts = [
        text(16, 28, "A fling past 1,000 pictures, then an abrupt stop", "title"),
        text(16, 48, f"{results.slots} pictures of {results.tile / 1000:.1f} KB on screen; medians. The dashed line is the limit: "
                     "one round trip, and the bytes over the rate.", "soft"),
        text(LEFT, TOP - 24, "until every picture on screen is there", "soft"),
        text(SHARE_LEFT, TOP - 24, "own picture while it moves", "soft"),
    ]
    for time in (0.1, 1, 10, 100):
        x = across(time)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 14}" y2="{bottom}"/>')
        parts.append(text(x, bottom + 18, f"{time:g} s", "soft", "middle"))
    for number, link in enumerate(links):
        parts += group(results, link, TOP + 14 + number * (3 * ROW + GROUP))
    inner = "\n  ".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="Time until every picture is there after a fling, by link and front">\n'
            f"  <style>{STYLE}\n  </style>\n  {inner}\n</svg>\n")


if __name__ == "__main__":
    sys.stdout.write(chart(Results(sys.argv[1])))
