"""The memory of a server at rest with ten thousand images, of a folder and of the demo; and of one whose pages
fling."""

import asyncio
import pathlib
import subprocess
import sys
import time

import originals
from measuring import memory_megabytes, wait_until_idle
from peers import Tessera
from streaming import masked, opened, viewport

COUNT = 10_000
STREAMS, FLUNG, MINUTES = 30, 100_000, 4


def run(report, options):
    folder = originals.made(f"links-{COUNT}", lambda folder: make_links(folder, COUNT))
    for what, words, command in (
        ("folder", (folder,), "serve"), ("demo", ("--count", COUNT), "demo")):
        with Tessera(*words, command=command) as ours:
            ours.images(COUNT)
            wait_until_idle(ours.pid)
            now, peak = (memory_megabytes(ours.pid, kind) for kind in ("VmRSS", "VmHWM"))
        report.add("memory", f"at rest, {what} of {COUNT:,} images", "MB", now, target="<= 80", holds=now <= 80, peak=peak)
    flinging(report)


def flinging(report):
    """Pages that fling through everything for minutes, and a minute without them."""
    with Tessera("--count", FLUNG, "--latency", 20, command="demo") as ours:
        pages = subprocess.Popen([sys.executable, str(pathlib.Path(__file__)), str(ours.port)], stdin=subprocess.DEVNULL)
        try:
            time.sleep(60 * MINUTES)
            end, peak = (memory_megabytes(ours.pid, kind) for kind in ("VmRSS", "VmHWM"))
        finally:
            pages.kill()
            pages.wait()
        time.sleep(60)
        rest = memory_megabytes(ours.pid)
    what = f"{STREAMS} streams, {MINUTES} minutes over {FLUNG:,}"
    report.add("memory", f"{what}: at the end", "MB", end, target="<= 150", holds=end <= 150, peak=peak)
    report.add("memory", f"{what}: at rest", "MB", rest, target="<= 110", holds=rest <= 110)


async def fling(port: int):
    """Twenty viewports per second with some pauses; everything that arrives is read and acknowledged."""
    async def page(number: int):
        reader, writer = await opened(port, "127.0.0.1")
        received = 0

        async def take():
            nonlocal received
            while piece := await reader.read(65_536):
                received += len(piece)
        taking, first, step = asyncio.create_task(take()), number * FLUNG // STREAMS, 0
        while not taking.done():
            rests = step % 40 >= 30
            if not rests:
                first = (first + 23) % (FLUNG - 60)
            writer.write(masked(viewport(first, 40) | {"velocity": 0 if rests else 460, "received": received}))
            await writer.drain()
            step += 1
            await asyncio.sleep(0.05)

    await asyncio.gather(*(page(number) for number in range(STREAMS)))


def make_links(folder, count):
    """Many names of one small picture."""
    (one,) = originals.small_pictures(1).iterdir()
    (folder / "IMG_00000.jpg").write_bytes(one.read_bytes())
    first = folder / "IMG_00000.jpg"
    for number in range(1, count):
        # An inode can have only this many names.
        if number % 60_000 == 0:
            first = folder / f"IMG_{number:05}.jpg"
            first.write_bytes(one.read_bytes())
        else:
            (folder / f"IMG_{number:05}.jpg").hardlink_to(first)


if __name__ == "__main__":
    asyncio.run(fling(int(sys.argv[1])))
