"""Several nodes of one gallery of numbered pictures; their Redis server, each behind a gate; and a load balancer."""

import json
import pathlib
import signal
import sys
import time
import urllib.request

from balancer import Balancer, Door, Gate, Traffic
from numbered import folder_of_numbered
from server import ROOT, Server

sys.path.append(str(ROOT / "Tests" / "API"))

from redis_server import Redis  # noqa: E402  (it stands beside the tests of the API)

# Generous, because the machine may be busy.
PATIENCE = 60.0


class Node:
    """One node, which restarts on the same port with the same data."""

    def __init__(self, start, folder: pathlib.Path, data: pathlib.Path, gate: Gate):
        self._start = lambda port: start(
            "serve", folder, "--redis", f"redis://127.0.0.1:{gate.port}", "--workers", 1, data=data, port=port)
        self.gate = gate
        self.server: Server = self._start(0)
        self.port = self.server.port

    def kill(self):
        self.server.process.kill()
        self.server.process.wait(PATIENCE)

    def start_again(self):
        self.server = self._start(self.port)

    def freeze(self):
        self.server.process.send_signal(signal.SIGSTOP)

    def wake(self):
        self.server.process.send_signal(signal.SIGCONT)

    @property
    def redis(self) -> str:
        """`connected` or `away`, as reported by the node."""
        with urllib.request.urlopen(f"{self.server.address}/api/v1/status", timeout=PATIENCE) as answer:
            return json.load(answer)["cluster"]["redis"]

    def until_redis_is(self, state: str):
        until(lambda: self.redis == state, f"a node to find Redis {state}")

    def until_listed(self, count: int):
        def total() -> int:
            with urllib.request.urlopen(f"{self.server.address}/api/v1/images?limit=1", timeout=PATIENCE) as answer:
                return json.load(answer)["total"]

        until(lambda: total() == count, f"{count} pictures to be listed")


class Cluster:
    def __init__(self, start, folder: pathlib.Path, nodes: int, pictures: int):
        self.nodes: list[Node] = []
        self.redis = Redis(folder / "redis")
        self._traffic = Traffic()
        try:
            gallery = folder_of_numbered(folder / "pictures", pictures)
            for number in range(nodes):
                gate = Gate(self._traffic, self.redis.port)
                self.nodes.append(Node(start, gallery, folder / f"node-{number}", gate))
            for node in self.nodes:
                node.until_listed(pictures)
                node.until_redis_is("connected")
            self.balancer = Balancer(self._traffic, [node.port for node in self.nodes])
        except BaseException:
            self.close()
            raise

    def door(self, first: int, others: int | None = None) -> Door:
        """A client's door, which leads first to the node with this number; with `others`, streams only, and
        everything else to that."""
        return Door(self.balancer, first % len(self.nodes), others)

    def until_well(self, node: int):
        until(lambda: node in self.balancer.well, f"node {node} to be healthy")
        self.nodes[node].until_redis_is("connected")

    def close(self):
        for node in self.nodes:
            # A frozen process ends only when it is woken.
            if node.server.process.poll() is None:
                node.wake()
                node.kill()
        self._traffic.stop()
        self.redis.close()


def until(holds, what: str, patience: float = PATIENCE):
    """Polls until `holds()` is true, for conditions that nothing signals."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, f"timed out after {patience} s waiting for {what}"
        time.sleep(0.02)
