"""Finding pictures: by search, by folder and by sort order, with the browser's history."""

import io
import os

import pytest
from PIL import Image

from conftest import PHONE
from front import by_requests

FOLDERS = {"2019/06": 40, "2019/07": 30, "2020/sea & sky": 50}


def jpeg(hue: int, side: int = 320) -> bytes:
    image = Image.merge("HSV", [Image.new("L", (side, side), hue % 256), Image.new("L", (side, side), 130),
                                Image.linear_gradient("L").resize((side, side))])
    file = io.BytesIO()
    image.convert("RGB").save(file, "JPEG", quality=60 + hue % 30)
    return file.getvalue()


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    root = tmp_path_factory.mktemp("found")
    number = 0
    for name, count in FOLDERS.items():
        (root / name).mkdir(parents=True)
        for _ in range(count):
            path = root / name / f"{['harbour', 'mountain', 'Zoë'][number % 3]} {number:03d}.jpg"
            path.write_bytes(jpeg(number * 7))
            os.utime(path, (1_560_000_000 + number, 1_560_000_000 + number))
            number += 1
    return start("serve", root)


def field(front):
    return front.page.get_by_role("searchbox", name="Search")


def until_total(front, total: int):
    front.until("(total) => document.querySelector('#position-total').textContent === total", f"{total:,}")


def names(front) -> list[str]:
    """The names of the pictures on screen, in order."""
    return front.page.evaluate("""() => [...document.querySelectorAll('.slot[data-index]')]
        .sort((one, other) => one.dataset.index - other.dataset.index)
        .map((slot) => slot.ariaLabel.split(', picture ')[0])""")


def until_address(front, query: str):
    front.until("(query) => location.search === query", query)


@pytest.mark.parametrize("before", [lambda page: None, by_requests], ids=["by the stream", "by requests"])
def test_the_search_updates_while_typing_and_escape_clears_it(visit, gallery, before):
    front = visit(gallery, before=before)
    until_total(front, 120)
    front.page.keyboard.press("/")
    field(front).press_sequentially("zoe")
    until_total(front, 40)
    assert all(name.startswith("Zoë") for name in names(front))
    front.until_settled()
    until_address(front, "?q=zoe")
    front.until("() => [...document.querySelectorAll('[aria-live]')].some((one) => one.textContent === '40 pictures')")
    front.page.keyboard.press("Escape")
    until_total(front, 120)
    assert field(front).input_value() == ""
    until_address(front, "")
    front.until_settled()


def test_pictures_sent_for_an_abandoned_search_are_used_by_the_next(visit, gallery, relay):
    """The server does not send it again."""
    through = relay(gallery)
    front = visit(through)
    front.until_way("stream")
    front.until_settled()
    through.hold(after=b'"type":"tokens","view":"q=moun"')
    sent = gallery.status["streams"]["tiles"]
    # At once: no earlier view has been sent any of its pictures.
    field(front).fill("moun")
    until_total(front, 40)
    until_address(front, "?q=moun")
    front.until_noted(lambda: through.has_held and gallery.status["streams"]["tiles"] >= sent + 4)
    field(front).press_sequentially("tain")
    until_address(front, "?q=mountain")
    through.let_go()
    front.until_settled()
    assert front.page.locator(".slot[data-phase=failed]").count() == 0
    assert front.way == "stream"


