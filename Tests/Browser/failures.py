"""What befalls a cluster, and how it is mended. A failure is done to a node, or to the page of a door."""

import random
from dataclasses import dataclass
from typing import Callable

from cluster import Cluster, until


@dataclass
class Failure:
    kind: str
    node: int
    """Whose node it is, where it is one node's."""
    begin: Callable[[], None]
    until_felt: Callable[[], None]
    """Waits until the nodes have noticed, where they are to go on otherwise then."""
    mend: Callable[[], None]
    parts: list
    """The doors whose streams have to go on by another link."""

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
    """Between the browsers and the node nothing goes through by the streams that there are."""
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
    """Between the node and Redis nothing goes through."""
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
    """One to which a page has its stream."""
    until(lambda: all(door.stream for door in doors), "every page to have a stream")
    return dice.choice(sorted({door.stream.node for door in doors}))
