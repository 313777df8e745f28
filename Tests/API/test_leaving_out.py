"""What a gallery leaves out, what it follows, and what it says about files that it does not show."""

import pictures
import pytest
from gallery import run, wait_until


def fill(folder, *names):
    for number, name in enumerate(names):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pictures.encoded(seed=number) if name.endswith(".jpg") else b"of a kind that is not shown")


def names(gallery) -> list[str]:
    return [image["name"] for image in gallery.page(limit=500)["images"]]


def status(gallery) -> dict:
    return gallery.get("/api/v1/status").json


def settled(gallery):
    wait_until(lambda: not status(gallery)["scanning"], "the end of the scan")


def test_linked_folders_are_albums_whose_pictures_can_be_had(serve, tmp_path):
    folder, outside = tmp_path / "pictures", tmp_path / "outside"
    fill(folder, "album1/x.jpg")
    fill(outside, "y.jpg")
    (folder / "hiking").mkdir()
    (folder / "hiking/Austria").symlink_to("../album1")
    (folder / "abs.jpg").symlink_to(folder / "album1/x.jpg")
    (folder / "out").symlink_to(outside)
    gallery = serve(folder)
    assert sorted(gallery.images(3)) == ["abs.jpg", "x.jpg"] and gallery.page()["total"] == 3
    settled(gallery)
    folders = gallery.get("/api/v1/folders?parent=hiking").json["folders"]
    assert [(one["path"], one["count"]) for one in folders] == [("hiking/Austria", 1)]
    image, = gallery.page(folder="hiking/Austria")["images"]
    assert gallery.get(image["links"]["original"]).body == (folder / "album1/x.jpg").read_bytes()
    assert gallery.tile(image).status == 200
    problems = status(gallery)["problems"]
    assert problems["count"] == 1 and "out: a link that points outside the served folders" in problems["first"][0]
    assert "out: a link that points outside the served folders" in gallery.log


def test_files_that_are_not_shown_are_counted_by_kind(serve, tmp_path):
    fill(tmp_path / "pictures", "a.jpg", "b.bmp", "x/c.cr2", "x/d.NEF", "x/e.mp4", "notes.txt")
    gallery = serve(tmp_path / "pictures")
    gallery.images(1)
    settled(gallery)
    assert status(gallery)["notShown"] == {"count": 4, "kinds": [
        {"kind": "raw", "title": "RAW", "count": 2}, {"kind": "bmp", "title": "BMP", "count": 1},
        {"kind": "video", "title": "video", "count": 1}]}
    assert "tessera_files_not_shown 4\n" in gallery.get("/metrics").body.decode()
    (tmp_path / "pictures/x/c.cr2").unlink()
    wait_until(lambda: status(gallery)["notShown"]["count"] == 3, "the file that is gone to be noticed")


@pytest.mark.parametrize("way", ["options", "variable"])
def test_patterns_leave_out_files_and_folders(serve, tmp_path, way):
    fill(tmp_path / "pictures", "a.jpg", "private/b.jpg", "x/private/c.jpg", "x/IMG_1.jpg", "x/IMG_10.jpg")
    patterns = ["private/", "IMG_?.jpg"]
    if way == "options":
        gallery = serve(tmp_path / "pictures", *(word for pattern in patterns for word in ("--exclude", pattern)))
    else:
        gallery = serve(tmp_path / "pictures", TESSERA_EXCLUDE=",".join(patterns))
    gallery.images(2)
    settled(gallery)
    assert names(gallery) == ["a.jpg", "IMG_10.jpg"]


@pytest.mark.parametrize("pattern, words", [
    ("[a", ("[a", "without its ]")), ("#recycle", ("comment", "\\#recycle")), ("/", ("names nothing",)),
    ("../x", (". or ..",)), ("a\\", ("backslash",)), (" ", ("is empty",)),
])
def test_a_pattern_that_cannot_be_used_is_refused_with_the_reason(data, tmp_path, pattern, words):
    tmp_path.joinpath("pictures").mkdir()
    result = run("serve", tmp_path / "pictures", f"--exclude={pattern}", data=data)
    assert result.returncode == 64 and all(word in result.stderr for word in ("--exclude", *words)), result.stderr