def test_the_latest_input_wins_whichever_response_arrives_first(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    held = []
    front.page.route("**/api/v1/images?*q=har*", lambda route: held.append(route))
    field(front).fill("har")
    front.until("() => document.documentElement.hasAttribute('data-finding')")
    front.until_noted(lambda: held)
    assert len(held) == 1
    field(front).fill("mountain")
    until_total(front, 40)
    with front.page.expect_event("requestfinished", lambda request: request.url == held[0].request.url):
        held[0].continue_()
    front.until_settled()
    assert all(name.startswith("mountain") for name in names(front))
    assert not front.page.evaluate("() => document.documentElement.hasAttribute('data-finding')")


def test_an_invalid_search_is_explained_beneath_the_field_and_the_pictures_stay(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    field(front).fill("taken:never")
    problem = front.page.locator("#search-problem")
    problem.wait_for()
    assert problem.inner_text().startswith("The search has taken:never")
    assert field(front).get_attribute("aria-invalid") == "true"
    assert front.slots.count() > 10
    field(front).fill("harbour")
    until_total(front, 40)
    assert problem.is_hidden()
    assert field(front).get_attribute("aria-invalid") is None


def test_an_invalid_search_in_the_address_shows_all_pictures(visit, gallery):
    front = visit(gallery, "?q=taken:never")
    front.page.locator("#search-problem").wait_for()
    assert field(front).input_value() == "taken:never"
    until_total(front, 120)


def test_a_search_without_matches_says_so_and_can_be_cleared(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    field(front).fill("nowhere")
    front.page.get_by_role("heading", name="Nothing matches “nowhere”").wait_for()
    front.page.get_by_role("button", name="Clear search").last.click()
    until_total(front, 120)
    assert front.page.locator("#vacancy").is_hidden()


def test_clearing_a_search_without_matches_keeps_the_folder(visit, gallery):
    front = visit(gallery, "?folder=2019")
    until_total(front, 70)
    field(front).fill("nowhere")
    front.page.get_by_role("heading", name="Nothing matches “nowhere” in 2019").wait_for()
    front.page.locator("#vacancy").get_by_role("button", name="Clear search").click()
    until_total(front, 70)
    until_address(front, "?folder=2019")


def test_a_refused_search_is_not_said_to_match_nothing(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    title = front.page.locator("#vacancy-title")
    for _ in range(2):
        field(front).fill("nowhere")
        title.get_by_text("Nothing matches “nowhere”").wait_for()
        field(front).fill("taken:never")
        front.page.locator("#search-problem").wait_for()
        title.get_by_text("This search does not work").wait_for()


def test_escape_moves_the_focus_from_a_field_to_the_pictures(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    front.until_settled()
    for key in ("/", "g"):
        front.page.keyboard.press(key)
        front.until("() => document.activeElement.tagName === 'INPUT'")
        front.page.keyboard.press("Escape")
        front.until_focused(0)


def test_the_tab_is_named_after_the_search_or_the_folder(visit, gallery):
    front = visit(gallery, "?folder=2019/07")
    until_total(front, 30)
    assert front.page.title() == "07 – Tessera"
    field(front).fill("harbour")
    front.until("() => document.title === '“harbour” – Tessera'")
    field(front).press("Escape")
    front.until("() => document.title === '07 – Tessera'")


def test_changing_the_sort_order_keeps_the_top_picture_and_back_restores_it(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    front.go_to(61)
    # Its slot is in the document even while it is still below the screen.
    front.until("() => document.querySelector('.slot[data-index=\"60\"]')?.getBoundingClientRect().top < 120")
    front.until_settled()
    # Without focus, the field shows the position at the top, and the row's first picture depends on what is known by
    # now.
    front.page.evaluate("() => document.activeElement.blur()")
    number = front.position
    top = front.slot(number - 1).get_attribute("aria-label").split(", picture ")[0]
    front.page.get_by_label("Sort by").select_option("name")
    until_address(front, "?sort=name")
    # Near the end of the other order, it gets as close to the top as the end of the page allows.
    front.until("""(name) => {
        const slot = [...document.querySelectorAll('.slot[data-index]')].find((one) => one.ariaLabel.startsWith(name));
        const edge = slot?.getBoundingClientRect().top;
        const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
        return edge < 120 || (isAtEnd && edge < innerHeight);
    }""", top)
    place = front.position
    front.page.get_by_role("button", name="A to Z").click()
    until_address(front, "?sort=name&direction=desc")
    front.until("(place) => document.querySelector('#position-number').value !== String(place)", place)
    front.page.go_back()
    until_address(front, "?sort=name")
    assert front.page.get_by_label("Sort by").input_value() == "name"
    front.page.go_back()
    # Another order is remembered now, so the address names this one.
    until_address(front, "?sort=path")
    front.until("(number) => document.querySelector('#position-number').value === String(number)", number)
    front.page.go_forward()
    until_address(front, "?sort=name")


def test_the_chosen_sort_order_is_applied(visit, gallery):
    front = visit(gallery, "?sort=name&direction=desc")
    front.until_settled()
    assert names(front)[:2] == ["Zoë 119.jpg", "Zoë 116.jpg"]
    front.page.get_by_label("Sort by").select_option("shuffle")
    front.until("() => location.search.startsWith('?sort=shuffle&seed=')")
    # With this many pictures, a shuffle practically never starts with the same two.
    front.until("""(names) => {
        const slots = [0, 1].map((index) => document.querySelector(`.slot[data-index='${index}']`));
        return slots.every(Boolean) && slots.some((slot, at) => !slot.ariaLabel.startsWith(names[at]));
    }""", ["Zoë 119.jpg", "Zoë 116.jpg"])
    front.until_settled()
    once = names(front)
    front.page.reload()
    front.until_settled()
    again = names(front)
    # How many fit on the screen may differ, since more aspect ratios may be known by now.
    same = min(len(once), len(again))
    assert same > 8 and again[:same] == once[:same]


def test_a_search_is_one_history_entry_however_many_letters_it_has(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    field(front).press_sequentially("harbour")
    until_total(front, 40)
    until_address(front, "?q=harbour")
    front.page.go_back()
    until_address(front, "")
    until_total(front, 120)
    assert field(front).input_value() == ""


def test_clearing_a_search_returns_to_the_previous_position(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    front.go_to(61)
    front.until_settled()
    field(front).fill("mountain")
    until_total(front, 40)
    assert front.position == 1
    field(front).press("Escape")
    until_total(front, 120)
    front.until("() => document.querySelector('#position-number').value === '61'")


def test_folders_can_be_entered_and_left(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.get_by_role("button", name="2019, 70 pictures, contains folders").click()
    until_total(front, 70)
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.get_by_role("button", name="07, 30 pictures").click()
    until_total(front, 30)
    until_address(front, "?folder=2019/07")
    trail = front.page.get_by_role("navigation", name="Folder path")
    assert trail.get_by_role("listitem").all_inner_texts() == ["All folders", "2019", "07"]
    assert trail.get_by_role("button", name="07").get_attribute("aria-current") == "page"
    front.until_settled()
    assert front.slot(0).bounding_box()["y"] >= front.page.locator("#header").bounding_box()["height"]
    trail.get_by_role("button", name="2019").click()
    until_total(front, 70)
    trail.get_by_role("button", name="All folders").click()
    until_total(front, 120)
    assert trail.is_hidden()


def test_the_viewer_goes_through_the_search_results(visit, gallery):
    front = visit(gallery, "?q=harbour&sort=name&direction=desc")
    front.until_settled()
    expected = names(front)[:3]
    front.slot(0).click()
    front.viewer.wait_for()
    for name in expected:
        front.until("(name) => document.querySelector('#viewer-name').textContent === name", name)
        front.page.keyboard.press("ArrowRight")
    assert "?q=harbour&sort=name&direction=desc#image=" in front.page.url
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")


def test_on_a_phone_buttons_unfold_the_search_and_the_sort_order(phone, gallery):
    front = phone(gallery)
    until_total(front, 120)
    order = front.page.get_by_label("Sort by")
    assert field(front).is_hidden() and order.is_hidden()
    search = front.page.get_by_role("button", name="Search", exact=True)
    # A tap becomes a click when it ends.
    search.tap()
    front.until("() => document.activeElement.id === 'search-field'")
    assert order.is_hidden()
    field(front).fill("harbour")
    until_total(front, 40)
    field(front).press("Enter")
    assert field(front).is_hidden()
    assert search.get_attribute("aria-current") == "page"
    button = front.page.get_by_role("button", name="Sorting and picture size")
    button.tap()
    order.wait_for()
    assert field(front).is_hidden() and button.get_attribute("aria-expanded") == "true"
    button.tap()
    order.wait_for(state="hidden")
    assert button.get_attribute("aria-expanded") == "false"
    search.tap()
    field(front).wait_for()
    front.slot(8).tap()
    front.viewer.wait_for()
    front.page.keyboard.press("Escape")
    assert field(front).is_hidden()


def test_g_jumps_to_a_number_and_reports_invalid_input(visit, gallery):
    front = visit(gallery)
    until_total(front, 120)
    number = front.page.get_by_role("textbox", name="Go to picture number")
    problem = front.page.locator("#position-problem")
    front.page.keyboard.press("g")
    assert number.evaluate("(field) => field === document.activeElement && field.selectionEnd > field.selectionStart")
    front.page.keyboard.type("June 2019")
    front.page.keyboard.press("Enter")
    problem.wait_for()
    assert problem.inner_text() == "Type a number from 1 to 120."
    assert problem.get_attribute("role") == "alert" and number.get_attribute("aria-invalid") == "true"
    front.page.keyboard.type("61")
    front.page.keyboard.press("Enter")
    problem.wait_for(state="hidden")
    assert number.get_attribute("aria-invalid") is None
    front.until("() => document.activeElement.dataset.index === '60'")
    # In the viewer and in a field it is an ordinary letter.
    front.page.keyboard.press("Enter")
    front.viewer.wait_for()
    front.page.keyboard.press("g")
    assert front.page.evaluate("() => document.querySelector('#viewer').contains(document.activeElement)")
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    field(front).press_sequentially("g")
    assert field(front).input_value() == "g"


def test_the_keyboard_help_lists_jumping_sizes_and_search(visit, gallery):
    front = visit(gallery)
    front.page.keyboard.press("?")
    keys = front.page.locator("#shortcuts dl > div").all_inner_texts()
    lines = [" ".join(line.split()) for line in keys]
    assert {"g Go to a picture number or date", "+ − Larger and smaller pictures", "/ Search"} <= set(lines)


SIZES = {"desktop": {"viewport": {"width": 1280, "height": 800}}, "phone": PHONE}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_screenshots_of_the_bar(visit, gallery, picture, scheme, size):
    front = visit(gallery, "?q=zoe&folder=2020&sort=taken&direction=desc", color_scheme=scheme, **SIZES[size])
    front.until_settled()
    picture(front, f"finding-{size}-{scheme}")
    if size == "phone":
        front.page.get_by_role("button", name="Search", exact=True).tap()
    field(front).fill("taken:never")
    front.page.locator("#search-problem").wait_for()
    picture(front, f"finding-problem-{size}-{scheme}")
    field(front).fill("nowhere")
    front.page.get_by_role("heading", name="Nothing matches “nowhere” in 2020").wait_for()
    picture(front, f"finding-nothing-{size}-{scheme}")
    field(front).fill("")
    front.until_settled()
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.get_by_role("button", name="sea & sky, 50 pictures").wait_for()
    picture(front, f"finding-folders-{size}-{scheme}")
