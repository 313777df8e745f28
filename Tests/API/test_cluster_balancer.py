"""Three nodes behind nginx, configured as in Packaging/cluster: a frozen node holds up no client."""

import http.client
import json
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from gallery import ROOT, Gallery, free_port, is_listening, wait_until
# Includes fixtures.
from test_cluster import nodes, redis, status

# How long nginx waits for a node, and half as much again for a busy machine, in seconds.
AT_MOST = 4.5


class Balancer:
    """nginx with the containers' configuration, on free ports of this machine."""

    def __init__(self, all_three: list[Gallery], folder: pathlib.Path):
        self.port = free_port()
        text = (ROOT / "Packaging/cluster/nginx.conf").read_text()
        for number, node in enumerate(all_three, 1):
            text = text.replace(f"node-{number}:8080", f"127.0.0.1:{node.port}")
        text = text.replace("listen 8080", f"listen 127.0.0.1:{self.port}").replace("/tmp/", f"{folder}/")
        text = text.replace("worker_processes auto", "worker_processes 1")
        folder.chmod(0o755)
        (folder / "nginx.conf").write_text(text)
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin")
        assert program, "no nginx is installed: run Scripts/install test"
        self._process = subprocess.Popen(
            [program, "-c", folder / "nginx.conf", "-e", folder / "nginx.log"], stdin=subprocess.DEVNULL)
        wait_until(lambda: is_listening(self.port), "nginx to answer")

    def close(self):
        self._process.terminate()
        self._process.wait(10)


class Browser:
    """A client that stays with a node by its cookie, and keeps its connection open."""

    def __init__(self, balancer: Balancer, name: str):
        self._connection = http.client.HTTPConnection("127.0.0.1", balancer.port, timeout=30)
        self._cookie = f"tessera_browser={name}"

    def ask(self, method: str, target: str, body=None):
        """The response, its text, and the time it took in seconds."""
        begun = time.monotonic()
        headers = {"Cookie": self._cookie} | ({"Content-Type": "application/json"} if body else {})
        self._connection.request(method, target, json.dumps(body) if body else None, headers)
        answer = self._connection.getresponse()
        return answer, answer.read(), time.monotonic() - begun

    def close(self):
        self._connection.close()


@pytest.fixture
def frozen(nodes, shared_folder, tmp_path):
    """A browser whose node froze after a few requests."""
    all_three = nodes(3, folder=shared_folder)
    for node in all_three:
        node.images(12)
    folder = tmp_path / "nginx"
    folder.mkdir()
    balancer = Balancer(all_three, folder)
    browser = Browser(balancer, "one")
    try:
        for _ in range(5):
            told = json.loads(browser.ask("GET", "/api/v1/status")[1])["cluster"]["node"]
        (home,) = [node for node in all_three if status(node)["cluster"]["node"] == told]
        home.process.send_signal(signal.SIGSTOP)
        yield browser
        home.process.send_signal(signal.SIGCONT)
    finally:
        browser.close()
        balancer.close()


def test_an_idempotent_request_is_retried_on_another_node(frozen):
    answer, body, took = frozen.ask("GET", "/api/v1/images?limit=5")
    assert answer.status == 200 and json.loads(body)["total"] == 12
    assert took < AT_MOST
    answer, _, took = frozen.ask("GET", "/api/v1/images?limit=5")
    assert answer.status == 200 and took < 1, "later requests still wait for the node"


def test_a_request_that_cannot_be_retried_gets_503_with_retry_after(frozen):
    order = {"rendition": "tile", "first": 0, "count": 2}
    answer, body, took = frozen.ask("POST", "/api/v1/tokens", order)
    assert answer.status == 503 and answer.headers["Retry-After"] == "1"
    assert answer.headers["Content-Type"] == "application/problem+json" and json.loads(body)["status"] == 503
    assert took < AT_MOST
    answer, body, took = frozen.ask("POST", "/api/v1/tokens", order)
    assert answer.status == 201 and len(json.loads(body)["tokens"]) == 2
