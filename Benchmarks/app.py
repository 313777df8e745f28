"""The page as people use it: opened over a slow link, flung through a million pictures on a slow processor, and from
picture to picture in the viewer."""

import os
import subprocess
import time

import originals
from fling.link import Conditions, Link
from fling.pictures import numbered_pictures
from fling.visit import browser
from measuring import median, percentile
from peers import Tessera

RATE, ROUND_TRIP = 1.6e6, 0.15
OPENINGS, TURNS = 5, 12
MILLION = 1_000_000
WINDOW = {"width": 1280, "height": 860}

ON_SCREEN = """(() => [...document.querySelectorAll('.slot[data-index]')].filter((slot) => {
    const { top, bottom, height } = slot.getBoundingClientRect();
    return height > 0 && bottom > 52 && top < innerHeight;
}))()"""

# When every slot on screen has its picture, in milliseconds since the page was requested.
SETTLED = f"""() => new Promise((resolve) => {{
    const look = () => {{
        const slots = {ON_SCREEN};
        if (slots.length > 8 && slots.every((slot) => slot.dataset.phase === 'displayed')) resolve(performance.now());
        else requestAnimationFrame(look);
    }};
    look();
}})"""

PAINT = """() => new Promise((resolve) => new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint) resolve(paint.startTime);
}).observe({ type: 'paint', buffered: true }))"""
CATALOG = """() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/images'))[0].startTime"""

# When the service worker controls the page and has stored it.
STORED = """async () => {
    await navigator.serviceWorker.ready;
    const isStored = async () => navigator.serviceWorker.controller && (await caches.match('/', { ignoreVary: true }));
    while (!(await isStored())) await new Promise((done) => setTimeout(done, 50));
}"""

# Scrolls with the wheel like a hand, for ten seconds: the time of each frame, and each task longer than 50 ms.
FRAMES = """(milliseconds) => new Promise((resolve) => {
    const frames = [], tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: 'longtask' });
    const begun = performance.now();
    let before = begun;
    const next = (now) => {
        frames.push(now - before);
        before = now;
        if (now - begun < milliseconds) requestAnimationFrame(next);
        else { observer.disconnect(); resolve({ frames: frames.slice(1), tasks }); }
    };
    requestAnimationFrame(next);
})"""

# The time from the key press until the next picture is displayed, as sharp as the window shows it.
TURN = """() => new Promise((resolve) => {
    addEventListener('keydown', () => {
        const begun = performance.now();
        const count = document.querySelector('#viewer-count');
        const before = count.textContent;
        const look = () => {
            const isThere = document.querySelector('.frame[data-place=current][data-phase=displayed]');
            if (count.textContent !== before && isThere) requestAnimationFrame(() => resolve(performance.now() - begun));
            else requestAnimationFrame(look);
        };
        look();
    }, { once: true, capture: true });
})"""


def step_back(server: Tessera):
    """The processor is slowed like a phone's. The server, which would run elsewhere, gets the lowest priority."""
    workers = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True).stdout.split()
    for process in [server.pid, *map(int, workers)]:
        for thread in os.listdir(f"/proc/{process}/task"):
            os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))


def opening(report, chromium):
    """A browser without any cache; the server has the tiles."""
    with Tessera(numbered_pictures()) as ours, Link(ours.port) as link:
        page_bytes = len(ours.request("GET", "/", **{"Accept-Encoding": "br"})[1])
        samples = []
        for round in range(OPENINGS + 1):
            link.shape(Conditions(RATE, ROUND_TRIP) if round else Conditions())
            context = chromium.new_context(viewport=WINDOW, service_workers="block")
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.goto(f"http://127.0.0.1:{link.port}/healthz")
            nothing = page.evaluate(PAINT)
            context.close()
            context = chromium.new_context(viewport=WINDOW, service_workers="block")
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.goto(f"http://127.0.0.1:{link.port}/", wait_until="commit")
            settled = page.evaluate(SETTLED)
            paint = page.evaluate(PAINT)
            page.reload(wait_until="commit")
            page.evaluate(SETTLED)
            if round:
                samples.append([paint, settled, page.evaluate(CATALOG), nothing])
            context.close()
        again = [revisited(chromium, link) for _ in range(OPENINGS)]
    paint, settled, catalog, nothing = (median(sample[at] for sample in samples) / 1e3 for at in range(4))
    # A round trip to connect and one for the request.
    limit = 2 * ROUND_TRIP + page_bytes / (RATE / 8)
    report.add("app", "opened over 1.6 Mbit/s, 150 ms: first paint", "s", paint, limit, "2 round trips and its bytes",
               "", None, samples=samples, page=page_bytes)
    report.add("app", "the same beside a page of one word", "s", paint, nothing, "a page of one word", "", None)
    report.add("app", "all pictures on screen", "s", settled, target="<= 3.0", holds=settled <= 3)
    report.add("app", "reloaded: until the catalog is asked for", "s", catalog, ROUND_TRIP, "a round trip", "", None)
    paint, catalog = (median(sample[at] for sample in again) / 1e3 for at in range(2))
    report.add("app", "visited again: first paint", "s", paint, nothing, "a page of one word", "", None, samples=again)
    report.add("app", "visited again: until the catalog is asked for", "s", catalog, ROUND_TRIP, "a round trip", "", None)


