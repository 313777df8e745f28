"""From picture to picture: by quick gestures, by the slideshow, by the filmstrip; the next one is ready."""

import time

import pytest

from front import by_requests
from test_viewer import CURRENT, count, opened, scale, touch, until_shown


def until_count(front, text: str):
    front.until("(text) => document.querySelector('#viewer-count').textContent === text", text)


def test_each_of_two_quick_swipes_changes_the_picture(phone, demo):
    front = phone(demo)
    opened(front, 4)
    front.page.locator(".frame[data-place=next][data-phase=displayed]").wait_for()
    across = [(340 - 60 * step, 420) for step in range(5)]
    touch(front, *across)
    touch(front, *across)
    until_count(front, "7 of 10,000")
    front.until_still()
    assert count(front) == "7 of 10,000"
    box = front.page.locator(f"{CURRENT} .frame-box").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - 195) < 2


@pytest.mark.parametrize("by", ["fingers", "keys"])
def test_two_quick_steps_both_count_even_if_the_catalog_is_late(phone, demo, by):
    """The catalog entry arrives only after both steps."""
    held = []
    front = phone(demo, before=lambda page: (by_requests(page), page.route(
        "**/api/v1/images?offset=100&*", lambda route: held.append(route))))
    front.until_settled()
    front.go_to(100)
    front.slot(99).tap()
    until_shown(front)
    for _ in range(2):
        if by == "fingers":
            touch(front, *[(340 - 60 * step, 420) for step in range(5)])
        else:
            front.page.keyboard.press("ArrowRight")
    front.until_noted(lambda: held)
    assert count(front) == "100 of 10,000"
    for route in held:
        route.continue_()
    until_count(front, "102 of 10,000")


def test_touching_a_gliding_picture_stops_it(phone, demo):
    front = phone(demo)
    opened(front, 4)
    touch(front, *[(340 - 60 * step, 420) for step in range(5)])
    session = front.page.context.new_cdp_session(front.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 200, "y": 420}]})
    assert front.page.evaluate("() => document.querySelector('#viewer-track').getAnimations().length") == 0
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    front.until("() => getComputedStyle(document.querySelector('#viewer-track')).transform === 'none'")
    assert count(front) == "6 of 10,000"


@pytest.mark.parametrize("reduced_motion", ["reduce", "no-preference"])
def test_a_double_click_opens_the_viewer_and_leaves_it_open(visit, demo, reduced_motion):
    front = visit(demo, reduced_motion=reduced_motion)
    front.until_settled()
    # The first slot is where the viewer shows only its backdrop.
    box = front.slot(0).bounding_box()
    front.double_click(box["x"] + 8, box["y"] + 60)
    until_shown(front)
    front.until_still()
    # Longer than a click waits for a possible second one.
    front.page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 600))")
    assert front.viewer.is_visible() and scale(front) == 1


def test_a_click_beside_the_picture_still_closes_the_viewer(visit, demo):
    front = opened(visit(demo, viewport={"width": 1280, "height": 420}))
    front.page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 600))")
    front.page.mouse.click(60, 300)
    front.viewer.wait_for(state="hidden")


def test_a_double_click_zooms_to_full_size(visit, demo):
    front = opened(visit(demo, viewport={"width": 640, "height": 400}))
    natural = front.page.locator(f"{CURRENT} .frame-box").evaluate("""async (box) => {
        const { images: [image] } = await (await fetch('/api/v1/images?offset=5&limit=1')).json();
        return image.width / box.offsetWidth;
    }""")
    assert natural > 1.25
    front.double_click(320, 200)
    front.page.locator("#viewer-magnification", has_text="100%").wait_for()
    front.until_still()
    assert scale(front) == pytest.approx(natural, rel=0.01)
    front.page.keyboard.press("0")
    assert scale(front) == 1
    front.page.keyboard.press("1")
    assert scale(front) == pytest.approx(natural, rel=0.01)


