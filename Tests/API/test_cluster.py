"""Several nodes of one gallery sharing a Redis server: one render and one fetch for all, even if nodes fail."""

import concurrent.futures
import contextlib
import os
import re
import signal
import threading
import time

import pytest

import pictures
from certificates import signed_by_itself
from gallery import LOOPBACK, ROOT, Gallery, wait_until
from redis_server import Redis


DOCUMENT = ROOT / "Documentation" / "cluster.md"


@pytest.fixture
def redis(tmp_path):
    redis = Redis(tmp_path / "redis")
    yield redis
    redis.close()


@pytest.fixture
def nodes(serve, tmp_path, redis):
    """Starts nodes of one gallery of these URLs, or of a folder."""
    def start(count: int, *urls: str, folder=None, url=None) -> list[Gallery]:
        source = folder
        if folder is None:
            source = tmp_path / "urls.txt"
            source.write_text("".join(url + "\n" for url in urls))
        started = [
            serve(source, *LOOPBACK, "--redis", url or redis.url, data=tmp_path / f"node{number}")
            for number in range(count)]
        for node in started:
            wait_until(lambda: state(node) == "connected", "Redis to be found", lambda: node.log)
        return started

    return start


def status(node: Gallery) -> dict:
    return node.get("/api/v1/status").json


def state(node: Gallery) -> str:
    return status(node)["cluster"]["redis"]


def sums(nodes: list[Gallery], section: str, figure: str) -> int:
    return sum(status(node)[section][figure] for node in nodes)


def image(node: Gallery, count: int = 1, number: int = 0) -> dict:
    """The picture with this number, in the gallery's order."""
    node.images(count)
    return node.page(limit=500)["images"][number]


def ask_all(pool, nodes: list[Gallery], target: str, count: int) -> list:
    return [pool.submit(nodes[number % len(nodes)].get, target, Accept="image/webp") for number in range(count)]


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(300) as pool:
        yield pool


# The user that the documentation describes.
RIGHTS = re.search(r"    user tessera on >PASSWORD (.*?)\n\n", DOCUMENT.read_text(), re.S)[1].split()


def work_of_all_kinds(both: list[Gallery], origin):
    """Each node makes a rendition, takes one from the other, and answers for a token of the other."""
    pictures_of = [image(node, 2, number) for number, node in enumerate(both)]
    for picture in pictures_of:
        for node in both:
            assert node.get(picture["links"]["tile"], Accept="image/webp").status == 200
    issued = both[0].tokens(slots=[{"slot": 0, "image": pictures_of[0]["id"]}])
    assert both[1].get(issued["tokens"][0]["href"], Accept="image/webp").status == 200
    assert both[1].post("/api/v1/tokens/cancel", {"session": issued["session"]}).status < 300


def test_a_user_with_the_documented_rights_and_no_others_is_refused_nothing(nodes, redis, origin):
    assert redis.ask("ACL", "SETUSER", "tessera", "on", ">secret", *RIGHTS).startswith(b"+OK")
    both = nodes(2, origin.url("good", 1), origin.url("good", 2), url=f"redis://tessera:secret@127.0.0.1:{redis.port}")
    work_of_all_kinds(both, origin)
    for node in both:
        figures = status(node)["cluster"]["figures"]
        assert [figures[f"refused{kind}"] for kind in ("NoPermission", "Other", "ReadOnly")] == [0, 0, 0], node.log
        assert figures["subscribed"] == 1


# One for each way in which a node meets a refusal.
@pytest.mark.parametrize("right", ["+ping", "+subscribe", "&tessera:*", "+eval", "+zadd", "+time", "+incr", "~tessera:*"])
def test_a_missing_right_is_logged(serve, tmp_path, redis, origin, right):
    rights = [one for one in RIGHTS if one != right]
    assert redis.ask("ACL", "SETUSER", "tessera", "on", ">secret", *rights).startswith(b"+OK")
    (tmp_path / "urls.txt").write_text("".join(origin.url("good", number) + "\n" for number in (1, 2)))
    both = [serve(tmp_path / "urls.txt", *LOOPBACK, "--redis", f"redis://tessera:secret@127.0.0.1:{redis.port}",
                  data=tmp_path / f"node{number}") for number in range(2)]
    with contextlib.suppress(AssertionError):
        work_of_all_kinds(both, origin)
    told = ("Redis refuses commands of this node. Grant the Redis user the missing permission.", "it rejected ")
    wait_until(lambda: any(text in node.log for text in told for node in both), f"the lack of {right} to be logged",
               lambda: both[0].log)


