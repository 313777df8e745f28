"""The first visit with cold caches: a folder of a camera's JPEGs, and an origin that is slow to respond. The server
is new for each, and browser, server and the peer share the machine's cores."""

import originals
from app import ON_SCREEN, PAINT, WINDOW
from fling.visit import LAYOUT, browser, measure_layout, prepare
from measuring import median
from origins import Origin
from peers import Tessera
from thumbnails import tiles_of_vipsthumbnail

ROUNDS, FILES = 5, 240
FLING, SECONDS = 10_000, 20

# When every slot on screen shows something of its own picture, and when its tile, in milliseconds since the page was
# requested. `far`: after a jump to another part of the gallery.
APPEARED = f"""(far) => new Promise((resolve) => {{
    let own;
    const look = () => {{
        const slots = {ON_SCREEN};
        const isThere = slots.length > 8 && (Math.min(...slots.map((slot) => Number(slot.dataset.index))) > 0) === far;
        const all = (...phases) => isThere && slots.every((slot) => phases.includes(slot.dataset.phase));
        if (own === undefined && all('preview', 'displayed')) own = performance.now();
        if (all('displayed')) resolve({{ own, shown: performance.now(), count: slots.length }});
        else requestAnimationFrame(look);
    }};
    look();
}})"""

GONE_TO_END = f"""() => {{
    window.gone = new Promise((resolve) => addEventListener('keydown', async () => {{
        const begun = performance.now();
        const {{ own, shown, count }} = await ({APPEARED})(true);
        resolve({{ own: own - begun, shown: shown - begun, count }});
    }}, {{ once: true, capture: true }}));
}}"""


def opened(chromium, server: Tessera, *scripts: str, order: str = ""):
    page = chromium.new_context(viewport=WINDOW, service_workers="block").new_page()
    page.set_default_timeout(60_000)
    for script in scripts:
        page.add_init_script(script)
    page.goto(f"http://127.0.0.1:{server.port}/{order}", wait_until="commit")
    return page


def visits(report, chromium):
    folder = originals.camera_pictures_with_thumbnails(FILES)
    for file in folder.iterdir():
        file.read_bytes()  # From memory, not from the disk.
    first, end, peer = [], [], []
    for _ in range(ROUNDS):
        with Tessera(folder) as ours:
            page = opened(chromium, ours)
            told = page.evaluate(APPEARED, False)
            paint = page.evaluate(PAINT)
            first.append([told["own"] - paint, told["shown"] - paint])
            page.evaluate(GONE_TO_END)
            page.keyboard.press("End")
            gone = page.evaluate("() => window.gone")
            end.append([gone["own"], gone["shown"]])
            page.context.close()
        peer.append(tiles_of_vipsthumbnail(folder, "avif", told["count"])["wall"] * 1e3)
    slots, beside = f"{told['count']} slots", "vipsthumbnail, all cores, the same files"
    for what, samples in (("after first paint", first), ("after End", end)):
        own, shown = ([sample[at] for sample in samples] for at in (0, 1))
        report.add("cold", f"folder, {slots}, {what}: previews", "ms", median(own), target="<= 150",
                   holds=median(own) <= 150, samples=own)
        report.add("cold", f"folder, {slots}, {what}: tiles", "ms", median(shown), median(peer), beside, "ratio <= 1.0",
                   median(shown) <= median(peer), samples=shown, peer_samples=peer)


def fling(report, chromium, what: str, server: Tessera) -> float:
    """Returns how many bytes came from origins."""
    with server as ours:
        ours.images(FLING)
        layout = measure_layout(chromium, ours.port, FLING)
        # Newest first, which becomes the default once the dates are known, has headings between the rows.
        page = opened(chromium, ours, LAYOUT, order="?sort=name")
        page.evaluate(APPEARED, False)
        prepare(page, layout)
        way = {"kind": "steady", "from": 0, "to": FLING / layout.columns * layout.pitch, "time": SECONDS * 1e3}
        told = page.evaluate("(way) => window.fling.run(way, 0)", way)
        page.context.close()
        fetched = ours.metric("tessera_origin_bytes_total")
        if told["last"] < 0.8 * FLING:
            raise RuntimeError(f"the fling came to {told['last']} of {FLING}")
    share = sum(own for own, _ in told["samples"]) / sum(slots for _, slots in told["samples"])
    report.add("cold", f"{what}: slots with their own in a fling", "%", 100 * share, target=">= 60", holds=share >= 0.6,
               better="more", samples=[100 * own / slots for own, slots in told["samples"]])
    return fetched


def fling_over_originals(report, chromium):
    """The same over an origin of a camera's originals, beside one that sends only whole files."""
    one = next(originals.camera_pictures_with_thumbnails(FILES).rglob("*.jpg"))
    megabytes = []
    for ranges in (True, False):
        with Origin("late", file=str(one), delay=0.2, ranges=ranges) as origin:
            what = f"origin of 200 ms, {one.stat().st_size / 1e6:.1f} MB a file{'' if ranges else ', no range support'}"
            megabytes.append(fling(report, chromium, what, Tessera(
                urls=(origin.url(f"/{number}.jpg") for number in range(FLING + 100)))) / 1e6)
    report.add("cold", "bytes from the origin in that fling", "MB", *megabytes, "the same without range support",
               samples=megabytes[:1], peer_samples=megabytes[1:])


def run(report, options):
    with browser() as chromium:
        visits(report, chromium)
        fling(report, chromium, "folder", Tessera(originals.shots(FLING + 100)))
        one = next(originals.shots(FLING + 100).rglob("*.jpg"))
        with Origin("late", file=str(one), delay=0.2) as origin:
            fling(report, chromium, "origin of 200 ms", Tessera(
                urls=(origin.url(f"/{number}.jpg") for number in range(FLING + 100))))
        fling_over_originals(report, chromium)