def revisited(chromium, link: Link) -> tuple[float, float]:
    """Milliseconds until the first paint and until the catalog is asked for, once the service worker has stored the
    page."""
    link.shape(Conditions())
    context = chromium.new_context(viewport=WINDOW)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"http://127.0.0.1:{link.port}/")
    page.evaluate(SETTLED)
    page.evaluate(STORED)
    page.goto("about:blank")
    link.shape(Conditions(RATE, ROUND_TRIP))
    page.goto(f"http://127.0.0.1:{link.port}/", wait_until="commit")
    page.evaluate(SETTLED)
    paint, catalog = page.evaluate(PAINT), page.evaluate(CATALOG)
    context.close()
    return paint, catalog


def flinging(report, chromium):
    with Tessera("--count", MILLION, "--latency", 5, "--fail", 0, "--hang", 0, command="demo") as ours:
        context = chromium.new_context(viewport=WINDOW, service_workers="block")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{ours.port}/#at=500000")
        page.evaluate(SETTLED)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
        step_back(ours)
        page.mouse.move(600, 400)
        page.evaluate(f"() => {{ window.told = ({FRAMES})(10_000); }}")
        end = time.monotonic() + 10
        turn = 0
        while time.monotonic() < end:
            # A flick of some notches, and a moment of rest.
            page.mouse.wheel(0, 900 if turn % 24 < 16 else 0)
            time.sleep(0.03)
            turn += 1
        told = page.evaluate("() => window.told")
        context.close()
    frames, tasks = told["frames"], told["tasks"] or [0]
    slow = percentile(frames, 0.95)
    report.add("app", "frames of a fling, processor slowed 4 times, p95", "ms", slow, target="<= 20", holds=slow <= 20,
               frames=frames)
    report.add("app", "its longest task", "ms", max(tasks), target="<= 50", holds=max(tasks) <= 50, tasks=tasks)


def turning(report, chromium):
    with Tessera(originals.camera_pictures()) as ours:
        context = chromium.new_context(viewport=WINDOW, service_workers="block")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{ours.port}/")
        page.locator('.slot[data-index="1"]').click()
        page.wait_for_selector(".frame[data-place=current][data-phase=displayed]")

        def turned(key: str) -> float:
            page.evaluate(f"() => {{ window.turned = ({TURN})(); }}")
            page.keyboard.press(key)
            return page.evaluate("() => window.turned")

        # Pictures that were never rendered, far away; then, back at the beginning, prefetched neighbours.
        cold = turned("End")
        turned("Home")
        samples = []
        for _ in range(TURNS):
            page.wait_for_selector(".frame[data-place=next][data-phase=displayed]", state="attached")
            samples.append(turned("ArrowRight"))
        context.close()
    warm = median(samples)
    report.add("app", "viewer: key to the next picture, sharp, warm", "ms", warm, target="<= 50", holds=warm <= 50, samples=samples)
    report.add("app", "cold, a local JPEG of 12 to 24 megapixels", "ms", cold, target="<= 250", holds=cold <= 250)


def run(report, options):
    with browser() as chromium:
        opening(report, chromium)
        flinging(report, chromium)
        turning(report, chromium)
