"""The node that fetches and renders a picture for all nodes is killed, or is frozen and resumed, in the middle of
the fetch."""

import time
import zlib

import originals
from crowd import Crowd
from measuring import median
from million import until
from origins import Origin
from peers import Tessera

from .nodes import NODES, PATIENCE, Cluster

# Seconds in which the origin sends a picture, and after which the other nodes get requests for it.
SECONDS, LATER = 0.6, 0.1
CLIENTS, MOST = 40, 3.0
# Seconds until the crowds are connected, and for which a node is frozen.
GATHERING, FROZEN = 1.5, 5.0
NEVER = 60.0


def run(report, options):
    rounds = 1 if options.quick else 3
    picture = originals.twelve_megapixels()
    paths = [f"/{number}.jpg" for number in range(2 * rounds + 1)]
    with Origin("drip", file=str(picture), seconds=SECONDS, part=64_000) as origin:
        urls = [origin.url(path) for path in paths]
        with Tessera("--no-examine", urls=urls) as alone:
            image = alone.images(len(urls))[-1]
            response, tile = alone.request("GET", f"/images/{image['id']}/tile", Accept="*/*")
            if response.status != 200:
                raise RuntimeError(f"{response.status} {tile[:300]!r}")
        with Cluster(urls=urls) as cluster:
            images = cluster.images(len(urls))
            found: dict[str, list[dict]] = {"killed": [], "frozen": []}
            for number in range(2 * rounds):
                way = ("killed", "frozen")[number % 2]
                # A different node each time.
                owner = number // 2 % NODES
                found[way].append(ended(cluster, owner, way, origin, paths[number], images[number], tile))
                if way == "killed":
                    cluster.replace(cluster.nodes[owner], len(urls))
    for way, samples in found.items():
        what = f"owner of a fetch {way}"
        for key, name in (("passed", "until another fetches"), ("took", "until all others are answered")):
            values = [sample[key] for sample in samples]
            report.add("cluster", f"{what}: {name}, most", "s", max(values), target=f"<= {MOST:g}" if key == "took" else "",
                       holds=max(values) <= MOST if key == "took" else None, samples=values, median=median(values))
        wrong = max(sample["wrong"] for sample in samples)
        report.add("cluster", f"{what}: wrong answers, most", "count", wrong, target="0", holds=wrong == 0)
        fetches = max(sample["fetches"] for sample in samples)
        report.add("cluster", f"{what}: origin fetches, most", "count", fetches, target="2", holds=fetches == 2)


def ended(cluster: Cluster, owner: int, way: str, origin: Origin, path: str, image: dict, tile: bytes) -> dict:
    target = f"/images/{image['id']}/tile"
    node, others = cluster.nodes[owner], [one for place, one in enumerate(cluster.nodes) if place != owner]

    def fetches() -> int:
        return origin.facts()["counts"].get(path, 0)

    begun = time.monotonic() + GATHERING
    own = Crowd(node.port, target, CLIENTS // 2, begun)
    rest = [Crowd(one.port, target, CLIENTS // 2, begun + LATER) for one in others]
    until(lambda: all(one.status["loading"]["waiting"] == CLIENTS // 2 for one in others), PATIENCE)
    if fetches() != 1 or node.status["loading"]["fetches"] != 1:
        raise RuntimeError("the fetch was over before its node could end")
    node.kill() if way == "killed" else node.freeze()
    moment = time.monotonic()
    answers = [answer for crowd in rest for answer in crowd.result()]
    took = begun + LATER + max(answer["last"] or NEVER for answer in answers) - moment
    passed = origin.facts()["asked"][path] - moment
    if way == "frozen":
        time.sleep(max(0.0, moment + FROZEN - time.monotonic()))
        node.wake()
        # Its own clients waited all the while.
        answers += own.result()
    else:
        own.result()
    # Later requests get the complete picture, too, from every live node.
    wrong = sum(not is_right(answer, tile) for answer in answers)
    for one in others + ([node] if way == "frozen" else []):
        response, body = one.request("GET", target, Accept="*/*")
        wrong += response.status != 200 or body != tile
    return dict(took=took, passed=passed, wrong=wrong, fetches=fetches())


def is_right(answer: dict, tile: bytes) -> bool:
    return answer["status"] == 200 and answer["bytes"] == len(tile) and answer["crc"] == zlib.crc32(tile)
