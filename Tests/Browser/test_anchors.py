"""When the order changes, the page stays with its pictures: nothing on screen moves."""

import pytest

from folder import Folder
from front import by_requests
from motions import motions, until_moved, watched

CURRENT = ".frame[data-place=current]"


@pytest.fixture
def folder(start, tmp_path):
    return lambda count=400: Folder(start, tmp_path, [name(number) for number in range(count)])


def name(number: int) -> str:
    return f"p{number:04d}.jpg"


def slot_named(front, wanted: str):
    return front.page.locator(f'.slot[data-index][aria-label^="{wanted}, picture"]')


def until_total(front, total: int):
    front.until("(total) => document.querySelector('#position-total').textContent === total", f"{total:,}")


def at(front, number: int):
    """The gallery with this picture's row at the top of the screen, after user input, and settled."""
    front.until_settled()
    front.go_to(number + 1)
    slot_named(front, name(number)).wait_for()
    front.until_settled()
    return front


@pytest.mark.parametrize("before", [lambda page: None, by_requests], ids=["by the stream", "by requests"])
@pytest.mark.parametrize("more", [1, 7, 300])
def test_pictures_added_above_move_nothing_on_screen(visit, folder, more, before):
    gallery = folder()
    front = watched(at(visit(gallery.server, before=before), 200))
    shown = front.page.evaluate("() => Object.keys(window.frames_.at(-1)).sort()")
    gallery.put(*(f"a{number:04d}.jpg" for number in range(more)))
    until_total(front, 400 + more)
    assert front.position == 201 + more
    moved = motions(front)
    assert len(moved) > 3 and all(len(frame) == len(shown) for frame in moved)
    assert {tuple(motion) for frame in moved for motion in frame} == {(0, 0)}
    assert front.page.evaluate("() => Object.keys(window.frames_.at(-1)).sort()") == shown
    assert front.page.evaluate("() => window.lost") == []
    # The rows above exist, and are complete.
    front.page.keyboard.press("Home")
    slot_named(front, "a0000.jpg").wait_for()
    front.until_settled()
    assert front.slot(0).bounding_box()["x"] == front.page.locator("#grid").bounding_box()["x"]


def test_pictures_added_above_while_scrolling_move_nothing_on_screen(visit, folder):
    gallery = folder(1_500)
    front = watched(at(visit(gallery.server), 800))
    front.page.mouse.move(600, 400)
    offset = front.page.evaluate("() => window.frames_.at(-1)")
    turned = 0
    gallery.put(*(f"a{number:04d}.jpg" for number in range(1_000)))
    while front.page.locator("#position-total").inner_text() != "2,500":
        front.page.mouse.wheel(0, 40)
        turned += 40
        assert turned < 40_000
    for _ in range(5):
        front.page.mouse.wheel(0, 40)
        turned += 40
    # The scrollbar is corrected when the scrolling has ended, which must not be visible either.
    front.until("() => { const told = Number(document.querySelector('#position-number').value.replace(',', ''));"
                "return told > 1_000 && Math.abs(scrollY / document.querySelector('#grid').offsetHeight - told / 2_500)"
                " < 0.02; }")
    until_moved(front, -turned)
    moved = motions(front)
    total = 0
    for frame in moved:
        assert len(frame) >= 6, "different pictures are on screen from one frame to the next"
        assert len({tuple(motion) for motion in frame}) == 1, "pictures move differently"
        across, down = frame[0]
        assert across == 0 and -250 < down <= 0, "pictures moved sideways, backwards or too far"
        total += down
    assert total == -turned
    assert offset and front.page.evaluate("() => window.lost") == []


def test_a_touch_drag_is_not_interrupted_by_an_insertion(phone, folder):
    gallery = folder()
    front = phone(gallery.server)
    front.until_settled()
    session = front.page.context.new_cdp_session(front.page)
    for y in range(700, 100, -60):
        session.send("Input.dispatchTouchEvent", {
            "type": "touchStart" if y == 700 else "touchMove", "touchPoints": [{"x": 200, "y": y}]})
    # The first move only starts the gesture.
    front.until("() => scrollY > 500")
    front.until_settled()
    watched(front)
    held = front.page.evaluate("() => scrollY")
    gallery.put(*(f"a{number}.jpg" for number in range(100)))
    until_total(front, 500)
    assert front.page.evaluate("() => scrollY") == held, "setting the position interrupts the drag"
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    front.until("(held) => scrollY > held + 2_000", held)
    assert {tuple(motion) for frame in motions(front) for motion in frame} == {(0, 0)}


