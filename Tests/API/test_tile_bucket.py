"""Renditions in a bucket: a node with an empty disk finds them, and a failing store costs no picture."""

import pytest

import pictures
from gallery import run, wait_until
from store import Refused

ACCEPT = {"Accept": "image/webp"}


@pytest.fixture
def sharing(serve, store, tmp_path):
    """Starts a node of a gallery that stores its tiles in the store; each has an empty data folder of its own."""
    store.buckets["tiles"] = {}

    def start(source, *words, **more):
        folder = tmp_path / f"data-{len(list(tmp_path.glob('data-*')))}"
        folder.mkdir()
        return serve(source, "--tiles", "s3://tiles/some/where", *words, data=folder,
                     **store.environment(TESSERA_LOG_LEVEL="notice", **more))

    return start


def tiles(store) -> dict:
    return {key: body for key, (body, _) in store.buckets["tiles"].items()}


def rendered(node) -> int:
    return node.get("/api/v1/status").json["loading"]["rendersBegun"]


def figures(node) -> dict:
    return node.get("/api/v1/status").json["tileBucket"]


@pytest.mark.parametrize("kind", ["folder", "bucket"])
def test_a_node_with_an_empty_disk_finds_tiles_of_another(sharing, store, tmp_path, kind):
    if kind == "folder":
        source = tmp_path / "pictures"
        source.mkdir()
        for number in range(4):
            (source / f"{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number))
    else:
        source = "s3://pictures"
        for number in range(4):
            store.put(f"{number}.jpg", pictures.encoded("JPEG", seed=number))
    first = sharing(source)
    images = first.images(4)
    made = {name: first.get(f"/images/{image['id']}/tile", **ACCEPT) for name, image in images.items()}
    assert all(answer.status == 200 for answer in made.values())
    # Each tile may be stored with its preview, which comes from the same decode.
    wait_until(lambda: figures(first)["kept"] >= 4, "all tiles to be stored", lambda: first.log)
    assert len(tiles(store)) == figures(first)["kept"]
    assert all(key.startswith("some/where/") for key in tiles(store))
    fetched = len([target for target in store.asked if "/pictures/" in target and "list-type" not in target])

    second = sharing(source)
    found = {name: second.get(f"/images/{image['id']}/tile", **ACCEPT) for name, image in second.images(4).items()}
    assert {name: answer.body for name, answer in found.items()} == {name: answer.body for name, answer in made.items()}
    assert rendered(second) == 0 and figures(second)["found"] == 4
    assert len([target for target in store.asked if "/pictures/" in target and "list-type" not in target]) == fetched
    # From now on, its own disk has them.
    looked = figures(second)
    again = second.get(f"/images/{next(iter(second.images(4).values()))['id']}/tile", **ACCEPT)
    assert again.status == 200 and figures(second) == looked
    assert b"tessera_tile_bucket_found_total 4" in second.get("/metrics").body


def test_a_changed_file_is_rendered_again(sharing, store, tmp_path):
    source = tmp_path / "pictures"
    source.mkdir()
    (source / "a.jpg").write_bytes(pictures.encoded("JPEG", seed=1))
    first = sharing(source)
    before = first.get(f"/images/{first.images(1)['a.jpg']['id']}/tile", **ACCEPT).body
    wait_until(lambda: figures(first)["kept"] >= 1, "the tile to be stored")
    first.stop()
    (source / "a.jpg").write_bytes(pictures.encoded("JPEG", seed=2))
    second = sharing(source)
    after = second.get(f"/images/{second.images(1)['a.jpg']['id']}/tile", **ACCEPT)
    assert after.status == 200 and after.body != before


def test_a_refusing_or_hung_store_costs_no_picture_and_is_logged_once(sharing, store, tmp_path):
    source = tmp_path / "pictures"
    source.mkdir()
    for number in range(8):
        (source / f"{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number))

    def refuse(handler, _):
        raise Refused(403, "AccessDenied")

    store.answers.append(refuse)
    node = sharing(source)
    images = list(node.images(8).values())
    for image in images[:4]:
        assert node.get(f"/images/{image['id']}/tile", **ACCEPT).status == 200
    wait_until(lambda: figures(node)["notKept"] >= 4, "all writes to be refused", lambda: node.log)
    assert node.log.count("rejects writes") == 1
    store.answers.clear()
    assert node.get(f"/images/{images[4]['id']}/tile", **ACCEPT).status == 200
    wait_until(lambda: figures(node)["kept"] >= 1, "a tile to be stored again", lambda: node.log)

    held = []

    def hang(handler, _):
        held.append(handler)
        handler.rfile.read(1)
        return True

    store.answers.append(hang)
    for image in images[5:]:
        assert node.get(f"/images/{image['id']}/tile", **ACCEPT).status == 200
    assert held and figures(node)["failed"] >= 1


@pytest.mark.parametrize("words, fault", [
    (["--tiles", "/somewhere"], "s3://bucket/prefix"), (["--tiles", "s3://x"], "bucket"),
    (["--tiles", "s3://tiles", "--anonymous"], "credentials")])
def test_an_invalid_tile_bucket_is_refused_at_the_start(tmp_path, words, fault):
    ended = run("serve", tmp_path, *words, data=tmp_path / "data")
    assert ended.returncode != 0 and fault in ended.stderr
