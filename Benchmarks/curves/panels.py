"""Draws a run: `python3 -m curves.panels benchmarks.json > ../Documentation/curves.svg`, in Benchmarks.

Three panels by number of streams, with logarithmic axes and one line per gallery."""

import json
import math
import pathlib
import sys
from dataclasses import dataclass
from html import escape

PANEL, GAP, LEFT, TOP, HEIGHT = 240, 88, 84, 92, 220
STYLE = """
    svg { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
    text { fill: #24292f; }
    .soft { fill: #59636e; font-size: 12px; }
    .title { font-size: 16px; font-weight: 600; }
    .grid { stroke: #d1d9e0; }
    polyline { fill: none; stroke-width: 2; }
    .tail { stroke-width: 1; stroke-dasharray: 3 3; }
    .g0 { stroke: #94a3b8; } .g1 { stroke: #0f766e; } .g2 { stroke: #1d4ed8; } .g3 { stroke: #b45309; }
    circle { stroke-width: 2; fill: #ffffff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .soft { fill: #9198a1; }
      .grid { stroke: #3d444d; }
      circle { fill: #0d1117; }
      .g0 { stroke: #64748b; } .g1 { stroke: #2dd4bf; } .g2 { stroke: #60a5fa; } .g3 { stroke: #f59e0b; }
    }"""


@dataclass
class Panel:
    title: str
    # How a point is drawn, its tail as a thin line if there is one, and how a number is formatted.
    value: str
    factor: float
    told: str
    tail: str | None = None

    def reach(self, points: list[dict]) -> tuple[int, int]:
        """The powers of ten that enclose all values."""
        values = [point[key] * self.factor for point in points for key in (self.value, self.tail)
                  if key and point[key]]
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return low, max(high, low + 1)


PANELS = [
    Panel("a jump until all 40 pictures are there", "settle", 1e3, "ms", tail="p95"),
    Panel("the server's CPU", "share", 100, "%"),
    Panel("the server's memory", "memory", 1, "MB"),
]


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    of = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{of} text-anchor="{anchor}">{escape(words)}</text>'


def panel(number: int, of: Panel, lines: list[list[dict]]) -> list[str]:
    points = [point for line in lines for point in line]
    left, (low, high) = LEFT + number * (PANEL + GAP), of.reach(points)
    most = math.log10(max(point["streams"] for point in points)) or 1

    def x(streams: int) -> float:
        return left + PANEL * math.log10(streams) / most

    def y(value: float) -> float:
        return TOP + HEIGHT * (1 - (math.log10(max(value, 10**low)) - low) / (high - low))

    parts = [text(left, TOP - 16, of.title)]
    for power in range(low, high + 1):
        down = y(10**power)
        parts.append(f'<line class="grid" x1="{left}" x2="{left + PANEL}" y1="{down:.1f}" y2="{down:.1f}"/>')
        parts.append(text(left - 6, down + 4, f"{10.0**power:,g} {of.told}", "soft", "end"))
    for streams in sorted({point["streams"] for point in points}):
        parts.append(text(x(streams), TOP + HEIGHT + 20, f"{streams:,}", "soft", "middle"))
    for name, line in enumerate(lines):
        for key, kind in ((of.tail, " tail"), (of.value, "")):
            placed = [(x(point["streams"]), y(point[key] * of.factor)) for point in line if key and point[key]]
            if placed:
                parts.append(f'<polyline class="g{name}{kind}" points="'
                             + " ".join(f"{across:.1f},{down:.1f}" for across, down in placed) + '"/>')
            if not kind:
                parts += [f'<circle class="g{name}" cx="{across:.1f}" cy="{down:.1f}" r="3.5"/>'
                          for across, down in placed]
    return parts


def panels(points: list[dict]) -> str:
    names = list(dict.fromkeys((point["pictures"], point["cores"]) for point in points))
    lines = [sorted((point for point in points if (point["pictures"], point["cores"]) == name),
                    key=lambda point: point["streams"]) for name in names]
    width, height = LEFT + len(PANELS) * (PANEL + GAP), TOP + HEIGHT + 72
    parts = [text(16, 28, "What streams cost, 1 to 1,000 at once", "title"),
             text(16, 48, "Each jumps, waits, scrolls on by half a screen, and waits: some 14 tiles a second. The "
                          "dashed lines are 95th percentiles.", "soft")]
    for number, of in enumerate(PANELS):
        parts += panel(number, of, lines)
    for number, (pictures, cores) in enumerate(names):
        across, down = LEFT + number * 220, height - 18
        parts.append(f'<polyline class="g{number}" points="{across},{down - 4} {across + 22},{down - 4}"/>')
        parts.append(text(across + 30, down, f"{pictures:,} pictures, {cores} {'core' if cores == 1 else 'cores'}"))
    inner = "\n  ".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="Settle, processor and memory of the server by the number of streams">\n'
            f"  <style>{STYLE}\n  </style>\n  {inner}\n</svg>\n")


if __name__ == "__main__":
    sys.stdout.write(panels(json.loads(pathlib.Path(sys.argv[1]).read_text())["curves"]["points"]))
