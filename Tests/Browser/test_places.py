"""In the same visit, each folder opens where the user was in it last."""

import pytest

from folder import Folder

DESK = {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    root = tmp_path_factory.mktemp("remembered")
    for folder in ("hills", "sea"):
        (root / folder).mkdir()
    return Folder(start, root, [f"{folder}/{at:03d}.jpg" for folder in ("hills", "sea") for at in range(300)]).server


def until_total(front, total: int):
    front.until("(total) => document.querySelector('#position-total').textContent === total", f"{total}")


def scroll_to(front, index: int, within: int):
    """Scrolls until the row of a slot is cut off by some pixels."""
    front.go_to(index + 1)
    front.slot(index).wait_for()
    front.page.evaluate("(within) => scrollBy(0, within)", within)
    front.page.evaluate("() => document.activeElement.blur()")
    front.until_settled()
    return top(front)


def top(front):
    """The first picture on screen, and where its top is beneath the header. Rows may be divided differently later; the row
    that has this picture is where it was."""
    return front.page.evaluate("""() => {
        const edge = document.querySelector('#header').getBoundingClientRect().bottom;
        const slots = [...document.querySelectorAll('.slot[data-index]')].filter(
            (slot) => slot.getBoundingClientRect().bottom > edge + 5);
        const first = slots.sort((one, other) => one.dataset.index - other.dataset.index)[0];
        return [Number(first.dataset.index), Math.round(first.getBoundingClientRect().top - edge)];
    }""")


def until_at(front, place):
    front.until("""([index, by]) => {
        const edge = document.querySelector('#header').getBoundingClientRect().bottom;
        const slot = document.querySelector(`.slot[data-index="${index}"]`);
        return slot && Math.abs(slot.getBoundingClientRect().top - edge - by) <= 2;
    }""", place)


def until_at_start(front):
    front.until("() => scrollY === 0")


def by_sheet(front, name: str):
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.get_by_role("button", name=f"{name}, 300 pictures").click()


def test_a_folder_opens_where_one_was_whichever_way_one_comes(visit, gallery):
    front = visit(gallery, "?folder=hills", **DESK)
    until_total(front, 300)
    hills = scroll_to(front, 150, 30)
    by_sheet(front, "sea")
    front.until("() => location.search === '?folder=sea'")
    # A folder that one has not been in opens at its beginning.
    until_at_start(front)
    front.until_settled()
    sea = scroll_to(front, 200, 17)
    by_sheet(front, "hills")
    front.until("() => location.search === '?folder=hills'")
    until_at(front, hills)
    by_sheet(front, "sea")
    front.until("() => location.search === '?folder=sea'")
    until_at(front, sea)
    front.page.go_back()
    front.until("() => location.search === '?folder=hills'")
    until_at(front, hills)
    front.page.get_by_role("navigation", name="Folder path").get_by_role("button", name="All folders").click()
    until_total(front, 600)
    until_at_start(front)
    front.until_settled()
    everything = scroll_to(front, 400, 12)
    by_sheet(front, "sea")
    until_total(front, 300)
    until_at(front, sea)
    front.page.get_by_role("navigation", name="Gallery").get_by_role("button", name="All").click()
    until_total(front, 600)
    until_at(front, everything)


def test_a_folder_left_at_its_beginning_opens_there(visit, gallery):
    front = visit(gallery, "?folder=hills", **DESK)
    until_total(front, 300)
    scroll_to(front, 150, 0)
    by_sheet(front, "sea")
    front.until("() => location.search === '?folder=sea'")
    by_sheet(front, "hills")
    front.until("() => location.search === '?folder=hills' && scrollY > 0")
    front.page.keyboard.press("Home")
    until_at_start(front)
    by_sheet(front, "sea")
    front.until("() => location.search === '?folder=sea'")
    by_sheet(front, "hills")
    front.until("() => location.search === '?folder=hills'")
    front.until_settled()
    until_at_start(front)


def test_a_new_visit_starts_at_the_beginning_or_where_its_address_says(visit, gallery):
    front = visit(gallery, "?folder=hills", **DESK)
    until_total(front, 300)
    scroll_to(front, 150, 0)
    by_sheet(front, "sea")
    front.until("() => location.search === '?folder=sea'")
    front.visit("?folder=hills")
    until_total(front, 300)
    until_at_start(front)
    front.visit("?folder=hills#at=101")
    front.until("() => document.querySelector('#position-number').value === '101'")


def test_the_focus_stays_in_the_trail(visit, gallery):
    front = visit(gallery, "?folder=hills", **DESK)
    until_total(front, 300)
    trail = front.page.get_by_role("navigation", name="Folder path")
    trail.get_by_role("button", name="All folders").focus()
    front.page.keyboard.press("Enter")
    until_total(front, 600)
    # With the whole gallery there is no trail.
    front.until_focused(0)
