"""Help with searching: what can be asked for, what is not understood, and where is searched."""

import re

import pytest

from conftest import PHONE
from folder import Folder

DESK = {"viewport": {"width": 1366, "height": 768}}
LABELS = ["Date", "Day of year", "Camera", "Lens", "Rating", "File type", "Folder", "ISO", "Place", "Broken"]


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    root = tmp_path_factory.mktemp("asked")
    (root / "Holiday").mkdir()
    files = [f"Holiday/lake {at:02d}.jpg" for at in range(20)] + [f"sea {at:02d}.jpg" for at in range(30)]
    return Folder(start, root, [*files, "foo_bar.jpg"]).server


def field(front):
    return front.page.get_by_role("searchbox", name="Search")


def choices(front):
    return front.page.get_by_role("group", name="Search filters")


def searching(front):
    if field(front).is_hidden():
        front.page.get_by_role("button", name="Search", exact=True).tap()
    else:
        field(front).click()
    choices(front).get_by_role("button", name="Date").wait_for()
    return front


def until_total(front, total: int):
    front.until("(total) => document.querySelector('#position-total').textContent === total", str(total))


@pytest.mark.parametrize("text, says", [
    ("type:foo", "The search has type:foo, which is not a known file type. Known types: "),
    ("rating:x", "The search has rating:x, but a rating is expected, such as rating:4, "),
    ("taken:never", "The search has taken:never, but a date is expected, such as 2019, "),
    ("iso:fast", "The search has iso:fast, but an ISO speed is expected, such as iso:400, "),
    ("near:home", "The search has near:home, but a place is expected, such as near:48.86,2.35, "),
    ("is:lovely", "The search has is:lovely, but only is:broken is supported."),
])
def test_a_term_with_a_wrong_value_is_explained(visit, gallery, text, says):
    front = visit(gallery, **DESK)
    field(front).fill(text)
    front.until("(says) => document.querySelector('#search-problem').innerText.startsWith(says)", says)


@pytest.mark.parametrize("text", ["foo:bar", "lake foo:bar"])
@pytest.mark.parametrize("is_typed", [True, False], ids=["typed", "in the address"])
def test_an_unknown_term_is_explained_with_what_can_be_asked_for(visit, gallery, text, is_typed):
    front = visit(gallery, **DESK)
    if is_typed:
        field(front).fill(text)
    else:
        front.page.goto(f"{gallery.address}/?q={text}")
    hint = front.page.locator("#search-hint")
    hint.wait_for()
    assert hint.inner_text().endswith(" near:, is:broken.")
    assert hint.inner_text().startswith("foo: is not a search filter, so foo:bar is searched as text. Filters: "
                                        "taken:, on:, camera:, ")
    assert hint.get_attribute("role") == "status"
    field(front).fill("lake")
    hint.wait_for(state="hidden")


def test_a_choice_puts_its_term_into_the_field_and_says_how_it_goes_on(visit, gallery):
    front = searching(visit(gallery, **DESK))
    assert choices(front).get_by_role("button").all_inner_texts() == LABELS
    field(front).press_sequentially("lake ")
    choices(front).get_by_role("button", name="Rating").click()
    assert field(front).input_value() == "lake rating:"
    front.until("() => document.activeElement.id === 'search-field'")
    front.page.get_by_text("For example, rating:4, rating:3..5, or rating:0 for not rated.").wait_for()
    until_total(front, 20)
    front.page.keyboard.type("0")
    assert field(front).input_value() == "lake rating:0"
    front.page.locator("#search-hint").wait_for(state="hidden")
    # Elsewhere they are not in the way.
    field(front).press("Enter")
    choices(front).wait_for(state="hidden")


def test_the_choices_are_reached_and_left_by_arrow_keys(visit, gallery):
    front = searching(visit(gallery, **DESK))
    def until_on(name):
        front.until("(name) => document.activeElement.textContent.trim() === name", name)
    for key, name in [("ArrowDown", "Date"), ("ArrowRight", "Day of year"), ("End", "Broken"), ("ArrowRight", "Broken"),
                      ("Home", "Date"), ("ArrowRight", "Day of year"), ("ArrowRight", "Camera")]:
        front.page.keyboard.press(key)
        until_on(name)
    # They are one stop in the tab order.
    assert choices(front).locator("[tabindex='0']").count() == 1
    front.page.keyboard.press("Enter")
    assert field(front).input_value() == "camera:"
    for key in ("ArrowLeft", "Escape"):
        front.page.keyboard.press("ArrowDown")
        until_on("Date")
        front.page.keyboard.press(key)
        front.until("() => document.activeElement.id === 'search-field'")
    assert field(front).input_value() == "camera:"


def test_on_a_phone_a_choice_is_a_tap_and_a_wrong_search_is_explained_at_once(phone, gallery):
    front = searching(phone(gallery))
    choices(front).get_by_role("button", name="File type").tap()
    assert field(front).input_value() == "type:"
    boxes = choices(front).get_by_role("button").evaluate_all("(all) => all.map((one) => one.offsetHeight)")
    assert len(boxes) == len(LABELS) and min(boxes) >= 40
    assert front.page.evaluate("() => document.documentElement.scrollWidth") == 390
    front.page.goto(f"{gallery.address}/?q=type:foo")
    front.page.get_by_text("The search has type:foo, which is not a known file type").wait_for()


