"""Three nodes send an origin no more requests than one, and back off together when it refuses."""

import pytest

from gallery import Gallery, wait_until
# Includes fixtures.
from test_cluster import image, nodes, pool, redis, status

# A node's concurrent requests to an origin: initially, and at most.
FIRST, CEILING = 16, 64


@pytest.fixture
def three(nodes):
    """Three nodes that know these URLs' pictures, and each other."""
    def start(*urls) -> list[Gallery]:
        all_three = nodes(3, *urls)
        for node in all_three:
            node.images(len(urls))
            wait_until(lambda: limits(node) == ("shared", 3), "the nodes to know each other", lambda: node.log)
        return all_three

    return start


def limits(node: Gallery) -> tuple[str, int]:
    cluster = status(node)["cluster"]
    return cluster["limits"], cluster["figures"]["nodes"]


def ask_each(pool, all_three: list[Gallery], pictures: list[dict]) -> list:
    return [pool.submit(all_three[number % 3].tile, one, 60) for number, one in enumerate(pictures)]


def pictures_of(node: Gallery) -> list[dict]:
    return node.page(limit=500)["images"]


def test_three_nodes_send_an_origin_no_more_requests_than_one(three, origin, pool):
    all_three = three(*(origin.url("counted", f"{number}.jpg") for number in range(270)))
    asked = ask_each(pool, all_three, pictures_of(all_three[0]))
    wait_until(lambda: all(
        status(node)["origins"]["inFlight"] == FIRST // 3 and status(node)["origins"]["waiting"] > 0
        for node in all_three), "each to ask its share")
    assert origin.most_present == FIRST // 3 * 3
    origin.gate.set()
    assert {one.result().status for one in asked} == {200}
    assert FIRST < origin.most_present <= CEILING, "concurrency did not grow, or exceeded the limit of one node"


def test_without_redis_nodes_keep_their_shares_and_report_it(three, origin, pool, redis):
    all_three = three(*(origin.url("counted", f"{number}.jpg") for number in range(90)))
    redis.kill()
    for node in all_three:
        wait_until(lambda: limits(node) == ("kept", 3), "Redis to be missed", lambda: node.log)
    asked = ask_each(pool, all_three, pictures_of(all_three[0]))
    wait_until(lambda: all(status(node)["origins"]["inFlight"] == FIRST // 3 for node in all_three),
               "each to ask its share")
    assert origin.most_present == FIRST // 3 * 3
    origin.gate.set()
    assert {one.result().status for one in asked} == {200}
    assert origin.most_present <= CEILING
    redis.start()
    for node in all_three:
        wait_until(lambda: limits(node) == ("shared", 3), "the nodes to find each other again", lambda: node.log)


def test_a_node_that_was_killed_leaves_its_share_to_the_others(three, origin):
    all_three = three(origin.url("good"))
    all_three[0].kill()
    for node in all_three[1:]:
        wait_until(lambda: limits(node) == ("shared", 2), "the node to be missed", lambda: node.log)


def test_an_origins_refusal_reaches_the_other_nodes(three, origin, pool):
    all_three = three(origin.url("busy", "0.jpg"))
    asked = pool.submit(all_three[0].tile, pictures_of(all_three[0])[0], 60)
    for node in all_three[1:]:
        wait_until(lambda: status(node)["cluster"]["figures"]["throttlesReceived"] == 1, "the others to learn of it")
    origin.gate.set()
    assert asked.result().status == 200
