"""On paper: whole columns of the grid, and one sheet for the viewer's picture."""

import re

import pytest

LANDSCAPE = {"format": "A4", "landscape": True}


def sheets(front, **options) -> int:
    """How many sheets a print takes."""
    return len(re.findall(rb"/Type\s*/Page\b", front.page.pdf(**{"format": "A4", **options})))


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_no_picture_of_the_grid_is_cut_by_the_edge_of_the_sheet(visit, demo, width, height):
    front = visit(demo, viewport={"width": width, "height": height})
    front.until_settled()
    front.page.emulate_media(media="print")
    # As wide as A4 with its margins.
    front.page.set_viewport_size({"width": 703, "height": 1032})
    boxes = front.page.evaluate("""() => [...document.querySelectorAll('.slot')].map((slot) => slot.getBoundingClientRect())
        .filter(({ width }) => width > 0).map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))""")
    assert len(boxes) >= 6
    assert all(box["left"] >= 0 and box["right"] <= 703 for box in boxes), boxes
    covered = [(one, other) for at, one in enumerate(boxes) for other in boxes[:at]
               if one["left"] < other["right"] - 1 and other["left"] < one["right"] - 1
               and one["top"] < other["bottom"] - 1 and other["top"] < one["bottom"] - 1]
    assert not covered
    assert not front.page.locator("#navigation, #header, .scrubber-track").filter(visible=True).count()


@pytest.mark.parametrize("options", [{}, LANDSCAPE])
@pytest.mark.parametrize("zoom", [0, 3])
def test_the_picture_in_the_viewer_takes_one_sheet(visit, demo, options, zoom):
    front = visit(demo)
    front.slot(3).click()
    front.page.locator(".frame[data-place='current'][data-phase='displayed']").wait_for()
    for _ in range(zoom):
        front.page.keyboard.press("+")
    assert sheets(front, **options) == 1
