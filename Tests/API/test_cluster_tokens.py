"""Tokens of several nodes behind a load balancer that routes requests arbitrarily: any node honours them."""

import concurrent.futures
import itertools
import signal
import socket
import time

import pytest

import pictures
from gallery import Gallery, wait_until
# Includes fixtures.
from test_cluster import image, nodes, pool, redis, status, sums


@pytest.fixture
def three(nodes):
    """Three nodes that know the pictures of these URLs or of a folder."""
    def start(*urls, count: int = 1, **options) -> list[Gallery]:
        all_three = nodes(3, *urls, **options)
        for node in all_three:
            node.images(count)
        return all_three

    return start


def issue(node: Gallery, picture: dict, session: str | None = None, slot: int = 0, rendition: str = "tile"):
    """The session, and the slot's token."""
    issued = node.tokens(
        accept="image/webp", session=session, rendition=rendition, slots=[{"slot": slot, "image": picture["id"]}])
    return issued["session"], issued["tokens"][0]


def cancel(node: Gallery, session: str, *tickets: dict):
    return node.post("/api/v1/tokens/cancel", {"session": session, "tokens": [one["token"] for one in tickets]})


def was_dropped(answer) -> bool:
    return answer.status == 204 and answer.headers["Tessera-Dropped"] == "cancelled" and answer.body == b""


class Body:
    """A response whose body is still arriving."""

    def __init__(self, node: Gallery, target: str):
        self._socket = socket.create_connection(("127.0.0.1", node.port), timeout=30)
        self._socket.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.received = b""

    def read(self, count: int):
        """Reads until this many bytes of the body have arrived."""
        while len(self.received.partition(b"\r\n\r\n")[2]) < count:
            more = self._socket.recv(65536)
            assert more, f"it ended after {self.received[:300]!r}"
            self.received += more
        assert self.received.startswith(b"HTTP/1.1 200 "), self.received[:300]

    def rest(self) -> bytes:
        """Everything until the connection ends."""
        rest = b""
        try:
            while more := self._socket.recv(65536):
                rest += more
        except ConnectionResetError:
            pass
        self._socket.close()
        return rest


