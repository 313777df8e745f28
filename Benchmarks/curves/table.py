"""Prints a run as a table: `python3 -m curves.table benchmarks.json`, in Benchmarks."""

import json
import pathlib
import sys


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1e3 * seconds:,.1f}" if seconds < 0.1 else f"{1e3 * seconds:,.0f}"


def line(point: dict) -> str:
    unsettled = f", {point['unsettled']} of {point['jumps']} never" if point["unsettled"] else ""
    limit = " (the limit)" if point["is_clients"] else ""
    each = f"{1e3 * point['each']:.0f} KB" if point["streams"] >= 100 else "-"
    return (f"| {point['pictures']:,} | {point['cores']} | {point['streams']:,} | {milliseconds(point['settle'])} and "
            f"{milliseconds(point['p95'])} ms{unsettled} | {1e3 * point['cpu']:.1f} ms | "
            f"{1e6 * point['tile']:.0f} us | {100 * point['share']:.0f} % | {100 * point['client']:.0f} %{limit} | "
            f"{point['tiles']:,.0f} | {point['memory']:.0f} MB | {each} |")


def table(points: list[dict]) -> str:
    return "\n".join([
        "| pictures | cores | streams | settle, median and p95 | CPU of a stream, a second | CPU of a tile | the "
        "server, of a core | the pages | tiles a second | memory | a stream |",
        "| --- " * 11 + "|", *map(line, points)])


if __name__ == "__main__":
    print(table(json.loads(pathlib.Path(sys.argv[1]).read_text())["curves"]["points"]))
