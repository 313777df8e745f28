"""What cancelling saves: one fling with cold caches, by our page and by a client that takes everything it has passed."""

import dataclasses
import http.client
import threading
import time

from measuring import cpu_seconds
from peers import Nginx, Tessera

from fling.fronts import ACCEPT, Pictures
from fling.link import Link
from fling.motions import SHAPES, motion
from fling.pictures import COUNT, numbered_pictures

COUNTED = {"origin fetches": "tessera_origin_fetches_total", "renders": "tessera_loading_renders_begun_total"}
# As many as a browser opens to one host.
CONNECTIONS = 6
Motion = tuple[float | None, int]
"""Seconds from the stop until all that is on screen is there, and bytes."""


def _figures(ours: Tessera) -> dict[str, float]:
    lines = ours.request("GET", "/metrics")[1].decode().splitlines()
    known = dict(line.split() for line in lines if line and not line.startswith("#") and "{" not in line)
    return {name: float(known[metric]) for name, metric in COUNTED.items()}


def _measured(on, origin: Nginx, move) -> dict[str, float]:
    """What `move` costs, given the stage, the images and the link to a server that has nothing in its caches."""
    urls = [f"http://127.0.0.1:{origin.port}/{number:05}.jpg" for number in range(COUNT)]
    with Tessera(urls=urls) as ours, Link(ours.port) as link:
        images = ours.images(COUNT)
        cold = dataclasses.replace(
            on, ours=ours, links={**on.links, "ours": link},
            pictures=Pictures({image["id"]: image["index"] for image in images}, on.pictures.tiles,
                              on.pictures.previews))
        before, cpu = {}, 0.0

        def begin():
            nonlocal before, cpu
            before, cpu = _figures(ours), cpu_seconds(ours.pid)

        settle, size = move(cold, images, link, begin)
        spent = cpu_seconds(ours.pid) - cpu
        after = _figures(ours)
    return dict(settle=1e3 * (settle or 60), cpu=spent, bytes=size / 1e6,
                **{name: after[name] - before[name] for name in COUNTED})


def _page(on, images: list[dict], link: Link, begin) -> Motion:
    with on.visit("ours", SHAPES[0]) as page:
        page.go_to(20 * on.layout.pitch)
        begin()
        one = page.fling("abrupt", 60)
        page.drain(1, 40)
    return one.settle, one.all


def _patient(on, images: list[dict], link: Link, begin) -> Motion:
    """Asks for the tile of each slot when the fling passes it, and waits for all of them, the first passed first: as a
    page of plain images does, whose requests are never given up."""
    link.shape(SHAPES[0].conditions)
    layout, moves = on.layout, motion("abrupt", on.layout)
    first, last = (round(moves[end] / layout.pitch) * layout.columns for end in ("from", "to"))
    passed = images[first : last + layout.slots]
    seconds = moves["time"] / 1e3
    begin()
    start, lock, asked, arrived = time.monotonic(), threading.Lock(), iter(enumerate(passed)), {}

    def due(number: int) -> float:
        return start + seconds * min(1, max(0, number - layout.slots) / max(1, last - first))

    def take():
        connection = http.client.HTTPConnection("127.0.0.1", link.port, timeout=120)
        while True:
            with lock:
                number, image = next(asked, (None, None))
            if image is None:
                break
            time.sleep(max(0, due(number) - time.monotonic()))
            connection.request("GET", image["links"]["tile"], headers={"Accept": ACCEPT})
            response = connection.getresponse()
            content = response.read()
            if response.status != 200:
                raise RuntimeError(f"{image['name']}: {response.status} {content[:200]!r}")
            with lock:
                arrived[number] = (time.monotonic(), len(content))
        connection.close()

    threads = [threading.Thread(target=take) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(arrived) < len(passed):
        return None, 0
    shown = [arrived[number][0] for number in range(len(passed) - layout.slots, len(passed))]
    return max(shown) - start - seconds, sum(size for _, size in arrived.values())


def run(report, on):
    folder = numbered_pictures()
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    with Nginx(files, "image/jpeg") as origin:
        kept, let_go = (_measured(on, origin, move) for move in (_patient, _page))
    units = {"settle": "ms", "cpu": "s", "bytes": "MB"}
    for name in kept:
        report.add("fling", f"cold caches, abrupt stop: {name}", units.get(name, ""), let_go[name], kept[name],
                   "without cancelling")
