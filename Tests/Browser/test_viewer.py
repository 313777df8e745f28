"""The viewer: a single picture, by mouse, keyboard and touch, and back to its slot."""

import pytest

from front import RENDITIONS, failing_pictures

CURRENT = ".frame[data-place=current]"


def until_shown(front):
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()


def opened(front, index=5):
    front.until_settled()
    front.slot(index).click()
    front.viewer.wait_for()
    until_shown(front)
    front.until("() => document.getAnimations().length === 0")
    return front


def scale(front) -> float:
    return front.page.locator(f"{CURRENT} .frame-box").evaluate(
        "(box) => new DOMMatrix(getComputedStyle(box).transform).a")


def count(front) -> str:
    return front.page.locator("#viewer-count").inner_text()


def test_enter_opens_and_escape_returns_the_focus_to_the_slot(visit, demo):
    front = visit(demo)
    front.until_settled()
    front.slot(5).focus()
    front.page.keyboard.press("Enter")
    front.viewer.wait_for()
    until_shown(front)
    assert "#image=" in front.page.url
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.focused == 5
    assert "#image=" not in front.page.url


def test_arrows_home_and_end_go_through_the_gallery(visit, demo):
    front = opened(visit(demo))
    for key, expected in [("ArrowRight", "7 of 10,000"), ("ArrowLeft", "6 of 10,000"), ("End", "10,000 of 10,000"),
                          ("Home", "1 of 10,000")]:
        front.page.keyboard.press(key)
        front.until("(text) => document.querySelector('#viewer-count').textContent === text", expected)
        until_shown(front)
    assert front.page.locator("#viewer-previous").is_disabled()


