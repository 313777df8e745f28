"""Three nodes of the image by Packaging/cluster/compose.yaml, with their Redis and their PostgreSQL, behind nginx."""

import http.client
import json
import os
import shutil
import socket
import subprocess

import pytest

import pictures
from conftest import ENGINE, HERE, engine
from gallery import wait_until

BROWSERS = [f"browser-{number}" for number in range(24)]


def compose_words() -> list[str]:
    """How Compose is called: the engine's own, else the program that speaks with Docker."""
    if subprocess.run([ENGINE, "compose", "version"], capture_output=True).returncode == 0:
        return [ENGINE, "compose"]
    if shutil.which("docker-compose") and "docker" in ENGINE:
        return ["docker-compose"]
    pytest.skip("there is no Compose (docker-compose-plugin, or docker-compose)")


class Cluster:
    """What Compose has started, and how it is spoken with."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self._words = [*compose_words(), "--project-name", "tessera-tried", "--file",
                       str(HERE.parents[1] / "Packaging/cluster/compose.yaml")]
        self._environment = {**os.environ, "PICTURES": str(folder), "PORT": str(self.port), "SUBNET": "172.31.251"}

    def compose(self, *words: str) -> str:
        ended = subprocess.run(
            [*self._words, *words], env=self._environment, capture_output=True, text=True, timeout=100)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def get(self, target: str, browser: str | None = None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", target, headers={"Cookie": f"tessera_browser={browser}"} if browser else {})
            answer = connection.getresponse()
            return answer, answer.read()
        except (OSError, http.client.HTTPException):
            return None, b""
        finally:
            connection.close()

    def node(self, browser: str) -> str | None:
        """What the node calls itself that this browser is with; nothing unless it is there and sees Redis and PostgreSQL."""
        answer, body = self.get("/api/v1/status", browser)
        if answer is None or answer.status != 200:
            return None
        status = json.loads(body)
        are_there = status["cluster"]["redis"] == "connected" and status["database"]["figures"]["current"] == 1
        return status["cluster"]["node"] if are_there else None

    def nodes(self) -> list[str | None]:
        return [self.node(browser) for browser in BROWSERS]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster") / "pictures"
    pictures.write(folder, a__jpg=pictures.encoded("JPEG"))
    for path in (folder, folder.parent):
        path.chmod(0o755)
    cluster = Cluster(folder)
    try:
        cluster.compose("up", "--detach", "--no-build")
        yield cluster
    finally:
        cluster.compose("down", "--volumes", "--timeout", "10")


def all_nodes(cluster: Cluster) -> list[str]:
    """Which node each of the browsers is with, once all three are there, see Redis, and nobody is moved any more."""
    told = []

    def are_there() -> bool:
        before = told[:]
        told[:] = cluster.nodes()
        return told == before and None not in told and len(set(told)) == 3

    wait_until(are_there, "three nodes with their Redis", lambda: cluster.compose("logs"))
    return told


def test_a_browser_stays_with_its_node_and_goes_to_another_while_that_is_gone(cluster):
    before = all_nodes(cluster)
    answer, page = cluster.get("/")
    assert answer.status == 200 and b"<title>" in page
    assert answer.getheader("Set-Cookie", "").startswith("tessera_browser=")
    assert cluster.get("/", "known")[0].getheader("Set-Cookie") is None
    assert cluster.get("/metrics")[0].status == 404

    victim = cluster.compose("ps", "--quiet", "node-2").strip()
    engine("kill", victim)
    during = cluster.nodes()
    assert None not in during and len(set(during)) == 2
    (gone,) = set(before) - set(during)
    assert set(during) < set(before)
    # Who was with another stays there.
    assert all(now == then for now, then in zip(during, before) if then != gone)

    engine("start", victim)

    def is_healed() -> bool:
        """Everybody is where they were, and who was with the one that ended, with the one that came for it."""
        after = cluster.nodes()
        came = {now for now, then in zip(after, before) if then == gone}
        others = [now == then for now, then in zip(after, before) if then != gone]
        return len(came) == 1 and came.isdisjoint({None, *during}) and all(others)

    wait_until(is_healed, "the third node to be used again", lambda: str(cluster.nodes()))


def test_a_node_that_stands_still_is_passed_over_once_somebody_has_asked_how_it_is(cluster):
    before = all_nodes(cluster)
    victim = cluster.compose("ps", "--quiet", "node-3").strip()
    engine("pause", victim)
    try:
        assert {cluster.get("/healthz", browser)[0].status for browser in BROWSERS} == {200}
        during = cluster.nodes()
        assert None not in during and len(set(during)) == 2
    finally:
        engine("unpause", victim)
    wait_until(lambda: cluster.nodes() == before, "everybody to be where they were", lambda: str(cluster.nodes()))
