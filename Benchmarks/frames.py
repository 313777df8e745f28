"""What a frame of a steady scroll costs: our page beside a plain virtualised grid, in the same motion over the same
tiles, with a processor at full speed and slowed down. The browser's trace says where the time goes."""

import collections
import json

import scroll
from fling.visit import browser
from measuring import median, wait_until_idle
from peers import Tessera

ROUNDS = 3
# Seconds, and pixels a millisecond: thirty seconds of reading pass in two.
TIME, SPEED = 4.0, 3.0
SLOWED = (1, 4, 6)
TARGET, BUDGET = 2.0, 8.0

# One step each frame, as far as the time that has passed.
MOTION = """([time, speed]) => new Promise((resolve) => {
    const began = performance.now();
    let before = began, place = scrollY, frames = 0;
    requestAnimationFrame(function step(now) {
        place += speed * (now - before);
        before = now;
        frames += 1;
        scrollTo(0, place);
        if (now - began < time * 1e3) requestAnimationFrame(step);
        else resolve(frames);
    });
})"""
# The viewer's elements, which are in the page before it is opened.
WITHOUT_VIEWER = "() => document.querySelector('#viewer').replaceChildren()"

CATEGORIES = ["toplevel", "blink", "cc", "v8", "devtools.timeline", "disabled-by-default-devtools.timeline"]
# The stages of a frame by the names of the trace's events. The rest is the browser's own housekeeping.
STAGES = {
    "script": ("FunctionCall", "EvaluateScript", "EventDispatch", "FireAnimationFrame", "TimerFire", "HandlePostMessage",
               "RunMicrotasks", "v8.callFunction"),
    "style": ("UpdateLayoutTree", "Document::updateStyle", "Document::recalcStyle"),
    "layout": ("Layout", "LocalFrameView::layout"),
    "paint": ("PrePaint", "Paint", "Layerize", "UpdateLayer", "PaintArtifactCompositor::Update"),
    "commit": ("Commit", "ProxyMain::BeginMainFrame::commit"),
    "garbage": ("MinorGC", "MajorGC", "V8.GCScavenger", "V8.GCFinalizeMC", "V8.GCIncrementalMarking",
                "BlinkGC.AtomicPauseMark"),
}
STAGE_OF = {name: stage for stage, names in STAGES.items() for name in names}


class Trace:
    """The events of the page's process while the block runs."""

    def __init__(self, session):
        self._session = session
        self._events: list[dict] = []
        self._ended = False
        session.on("Tracing.dataCollected", lambda part: self._events.extend(part["value"]))
        session.on("Tracing.tracingComplete", lambda _: setattr(self, "_ended", True))

    def __enter__(self):
        self._session.send("Tracing.start", {
            "transferMode": "ReportEvents", "traceConfig": {"includedCategories": CATEGORIES}})
        return self

    def __exit__(self, *_):
        self._session.send("Tracing.end")

    def read(self, page) -> dict[str, float]:
        """CPU milliseconds of the main thread by stage, and of workers; decoded images."""
        while not self._ended:
            page.wait_for_timeout(20)
        threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in self._events
                   if event.get("ph") == "M" and event["name"] == "thread_name"}
        count = collections.Counter((event["pid"], event["tid"]) for event in self._events)
        main = max((each for each, name in threads.items() if name == "CrRendererMain"), key=lambda each: count[each])
        found = self._stages(main)
        found["worker"] = sum(event["tdur"] for event in self._events if event.get("ph") == "X" and "tdur" in event
                              and "RunTask" in event["name"] and event["pid"] == main[0]
                              and threads.get((event["pid"], event["tid"]), "").startswith("DedicatedWorker")) / 1e3
        found["decodes"] = sum(event["name"] == "ImageDecodeTask" and event.get("ph") in "XB" for event in self._events)
        return found

    def _stages(self, thread) -> dict[str, float]:
        """The time of each event less that of the events within it, by stage."""
        spans = [event for event in self._events if (event["pid"], event["tid"]) == thread and event.get("ph") == "X"
                 and "tdur" in event]
        spans.sort(key=lambda event: (event["ts"], -event["dur"]))
        found: dict[str, float] = dict.fromkeys([*STAGES, "rest"], 0.0)
        open_spans: list[tuple[float, str]] = []
        for event in spans:
            while open_spans and open_spans[-1][0] <= event["ts"]:
                open_spans.pop()
            # An event without a stage of its own is part of the one around it.
            stage = STAGE_OF.get(event["name"]) or (open_spans[-1][1] if open_spans else "rest")
            found[stage] += event["tdur"] / 1e3
            if open_spans:
                found[open_spans[-1][1]] -= event["tdur"] / 1e3
            open_spans.append((event["ts"] + event["dur"], stage))
        return found


