"""A folder of a million pictures: scanned, indexed, sorted, searched, and scanned again; compared to `find` and
`exiftool`."""

import concurrent.futures
import gzip
import http.client
import json
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from urllib.parse import quote

import originals
import tagged
from measuring import Report, cpu_seconds, median, memory_megabytes, percentile, wait_until_idle
from peers import Tessera

COUNT, FEW, CAMERA = 1_000_000, 1_000, 100_000
OUTER, INNER = 20, 12
VIEWS = ["", "sort=path&direction=desc", "sort=taken", "sort=taken&direction=desc", "sort=name", "sort=size",
         "sort=added&direction=desc", "sort=shuffle&seed=7"]
QUERIES = ["lake", "winter bird", "taken:2019-06..2019-08", "camera:nikon", "near:48.2,16.4,50km", '"old river"',
           "bridge -night", "type:jpeg forest", "nothing-of-this-name", "img_0001234", "ete taken:2015", "is:broken"]


def run(report: Report, options):
    folder = originals.made(f"million-{COUNT}", lambda folder: make(folder, COUNT))
    few = originals.made(f"million-{FEW}", lambda folder: make(folder, FEW))
    warm(folder)
    warm(few)
    listing(report, folder, few)
    lists(report)
    with tempfile.TemporaryDirectory(prefix="tessera-bench-", dir=originals.STORE) as data:
        known(report, folder, pathlib.Path(data) / "data")
    facts(report)


