"""Dates and words from sidecars and from names, where a picture has none of its own."""

import json

import pictures
from gallery import wait_until
from test_examining import EXAMINES, XMP, await_all, described

TAKEOUT = {
    "title": "b.jpg", "description": "At the lake", "photoTakenTime": {"timestamp": "1534847537"},
    "geoData": {"latitude": 46.5, "longitude": 7.25, "altitude": 0.0}, "people": [{"name": "Ada"}]}


def details(gallery, count: int, name: str) -> dict:
    return gallery.get(f"/api/v1/images/{gallery.images(count)[name]['id']}").json


def test_sidecars_are_read_with_their_pictures(serve, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ["a.jpg", "b.jpg", "c.jpg"]:
        (folder / name).write_bytes(pictures.encoded("JPEG"))
    (folder / "a.xmp").write_bytes(XMP)
    (folder / "b.jpg.supplemental-metadata.json").write_text(json.dumps(TAKEOUT))
    gallery = serve(folder, **EXAMINES)
    await_all(gallery, 3)
    a, b, c = (details(gallery, 3, name) for name in ["a.jpg", "b.jpg", "c.jpg"])
    assert a["rating"] == 4 and a["title"] == "A day & a night" and a["placeNames"]["city"] == "Zürich"
    assert a["takenAt"] == "2019-06-01T10:00:00+02:00" and "takenFrom" not in a
    assert b["takenAt"] == "2018-08-21T10:32:17Z" and b["title"] == "At the lake" and b["keywords"] == ["Ada"]
    assert b["place"] == {"latitude": 46.5, "longitude": 7.25}
    assert "takenAt" not in c and "title" not in c
    # A tile, which is made of the picture alone, changes none of it.
    assert gallery.tile(gallery.images(3)["a.jpg"]).status == 200
    assert details(gallery, 3, "a.jpg")["rating"] == 4
    # A sidecar that is added, changed or removed is noticed.
    (folder / "a.xmp").write_bytes(XMP.replace(b'Rating="4"', b'Rating="2"'))
    (folder / "b.jpg.supplemental-metadata.json").unlink()
    (folder / "c.jpg.xmp").write_bytes(XMP)
    wait_until(lambda: details(gallery, 3, "c.jpg").get("rating") == 4, "a new sidecar", lambda: gallery.log)
    wait_until(lambda: details(gallery, 3, "a.jpg")["rating"] == 2, "a changed sidecar", lambda: gallery.log)
    wait_until(lambda: "title" not in details(gallery, 3, "b.jpg"), "a removed sidecar", lambda: gallery.log)
    assert "takenAt" not in details(gallery, 3, "b.jpg")
    found = gallery.get("/api/v1/images?q=rating:4").json
    assert [image["name"] for image in found["images"]] == ["c.jpg"]


def test_a_restart_reads_a_sidecar_that_changed_meanwhile(serve, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ["a.jpg", "b.jpg"]:
        (folder / name).write_bytes(pictures.encoded("JPEG"))
    gallery = serve(folder, **EXAMINES)
    await_all(gallery, 2)
    assert gallery.stop() == 0
    (folder / "a.xmp").write_bytes(XMP)
    gallery = serve(folder, **EXAMINES)
    wait_until(lambda: details(gallery, 2, "a.jpg").get("rating") == 4, "the sidecar", lambda: gallery.log)
    assert "rating" not in details(gallery, 2, "b.jpg")


def test_names_tell_dates_that_nothing_else_tells(serve, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ["IMG-20201018-WA0007.jpg", "IMG_20190201_212530.jpg", "DSC_2018.jpg"]:
        (folder / name).write_bytes(pictures.encoded("JPEG"))
    (folder / "IMG_20180101_000000.jpg").write_bytes(described(1))
    gallery = serve(folder, **EXAMINES)
    await_all(gallery, 4)
    images = gallery.images(4)
    day, second, counter, own = (images[name] for name in [
        "IMG-20201018-WA0007.jpg", "IMG_20190201_212530.jpg", "DSC_2018.jpg", "IMG_20180101_000000.jpg"])
    assert (day["takenAt"], day["takenPrecision"], day["takenFrom"]) == ("2020-10-18T00:00:00Z", "day", "name")
    assert (second["takenAt"], second["takenFrom"]) == ("2019-02-01T21:25:30Z", "name")
    assert "takenPrecision" not in second and "takenAt" not in counter
    assert own["takenAt"] == "2019-06-01T10:00:00+02:00" and "takenFrom" not in own
    page = gallery.get("/api/v1/images?sort=taken").json
    assert [image["name"] for image in page["images"]] == [
        "IMG_20190201_212530.jpg", "IMG_20180101_000000.jpg", "IMG-20201018-WA0007.jpg", "DSC_2018.jpg"]
    assert gallery.stop() == 0
    gallery = serve(folder, "--no-name-dates", **EXAMINES)
    await_all(gallery, 4)
    assert [name for name, image in gallery.images(4).items() if "takenAt" in image] == ["IMG_20180101_000000.jpg"]
    assert gallery.get("/api/v1/images?q=taken:2020").json["total"] == 0
