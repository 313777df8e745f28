"""Keeps requesting tiles that a cluster has already made from its load balancer, while failures occur."""

import http.client
import json
import threading
import urllib.request

from cluster import Cluster

TYPE = {"Accept": "image/jpeg"}
# How long to wait for a frozen node, in seconds.
PATIENCE = 10.0
TRIES = 2


class Asker:
    def __init__(self, cluster: Cluster, tiles: int):
        self._cluster = cluster
        self._doors = [cluster.door(node) for node in range(len(cluster.nodes))]
        with urllib.request.urlopen(f"{cluster.nodes[0].server.address}/api/v1/images?limit={tiles}") as answer:
            self._targets = [image["links"]["tile"] for image in json.load(answer)["images"]]
        self._lock = threading.Condition()
        self._ends = False
        self.answers = 0
        self.retried = 0
        """Requests that failed at first."""
        self.failed: list[str] = []
        """Requests that also failed when they were repeated."""
        for node in range(len(cluster.nodes)):
            self.warm(node)

    def warm(self, node: int):
        """Makes a node render and cache the requested tiles."""
        for target in self._targets:
            self._ask(self._cluster.nodes[node].port, target, 60)

    def __enter__(self) -> "Asker":
        """Starts sending requests."""
        self._ends, self.answers, self.retried, self.failed = False, 0, 0, []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends = True
        self._thread.join(60)

    def until_answered(self, more: int):
        """Waits until this many more requests have ended."""
        with self._lock:
            enough = self.answers + more
            assert self._lock.wait_for(lambda: self.answers >= enough, 60), "requests do not end"

    def _run(self):
        while not self._ends:
            number = self.answers
            target = self._targets[number // len(self._doors) % len(self._targets)]
            for again in range(TRIES):
                # Repeat it at the next node, as a load balancer would.
                door = self._doors[(number + again) % len(self._doors)]
                try:
                    self._ask(door.port, target, PATIENCE)
                    break
                except (OSError, http.client.HTTPException) as error:
                    reason = repr(error)
                    self.retried += again == 0
            else:
                self.failed.append(reason)
            with self._lock:
                self.answers += 1
                self._lock.notify_all()

    def _ask(self, port: int, target: str, patience: float):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
        try:
            connection.request("GET", target, headers=TYPE)
            answer = connection.getresponse()
            if answer.status != 200 or not answer.read():
                raise http.client.HTTPException(f"{answer.status} for {target}")
        finally:
            connection.close()
