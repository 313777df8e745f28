"""A truncated picture is shown as far as it goes, and marked."""

import io

import pytest
from PIL import Image

from front import by_requests, incomplete

CURRENT = ".frame[data-place=current]"
MARK = ".incomplete"
REASON = "Incomplete: part of this file is missing or damaged."


def is_marked(front, index: int) -> bool:
    slot = front.slot(index)
    marked = slot.locator(MARK).count() == 1
    assert marked == slot.get_attribute("aria-label").endswith(", incomplete")
    assert slot.evaluate("(slot) => [...slot.querySelectorAll('img')].map((image) => "
                         "image.alt.endsWith(', incomplete'))") == [marked] * slot.locator("img").count()
    return marked


def jpeg(seed: int) -> bytes:
    file = io.BytesIO()
    Image.effect_noise((640, 480), 20 + seed).convert("RGB").save(file, "JPEG", quality=90)
    return file.getvalue()


def opened(front, index: int):
    front.slot(index).click()
    front.viewer.wait_for()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    return front


@pytest.fixture(scope="module")
def cut(start, tmp_path_factory):
    """An intact picture, one truncated in the middle, and another intact one."""
    folder = tmp_path_factory.mktemp("cut")
    for number, name in enumerate(["a.jpg", "b.jpg", "c.jpg"]):
        (folder / name).write_bytes(jpeg(number))
    whole = (folder / "b.jpg").read_bytes()
    (folder / "b.jpg").write_bytes(whole[: len(whole) // 2])
    return start("serve", folder)


@pytest.mark.parametrize("before", [lambda page: None, by_requests], ids=["by the stream", "by requests"])
def test_a_truncated_file_is_marked_in_the_grid_viewer_and_details(visit, cut, before):
    front = visit(cut, before=before)
    front.until_settled()
    assert front.slot(1).get_attribute("data-phase") == "displayed"
    assert [is_marked(front, index) for index in range(3)] == [False, True, False]
    opened(front, 1)
    front.page.locator(f"{CURRENT} {MARK}").wait_for()
    assert front.page.locator(f"{CURRENT} .frame-screen").get_attribute("alt") == "b.jpg, incomplete"
    assert front.viewer.get_attribute("aria-label") == "b.jpg, incomplete, picture viewer"
    front.page.keyboard.press("i")
    details = front.page.get_by_role("complementary", name="Details")
    details.get_by_text(REASON).wait_for()
    details.get_by_text("640 × 480").wait_for()
    link = front.page.get_by_role("link", name="Download original")
    with front.page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "b.jpg"
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-name').textContent === 'c.jpg'")
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    assert front.page.locator(f"{CURRENT} {MARK}").is_hidden()
    assert details.get_by_text(REASON).is_hidden()


def test_the_mark_is_read_from_the_response_header(visit, demo):
    front = visit(demo, before=incomplete)
    front.until_settled()
    assert is_marked(front, 0)
    opened(front, 0)
    assert front.page.locator(f"{CURRENT} {MARK}").is_visible()
    front.page.keyboard.press("i")
    front.page.get_by_text(REASON).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mark_is_small_and_moves_nothing(visit, demo, picture, scheme):
    front = visit(demo, before=incomplete, color_scheme=scheme, layout="squares")
    front.until_settled()
    slot, mark = front.slot(0).bounding_box(), front.slot(0).locator(MARK).bounding_box()
    assert mark["width"] * mark["height"] < 0.08 * slot["width"] * slot["height"]
    assert mark["x"] - slot["x"] < 10 and slot["y"] + slot["height"] - mark["y"] - mark["height"] < 10
    # Pixels are indivisible: some columns get an extra one from the remainder.
    assert abs(slot["width"] - slot["height"]) <= 1 and abs(front.slot(1).bounding_box()["width"] - slot["width"]) <= 1
    assert front.slot(0).locator(MARK).evaluate("(mark) => mark.getAnimations().length") == 0
    picture(front, f"incomplete-{scheme}-grid")
    opened(front, 0)
    front.page.keyboard.press("i")
    front.page.get_by_text(REASON).wait_for()
    picture(front, f"incomplete-{scheme}-viewer")
