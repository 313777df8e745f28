"""The Redis, then the PostgreSQL, then the store of three nodes is killed, or frozen, for half a minute, under
requests for cached tiles, for tiles of files and for tiles of a bucket's objects. Of the latter two, none was
requested before."""

import asyncio
import itertools
import json
import time
from collections import Counter
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field

import originals
from measuring import percentile
from object_store import ObjectStore
from peers import Tessera

from .nodes import NODES, Cluster, Node

# Requests per second of each kind.
RATE = 20
# Seconds before, during and after an outage.
BEFORE, AWAY, AFTER = 2.0, 30.0, 8.0
# Seconds within which a tile, or an honest error, must arrive: an origin has 20 for its first byte.
DEADLINES = {"cached": 1.0, "file": 3.0, "object": 21.0}
HEALED = 5.0
WHAT = {"cached": "cached tiles", "file": "tiles of files", "object": "tiles of objects"}


@dataclass
class Asked:
    kind: str
    node: int
    begun: float
    took: float = 0.0
    answer: str = "late"
    """`right`, `away` (503 with when to come again), or whatever else it was."""


def run(report, options):
    away = 8.0 if options.quick else AWAY
    count = int((BEFORE + away + AFTER + 2) * RATE)
    (picture,) = originals.small_pictures(1).iterdir()
    folder = originals.names_of(picture, 6 * count + NODES)
    with ObjectStore(picture, 6 * count) as store, Cluster(
            folder, "s3://pictures",
            environment={**store.environment, "TESSERA_TILES": "s3://tiles/bench"}, has_database=True) as cluster,\
            ThreadPoolExecutor(1) as hands:
        images = cluster.images(12 * count + NODES)
        load = Load(cluster, images)
        for what, engine in (("Redis", cluster.redis), ("PostgreSQL", cluster.database), ("store", store)):
            for way in ("killed", "frozen"):
                # On a thread that lives on, because an engine ends with the thread that started it (PR_SET_PDEATHSIG,
                # prctl(2)).
                outage = asyncio.run(through(load, engine, way, away, hands))
                tell(report, f"{what} {way}", outage, outage.found[what])


@dataclass
class Outage:
    all: list[Asked]
    began: float
    ended: float
    found: dict[str, list[float]] = field(default_factory=lambda: {"Redis": [], "PostgreSQL": [], "store": []})
    """When each node said that it had found each of them, or had a first answer of the bucket of tiles."""


class Load:
    """Requests to the nodes in turn, sent on schedule regardless of earlier responses."""

    def __init__(self, cluster: Cluster, images: list[dict]):
        self.nodes: list[Node] = cluster.nodes
        files = [image["id"] for image in images if image["name"].startswith("IMG_")]
        self._warm, cold = files[:NODES], files[NODES:]
        objects = [image["id"] for image in images if image["name"].startswith("OBJ_")]
        self._next = {"cached": itertools.cycle(self._warm), "file": iter(cold), "object": iter(objects)}
        tiles = set()
        for node in self.nodes:
            for image in (*self._warm, next(self._next["object"])):
                response, body = node.request("GET", f"/images/{image}/tile", Accept="image/jpeg")
                if response.status != 200:
                    raise RuntimeError(f"{response.status} {body[:300]!r}")
                tiles.add(body)
        if len(tiles) != 1:
            raise RuntimeError("tiles of one picture differ")
        self._tile = tiles.pop()
        self.asked: list[Asked] = []

    async def go_on(self, until: asyncio.Event):
        self.asked = []
        tasks, begun = [], time.monotonic()
        for step in itertools.count():
            for shift, kind in enumerate(DEADLINES):
                one = Asked(kind, (step + shift) % NODES, time.monotonic())
                self.asked.append(one)
                tasks.append(asyncio.create_task(self._ask(one, next(self._next[kind]))))
            await asyncio.sleep(max(0.0, begun + (step + 1) / RATE - time.monotonic()))
            if until.is_set():
                break
        await asyncio.gather(*tasks)

    async def _ask(self, one: Asked, image: str):
        try:
            async with asyncio.timeout(DEADLINES[one.kind]):
                one.answer = self._word(*await got(self.nodes[one.node], f"/images/{image}/tile"))
        except TimeoutError:
            pass
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            one.answer = type(error).__name__
        one.took = time.monotonic() - one.begun

    def _word(self, status: int, fields: dict[str, str], body: bytes) -> str:
        if status == 200:
            return "right" if body == self._tile else "wrong bytes"
        is_problem = fields["content-type"].startswith("application/problem+json") and json.loads(body)["status"] == status
        if status == 503 and is_problem and fields.get("retry-after", "").isdigit():
            return "away"
        return f"{status}{'' if is_problem else ', no problem'}{'' if 'retry-after' in fields else ', no Retry-After'}"