def test_three_hundred_clients_of_two_nodes_cost_one_fetch_and_one_render(nodes, origin, pool):
    both = nodes(2, origin.url("slow"))
    target = f"/images/{image(both[0])['id']}/tile"
    assert image(both[1])["id"] == image(both[0])["id"]
    asked = ask_all(pool, both, target, 300)
    origin.wait_until_asked("/slow/")
    wait_until(lambda: sums(both, "loading", "waiting") >= 300, "all to wait", lambda: both[0].log)
    origin.gate.set()
    answers = [one.result() for one in asked]
    assert [answer.status for answer in answers] == [200] * 300
    assert len({answer.body for answer in answers}) == 1
    assert origin.times_asked("/slow/") == 1
    assert sums(both, "loading", "rendersBegun") == 1


def test_renditions_requested_from_other_nodes_share_one_fetch(nodes, origin, pool):
    all_three = nodes(3, origin.url("slow"))
    picture = image(all_three[0])["id"]
    asked = {}
    for number, rendition in enumerate(["tile", "640", "160"]):
        image(all_three[number])
        asked[rendition] = pool.submit(all_three[number].get, f"/images/{picture}/{rendition}", Accept="image/webp")
        origin.wait_until_asked("/slow/")
    wait_until(lambda: sums(all_three, "loading", "nodeRequests") == 2, "the owner to learn of both requests")
    origin.gate.set()
    answers = {rendition: one.result() for rendition, one in asked.items()}
    assert {answer.status for answer in answers.values()} == {200}
    assert len({answer.body for answer in answers.values()}) == 3
    assert origin.times_asked("/slow/") == 1
    # The nodes that fetched nothing have the same metadata.
    details = [node.get(f"/api/v1/images/{picture}").json for node in all_three]
    assert [one["width"] for one in details] == [details[0]["width"]] * 3


def test_a_file_is_rendered_once_for_all_nodes(nodes, shared_folder, pool):
    both = nodes(2, folder=shared_folder)
    pages = []
    for node in both:
        node.images(12)
        pages.append(node.page(limit=500)["images"])
    assert [(one["id"], one["links"]["tile"]) for one in pages[0]] == [
        (one["id"], one["links"]["tile"]) for one in pages[1]]
    for one in pages[0]:
        asked = ask_all(pool, both, f"/images/{one['id']}/tile", 20)
        answers = [answer.result() for answer in asked]
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == 1
    assert sums(both, "loading", "rendersBegun") == 12


def test_a_load_continues_for_other_nodes_when_its_local_requests_are_cancelled(nodes, origin, pool):
    both = nodes(2, origin.url("slow"))
    picture = image(both[0])["id"]
    image(both[1])
    held = both[0].tokens(rendition="tile", slots=[{"slot": 0, "image": picture}])
    origin.wait_until_asked("/slow/")
    other = pool.submit(both[1].tile, {"id": picture})
    wait_until(lambda: status(both[0])["loading"]["nodeRequests"] == 1, "the owner to learn of the other request")
    cancelled = both[0].post("/api/v1/tokens/cancel", {
        "session": held["session"], "tokens": [held["tokens"][0]["token"]]})
    assert cancelled.json == {"cancelled": 1}
    origin.gate.set()
    assert other.result().status == 200
    assert origin.times_asked("/slow/") == 1


def test_a_fetch_that_no_node_waits_for_is_cancelled(nodes, origin):
    both = nodes(2, origin.url("hang"))
    picture = image(both[0])["id"]
    image(both[1])
    slots = {"rendition": "tile", "slots": [{"slot": 0, "image": picture}]}
    held = [node.tokens(**slots) for node in both]
    wait_until(lambda: sums(both, "loading", "nodeRequests") == 1, "the owner to learn of the other request")
    for node, tokens in zip(both, held):
        node.post("/api/v1/tokens/cancel", {
            "session": tokens["session"], "tokens": [tokens["tokens"][0]["token"]]})
    origin.wait_until_closed("/hang/")
    wait_until(lambda: sums(both, "loading", "jobs") == 0, "no load to be left")
    assert origin.times_asked("/hang/") == 1


