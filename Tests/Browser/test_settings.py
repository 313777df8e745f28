"""The settings: appearance and single-key shortcuts, kept by this browser."""

import pytest

from conftest import PHONE
from folder import Folder


def open_settings(front):
    front.page.get_by_role("button", name="Settings").click()
    front.page.get_by_role("dialog", name="Settings").wait_for()


def ground(front) -> str:
    return front.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")


def fade(front) -> str:
    return front.page.evaluate("() => getComputedStyle(document.documentElement).getPropertyValue('--fade')")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_the_chosen_appearance_applies_at_once_and_from_the_first_paint_on(visit, demo, options):
    front = visit(demo, color_scheme="light", **options)
    light = ground(front)
    open_settings(front)
    assert front.page.get_by_role("group", name="Appearance").get_by_label("System").is_checked()
    front.page.get_by_label("Dark").check()
    dark = ground(front)
    assert dark != light
    # Before any module has run.
    front.page.add_init_script("""addEventListener('readystatechange', () => {
        globalThis.firstGround ??= getComputedStyle(document.documentElement).backgroundColor;
    }, { capture: true, once: true })""")
    front.page.reload()
    front.page.locator(".slot[data-phase=displayed]").first.wait_for()
    assert front.page.evaluate("() => globalThis.firstGround") == dark == ground(front)
    front.page.emulate_media(color_scheme="dark")
    open_settings(front)
    front.page.get_by_label("Light").check()
    assert ground(front) == light
    front.page.get_by_role("group", name="Appearance").get_by_label("System").check()
    assert ground(front) == dark


def test_single_keys_can_be_switched_off(visit, demo):
    front = visit(demo)
    open_settings(front)
    front.page.get_by_label("Single-key shortcuts").uncheck()
    front.page.keyboard.press("Escape")
    front.page.reload()
    front.page.locator(".slot[data-phase=displayed]").first.wait_for()
    for key in ("?", "/", "g", "+"):
        front.page.keyboard.press(key)
    assert front.page.evaluate("() => document.activeElement === document.body && !document.querySelector('dialog[open]')")
    assert front.page.input_value("#density") == "2"
    # The other keys still work, here and in the viewer.
    front.page.keyboard.press("ArrowRight")
    front.page.keyboard.press("Enter")
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.page.keyboard.press("i")
    front.page.keyboard.press("t")
    assert not front.page.locator("#details-list dt").first.is_visible()
    assert not front.page.locator("#filmstrip").is_visible()
    front.page.keyboard.press("Escape")
    front.page.locator("#viewer").wait_for(state="hidden")
    open_settings(front)
    front.page.get_by_label("Single-key shortcuts").check()
    front.page.get_by_role("button", name="Show help").click()
    front.page.get_by_role("dialog", name="Help").wait_for()
    front.page.keyboard.press("?")
    front.page.get_by_role("dialog", name="Help").wait_for(state="hidden")
    front.page.keyboard.press("g")
    assert front.page.evaluate("() => document.activeElement.id") == "position-number"


def test_a_phone_is_told_gestures_instead_of_keys(phone, demo):
    front = phone(demo)
    open_settings(front)
    front.page.get_by_role("button", name="Show help").tap()
    sheet = front.page.get_by_role("dialog", name="Help")
    sheet.wait_for()
    text = sheet.inner_text()
    assert "Swipe up" in text and "Search examples" in text
    assert "Page Up" not in text and "Esc" not in text
    assert front.page.evaluate("() => document.documentElement.scrollWidth") == 390


def test_over_the_viewer_the_list_of_shortcuts_is_dark(visit, demo):
    front = visit(demo, color_scheme="light")
    ground = "() => getComputedStyle(document.querySelector('#shortcuts')).backgroundColor"
    front.page.keyboard.press("?")
    front.page.get_by_role("dialog", name="Help").wait_for()
    light = front.page.evaluate(ground)
    front.page.keyboard.press("Escape")
    front.until_settled()
    front.slot(1).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.page.keyboard.press("?")
    front.page.get_by_role("dialog", name="Help").wait_for()
    assert front.page.evaluate(ground) != light


def test_a_list_of_choices_has_an_arrow(visit, demo):
    front = visit(demo)
    open_settings(front)
    lists = front.page.locator("select:visible")
    # In the bar and in the settings.
    assert [each.get_attribute("id") for each in lists.all()] == ["sort", "settings-order"]
    for each in lists.all():
        assert "gradient" in each.evaluate("(select) => getComputedStyle(select).backgroundImage")


def test_the_focus_returns_to_the_button(visit, demo):
    front = visit(demo)
    open_settings(front)
    front.page.keyboard.press("Escape")
    assert front.page.evaluate("() => document.activeElement.id") == "settings-button"


def test_reduced_motion_can_be_chosen_for_the_page_alone(visit, demo):
    front = visit(demo, reduced_motion="no-preference")
    assert fade(front) in ("180ms", ".18s")
    open_settings(front)
    front.page.get_by_label("Reduced").check()
    front.page.keyboard.press("Escape")
    for _ in range(2):
        assert fade(front) in ("0ms", "0s")
        front.slot(3).click()
        front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
        # Colours and opacity may still change softly, and the mark of a slow picture appears after a delay.
        moving = """() => document.getAnimations().filter((one) => !(one instanceof CSSTransition)
            && one.effect.getComputedTiming().duration > 10).length"""
        assert front.page.evaluate(moving) == 0
        front.page.keyboard.press("Escape")
        # The step back in the history takes a moment; a reload before it would open the picture again.
        front.viewer.wait_for(state="hidden")
        front.page.reload()
        front.until_settled()
    open_settings(front)
    front.page.get_by_role("group", name="Motion").get_by_label("System").check()
    front.page.emulate_media(reduced_motion="reduce")
    front.until("() => document.documentElement.matches('[data-reduced-motion]')")
    front.page.emulate_media(reduced_motion="no-preference")
    front.until("() => !document.documentElement.matches('[data-reduced-motion]')")


def test_the_order_in_which_the_gallery_opens_can_be_chosen(visit, start, tmp_path):
    names = ["1.jpg", "2.jpg", "3.jpg"]
    server = Folder(start, tmp_path, names).server
    front = visit(server)

    def first() -> str:
        front.until_settled()
        return front.slot(0).get_attribute("aria-label").partition(",")[0]

    def choose(value: str):
        front.page.get_by_label("Default order").select_option(value)
        front.page.keyboard.press("Escape")

    assert first() == "1.jpg"
    for value, name, sort in [("sort=name&direction=desc", "3.jpg", "name"), ("sort=path", "1.jpg", "path"),
                              ("direction=desc", "3.jpg", "path"), ("", "1.jpg", "path")]:
        open_settings(front)
        choose(value)
        # At once, and wherever an address names no order.
        front.until("(name) => document.querySelector('.slot[data-index=\"0\"]').ariaLabel.startsWith(name)", name)
        front.visit("")
        assert first() == name and front.page.input_value("#sort") == sort
        open_settings(front)
        assert front.page.get_by_label("Default order").input_value() == value
        front.page.keyboard.press("Escape")
