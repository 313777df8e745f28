"""What must never happen: a slot with another slot's picture, a slot that stays blank, a task that blocks the page;
and a visit that requests again what was displayed before."""

import pathlib
import time

from fling.fronts import FRONTS
from fling.motions import SHAPES

READINGS = pathlib.Path(__file__).parents[2] / "Tests" / "Browser" / "readings.js"
ENOUGH = 5_000
# Up and down through the gallery at various speeds, with stops: pixels per millisecond, milliseconds, frames.
LEGS = [dict(speed=speed, time=duration, stop=stop) for speed, duration, stop in (
    (4, 900, 30), (10, 1_200, 40), (-2, 700, 20), (12, 900, 50), (-9, 1_100, 30), (0.5, 800, 10), (-6, 900, 40))]


# A picture that has not arrived paints nothing, so the previous reading would be read again.
NOTHING = """(() => {
    const drawn = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function drawImage(image, ...place) {
        if (image.naturalWidth === 0) this.clearRect(0, 0, this.canvas.width, this.canvas.height);
        else drawn.call(this, image, ...place);
    };
})()"""


def run(report, on, readings, fronts):
    for front in fronts:
        _slots(report, on, readings, front)
    _tasks(report, on)
    _revisit(report, on)


def _slots(report, on, readings, front: str):
    """Takes fewer readings of peers: enough to show that they are what they claim to be."""
    enough, patience = (ENOUGH, 90_000) if front == "ours" else (ENOUGH // 10, 30_000)
    with on.visit(front, SHAPES[0]) as page:
        page.go_to(40 * on.layout.pitch)
        page.page.evaluate(NOTHING)
        page.page.evaluate(READINGS.read_text())
        found = page.page.evaluate(
            "(plan) => window.readings.read(plan)", dict(legs=LEGS, enough=enough, time=patience, untilWrong=False))
        end = page.page.evaluate("() => window.fling.goTo(Math.round(scrollY), 20000)")
    whose = "" if front == "ours" else f"{FRONTS[front].label}: "
    report.add("fling", f"{whose}wrong slots in {found['readings']:,} readings", "", len(found["wrong"]),
               target=f"0 in {enough:,}", holds=not found["wrong"] and found["readings"] >= enough,
               previews=found["previews"], wrong=found["wrong"][:20])
    blank = end.get("lacking", 0) + sum(
        one.blank for (_, name, _), some in readings.items() if name == front for one in some)
    report.add("fling", f"{whose}slots that stayed blank", "", blank, target="0", holds=blank == 0)


def _tasks(report, on):
    legs = [dict(speed=speed, time=5_000, stop=0) for speed in (8, -7, 6, -8, 7, -5)]
    with on.visit("ours", SHAPES[0]) as page:
        page.go_to(4 * on.layout.pitch)
        page.page.evaluate(READINGS.read_text())
        found = page.page.evaluate("(legs) => window.readings.watchTasks(legs)", legs)
    report.add("fling", "tasks over 50 ms in a fling of 30 s", "", len(found), target="0", holds=not found, tasks=found)


def _revisit(report, on):
    bytes_again = []
    for _ in range(2):
        with on.visit("ours", SHAPES[0]) as page:
            page.go_to(30 * on.layout.pitch)
            # Pictures are cached when there is time for it.
            time.sleep(2)
            page.drain(1, 10)
            before = time.time()
            page.reload()
            end = page.page.evaluate("() => window.fling.goTo(Math.round(scrollY), 20000)")
            page.drain()
            if end["settled"] is None:
                raise RuntimeError(f"a revisit does not settle: {end}")
            visible = range(end["first"], end["last"] + 1)
            bytes_again.append(sum(one.bytes_between(before, time.time()) for one in page.tape.messages()
                                   if one.slot in visible))
    report.add("fling", "revisit of a seen viewport: image bytes", "B", max(bytes_again), target="0",
               holds=max(bytes_again) == 0, samples=bytes_again)
