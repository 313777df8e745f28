"""One page of one front over one link, in a browser context of its own, without any earlier state."""

import contextlib
import os
import pathlib
import time

from fling.fronts import BLOCK, FRONTS, Layout, Pictures
from fling.link import Conditions, Link
from fling.motions import Shape, motion
from fling.readings import Reading, read
from fling.wire import Tape

HERE = pathlib.Path(__file__).parent
CHROMIUM = os.environ.get("TESSERA_CHROMIUM", "/usr/bin/chromium")
WIDTH = 1280
# Device pixels per CSS pixel, so that a slot needs our `tile`: for fewer pixels ours would show a smaller rendition,
# and be measured with other bytes than its peers.
SCALE = 1.25
# The layout that a person has chosen in our page: squares, like the peers, in the second of five sizes, which gives
# eight columns.
LAYOUT = "localStorage.setItem('tessera.layout', 'squares'); localStorage.setItem('tessera.density', '1')"


# Seconds beyond a round trip after which nothing arrives any more, and for which a person looks at a screen.
QUIET, LOOK = 0.25, 1.5


@contextlib.contextmanager
def browser(*words: str):
    """Chromium with custom options."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        # Inside a container, Chromium cannot create its own sandbox.
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *words])
        yield chromium
        chromium.close()


def measure_layout(chromium, port: int, total: int) -> Layout:
    """Our page determines the positions of slots, and the peers use the same layout."""
    context = chromium.new_context(viewport={"width": WIDTH, "height": 860}, device_scale_factor=SCALE)
    page = context.new_page()
    page.add_init_script(LAYOUT)
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_selector(".slot[data-index]")
    found = page.evaluate("""() => {
        const grid = document.getElementById('grid');
        const style = getComputedStyle(grid);
        const box = document.querySelector('.slot[data-index]').getBoundingClientRect();
        return { columns: Number(grid.getAttribute('aria-colcount')), tile: parseFloat(style.getPropertyValue('--tile')),
                 gap: parseFloat(style.getPropertyValue('--gap')) || 4, top: grid.offsetTop, edge: box.left };
    }""")
    context.close()
    return Layout(total=total, **found)


def prepare(page, layout: Layout):
    """Gives a page `window.fling`."""
    page.evaluate((HERE / "fling.js").read_text())
    page.evaluate("(layout) => window.fling.lay(layout)", layout.told())


class Visit:
    """A page that was opened over a shaped link."""

    def __init__(self, chromium, front: str, link: Link, shape: Shape, layout: Layout, pictures: Pictures,
                 secrets: pathlib.Path):
        self.front, self.link, self.shape, self.layout, self.pictures = FRONTS[front], link, shape, layout, pictures
        link.shape(shape.conditions)
        link.tape()
        self.tape = Tape(pictures.slots, secrets, BLOCK)
        height = layout.top + layout.height
        self.context = chromium.new_context(
            viewport={"width": WIDTH, "height": round(height)}, device_scale_factor=SCALE)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        if self.front.is_ours:
            self.page.add_init_script(LAYOUT)
        if shape.slowed > 1:
            self.context.new_cdp_session(self.page).send("Emulation.setCPUThrottlingRate", {"rate": shape.slowed})
        scheme = "http" if self.front.server in ("ours", "plain") else "https"
        page = f"{self.front.page}.html" if self.front.page else ""
        self.page.goto(f"{scheme}://127.0.0.1:{link.port}/{page}", wait_until="commit")
        self._ready()

    def _ready(self):
        self.page.wait_for_selector(".slot[data-index]", state="attached")
        self.page.wait_for_load_state("domcontentloaded")
        prepare(self.page, self.layout)

    def reload(self):
        self.page.reload(wait_until="commit")
        self._ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()
        self.drain(0.1)

    def drain(self, quiet: float | None = None, patience: float | None = None):
        """Waits until nothing arrives any more, which takes a round trip to know, or for as long as a person looks
        at a screen."""
        quiet = self.shape.round_trip + QUIET if quiet is None else quiet
        patience = 2 * quiet + LOOK if patience is None else patience
        since = until = time.monotonic()
        while until - since < quiet and patience > 0:
            time.sleep(0.05)
            patience -= 0.05
            until = time.monotonic()
            # A ping, or a message about the link, is no picture.
            if self.tape.add(self.link.tape()) > 256:
                since = until

    def go_to(self, y: float):
        """Goes to a place, and waits until its tiles have arrived. For a peer, everything in flight arrives at once;
        our stream must not measure any other link than the one under test. From here on every connection has been
        idle."""
        if not self.front.is_ours:
            self.link.shape(Conditions())
        end = self.page.evaluate("([y, patience]) => window.fling.goTo(y, patience)", [y, 30_000])
        if end["settled"] is None:
            raise RuntimeError(f"{self.front.label} does not settle at {y}: {end}")
        self.drain()
        self.link.shape(self.shape.conditions)

    def fling(self, name: str, patience: float) -> Reading:
        plan = motion(name, self.layout)
        self.go_to(plan["from"])
        told = self.page.evaluate(
            "([plan, patience]) => window.fling.run(plan, patience)", [plan, patience * 1e3])
        time.sleep(0.05)
        self.tape.add(self.link.tape())
        self._believe()
        return read(told, self.tape, self.shape, self.pictures)

    def _believe(self):
        """Verifies that a peer does not fall back to something weaker, which would be too easy to beat, and that
        ours shows no smaller pictures."""
        if self.front.is_ours:
            kinds = {message.kind for message in self.tape.messages()} - {"preview"}
            if kinds != {"tile"}:
                raise RuntimeError(f"{self.front.label}: other renditions than its peers: {kinds}")
        if not self.front.is_http2:
            return
        exchanges = self.tape.exchanges()
        if not any(one.path.startswith("/tiles/") and one.status == 200 for one in exchanges):
            raise RuntimeError(f"{self.front.label}: no tile came over HTTP/2")
        if self.front.page == "tuned" and not any(one.path.startswith("/previews/") for one in exchanges):
            raise RuntimeError(f"{self.front.label}: no previews came in blocks")
