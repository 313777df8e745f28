"""Files are indexed before anybody requests their pictures."""

import os
import signal

import pictures
import pytest
from gallery import wait_until

EXAMINES = {"TESSERA_NO_EXAMINE": "0"}

XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
  xmp:Rating="4" photoshop:City="Zürich" photoshop:Country="Schweiz" exif:DateTimeOriginal="2019-06-01T10:00:00+02:00">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">A day &amp; a night</rdf:li></rdf:Alt></dc:title>
<dc:subject><rdf:Bag><rdf:li>cat</rdf:li><rdf:li>猫</rdf:li></rdf:Bag></dc:subject>
</rdf:Description></rdf:RDF></x:xmpmeta>""".encode()


def described(seed: int) -> bytes:
    """A JPEG with the metadata that people add to pictures."""
    jpeg = pictures.encoded("JPEG", seed=seed)
    content = b"http://ns.adobe.com/xap/1.0/\0" + XMP
    return jpeg[:2] + b"\xff\xe1" + (len(content) + 2).to_bytes(2, "big") + content + jpeg[2:]


def folder(tmp_path):
    kinds = {"plain.png": "PNG", "plain.webp": "WEBP", "plain.gif": "GIF"}
    files = {"described.jpg": described(1), **{name: pictures.encoded(kind) for name, kind in kinds.items()}}
    files["broken.jpg"] = b"this is no picture, whatever its name says"
    path = tmp_path / "pictures"
    path.mkdir()
    for name, content in files.items():
        (path / name).write_bytes(content)
    return path


def examined(gallery) -> dict:
    return gallery.get("/api/v1/status").json["examined"]


def await_all(gallery, count: int):
    gallery.images(count)
    wait_until(lambda: examined(gallery) == {"done": count, "total": count}, "all files to be indexed",
               lambda: f"{examined(gallery)} {gallery.log}")


def test_tiles_are_rendered_ahead_of_requests(serve, tmp_path):
    gallery = serve(folder(tmp_path), **EXAMINES, TESSERA_NO_TILES_AHEAD="0")
    images = gallery.images(5)
    wait_until(lambda: gallery.get("/api/v1/status").json["tilesAhead"] == {"done": 5, "total": 5, "isFull": False},
               "all tiles to be rendered", lambda: gallery.log)
    renders = gallery.get("/api/v1/status").json["loading"]["rendersBegun"]
    assert renders >= 4
    assert "tessera_tiles_ahead 5\n" in gallery.get("/metrics").body.decode()
    for name in set(images) - {"broken.jpg"}:
        assert gallery.get(f"/images/{images[name]['id']}/tile", Accept="image/avif,image/webp,*/*").status == 200
    assert gallery.get("/api/v1/status").json["loading"]["rendersBegun"] == renders


@pytest.mark.parametrize("variables", [{**EXAMINES, "TESSERA_NO_TILES_AHEAD": "1"}, {"TESSERA_NO_TILES_AHEAD": "0"}],
                         ids=["disabled", "without indexing"])
def test_no_tiles_are_rendered_ahead_if_disabled(serve, tmp_path, variables):
    gallery = serve(folder(tmp_path), **variables)
    gallery.images(5)
    status = gallery.get("/api/v1/status").json
    assert "tilesAhead" not in status and status["loading"]["rendersBegun"] == 0


def test_embedded_metadata_is_in_the_details(serve, tmp_path):
    gallery = serve(folder(tmp_path), **EXAMINES)
    await_all(gallery, 5)
    images = gallery.images(5)
    details = gallery.get(f"/api/v1/images/{images['described.jpg']['id']}").json
    assert details["rating"] == 4 and details["title"] == "A day & a night" and details["keywords"] == ["cat", "猫"]
    assert details["placeNames"] == {"city": "Zürich", "country": "Schweiz"}
    assert details["takenAt"] == "2019-06-01T10:00:00+02:00"
    assert "broken" not in details and "placeholder" not in details
    assert all(images[name]["width"] == 640 for name in images if name != "broken.jpg")
    broken = gallery.get(f"/api/v1/images/{images['broken.jpg']['id']}").json
    assert broken["broken"] is True and "rating" not in broken and "keywords" not in broken
    metrics = gallery.get("/metrics").body.decode()
    assert "tessera_files_indexed 5\n" in metrics and "tessera_files_to_index 5\n" in metrics
    wait_until(lambda: "All 5 images are indexed. Of the 5 just read, 1 cannot be displayed." in gallery.log, "the log message")


def test_a_restart_does_not_read_unchanged_files(serve, tmp_path):
    path = folder(tmp_path)
    gallery = serve(path, **EXAMINES)
    await_all(gallery, 5)
    assert gallery.stop() == 0
    # Where the file system records access times, reading a file changes them if it was last read before it was
    # modified. The control file shows whether it does.
    control = tmp_path / "control"
    control.write_bytes(b"read")
    for file in [control, *path.iterdir()]:
        status = file.stat()
        os.utime(file, ns=(status.st_mtime_ns - 10**15, status.st_mtime_ns))
    before = {file.name: file.stat().st_atime_ns for file in [control, *path.iterdir()]}
    control.read_bytes()
    keeps_access = control.stat().st_atime_ns != before.pop("control")
    gallery = serve(path, **EXAMINES)
    await_all(gallery, 5)
    assert not keeps_access or {file.name: file.stat().st_atime_ns for file in path.iterdir()} == before
    assert "are indexed" not in gallery.log
    details = gallery.get(f"/api/v1/images/{gallery.images(5)['described.jpg']['id']}").json
    assert details["title"] == "A day & a night"
    (path / "plain.png").write_bytes(described(2))
    (path / "more.jpg").write_bytes(described(3))
    gallery.process.send_signal(signal.SIGUSR1)
    await_all(gallery, 6)
    details = gallery.get(f"/api/v1/images/{gallery.images(6)['plain.png']['id']}").json
    assert details["type"] == "image/jpeg" and details["rating"] == 4


def test_indexing_can_be_left_until_the_first_request(serve, tmp_path):
    gallery = serve(folder(tmp_path), "--no-examine", **EXAMINES)
    image = gallery.images(5)["described.jpg"]
    assert "examined" not in gallery.get("/api/v1/status").json and "width" not in image
    assert gallery.tile(image).status == 200
    details = gallery.get(f"/api/v1/images/{image['id']}").json
    assert details["width"] == 640 and details["rating"] == 4 and details["placeholder"]
