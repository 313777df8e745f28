"""Runs the benchmarks named on the command line, or by default those that together take a quarter of an hour;
compares two runs. Started by Scripts/bench."""

import argparse
import importlib
import os
import pathlib
import sys
import time

from measuring import Report

BENCHMARKS = ["serve", "coalesce", "thumbnails", "latency", "hung", "memory", "cancel", "workers", "siege", "turns", "million",
              "bucket", "cluster", "app", "scroll", "frames", "cold", "bytes", "curves", "fling", "fidelity"]
# What one wants to know about every change, within a quarter of an hour.
SHORT = ["serve", "coalesce", "latency", "cancel", "fling"]


def words(text: str) -> list[str]:
    return text.split(",")


def main() -> int:
    if sys.argv[1:2] == ["compare"]:
        return importlib.import_module("compare").main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("benchmarks", nargs="*", metavar="|".join(BENCHMARKS), help=f"{', '.join(SHORT)} by themselves")
    parser.add_argument("--all", action="store_true", help="all of them, and all links and fronts of `fling`")
    parser.add_argument("--pictures", metavar="DIR", help="JPEGs of your own for `thumbnails` and `bytes`")
    parser.add_argument("--folders", metavar="DIR,DIR", type=words, help="pictures of your own for `fidelity`")
    parser.add_argument("--formats", default="avif,webp,jpeg", type=words,
                        help="formats for `thumbnails`, with commas (avif,webp,jpeg)")
    parser.add_argument("--quick", "--short", action="store_true",
                        help="`fling` over one link, once, all fronts; `curves` with few streams; `cluster` in two minutes")
    parser.add_argument("--parts", type=words,
                        help="parts of `cluster`, with commas (once,cost,distance,outages,owners)")
    parser.add_argument("--fronts", type=words, help="fronts for `fling`, with commas")
    parser.add_argument("--motions", type=words, help="motions for `fling`, with commas")
    parser.add_argument("--rounds", type=int, help="of `fling` (3, or 1 if quick)")
    parser.add_argument("--no-slow-start", dest="slow_start", action="store_false",
                        help="windows of `fling` are open at once")
    parser.add_argument("--json", default="benchmarks.json", metavar="FILE",
                        help="where all samples go (benchmarks.json)")
    options = parser.parse_args()
    # Without pictures to look at, there is no fidelity to measure.
    every = [name for name in BENCHMARKS if name != "fidelity" or options.folders]
    named = options.benchmarks or (every if options.all else SHORT)
    for name in named:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark is called {name}")
    if "TESSERA_BINARY" not in os.environ:
        parser.error("TESSERA_BINARY names no program; start this by Scripts/bench")

    report, failed, seconds = Report(), [], {}
    print(report.HEAD)
    for name in named:
        since = time.monotonic()
        try:
            importlib.import_module(name).run(report, options)
        except Exception as error:  # after any error, the samples of the others are still worth keeping
            failed.append(name)
            print(f"{name} could not be measured: {type(error).__name__}: {error}", file=sys.stderr)
        seconds[name] = time.monotonic() - since
    report.attach("seconds", seconds)
    report.summary(options.json)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.exit(main())
