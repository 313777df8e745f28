"""The settings: appearance and single-key shortcuts, kept by this browser."""

import pytest

from conftest import PHONE


def open_settings(front):
    front.page.get_by_role("button", name="Settings").click()
    front.page.get_by_role("dialog", name="Settings").wait_for()


def ground(front) -> str:
    return front.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_the_chosen_appearance_applies_at_once_and_from_the_first_paint_on(visit, demo, options):
    front = visit(demo, color_scheme="light", **options)
    light = ground(front)
    open_settings(front)
    assert front.page.get_by_label("System").is_checked()
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
    front.page.get_by_label("System").check()
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
    front.page.get_by_role("button", name="Show all shortcuts").click()
    front.page.get_by_role("dialog", name="Keys").wait_for()
    front.page.keyboard.press("?")
    front.page.get_by_role("dialog", name="Keys").wait_for(state="hidden")
    front.page.keyboard.press("g")
    assert front.page.evaluate("() => document.activeElement.id") == "position-number"


def test_the_focus_returns_to_the_button(visit, demo):
    front = visit(demo)
    open_settings(front)
    front.page.keyboard.press("Escape")
    assert front.page.evaluate("() => document.activeElement.id") == "settings-button"