def make(folder: pathlib.Path, count: int):
    """Small JPEGs, each with metadata of its own, in a tree of folders."""
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as place:
        originals.vips("black", f"{place}/one.jpg[strip,Q=20]", 64, 48)
        picture = pathlib.Path(place, "one.jpg").read_bytes()
    each = -(-count // (OUTER * INNER))
    number = 0
    for outer in range(OUTER):
        for inner in range(INNER):
            inside = folder / f"{2004 + outer}" / f"{inner + 1:02} {tagged.WORDS[(outer + inner) % len(tagged.WORDS)]}"
            inside.mkdir(parents=True)
            for _ in range(min(each, count - number)):
                make_name, model = chance.choice(tagged.CAMERAS)
                taken = (f"{2004 + outer}:{inner + 1:02}:{chance.randint(1, 28):02} "
                         f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:{chance.randint(0, 59):02}")
                place = (chance.uniform(-60, 70), chance.uniform(-180, 180)) if number % 3 == 0 else None
                keywords = tuple(chance.sample(tagged.WORDS, 2)) if number % 4 == 0 else ()
                (inside / f"IMG_{number:07}.jpg").write_bytes(tagged.with_facts(
                    picture, make=make_name, model=model, taken=taken, place=place, keywords=keywords))
                number += 1


def find(folder: pathlib.Path) -> float:
    """The seconds in which `find` lists names, sizes and times."""
    start = time.monotonic()
    subprocess.run(["find", folder, "-type", "f", "-printf", "%s %T@ %p\\n"], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def warm(folder: pathlib.Path):
    for _ in range(2):
        find(folder)


def until(holds: Callable[[], bool], patience: float = 900, pause: float = 0.005) -> float:
    """The seconds until `holds()` is true."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > patience:
            raise TimeoutError("it does not come to hold")
        time.sleep(pause)
    return time.monotonic() - start


def status(ours: Tessera) -> dict:
    return ours.json("/api/v1/status")


def listing(report: Report, folder: pathlib.Path, few: pathlib.Path):
    """A new folder, by itself and compared to `find`; then again, after nothing has changed."""
    first, whole, readings, again, peer, costs = [], [], [], [], [], []
    for _ in range(3):
        peer.append(find(folder))
        start = time.monotonic()
        with Tessera(folder, "--no-examine") as ours:
            until(lambda: len(ours.json("/api/v1/images?limit=100")["images"]) == 100)
            first.append(time.monotonic() - start)
            until(lambda: not status(ours)["scanning"], pause=0.02)
            whole.append(time.monotonic() - start)
            if status(ours)["total"] != COUNT:
                raise RuntimeError(f"{status(ours)['total']} of {COUNT} were found")
            readings.append(reading_seconds(ours))
            wait_until_idle(ours.pid)
            again.append(rescan(ours))
    for _ in range(9):
        with Tessera(few, "--no-examine") as ours:
            until(lambda: not status(ours)["scanning"])
            costs.append(reading_seconds(ours))
    a_file = 1e6 * median(readings) / COUNT
    report.add("million", "first 100 of a new folder", "s", median(first), target="<= 0.2", holds=median(first) <= 0.2,
               samples=first)
    report.add("million", "names, sizes, times of all", "s", median(whole), median(peer), "find",
               "<= 2 times", median(whole) <= 2 * median(peer), samples=whole)
    report.add("million", "the same again, nothing changed", "s", median(again), median(peer), "find",
               "<= 1 time", median(again) <= median(peer), samples=again)
    report.add("million", "cost of a file, beside one of 1,000", "us", a_file, 1e6 * median(costs) / FEW, "1,000 files",
               "<= 1.2 times", a_file <= 1.2e6 * median(costs) / FEW, samples=costs)


def reading_seconds(ours: Tessera) -> float:
    """How long the last scan took, as the server measures it: a start takes longer than a thousand files."""
    return ours.metric("tessera_reading_seconds")


def lists(report: Report):
    """A list of a million URLs whose pictures nobody requests, compared to `sort`, which also reads and handles each
    line."""
    path = originals.STORE / f"list-{COUNT}.txt"
    if not path.exists():
        path.write_text("".join(f"https://pictures.example/{number // 1000}/IMG_{number:07}.jpg\n" for number in range(COUNT)))
    path.read_bytes()
    first, whole, again, peer = [], [], [], []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(["sort", "-u", path], check=True, stdout=subprocess.DEVNULL)
        peer.append(time.monotonic() - start)
        with tempfile.TemporaryDirectory(prefix="tessera-bench-", dir=originals.STORE) as data:
            for times in ([first, whole], [again]):
                start = time.monotonic()
                with Tessera(path, data=pathlib.Path(data) / "data") as ours:
                    until(lambda: len(ours.json("/api/v1/images?limit=100")["images"]) == 100)
                    times[0].append(time.monotonic() - start)
                    until(lambda: not status(ours)["scanning"], pause=0.02)
                    if len(times) > 1:
                        times[1].append(time.monotonic() - start)
                    if status(ours)["total"] != COUNT:
                        raise RuntimeError(f"{status(ours)['total']} of {COUNT} lines are shown")
    report.add("million", "first 100 of a new list", "s", median(first), target="<= 0.2", holds=median(first) <= 0.2,
               samples=first)
    report.add("million", "all lines of the list", "s", median(whole), median(peer), "sort -u", samples=whole)
    report.add("million", "restart on the list until a page", "s", median(again), target="<= 0.4",
               holds=median(again) <= 0.4, samples=again)


def rescan(ours: Tessera) -> float:
    """How many seconds a full rescan takes."""
    start = time.monotonic()
    subprocess.run(["kill", "-USR1", str(ours.pid)], check=True)
    until(lambda: status(ours)["scanning"], patience=5, pause=0.001)
    until(lambda: not status(ours)["scanning"])
    return time.monotonic() - start


def known(report: Report, folder: pathlib.Path, data: pathlib.Path):
    """A million files to be indexed, and then all kinds of requests for them."""
    with Tessera(folder, data=data) as ours:
        start, most = time.monotonic(), 0.0
        until(lambda: not status(ours)["scanning"], pause=0.1)

        def is_examined() -> bool:
            nonlocal most
            most = max(most, memory_megabytes(ours.pid))
            progress = status(ours)["examined"]
            return progress["total"] == COUNT and progress["done"] == COUNT
        until(is_examined, pause=0.5)
        report.add("million", "all of them looked into", "files/s", COUNT / (time.monotonic() - start))
        report.add("million", "memory while they are looked into", "MB", most, target="<= 250", holds=most <= 250)
        wait_until_idle(ours.pid)
    restarts(report, folder, data)
    with Tessera(folder, data=data) as ours:
        until(lambda: not status(ours)["scanning"], pause=0.1)
        wait_until_idle(ours.pid)
        orders(report, ours)
        pages(report, ours)
        searches(report, ours)
        wholes(report, ours)
        wait_until_idle(ours.pid)
        rest = memory_megabytes(ours.pid)
        report.add("million", "memory at rest, all orders and searches", "MB", rest, target="<= 150", holds=rest <= 150,
                   peak=memory_megabytes(ours.pid, "VmHWM"))


def restarts(report: Report, folder: pathlib.Path, data: pathlib.Path):
    seconds = {}
    for view in VIEWS:
        samples = []
        for _ in range(3):
            start = time.monotonic()
            with Tessera(folder, data=data) as ours:
                page = ours.json(f"/api/v1/images?limit=100&{view}")
                samples.append(time.monotonic() - start)
                if page["total"] != COUNT:
                    raise RuntimeError(f"{view}: a restart knows {page['total']}")
        seconds[view or "path"] = samples
    worst = max(seconds, key=lambda view: median(seconds[view]))
    report.add("million", "restart until a page, path", "s", median(seconds["path"]), target="<= 0.4",
               holds=median(seconds["path"]) <= 0.4, samples=seconds)
    report.add("million", f"restart until a page, worst ({worst})", "s", median(seconds[worst]), target="<= 0.4",
               holds=median(seconds[worst]) <= 0.4)


class Asker:
    """One keep-alive connection."""

    def __init__(self, ours: Tessera):
        self.connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)

    def ask(self, target: str, **headers: str) -> tuple[float, bytes]:
        """The milliseconds, and the response."""
        start = time.perf_counter()
        self.connection.request("GET", target, headers=headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{target}: {response.status} {content[:200]!r}")
        return 1e3 * (time.perf_counter() - start), content


def orders(report: Report, ours: Tessera):
    """Each order once, as the first one requested after the columns with dates have been read."""
    asker = Asker(ours)
    asker.ask("/api/v1/timeline")
    times = {view or "path": asker.ask(f"/api/v1/images?limit=100&{view}")[0] for view in VIEWS}
    fresh = [asker.ask(f"/api/v1/images?limit=100&sort=shuffle&seed={seed}")[0] for seed in range(100, 105)]
    dates = times["sort=taken"]
    report.add("million", "another order until its first page, by date", "ms", dates, target="<= 100", holds=dates <= 100,
               samples=times)
    worst = max(times, key=lambda view: times[view])
    report.add("million", f"the slowest order ({worst})", "ms", times[worst], target="<= 100", holds=times[worst] <= 100,
               shuffled=fresh)


def pages(report: Report, ours: Tessera):
    asker, chance, times, sizes = Asker(ours), random.Random(3), [], []
    for number in range(4000):
        view = VIEWS[number % len(VIEWS)]
        elapsed, content = asker.ask(f"/api/v1/images?limit=100&offset={chance.randrange(COUNT - 100)}&{view}",
                                     **{"Accept-Encoding": "gzip"})
        times.append(elapsed)
        sizes.append(len(content))
        if number < len(VIEWS) and len(json.loads(gzip.decompress(content))["images"]) != 100:
            raise RuntimeError(f"{view}: a page is not full")
    slow = percentile(times, 0.99)
    report.add("million", "a page at any offset in any order, p99", "ms", slow, target="<= 3", holds=slow <= 3,
               median=median(times))
    report.add("million", "a page, compressed, largest", "KB", max(sizes) / 1e3, target="<= 10", holds=max(sizes) <= 1e4)
    for coding, most in (("identity", 0.5), ("gzip", None)):
        samples = []
        for _ in range(5):
            before = cpu_seconds(ours.pid)
            for _ in range(400):
                asker.ask(f"/api/v1/images?limit=100&offset={chance.randrange(COUNT - 100)}",
                          **{"Accept-Encoding": coding})
            samples.append((cpu_seconds(ours.pid) - before) / 400 * 1e3)
        cost = median(samples)
        report.add("million", f"CPU of a page of 100 ({coding})", "ms", cost, target=f"<= {most:g}" if most else "",
                   holds=cost <= most if most else None, samples=samples)


def searches(report: Report, ours: Tessera):
    """Complete searches, and words as they are typed."""
    asker, whole, keys = Asker(ours), {}, []
    asker.ask("/api/v1/images?limit=100&q=lake")
    for round in range(10):
        for query in QUERIES:
            # A different word each time, because results are cached.
            text = f"{query} -no{round}such"
            whole.setdefault(query, []).append(asker.ask(f"/api/v1/images?limit=100&q={quote(text)}")[0])
    for number, word in enumerate(("mountain", "harbour", "children", "straße", "nikon winter", "IMG_00099")):
        for length in range(1, len(word) + 1):
            keys.append(asker.ask(f"/api/v1/images?limit=100&q={quote(word[:length])}%20-key{number}")[0])
    slow, key = percentile([one for some in whole.values() for one in some], 0.99), percentile(keys, 0.99)
    report.add("million", "a search, first page and total, p99", "ms", slow, target="<= 30", holds=slow <= 30, samples=whole)
    report.add("million", "each key of a word, p99", "ms", key, target="<= 30", holds=key <= 30, samples=keys)


def wholes(report: Report, ours: Tessera):
    """Requests about a view as a whole."""
    asker, times = Asker(ours), []
    for view in VIEWS[2:4] + [f"q=lake%20-round{number}&sort=taken" for number in range(3)]:
        asker.ask(f"/api/v1/images?limit=1&{view}")
        times.append(asker.ask(f"/api/v1/timeline?{view}")[0])
    _, sums = asker.ask("/api/v1/shape?sort=taken", **{"Accept-Encoding": "gzip"})
    report.add("million", "the timeline, slowest", "ms", max(times), target="<= 10", holds=max(times) <= 10, samples=times)
    report.add("million", "the shape's sums", "KB", len(sums) / 1e3, target="<= 8", holds=len(sums) <= 8000)


def facts(report: Report):
    """The metadata of JPEGs like a camera's, compared to exiftool in one process per core."""
    folder = originals.shots(CAMERA)
    some = originals.STORE / "tagged-some"
    shutil.rmtree(some, ignore_errors=True)
    some.mkdir()
    for path in sorted(folder.rglob("*.jpg"))[:4000]:
        (some / path.name).hardlink_to(path)
    names = sorted(map(str, some.iterdir()))
    subprocess.run(["cat", *names], check=True, stdout=subprocess.DEVNULL)

    def tool(part: list[str]):
        subprocess.run(["exiftool", "-fast2", "-json", *part], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(tool, (names[0::2], names[1::2])))
    peer = len(names) / (time.monotonic() - start)
    shutil.rmtree(some)
    find(folder)
    for path in folder.rglob("*.jpg"):
        with open(path, "rb") as file:
            file.read(65_536)
    start = time.monotonic()
    with Tessera(folder) as ours:
        until(lambda: (progress := status(ours)["examined"])["total"] == progress["done"] == CAMERA, pause=0.1)
        rate = CAMERA / (time.monotonic() - start)
    report.add("million", f"facts of {CAMERA:,} JPEGs", "files/s", rate, peer, "exiftool -fast2, 2 processes",
               ">= 20 times", rate >= 20 * peer)
