"""The render workers: how soon a permit is usable again after a cancel or a crash, what a fling over unrendered
pictures costs, and what rendering leaves for cached tiles."""

import concurrent.futures
import http.client
import os
import pathlib
import random
import signal
import time

import originals
from fling.visit import browser
from measuring import cpu_seconds, family, median, memory_megabytes, percentile, wait_until_idle
from peers import Tessera

ROUNDS, HEICS = 20, 1_000
# How libvips saves a picture of 12 megapixels in each format.
SAVED_AS = {
    "jpeg": "jpg[Q=90]", "jpeg, progressive": "jpg[Q=90,interlace]", "png": "png", "png, interlaced": "png[interlace]",
    "webp": "webp", "heic": "heic[compression=hevc,Q=60]", "avif": "avif[effort=0,Q=60]",
    "tiff": "tif[compression=deflate]", "gif": "gif", "jxl": "jxl[effort=1]"}
HEAVY = ("jpeg, progressive", "svg")
ENDLESS = """<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><filter id="f"><feTurbulence
baseFrequency="0.05" numOctaves="1000000"/></filter><rect width="300" height="300" filter="url(#f)"/></svg>"""
SMALL = """<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>"""


def run(report, options):
    places(report)
    cached_beside(report)
    fling(report)


def samples() -> pathlib.Path:
    def make(folder: pathlib.Path):
        source = sorted(originals.camera_pictures().iterdir())[0]
        originals.vips("resize", source, folder / "scene.v", 4032 / 6048)
        for name, suffix in SAVED_AS.items():
            end, _, options = suffix.partition("[")
            originals.vips("copy", folder / "scene.v", folder / f"{name}.{end}{'[' + options if options else ''}")
        (folder / "scene.v").unlink()
        (folder / "svg.svg").write_text(ENDLESS)
    return originals.made("formats", make)


def rounds_of(sample: pathlib.Path) -> pathlib.Path:
    """Names of one slow picture, and names of a quick one that needs the same kind of permit."""
    def make(folder: pathlib.Path):
        slow, quick = folder / f"slow-000{sample.suffix}", folder / f"quick-000.{'svg' if sample.stem in HEAVY else 'png'}"
        slow.write_bytes(sample.read_bytes())
        if sample.stem in HEAVY:
            quick.write_text(SMALL)
        else:
            originals.vips("black", quick, 8, 8)
        for number in range(1, 2 * ROUNDS + 9):
            for first in (slow, quick):
                (folder / f"{first.stem[:-3]}{number:03}{first.suffix}").hardlink_to(first)
    return originals.made(f"rounds-{2 * ROUNDS + 9}-{sample.stem.replace(', ', '-')}", make)


def places(report):
    """One permit of each kind: a request waits for it, and its holder is cancelled, or crashes."""
    chance, cancels, deaths = random.Random(5), {}, {}
    for sample in sorted(samples().iterdir()):
        with Tessera(rounds_of(sample), "--workers", "1") as ours:
            images = {image["name"].split(".")[0]: image["id"] for image in ours.images(2 * (2 * ROUNDS + 9))}
            begun = time.monotonic()
            if sample.stem == "svg":
                usual = 1.0
            else:
                ours.request("GET", f"/images/{images['slow-000']}/tile", Accept="image/jpeg")
                usual = time.monotonic() - begun
            numbers = iter(range(1, 2 * ROUNDS + 2))
            alone = median([quick(ours, images, number) for number in range(2 * ROUNDS + 2, 2 * ROUNDS + 9)])
            cancels[sample.stem], deaths[sample.stem] = (
                [place - alone for _ in range(ROUNDS)
                 if (place := after(ours, images, next(numbers), chance.uniform(0.1, 0.8) * usual, end)) is not None]
                for end in (cancel, kill))
    # The time that the next one takes by itself does not count.
    for what, measured in (("cancel", cancels), ("death of its worker", deaths)):
        worst = {name: max(values) for name, values in measured.items() if values}
        slowest = max(worst, key=worst.get)
        target = 60 if what == "cancel" else 50
        report.add("workers", f"{what} to the next one at its place, worst", "ms", worst[slowest], target=f"<= {target}",
                   holds=worst[slowest] <= target, format=slowest, worst=worst,
                   medians={name: median(values) for name, values in measured.items() if values}, samples=measured)


def quick(ours: Tessera, images: dict[str, str], number: int) -> float:
    begun = time.monotonic()
    ours.request("GET", f"/images/{images[f'quick-{number:03}']}/tile", Accept="image/jpeg")
    return (time.monotonic() - begun) * 1e3


def after(ours: Tessera, images: dict[str, str], number: int, delay: float, end) -> float | None:
    """The milliseconds from the end of a job in mid-decode to the response for the one that waited for its permit;
    None if the job was done before."""
    issued = ours.post("/api/v1/tokens", {
        "rendition": "tile", "slots": [{"slot": 0, "image": images[f"slow-{number:03}"]}]}, Accept="image/jpeg")
    time.sleep(delay)
    waiting = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)
    waiting.request("GET", f"/images/{images[f'quick-{number:03}']}/tile", headers={"Accept": "image/jpeg"})
    time.sleep(0.004)
    moment = time.monotonic()
    is_done = not end(ours, issued)
    response = waiting.getresponse()
    response.read()
    took = (time.monotonic() - moment) * 1e3
    if response.status != 200:
        raise RuntimeError(f"{number}: {response.status}")
    if end is kill:
        cancel(ours, issued)
    return None if is_done else took