def test_in_another_sort_order_the_pictures_on_screen_stay_put_too(visit, folder):
    gallery = folder()
    front = visit(gallery.server, "?q=jpg&sort=name&direction=desc")
    front.until_settled()
    front.page.mouse.move(600, 400)
    front.page.mouse.wheel(0, 3_000)
    # The address shows where the scrolling ended.
    front.until("() => (({ value }) => Number(value) > 60 && location.hash === `#at=${value}`)"
                "(document.querySelector('#position-number'))")
    front.until_settled()
    watched(front)
    gallery.put(*(f"z{number}.jpg" for number in range(8)), "a.jpg")
    until_total(front, 409)
    assert {tuple(motion) for frame in motions(front) for motion in frame} == {(0, 0)}
    assert front.page.evaluate("() => window.lost") == []
    front.page.keyboard.press("Home")
    slot_named(front, "z7.jpg").wait_for()
    assert front.position == 1


def test_pictures_removed_above_move_nothing_on_screen(visit, folder):
    gallery = folder()
    front = watched(at(visit(gallery.server), 200))
    gallery.take(*(name(number) for number in range(3, 60)))
    until_total(front, 400 - 57)
    assert front.position == 201 - 57
    assert {tuple(motion) for frame in motions(front) for motion in frame} == {(0, 0)}


def test_if_the_top_picture_is_removed_the_next_takes_its_place(visit, folder):
    gallery = folder()
    front = at(visit(gallery.server), 200)
    row = slot_named(front, name(200)).evaluate(
        "(slot) => [...slot.parentElement.querySelectorAll('.slot:not([hidden])')].map((one) => Number(one.dataset.index))")
    assert len(row) > 2
    place = slot_named(front, name(max(row) + 1)).bounding_box()
    gallery.take(*(name(number) for number in [*range(10), *row]))
    until_total(front, 400 - 10 - len(row))
    assert slot_named(front, name(max(row) + 1)).bounding_box()["y"] == place["y"]


def test_if_all_pictures_on_screen_are_removed_the_nearest_remaining_is_shown(visit, folder):
    gallery = folder()
    front = at(visit(gallery.server), 200)
    gallery.take(*(name(number) for number in range(150, 290)))
    until_total(front, 400 - 140)
    slot_named(front, name(290)).wait_for()
    assert slot_named(front, name(290)).is_visible()


def test_the_focus_stays_with_its_picture(visit, folder):
    gallery = folder()
    front = at(visit(gallery.server), 200)
    slot_named(front, name(204)).focus()
    gallery.put("a1.jpg", "a2.jpg", "a3.jpg")
    until_total(front, 403)
    assert front.page.evaluate("() => document.activeElement.ariaLabel") == "p0204.jpg, picture 208"
    front.page.keyboard.press("ArrowRight")
    assert front.page.evaluate("() => document.activeElement.ariaLabel") == "p0205.jpg, picture 209"


def test_the_focus_follows_a_picture_that_shifts_or_is_off_screen(visit, folder):
    gallery = folder()
    front = at(visit(gallery.server), 200)
    slot_named(front, name(204)).focus()
    gallery.put("p0201b.jpg", "p0201c.jpg")
    until_total(front, 402)
    assert front.page.evaluate("() => document.activeElement.ariaLabel") == "p0204.jpg, picture 207"
    front.page.evaluate("() => scrollTo(0, 0)")
    front.until("() => document.querySelector('#position-number').value === '1'")
    gallery.put("p0201d.jpg")
    until_total(front, 403)
    assert front.page.evaluate("() => document.activeElement.ariaLabel") == "p0204.jpg, picture 208"
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.activeElement.ariaLabel === 'p0205.jpg, picture 209'")


def opened(front, number: int):
    slot_named(front, name(number)).click()
    front.viewer.wait_for()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    return front


def count(front) -> str:
    return front.page.locator("#viewer-count").inner_text()


def until_counted(front, text: str):
    front.until("(text) => document.querySelector('#viewer-count').textContent === text", text)


def test_the_viewer_keeps_its_picture_and_continues_to_its_new_neighbours(visit, folder):
    gallery = folder()
    front = opened(at(visit(gallery.server), 200), 203)
    gallery.put("a1.jpg", "a2.jpg", "p0203b.jpg")
    until_counted(front, "206 of 403")
    assert front.page.locator("#viewer-name").inner_text() == name(203)
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-name').textContent === 'p0203b.jpg'")
    front.page.keyboard.press("ArrowRight")
    front.until("(name) => document.querySelector('#viewer-name').textContent === name", name(204))
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.page.evaluate("() => document.activeElement.ariaLabel") == "p0204.jpg, picture 208"


def test_the_viewer_shows_the_next_picture_if_its_own_is_removed(visit, folder):
    gallery = folder()
    front = opened(at(visit(gallery.server), 200), 203)
    gallery.take(name(203), name(204), name(1))
    until_counted(front, "203 of 397")
    assert front.page.locator("#viewer-name").inner_text() == name(205)


def test_before_any_input_the_page_stays_at_the_beginning(visit, folder):
    gallery = folder()
    front = visit(gallery.server)
    front.until_settled()
    gallery.put("a1.jpg", "a2.jpg")
    until_total(front, 402)
    slot_named(front, "a1.jpg").wait_for()
    assert front.position == 1
