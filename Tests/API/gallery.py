"""A running Tessera, and the helpers by which tests talk to it."""

import http.client
import json
import os
import pathlib
import queue
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOOPBACK = ("--allow-address", "127.0.0.0/8")
# For servers that must give a picture the same id although they share no library.
SAME_IDS = {"TESSERA_SECRET": "the same on all of them"}
# Generous, because the machine may be busy.
PATIENCE = 30.0


def binary() -> str:
    """The program under test: TESSERA_BINARY, or else the latest build."""
    named = os.environ.get("TESSERA_BINARY")
    built = [ROOT / ".build" / kind / "tessera" for kind in ("release", "debug")]
    there = [named] if named else sorted((p for p in built if p.exists()), key=lambda p: -p.stat().st_mtime)
    if not there:
        raise RuntimeError("no tessera is built: run `swift build --product tessera`, or set TESSERA_BINARY")
    return str(there[0])


def environment(data: pathlib.Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TESSERA_", "OTEL_"))}
    public = os.environ.get("TESSERA_PUBLIC", str(ROOT / "Public"))
    # Tests count the results of their own requests, so background work is off. Tests of indexing turn it on.
    return {**kept, "TESSERA_PUBLIC": public, "TESSERA_DATA": str(data), "TESSERA_NO_EXAMINE": "1",
            "TESSERA_NO_TILES_AHEAD": "1", **more}


def run(*words: str, data: pathlib.Path, before: tuple[str, ...] = (), timeout: float = PATIENCE, **more: str):
    """Runs the program to its end, for cases in which it must refuse to start."""
    return subprocess.run(
        [*before, binary(), *map(str, words)], env=environment(data, **more), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=timeout)


def free_port() -> int:
    """A port of this machine that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return True
    except OSError:
        return False


class Answer:
    """A response, read completely."""

    def __init__(self, response: http.client.HTTPResponse, body: bytes):
        self.status, self.headers, self.body = response.status, response.headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def type(self) -> str:
        return self.headers.get_content_type()

    def is_problem(self, *statuses: int) -> bool:
        """Whether this is an RFC 9457 problem with one of `statuses`, with texts for people."""
        assert self.status in statuses, f"{self.status} is none of {statuses}: {self.body[:300]!r}"
        assert self.type == "application/problem+json", self.type
        problem = self.json
        assert problem["status"] == self.status
        assert isinstance(problem["title"], str) and problem["title"]
        for internal in ("/home", "/tmp", "vips", "Vips", "SQLITE", "Swift.", "NSError", "127.0.0.1"):
            assert internal not in problem.get("detail", ""), f"the response reveals internals: {problem}"
        return True


class Gallery:
    """A server process. Call `stop`, or use it in a `with` statement."""

    def __init__(self, *words, data: pathlib.Path, command: str = "serve", before: tuple[str, ...] = (), **more: str):
        self.process = subprocess.Popen(
            [*before, binary(), command, *map(str, words), "--port", "0"], env=environment(data, **more),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._lines: list[str] = []
        self._ready: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=(stream, stream is self.process.stdout), daemon=True)
            for stream in (self.process.stdout, self.process.stderr)]
        for reader in self._readers:
            reader.start()
        try:
            self.port = self._await_address()
        except BaseException:
            self.kill()
            raise

    def _read(self, stream, tells_address: bool):
        for line in stream:
            self._lines.append(line)
            found = re.search(r"http://[^\s/]+:(\d+)", line) if tells_address else None
            if found:
                self._ready.put(found[1])
        if tells_address:
            self._ready.put(None)

    def _await_address(self) -> int:
        try:
            port = self._ready.get(timeout=PATIENCE)
        except queue.Empty:
            port = None
        if port is None:
            raise RuntimeError(f"the server did not become ready:\n{self.log}")
        return int(port)

    @property
    def log(self) -> str:
        return "".join(self._lines)

    def connection(self, timeout: float = PATIENCE) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method: str, target: str, body=None, headers=None, timeout: float = PATIENCE) -> Answer:
        headers = dict(headers or {})
        if body is not None:
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        connection = self.connection(timeout)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def get(self, target: str, timeout: float = PATIENCE, **headers: str) -> Answer:
        return self.ask("GET", target, headers=headers, timeout=timeout)

    def post(self, target: str, body, **headers: str) -> Answer:
        return self.ask("POST", target, body, headers)

    def page(self, **query) -> dict:
        answer = self.get("/api/v1/images?" + urllib.parse.urlencode(query))
        assert answer.status == 200, answer.body
        return answer.json

    def images(self, count: int) -> dict[str, dict]:
        """The first `count` images by name, once the catalog has that many."""
        wait_until(lambda: self.page(limit=1)["total"] >= count, f"{count} images", lambda: self.log)
        return {image["name"]: image for image in self.page(limit=500)["images"]}

    def tile(self, image: dict, timeout: float = PATIENCE, accept: str = "image/jpeg") -> Answer:
        return self.get(f"/images/{image['id']}/tile", Accept=accept, timeout=timeout)

    def tokens(self, accept: str = "image/jpeg", **body) -> dict:
        """Issues tokens. The loads start at once, so this determines the format."""
        answer = self.post("/api/v1/tokens", body, Accept=accept)
        assert answer.status == 201, answer.body
        return answer.json

    def stop(self, within: float = PATIENCE) -> int:
        """Stops the server as a container engine would, and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(within)
        for reader in self._readers:
            reader.join(5)
        return status

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
                raise


def wait_until(holds, what: str, explain=lambda: "", patience: float = PATIENCE):
    """Polls until `holds()` is true, for conditions that nothing signals."""
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out after {patience} s waiting for {what}. {explain()}")
        time.sleep(0.02)