async def got(node: Tessera, target: str) -> tuple[int, dict[str, str], bytes]:
    """Status, fields and body, over a new connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    try:
        writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: image/jpeg\r\nConnection: close\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        return int(head[0].split()[1]), fields, await reader.readexactly(int(fields["content-length"]))
    finally:
        writer.close()


async def through(load: Load, engine, way: str, away: float, hands: Executor) -> Outage:
    ends = asyncio.Event()
    going = asyncio.create_task(load.go_on(ends))
    await asyncio.sleep(BEFORE)
    began = time.monotonic()
    engine.kill() if way == "killed" else engine.freeze()
    await asyncio.sleep(away)
    looks = [looks_answered(await status(node)) for node in load.nodes]
    # Waits until it responds.
    await asyncio.get_running_loop().run_in_executor(hands, engine.start if way == "killed" else engine.wake)
    ended = time.monotonic()
    outage = Outage(load.asked, began, ended)
    watching = [asyncio.create_task(watch(node, looked, outage)) for node, looked in zip(load.nodes, looks)]
    await asyncio.sleep(AFTER)
    for one in watching:
        if one.done():  # or it failed
            one.result()
        one.cancel()
    ends.set()
    await going
    return outage


async def status(node: Node) -> dict:
    return json.loads((await got(node, "/api/v1/status"))[2])


def looks_answered(status: dict) -> int:
    return status["tileBucket"]["found"] + status["tileBucket"]["notFound"]


async def watch(node: Node, looks: int, outage: Outage):
    """Records when a node has reconnected to what was away."""
    missed = set(outage.found)
    while missed:
        now = await status(node)
        there = {
            "Redis": now["cluster"]["redis"] == "connected", "PostgreSQL": now["database"]["figures"]["current"] == 1,
            "store": looks_answered(now) > looks}
        for what in [what for what in missed if there[what]]:
            outage.found[what].append(time.monotonic())
            missed.remove(what)
        await asyncio.sleep(0.05)


def tell(report, what: str, outage: Outage, found: list[float]):
    for kind, name in WHAT.items():
        asked = [one for one in outage.all if one.kind == kind and outage.began <= one.begun < outage.ended + AFTER]
        during = [one for one in asked if one.begun < outage.ended]
        counts = Counter(one.answer for one in asked)
        allowed = {"right"} if kind == "cached" else {"right", "away"}
        bad = sum(count for answer, count in counts.items() if answer not in allowed)
        told = ", ".join(f"{count} {answer}" for answer, count in counts.most_common())
        report.add("cluster", f"{what}: errors of {len(asked)} {name}", "count", bad, target="0", holds=bad == 0,
                   answers=dict(counts))
        print(f"{'':<11} {told}", flush=True)
        times = [one.took for one in during]
        report.add("cluster", f"{what}: {name}, p99", "s", percentile(times, 0.99), median=percentile(times, 0.5),
                   most=max(times), target=f"<= {DEADLINES[kind]:g}", holds=max(times) <= DEADLINES[kind])
    if len(found) != NODES:
        found = found + [outage.ended + AFTER]
    seconds = max(found) - outage.ended
    report.add("cluster", f"{what}: until found again by all nodes", "s", seconds, target=f"<= {HEALED:g}",
               holds=seconds <= HEALED)
    failed = [one.begun - outage.ended for one in outage.all if one.answer != "right"]
    last = max([0.0, *failed])
    report.add("cluster", f"{what}: last request that failed, after its return", "s", last, target=f"<= {HEALED:g}",
               holds=last <= HEALED)
