"""How long it takes to get what another node made, and what coordination adds to a cold render: one request at a
time, of all kinds in turn."""

import http.client
import select
import time

import originals
from latency import timed
from measuring import percentile
from million import until
from object_store import ObjectStore
from peers import Tessera

from .nodes import PATIENCE, Cluster, Node

# In milliseconds.
MOST = 5.0


def run(report, options):
    rounds = 60 if options.quick else 300
    (picture,) = originals.small_pictures(1).iterdir()
    # In each round, one is rendered by a single node, one by a node while nobody else wants it, and one while another
    # node wants it too.
    folder = originals.names_of(picture, 3 * rounds)
    with Tessera(folder, "--no-examine") as alone, Cluster(folder) as cluster:
        found = in_turns(alone, cluster, rounds)
    with ObjectStore(picture, 0) as store, Cluster(
            folder, environment={**store.environment, "TESSERA_TILES": "s3://tiles/bench"}) as cluster:
        found |= by_bucket(cluster, rounds)

    def add(what: str, key: str, peer: str, name: str, most: float | None = None):
        for share in (0.5, 0.99):
            ours, theirs = percentile(found[key], share), percentile(found[peer], share)
            report.add("cluster", f"{what}: p{100 * share:g}", "ms", ours, theirs, name,
                       f"+ {most:g} ms at most" if most else "", ours - theirs <= most if most else None,
                       samples=found[key], peer_samples=found[peer])

    add("cold tile, made by a node of three", "made", "local", "a node alone", MOST)
    add("cold tile, made meanwhile by another node", "waited", "local", "a node alone", MOST)
    add("tile that another node made, in Redis", "redis", "memory", "the node's own memory")
    add("the same beside making it", "redis", "local", "a node alone")
    add("tile that another node made, in the bucket", "bucket", "memory", "the node's own memory")
    add("cold tile that is in no bucket either", "absent", "local", "a node alone")


class Asker:
    """One client with a connection to each node."""

    def __init__(self, nodes: list[Tessera]):
        self.connections = [http.client.HTTPConnection("127.0.0.1", node.port, timeout=PATIENCE) for node in nodes]

    def __call__(self, node: int, image: str) -> float:
        return timed(self.connections[node], f"/images/{image}/tile")

    def at_once(self, nodes: tuple[int, int], image: str) -> tuple[float, float]:
        """How many milliseconds two nodes take that get the same request at the same time, the shorter one first."""
        waiting, begun, times = {}, {}, []
        for node in nodes:
            connection = self.connections[node]
            connection.request("GET", f"/images/{image}/tile", headers={"Accept": "image/jpeg"})
            begun[connection] = time.perf_counter()
            waiting[connection.sock] = connection
        while waiting:
            ready = select.select(list(waiting), [], [], PATIENCE)[0]
            if not ready:
                raise TimeoutError("no tile comes")
            for socket in ready:
                connection = waiting.pop(socket)
                response = connection.getresponse()
                response.read()
                if response.status != 200:
                    raise RuntimeError(f"{response.status}")
                times.append(1e3 * (time.perf_counter() - begun[connection]))
        return times[0], times[1]


def in_turns(alone: Tessera, cluster: Cluster, rounds: int) -> dict[str, list[float]]:
    images = [image["id"] for image in cluster.images(3 * rounds)]
    own = [image["id"] for image in alone.images(3 * rounds)]
    asks, asks_alone = Asker(list(cluster.nodes)), Asker([alone])
    found: dict[str, list[float]] = {kind: [] for kind in ("local", "made", "made first", "waited", "redis", "memory")}
    before = cluster.sum("loading", "rendersBegun")
    for number in range(rounds):
        # Interleaved, so that garbage collection, timers and the like affect all kinds equally.
        first, second = number % 3, (number + 1) % 3
        found["local"].append(asks_alone(0, own[3 * number]))
        found["made"].append(asks(first, images[3 * number]))
        earlier, later = asks.at_once((first, second), images[3 * number + 1])
        found["made first"].append(earlier)
        found["waited"].append(later)
        # It is in Redis by now.
        found["redis"].append(asks(second, images[3 * number]))
        found["memory"].append(asks(second, images[3 * number]))
    renders, shared = cluster.sum("loading", "rendersBegun") - before, cluster.sum("loading", "sharedHits")
    if renders != 2 * rounds or shared != 2 * rounds:
        raise RuntimeError(f"{renders} renders and {shared} tiles of other nodes instead of {2 * rounds} each")
    return found


def by_bucket(cluster: Cluster, rounds: int) -> dict[str, list[float]]:
    images = [image["id"] for image in cluster.images(3 * rounds)][:rounds]
    asks = Asker(list(cluster.nodes))
    absent = [asks(0, image) for image in images]
    until(lambda: kept(cluster.nodes[0]) >= rounds, PATIENCE)
    # So that only the bucket has them.
    cluster.redis.ask("FLUSHALL")
    found = [asks(1, image) for image in images]
    hits = cluster.nodes[1].status["tileBucket"]["found"]
    if hits != rounds:
        raise RuntimeError(f"{hits} of {rounds} were found in the bucket")
    return {"absent": absent, "bucket": found}


def kept(node: Node) -> int:
    return node.status["tileBucket"]["kept"]