def test_a_sideways_wheel_gesture_changes_the_picture_once(visit, demo):
    front = opened(visit(demo))
    session = front.page.context.new_cdp_session(front.page)
    begin = time.time()
    # A single movement of the fingers, however long the machine takes.
    for step in range(6):
        session.send("Input.dispatchMouseEvent", {
            "type": "mouseWheel", "x": 640, "y": 400, "deltaX": 40, "deltaY": 3, "timestamp": begin + step / 100})
    until_count(front, "7 of 10,000")
    front.until_still()
    assert count(front) == "7 of 10,000" and scale(front) == 1


def test_the_picture_after_next_is_loaded_in_the_direction_of_travel(visit, demo):
    front = opened(visit(demo))
    for key, ahead in [("ArrowRight", 8), ("ArrowLeft", 3)]:
        front.page.keyboard.press(key)
        front.page.locator(".frame[data-place=ahead][data-phase=displayed]").wait_for(state="attached")
        name = front.page.locator(".frame[data-place=ahead] .frame-screen").get_attribute("alt")
        assert front.slot(ahead).get_attribute("aria-label").startswith(f"{name},")


def test_a_slideshow_advances_until_it_is_paused(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("Space")
    bar = front.page.get_by_role("group", name="Slideshow")
    bar.wait_for()
    bar.get_by_role("combobox", name="Time per picture").select_option("3")
    # The slideshow continues: the intermediate state of a step is checked at once.
    front.until("""() => {
        const frames = [...document.querySelectorAll('#viewer-track .frame')];
        return frames.length === 4 && frames.filter((frame) => frame.getAnimations().length > 0).length === 2
            && document.querySelector('#viewer-count').textContent === '7 of 10,000';
    }""")
    # The controls have hidden.
    front.page.mouse.move(600, 420)
    front.page.get_by_role("button", name="Pause").click()
    assert front.page.get_by_role("button", name="Play").is_visible()
    assert front.page.locator("#viewer > [aria-live]").inner_text() == "Slideshow paused"
    front.page.keyboard.press("Escape")
    bar.wait_for(state="hidden")
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    # The viewer is loaded after the pictures on screen.
    front.page.reload()
    front.until("() => document.querySelector('#slideshow-seconds').value === '3'")


def test_a_slideshow_pauses_while_the_page_is_hidden(visit, demo):
    front = visit(demo, before=lambda page: page.clock.install())
    front.until_settled()
    front.slot(5).click()
    until_shown(front)
    front.page.locator(".frame[data-place=next][data-phase=displayed]").wait_for(state="attached")
    hide = """(isHidden) => {
        Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    front.page.keyboard.press("Space")
    front.page.evaluate(hide, True)
    front.page.clock.run_for(60_000)
    assert count(front) == "6 of 10,000"
    front.page.evaluate(hide, False)
    front.page.clock.run_for(5_100)
    until_count(front, "7 of 10,000")


def test_a_slideshow_hides_the_controls(visit, demo):
    front = opened(visit(demo, before=lambda page: page.clock.install()))
    front.page.keyboard.press("Space")
    front.page.clock.run_for(3_000)
    front.until("() => getComputedStyle(document.querySelector('.viewer-bar')).opacity === '0'")
    front.page.mouse.move(600, 420)
    front.until("() => getComputedStyle(document.querySelector('.viewer-bar')).opacity === '1'")


def test_on_a_phone_hidden_controls_cannot_be_tapped_and_a_tap_shows_them(phone, demo):
    front = phone(demo)
    front.until_settled()
    front.slot(1).tap()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    front.page.get_by_role("button", name="Slideshow").tap()
    front.page.locator("#viewer[data-idle]").wait_for()
    # The button that was tapped has the focus, and is hidden all the same.
    for bar in (".viewer-bar", "#slideshow"):
        front.until("(bar) => getComputedStyle(document.querySelector(bar)).opacity === '0'", bar)
    end = front.page.locator("#slideshow-end").bounding_box()
    front.page.touchscreen.tap(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2)
    front.page.locator("#viewer:not([data-idle], [data-bare])").wait_for()
    # Longer than a double tap takes: the tap must not hide them again.
    front.page.wait_for_timeout(400)
    assert front.page.locator("#viewer:not([data-idle], [data-bare])").count() == 1
    front.until("() => getComputedStyle(document.querySelector('#slideshow')).opacity === '1'")
    # An open menu keeps them.
    front.page.get_by_role("button", name="More").tap()
    front.page.locator("#viewer-menu").wait_for()
    front.page.wait_for_timeout(3_000)
    front.page.locator("#viewer-rotate").tap()
    front.page.locator("#viewer-menu").wait_for(state="hidden")
    front.until("() => document.querySelector('.frame[data-place=current] .frame-box').style.transform.includes('90deg')")
    front.page.locator("#slideshow-end").tap()
    front.page.locator("#slideshow").wait_for(state="hidden")
    front.until("() => document.querySelector('#viewer > [aria-live]').textContent === 'Slideshow ended'")


def test_with_reduced_motion_a_slideshow_changes_pictures_at_once(visit, demo):
    front = opened(visit(demo, reduced_motion="reduce"))
    front.page.locator("#slideshow-seconds").evaluate("(select) => { select.value = '3'; "
                                                      "select.dispatchEvent(new Event('change')); }")
    front.page.keyboard.press("Space")
    until_count(front, "7 of 10,000")
    assert front.page.evaluate("() => [...document.querySelectorAll('.frame')]"
                               ".every((frame) => frame.getAnimations().length === 0)")


def test_the_filmstrip_shows_the_neighbours_and_leads_to_them(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("t")
    strip = front.page.get_by_role("group", name="Filmstrip")
    strip.locator("[aria-current] img").wait_for()
    assert strip.locator("[aria-current]").get_attribute("aria-label").endswith("picture 6")
    assert front.page.locator("img").count() <= 150
    # The picture shrinks at the next layout.
    front.until("() => document.querySelector('.frame[data-place=current] .frame-box').getBoundingClientRect().bottom"
                " <= document.querySelector('#filmstrip').getBoundingClientRect().top")
    strip.get_by_role("button", name="picture 9", exact=False).first.click()
    until_count(front, "9 of 10,000")
    assert strip.locator("[aria-current]").get_attribute("aria-label").endswith("picture 9")
    assert strip.evaluate("(strip) => [...strip.children].map((still) => Number(still.ariaLabel.match(/[0-9,]+$/)[0]))"
                          ".every((number, at, all) => at === 0 || number === all[at - 1] + 1)")
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    front.slot(8).click()
    strip.wait_for()
    front.page.keyboard.press("t")
    strip.wait_for(state="hidden")


def test_the_keyboard_help_opens_anywhere(visit, demo):
    front = visit(demo)
    front.until_settled()
    sheet = front.page.get_by_role("dialog", name="Help")
    front.page.keyboard.press("?")
    sheet.wait_for()
    front.page.keyboard.press("Escape")
    sheet.wait_for(state="hidden")
    opened(front)
    front.page.keyboard.press("?")
    sheet.wait_for()
    # The elements beneath do not receive the keys.
    front.page.keyboard.press("ArrowRight")
    front.page.keyboard.press("i")
    assert count(front) == "6 of 10,000" and front.page.locator("#details").is_hidden()
    front.page.keyboard.press("Escape")
    sheet.wait_for(state="hidden")
    assert front.viewer.is_visible()
    front.page.keyboard.press("ArrowRight")
    until_count(front, "7 of 10,000")


def test_a_key_and_a_button_toggle_full_screen(visit, demo):
    front = opened(visit(demo))
    front.page.keyboard.press("f")
    front.until("() => document.fullscreenElement !== null")
    assert front.viewer.is_visible()
    front.page.get_by_role("button", name="Full screen", pressed=True).click()
    front.until("() => document.fullscreenElement === null")
    front.page.get_by_role("button", name="Full screen", pressed=False).wait_for()
