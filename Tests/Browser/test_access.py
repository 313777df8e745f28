"""Accessibility: screen readers, keyboard control and contrast."""

import pytest

from front import FAILURE, failing, failing_pictures, incomplete
from server import ROOT

CONTRASTS = """(selectors) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (rgb) => {
        const [r, g, b] = rgb.map((value) => value / 255)
            .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const over = (colour, below) => {
        const share = colour[3] / 255;
        return [0, 1, 2].map((at) => colour[at] * share + below[at] * (1 - share)).concat(255);
    };
    // Blend translucent colours with the background.
    const behind = (element) => {
        const colour = element ? rgba(getComputedStyle(element).backgroundColor) : [255, 255, 255, 255];
        return colour[3] === 255 ? colour : over(colour, behind(element.parentElement));
    };
    return selectors.map((selector) => {
        const element = document.querySelector(selector);
        const ground = behind(element);
        const one = luminance(over(rgba(getComputedStyle(element).color), ground).slice(0, 3));
        const other = luminance(ground.slice(0, 3));
        return [selector, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)];
    });
}"""


def test_the_grid_exposes_its_size_and_every_slot_its_name(visit, demo):
    front = visit(demo, layout="squares")
    front.until_settled()
    grid = front.page.get_by_role("grid", name="Pictures")
    columns = int(grid.get_attribute("aria-colcount"))
    assert int(grid.get_attribute("aria-rowcount")) == -(-10_000 // columns)
    rows = front.page.get_by_role("row")
    assert int(rows.first.get_attribute("aria-rowindex")) == 1
    cells = front.page.get_by_role("gridcell")
    for cell in cells.all():
        index = int(cell.get_attribute("data-index"))
        assert cell.get_attribute("aria-label").endswith(f"picture {index + 1:,}")
        assert int(cell.get_attribute("aria-colindex")) == index % columns + 1


def test_every_picture_has_alternative_text_and_every_control_a_name(visit, demo):
    front = visit(demo)
    front.until_settled()
    assert front.page.evaluate("() => [...document.querySelectorAll('.slot img')].every((image) => image.alt)")
    assert front.page.get_by_role("textbox", name="Go to picture number").is_visible()
    assert front.page.get_by_role("slider", name="Picture size").is_visible()
    front.slot(2).click()
    front.page.locator(".frame[data-place=current] .frame-screen").wait_for()
    for name in ("Close", "Zoom", "Details", "Previous picture", "Next picture"):
        assert front.viewer.get_by_role("button", name=name, exact=True).is_visible()
    assert front.page.locator(".frame[data-place=current] .frame-screen").get_attribute("alt")


def test_exactly_one_slot_is_a_tab_stop_and_it_is_on_screen(visit, demo):
    front = visit(demo)
    front.go_to(5_000)
    front.slot(4_999).wait_for()
    front.page.evaluate("() => document.activeElement.blur()")
    front.page.evaluate("() => scrollBy(0, 6000)")
    front.until("() => document.querySelectorAll('.slot[tabindex=\"0\"]').length === 1 && "
                "document.querySelector('.slot[tabindex=\"0\"]').getBoundingClientRect().top >= 0")
    front.page.locator("#position-number").focus()
    front.page.keyboard.press("Tab")
    assert front.focused is not None
    assert front.slots.nth(0).page.evaluate("() => document.activeElement.getBoundingClientRect().top") < 800


def test_rows_are_in_reading_order_at_rest(visit, demo):
    front = visit(demo)
    front.page.evaluate("() => scrollBy(0, 3000)")
    front.until("""() => {
        const rows = [...document.querySelectorAll('.row:not([hidden])')].map((row) => Number(row.ariaRowIndex));
        return rows.length > 3 && rows[0] > 5 && rows.every((row, at) => at === 0 || row > rows[at - 1]);
    }""")


def test_moving_in_the_viewer_is_announced(visit, demo):
    front = visit(demo)
    front.until_settled()
    front.slot(2).click()
    front.viewer.wait_for()
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer > [aria-live]').textContent.includes('picture 4 of 10,000')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_sufficient_contrast(visit, demo, scheme):
    front = visit(demo, before=failing, color_scheme=scheme)
    front.until_settled()
    front.page.evaluate("() => (document.querySelector('#banner').hidden = false)")
    selectors = ["#header h1", "#position", "#position-number", ".slot-problem-reason", ".slot-problem button",
                 "#banner-text", "#banner-retry", "#vacancy-title", "#vacancy-text", "#sticky-title", "#progress"]
    for selector, contrast in front.page.evaluate(CONTRASTS, selectors):
        assert contrast >= 4.5, f"{selector} in {scheme}: {contrast:.1f}"


@pytest.mark.parametrize("colours", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}],
                         ids=["light", "dark", "forced"])
