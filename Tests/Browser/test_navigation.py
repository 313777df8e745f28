"""Navigation: a rail at the side of a wide screen, a bar at the bottom of a narrow one."""

import pytest

from conftest import PHONE
from folder import Folder

DESK = {"viewport": {"width": 1440, "height": 900}}
TABLET = {"viewport": {"width": 820, "height": 1180}}
# The search has an entry only where its field is folded away.
ENTRIES = ["All", "Dates", "Folders"]


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    path = tmp_path_factory.mktemp("ways")
    for folder in ("hills", "sea"):
        (path / folder).mkdir()
    return Folder(start, path, [f"{folder}/{number:03d}.jpg" for folder in ("hills", "sea") for number in range(120)]).server


@pytest.fixture
def front(visit, gallery):
    def front(place: str = "", **options):
        front = visit(gallery, place, **options)
        entry(front, "Folders").wait_for()
        return front
    return front


def ways(front):
    return front.page.get_by_role("navigation", name="Gallery")


def entry(front, name: str):
    return ways(front).get_by_role("button", name=name, exact=True)


def until_current(front, name: str):
    front.until("""(name) => {
        const current = [...document.querySelectorAll('#navigation [aria-current=page]')];
        return current.length === 1 && current[0].textContent.trim() === name;
    }""", name)


@pytest.mark.parametrize("options", [DESK, TABLET, PHONE], ids=["desk", "tablet", "phone"])
def test_one_entry_is_current_and_each_leads_to_its_view(front, options):
    front = front(**options)
    is_phone = options is PHONE
    assert ways(front).get_by_role("button").all_inner_texts() == ENTRIES + ["Search"] * is_phone + ["Settings"]
    until_current(front, "All")
    entry(front, "Folders").click()
    front.page.get_by_role("dialog", name="Folders").get_by_role("button", name="sea, 120 pictures").click()
    until_current(front, "Folders")
    front.until("() => document.querySelector('#position-total').textContent === '120'")
    field = front.page.locator("#search-field")
    if is_phone:
        entry(front, "Search").click()
    else:
        field.focus()
    assert field.evaluate("(field) => field === document.activeElement")
    field.fill("007")
    until_current(front, "Search")
    entry(front, "All").click()
    until_current(front, "All")
    front.until("() => document.querySelector('#position-total').textContent === '240'")
    assert field.input_value() == ""
    front.page.go_back()
    until_current(front, "Search")


def test_all_leads_to_the_beginning_if_all_pictures_are_shown(front):
    front = front("#at=100", **DESK)
    front.until("() => document.querySelector('#position-number').value === '100'")
    entry(front, "All").click()
    front.until("() => document.querySelector('#position-number').value === '1'")


@pytest.mark.parametrize("width", [601, 1099, 1100, 1440])
def test_a_wide_screen_has_a_rail_beside_the_pictures(front, width):
    front = front(viewport={"width": width, "height": 800})
    rail, grid = ways(front).bounding_box(), front.page.locator("#grid").bounding_box()
    assert rail["x"] == 0 and rail["x"] + rail["width"] <= grid["x"]
    for name in ENTRIES:
        words = entry(front, name).locator("span")
        assert words.is_visible() and words.evaluate("(words) => getComputedStyle(words).clipPath === 'none'")
        assert 0 < words.bounding_box()["x"] and words.evaluate(
            "(words) => words.getBoundingClientRect().right") < rail["width"]
    # Nothing in the bar is clipped or overlaps.
    boxes = front.page.locator("#header h1, #search, #sorting, #arrangement, #position").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect()).map(({ left, right }) => [left, right])")
    assert len(boxes) == 5
    assert all(one[1] <= other[0] for one, other in zip(boxes, boxes[1:])) and boxes[-1][1] <= width


def test_the_phone_bar_covers_neither_the_last_picture_nor_the_focus(front):
    front = front(**PHONE)
    bar = ways(front).bounding_box()
    assert bar["width"] == 390 and bar["y"] + bar["height"] == 844
    front.page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    front.slot(239).wait_for()
    front.until("() => Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 1")
    last = front.slot(239).bounding_box()
    assert 0 <= bar["y"] - (last["y"] + last["height"]) < 8
    # Nor does it cover one that has the focus.
    front.page.keyboard.press("Home")
    front.slot(0).focus()
    for _ in range(12):
        front.page.keyboard.press("ArrowDown")
    front.until("() => document.activeElement.matches('.slot') && document.activeElement.getBoundingClientRect().bottom"
                " <= document.querySelector('#navigation').getBoundingClientRect().top")


def test_the_phone_bar_respects_the_safe_area(front):
    front = front(**PHONE)
    session = front.page.context.new_cdp_session(front.page)
    session.send("Emulation.setSafeAreaInsetsOverride", {"insets": {"bottom": 34}})
    front.until("() => document.querySelector('#navigation').getBoundingClientRect().height > 80")
    words = entry(front, "Search").locator("span").bounding_box()
    assert words["y"] + words["height"] <= 844 - 34


@pytest.mark.parametrize("options", [DESK, PHONE], ids=["desk", "phone"])
def test_the_navigation_is_hidden_while_the_viewer_is_open(front, options):
    front = front(**options)
    front.until_settled()
    assert ways(front).is_visible()
    front.slot(0).click()
    front.viewer.wait_for()
    front.until("() => getComputedStyle(document.querySelector('#navigation')).visibility === 'hidden'")
    front.page.keyboard.press("Escape")
    ways(front).wait_for()


def test_a_gallery_without_folders_has_no_folders_entry(visit, demo):
    front = visit(demo, **DESK)
    front.until_settled()
    assert entry(front, "Folders").is_hidden() and entry(front, "All").is_visible()


@pytest.mark.parametrize("mode", ["light", "dark", "forced"])
@pytest.mark.parametrize("size", ["desk", "tablet", "phone"])
def test_screenshots_of_the_navigation(front, picture, size, mode):
    options = {"desk": DESK, "tablet": TABLET, "phone": {**PHONE, "device_scale_factor": 3}}[size]
    colours = {"forced_colors": "active"} if mode == "forced" else {"color_scheme": mode}
    front = front("?folder=sea", **options, **colours)
    front.until_settled()
    picture(front, f"navigation-{size}-{mode}")
    entry(front, "Folders").click()
    front.page.get_by_role("button", name="sea, 120 pictures").wait_for()
    picture(front, f"navigation-folders-{size}-{mode}")