def test_a_permanent_failure_on_all_nodes_costs_one_fetch(nodes, origin, pool):
    both = nodes(2, origin.url("missing"))
    picture = image(both[0])["id"]
    image(both[1])
    answers = [one.result() for one in ask_all(pool, both, f"/images/{picture}/tile", 40)]
    assert {answer.status for answer in answers} == {404}
    assert origin.times_asked("/missing/") == 1


def owner(nodes: list[Gallery]) -> Gallery:
    wait_until(lambda: sums(nodes, "loading", "fetches") > 0, "a node to fetch")
    return next(node for node in nodes if status(node)["loading"]["fetches"])


def test_another_node_finishes_the_load_of_a_killed_node(nodes, origin, pool):
    both = nodes(2, origin.url("trickle"))
    target = f"/images/{image(both[0])['id']}/tile"
    image(both[1])
    pool.submit(both[0].get, target)
    origin.wait_until_begun(1)
    other = pool.submit(both[1].get, target, Accept="image/webp")
    wait_until(lambda: status(both[0])["loading"]["nodeRequests"] == 1, "the owner to learn of the other request")
    origin.gate.set()  # The next fetch gets the whole body.
    origin.gate.clear()
    both[0].kill()
    killed = time.monotonic()
    origin.wait_until_begun(2)
    origin.gate.set()
    answer = other.result()
    assert time.monotonic() - killed < 3
    assert answer.status == 200 and answer.type == "image/webp"


def test_a_node_that_freezes_and_wakes_does_no_harm(nodes, origin, pool):
    all_three = nodes(3, origin.url("trickle"))
    target = f"/images/{image(all_three[0])['id']}/tile"
    for node in all_three[1:]:
        image(node)
    asked = [pool.submit(all_three[0].get, target, Accept="image/webp")]
    origin.wait_until_begun(1)
    asked += [pool.submit(node.get, target, Accept="image/webp") for node in all_three[1:] for _ in range(20)]
    wait_until(lambda: status(all_three[0])["loading"]["nodeRequests"] == 1, "the owner to learn of the other request")
    all_three[0].process.send_signal(signal.SIGSTOP)
    frozen = time.monotonic()
    origin.wait_until_begun(2)
    origin.gate.set()
    answers = [one.result() for one in asked[1:]]
    assert time.monotonic() - frozen < 3
    all_three[0].process.send_signal(signal.SIGCONT)
    answers.append(asked[0].result())
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert origin.times_asked("/trickle/") == 2
    # New requests get the complete picture as well, on every node.
    assert {node.get(target, Accept="image/webp").body for node in all_three} == {answers[0].body}
    wait_until(lambda: sums(all_three, "loading", "jobs") == 0, "no load to be left")


def test_without_redis_nodes_continue_alone_and_report_it_and_reconnect_later(nodes, redis, shared_folder, pool):
    both = nodes(2, folder=shared_folder)
    for node in both:
        node.images(12)
    shown = both[0].page(limit=500)["images"]
    warm, cold = shown[:6], shown[6:]
    for one in warm:
        for node in both:
            assert node.tile(one).status == 200
    ends = threading.Event()
    answers: list[int] = []

    def load(node):
        while not ends.is_set():
            for one in warm:
                answers.append(node.tile(one).status)

    loads = [pool.submit(load, node) for node in both]
    redis.kill()
    for node in both:
        wait_until(lambda: state(node) == "away", "Redis to be missed")
        assert node.log.count("Redis is unreachable") == 1
        assert 'tessera_cluster_connected 0' in node.get("/metrics").body.decode()
    begun = time.monotonic()
    for one in cold[:3]:
        for node in both:
            assert node.tile(one).status == 200
    assert time.monotonic() - begun < 10
    redis.start()
    back = time.monotonic()
    for node in both:
        wait_until(lambda: state(node) == "connected", "Redis to be found again")
    assert time.monotonic() - back < 5
    before = sums(both, "loading", "rendersBegun")
    for one in cold[3:]:
        for node in both:
            assert node.tile(one).status == 200
    assert sums(both, "loading", "rendersBegun") == before + 3
    ends.set()
    for one in loads:
        one.result()
    assert len(answers) > 100 and set(answers) == {200}


