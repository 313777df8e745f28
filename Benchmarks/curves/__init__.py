"""How costs grow: with reading streams, with pictures in the gallery, and with cores for the server. Everything
displayed is in the server's memory, so that the streams are measured, rather than decoding or an origin."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

import originals
from measuring import cpu_seconds, median, memory_megabytes, percentile, wait_until_idle
from origins import Origin
from peers import Tessera

from . import page, table

FOLDER = pathlib.Path(__file__).parent
STREAMS = [1, 10, 100, 1_000]
# Pictures, and cores for the server. If it has one core, the pages get the other; otherwise they share both.
GALLERIES = [(1_000, 2), (100_000, 2), (1_000_000, 2), (100_000, 1)]
# One stream settles once in five seconds.
SECONDS = {1: 12, 10: 8, 100: 8, 1_000: 8}
AT_REST = 2.0
# If pages are busier than this share of a core, or late with a step by more than this many seconds, the measurement is
# about the pages.
BUSY, LATE = 0.8, 0.05
# A promise: the share of a core, and the memory, for each of a thousand streams.
REST_SHARE, REST_KILOBYTES = 0.001, 200
# Another: the memory that is still in use, in megabytes, so many seconds after a thousand streams have ended.
STAYING_MEGABYTES, STAYING_AFTER = 50, 60


def run(report, options):
    galleries, streams = (GALLERIES[:1], STREAMS[:2]) if options.quick else (GALLERIES, STREAMS)
    points = []
    # From few to many, because the server does not return the memory of many streams at once.
    with Origin("delay", delay=0, file=str(picture())) as origin:
        for pictures, cores in galleries:
            with gallery(origin, pictures, cores) as ours:
                rest = memory_megabytes(ours.pid)
                for count in streams:
                    points.append(point(ours, pictures, cores, count, rest))
                    tell(report, points[-1])
                if streams[-1] == STREAMS[-1]:
                    staying(report, ours, f"{pictures:,} pictures, {cores} cores", rest)
    report.attach("curves", {"points": points})
    print("\n" + table.table(points) + "\n", flush=True)


def picture() -> pathlib.Path:
    """A picture whose tile has 4 KB, like that of many photographs."""
    return originals.pictures_of_many_entropies() / "noise-07.7.png"


@contextlib.contextmanager
def on_cores(cores: set[int]):
    """Restricts everything started here, with its threads, to these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def split(cores: int) -> tuple[set[int], set[int]]:
    """The server's cores and the pages' cores."""
    all = sorted(os.sched_getaffinity(0))
    return set(all[:cores]), set(all[cores:]) or set(all)


@contextlib.contextmanager
def gallery(origin: Origin, pictures: int, cores: int):
    """A server that knows all pictures, and has in memory what will be displayed."""
    with on_cores(split(cores)[0]):
        ours = Tessera(origin.url("/{index}.png"), "--count", pictures, "--allow-address", "127.0.0.0/8",
                       "--memory-cache", "128MiB")
    with ours:
        deadline = time.monotonic() + 120
        while (status := ours.json("/api/v1/status"))["total"] < pictures or status["scanning"]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the gallery does not come to {pictures} pictures")
            time.sleep(0.1)
        with pages(ours, pictures, 1, 1, warm=True) as process:
            expect(process, "warm")
        wait_until_idle(ours.pid)
        yield ours


@contextlib.contextmanager
def pages(ours: Tessera, pictures: int, cores: int, streams: int, warm: bool = False):
    settings = dict(port=ours.port, streams=streams, seconds=SECONDS[streams], warm=warm,
                    runs=[number * (pictures // page.RUNS) for number in range(page.RUNS)])
    with on_cores(split(cores)[1]):
        process = subprocess.Popen(
            [sys.executable, str(FOLDER / "reading.py"), json.dumps(settings)], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(FOLDER.parent)})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def expect(process: subprocess.Popen, word: str):
    if (line := process.stdout.readline().strip()) != word:
        raise RuntimeError(f"the pages say {line!r} and not {word!r}")


def point(ours: Tessera, pictures: int, cores: int, streams: int, memory: float) -> dict:
    with pages(ours, pictures, cores, streams) as process:
        expect(process, "open")
        before, since = cpu_seconds(ours.pid), time.monotonic()
        time.sleep(AT_REST)
        rest = (cpu_seconds(ours.pid) - before) / (time.monotonic() - since)
        resting = memory_megabytes(ours.pid)
        process.stdin.write("\n")
        process.stdin.flush()
        expect(process, "reading")
        before = cpu_seconds(ours.pid)
        told = json.loads(process.stdout.readline())
        used, most = cpu_seconds(ours.pid) - before, memory_megabytes(ours.pid)
    client, late = told["cpu"] / told["seconds"], percentile(told["late"], 0.95)
    settled = [settle for settle in told["settles"] if settle is not None]
    return dict(
        pictures=pictures, cores=cores, streams=streams, jumps=len(told["settles"]),
        unsettled=len(told["settles"]) - len(settled),
        settle=median(settled) if settled else None, p95=percentile(settled, 0.95) if settled else None,
        cpu=used / told["seconds"] / streams, share=used / told["seconds"], tile=used / max(1, told["tiles"]),
        tiles=told["tiles"] / told["seconds"], previews=told["previews"] / told["seconds"],
        rest=rest / streams, resting=resting - memory, memory=most, each=(most - memory) / streams,
        client=client, late=late, is_clients=client > BUSY or late > LATE)


def staying(report, ours: Tessera, what: str, rest: float):
    time.sleep(STAYING_AFTER)
    stays = memory_megabytes(ours.pid) - rest
    report.add("curves", f"{STREAMS[-1]:,} streams ended, {what}: memory that stays", "MB", stays,
               target=f"<= {STAYING_MEGABYTES}", holds=stays <= STAYING_MEGABYTES)


def tell(report, point: dict):
    what = f"{point['streams']:,} streams, {point['pictures']:,} pictures, {point['cores']} cores"
    if point["settle"] is not None:
        report.add("curves", f"{what}: settle", "ms", 1e3 * point["settle"], p95=1e3 * point["p95"])
    report.add("curves", f"{what}: CPU of a stream", "%", 100 * point["cpu"])
    report.add("curves", f"{what}: memory", "MB", point["memory"])
    if point["streams"] == STREAMS[-1]:
        each = 1e3 * point["resting"] / point["streams"]
        report.add("curves", f"{what}: CPU at rest, a stream", "%", 100 * point["rest"],
                   target=f"<= {100 * REST_SHARE:g}", holds=point["rest"] <= REST_SHARE)
        report.add("curves", f"{what}: memory at rest, a stream", "KB", each, target=f"<= {REST_KILOBYTES}",
                   holds=each <= REST_KILOBYTES)
