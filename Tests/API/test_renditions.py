"""Renditions over HTTP: formats by Accept, conditional requests, ranges, and caching."""

import gzip
import re
import struct

import pytest

import pictures
from gallery import wait_until


@pytest.fixture
def image(shared_gallery):
    return shared_gallery.page()["images"][0]


@pytest.mark.parametrize("accept, type", [
    ("image/avif,image/webp,image/apng,*/*;q=0.8", "image/avif"), ("image/webp,*/*", "image/webp"),
    ("image/jpeg", "image/jpeg"), ("*/*", "image/jpeg"), ("image/*", None), ("image/avif;q=0, image/webp", "image/webp"),
    ("IMAGE/WEBP", "image/webp"), ("", None), ("nonsense;;;,", None),
])
def test_the_format_follows_accept_and_the_response_varies(shared_gallery, image, accept, type):
    answer = shared_gallery.get(f"/images/{image['id']}/tile", Accept=accept)
    assert answer.status == 200 and pictures.is_whole(answer.body)
    assert type is None or answer.type == type
    assert "accept" in answer.headers["Vary"].lower()


@pytest.mark.parametrize("rendition, longest", [
    ("preview", 64), ("160", 160), ("tile", 320), ("320", 320), ("640", 640), ("1280", 1280), ("screen", 1600),
    ("1600", 1600), ("2560", 2560), ("full", 640)])
def test_a_rendition_has_at_most_its_nominal_size(shared_gallery, image, rendition, longest):
    from io import BytesIO

    from PIL import Image

    answer = shared_gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/webp")
    with Image.open(BytesIO(answer.body)) as drawn:
        assert max(drawn.size) == min(longest, 640) and abs(drawn.width / drawn.height - 4 / 3) < 0.05


def test_a_large_tiff_has_all_steps_and_a_full_size_rendition(serve, tmp_path):
    (tmp_path / "large.tif").write_bytes(pictures.encoded("TIFF", width=3000, height=2000))
    gallery = serve(tmp_path)
    image = gallery.images(1)["large.tif"]
    asked = ["160", "320", "640", "1280", "1600", "2560", "full"]
    answers = [gallery.get(f"/images/{image['id']}/{step}", Accept="image/webp,image/jpeg") for step in asked]
    assert [pictures.size(answer.body)[0] for answer in answers] == [160, 320, 640, 1280, 1600, 2560, 3000]
    assert [answer.type for answer in answers] == ["image/webp"] * 6 + ["image/jpeg"]
    assert gallery.get(f"/images/{image['id']}/100").is_problem(404)


def test_a_token_is_valid_under_either_name_of_its_rendition(shared_gallery, image):
    issued = shared_gallery.tokens(rendition="320", slots=[{"slot": 1, "image": image["id"]}])
    answer = shared_gallery.get(issued["tokens"][0]["href"].replace("/tile?", "/320?"))
    assert answer.status == 200 and max(pictures.size(answer.body)) == 320


def test_an_unchanged_rendition_is_not_sent_again(shared_gallery, image):
    for rendition in ("tile", "original"):
        target = f"/images/{image['id']}/{rendition}"
        first = shared_gallery.get(target, Accept="image/webp")
        assert first.headers["ETag"] and first.headers["Last-Modified"]
        again = shared_gallery.get(target, **{"Accept": "image/webp", "If-None-Match": first.headers["ETag"]})
        assert again.status == 304 and again.body == b"" and again.headers["ETag"] == first.headers["ETag"]
        since = shared_gallery.get(target, **{"Accept": "image/webp", "If-Modified-Since": first.headers["Last-Modified"]})
        assert since.status == 304
        other = shared_gallery.get(target, **{"Accept": "image/webp", "If-None-Match": '"other"'})
        assert other.status == 200 and other.body == first.body


def test_each_format_has_its_own_entity_tag(shared_gallery, image):
    tags = {shared_gallery.get(f"/images/{image['id']}/tile", Accept=f"image/{kind}").headers["ETag"]
            for kind in ("avif", "webp", "jpeg")}
    assert len(tags) == 3


