"""What cancelling saves: one fling with all caches cold, as always and with a server that finishes whatever it was asked."""

import dataclasses

from measuring import cpu_seconds
from peers import Nginx, Tessera

from fling.fronts import Pictures
from fling.link import Link
from fling.motions import SHAPES
from fling.pictures import COUNT, numbered_pictures

COUNTED = {"origin fetches": "tessera_origin_fetches_total", "renders": "tessera_loading_renders_begun_total"}


def _figures(ours: Tessera) -> dict[str, float]:
    lines = ours.request("GET", "/metrics")[1].decode().splitlines()
    known = dict(line.split() for line in lines if line and not line.startswith("#") and "{" not in line)
    return {name: float(known[metric]) for name, metric in COUNTED.items()}


def _fling(on, origin: Nginx, keeps: bool) -> dict[str, float]:
    urls = [f"http://127.0.0.1:{origin.port}/{number:05}.jpg" for number in range(COUNT)]
    environment = {"TESSERA_KEEP_CANCELLED": "1"} if keeps else {}
    with Tessera(urls=urls, environment=environment) as ours, Link(ours.port) as link:
        slots = {image["id"]: image["index"] for image in ours.images(COUNT)}
        cold = dataclasses.replace(
            on, ours=ours, links={**on.links, "ours": link},
            pictures=Pictures(slots, on.pictures.tiles, on.pictures.previews))
        with cold.visit("ours", SHAPES[0]) as page:
            page.go_to(20 * on.layout.pitch)
            before, cpu = _figures(ours), cpu_seconds(ours.pid)
            one = page.fling("abrupt", 60)
            page.drain(1, 40)
            spent = cpu_seconds(ours.pid) - cpu
            after = _figures(ours)
    return dict(settle=1e3 * (one.settle or 60), cpu=spent, bytes=one.all / 1e6,
                **{name: after[name] - before[name] for name in COUNTED})


def run(report, on):
    folder = numbered_pictures()
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    with Nginx(files, "image/jpeg") as origin:
        kept, let_go = (_fling(on, origin, keeps) for keeps in (True, False))
    units = {"settle": "ms", "cpu": "s", "bytes": "MB"}
    for name in kept:
        report.add("fling", f"cold caches, abrupt stop: {name}", units.get(name, ""), let_go[name], kept[name],
                   "without cancelling")