def test_closing_shows_the_slot_of_the_last_viewed_picture(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("End")
    front.until("() => document.querySelector('#viewer-count').textContent.startsWith('10,000')")
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    front.slot(9_999).wait_for()
    front.until("() => document.activeElement.dataset.index === '9999'")


def test_the_neighbours_are_decoded_in_advance(visit, demo):
    front = opened(visit(demo))
    front.page.locator(".frame[data-place=next][data-phase=displayed] .frame-screen").wait_for(state="attached")
    front.page.locator(".frame[data-place=previous][data-phase=displayed] .frame-screen").wait_for(state="attached")
    front.page.keyboard.press("ArrowRight")
    assert front.page.locator(CURRENT).get_attribute("data-phase") == "displayed"


def test_keys_wheel_and_double_click_zoom(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("+")
    assert scale(front) == pytest.approx(1.5)
    front.page.keyboard.press("0")
    assert scale(front) == 1
    front.page.mouse.move(640, 400)
    front.page.mouse.wheel(0, -300)
    front.until("() => new DOMMatrix(getComputedStyle(document.querySelector("
                "'.frame[data-place=current] .frame-box')).transform).a > 1.5")
    front.page.keyboard.press("0")
    front.double_click(640, 400)
    front.until("() => new DOMMatrix(getComputedStyle(document.querySelector("
                "'.frame[data-place=current] .frame-box')).transform).a > 1.9")
    front.page.keyboard.press("PageDown")
    until_shown(front)
    assert scale(front) == 1


def test_an_enlarged_picture_keeps_its_size_and_place_when_the_window_changes(visit, demo):
    front = opened(visit(demo))
    for _ in range(4):
        front.page.keyboard.press("+")
    front.page.keyboard.press("ArrowRight")
    front.until_still()
    box = front.page.locator(f"{CURRENT} .frame-box")
    before = box.bounding_box()
    size = front.page.viewport_size
    front.page.set_viewport_size({"width": size["width"] - 100, "height": size["height"] - 40})
    front.until("(width) => document.querySelector('#viewer-stage').clientWidth < width", size["width"] - 50)
    front.until_still()
    after = box.bounding_box()
    # The middle of the window moves, and with it the picture.
    assert after["width"] == pytest.approx(before["width"], abs=1)
    assert after["x"] == pytest.approx(before["x"] - 50, abs=1)
    assert after["y"] == pytest.approx(before["y"] - 20, abs=1)


def test_the_original_is_shown_when_the_rendition_has_too_few_pixels(visit, demo):
    front = opened(visit(demo))
    for _ in range(8):
        front.page.keyboard.press("+")
    front.page.locator(f"{CURRENT} .frame-original").wait_for()


def test_details_are_shown_beside_the_picture(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("i")
    details = front.page.get_by_role("complementary", name="Details")
    details.wait_for()
    assert front.page.locator("#viewer-name").inner_text() in details.inner_text()
    assert front.page.locator("#viewer-details").get_attribute("aria-expanded") == "true"
    front.page.keyboard.press("i")
    details.wait_for(state="hidden")


def until_announced(front, text: str):
    front.until("(text) => document.querySelector('#viewer > [aria-live]').textContent === text", text)


def test_panels_announce_that_they_are_shown_or_hidden(visit, demo):
    front = opened(visit(demo))
    for key, panel in (("i", "Details"), ("t", "Filmstrip")):
        front.page.keyboard.press(key)
        until_announced(front, f"{panel} shown")
        front.page.keyboard.press(key)
        until_announced(front, f"{panel} hidden")
    front.page.keyboard.press("ArrowRight")
    until_announced(front, f"{front.page.locator('#viewer-name').inner_text()}, picture 7 of 10,000")


def test_escape_ends_a_slideshow_and_then_closes_the_viewer(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("Space")
    front.page.locator("#slideshow").wait_for()
    front.page.keyboard.press("Escape")
    front.page.locator("#slideshow").wait_for(state="hidden")
    assert front.viewer.is_visible()
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")


def test_the_tab_is_named_after_the_picture(visit, demo):
    front = opened(visit(demo))
    assert front.page.title() == f"{front.page.locator('#viewer-name').inner_text()} – Tessera"
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.page.title() == "Tessera"


def test_back_closes_the_viewer_and_forward_reopens_it(visit, demo):
    front = opened(visit(demo))
    front.page.go_back()
    front.viewer.wait_for(state="hidden")
    assert front.focused == 5
    front.page.go_forward()
    front.viewer.wait_for()
    assert count(front) == "6 of 10,000"


def test_a_reload_returns_to_the_picture_and_back_to_the_grid(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("ArrowRight")
    steps = front.page.evaluate("() => history.length")
    for _ in range(2):
        front.page.reload()
        front.viewer.wait_for()
        assert count(front) == "7 of 10,000"
    assert front.page.evaluate("() => history.length") == steps
    front.page.go_back()
    front.viewer.wait_for(state="hidden")
    # After a reload, the slot may still be loading.
    front.until_focused(6)


def test_the_focus_stays_in_the_viewer(visit, demo):
    front = opened(visit(demo))
    for _ in range(12):
        front.page.keyboard.press("Tab")
        assert front.page.evaluate("() => document.activeElement === document.body || "
                                   "document.querySelector('#viewer').contains(document.activeElement)")


def test_the_original_can_be_downloaded(visit, demo):
    front = opened(visit(demo))
    link = front.page.get_by_role("link", name="Download original")
    assert link.get_attribute("href").endswith("/original") or "/original?" in link.get_attribute("href")
    with front.page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename


def test_a_failure_is_shown_and_can_be_retried(visit, demo):
    front = visit(demo, before=lambda page: failing_pictures(
        page, 504, {"title": "The origin took too long", "status": 504, "detail": "It had ten seconds."}))
    front.until_settled()
    front.slot(5).click()
    problem = front.page.locator(f"{CURRENT} .frame-problem")
    problem.wait_for()
    assert "The origin took too long" in problem.inner_text()
    front.page.unroute(RENDITIONS)
    problem.get_by_role("button", name="Try again").click()
    until_shown(front)
    assert problem.is_hidden()


def touch(front, *steps):
    """One finger, through the browser's own input, a frame per step."""
    session = front.page.context.new_cdp_session(front.page)
    for number, (x, y) in enumerate(steps):
        session.send("Input.dispatchTouchEvent", {
            "type": "touchStart" if number == 0 else "touchMove", "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_swipe_changes_the_picture_and_a_pull_closes_the_viewer(phone, demo):
    front = phone(demo)
    front.until_settled()
    front.slot(4).tap()
    front.viewer.wait_for()
    until_shown(front)
    touch(front, *[(330 - 30 * step, 420) for step in range(9)])
    front.until("() => document.querySelector('#viewer-count').textContent === '6 of 10,000'")
    touch(front, *[(90 + 30 * step, 420) for step in range(9)])
    front.until("() => document.querySelector('#viewer-count').textContent === '5 of 10,000'")
    touch(front, *[(200, 300 + 30 * step) for step in range(9)])
    front.viewer.wait_for(state="hidden")
    assert front.focused == 4


def test_a_pull_up_opens_the_details_and_a_pull_down_closes_them(phone, demo):
    front = phone(demo)
    front.until_settled()
    front.slot(4).tap()
    front.viewer.wait_for()
    until_shown(front)
    front.until("() => document.getAnimations().length === 0")
    details = front.page.locator("#details")
    touch(front, *[(200, 500 - 30 * step) for step in range(9)])
    details.wait_for()
    box = details.bounding_box()
    touch(front, *[(200, box["y"] + 20 + 20 * step) for step in range(9)])
    details.wait_for(state="hidden")
    touch(front, *[(200, 500 - 30 * step) for step in range(9)])
    details.wait_for()
    touch(front, *[(200, 80 + 20 * step) for step in range(9)])
    details.wait_for(state="hidden")
    assert front.viewer.is_visible()
    assert count(front) == "5 of 10,000"


def test_past_the_edge_of_an_enlarged_picture_comes_the_next(phone, demo):
    front = phone(demo)
    front.until_settled()
    front.slot(4).tap()
    front.viewer.wait_for()
    until_shown(front)
    front.until("() => document.getAnimations().length === 0")
    front.page.keyboard.press("+")
    front.page.keyboard.press("+")
    assert scale(front) > 1.5
    # The first swipe moves the picture to its edge.
    touch(front, *[(330 - 38 * step, 420) for step in range(9)])
    assert count(front) == "5 of 10,000"
    touch(front, *[(330 - 38 * step, 420) for step in range(9)])
    front.until("() => document.querySelector('#viewer-count').textContent === '6 of 10,000'")
    assert scale(front) == 1


def test_two_fingers_zoom(phone, demo):
    front = phone(demo)
    front.until_settled()
    front.slot(4).tap()
    front.viewer.wait_for()
    until_shown(front)
    session = front.page.context.new_cdp_session(front.page)
    for number, apart in enumerate((30, 50, 70, 90)):
        session.send("Input.dispatchTouchEvent", {
            "type": "touchStart" if number == 0 else "touchMove",
            "touchPoints": [{"x": 195 - apart, "y": 420, "id": 0}, {"x": 195 + apart, "y": 420, "id": 1}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    front.until("() => new DOMMatrix(getComputedStyle(document.querySelector("
                "'.frame[data-place=current] .frame-box')).transform).a > 2.5")


def test_with_reduced_motion_nothing_is_animated(visit, demo):
    front = visit(demo, reduced_motion="reduce", before=lambda page: page.add_init_script("""
        window.animated = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...how) {
            window.animated.push(this.id || this.className);
            return animate.apply(this, how);
        };"""))
    opened(front)
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.page.evaluate("() => window.animated") == []
    assert front.page.evaluate("() => document.getAnimations().filter((one) => "
                               "one.effect.getComputedTiming().duration > 1).length") == 0
