"""Origins for the benchmarks: one that sends slowly, one that responds late, and one that never responds. Each is a
process of its own."""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.request


class Origin:
    """A child process that runs one of the servers below."""

    def __init__(self, kind: str, **settings):
        self.process = subprocess.Popen(
            [sys.executable, __file__, kind, json.dumps(settings)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def facts(self) -> dict:
        """For each path: the number of requests; and the times (monotonic) of requests and closes."""
        with urllib.request.urlopen(self.url("/-/facts"), timeout=30) as response:
            return json.load(response)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Served:
    """A record of the requests: how often each path was requested, and when each request came and was closed."""

    def __init__(self, settings: dict):
        self.settings = settings
        self.counts: dict[str, int] = {}
        self.asked: dict[str, float] = {}
        self.closed: dict[str, float] = {}
        self.body = pathlib.Path(settings["file"]).read_bytes() if "file" in settings else b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            if path.startswith("/-/"):
                answer = json.dumps({"counts": self.counts, "asked": self.asked, "closed": self.closed}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)
                await writer.drain()
                return
            self.note(path)
            if self.settings.get("hangs"):
                await reader.read()
                self.closed[path] = time.monotonic()
            elif "delay" in self.settings:
                while True:
                    await asyncio.sleep(self.settings["delay"])
                    status, part = self.part(head)
                    writer.write(b"HTTP/1.1 " + status + b"Content-Type: image/jpeg\r\nETag: \"one\"\r\n"
                                 b"Cache-Control: max-age=3600\r\nContent-Length: %d\r\n\r\n" % len(part) + part)
                    await writer.drain()
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.note(head.split(b" ")[1].decode())
            else:
                await self.drip(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def part(self, head: bytes) -> tuple[bytes, bytes]:
        """The status line and field for the requested range of the body, and its bytes."""
        range = self.settings.get("ranges", True) and re.search(rb"\r\nrange: bytes=(\d+)-(\d*)\r\n", head, re.IGNORECASE)
        if not range:
            return b"200 OK\r\n", self.body
        first, last = int(range[1]), int(range[2] or len(self.body) - 1)
        part = self.body[first : last + 1]
        whole = len(self.body)
        return b"206 Partial Content\r\nContent-Range: bytes %d-%d/%d\r\n" % (first, first + len(part) - 1, whole), part

    def note(self, path: str):
        self.counts[path] = self.counts.get(path, 0) + 1
        self.asked[path] = time.monotonic()

    async def drip(self, writer: asyncio.StreamWriter):
        """Sends the body in equal parts over the given seconds, on a schedule without drift."""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nETag: \"one\"\r\nCache-Control: max-age=3600\r\n"
                     b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(self.body))
        part = self.settings["part"]
        start, step = time.monotonic(), self.settings["seconds"] / (len(self.body) / part)
        for number, offset in enumerate(range(0, len(self.body), part)):
            writer.write(self.body[offset : offset + part])
            await writer.drain()
            await asyncio.sleep(max(0, start + (number + 1) * step - time.monotonic()))


async def main(kind: str, settings: dict):
    served = Served({**settings, "hangs": kind == "hang"})
    # Each address of the loopback network is a separate origin; all listen on the same port.
    hosts = settings.get("hosts", ["127.0.0.1"])
    server = await asyncio.start_server(served.serve, hosts[0], 0, backlog=2048)
    port = server.sockets[0].getsockname()[1]
    others = await asyncio.start_server(served.serve, hosts[1:], port) if hosts[1:] else server
    print(port, flush=True)
    await others.start_serving()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