def test_while_a_word_is_typed_nothing_covers_the_results(visit, gallery):
    front = searching(visit(gallery, **DESK))
    field(front).press_sequentially("lak")
    choices(front).wait_for(state="hidden")
    assert front.page.locator("#search-below").bounding_box()["height"] == 0
    # After a word, and on request, they are there.
    field(front).press_sequentially("e ")
    choices(front).get_by_role("button", name="Date").wait_for()
    field(front).press("Backspace")
    choices(front).wait_for(state="hidden")
    field(front).press("ArrowDown")
    front.until("() => document.activeElement.textContent.trim() === 'Date'")


def test_on_a_phone_the_search_stays_in_sight_and_can_be_ended(phone, gallery):
    front = searching(phone(gallery))
    field(front).fill("lake")
    until_total(front, 20)
    field(front).press("Enter")
    sign = front.page.get_by_role("group", name="Search", exact=True)
    sign.get_by_role("button", name="“lake”").wait_for()
    # It covers no picture.
    bottom = sign.evaluate("(sign) => sign.getBoundingClientRect().bottom")
    assert front.slot(0).evaluate("(slot) => slot.getBoundingClientRect().top") >= bottom
    sign.get_by_role("button", name="“lake”").tap()
    front.until("() => document.activeElement.id === 'search-field'")
    field(front).press("Enter")
    sign.get_by_role("button", name="Clear search").focus()
    front.page.keyboard.press("Enter")
    until_total(front, 51)
    sign.wait_for(state="hidden")
    front.until("() => document.activeElement.matches('.slot')")
    front.page.goto(f"{gallery.address}/?q=on:06-14")
    sign.get_by_role("button", name="On June 14").wait_for()


@pytest.mark.parametrize("options", [DESK, PHONE], ids=["desk", "phone"])
def test_a_wrong_search_is_still_explained_after_enter(visit, gallery, options):
    front = searching(visit(gallery, **options))
    field(front).fill("rating:9")
    problem = front.page.locator("#search-problem")
    problem.wait_for()
    field(front).press("Enter")
    front.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert problem.is_visible() and field(front).is_visible()
    front.until("() => document.activeElement.id === 'search-field'")


def test_a_wrong_search_after_an_empty_one_leaves_no_blank_page(visit, gallery):
    front = visit(gallery, **DESK)
    field(front).fill("nowhere")
    front.page.get_by_role("heading", name="Nothing matches “nowhere”").wait_for()
    field(front).fill("nowhere rating:9")
    front.page.get_by_role("heading", name="This search does not work").wait_for()
    front.page.locator("#vacancy").get_by_role("button", name="Clear search").click()
    until_total(front, 51)
    front.page.locator("#vacancy").wait_for(state="hidden")


def test_on_a_very_low_screen_the_hint_can_be_read_and_the_bar_scrolls_away(visit, gallery):
    """A laptop's screen, enlarged by 400 %."""
    front = visit(gallery, viewport={"width": 341, "height": 192})
    front.until_settled()
    front.page.mouse.move(170, 100)
    front.page.mouse.wheel(0, 300)
    front.until("() => document.querySelector('#header').getBoundingClientRect().bottom <= 0")
    front.page.keyboard.press("Home")
    front.page.get_by_role("button", name="Search", exact=True).click()
    field(front).fill("foo:bar")
    hint = front.page.locator("#search-hint")
    hint.wait_for()
    navigation = front.page.locator("#navigation").bounding_box()
    for part in (hint, front.page.locator("#search-choices")):
        # From its beginning to its end, at one time or another.
        for is_start in (True, False):
            part.evaluate("(part, isStart) => part.scrollIntoView({ block: isStart ? 'start' : 'end' })", is_start)
            place = part.bounding_box()
            if is_start:
                assert 0 <= place["y"] < navigation["y"] - 16
            else:
                assert place["y"] + place["height"] <= navigation["y"] + 1


@pytest.mark.parametrize("options", [DESK, PHONE], ids=["desk", "phone"])
def test_in_a_folder_the_search_says_so_and_can_be_widened(visit, gallery, options):
    front = searching(visit(gallery, "?folder=Holiday", **options))
    sign = choices(front).get_by_role("button", name="Only in Holiday: search everywhere")
    assert sign.inner_text().strip() == "in Holiday"
    field(front).fill("sea")
    front.page.get_by_role("heading", name="Nothing matches “sea” in Holiday").wait_for()
    sign.click()
    until_total(front, 30)
    front.until("() => location.search === '?q=sea'")
    assert sign.is_hidden()


def test_an_empty_result_in_a_folder_offers_to_search_everywhere(visit, gallery):
    front = visit(gallery, "?folder=Holiday", **DESK)
    field(front).fill("sea")
    vacancy = front.page.locator("#vacancy")
    vacancy.get_by_text("Try fewer or different words.").wait_for()
    vacancy.get_by_role("button", name="Search everywhere").click()
    until_total(front, 30)
    assert field(front).input_value() == "sea"
    # Where everything is searched already, there is no such way.
    field(front).fill("nowhere")
    vacancy.get_by_role("heading", name=re.compile("^Nothing matches “nowhere”$")).wait_for()
    assert vacancy.get_by_role("button").all_inner_texts() == ["Clear search"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_screenshots_of_searching(visit, gallery, picture, size, scheme):
    options = {"color_scheme": scheme, **(PHONE if size == "phone" else DESK)}
    front = searching(visit(gallery, "?folder=Holiday", **options))
    front.until_settled()
    picture(front, f"search-choices-{size}-{scheme}")
    field(front).fill("foo:bar")
    front.page.locator("#search-hint").wait_for()
    front.page.locator("#vacancy-everywhere").wait_for()
    picture(front, f"search-unknown-{size}-{scheme}")
