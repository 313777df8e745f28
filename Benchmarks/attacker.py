"""One hostile client in a process of its own: sends as many requests of one kind as it can, from an address of its
own, until it is terminated. Prints "busy" once it has begun."""

import asyncio
import json
import os
import sys

from streaming import masked, opened, viewport

SOURCE = "127.0.0.2"


class Attacker:
    def __init__(self, port: int, images: list[str]):
        self.port, self.images = port, images
        self.kept: list[tuple] = []

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(SOURCE, 0))

    def post(self, body: dict, target: str = "/api/v1/tokens") -> bytes:
        text = json.dumps(body).encode()
        head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
        return head.encode() + b"\r\n\r\n" + text

    async def forever(self, step):
        """Repeats a step, and reconnects when the server closes the connection."""
        while True:
            try:
                await step()
            except (OSError, asyncio.IncompleteReadError, ValueError):
                await asyncio.sleep(0.05)

    async def posts(self, body: dict):
        """The same POST endlessly over one connection."""
        reader, writer = await self.connect()
        try:
            while True:
                writer.write(self.post(body))
                await writer.drain()
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
                await reader.readexactly(length)
        finally:
            writer.close()

    def slots(self, count: int) -> list[dict]:
        return [{"slot": slot, "image": self.images[slot % len(self.images)]} for slot in range(count)]

    async def tokens(self):
        await asyncio.gather(*(self.forever(lambda: self.posts({"slots": self.slots(500)})) for _ in range(4)))

    async def sessions(self):
        await asyncio.gather(*(self.forever(lambda: self.posts({"slots": self.slots(1)})) for _ in range(16)))

    async def streams(self):
        """Streams that show one viewport after another, and never read."""
        async def one():
            _, writer = await opened(self.port, SOURCE)
            first = 0
            while True:
                writer.write(masked(viewport(first)))
                await writer.drain()
                first = (first + 97) % max(1, len(self.images) - 60)
                await asyncio.sleep(0.2)
        await asyncio.gather(*(self.forever(one) for _ in range(400)))

    async def connections(self):
        """Idle connections."""
        async def one():
            reader, writer = await self.connect()
            self.kept.append((reader, writer))
            await reader.read()
            raise OSError
        await asyncio.gather(*(self.forever(one) for _ in range(4_000)))

    async def bodies(self):
        """Request bodies that begin at once and then pause."""
        async def one():
            reader, writer = await self.connect()
            head = b"POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 131000\r\n\r\n"
            writer.write(head + b" " * 130_000)
            await reader.read()
            raise OSError
        await asyncio.gather(*(self.forever(one) for _ in range(1_500)))

    async def loads(self):
        """Many requests at once for pictures that were never rendered, whose bytes are never read."""
        async def one(start: int):
            reader, writer = await self.connect()
            for number in range(start, len(self.images), 200):
                writer.write(f"GET /images/{self.images[number]}/screen HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            await reader.read(1)
            await asyncio.sleep(3_600)
        await asyncio.gather(*(self.forever(lambda start=start: one(start)) for start in range(200)))

    async def chunks(self):
        """Chunked bodies with chunks of one byte."""
        async def one():
            reader, writer = await self.connect()
            writer.write(b"POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(130):
                writer.write(b"1\r\n \r\n" * 1_000)
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await reader.read()
            raise OSError
        await asyncio.gather(*(self.forever(one) for _ in range(16)))


KINDS = ["tokens", "sessions", "streams", "connections", "bodies", "loads", "chunks"]


async def main(settings: dict):
    attacker = Attacker(settings["port"], settings["images"])
    print("busy", flush=True)
    await asyncio.gather(*(getattr(attacker, kind)() for kind in settings["kinds"]))


if __name__ == "__main__":
    # A real attacker has a machine of its own. Here it gets what the server, its render workers (which have a low
    # priority themselves) and the other client leave.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    asyncio.run(main(json.loads(sys.stdin.readline())))
