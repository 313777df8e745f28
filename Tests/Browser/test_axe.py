"""Every view passes axe's rules: in light and dark mode and with forced colours, on desktops and phones."""

import importlib.resources
import re

import pytest

from conftest import PHONE
from front import failing, incomplete

AXE = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()

# A laptop's screen at 200 %.
ZOOMED = {"viewport": {"width": 683, "height": 384}, "device_scale_factor": 2}
SCREENS = {"desktop": {}, "phone": PHONE}
COLOURS = {
    "light": {"color_scheme": "light", "forced_colors": "none"},
    "dark": {"color_scheme": "dark", "forced_colors": "none"},
    "forced colours": {"color_scheme": "light", "forced_colors": "active"},
}


def violations_in_all_colours(page, screen: str) -> list[str]:
    """The violations in each of the colours that this screen is tested with: on a desktop, all of them."""
    found = []
    for colours in COLOURS if screen == "desktop" else ["light"]:
        page.emulate_media(**COLOURS[colours])
        # Until the next frame, no transition to the new colours has begun.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [f"{colours}: {each}" for each in violations(page)]
    return found


def violations(page) -> list[str]:
    """The violations, by rule. Waits for animations to end, because intermediate colours are not intended."""
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState !== 'running' || "
                                 "one.effect.getComputedTiming().iterations === Infinity)")
    page.evaluate(AXE)
    found = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
    return [f"{each['id']}: {node['html'][:160]} {node['failureSummary']}" for each in found for node in each["nodes"]]


def opened(front):
    front.slot(0).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()


def with_details(front):
    opened(front)
    front.page.keyboard.press("i")
    front.page.locator("#details-list dt").first.wait_for()


def with_filmstrip(front):
    opened(front)
    front.page.keyboard.press("t")
    front.page.locator("#filmstrip .still").first.wait_for()


def with_menu(front):
    opened(front)
    front.page.get_by_role("button", name="More").click()
    front.page.locator("#viewer-menu").wait_for()


def comparison(front):
    opened(front)
    front.page.keyboard.press("c")
    front.page.locator(".frame[data-place=beside][data-phase=displayed]").wait_for()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()


def slideshow(front):
    opened(front)
    front.page.keyboard.press("Space")
    front.page.locator("#slideshow").wait_for()
    front.page.locator("#slideshow-toggle").click()


def keys(front):
    front.page.keyboard.press("?")
    front.page.get_by_role("heading", name="Help").wait_for()


def settings(front):
    front.page.get_by_role("button", name="Settings").click()
    front.page.get_by_role("dialog", name="Settings").wait_for()


def misunderstood(front):
    front.page.goto(f"{front.address}/?q=near:nowhere")
    front.page.locator("#search-problem").wait_for()


def nothing_found(front):
    front.page.goto(f"{front.address}/?q=nothing-of-this-name")
    front.page.locator("#vacancy-clear").wait_for()


VIEWS = {
    "grid": (None, lambda front: None),
    "a picture that cannot be shown": (failing, lambda front: front.page.locator(".slot-problem").first.wait_for()),
    "a picture that is incomplete": (incomplete, lambda front: front.page.locator(".slot .incomplete").first.wait_for()),
    "viewer": (None, opened),
    "details": (None, with_details),
    "filmstrip": (None, with_filmstrip),
    "menu": (None, with_menu),
    "comparison": (None, comparison),
    "slideshow": (None, slideshow),
    "keys": (None, keys),
    "settings": (None, settings),
}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_no_violations(visit, demo, view, screen):
    before, show = VIEWS[view]
    front = visit(demo, before=before or (lambda page: None), **SCREENS[screen])
    front.slots.first.wait_for()
    if before is None:
        front.until_settled()
    show(front)
    assert violations_in_all_colours(front.page, screen) == []


@pytest.fixture(scope="module")
def found(start, tmp_path_factory):
    """Pictures in folders, with known dates."""
    from folder import Folder
    from test_months import month_files
    files = month_files("2019-06", 30) | month_files("2019-08", 30)
    path = tmp_path_factory.mktemp("found")
    (path / "a folder").mkdir()
    return Folder(start, path, files | {f"a folder/{name}": taken for name, taken in month_files("2020-01", 5).items()},
                  examines=True).server


def months(front):
    front.visit("?sort=taken")
    front.page.get_by_role("heading", level=2).first.wait_for()


def folders(front):
    front.page.locator("#folders-button").click()
    front.page.locator("#folders-list button").first.wait_for()


def folders_within(front):
    front.page.goto(f"{front.address}/?folder=a folder")
    folders(front)


def dates(front):
    front.page.locator("#dates-button").click()
    front.page.locator("#dates .year").first.wait_for()


def searching(front):
    front.page.goto(f"{front.address}/?folder=a folder")
    front.slots.first.wait_for()
    front.page.keyboard.press("/")
    front.page.locator("#search-choices button").first.wait_for()


def unknown_term(front):
    searching(front)
    front.page.keyboard.type("foo:bar")
    front.page.locator("#search-hint").wait_for()
    front.page.locator("#vacancy-everywhere").wait_for()


def cut_off(front):
    front.page.route(re.compile("/healthz|/api/"), lambda route: route.abort())
    front.page.keyboard.press("/")
    front.page.keyboard.type("lake")
    front.page.locator("#search-problem").wait_for()
    front.page.locator("#banner-explanation").wait_for()


@pytest.mark.parametrize("screen", [*SCREENS, "zoomed"])
@pytest.mark.parametrize("show", [
    months, folders, folders_within, dates, searching, unknown_term, misunderstood, nothing_found, cut_off])
def test_finding_has_no_violations(visit, found, show, screen):
    front = visit(found, **SCREENS.get(screen, ZOOMED))
    show(front)
    assert violations_in_all_colours(front.page, screen) == []
    # Nor does anything scroll sideways.
    assert front.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert front.page.evaluate("""() => [...document.querySelectorAll('dialog[open] .sheet-body, dialog[open]')].every(
        (one) => one.scrollWidth <= one.clientWidth)""")
