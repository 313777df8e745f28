"""Two hundred API clients in one process, each with its own connection: they read pages, fetch tiles and originals,
request tokens and cancel them, and some disconnect in the middle of a response."""

import asyncio
import json
import random
import sys

# The maximum number of seconds between two requests of one client.
THINKS = 1.5
PATIENCE = 60.0


class Client:
    def __init__(self, port: int, seed: int):
        self.port, self.chance = port, random.Random(seed)
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.images: list[dict] = []
        self.session: dict = {}

    async def live(self, counts: dict[str, int]):
        acts = [self.page, self.tile, self.tile, self.tile, self.tokens, self.cancel, self.part, self.leave]
        while True:
            await asyncio.sleep(self.chance.uniform(0, THINKS))
            try:
                status = await asyncio.wait_for(self.chance.choice(acts)(), PATIENCE)
                counts[str(status)] = counts.get(str(status), 0) + 1
            except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                counts[type(error).__name__] = counts.get(type(error).__name__, 0) + 1
                self.close()

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None

    async def send(self, method: str, target: str, body: dict | None = None, more: str = ""):
        if not self.streams:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        data = json.dumps(body).encode() if body is not None else b""
        if body is not None:
            more += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        self.streams[1].write(
            f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nAccept: image/webp,*/*\r\n{more}\r\n".encode() + data)

    async def ask(self, method: str, target: str, body: dict | None = None, more: str = "") -> tuple[int, bytes]:
        await self.send(method, target, body, more)
        reader = self.streams[0]
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split()[1])
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        content = b""
        if "chunked" in fields.get("transfer-encoding", ""):
            while length := int(await reader.readline(), 16):
                content += await reader.readexactly(length)
                await reader.readline()
            await reader.readline()
        elif status not in (204, 304):
            content = await reader.readexactly(int(fields["content-length"]))
        if fields.get("connection") == "close":
            self.close()
        return status, content

    # The actions of a client. Each returns the status that it got.

    async def page(self):
        status, content = await self.ask("GET", f"/api/v1/images?limit=100&offset={self.chance.randrange(2_000)}")
        if status == 200:
            self.images = json.loads(content)["images"] or self.images
        return status

    async def tile(self):
        if not self.images:
            return await self.page()
        link = self.chance.choice(self.images)["links"][self.chance.choice(["tile", "preview"])]
        return (await self.ask("GET", link))[0]

    async def part(self):
        if not self.images:
            return await self.page()
        link = self.chance.choice(self.images)["links"]["original"]
        return (await self.ask("GET", link, more="Range: bytes=0-999\r\n"))[0]

    async def tokens(self):
        body = {"first": self.chance.randrange(1_000), "count": 24, "purpose": self.chance.choice(["visible", "prefetch"])}
        status, content = await self.ask("POST", "/api/v1/tokens", {**body, **self._named()})
        if status == 201:
            self.session = json.loads(content)
        return status

    def _named(self) -> dict:
        return {"session": self.session["session"]} if self.session and self.chance.random() < 0.8 else {}

    async def cancel(self):
        if not self.session:
            return await self.tokens()
        body = {"session": self.session["session"]}
        if self.chance.random() < 0.5:
            body["tokens"] = [token["token"] for token in self.session["tokens"]][:100]
        else:
            self.session = {}
        return (await self.ask("POST", "/api/v1/tokens/cancel", body))[0]

    async def leave(self):
        """Requests something long and disconnects, before or during the response."""
        if self.images:
            await self.send("GET", self.chance.choice(self.images)["links"]["original"])
            await self.streams[1].drain()
            await asyncio.sleep(self.chance.uniform(0, 0.2))
        self.close()
        # The client has disconnected, so there is no status. The next connection follows at once, as from a page.
        self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        return "left"


async def main(port: int, count: int):
    counts: dict[str, int] = {}
    async with asyncio.TaskGroup() as group:
        for seed in range(count):
            group.create_task(Client(port, seed).live(counts))
        while True:
            await asyncio.sleep(1)
            print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
