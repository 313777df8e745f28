"""Truncated pictures are shown as far as they go, and marked as incomplete."""

import io

import pytest
from PIL import Image

import hostile
import pictures
from gallery import wait_until

WHOLE = {"picture.jpg": pictures.encoded("JPEG", quality=95), "picture.png": pictures.encoded("PNG"),
         "picture.gif": pictures.encoded("GIF"), "picture.webp": pictures.encoded("WEBP", quality=95)}


@pytest.mark.parametrize("name", WHOLE)
def test_a_truncated_picture_is_shown_in_part_and_marked_incomplete(serve, tmp_path, name):
    cut = hostile.cut(WHOLE[name])
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / name).write_bytes(cut)
    gallery = serve(folder)
    (image,) = gallery.images(1).values()
    for _ in range(2):  # First rendered, then cached.
        tile = gallery.tile(image)
        assert tile.status == 200 and pictures.is_whole(tile.body) and pictures.size(tile.body) == (320, 240)
        assert tile.headers["Tessera-Incomplete"] == "1"
    assert gallery.get(f"/api/v1/images/{image['id']}").json["incomplete"] is True
    original = gallery.get(f"/images/{image['id']}/original")
    assert original.status == 200 and original.body == cut


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_picture_is_not_marked_incomplete(serve, tmp_path, name):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / name).write_bytes(WHOLE[name])
    gallery = serve(folder)
    (image,) = gallery.images(1).values()
    tile = gallery.tile(image)
    assert tile.status == 200 and tile.headers["Tessera-Incomplete"] is None
    assert not gallery.get(f"/api/v1/images/{image['id']}").json.get("incomplete")


@pytest.mark.parametrize("name", WHOLE)
def test_the_incomplete_mark_survives_a_restart_until_the_picture_is_repaired(serve, tmp_path, name):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / name).write_bytes(hostile.cut(WHOLE[name]))
    gallery = serve(folder)
    (image,) = gallery.images(1).values()
    assert gallery.tile(image).status == 200
    assert gallery.stop() == 0
    gallery = serve(folder)
    gallery.images(1)
    assert gallery.tile(image).headers["Tessera-Incomplete"] == "1"
    assert gallery.get(f"/api/v1/images/{image['id']}").json["incomplete"] is True
    assert gallery.stop() == 0
    (folder / name).write_bytes(WHOLE[name])
    gallery = serve(folder)
    gallery.images(1)
    # A file that was modified a moment ago may still be growing.
    wait_until(lambda: gallery.tile(image).headers["Tessera-Incomplete"] is None, "the repair to be seen")
    assert gallery.tile(image).status == 200
    assert not gallery.get(f"/api/v1/images/{image['id']}").json.get("incomplete")


def test_a_jpeg_with_hundreds_of_damaged_places_is_shown_and_marked(serve, tmp_path):
    """libvips gives up after a hundred warnings unless it is told otherwise; browsers show such a picture."""
    file = io.BytesIO()
    Image.linear_gradient("L").resize((1600, 1200)).convert("RGB").save(file, "JPEG", restart_marker_blocks=4)
    content = file.getvalue()
    damaged, restarts = bytearray(), 0
    for at, byte in enumerate(content):
        if byte == 0xFF and 0xD0 <= content[at + 1] <= 0xD7:
            restarts += 1
            # Too much data before every fifth restart.
            damaged += bytes(40) if restarts % 5 == 0 else b""
        damaged.append(byte)
    assert restarts > 1_000
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "damaged.jpg").write_bytes(damaged)
    gallery = serve(folder)
    image = gallery.images(1)["damaged.jpg"]
    for rendition in ("tile", "screen", "full"):
        answer = gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/jpeg")
        assert answer.status == 200, rendition
    assert gallery.get(f"/api/v1/images/{image['id']}").json["incomplete"] is True
