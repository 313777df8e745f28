"""A panorama or a long screenshot leaves the rows even, and its own slot wide enough."""

import pytest
from PIL import Image

from conftest import PHONE


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_one_panorama_and_one_long_screenshot_leave_the_rows_even_and_every_slot_wide_enough(
        visit, start, tmp_path, options):
    for number in range(20):
        size = {5: (1500, 200), 11: (200, 1500)}.get(number, (400, 300))
        Image.new("RGB", size, (number * 12, 90, 200 - number * 9)).save(tmp_path / f"p{number:05d}.jpg")
    server = start("serve", tmp_path, examines=True)
    front = visit(server, **options)
    front.until_noted(lambda: server.status["examined"]["done"] == 20)
    front.page.reload()
    front.until_settled()
    slider = front.page.locator("#density")
    for density in reversed(range(5)):
        slider.evaluate("(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }", density)
        front.until_settled()
        front.page.evaluate("() => scrollTo(0, 0)")
        front.until_settled()
        boxes = [each for each in front.page.evaluate("""() => [...document.querySelectorAll('.slot[data-index]')]
            .map((slot) => slot.getBoundingClientRect()).map(({width, height, top}) => ({width, height, top}))""")
                 if each["width"] > 0]
        assert len(boxes) >= 4
        assert min(each["width"] for each in boxes) >= 24
        heights = [each["height"] for each in boxes]
        # The largest pictures on a phone are one or two to a row, where a panorama alone is lower.
        assert max(heights) / min(heights) < (1.75 if len(boxes) >= 18 else 2.3), (density, heights)
    # Both are displayed whole in their slots.
    for index, ratio in (5, 7.5), (11, 1 / 7.5):
        front.slot(index).scroll_into_view_if_needed()
        front.until("""(index) => document.querySelector(`.slot[data-index="${index}"] .slot-picture.is-whole`)""", index)
        width, height = front.slot(index).locator(".slot-picture").evaluate("(image) => [image.naturalWidth, image.naturalHeight]")
        assert abs(width / height / ratio - 1) < 0.1