def test_only_versioned_links_are_immutable(shared_gallery, image):
    for rendition, link in shared_gallery.page()["images"][0]["links"].items():
        answer = shared_gallery.get(link)
        assert answer.status == 200
        if re.search(r"[?&]v=", link):
            assert "immutable" in answer.headers["Cache-Control"]
    bare = shared_gallery.get(f"/images/{image['id']}/tile")
    assert "immutable" not in (bare.headers["Cache-Control"] or "")
    stale = shared_gallery.get(f"/images/{image['id']}/tile?v={'0' * 13}")
    assert "immutable" not in (stale.headers["Cache-Control"] or "")


def test_head_has_the_fields_of_get(shared_gallery, image):
    for rendition in ("tile", "original"):
        target = f"/images/{image['id']}/{rendition}"
        got, told = shared_gallery.get(target), shared_gallery.ask("HEAD", target)
        assert told.status == 200 and told.body == b""
        assert told.headers["Content-Length"] == str(len(got.body)) and told.headers["ETag"] == got.headers["ETag"]


@pytest.mark.parametrize("range, expected", [
    ("bytes=0-0", slice(0, 1)), ("bytes=10-99", slice(10, 100)), ("bytes=100-", slice(100, None)),
    ("bytes=-50", slice(-50, None)), ("bytes=0-99999999", slice(0, None)),
])
def test_a_range_of_an_original_is_served(shared_gallery, image, range, expected):
    target = f"/images/{image['id']}/original"
    whole = shared_gallery.get(target).body
    answer = shared_gallery.get(target, Range=range)
    assert answer.status == 206 and answer.body == whole[expected]
    assert answer.headers["Content-Range"].endswith(f"/{len(whole)}")


def test_invalid_and_stale_ranges_are_handled(shared_gallery, image):
    target = f"/images/{image['id']}/original"
    size = len(shared_gallery.get(target).body)
    beyond = shared_gallery.get(target, Range=f"bytes={size}-")
    assert beyond.status == 416 and beyond.headers["Content-Range"] == f"bytes */{size}"
    for nonsense in ("bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=", "bytes=-"):
        assert shared_gallery.get(target, Range=nonsense).status == 200
    stale = shared_gallery.get(target, **{"Range": "bytes=0-9", "If-Range": '"other"'})
    assert stale.status == 200 and len(stale.body) == size


def test_a_page_lists_index_links_and_id_of_each_image(shared_gallery):
    shared_gallery.tile(shared_gallery.page()["images"][0])
    images = shared_gallery.page()["images"]
    assert [image["index"] for image in images] == list(range(12))
    for image in images:
        assert set(image["links"]) == {"preview", "tile", "screen", "original"}
        assert re.fullmatch("[0-9a-hjkmnp-tv-z]{13}", image["id"])
        detail = shared_gallery.get(f"/api/v1/images/{image['id']}")
        assert detail.status == 200 and detail.json["id"] == image["id"] and detail.json["name"] == image["name"]


def test_health_readiness_status_and_metrics_are_served(shared_gallery):
    assert shared_gallery.get("/healthz").status == 200
    assert shared_gallery.get("/readyz").status == 200
    status = shared_gallery.get("/api/v1/status")
    assert status.status == 200 and status.type == "application/json"
    metrics = shared_gallery.get("/metrics")
    assert metrics.status == 200 and metrics.headers["Content-Type"].startswith("text/plain")
    for line in metrics.body.decode().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z_:][a-z0-9_:]*(\{.*\})? [-+0-9.eInfNa]+", line), line


def large(folder, width=6000, height=3000):
    (folder / "large.jpg").write_bytes(pictures.encoded("JPEG", width=width, height=height))


