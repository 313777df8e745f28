"""The page's main thread while the mouse wheel turns 40 times by 900 px, compared with a plain virtualised grid in the
same browser, over the same tiles. It measures CPU time, not wall-clock time, so other load on the machine matters
little."""

import json
import time

from fling.visit import browser
from measuring import median, wait_until_idle
from peers import Tessera

COUNT, TURNS, WAY, PAUSE = 20_000, 40, 900, 0.06
ROUNDS = 3
DESKTOP = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
# The browser's counters: seconds since the page was opened.
SHARES = {"task": "TaskDuration", "script": "ScriptDuration", "style": "RecalcStyleDuration", "layout": "LayoutDuration"}
TARGET = 2.0

# The minimal page that shows the same pictures: it only moves images and changes their addresses.
PLAIN = """<!doctype html><meta charset=utf-8><title>plain</title>
<style>body{margin:0}#grid{position:relative}img{position:absolute;top:0;left:0;object-fit:cover}</style><div id=grid></div>
<script type=module>
const columns = Number(new URLSearchParams(location.search).get('columns'));
const side = Math.floor(innerWidth / columns), total = %(count)d, page = 500, links = [];
for (let offset = 0; offset < %(needed)d; offset += page) {
  const { images } = await (await fetch(`/api/v1/images?offset=${offset}&limit=${page}`)).json();
  links.push(...images.map((image) => image.links.tile));
}
const grid = document.querySelector('#grid');
grid.style.height = `${Math.ceil(total / columns) * side}px`;
const rows = Math.ceil(innerHeight / side) + 4;
const images = Array.from({ length: rows * columns }, () => {
  const image = new Image(side - 4, side - 4);
  grid.append(image);
  return image;
});
const shown = new Int32Array(images.length).fill(-1);
const show = () => {
  const first = Math.max(0, Math.floor(scrollY / side) - 2);
  for (let row = first; row < first + rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const index = row * columns + column, at = index %% images.length;
      if (shown[at] === index) continue;
      shown[at] = index;
      images[at].src = links[index %% links.length];
      images[at].style.transform = `translate(${column * side}px, ${row * side}px)`;
    }
  }
};
addEventListener('scroll', show, { passive: true });
show();
document.documentElement.dataset.ready = '';
</script>"""


def measured(chromium, address: str, screen: dict, prepare: str, ready: str) -> dict[str, float]:
    """Seconds of the main thread from the first turn of the wheel until everything has come to rest."""
    context = chromium.new_context(**screen)
    page = context.new_page()
    page.add_init_script(prepare)
    page.route("**/plain?*", lambda route: route.fulfill(
        content_type="text/html", body=PLAIN % {"count": COUNT, "needed": 2_000}))
    page.goto(address)
    page.wait_for_selector(ready)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.wait_for_timeout(1_500)
    before = metrics(session)
    for _ in range(TURNS):
        session.send("Input.dispatchMouseEvent", {
            "type": "mouseWheel", "x": 200, "y": 400, "deltaX": 0, "deltaY": WAY})
        time.sleep(PAUSE)
    page.wait_for_timeout(1_500)
    after = metrics(session)
    context.close()
    return {name: after[metric] - before[metric] for name, metric in SHARES.items()}


def metrics(session) -> dict[str, float]:
    return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}


def run(report, options):
    with Tessera("--count", COUNT, "--latency", 0, "--fail", 0, "--hang", 0, command="demo") as ours, browser() as chromium:
        base = f"http://127.0.0.1:{ours.port}"
        for name, layout, screen in (("squares", "squares", DESKTOP), ("justified", "justified", DESKTOP),
                                     ("phone", "justified", PHONE)):
            prepare = f"localStorage.setItem('tessera.layout', {json.dumps(layout)})"
            columns = 8 if screen is DESKTOP else 3
            samples: dict[str, list[dict]] = {"ours": [], "plain": []}
            # The first visit makes the tiles.
            for round in range(ROUNDS + 1):
                for front, address, ready in (("ours", f"{base}/", ".slot[data-phase=displayed]"),
                                              ("plain", f"{base}/plain?columns={columns}", "[data-ready]")):
                    found = measured(chromium, address, screen, prepare, ready)
                    if round > 0:
                        samples[front].append(found)
                wait_until_idle(ours.pid)
            for share in SHARES:
                one, other = (median([each[share] for each in samples[front]]) for front in ("ours", "plain"))
                isAll = share == "task"
                report.add("scroll", f"{name}: {share}", "s", one, other, "plain grid", target=f"{TARGET} x" if isAll else "",
                           holds=one <= TARGET * other if isAll else None,
                           samples=[each[share] for each in samples["ours"]],
                           peer_samples=[each[share] for each in samples["plain"]])
