"""Failures of a cluster, and their repair. A failure concerns a node, or the page behind a door."""

import random
from dataclasses import dataclass
from typing import Callable

from cluster import Cluster, until


@dataclass
class Failure:
    kind: str
    node: int
    """The node concerned, if it is a single one."""
    begin: Callable[[], None]
    until_felt: Callable[[], None]
    """Waits until the nodes have noticed, if they must react."""
    mend: Callable[[], None]
    parts: list
    """The doors whose streams must continue over another link."""

    @property
    def takes_node_away(self) -> bool:
        return self.kind in ("kill", "freeze")


def kill(cluster: Cluster, doors, node: int) -> Failure:
    def mend():
        cluster.nodes[node].start_again()
        cluster.until_well(node)

    return Failure("kill", node, cluster.nodes[node].kill, nothing, mend, doors_to(doors, node))


def freeze(cluster: Cluster, doors, node: int) -> Failure:
    def mend():
        cluster.nodes[node].wake()
        cluster.until_well(node)

    return Failure("freeze", node, cluster.nodes[node].freeze, nothing, mend, doors_to(doors, node))


def sever(cluster: Cluster, doors, node: int) -> Failure:
    """Silently blocks the existing streams between browsers and the node."""
    cut = doors_to(doors, node)
    links = [door.stream for door in cut]

    def begin():
        for link in links:
            link.close()

    def mend():
        for link in links:
            link.open()

    return Failure("sever", node, begin, nothing, mend, cut)


def part(cluster: Cluster, doors, node: int) -> Failure:
    """Silently blocks everything between the node and Redis."""
    one = cluster.nodes[node]

    def mend():
        one.gate.open()
        one.until_redis_is("connected")

    return Failure("part", node, one.gate.close, lambda: one.until_redis_is("away"), mend, [])


def lose_redis(cluster: Cluster, doors, node: int) -> Failure:
    def until_felt():
        for one in cluster.nodes:
            one.until_redis_is("away")

    def mend():
        cluster.redis.start()
        for one in cluster.nodes:
            one.until_redis_is("connected")

    return Failure("lose Redis", node, cluster.redis.kill, until_felt, mend, [])


KINDS = {"kill": kill, "freeze": freeze, "sever": sever, "part": part, "lose Redis": lose_redis}


def nothing():
    pass


def doors_to(doors, node: int) -> list:
    return [door for door in doors if door.stream and door.stream.node == node]


def busy_node(dice: random.Random, cluster: Cluster, doors) -> int:
    """A node that serves some page's stream."""
    until(lambda: all(door.stream for door in doors), "every page to have a stream")
    return dice.choice(sorted({door.stream.node for door in doors}))