def cancel(ours: Tessera, issued: dict) -> bool:
    token = issued["tokens"][0]["token"]
    return ours.post("/api/v1/tokens/cancel", {"session": issued["session"], "tokens": [token]})["cancelled"] == 1


def kill(ours: Tessera, issued: dict) -> bool:
    """Kills the running worker, like a crash: of several, the one that has run longest, because another may be
    starting."""
    running = []
    for worker in family(ours.pid)[1:]:
        fields = pathlib.Path(f"/proc/{worker}/stat").read_text().rsplit(")", 1)[1].split()
        if fields[0] == "R":
            running.append((int(fields[11]) + int(fields[12]), worker))
    if running:
        os.kill(max(running)[1], signal.SIGKILL)
    return bool(running)


def cached_beside(report):
    """The 99th percentile for cached tiles, idle and while every worker renders pictures of 24 megapixels."""
    large = [file for file in sorted(originals.camera_pictures().iterdir())][:60]
    folder = originals.made("large-60", lambda folder: [(folder / file.name).write_bytes(file.read_bytes()) for file in large])
    found = {"idle": [], "rendering": []}
    with Tessera(originals.small_pictures(60), folder) as ours, concurrent.futures.ThreadPoolExecutor(4) as pool:
        images = ours.images(120)
        small, cold = images[:60], images[60:]
        connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)

        def tile(image: dict, connection=connection) -> float:
            begun = time.perf_counter()
            connection.request("GET", f"/images/{image['id']}/tile", headers={"Accept": "image/jpeg"})
            connection.getresponse().read()
            return (time.perf_counter() - begun) * 1e3

        for image in small:
            tile(image)
        wait_until_idle(ours.pid)
        for _ in range(6):
            found["idle"].append(percentile([tile(small[n % 60]) for n in range(1_000)], 0.99))
            batch, cold = cold[:10], cold[10:]
            asked = [pool.submit(ours.request, "GET", f"/images/{image['id']}/screen", Accept="image/jpeg") for image in batch]
            times = []
            while not all(answer.done() for answer in asked):
                times.append(tile(small[len(times) % 60]))
            found["rendering"].append(percentile(times, 0.99))
            wait_until_idle(ours.pid)
    busy, idle = median(found["rendering"]), median(found["idle"])
    report.add("workers", "p99 of cached tiles, all workers rendering", "ms", busy, idle, "idle", "ratio <= 1.2",
               busy <= 1.2 * idle, samples=found)


def heics() -> pathlib.Path:
    def make(folder: pathlib.Path):
        files = sorted(originals.camera_pictures().iterdir())[:8]
        for number, file in enumerate(files):
            originals.vips("thumbnail", file, folder / f"IMG_{number:04}.heic[compression=hevc,Q=60]", 4032)
        for number in range(len(files), HEICS):
            (folder / f"IMG_{number:04}.heic").hardlink_to(folder / f"IMG_{number % len(files):04}.heic")
    return originals.made(f"heics-{HEICS}", make)


def fling(report):
    """A browser flings over a thousand pictures that were never rendered, and back."""
    with Tessera(heics()) as ours, browser() as chromium:
        ours.images(HEICS)
        wait_until_idle(ours.pid)
        page = chromium.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"http://127.0.0.1:{ours.port}/")
        page.wait_for_selector(".slot[data-phase=displayed]")
        before, cpu = ours.json("/api/v1/status")["workers"], cpu_seconds(ours.pid)
        for way in ("1", "0"):
            page.evaluate(FLING, float(way))
        page.wait_for_function(
            "() => [...document.querySelectorAll('.slot[data-index]')].slice(0, 12).every((s) => s.dataset.phase === 'displayed')",
            timeout=120_000)
        status, used = ours.json("/api/v1/status"), cpu_seconds(ours.pid) - cpu
        workers = status["workers"]
    started = workers["started"] - before["started"]
    report.add("workers", f"a fling over {HEICS:,} cold HEICs and back: starts", "", started, target="<= 50", holds=started <= 50,
               cpu=used, kills=workers["kills"] - before["kills"], left=workers["left"] - before["left"],
               renders=status["loading"]["rendersBegun"])
    report.add("workers", "the same: CPU", "s", used)


# Scrolls to one end of the page in two seconds, and rests there for 0.3 s.
FLING = """(end) => new Promise((done) => {
  const from = scrollY, to = end * (document.documentElement.scrollHeight - innerHeight), begun = performance.now();
  const step = () => {
    const share = Math.min(1, (performance.now() - begun) / 2000);
    scrollTo(0, from + (to - from) * share);
    if (share < 1) requestAnimationFrame(step); else setTimeout(done, 300);
  };
  requestAnimationFrame(step);
})"""
