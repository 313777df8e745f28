"""Huge pictures whose size the page learns late."""

from PIL import Image

from test_pyramid import CURRENT, LARGE
from tiles import READINGS, until_covered


def test_a_picture_that_turns_out_to_be_huge_is_displayed_by_tiles(visit, start, tmp_path):
    Image.new("RGB", LARGE, (30, 100, 100)).save(tmp_path / "a.jpg", "JPEG", quality=80)
    held = []

    def without_sizes(route):
        page = route.fetch().json()
        for image in page["images"]:
            image.pop("width", None), image.pop("height", None)
        route.fulfill(json=page)

    def before(page):
        page.add_init_script(READINGS)
        page.route("**/api/v1/images?*", without_sizes)
        page.route("**/api/v1/images/*", lambda route: held.append(route))

    front = visit(start("serve", tmp_path, examines=True), before=before)
    front.page.set_default_timeout(60_000)
    front.slot(0).locator("img").wait_for()
    front.slot(0).click()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    for _ in range(12):
        front.page.keyboard.press("+")
    front.page.locator(".frame-original").wait_for()
    assert front.page.locator(".frame-tile").count() == 0
    for route in held:
        route.continue_()
    front.page.locator(".frame-original").wait_for(state="detached")
    front.page.keyboard.press("1")
    until_covered(front)
    assert front.page.locator(".frame-original").count() == 0
