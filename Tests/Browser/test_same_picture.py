"""The picture in the viewer stays the one the user looks at: when its file is rotated, renamed, or removed."""

import datetime
import io
import os

import pytest
from PIL import Image

from folder import Folder

CURRENT = ".frame[data-place=current]"


def picture(width: int, height: int, title: str = "") -> bytes:
    image = Image.linear_gradient("L").resize((width, height)).convert("RGB")
    exif = Image.Exif()
    if title:
        exif[0x10E] = title
    file = io.BytesIO()
    image.save(file, "JPEG", quality=90, exif=exif)
    return file.getvalue()


@pytest.fixture
def gallery(start, tmp_path):
    (tmp_path / "04.jpg").write_bytes(picture(1200, 800))
    return Folder(start, tmp_path, [f"{number:02}.jpg" for number in range(8) if number != 4], examines=True)


def opened(front, name: str):
    front.page.locator(f'.slot[aria-label^="{name}"]').click()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    front.until_still()


def until_named(front, name: str):
    front.until("(name) => document.querySelector('#viewer-name').textContent === name", name)


def shape(front) -> float:
    """The aspect ratio of the box around the picture."""
    return front.page.evaluate("""() => {
        const box = document.querySelector('.frame[data-place=current] .frame-box');
        return box.offsetWidth / box.offsetHeight;
    }""")


def test_a_picture_rotated_on_disk_gets_its_new_shape(visit, gallery):
    front = visit(gallery.server)
    front.until_noted(lambda: gallery.server.status["examined"]["done"] == 8)
    opened(front, "04.jpg")
    assert abs(shape(front) - 1.5) < 0.02
    (gallery.path / "04.jpg").write_bytes(picture(800, 1200))
    gallery.reread()
    front.until("""() => {
        const frame = document.querySelector('.frame[data-place=current]');
        const box = frame.querySelector('.frame-box');
        const shown = frame.querySelector('.frame-screen');
        return Math.abs(box.offsetWidth / box.offsetHeight - 2 / 3) < 0.02
            && shown.naturalWidth < shown.naturalHeight && frame.dataset.phase === 'displayed';
    }""")
    assert front.page.locator("#viewer-name").inner_text() == "04.jpg"


def test_a_renamed_picture_stays_and_gets_its_new_name_and_address(visit, gallery):
    front = visit(gallery.server)
    front.until_noted(lambda: gallery.server.status["examined"]["done"] == 8)
    opened(front, "04.jpg")
    before = front.page.url
    steps = front.page.evaluate("() => history.length")
    os.rename(gallery.path / "04.jpg", gallery.path / "zz renamed.jpg")
    gallery.reread()
    until_named(front, "zz renamed.jpg")
    front.until("() => document.querySelector('#viewer-count').textContent === '8 of 8'")
    assert front.page.url != before and front.page.evaluate("() => history.length") == steps
    # A link to the former name leads to the picture.
    front.page.goto("about:blank")
    front.page.goto(before)
    until_named(front, "zz renamed.jpg")
    front.until("(before) => location.href !== before", before)


def test_a_removed_picture_makes_room_for_its_neighbour_and_its_link_says_so(visit, gallery):
    front = visit(gallery.server)
    opened(front, "04.jpg")
    link = front.page.url
    gallery.take("04.jpg")
    until_named(front, "05.jpg")
    told = "“04.jpg” is no longer here. Showing “05.jpg” instead."
    front.page.locator("#message", has_text=told).wait_for()
    assert front.page.locator("#viewer > [aria-live]").inner_text() == told
    front.page.goto("about:blank")
    front.page.goto(link)
    front.page.locator("#message", has_text="That picture was not found here.").wait_for()


def test_a_reload_in_the_viewer_adds_no_history_step(visit, gallery):
    front = visit(gallery.server)
    opened(front, "02.jpg")
    steps = front.page.evaluate("() => history.length")
    for _ in range(3):
        front.page.reload()
        front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    assert front.page.evaluate("() => history.length") == steps
    front.page.go_back()
    front.viewer.wait_for(state="hidden")


def test_the_title_or_else_the_date_leads_and_slots_are_named_by_them(visit, start, tmp_path):
    (tmp_path / "titled.jpg").write_bytes(picture(300, 200, "The lake at dawn"))
    files = {"plain.jpg": None, "dated.jpg": datetime.datetime(2019, 6, 14, 12, 1)}
    folder = Folder(start, tmp_path, files, examines=True)
    front = visit(folder.server, "?sort=name")
    front.until_noted(lambda: folder.server.status["examined"]["done"] == 3)
    front.page.reload()
    names = "() => [...document.querySelectorAll('.slot[data-index]')].map(({ariaLabel}) => ariaLabel).sort().join('|')"
    front.until("(wanted) => (" + names + ")() === wanted",
                "The lake at dawn, picture 3|dated.jpg, picture 1, June 14, 2019|plain.jpg, picture 2")
    opened(front, "dated.jpg")
    assert front.page.locator("#viewer-name").inner_text() == "June 14, 2019 at 12:01 PM"
    assert front.page.locator("#viewer-name").get_attribute("title") == "dated.jpg"
    front.page.keyboard.press("ArrowRight")
    until_named(front, "plain.jpg")
    front.page.keyboard.press("ArrowRight")
    until_named(front, "The lake at dawn")
    assert front.page.title().startswith("The lake at dawn")