def test_a_hung_redis_is_reported_as_away_and_causes_no_long_delay(nodes, redis, shared_folder, pool):
    both = nodes(2, folder=shared_folder)
    for node in both:
        node.images(12)
    shown = both[0].page(limit=500)["images"]
    assert both[0].tile(shown[0]).status == 200
    redis.freeze()
    begun = time.monotonic()
    asked = [pool.submit(node.tile, one) for one in shown[1:] for node in both]
    assert {one.result().status for one in asked} == {200}
    assert time.monotonic() - begun < 10
    for node in both:
        wait_until(lambda: state(node) == "away", "Redis to be missed")
    redis.wake()
    woken = time.monotonic()
    for node in both:
        wait_until(lambda: state(node) == "connected", "Redis to be found again")
    assert time.monotonic() - woken < 5


def test_waiting_requests_continue_alone_when_redis_dies(nodes, redis, origin, pool):
    both = nodes(2, origin.url("slow"))
    target = f"/images/{image(both[0])['id']}/tile"
    image(both[1])
    first = pool.submit(both[0].get, target)
    origin.wait_until_asked("/slow/")
    other = pool.submit(both[1].get, target)
    wait_until(lambda: status(both[0])["loading"]["nodeRequests"] == 1, "the owner to learn of the other request")
    redis.kill()
    wait_until(lambda: origin.times_asked("/slow/") == 2, "the other to fetch for itself")
    origin.gate.set()
    assert first.result().status == other.result().status == 200


def test_a_rescan_requested_on_one_node_happens_on_all_nodes(nodes, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(pictures.encoded("JPEG"))
    both = nodes(2, folder=folder)
    os.kill(both[0].process.pid, signal.SIGUSR1)
    wait_until(lambda: "as requested on another node" in both[1].log, "the other node to learn of it", lambda: both[1].log)
    assert "as requested on another node" not in both[0].log


def test_nodes_share_their_work_over_tls(nodes, redis, shared_folder, pool):
    both = nodes(2, folder=shared_folder, url=redis.encrypted_url)
    picture, _ = [image(node, 12) for node in both]
    tile = f"/images/{picture['id']}/tile"
    answers = [answer.result() for answer in ask_all(pool, both, tile, 20)]
    assert {answer.status for answer in answers} == {200} and len({answer.body for answer in answers}) == 1
    assert sums(both, "loading", "rendersBegun") == 1


def test_a_redis_with_an_untrusted_certificate_is_not_used(serve, redis, shared_folder, tmp_path):
    other = signed_by_itself(tmp_path, "other")
    node = serve(shared_folder, "--redis", redis.encrypted_url.split("?")[0] + f"?ca={other}")
    wait_until(lambda: "its certificate was rejected" in node.log, "the log to say so", lambda: node.log)
    assert state(node) == "away"
    assert status(node)["cluster"]["reason"] == "its certificate was rejected: self-signed certificate"
    assert "tessera_cluster_connected 0" in node.get("/metrics").body.decode()


def test_a_redis_password_is_used_and_never_revealed(serve, shared_folder, tmp_path):
    redis = Redis(tmp_path / "redis", "--requirepass", "hunter2")
    try:
        node = serve(shared_folder, "--redis", f"redis://:hunter2@127.0.0.1:{redis.port}/2", "--log-level", "trace")
        wait_until(lambda: state(node) == "connected", "Redis to let it in", lambda: node.log)
        wrong = serve(
            shared_folder, "--redis", f"redis://:hunter3@127.0.0.1:{redis.port}", "--log-level", "trace",
            data=tmp_path / "other")
        wait_until(lambda: "it rejected AUTH" in wrong.log, "Redis to refuse it", lambda: wrong.log)
        for text in (node.log, wrong.log, node.get("/api/v1/status").body.decode(), node.get("/metrics").body.decode()):
            assert "hunter" not in text
    finally:
        redis.close()
