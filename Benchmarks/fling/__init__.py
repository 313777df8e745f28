"""A fling through a thousand pictures over a slow link, until everything on screen has arrived: our page compared to
what others build, from the browser's own lazy loading to a fully tuned grid over HTTP/2."""

import dataclasses
import sys
import time
from dataclasses import asdict

from fling import cancelling, check, rows, streams, truth
from fling.fronts import BEST, FRONTS, LABELS
from fling.motions import MORE, MOTIONS, SHAPES, Shape
from fling.readings import Reading
from fling.stage import Stage, stage

ROUNDS, QUICK_ROUNDS = 3, 1
# A front that took this long is not repeated: rounds are for times that vary little.
LONG = 10.0
PATIENCE = 100.0

Readings = dict[tuple[str, str, str], list[Reading]]


def flings(on: Stage, shape: Shape, fronts: list[str], motions: list[str], rounds: int) -> Readings:
    """The readings of each (link, front, motion) over one link, with the fronts taking turns."""
    readings: Readings = {}
    for number in range(rounds):
        # The first front finds the machine as the previous one left it, so a different one is first each time.
        turn = number % len(fronts)
        for front in fronts[turn:] + fronts[:turn]:
            long = {motion for motion in motions for one in readings.get((shape.name, front, motion), [])
                    if one.settle is None or one.settle > LONG}
            if long == set(motions):
                continue
            print(f"fling: {shape.name}, round {number + 1} of {rounds}, {LABELS[front]}", file=sys.stderr)
            with on.visit(front, shape) as page:
                for motion in motions:
                    if motion not in long:
                        readings.setdefault((shape.name, front, motion), []).append(page.fling(motion, PATIENCE))
    return readings


def run(report, options):
    began = time.monotonic()
    shapes = SHAPES[:1] if options.quick else [*SHAPES, *MORE] if options.all else SHAPES
    if not options.slow_start:
        shapes = [dataclasses.replace(shape, slow_start=False) for shape in shapes]
    fronts = options.fronts or (list(FRONTS) if options.all or options.quick else ["ours", *BEST])
    motions = options.motions or (["abrupt"] if options.quick else MOTIONS)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    for name, known in [(front, FRONTS) for front in fronts] + [(motion, MOTIONS) for motion in motions]:
        if name not in known:
            raise ValueError(f"no front and no motion is called {name}")
    check.run(report)
    with stage() as on:
        readings: Readings = {}
        seconds: dict[str, float] = {}
        for shape in shapes:
            since = time.monotonic()
            readings |= flings(on, shape, fronts, motions, rounds)
            seconds[shape.name] = time.monotonic() - since
            rows.flings(report, readings, shape, on)
        truth.run(report, on, readings, fronts if options.all or options.quick else ["ours"])
        if not options.quick:
            streams.run(report, on)
        if options.all:
            cancelling.run(report, on)
        report.attach("fling", dict(
            slots=on.layout.slots, tile=on.pictures.mean(), rounds=rounds, seconds=time.monotonic() - began,
            seconds_by_link=seconds, links=[asdict(shape) for shape in shapes],
            readings=[dict(link=link, front=front, motion=motion, **asdict(one), ratio=one.ratio, share=one.share)
                      for (link, front, motion), some in readings.items() for one in some]))
