"""Pictures that are truncated, empty, mislabelled or hostile: each gets a clear error, and everything else works."""

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
def test_a_bad_picture_yields_a_clear_error(mixed, name, rendition):
    gallery, images = mixed
    if name not in images:
        return  # Leaving it out of the gallery is fine, too.
    answer = gallery.get(f"/images/{images[name]['id']}/{rendition}", Accept="image/jpeg")
    if name in ("laughs.svg",) and answer.status == 200:
        assert pictures.is_whole(answer.body)  # Rendered without the entities.
        return
    answer.is_problem(413, 415, 422)
    assert answer.headers["Cache-Control"] is None or "immutable" not in answer.headers["Cache-Control"]


@pytest.mark.parametrize("rendition", ["preview", "tile", "screen", "original"])
@pytest.mark.parametrize("name", GOOD)
def test_good_pictures_beside_bad_ones_are_shown(mixed, name, rendition):
    gallery, images = mixed
    answer = gallery.get(f"/images/{images[name]['id']}/{rendition}", Accept="image/jpeg")
    assert answer.status == 200 and pictures.is_whole(answer.body)
    if rendition == "original":
        assert answer.body == GOOD[name]
        right = {"a-png.jpg": "image/png", "a-jpeg.png": "image/jpeg"}.get(name)
        assert right is None or answer.type == right, "the type comes from the name instead of the bytes"


def test_an_original_that_is_not_a_picture_cannot_run_scripts(mixed):
    gallery, images = mixed
    for name in ("page.png", "text.jpg", "laughs.svg"):
        if name in images:
            answer = gallery.get(f"/images/{images[name]['id']}/original")
            assert answer.status in (200, 415, 422)
            assert answer.type not in ("text/html", "application/xhtml+xml")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            if answer.type == "image/svg+xml":
                assert "sandbox" in (answer.headers["Content-Security-Policy"] or "")


def test_an_svg_with_external_references_is_handled(serve, tmp_path):
    gallery = serve(pictures.write(tmp_path / "svg", curious__svg=pictures.curious_svg()))
    (image,) = gallery.images(1).values()
    answer = gallery.tile(image)
    assert answer.status in (200, 422)


def test_symbolic_links_that_leave_the_folder_are_refused(serve, tmp_path):
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


def test_a_file_that_disappears_or_changes_is_noticed(serve, tmp_path):
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