def original_under_way(all_three: list[Gallery], origin) -> tuple[str, dict, Body]:
    """A token of the first node, half of whose original has arrived through the second."""
    session, ticket = issue(all_three[0], image(all_three[0]), rendition="original")
    origin.wait_until_begun(1)
    body = Body(all_three[1], ticket["href"])
    body.read(len(origin.picture) // 2)
    return session, ticket, body


def test_every_request_may_go_to_a_different_node(three, shared_folder):
    all_three = three(count=12, folder=shared_folder)
    turn = itertools.cycle(all_three)
    shown = all_three[0].page(limit=500)["images"]
    session = None
    for round in range(3):
        tickets = []
        for slot, picture in enumerate(shown):
            session, ticket = issue(next(turn), picture, session, slot)
            tickets.append(ticket)
        # Skip a node, so that no token happens to be fetched where it was issued.
        next(turn)
        for ticket, picture in zip(tickets, shown):
            answer = next(turn).get(ticket["href"])
            assert answer.status == 200 and answer.type == "image/webp", answer.body
            assert answer.body == all_three[0].tile(picture, accept="image/webp").body
    # One session, on one owner node.
    wait_until(lambda: sums(all_three, "tokens", "delivered") == 36, "the owner node to learn of all deliveries")
    assert [status(node)["sessions"] for node in all_three] == [1, 0, 0]
    assert sums(all_three, "tokens", "live") == 0


def test_a_tile_forwarded_by_another_node_is_fetched_and_rendered_once(three, origin, pool):
    all_three = three(origin.url("slow"))
    _, ticket = issue(all_three[0], image(all_three[0]))
    origin.wait_until_asked("/slow/")
    asked = pool.submit(all_three[1].get, ticket["href"])
    wait_until(lambda: status(all_three[0])["loading"]["nodeRequests"] == 1, "the owner node to learn of the request")
    assert status(all_three[1])["loading"]["waiting"] == 1
    origin.gate.set()
    assert asked.result().status == 200
    assert origin.times_asked("/slow/") == 1 and sums(all_three, "loading", "rendersBegun") == 1
    wait_until(lambda: status(all_three[0])["tokens"]["delivered"] == 1, "the owner node to learn of the delivery")


def test_of_concurrent_requests_to_all_nodes_only_one_is_served(three, shared_folder, pool):
    all_three = three(count=12, folder=shared_folder)
    for picture in all_three[0].page(limit=500)["images"]:
        _, ticket = issue(all_three[0], picture)
        asked = [pool.submit(node.get, ticket["href"]) for node in all_three for _ in range(2)]
        assert sorted(one.result().status for one in asked) == [200] + 5 * [409]


def test_a_cancel_and_its_request_may_go_to_any_node(three, origin):
    all_three = three(origin.url("hang"))
    for canceller, other in [(1, 2), (2, 1), (0, 1), (1, 0)]:
        session, ticket = issue(all_three[0], image(all_three[0]))
        assert cancel(all_three[canceller], session, ticket).json == {"cancelled": 1}
        assert cancel(all_three[other], session, ticket).json == {"cancelled": 0}
        assert was_dropped(all_three[other].get(ticket["href"]))


def test_a_cancel_on_another_node_ends_the_wait_and_the_fetch(three, origin, pool):
    all_three = three(origin.url("hang"))
    session, ticket = issue(all_three[0], image(all_three[0]))
    # By now the owner node has the lease: the other node has to wait for it.
    origin.wait_until_asked("/hang/")
    asked = pool.submit(all_three[1].get, ticket["href"])
    wait_until(lambda: status(all_three[0])["loading"]["nodeRequests"] == 1, "the owner node to learn of the request")
    assert cancel(all_three[2], session, ticket).json == {"cancelled": 1}
    assert was_dropped(asked.result())
    origin.wait_until_closed("/hang/")
    wait_until(lambda: sums(all_three, "loading", "jobs") == 0, "no load to be left")
    assert sums(all_three, "tokens", "cancelled") == 1


@pytest.mark.parametrize("way", ["cancel", "end of the session", "next token"])
def test_after_an_acknowledged_cancel_another_node_sends_no_more_bytes(three, origin, way):
    all_three = three(origin.url("trickle"))
    session, ticket, body = original_under_way(all_three, origin)
    if way == "cancel":
        assert cancel(all_three[2], session, ticket).json == {"cancelled": 1}
    elif way == "end of the session":
        assert all_three[2].post("/api/v1/tokens/cancel", {"session": session}).json == {"cancelled": 1}
    else:
        assert issue(all_three[2], image(all_three[2]), session)[0] == session
    origin.gate.set()
    assert body.rest() == b""
    wait_until(lambda: status(all_three[1])["cluster"]["figures"]["tokensForwarded"] == 0, "the grant to end")
    assert status(all_three[0])["tokens"]["cancelled"] == 1


def test_a_cancel_interrupts_a_large_file_on_the_node_that_sends_it(three, tmp_path):
    folder = tmp_path / "large"
    whole = pictures.encoded("JPEG") + bytes(60_000_000)
    pictures.write(folder, large__jpg=whole)
    all_three = three(folder=folder)
    session, ticket = issue(all_three[0], image(all_three[0]), rendition="original")
    body = Body(all_three[1], ticket["href"])
    body.read(100_000)
    assert cancel(all_three[2], session, ticket).json == {"cancelled": 1}
    # Bytes already on their way arrive; the rest, far more than sockets can hold, doesn't.
    assert len(body.received + body.rest()) < len(whole) - 20_000_000


def test_a_borrowing_node_that_was_frozen_sends_nothing_after_the_cancel(three, origin):
    all_three = three(origin.url("trickle"))
    session, ticket, body = original_under_way(all_three, origin)
    all_three[1].process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    try:
        assert cancel(all_three[2], session, ticket).json == {"cancelled": 1}
        assert time.monotonic() - began < 5
        origin.gate.set()
    finally:
        all_three[1].process.send_signal(signal.SIGCONT)
    assert body.rest() == b""


def test_a_killed_borrowing_node_leaves_no_tokens_behind(three, origin):
    all_three = three(origin.url("trickle"))
    original_under_way(all_three, origin)
    all_three[1].kill()
    wait_until(lambda: status(all_three[0])["tokens"]["live"] == 0, "the grant to expire")
    wait_until(lambda: status(all_three[0])["cluster"]["figures"]["tokensGranted"] == 0, "the metric to be updated")
    assert status(all_three[0])["tokens"]["failed"] == 1


def test_a_stopping_owner_node_waits_for_its_granted_tokens(three, origin, pool):
    all_three = three(origin.url("trickle"))
    session, ticket, body = original_under_way(all_three, origin)
    stopped = pool.submit(all_three[0].stop)
    # Much longer than the lifetime of a grant that is not renewed.
    done, _ = concurrent.futures.wait([stopped], timeout=3)
    assert not done
    origin.gate.set()
    body.read(len(origin.picture))
    let_go = time.monotonic()
    assert stopped.result() == 0 and time.monotonic() - let_go < 4
    assert body.received.endswith(origin.picture)


def test_tokens_of_a_killed_owner_node_are_refused_and_new_ones_work(three, shared_folder):
    all_three = three(count=12, folder=shared_folder)
    shown = all_three[0].page(limit=500)["images"]
    session, ticket = issue(all_three[0], shown[0])
    all_three[0].kill()
    began = time.monotonic()
    for node in all_three[1:]:
        refused = node.get(ticket["href"])
        assert refused.is_problem(404) and refused.json["field"] == "token"
    other, again = issue(all_three[1], shown[0], session)
    assert time.monotonic() - began < 5
    assert other != session, "the session survived its owner node"
    assert all_three[2].get(again["href"]).status == 200
    assert cancel(all_three[2], session, ticket).json == {"cancelled": 0}


def test_a_cancel_waits_until_grants_of_a_killed_owner_node_have_ended(three, origin):
    all_three = three(origin.url("trickle"))
    session, ticket, body = original_under_way(all_three, origin)
    all_three[0].kill()
    assert cancel(all_three[2], session, ticket).json == {"cancelled": 0}
    origin.gate.set()
    assert body.rest() == b""


def test_a_frozen_owner_node_acknowledges_nothing(three, shared_folder):
    all_three = three(count=12, folder=shared_folder)
    shown = all_three[0].page(limit=500)["images"]
    session, ticket = issue(all_three[0], shown[0])
    all_three[0].process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        assert all_three[1].get(ticket["href"]).is_problem(404)
        unknown = cancel(all_three[2], session, ticket)
        assert unknown.is_problem(503) and unknown.headers["Retry-After"]
        assert issue(all_three[1], shown[0], session)[0] != session
        assert time.monotonic() - began < 10
    finally:
        all_three[0].process.send_signal(signal.SIGCONT)


def test_without_redis_a_node_knows_only_its_own_tokens(three, redis, shared_folder):
    all_three = three(count=12, folder=shared_folder)
    shown = all_three[0].page(limit=500)["images"]
    session, ticket = issue(all_three[0], shown[0])
    redis.kill()
    for node in all_three:
        wait_until(lambda: status(node)["cluster"]["redis"] == "away", "Redis to be missed")
    began = time.monotonic()
    assert all_three[1].get(ticket["href"]).is_problem(404)
    assert cancel(all_three[1], session, ticket).is_problem(503)
    other, again = issue(all_three[1], shown[1], session)
    assert time.monotonic() - began < 5
    assert other != session and all_three[1].get(again["href"]).status == 200
    assert all_three[0].get(ticket["href"]).status == 200