def visited(chromium, address: str, ready: str, screen: dict, layout: str, slowed: int, prepare: str | None, traced: bool):
    """CPU milliseconds of the main thread for each frame, and the number of frames; traced, the stages as well."""
    context = chromium.new_context(**screen)
    page = context.new_page()
    page.add_init_script(f"localStorage.setItem('tessera.layout', {json.dumps(layout)})")
    page.route("**/plain?*", lambda route: route.fulfill(
        content_type="text/html", body=scroll.PLAIN % {"count": scroll.COUNT, "needed": 4_000}))
    page.goto(address)
    page.wait_for_selector(ready)
    if prepare:
        page.evaluate(prepare)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.wait_for_timeout(1_500)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    before = scroll.metrics(session)
    stages: dict[str, float] = {}
    if traced:
        trace = Trace(session)
        with trace:
            frames = page.evaluate(MOTION, [TIME, SPEED])
        stages = {name: value / frames for name, value in trace.read(page).items()}
    else:
        frames = page.evaluate(MOTION, [TIME, SPEED])
    after = scroll.metrics(session)
    context.close()
    return {"task": 1e3 * (after["TaskDuration"] - before["TaskDuration"]) / frames, "frames": frames / TIME, **stages}


def run(report, options):
    with Tessera("--count", scroll.COUNT, "--latency", 0, "--fail", 0, "--hang", 0, command="demo") as ours, \
            browser() as chromium:
        base = f"http://127.0.0.1:{ours.port}"
        fronts = {"ours": (f"{base}/", ".slot[data-phase=displayed]"), "plain": (f"{base}/plain?columns=%d", "[data-ready]")}

        def visit(front: str, screen: dict, layout: str, slowed: int, prepare: str | None = None, traced: bool = False):
            address, ready = fronts[front]
            address = address.replace("%d", "8" if screen is scroll.DESKTOP else "3")
            return visited(chromium, address, ready, screen, layout, slowed, prepare, traced)

        def row(what: str, one: list[dict], other: list[dict], holds: bool | None, target: str):
            report.add("frames", what, "ms", median([each["task"] for each in one]),
                       median([each["task"] for each in other]), "plain grid", target=target, holds=holds,
                       samples=[each["task"] for each in one], peer_samples=[each["task"] for each in other],
                       frames_a_second=[each["frames"] for each in one],
                       frames_a_second_of_the_peer=[each["frames"] for each in other])

        for name, layout, screen in (("squares", "squares", scroll.DESKTOP), ("justified", "justified", scroll.DESKTOP),
                                     ("phone", "justified", scroll.PHONE)):
            visit("ours", screen, layout, 1)  # Makes the tiles.
            wait_until_idle(ours.pid)
            for slowed in SLOWED:
                rounds = [(visit("ours", screen, layout, slowed), visit("plain", screen, layout, slowed))
                          for _ in range(ROUNDS)]
                one, other = ([each[at] for each in rounds] for at in (0, 1))
                mine, plain = (median([each["task"] for each in some]) for some in (one, other))
                within = mine <= TARGET * plain and (slowed > 1 or mine <= BUDGET)
                row(f"{name}, slowed {slowed} times: a frame", one, other, within,
                    f"<= {TARGET} x" + (f" and {BUDGET:.0f} ms" if slowed == 1 else ""))
        bare = [visit("ours", scroll.DESKTOP, "justified", 1, WITHOUT_VIEWER) for _ in range(ROUNDS)]
        full = [visit("ours", scroll.DESKTOP, "justified", 1) for _ in range(ROUNDS)]
        report.add("frames", "justified: a frame without the viewer's elements", "ms",
                   median([each["task"] for each in bare]), median([each["task"] for each in full]), "with them")
        stages = {front: visit(front, scroll.DESKTOP, "justified", 1, traced=True) for front in fronts}
        for stage in (*STAGES, "rest", "worker", "decodes"):
            report.add("frames", f"justified, traced: {stage}", "1" if stage == "decodes" else "ms",
                       stages["ours"][stage], stages["plain"][stage] or None, "plain grid")
