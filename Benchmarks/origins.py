"""Origins for the benchmarks: one that drips its bytes, one that takes its time before it answers, one that never does. Each
is a process of its own."""

import asyncio
import json
import pathlib
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
        """For each path: how often it was asked; and the moments (monotonic) of asking and closing."""
        with urllib.request.urlopen(self.url("/-/facts"), timeout=30) as response:
            return json.load(response)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Served:
    """What happened to the requests: how often each path was asked, when each was asked and closed."""

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
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nCache-Control: max-age=3600\r\n"
                                 b"Content-Length: %d\r\n\r\n" % len(self.body) + self.body)
                    await writer.drain()
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.note(head.split(b" ")[1].decode())
            else:
                await self.drip(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def note(self, path: str):
        self.counts[path] = self.counts.get(path, 0) + 1
        self.asked[path] = time.monotonic()

    async def drip(self, writer: asyncio.StreamWriter):
        """The body in equal parts over the given seconds, on a schedule that does not drift."""
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
    # Addresses of the loopback network are each another origin; all listen on one port.
    hosts = settings.get("hosts", ["127.0.0.1"])
    server = await asyncio.start_server(served.serve, hosts[0], 0, backlog=2048)
    port = server.sockets[0].getsockname()[1]
    others = await asyncio.start_server(served.serve, hosts[1:], port) if hosts[1:] else server
    print(port, flush=True)
    await others.start_serving()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
