"""Three thousand clients request one cold picture through all nodes at once: how often it is made, and how long that
takes."""

import time
import zlib

import originals
from crowd import Crowd
from measuring import median, percentile
from origins import Origin
from peers import Tessera

from .nodes import NODES, Cluster

CLIENTS, DELAY = 3_000, 0.2
# The time to connect the crowds.
GATHERING = 3.0


def run(report, options):
    rounds = 2 if options.quick else 4
    picture = originals.twelve_megapixels()
    folder = originals.names_of(picture, rounds)
    paths = [f"/{number}.jpg" for number in range(rounds)]
    with Origin("delay", delay=DELAY, file=str(picture)) as origin:
        urls = [origin.url(path) for path in paths]
        # A single node with one client.
        with Tessera(folder, "--no-examine", urls=urls) as alone:
            tiles, times = one_by_one(alone, 2 * rounds)
        if len(tiles) != 1:
            raise RuntimeError("tiles of one picture differ")
        (tile,) = tiles
        expected = {name: count for name, count in origin.facts()["counts"].items()}
        with Cluster(folder, urls=urls) as cluster:
            images = cluster.images(2 * rounds)
            found: dict[str, list[dict]] = {"file": [], "remote": []}
            for image in images:
                name = "/" + image["name"]
                before = cluster.sum("loading", "rendersBegun")
                answers = asked(cluster, f"/images/{image['id']}/tile")
                found[kind(image)].append(dict(
                    renders=cluster.sum("loading", "rendersBegun") - before,
                    fetches=origin.facts()["counts"].get(name, 0) - expected.get(name, 0),
                    right=sum(one["status"] == 200 and one["crc"] == zlib.crc32(tile) and one["bytes"] == len(tile)
                              for one in answers),
                    times=[1e3 * (one["last"] or GATHERING + 60) for one in answers]))
    for which, samples in found.items():
        what = f"{CLIENTS:,} of a cold {'JPEG of 12 MP' if which == 'file' else 'remote one of 200 ms'}"
        renders = max(sample["renders"] for sample in samples)
        report.add("cluster", f"{what}: renders, most", "count", renders, target="1", holds=renders == 1)
        if which == "remote":
            fetches = max(sample["fetches"] for sample in samples)
            report.add("cluster", f"{what}: origin fetches, most", "count", fetches, target="1", holds=fetches == 1)
        right = min(sample["right"] for sample in samples)
        report.add("cluster", f"{what}: answered rightly, least", "count", right, target=f"{CLIENTS}",
                   holds=right == CLIENTS, better="more", bytes=len(tile), rounds=len(samples))
        for share in (0.5, 0.99):
            each = [percentile(sample["times"], share) for sample in samples]
            report.add("cluster", f"{what}: p{100 * share:g}", "ms", median(each), median(times[which]),
                       "one client of one node", samples=each, peer_samples=times[which])


def kind(image: dict) -> str:
    return "file" if image["name"].startswith("IMG_") else "remote"


def one_by_one(alone: Tessera, count: int) -> tuple[set[bytes], dict[str, list[float]]]:
    """All tiles, and the milliseconds for each."""
    tiles, times = set(), {"file": [], "remote": []}
    for image in alone.images(count):
        begun = time.monotonic()
        response, body = alone.request("GET", f"/images/{image['id']}/tile", Accept="*/*")
        times[kind(image)].append(1e3 * (time.monotonic() - begun))
        if response.status != 200:
            raise RuntimeError(f"{image['name']}: {response.status} {body[:300]!r}")
        tiles.add(body)
    return tiles, times


def asked(cluster: Cluster, path: str) -> list[dict]:
    start = time.monotonic() + GATHERING
    crowds = [Crowd(node.port, path, CLIENTS // NODES, start) for node in cluster.nodes]
    return [answer for crowd in crowds for answer in crowd.result()]