def test_the_incomplete_badge_has_sufficient_contrast(visit, demo, colours):
    front = visit(demo, before=incomplete, **colours)
    front.until_settled()
    front.slot(0).click()
    front.page.locator(".frame[data-place=current] .incomplete").wait_for()
    for selector, contrast in front.page.evaluate(CONTRASTS, [".slot .incomplete", ".frame .incomplete"]):
        assert contrast >= 4.5, f"{selector}: {contrast:.1f}"


@pytest.mark.parametrize("colours", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}],
                         ids=["light", "dark", "forced"])
def test_viewer_text_has_sufficient_contrast(visit, demo, colours):
    front = visit(demo, before=lambda page: failing_pictures(page, 502, FAILURE), **colours)
    front.until_settled()
    front.slot(0).click()
    front.page.locator(".frame[data-place=current] .frame-problem").wait_for()
    front.page.keyboard.press("i")
    front.page.locator("#details dt").first.wait_for()
    front.page.keyboard.press("?")
    current = ".frame[data-place=current] .frame-problem"
    selectors = [f"{current}-title", f"{current}-detail", f"{current} button",
                 f"{current} a", "#details dt", "#details dd", "#shortcuts h3", "#shortcuts dd", "#shortcuts kbd"]
    for selector, contrast in front.page.evaluate(CONTRASTS, selectors):
        assert contrast >= 4.5, f"{selector}: {contrast:.1f}"


ACTIONS = ["Close", "Zoom", "Slideshow", "Filmstrip", "Full screen", "Download original", "Details",
           "Previous picture", "Next picture"]


def test_every_viewer_action_is_named_and_reachable_by_tab(visit, demo):
    # The slideshow stays on its picture long enough to go through all of them.
    front = visit(demo, before=lambda page: page.add_init_script("localStorage.setItem('tessera.slideshow', '60')"))
    front.until_settled()
    front.slot(2).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.page.keyboard.press("Space")
    front.page.keyboard.press("t")
    front.page.locator(".still[aria-current] img").wait_for()
    reached = []
    for _ in range(16):
        front.page.keyboard.press("Tab")
        reached.append(front.page.evaluate("() => document.activeElement.ariaLabel ?? "
                                           "document.activeElement.labels?.[0]?.textContent ?? "
                                           "document.activeElement.title"))
    assert [name for name in ACTIONS if name not in reached] == []
    assert {"Pause", "Time per picture", "End slideshow"} <= set(reached)
    # Of the filmstrip, only the current picture; arrow keys lead to the others.
    assert sum(name is not None and name.endswith("picture 3") for name in reached) == 1


def test_keys_work_after_the_focused_element_is_hidden(phone, demo):
    front = phone(demo)
    front.until_settled()
    front.slot(2).tap()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.page.locator("#viewer-slideshow").focus()
    front.page.keyboard.press("i")
    front.page.locator("#details").wait_for()
    # The browser moves the focus away from hidden elements at the next layout.
    front.until("() => document.activeElement === document.body")
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-count').textContent === '4 of 10,000'")
    front.page.keyboard.press("i")
    front.page.locator("#details").wait_for(state="hidden")


def test_the_page_has_no_inline_styles_or_handlers():
    page = (ROOT / "Public" / "index.html").read_text()
    assert " style=" not in page and "<style" not in page and " on" not in page.replace(" one", "").replace(" of", "")
