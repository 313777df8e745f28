"""How long single callbacks occupy an event loop, with a million images and a thousand open pages that scroll."""

import asyncio
import json
import pathlib
import random
import re
import subprocess
import sys
import time

import memory
import originals
from measuring import memory_megabytes
from peers import Tessera
from streaming import masked, opened, viewport

IMAGES, STREAMS, SECONDS = 1_000_000, 1_000, 30


def run(report, options):
    folder = originals.made(f"links-{IMAGES}", lambda folder: memory.make_links(folder, IMAGES))
    with Tessera(folder, "--client-streams", STREAMS) as ours:
        ours.images(1)
        while (status := ours.json("/api/v1/status"))["total"] < IMAGES or status["scanning"]:
            time.sleep(0.5)
        pages = subprocess.Popen([sys.executable, __file__, str(ours.port)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            pages.stdout.readline()
            before = buckets(ours)
            time.sleep(SECONDS)
            after = buckets(ours)
            streams = ours.json("/api/v1/status")["streams"]["open"]
            if streams < STREAMS:
                raise RuntimeError(f"only {streams} streams are open")
            resident = memory_megabytes(ours.pid)
        finally:
            pages.kill()
            pages.wait()
    counts = {bound: after[bound] - before[bound] for bound in after}
    total = counts[float("inf")]
    tail = min(bound for bound, count in counts.items() if count >= 0.999 * total)
    longest = min(bound for bound, count in counts.items() if count == total)
    what = f"{IMAGES:,} images, {streams} streams: a turn,"
    report.add("turns", f"{what} p99.9, at most", "ms", 1e3 * tail, target="<= 1", holds=tail <= 1.1e-3, turns=total,
               counts={str(bound): count for bound, count in counts.items()})
    report.add("turns", f"{what} longest, at most", "ms", 1e3 * longest, memory=resident)


def buckets(ours: Tessera) -> dict[float, int]:
    """The number of iterations so far that took no longer than each bound, in seconds."""
    _, text = ours.request("GET", "/metrics")
    found = re.findall(r'tessera_loop_callback_seconds_bucket\{le="([^"]+)"\} (\d+)', text.decode())
    return {float(bound.replace("+", "")): int(count) for bound, count in found}


async def scroll(port: int):
    """Pages that go somewhere else every few seconds, and read what they are sent."""
    chance = random.Random(7)
    waiting = asyncio.Event()

    async def take(reader: asyncio.StreamReader):
        while await reader.read(65_536):
            pass

    async def page():
        reader, writer = await opened(port, "127.0.0.1")
        taking = asyncio.create_task(take(reader))
        await waiting.wait()
        while not taking.done():
            writer.write(masked(viewport(chance.randrange(IMAGES - 60), 30)))
            await writer.drain()
            await asyncio.sleep(chance.uniform(2, 6))

    async def order():
        """An API client that requests pages, and the maximum number of tokens per request."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            first = chance.randrange(IMAGES - 500)
            body = json.dumps({"first": first, "count": 500, "rendition": "tile", "purpose": "prefetch"}).encode()
            for request in (f"GET /api/v1/images?limit=500&offset={first} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
                            (f"POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                             f"Content-Length: {len(body)}\r\n\r\n").encode() + body):
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))
            await asyncio.sleep(0.5)

    pages = [asyncio.create_task(page()) for _ in range(STREAMS)]
    await asyncio.sleep(5)
    waiting.set()
    await asyncio.sleep(5)
    print("scrolling", flush=True)
    await asyncio.gather(order(), *pages)


if __name__ == "__main__":
    asyncio.run(scroll(int(sys.argv[1])))
