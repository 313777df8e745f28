"""Several nodes of one gallery on one PostgreSQL: each picture is looked into once, and nothing learnt is lost, whoever is
away."""

import concurrent.futures
import os
import random
import threading
import time

import pytest
from PIL import Image

import pictures
from gallery import Gallery, wait_until
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
        return serve(folder, "--database", url or postgres.url(), data=tmp_path / name, **{**LOOKS_INTO_FILES, **options})

    return start


def status(node: Gallery) -> dict:
    return node.get("/api/v1/status").json


def figure(node: Gallery, name: str) -> int:
    return status(node)["database"]["figures"][name]


def state(node: Gallery) -> str:
    return status(node)["database"]["postgres"]


def known(node: Gallery) -> set[str]:
    """The pictures of which it is known how large they are."""
    page = node.page(limit=500)
    images = page["images"]
    while page["next"]:
        page = node.page(limit=500, cursor=page["next"])
        images += page["images"]
    return {image["id"] for image in images if "width" in image}


def learnt(node: Gallery) -> int:
    return len(known(node))


def wait_until_all_are_known(nodes: list[Gallery], count: int = COUNT):
    for node in nodes:
        wait_until(lambda: learnt(node) == count, "all pictures to be known", lambda: f"{learnt(node)}\n{node.log}")


def wait_until_all_is_told(nodes: list[Gallery], postgres: Postgres, count: int = COUNT):
    """Until the database has it: what a node knows already, it may be about to tell."""
    wait_until(
        lambda: postgres.ask("SELECT to_regclass('tessera.facts') IS NOT NULL") == "t"
        and postgres.ask("SELECT count(*) FROM tessera.facts WHERE width IS NOT NULL") == str(count),
        "all to be told", lambda: nodes[0].log)
    for node in nodes:
        wait_until(lambda: figure(node, "untold") == 0 and figure(node, "current") == 1, "all to be told", lambda: node.log)


def test_of_two_nodes_each_picture_is_looked_into_by_one(node, folder, postgres):
    aside = folder.rename(folder.parent / "aside")
    folder.mkdir()
    both = [node("a"), node("b")]
    for one in both:
        wait_until(lambda: figure(one, "current") == 1, "PostgreSQL to be found", lambda: one.log)
    for file in aside.iterdir():
        file.rename(folder / file.name)
    wait_until_all_are_known(both)
    wait_until_all_is_told(both, postgres)
    told = [figure(one, "told") for one in both]
    # What one was granted it has told, and the other has heard.
    assert COUNT <= sum(told) <= COUNT * 1.02
    assert [figure(one, "granted") for one in both] == told
    for one in both:
        wait_until(lambda: status(one)["examined"] == {"done": COUNT, "total": COUNT}, "the looking into to end")


def test_a_node_that_comes_later_with_an_empty_disk_looks_into_no_picture(node, postgres):
    first = node("a")
    wait_until_all_are_known([first])
    wait_until_all_is_told([first], postgres)
    later = node("b")
    wait_until_all_are_known([later])
    wait_until(lambda: status(later)["examined"]["done"] == COUNT, "it to know of all")
    assert (figure(later, "heard"), figure(later, "granted"), figure(later, "told")) == (COUNT, 0, 0)
    assert later.page(limit=500)["images"] == first.page(limit=500)["images"]


