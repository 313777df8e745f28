"""Several nodes of one gallery, with the Redis and PostgreSQL servers of the tests; each is a process that can be
killed, frozen and resumed."""

import contextlib
import pathlib
import signal
import sys
import tempfile
from collections.abc import Iterable

from million import until
from peers import Tessera

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "API"))

from postgres_server import Postgres  # noqa: E402  (they are among the API tests)
from redis_server import Redis  # noqa: E402

NODES = 3
PATIENCE = 30.0


class Node(Tessera):
    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def wake(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def status(self) -> dict:
        return self.json("/api/v1/status")

    @property
    def finds_redis(self) -> bool:
        return self.status["cluster"]["redis"] == "connected"


class Cluster:
    """`nodes`, their `redis` and, if requested, their `database`, started by its `with` statement. Nodes index no
    files in the background.

    - `is_encrypted`: whether they speak TLS to Redis."""

    def __init__(self, *words, urls: Iterable[str] = (), environment: dict[str, str] | None = None,
                 has_database: bool = False, is_encrypted: bool = False):
        self._words, self._urls, self._environment = list(words), list(urls), environment
        self._has_database, self._is_encrypted = has_database, is_encrypted
        self.nodes: list[Node] = []

    def __enter__(self):
        with contextlib.ExitStack() as begun:
            folder = begun.enter_context(tempfile.TemporaryDirectory(prefix="tessera-bench-"))
            self.redis = Redis(pathlib.Path(folder), "--maxmemory", "256mb", "--maxmemory-policy", "allkeys-lfu")
            begun.callback(self.redis.close)
            if self._has_database:
                self.database = Postgres()
                begun.callback(self.database.close)
                self._words += ["--open", "--database", self.database.url()]
            begun.callback(self._end)
            for _ in range(NODES):
                self.nodes.append(self._started())
            self._all = begun.pop_all()
        return self

    def __exit__(self, *_):
        self._all.close()

    def _end(self):
        for node in self.nodes:
            # A frozen process can be ended only in this way.
            node.wake()
            node.__exit__()

    def _started(self) -> Node:
        redis = self.redis.encrypted_url if self._is_encrypted else self.redis.url
        node = Node(*self._words, "--no-examine", "--redis", redis, urls=self._urls, environment=self._environment)
        until(lambda: node.finds_redis, PATIENCE)
        return node

    def replace(self, node: Node, count: int):
        """Starts a new node in place of a killed one, and waits until it knows this many pictures."""
        node.__exit__()
        place = self.nodes.index(node)
        self.nodes[place] = self._started()
        self.nodes[place].images(count)

    def images(self, count: int) -> list[dict]:
        """The first pictures, which have the same ids on all nodes."""
        known = [node.images(count) for node in self.nodes]
        if len({tuple(image["id"] for image in images) for images in known}) != 1:
            raise RuntimeError("the nodes call the pictures by other names")
        return known[0]

    def sum(self, section: str, figure: str) -> int:
        return sum(node.status[section][figure] for node in self.nodes)
