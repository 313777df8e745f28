"""Pictures that are cut, empty, mislabelled or hostile: each a clear answer, and everything else goes on."""

import pytest

import pictures

BAD = {
    "empty.jpg": b"",
    "one-byte.jpg": b"\xff",
    "cut-header.jpg": pictures.encoded("JPEG")[:100],
    "text.jpg": b"Dear diary, this is no picture.\n" * 50,
    "page.png": b"<!doctype html><title>no</title><script>alert(1)</script>",
    "program.gif": b"\x7fELF" + bytes(2000),
    "archive.webp": b"PK\x03\x04" + bytes(2000),
    "cut.png": pictures.encoded("PNG")[:20],
    "cut.webp": pictures.encoded("WEBP")[:40],
    "cut.gif": pictures.encoded("GIF")[:11],
    "lying.png": pictures.lying_png(),
    "laughs.svg": pictures.laughing_svg(),
    "broken.svg": b"<svg xmlns='http://www.w3.org/2000/svg'",
}
GOOD = {
    "good.jpg": pictures.encoded("JPEG"),
    "good.png": pictures.encoded("PNG"),
    "a-png.jpg": pictures.encoded("PNG", seed=1),
    "a-jpeg.png": pictures.encoded("JPEG", seed=2),
    "frames.gif": pictures.many_frames(),
    "sheep, with a comma & more.jpg": pictures.encoded("JPEG", seed=3),
    "größe 100%.jpg": pictures.encoded("JPEG", seed=4),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    from gallery import Gallery

    folder = tmp_path_factory.mktemp("mixed")
    for name, content in {**BAD, **GOOD}.items():
        (folder / name).write_bytes(content)
    with Gallery(folder, data=tmp_path_factory.mktemp("data")) as gallery:
        yield gallery, gallery.images(len(GOOD))


@pytest.mark.parametrize("rendition", ["preview", "tile", "screen"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_picture_is_a_labelled_slot(mixed, name, rendition):
    gallery, images = mixed
    if name not in images:
        return  # Left out of the gallery: also an honest answer.
    answer = gallery.get(f"/images/{images[name]['id']}/{rendition}", Accept="image/jpeg")
    if name in ("laughs.svg",) and answer.status == 200:
        assert pictures.is_whole(answer.body)  # Drawn without its jokes.
        return
    answer.is_problem(413, 415, 422)
    assert answer.headers["Cache-Control"] is None or "immutable" not in answer.headers["Cache-Control"]


@pytest.mark.parametrize("rendition", ["preview", "tile", "screen", "original"])
@pytest.mark.parametrize("name", GOOD)
def test_a_good_picture_beside_them_is_shown(mixed, name, rendition):
    gallery, images = mixed
    answer = gallery.get(f"/images/{images[name]['id']}/{rendition}", Accept="image/jpeg")
    assert answer.status == 200 and pictures.is_whole(answer.body)
    if rendition == "original":
        assert answer.body == GOOD[name]
        right = {"a-png.jpg": "image/png", "a-jpeg.png": "image/jpeg"}.get(name)
        assert right is None or answer.type == right, "the name decided, not the bytes"


def test_the_original_of_what_is_no_picture_runs_nowhere(mixed):
    gallery, images = mixed
    for name in ("page.png", "text.jpg", "laughs.svg"):
        if name in images:
            answer = gallery.get(f"/images/{images[name]['id']}/original")
            assert answer.status in (200, 415, 422)
            assert answer.type not in ("text/html", "application/xhtml+xml")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            if answer.type == "image/svg+xml":
                assert "sandbox" in (answer.headers["Content-Security-Policy"] or "")


def test_an_svg_reads_no_file_and_asks_no_host(serve, tmp_path):
    gallery = serve(pictures.write(tmp_path / "svg", curious__svg=pictures.curious_svg()))
    (image,) = gallery.images(1).values()
    answer = gallery.tile(image)
    assert answer.status in (200, 422)


def test_links_that_leave_the_folder_are_refused(serve, tmp_path):
    outside = pictures.write(tmp_path / "outside", secret__jpg=pictures.encoded(seed=9))
    folder = pictures.write(tmp_path / "inside", mine__jpg=pictures.encoded())
    (folder / "link.jpg").symlink_to(outside / "secret.jpg")
    (folder / "door").symlink_to(outside)
    (folder / "up").symlink_to("..")
    gallery = serve(folder)
    images = gallery.images(1)
    assert "secret.jpg" not in images
    if "link.jpg" in images:
        gallery.tile(images["link.jpg"]).is_problem(403, 404, 422)


def test_a_file_that_goes_away_or_changes_is_noticed(serve, tmp_path):
    folder = pictures.write(
        tmp_path / "moving", gone__jpg=pictures.encoded(), changed__jpg=pictures.encoded(seed=1), kept__jpg=pictures.encoded())
    gallery = serve(folder)
    images = gallery.images(3)
    (folder / "gone.jpg").unlink()
    (folder / "changed.jpg").write_bytes(pictures.encoded("PNG", seed=7))
    gallery.tile(images["gone.jpg"]).is_problem(404, 410)
    changed = gallery.get(f"/images/{images['changed.jpg']['id']}/original")
    assert changed.status in (200, 404, 409) and (changed.status != 200 or changed.type == "image/png")
    assert gallery.tile(images["kept.jpg"]).status == 200
