"""Several nodes of one gallery in front of one bucket: only one of them lists it at a time, even if that one fails."""

import signal
import threading

import pytest

import pictures
from gallery import Gallery, wait_until

KEYS = [f"{number % 3}/{number:03}.jpg" for number in range(60)]
ONE = pictures.encoded("JPEG", seed=1)
# The number of keys per page, so that a listing has six pages.
PAGE = 10
PAGES = 6


@pytest.fixture
def bucket(store):
    store.page = PAGE
    for key in KEYS:
        store.put(key, ONE)
    return store


@pytest.fixture
def node(serve, tmp_path, bucket, postgres):
    """Starts a node with an index of its own."""
    def start(name: str) -> Gallery:
        return serve("s3://pictures", "--open", "--database", postgres.url(), data=tmp_path / name, **bucket.environment())

    return start


def total(node: Gallery) -> int:
    return node.page(limit=1)["total"]


def figures(nodes: list[Gallery], name: str) -> list[int]:
    return [node.get("/api/v1/status").json["database"]["figures"][name] for node in nodes]


def images(node: Gallery) -> list[tuple]:
    return [(image["id"], image["name"]) for image in node.page(limit=500)["images"]]


def wait_until_whole(nodes: list[Gallery], count: int = len(KEYS)):
    for node in nodes:
        wait_until(lambda: total(node) == count, "the whole bucket", lambda: f"{total(node)}\n{node.log}", 60)


class Pause:
    """The store holds back its third page until told otherwise."""
    def __init__(self, store):
        self.over = threading.Event()
        self.met = threading.Event()
        self._pages = 0
        store.answers.append(self)

    def __call__(self, handler, is_listing: bool) -> bool:
        if is_listing and not self.over.is_set():
            self._pages += 1
            if self._pages > 2:
                self.met.set()
                self.over.wait(120)
        return False


def test_nodes_that_start_together_list_a_bucket_once(node, bucket):
    pause = Pause(bucket)
    nodes = [node(name) for name in "abc"]
    # The others show what the listing node has found so far.
    assert pause.met.wait(20)
    for one in nodes:
        wait_until(lambda: total(one) >= PAGE, "the first pictures", lambda: one.log)
    pause.over.set()
    wait_until_whole(nodes)
    assert len(bucket.whole_listings()) == PAGES
    assert sorted(figures(nodes, "listed")) == [0, 0, 1]
    assert sorted(figures(nodes, "listingsRead")) == [0, 1, 1]
    assert images(nodes[0]) == images(nodes[1]) == images(nodes[2])
    assert nodes[1].get(f"/images/{images(nodes[1])[7][0]}/original").body == ONE


def test_a_rescan_requested_on_one_node_updates_all_with_one_listing(node, bucket):
    nodes = [node(name) for name in "abc"]
    wait_until_whole(nodes)
    before = len(bucket.whole_listings())
    bucket.put("new.jpg", ONE)
    nodes[2].process.send_signal(signal.SIGUSR1)
    wait_until_whole(nodes, len(KEYS) + 1)
    assert len(bucket.whole_listings()) == before + PAGES + 1
    assert images(nodes[0]) == images(nodes[1]) == images(nodes[2])


def test_a_node_that_starts_soon_after_reads_the_shared_listing(node, bucket):
    wait_until_whole([node("a")])
    later = node("b")
    wait_until_whole([later])
    assert len(bucket.whole_listings()) == PAGES and figures([later], "listingsRead") == [1]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_another_node_takes_over_the_listing_of_a_dead_or_frozen_node(node, bucket, end):
    pause = Pause(bucket)
    lister = node("a")
    assert pause.met.wait(20)
    others = [node("b"), node("c")]
    for one in others:
        wait_until(lambda: total(one) >= PAGE, "the first pictures", lambda: one.log)
    assert figures([lister], "listed") == [1]
    lister.process.send_signal(end)
    if end == signal.SIGKILL:
        lister.process.wait()
    pause.over.set()
    # At once if it could return its lease, otherwise when the lease has expired.
    wait_until_whole(others)
    assert sorted(figures(others, "listed")) == [0, 1]
    assert images(others[0]) == images(others[1]) and len(images(others[0])) == len(KEYS)
    if end == signal.SIGSTOP:
        lister.process.send_signal(signal.SIGCONT)
        wait_until_whole([lister])
        assert images(lister) == images(others[0])


@pytest.mark.parametrize("words", ["begun = begun + interval '1 year', touched = touched + interval '1 year'",
                                   "ended = ended + interval '90 years'", "digest = NULL", "parts = 9000000000000000000",
                                   "number = -5", "ended = 'infinity'"])
def test_a_requested_rescan_works_whatever_the_database_says(node, bucket, postgres, words):
    nodes = [node("a"), node("b")]
    wait_until_whole(nodes)
    bucket.put("new.jpg", ONE)
    postgres.ask(f"UPDATE tessera.listing SET {words}")
    nodes[1].process.send_signal(signal.SIGUSR1)
    wait_until_whole(nodes, len(KEYS) + 1)
    assert images(nodes[0]) == images(nodes[1])


def test_without_the_database_each_node_lists_for_itself(node, bucket, postgres):
    pause = Pause(bucket)
    nodes = [node("a"), node("b")]
    assert pause.met.wait(20)
    for one in nodes:
        wait_until(lambda: total(one) >= PAGE, "the first pictures", lambda: one.log)
    postgres.kill()
    try:
        pause.over.set()
        wait_until_whole(nodes)
        later = node("c")
        wait_until_whole([later])
    finally:
        postgres.start()
    assert images(nodes[0]) == images(nodes[1]) == images(later)