def test_a_pyramid_is_read_by_ranges_and_cached(serve, tmp_path):
    (tmp_path / "pictures").mkdir()
    large(tmp_path / "pictures")
    gallery = serve(tmp_path / "pictures")
    image = gallery.images(1)["large.jpg"]
    target = f"/images/{image['id']}/pyramid"
    head = gallery.get(target, Range="bytes=0-23")
    assert head.status == 206 and head.type == "application/vnd.tessera.pyramid"
    magic, version, side, width, height, levels, flags, _, index = struct.unpack("<4sHHIIHBBI", head.body)
    assert (magic, version, side, width, height, levels, flags) == (b"TSRP", 1, 512, 6000, 3000, 3, 0)
    assert index == 24 + 8 * (12 * 6 + 6 * 3 + 3 * 2)
    entries = gallery.get(target, Range=f"bytes=24-{index - 1}").body
    tiles = [struct.unpack_from("<II", entries, 8 * number) for number in range(len(entries) // 8)]
    for number, size in ((0, (512, 512)), (11, (6000 - 11 * 512, 512)), (71, (6000 - 11 * 512, 3000 - 5 * 512))):
        start, length = tiles[number]
        tile = gallery.get(target, Range=f"bytes={start}-{start + length - 1}", **{"If-Match": head.headers["ETag"]})
        assert tile.status == 206 and pictures.size(tile.body) == size
    # A single job of a worker made all of it.
    assert gallery.get("/api/v1/status").json["loading"]["rendersBegun"] == 1
    whole = gallery.get(target)
    assert whole.status == 200 and sum(length for _, length in tiles) + index == len(whole.body)
    assert gallery.get(target, **{"If-None-Match": head.headers["ETag"]}).status == 304
    assert head.headers["ETag"] != gallery.get(f"/images/{image['id']}/original").headers["ETag"]


def test_a_range_of_an_outdated_version_is_refused(serve, tmp_path):
    large(tmp_path)
    gallery = serve(tmp_path)
    image = gallery.images(1)["large.jpg"]
    target = f"/images/{image['id']}/pyramid"
    tag = gallery.get(target, Range="bytes=0-23").headers["ETag"]
    large(tmp_path, 5000, 2000)
    answer = gallery.get(target, Range="bytes=0-23", **{"If-Match": tag})
    assert answer.is_problem(412)
    assert struct.unpack_from("<II", gallery.get(target, Range="bytes=0-23").body, 8) == (5000, 2000)


def test_a_compressed_drawing_is_drawn_and_its_original_says_that_it_is_compressed(serve, tmp_path):
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    (tmp_path / "drawing.svgz").write_bytes(gzip.compress(drawing))
    gallery = serve(tmp_path)
    (image,) = gallery.images(1).values()
    assert pictures.is_whole(gallery.tile(image).body)
    for _ in range(2):
        original = gallery.get(f"/images/{image['id']}/original")
        assert original.status == 200 and original.type == "image/svg+xml"
        assert original.headers["Content-Encoding"] == "gzip" and gzip.decompress(original.body) == drawing
    wait_until(lambda: gallery.page(q="type:svg")["total"] == 1, "the format to be indexed", lambda: gallery.log)


def test_drawings_and_broken_files_have_no_pyramid(serve, tmp_path):
    (tmp_path / "drawing.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (tmp_path / "none.jpg").write_bytes(b"none")
    gallery = serve(tmp_path)
    for image in gallery.images(2).values():
        assert gallery.get(f"/images/{image['id']}/pyramid").is_problem(415)


def test_nothing_of_a_deleted_picture_is_served_from_any_cache(serve, tmp_path):
    folder = pictures.write(tmp_path / "pictures", a__jpg=pictures.encoded(seed=1), b__jpg=pictures.encoded(seed=2))
    gallery = serve(folder)
    gallery.images(2)
    images = {one["name"]: one for one in gallery.page()["images"]}
    targets = [(link, kind) for link in images["a.jpg"]["links"].values() if link.startswith("/images/")
               for kind in ("image/avif", "image/webp", "image/jpeg")]
    assert len(targets) > 9
    for link, kind in targets * 2:
        assert gallery.get(link, Accept=kind).status == 200
    (folder / "a.jpg").unlink()
    wait_until(lambda: gallery.page()["total"] == 1, "the picture to leave", lambda: gallery.log)
    for link, kind in targets:
        gallery.get(link, Accept=kind).is_problem(404)
    assert gallery.get(images["b.jpg"]["links"]["tile"]).status == 200
