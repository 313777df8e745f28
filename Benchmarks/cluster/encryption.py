"""What TLS to Redis costs a node: the processor time of a tile that another node made, and that this one gets from
Redis."""

import originals
from measuring import cpu_seconds, median

from .distance import Asker
from .nodes import Cluster

MOST = 1.3


def run(report, options):
    rounds, tiles = (2, 500) if options.quick else (5, 1_000)
    (picture,) = originals.small_pictures(1).iterdir()
    folder = originals.names_of(picture, (rounds + 1) * tiles)
    with Cluster(folder) as plain, Cluster(folder, is_encrypted=True) as encrypted:
        clusters = {"plain": plain, "encrypted": encrypted}
        images = {way: [image["id"] for image in cluster.images((rounds + 1) * tiles)]
                  for way, cluster in clusters.items()}
        costs: dict[str, list[float]] = {way: [] for way in clusters}
        for number in range(rounds + 1):
            for way, cluster in clusters.items():
                cost = relayed(cluster, images[way][number * tiles:(number + 1) * tiles])
                # The first round warms up.
                if number:
                    costs[way].append(cost)
    ours, theirs = (median(costs[way]) for way in ("encrypted", "plain"))
    report.add("cluster", "CPU of a tile from Redis over TLS", "us", ours, theirs, "without TLS", f"ratio <= {MOST}",
               ours <= MOST * theirs, samples=costs["encrypted"], peer_samples=costs["plain"])


def relayed(cluster: Cluster, images: list[str]) -> float:
    """Makes one node render tiles, and returns the microseconds that another one takes to answer each."""
    asks, (_, other, _) = Asker(list(cluster.nodes)), cluster.nodes
    for image in images:
        asks(0, image)
    hits = other.status["loading"]["sharedHits"]
    before = cpu_seconds(other.pid)
    for image in images:
        asks(1, image)
    used = cpu_seconds(other.pid) - before
    if other.status["loading"]["sharedHits"] - hits != len(images):
        raise RuntimeError("not all tiles came from Redis")
    return used / len(images) * 1e6
