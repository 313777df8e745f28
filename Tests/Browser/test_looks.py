"""Screenshots of the page for people to look at: wide and narrow, light and dark."""

import pytest

from conftest import PHONE
from front import failing

SIZES = {"desktop": {}, "phone": PHONE}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_screenshots_of_the_page(visit, demo, picture, size, scheme):
    options = {**SIZES[size], "color_scheme": scheme}
    front = visit(demo, **options)
    front.go_to(1_200)
    front.slot(1_199).locator("img").wait_for()
    front.until_settled()
    front.until("() => document.getAnimations().length === 0")
    picture(front, f"{size}-{scheme}-grid")
    front.slot(1_199).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.until("() => document.getAnimations().length === 0")
    picture(front, f"{size}-{scheme}-viewer")
    front.page.keyboard.press("i")
    front.page.get_by_role("complementary", name="Details").wait_for()
    picture(front, f"{size}-{scheme}-details")
    front = visit(demo, before=failing, **options)
    front.until_settled()
    picture(front, f"{size}-{scheme}-failures")
