"""Pages whose streams deliver what is in memory, in a process of their own: any number of frames, and their cost."""

import asyncio
import json
import subprocess
import sys

from streaming import Frames, masked, opened

# With this many streams, one client has as much room as a single stream can use.
PAGES, SLOTS = 8, 50
# Seconds from an arrival to its acknowledgement, which covers everything that arrived meanwhile.
ACKNOWLEDGING = 0.005
# Device pixels that need exactly this rendition.
PIXELS = {"preview": 60, "tile": 320}


class Pages:
    """A child process that opens streams when it begins, and scrolls through `images` pictures on request."""

    def __init__(self, port: int, images: int, accept: str):
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(dict(port=port, images=images, accept=accept))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(20)

    def forget(self, rendition: str):
        """Each page drops everything that it holds of a rendition."""
        self._ask("forget", rendition)

    def bring(self, rendition: str) -> tuple[int, int]:
        """Each page scrolls from the first picture to the last. Returns the number of frames and their bytes."""
        frames, count = self._ask("bring", rendition)
        return frames, count

    def _ask(self, *words: str) -> list[int]:
        self._process.stdin.write(" ".join(words) + "\n")
        self._process.stdin.flush()
        return [int(word) for word in self._process.stdout.readline().split()]


class Page:
    """One page: what its stream delivers is counted, and discarded at once."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer
        self._frames, self._received, self._wanted = 0, 0, 0
        self._acknowledges = False
        self._held: dict[str, str] = {}
        self._there = asyncio.Event()
        self._taking = asyncio.create_task(self._take())

    async def _take(self):
        frames = Frames()
        while data := await self._reader.read(1 << 18):
            for opcode, payload in frames.taken(data):
                self._frame(opcode, payload)

    def _frame(self, opcode: int, payload: bytes):
        if opcode == 1:
            for token in json.loads(payload).get("tokens", []):
                self._held[token["image"]] = token["version"]
            return
        self._frames += 1
        self._received += len(payload)
        if self._frames >= self._wanted:
            self._there.set()
        if not self._acknowledges:
            self._acknowledges = True
            asyncio.get_running_loop().call_later(ACKNOWLEDGING, self._acknowledge)

    def _acknowledge(self):
        self._acknowledges = False
        self._writer.write(masked({"type": "received", "bytes": self._received}))

    def forget(self, images: int, rendition: str):
        # Pictures on screen would be sent again immediately, so go beyond the last one.
        self._look(images, rendition)
        self._writer.write(masked({"type": "forgot", "images": [
            {"image": image, "version": version, "renditions": [rendition]} for image, version in self._held.items()]}))

    async def bring(self, images: int, rendition: str) -> tuple[int, int]:
        frames, count = self._frames, self._received
        for first in range(0, images, SLOTS):
            self._wanted = frames + min(images, first + SLOTS)
            self._there.clear()
            self._look(first, rendition)
            await asyncio.wait_for(self._there.wait(), 60)
        return self._frames - frames, self._received - count

    def _look(self, first: int, rendition: str):
        self._writer.write(masked({
            "type": "viewport", "revision": 1, "first": first, "count": SLOTS, "direction": 0, "ahead": 0, "behind": 0,
            "pixels": PIXELS[rendition]}))


async def main(port: int, images: int, accept: str):
    pages = [Page(*await opened(port, "127.0.0.1", accept)) for _ in range(PAGES)]
    print("open", flush=True)
    while words := (await asyncio.to_thread(sys.stdin.readline)).split():
        what, rendition = words
        if what == "forget":
            for page in pages:
                page.forget(images, rendition)
            print(flush=True)
        else:
            brought = await asyncio.gather(*(page.bring(images, rendition) for page in pages))
            print(*(sum(figures) for figures in zip(*brought)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
