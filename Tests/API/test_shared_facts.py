"""Several nodes of one gallery sharing PostgreSQL: each picture is indexed once, and no metadata is lost when a node
or the database is away."""

import concurrent.futures
import contextlib
import os
import pathlib
import random
import sqlite3
import threading
import time

import pytest
from PIL import Image

import pictures
from gallery import SAME_IDS, Gallery, wait_until
from postgres_server import PASSWORD, Postgres

COUNT = 300
# Half of the failures of a long run are kills.
KILLS = max(4, int(os.environ.get("TESSERA_FAILURES", "0")) // 2)
LOOKS_INTO_FILES = {"TESSERA_NO_EXAMINE": "0"}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"{number:04}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
    return folder


@pytest.fixture
def node(serve, tmp_path, folder, postgres):
    """Starts a node with an index of its own."""
    def start(name: str, url: str | None = None, **options) -> Gallery:
        return serve(folder, "--open", "--database", url or postgres.url(), data=tmp_path / name,
                     **{**LOOKS_INTO_FILES, **SAME_IDS, **options})

    return start


def status(node: Gallery) -> dict:
    return node.get("/api/v1/status").json


def figure(node: Gallery, name: str) -> int:
    return status(node)["database"]["figures"][name]


def state(node: Gallery) -> str:
    return status(node)["database"]["postgres"]


def known(node: Gallery) -> set[str]:
    """The pictures whose dimensions are known."""
    page = node.page(limit=500)
    images = page["images"]
    while page["next"]:
        page = node.page(limit=500, cursor=page["next"])
        images += page["images"]
    return {image["id"] for image in images if "width" in image}


def learnt(node: Gallery) -> int:
    return len(known(node))


def stored(data: pathlib.Path) -> int:
    """The number of pictures whose dimensions a node has written to its disk."""
    [index] = data.rglob("catalog.sqlite")
    with contextlib.closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as database:
        return database.execute("SELECT count(*) FROM facts WHERE width IS NOT NULL").fetchone()[0]


def wait_until_all_are_known(nodes: list[Gallery], count: int = COUNT):
    for node in nodes:
        wait_until(lambda: learnt(node) == count, "all pictures to be known", lambda: f"{learnt(node)}\n{node.log}")


def wait_until_all_is_told(nodes: list[Gallery], postgres: Postgres, count: int = COUNT):
    """Waits until the database has everything: a node may still have to write what it knows."""
    wait_until(
        lambda: postgres.ask("SELECT to_regclass('tessera.facts') IS NOT NULL") == "t"
        and postgres.ask("SELECT count(*) FROM tessera.facts WHERE width IS NOT NULL") == str(count),
        "all metadata to be published", lambda: nodes[0].log)
    for node in nodes:
        wait_until(lambda: figure(node, "unpublished") == 0 and figure(node, "current") == 1, "all metadata to be published", lambda: node.log)


def test_each_picture_is_indexed_by_one_of_two_nodes(node, folder, postgres):
    aside = folder.rename(folder.parent / "aside")
    folder.mkdir()
    both = [node("a"), node("b")]
    for one in both:
        wait_until(lambda: figure(one, "current") == 1, "PostgreSQL to be found", lambda: one.log)
    for file in aside.iterdir():
        file.rename(folder / file.name)
    wait_until_all_are_known(both)
    wait_until_all_is_told(both, postgres)
    told = [figure(one, "published") for one in both]
    # Each node wrote what it was granted, and the other node read it.
    assert COUNT <= sum(told) <= COUNT * 1.02
    assert [figure(one, "granted") for one in both] == told
    for one in both:
        wait_until(lambda: status(one)["examined"] == {"done": COUNT, "total": COUNT}, "indexing to finish")


def test_a_new_node_with_an_empty_disk_indexes_no_pictures(node, postgres):
    first = node("a")
    wait_until_all_are_known([first])
    wait_until_all_is_told([first], postgres)
    later = node("b")
    wait_until_all_are_known([later])
    wait_until(lambda: status(later)["examined"]["done"] == COUNT, "the node to know all pictures")
    assert (figure(later, "received"), figure(later, "granted"), figure(later, "published")) == (COUNT, 0, 0)
    assert later.page(limit=500)["images"] == first.page(limit=500)["images"]


def test_new_pictures_are_indexed_by_one_node_and_known_to_all(node, folder, postgres):
    both = [node("a"), node("b")]
    wait_until_all_are_known(both)
    wait_until_all_is_told(both, postgres)
    before = sum(figure(one, "granted") for one in both)
    for number in range(40):
        (folder / f"new{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
    wait_until_all_are_known(both, COUNT + 40)
    assert sum(figure(one, "granted") for one in both) - before == 40


def taken(year: int, camera: str) -> bytes:
    """A picture whose Exif data says when and with which camera it was taken."""
    exif = Image.Exif()
    exif[0x0110] = camera
    exif.get_ifd(0x8769)[0x9003] = f"{year}:06:01 12:00:00"
    return pictures.encoded("JPEG", seed=year % 7, exif=exif)


def test_a_node_without_indexing_sorts_and_searches_by_shared_metadata(node, folder):
    for number, year in enumerate([2020, 2018, 2019]):
        (folder / f"z{number}.jpg").write_bytes(taken(year, "Lumix" if year == 2018 else "Coolpix"))
    idle = node("a", TESSERA_NO_EXAMINE="1")
    busy = node("b")
    wait_until_all_are_known([busy, idle], COUNT + 3)
    for one in (busy, idle):
        wait_until(
            lambda: [image["name"] for image in one.page(sort="taken", limit=3)["images"]] == ["z1.jpg", "z2.jpg", "z0.jpg"],
            "the order to be built")
        assert [image["name"] for image in one.page(q="camera:lumix")["images"]] == ["z1.jpg"]
    assert figure(idle, "published") == 0


def go_on(nodes: list[Gallery], while_it: threading.Event) -> list[int]:
    """Keeps requesting existing pages and tiles until told to end."""
    answers = []
    shown = nodes[0].page(limit=4)["images"]
    while not while_it.is_set():
        for one in nodes:
            answers.append(one.get("/api/v1/images?limit=50").status)
            answers.append(one.tile(shown[len(answers) % 4]).status)
    return answers


def go_without(postgres: Postgres, both: list[Gallery], folder: pathlib.Path, how: str):
    """Takes the database from two nodes while 20 pictures arrive, and waits until they have published those."""
    postgres.kill() if how == "killed" else postgres.freeze()
    try:
        for one in both:
            wait_until(lambda: state(one) == "away", "PostgreSQL to be missed", lambda: one.log)
            wait_until(lambda: "PostgreSQL is unreachable" in one.log, "that to be logged", lambda: one.log)
            assert "tessera_database_connected 0" in one.get("/metrics").body.decode()
        for number in range(20):
            (folder / f"new{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
        wait_until_all_are_known(both, COUNT + 20)
        wait_until(lambda: sum(figure(one, "unpublished") for one in both) >= 20, "unpublished metadata to be counted")
    finally:
        postgres.start() if how == "killed" else postgres.wake()
    back = time.monotonic()
    for one in both:
        wait_until(lambda: state(one) == "connected", "PostgreSQL to be found again", lambda: one.log)
    assert time.monotonic() - back < 5
    wait_until_all_is_told(both, postgres, COUNT + 20)


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_without_the_database_nodes_continue_alone_and_publish_later(node, postgres, folder, how):
    both = [node("a"), node("b")]
    wait_until_all_are_known(both)
    wait_until_all_is_told(both, postgres)
    for one in both:
        for image in one.page(limit=4)["images"]:
            assert one.tile(image).status == 200
    ended = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        load = pool.submit(go_on, both, ended)
        try:
            go_without(postgres, both, folder, how)
        finally:
            # The pool waits for the load to end.
            ended.set()
        answers = load.result()
    assert [one.log.count("PostgreSQL is unreachable") for one in both] == [1, 1]
    assert len(answers) > 100 and set(answers) == {200}
    assert postgres.ask("SELECT count(*) FROM tessera.facts WHERE width IS NOT NULL") == str(COUNT + 20)


def test_unpublished_metadata_is_published_after_a_restart(node, postgres):
    postgres.kill()
    try:
        alone = node("a")
        wait_until_all_are_known([alone])
        # What is known is written a moment later.
        wait_until(lambda: figure(alone, "unpublished") == COUNT, "all metadata to be stored", lambda: alone.log)
        assert state(alone) == "away"
        alone.kill()
    finally:
        postgres.start()
    again = node("a")
    wait_until_all_is_told([again], postgres)
    assert (figure(again, "granted"), figure(again, "published")) == (0, COUNT)
    assert postgres.ask("SELECT count(*) FROM tessera.facts WHERE width IS NOT NULL") == str(COUNT)


@pytest.mark.timeout(60 + 15 * KILLS)
def test_no_metadata_is_lost_when_nodes_are_killed(node, serve, tmp_path, folder, postgres):
    dice = random.Random(1)
    nodes = {name: node(name) for name in "abc"}
    ever: set[str] = set()
    for kill in range(KILLS):
        name = dice.choice("abc")
        before = known(nodes[name])
        for number in range(20):
            (folder / f"new{kill}-{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
        wait_until(lambda: known(nodes[name]) - before, "new metadata", lambda: nodes[name].log)
        wait_until(lambda: stored(tmp_path / name), "metadata to be stored", lambda: nodes[name].log)
        before_kill = stored(tmp_path / name)
        nodes[name].kill()
        # Without other nodes and without indexing: whatever it knows, it had stored.
        alone = serve(folder, data=tmp_path / name, TESSERA_NO_EXAMINE="1", **SAME_IDS)
        after_kill = known(alone)
        assert before_kill <= len(after_kill)
        alone.stop()
        ever |= after_kill
        nodes[name] = node(name)
    count = COUNT + 20 * KILLS
    wait_until_all_are_known(list(nodes.values()), count)
    wait_until_all_is_told(list(nodes.values()), postgres, count)
    # Everything that the nodes share.
    later = node("later", TESSERA_NO_EXAMINE="1")
    wait_until(lambda: not ever - known(later), "a node with an empty disk to receive all metadata", lambda: later.log)


def test_an_emptied_database_is_filled_again(node, postgres):
    one = node("a")
    wait_until_all_are_known([one])
    wait_until_all_is_told([one], postgres)
    postgres.ask("DROP SCHEMA tessera CASCADE")
    wait_until(lambda: postgres.ask("SELECT to_regclass('tessera.facts') IS NOT NULL") == "t", "the tables to be created")
    wait_until(lambda: postgres.ask("SELECT count(*) FROM tessera.facts") == str(COUNT), "all metadata to be published again")
    assert figure(one, "granted") == COUNT


def test_another_gallery_in_the_same_database_receives_nothing(node, serve, tmp_path, postgres):
    wait_until_all_is_told([node("a")], postgres)
    other = tmp_path / "others"
    other.mkdir()
    (other / "0000.jpg").write_bytes(pictures.encoded("JPEG", seed=0))
    stranger = serve(other, "--open", "--database", postgres.url(), data=tmp_path / "b", **LOOKS_INTO_FILES)
    wait_until_all_are_known([stranger], 1)
    wait_until_all_is_told([stranger], postgres, COUNT + 1)
    assert figure(stranger, "received") == 0


@pytest.mark.parametrize("url, words", [
    ("postgres://tessera:hunter3@127.0.0.1:{port}/tessera", "password authentication failed"),
    ("postgres://tessera:hunter2@127.0.0.1:{port}/nowhere", 'database \\"nowhere\\" does not exist'),
    ("postgres://tessera:hunter2@127.0.0.1:1/tessera", "Connection refused"),
    ("postgres://tessera:hunter2@nowhere.invalid/tessera", "its name "),
])
def test_a_connection_failure_is_explained_without_the_password(node, postgres, url, words):
    one = node("a", url.format(port=postgres.port), TESSERA_LOG_LEVEL="trace")
    wait_until(lambda: "PostgreSQL is unreachable" in one.log, "it to be logged", lambda: one.log)
    assert words.replace("\\", "") in one.log.replace("\\", ""), one.log
    for text in (one.log, one.get("/api/v1/status").body.decode(), one.get("/metrics").body.decode()):
        assert "hunter" not in text
    assert state(one) == "away"
    wait_until_all_are_known([one])


def test_an_older_node_reports_incompatible_newer_tables(node, postgres):
    first = node("a")
    wait_until_all_are_known([first])
    wait_until_all_is_told([first], postgres)
    first.kill()
    postgres.ask("UPDATE tessera.form SET form = 9, oldest = 1")
    compatible = node("b")
    wait_until_all_are_known([compatible])
    assert figure(compatible, "received") == COUNT
    postgres.ask("UPDATE tessera.form SET oldest = 9")
    late = node("c")
    wait_until(lambda: "made by a newer program" in late.log, "it to be logged", lambda: late.log)
    assert "update it" in late.log
    wait_until_all_are_known([late])


def test_tables_with_an_impossible_version_are_reported_and_a_node_runs_without_them(node, postgres):
    first = node("a")
    wait_until_all_are_known([first])
    first.kill()
    postgres.ask("UPDATE tessera.form SET form = -1")
    late = node("b")
    wait_until(lambda: "its tables are not Tessera's" in late.log, "it to be logged", lambda: late.log)
    wait_until_all_are_known([late])


def test_nodes_that_start_together_create_the_tables_once(node, postgres):
    nodes = [node(str(number)) for number in range(4)]
    wait_until_all_are_known(nodes)
    wait_until_all_is_told(nodes, postgres)
    assert postgres.ask("SELECT count(*) FROM tessera.form") == "1"
    assert postgres.ask("SELECT count(*) FROM tessera.gallery") == "1"
    assert not any("PostgreSQL is unreachable" in one.log for one in nodes)


def test_the_password_in_the_environment_is_never_logged(serve, folder, tmp_path, postgres):
    one = serve(folder, data=tmp_path / "a", TESSERA_DATABASE=postgres.url(), TESSERA_LOG_LEVEL="trace", **LOOKS_INTO_FILES)
    wait_until(lambda: state(one) == "connected", "PostgreSQL to let it in", lambda: one.log)
    assert PASSWORD not in one.log