def test_what_comes_later_is_looked_into_by_one_and_known_to_all(node, folder, postgres):
    both = [node("a"), node("b")]
    wait_until_all_are_known(both)
    wait_until_all_is_told(both, postgres)
    before = sum(figure(one, "granted") for one in both)
    for number in range(40):
        (folder / f"new{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
    wait_until_all_are_known(both, COUNT + 40)
    assert sum(figure(one, "granted") for one in both) - before == 40


def taken(year: int, camera: str) -> bytes:
    """A picture whose Exif says when it was taken, and by what."""
    exif = Image.Exif()
    exif[0x0110] = camera
    exif.get_ifd(0x8769)[0x9003] = f"{year}:06:01 12:00:00"
    return pictures.encoded("JPEG", seed=year % 7, exif=exif)


def test_orders_and_searches_of_a_node_that_looks_into_nothing_go_by_what_another_has_learnt(node, folder):
    for number, year in enumerate([2020, 2018, 2019]):
        (folder / f"z{number}.jpg").write_bytes(taken(year, "Lumix" if year == 2018 else "Coolpix"))
    idle = node("a", TESSERA_NO_EXAMINE="1")
    busy = node("b")
    wait_until_all_are_known([busy, idle], COUNT + 3)
    for one in (busy, idle):
        wait_until(
            lambda: [image["name"] for image in one.page(sort="taken", limit=3)["images"]] == ["z1.jpg", "z2.jpg", "z0.jpg"],
            "the order to be made")
        assert [image["name"] for image in one.page(q="camera:lumix")["images"]] == ["z1.jpg"]
    assert figure(idle, "told") == 0


def go_on(nodes: list[Gallery], while_it: threading.Event) -> list[int]:
    """Asks for pages and tiles that are there, until told to end."""
    answers = []
    shown = nodes[0].page(limit=4)["images"]
    while not while_it.is_set():
        for one in nodes:
            answers.append(one.get("/api/v1/images?limit=50").status)
            answers.append(one.tile(shown[len(answers) % 4]).status)
    return answers


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_without_the_database_each_node_goes_on_alone_says_so_and_all_is_told_in_the_end(node, postgres, folder, how):
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
            postgres.kill() if how == "killed" else postgres.freeze()
            for one in both:
                wait_until(lambda: state(one) == "away", "PostgreSQL to be missed", lambda: one.log)
                assert one.log.count("PostgreSQL is away") == 1
                assert "tessera_database_connected 0" in one.get("/metrics").body.decode()
            for number in range(20):
                (folder / f"new{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
            wait_until_all_are_known(both, COUNT + 20)
            wait_until(lambda: sum(figure(one, "untold") for one in both) >= 20, "it to be counted what is not told")
        finally:
            postgres.start() if how == "killed" else postgres.wake()
        back = time.monotonic()
        for one in both:
            wait_until(lambda: state(one) == "connected", "PostgreSQL to be found again", lambda: one.log)
        assert time.monotonic() - back < 5
        wait_until_all_is_told(both, postgres, COUNT + 20)
        ended.set()
        answers = load.result()
    assert len(answers) > 100 and set(answers) == {200}
    assert postgres.ask("SELECT count(*) FROM tessera.facts WHERE width IS NOT NULL") == str(COUNT + 20)


def test_what_a_node_could_not_tell_is_told_after_its_restart(node, postgres):
    postgres.kill()
    try:
        alone = node("a")
        wait_until_all_are_known([alone])
        assert state(alone) == "away"
        alone.kill()
    finally:
        postgres.start()
    again = node("a")
    wait_until_all_is_told([again], postgres)
    assert (figure(again, "granted"), figure(again, "told")) == (0, COUNT)
    assert postgres.ask("SELECT count(*) FROM tessera.facts WHERE width IS NOT NULL") == str(COUNT)


@pytest.mark.timeout(60 + 15 * KILLS)
def test_nothing_is_lost_of_what_nodes_had_learnt_that_are_killed(node, serve, tmp_path, folder, postgres):
    dice = random.Random(1)
    nodes = {name: node(name) for name in "abc"}
    ever: set[str] = set()
    for kill in range(KILLS):
        name = dice.choice("abc")
        before = known(nodes[name])
        for number in range(20):
            (folder / f"new{kill}-{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number % 7))
        wait_until(lambda: known(nodes[name]) - before, "something to be learnt", lambda: nodes[name].log)
        told = known(nodes[name])
        nodes[name].kill()
        # By itself, and looking into nothing: what it knows is what it kept.
        alone = serve(folder, data=tmp_path / name, TESSERA_NO_EXAMINE="1")
        assert told and not told - known(alone)
        alone.stop()
        ever |= told
        nodes[name] = node(name)
    count = COUNT + 20 * KILLS
    wait_until_all_are_known(list(nodes.values()), count)
    wait_until_all_is_told(list(nodes.values()), postgres, count)
    # All that they have in common.
    later = node("later", TESSERA_NO_EXAMINE="1")
    wait_until(lambda: not ever - known(later), "a node with an empty disk to hear of all", lambda: later.log)


def test_a_database_that_has_forgotten_everything_is_told_again(node, postgres):
    one = node("a")
    wait_until_all_are_known([one])
    wait_until_all_is_told([one], postgres)
    postgres.ask("DROP SCHEMA tessera CASCADE")
    wait_until(lambda: postgres.ask("SELECT to_regclass('tessera.facts') IS NOT NULL") == "t", "the tables to be made")
    wait_until(lambda: postgres.ask("SELECT count(*) FROM tessera.facts") == str(COUNT), "all to be told again")
    assert figure(one, "granted") == COUNT


def test_another_gallery_in_the_same_database_hears_nothing(node, serve, tmp_path, postgres):
    wait_until_all_is_told([node("a")], postgres)
    other = tmp_path / "others"
    other.mkdir()
    (other / "0000.jpg").write_bytes(pictures.encoded("JPEG", seed=0))
    stranger = serve(other, "--database", postgres.url(), data=tmp_path / "b", **LOOKS_INTO_FILES)
    wait_until_all_are_known([stranger], 1)
    wait_until_all_is_told([stranger], postgres, COUNT + 1)
    assert figure(stranger, "heard") == 0


@pytest.mark.parametrize("url, words", [
    ("postgres://tessera:hunter3@127.0.0.1:{port}/tessera", "password authentication failed"),
    ("postgres://tessera:hunter2@127.0.0.1:{port}/nowhere", 'database \\"nowhere\\" does not exist'),
    ("postgres://tessera:hunter2@127.0.0.1:1/tessera", "Connection refused"),
    ("postgres://tessera:hunter2@nowhere.invalid/tessera", "its name "),
])
def test_what_is_wrong_with_an_address_is_said_and_the_password_to_nobody(node, postgres, url, words):
    one = node("a", url.format(port=postgres.port), TESSERA_LOG_LEVEL="trace")
    wait_until(lambda: "PostgreSQL is away" in one.log, "it to be said", lambda: one.log)
    assert words.replace("\\", "") in one.log.replace("\\", ""), one.log
    for text in (one.log, one.get("/api/v1/status").body.decode(), one.get("/metrics").body.decode()):
        assert "hunter" not in text
    assert state(one) == "away"
    wait_until_all_are_known([one])


def test_an_older_node_beside_newer_tables_says_what_to_do(node, postgres):
    first = node("a")
    wait_until_all_are_known([first])
    wait_until_all_is_told([first], postgres)
    first.kill()
    postgres.ask("UPDATE tessera.form SET form = 9, oldest = 1")
    compatible = node("b")
    wait_until_all_are_known([compatible])
    assert figure(compatible, "heard") == COUNT
    postgres.ask("UPDATE tessera.form SET oldest = 9")
    late = node("c")
    wait_until(lambda: "made by a newer program" in late.log, "it to be said", lambda: late.log)
    assert "update it" in late.log
    wait_until_all_are_known([late])


def test_nodes_that_start_at_once_make_the_tables_once(node, postgres):
    nodes = [node(str(number)) for number in range(4)]
    wait_until_all_are_known(nodes)
    wait_until_all_is_told(nodes, postgres)
    assert postgres.ask("SELECT count(*) FROM tessera.form") == "1"
    assert postgres.ask("SELECT count(*) FROM tessera.gallery") == "1"
    assert not any("PostgreSQL is away" in one.log for one in nodes)


def test_the_password_in_the_environment_is_told_to_nobody(serve, folder, tmp_path, postgres):
    one = serve(folder, data=tmp_path / "a", TESSERA_DATABASE=postgres.url(), TESSERA_LOG_LEVEL="trace", **LOOKS_INTO_FILES)
    wait_until(lambda: state(one) == "connected", "PostgreSQL to let it in", lambda: one.log)
    assert PASSWORD not in one.log
