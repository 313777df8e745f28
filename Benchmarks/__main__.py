"""Runs the benchmarks named on the command line, all without names. Scripts/bench is the door."""

import argparse
import importlib
import os
import pathlib
import subprocess
import sys

from measuring import Report

BENCHMARKS = ["serve", "coalesce", "thumbnails", "latency", "memory", "cancel", "workers", "siege", "turns", "million", "app", "fling"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("benchmarks", nargs="*", metavar="|".join(BENCHMARKS), help="all when none is named")
    parser.add_argument("--pictures", metavar="DIR", help="JPEGs of your own for `thumbnails`")
    parser.add_argument("--formats", default="avif,webp,jpeg", type=lambda words: words.split(","),
                        help="formats for `thumbnails`, with commas (avif,webp,jpeg)")
    parser.add_argument("--quick", action="store_true", help="`fling` over one link and once")
    parser.add_argument("--json", default="benchmarks.json", metavar="FILE", help="where all samples go (benchmarks.json)")
    options = parser.parse_args()
    named = [name for name in options.benchmarks if name != "all"] or BENCHMARKS
    for name in named:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark is called {name}")
    if "TESSERA_BINARY" not in os.environ:
        parser.error("TESSERA_BINARY names no program; start this by Scripts/bench")

    report, failed = Report(), []
    print(report.HEAD)
    for name in named:
        try:
            importlib.import_module(name).run(report, options)
        except (RuntimeError, OSError, AssertionError, ValueError, subprocess.SubprocessError) as error:
            failed.append(name)
            print(f"{name} could not be measured: {type(error).__name__}: {error}", file=sys.stderr)
    report.summary(options.json)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.exit(main())
