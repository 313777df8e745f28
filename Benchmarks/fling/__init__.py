"""A fling through a thousand pictures over a slow link, until what is on screen is there: our page beside the browser's
own lazy loading and beside a virtualised grid that aborts."""

import contextlib
import sys
import time
from dataclasses import asdict, dataclass

import originals
from fling import cancelling, check, fronts, pictures, rows, streams, truth, visit
from fling.link import Link
from fling.motions import MOTIONS, PROMISED, SHAPES, Shape
from fling.readings import Reading
from peers import Tessera

ROUNDS, QUICK_ROUNDS = 5, 1
# A peer that took as long is not asked again: the rounds are for times that vary by little.
LONG = 10.0
PATIENCE = 100.0


@dataclass
class Stage:
    """What all parts of the benchmark stand on."""
    chromium: object
    ours: Tessera
    link_to_ours: Link
    link_to_peers: Link
    layout: fronts.Layout
    pictures: fronts.Pictures

    def visit(self, front: str, shape: Shape) -> visit.Visit:
        link = self.link_to_ours if front == "ours" else self.link_to_peers
        return visit.Visit(self.chromium, front, link, shape, self.layout, self.pictures)


@contextlib.contextmanager
def stage():
    folder = pictures.numbered_pictures()
    with contextlib.ExitStack() as all:
        # The caches are kept for the next run: it is the link that is measured.
        ours = all.enter_context(Tessera(folder, data=originals.STORE / "fling-data"))
        known = fronts.fetch(ours, pictures.COUNT)
        chromium = all.enter_context(visit.browser())
        layout = visit.measure_layout(chromium, ours.port, pictures.COUNT)
        nginx = all.enter_context(fronts.nginx(known, layout))
        yield Stage(chromium, ours, all.enter_context(Link(ours.port)), all.enter_context(Link(nginx.port)), layout, known)


Readings = dict[tuple[str, str, str], list[Reading]]


def flings(on: Stage, shape: Shape, rounds: int) -> Readings:
    """The readings of each (link, front, motion) over one link, the fronts in turns."""
    readings: Readings = {}
    for number in range(rounds):
        for front in fronts.LABELS:
            if any(one.settle is None or one.settle > LONG for one in readings.get((shape.name, front, "abrupt"), [])):
                continue
            print(f"fling: {shape.name}, round {number + 1} of {rounds}, {fronts.LABELS[front]}", file=sys.stderr)
            with on.visit(front, shape) as page:
                for name in MOTIONS if number < 2 else PROMISED:
                    readings.setdefault((shape.name, front, name), []).append(page.fling(name, PATIENCE))
    return readings


def run(report, options):
    began = time.monotonic()
    check.run(report)
    with stage() as on:
        rounds = QUICK_ROUNDS if options.quick else ROUNDS
        shapes = SHAPES[:1] if options.quick else SHAPES
        readings: Readings = {}
        for shape in shapes:
            readings |= flings(on, shape, rounds)
            rows.flings(report, readings, shape, on)
        truth.run(report, on, readings)
        streams.run(report, on)
        cancelling.run(report, on)
        report.attach("fling", dict(
            slots=on.layout.slots, tile=on.pictures.mean(), rounds=rounds, seconds=time.monotonic() - began,
            links=[asdict(shape) for shape in shapes],
            readings=[dict(link=link, front=front, motion=motion, **asdict(one), ratio=one.ratio, share=one.share)
                      for (link, front, motion), some in readings.items() for one in some]))
