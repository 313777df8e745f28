"""The cost of a cached tile on three nodes and on one, at the same offered load."""

import pathlib
import tempfile

import originals
import serve
from measuring import cpu_seconds, median
from peers import Tessera

from .nodes import NODES, Cluster

# Each connection sends its next request this many milliseconds after a response: about 5,000 requests per second.
CONNECTIONS, PAUSE, SECONDS, MOST = 60, 10, 3, 1.05


def run(report, options):
    rounds = 2 if options.quick else 3
    folder = originals.pictures_of_many_entropies()
    with Tessera(folder, "--no-examine") as one, Cluster(folder) as three, tempfile.TemporaryDirectory() as place:
        script = pathlib.Path(place, "pause.lua")
        script.write_text(f"function delay() return {PAUSE} end\n")
        _, link, content, _ = serve.tile_of_wanted_size(one, len(list(folder.iterdir())))
        for node in three.nodes:
            if node.request("GET", link, Accept=serve.ACCEPT)[1] != content:
                raise RuntimeError("a node has another tile")
        paced = ["-s", str(script)]
        # A node handles everything that has arrived when it wakes up, so with less load each request pays for more
        # wake-ups. The cost on a single node at a third of the load separates this from the cost of the cluster itself.
        ways = {"three": (three.nodes, CONNECTIONS, paced), "one": ([one], CONNECTIONS, paced),
                "third": ([one], CONNECTIONS // NODES, paced), "three, busy": (three.nodes, CONNECTIONS, []),
                "one, busy": ([one], CONNECTIONS, [])}
        samples: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for number in range(rounds + 1):
            for way, settings in ways.items():
                sample = load(*settings, link)
                # The first one warms up.
                if number:
                    samples[way].append(sample)
    rates, costs = ({way: [sample[figure] for sample in samples[way]] for way in ways} for figure in (0, 1))
    rate, cost = ({way: median(values) for way, values in each.items()} for each in (rates, costs))
    if not 0.9 <= rate["three"] / rate["one"] <= 1.1:
        raise RuntimeError(f"three nodes were asked {rate['three']:.0f} times a second, and one {rate['one']:.0f} times")

    def add(what: str, way: str, peer: str, name: str, holds: bool | None = None):
        report.add("cluster", what, "us", cost[way], cost[peer], name, f"ratio <= {MOST}" if holds is not None else "",
                   holds, samples=costs[way], peer_samples=costs[peer], bytes=len(content), rates=rates[way])

    add(f"CPU of a cached tile, three nodes, {rate['three']:,.0f}/s", "three", "one", "one node, as many",
        cost["three"] <= MOST * cost["one"])
    add("the same", "three", "third", "one node, a third")
    add(f"the same as fast as they can, {rate['three, busy']:,.0f}/s", "three, busy", "one, busy",
        f"one node, {rate['one, busy']:,.0f}/s")


def load(nodes: list[Tessera], connections: int, words: list[str], path: str) -> tuple[float, float]:
    """Requests per second of all nodes, and microseconds of processor time per request."""
    before = sum(cpu_seconds(node.pid) for node in nodes)
    asking = [serve.asking(node, path, SECONDS, connections // len(nodes), *words) for node in nodes]
    told = [serve.told_by(one) for one in asking]
    used = sum(cpu_seconds(node.pid) for node in nodes) - before
    return sum(rate for _, rate in told), used / sum(requests for requests, _ in told) * 1e6
