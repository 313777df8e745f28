"""Starts and stops the measured programs: Tessera, nginx, Varnish."""

import http.client
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for_port(port: int, process: subprocess.Popen, patience: float = 20):
    deadline = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{process.args[0]} does not listen on port {port}")
            time.sleep(0.05)


class Peer:
    """A server process with a folder of its own, which ends with its `with` block."""

    process: subprocess.Popen
    port: int

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="tessera-bench-", ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self._folder.name)
        self.folder.chmod(0o755)

    @property
    def pid(self) -> int:
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._folder.cleanup()

    def request(self, method: str, target: str, body=None, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, target, json.dumps(body) if body is not None else None, {
            "Content-Type": "application/json", **headers} if body is not None else headers)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response, content


class Tessera(Peer):
    """`tessera serve WORDS` (or another command) on a free port, with a data folder of its own or with `data`;
    `urls` become a list; `environment` is added to the inherited one."""

    def __init__(self, *words, urls: Iterable[str] = (), command: str = "serve", data: pathlib.Path | None = None,
                 environment: dict[str, str] | None = None):
        super().__init__()
        if urls:
            (self.folder / "urls.txt").write_text("".join(f"{url}\n" for url in urls))
            words = (self.folder / "urls.txt", *words, "--allow-address", "127.0.0.0/8")
        inherited = {name: value for name, value in os.environ.items() if name in (
            "TESSERA_PUBLIC", "MALLOC_ARENA_MAX") or not name.startswith("TESSERA_")}
        self._log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            [os.environ["TESSERA_BINARY"], command, *map(str, words), "--port", "0",
             "--data", str(data or self.folder / "data")],
            # Nothing that is measured cold may be made in advance.
            env={**inherited, "TESSERA_NO_TILES_AHEAD": "1", **(environment or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log)
        self.port = self._address(20)

    def _address(self, patience: float) -> int:
        deadline, told = time.monotonic() + patience, b""
        while time.monotonic() < deadline and self.process.poll() is None:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                told += os.read(self.process.stdout.fileno(), 4096)
                found = re.search(rb"http://[^\s/]+:(\d+)", told)
                if found:
                    return int(found[1])
        log = (self.folder / "log").read_text(errors="replace")
        raise RuntimeError(f"tessera did not become ready:\n{told.decode()}{log}")

    def json(self, target: str) -> dict:
        response, content = self.request("GET", target)
        if response.status != 200:
            raise RuntimeError(f"{target}: {response.status} {content[:300]!r}")
        return json.loads(content)

    def post(self, target: str, body: dict, **headers: str) -> dict:
        response, content = self.request("POST", target, body, **headers)
        if response.status not in (200, 201):
            raise RuntimeError(f"{target}: {response.status} {content[:300]!r}")
        return json.loads(content)

    def metric(self, name: str) -> float:
        text = self.request("GET", "/metrics")[1].decode()
        return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))

    def images(self, count: int) -> list[dict]:
        """The first `count` images, once the catalog has that many."""
        deadline = time.monotonic() + 60
        while self.json("/api/v1/images?limit=1")["total"] < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the catalog does not come to {count} images")
            time.sleep(0.05)
        images: list[dict] = []
        while len(images) < count:
            images += self.json(f"/api/v1/images?limit=500&offset={len(images)}")["images"]
        return images[:count]


class Nginx(Peer):
    """nginx with a folder of static files, tuned as its guides recommend."""

    def __init__(self, files: dict[str, bytes], type: str):
        super().__init__()
        self.port = free_port()
        pages = self.folder / "files"
        for name, content in files.items():
            (pages / name).parent.mkdir(parents=True, exist_ok=True)
            (pages / name).write_bytes(content)
        (self.folder / "nginx.conf").write_text(f"""
            daemon off;
            {'user root;' if os.getuid() == 0 else ''}
            worker_processes auto;
            pid {self.folder}/pid;
            error_log {self.folder}/errors warn;
            events {{ worker_connections 8192; }}
            http {{
                access_log off;
                sendfile on;
                tcp_nopush on;
                open_file_cache max=10000 inactive=300s;
                open_file_cache_valid 300s;
                keepalive_requests 1000000000;
                types {{ text/html html; text/css css; text/javascript js; image/avif avif; }}
                default_type {type};
                client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;
                fastcgi_temp_path {self.folder}/fast; uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
                server {{ listen 127.0.0.1:{self.port} reuseport backlog=1024; root {pages}; }}
            }}""")
        self.process = subprocess.Popen(
            ["nginx", "-p", str(self.folder), "-e", str(self.folder / "errors"), "-c", str(self.folder / "nginx.conf")],
            stdin=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)


class Varnish(Peer):
    """Varnish in front of one origin, with enough threads for a crowd from the start."""

    def __init__(self, origin_port: int):
        super().__init__()
        self.port = free_port()
        self.process = subprocess.Popen(
            ["varnishd", "-F", "-n", str(self.folder / "work"), "-a", f"127.0.0.1:{self.port}", "-j", "none",
             "-b", f"127.0.0.1:{origin_port}", "-s", "malloc,512m", "-p", "thread_pool_min=700",
             "-p", "thread_pool_max=2000", "-p", "thread_pools=2", "-p", "listen_depth=2048"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)
