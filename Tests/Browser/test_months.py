"""Sorted by date, pictures are grouped by month, and nothing moves when more becomes known."""

import datetime
import json
import math
import time
import urllib.request

import pytest

from conftest import PHONE
from folder import Folder
from front import by_requests
from motions import motions, names, until_moved, watched

COUNTS = {"2019-06": 25, "2019-07": 3, "2019-08": 140, "2020-01": 1, "2021-12": 60, None: 9}
TITLES = {"2019-06": "June 2019", "2019-07": "July 2019", "2019-08": "August 2019", "2020-01": "January 2020",
          "2021-12": "December 2021", None: "Date unknown"}

# From top to bottom in small steps: the slot below each heading, and what must not change on the way.
WALK = """async () => {
    const grid = document.querySelector('#grid').getBoundingClientRect().left;
    const seen = {};
    const heights = new Set();
    let mostImages = 0;
    const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (scrollTo(0, 0); ; scrollBy(0, 600)) {
        await frames();
        heights.add(document.documentElement.scrollHeight);
        mostImages = Math.max(mostImages, document.images.length);
        for (const heading of document.querySelectorAll('.heading:not([hidden])')) {
            const { bottom } = heading.getBoundingClientRect();
            const below = [...document.querySelectorAll('.slot[data-index]')].filter(({ offsetWidth }) => offsetWidth > 0)
                .map((slot) => [Number(slot.dataset.index), slot.getBoundingClientRect()])
                .filter(([, box]) => Math.abs(box.top - bottom) < 1).sort(([one], [other]) => one - other);
            if (below.length > 0) seen[heading.textContent.trim()] = [below[0][0], below[0][1].left - grid < 8];
        }
        if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) break;
    }
    return { seen, heights: heights.size, mostImages };
}"""


def month_files(month: str | None, count: int, day: int = 1) -> dict:
    """Pictures of a month, one minute apart."""
    if month is None:
        return {f"none {number:04d}.jpg": None for number in range(count)}
    begin = datetime.datetime.fromisoformat(f"{month}-{day:02d}T08:00:00")
    minutes = range(count)
    return {f"{month}-{day:02d} {at:04d}.jpg": begin + datetime.timedelta(minutes=at) for at in minutes}


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    files = {}
    for month, count in COUNTS.items():
        files |= month_files(month, count)
    return Folder(start, tmp_path_factory.mktemp("months"), files, examines=True).server


def timeline(server, direction: str = "asc") -> list[dict]:
    with urllib.request.urlopen(f"{server.address}/api/v1/timeline?sort=taken&direction={direction}") as answer:
        return json.load(answer)["months"]


def until_dated(front, counts: dict):
    """Waits until all dates of these files are known."""
    expected = [[month, count] for month, count in counts.items()]
    front.until_told("""async (expected) => {
        const { months } = await (await fetch('/api/v1/timeline?sort=taken')).json();
        return JSON.stringify(months.map(({ month, count }) => [month, count])) === JSON.stringify(expected);
    }""", expected)


@pytest.fixture
def dated(visit, gallery):
    """The gallery once all dates are known."""
    def dated(place: str = "?sort=taken", **options):
        front = visit(gallery, place, **options)
        until_dated(front, COUNTS)
        return front.visit(place)
    return dated


def headings(front):
    return front.page.locator(".heading:visible")


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_headings_are_where_months_begin_and_the_height_is_known_from_the_start(dated, gallery, direction):
    front = dated("?sort=taken" + ("&direction=desc" if direction == "desc" else ""))
    months = timeline(gallery, direction)
    assert len(months) == len(COUNTS)
    walk = front.page.evaluate(WALK)
    assert walk["seen"] == {TITLES[month["month"]]: [month["first"], True] for month in months}
    assert walk["heights"] == 1, "the height of the page changed"
    assert walk["mostImages"] <= 150
    last = front.slot(sum(COUNTS.values()) - 1)
    assert 0 <= last.evaluate("(slot) => innerHeight - slot.getBoundingClientRect().bottom") < 8


def test_a_heading_is_a_row_with_one_unfocusable_cell(dated):
    front = dated(layout="squares")
    heading = front.page.get_by_role("heading", name="June 2019", level=2)
    row = front.page.get_by_role("row").filter(has=heading)
    assert row.get_attribute("aria-rowindex") == "1"
    grid = front.page.get_by_role("grid")
    columns = int(grid.get_attribute("aria-colcount"))
    cell = row.get_by_role("gridcell")
    assert cell.count() == 1 and cell.get_attribute("aria-colspan") == str(columns)
    assert cell.evaluate("(cell) => cell.tabIndex < 0 && !cell.querySelector('[tabindex]')")
    assert int(grid.get_attribute("aria-rowcount")) == sum(1 + math.ceil(count / columns) for count in COUNTS.values())
    front.until("""() => {
        const rows = [...document.querySelectorAll('#rows > :not([hidden])')].map((row) => Number(row.ariaRowIndex));
        return rows.length > 4 && rows.every((row, at) => row === at + 1);
    }""")


def test_sort_orders_other_than_by_date_have_no_headings(dated):
    front = dated("?sort=name")
    front.until_settled()
    assert headings(front).count() == 0 and front.page.locator("#sticky-title").is_hidden()
    front.page.get_by_label("Sort by").select_option("taken")
    front.page.get_by_role("heading", name="December 2021").wait_for()
    front.page.get_by_label("Sort by").select_option("path")
    front.until("() => !document.querySelector('.heading:not([hidden])')")
    front.until_settled()


def test_without_a_timeline_the_pictures_are_shown_without_headings(dated):
    def refuse(page):
        page.route("**/api/v1/timeline?sort=taken&direction=desc", lambda route: route.fulfill(
            status=503, content_type="application/problem+json", json={"title": "Busy", "status": 503}))

    front = dated("?sort=taken&direction=desc", before=refuse)
    front.until_settled()
    assert headings(front).count() == 0
    assert front.page.locator("#position-total").inner_text() == str(sum(COUNTS.values()))


def test_arrow_keys_skip_headings_to_the_nearest_column(dated):
    front = dated(layout="squares")
    columns = int(front.page.get_by_role("grid").get_attribute("aria-colcount"))
    assert columns == 6
    front.slot(18).focus()
    # 25 in June, of which one in the last row; 3 in July; August starts with index 28.
    for key, index in [("ArrowDown", 24), ("ArrowDown", 25), ("ArrowRight", 26), ("ArrowRight", 27), ("ArrowDown", 30),
                       ("ArrowRight", 31), ("ArrowUp", 27), ("ArrowLeft", 26), ("ArrowUp", 24), ("PageUp", 6), ("PageUp", 0),
                       ("End", 237), ("ArrowDown", 237), ("Home", 0), ("ArrowUp", 0)]:
        front.page.keyboard.press(key)
        front.until_focused(index)
        front.slot(index).wait_for()
    front.slot(24).focus()
    front.page.keyboard.press("ArrowDown")
    front.until("() => document.querySelector('body > [aria-live]').textContent === 'July 2019'")
    # The very first heading is visible again when the focus returns to the first row.
    front.page.keyboard.press("End")
    front.page.keyboard.press("Home")
    front.until("() => { const heading = [...document.querySelectorAll('.heading:not([hidden])')]"
                ".find((one) => one.textContent.includes('June 2019'));"
                " return heading && heading.getBoundingClientRect().top >= 50; }")


def test_the_sticky_title_replaces_a_heading_until_the_next_pushes_it_off(dated):
    front = dated()
    title = front.page.locator("#sticky-title")
    assert title.is_hidden()
    front.go_to(60)
    title.wait_for()
    assert title.inner_text() == "Thu, August 1, 2019"
    below = """() => {
        const all = [...document.querySelectorAll('.heading:not([hidden])')];
        const next = all.find((one) => /January/.test(one.textContent));
        const { bottom } = document.querySelector('#sticky-title').getBoundingClientRect();
        return next ? next.getBoundingClientRect().top - bottom : null;
    }"""
    front.go_to(168)
    heading = headings(front).filter(has_text="January 2020")
    heading.wait_for()
    front.page.evaluate("(way) => scrollBy(0, way)", heading.bounding_box()["y"] - 75)
    front.until("() => /translateY\\(-/.test(document.querySelector('#sticky-title').style.transform)")
    # The day is known once its catalog page has loaded.
    front.until("() => document.querySelector('#sticky-title').textContent === 'Thu, August 1, 2019'")
    assert front.page.evaluate(below) >= 0


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_entering_a_month_jumps_to_it(dated, gallery, size):
    front = dated("?sort=taken&direction=desc", **(PHONE if size == "phone" else {}))
    number = front.page.get_by_role("textbox", name="Go to picture number")
    first = {month["month"]: month["first"] for month in timeline(gallery, "desc")}
    total = sum(COUNTS.values())
    for text, month in [("2019-06", "2019-06"), ("June 2019", "2019-06"), ("aug 2019", "2019-08"), ("2020", "2020-01"),
                        # A month without pictures leads to the ones after it.
                        ("2019-12", "2019-08")]:
        front.page.keyboard.press("g")
        assert number.evaluate("(field) => field === document.activeElement && field.inputMode === 'text'")
        front.page.keyboard.type(text)
        front.page.keyboard.press("Enter")
        front.until("(index) => document.activeElement.dataset.index === index", str(first[month]))
        assert front.slot(first[month]).is_visible()
    front.page.keyboard.press("g")
    problem = front.page.locator("#position-problem")
    for text, reason in [
            ("2o19", "“2o19” isn’t a date. Try 2019."),
            ("Junuary", "“Junuary” isn’t a date. Try 2019, June 2019, or June 3, 2019."),
            ("0", f"Type a number from 1 to {total}, or a date: 2019, June 2019, or June 3, 2019.")]:
        front.page.keyboard.type(text)
        front.page.keyboard.press("Enter")
        front.until("(reason) => document.querySelector('#position-problem').innerText === reason", reason)
    box = problem.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= front.page.viewport_size["width"]


def test_the_scrubber_shows_the_month(phone, gallery):
    front = phone(gallery, "?sort=taken")
    until_dated(front, COUNTS)
    front.visit("?sort=taken")
    front.page.evaluate("() => scrollBy(0, 300)")
    front.page.locator("#scrubber[data-shown]").wait_for()
    # The handle disappears after a while.
    handle = front.page.locator("#scrubber")
    handle.dispatch_event("pointerdown", {"pointerId": 1, "pointerType": "touch", "clientX": 380, "clientY": 60})
    told = []
    for y in (120, 350, 700, 840):
        handle.dispatch_event("pointermove", {"pointerId": 1, "pointerType": "touch", "clientX": 380, "clientY": y})
        position, text = front.page.evaluate("() => [document.querySelector('#position-number').value, "
                                             "document.querySelector('#scrubber-number').textContent]")
        month = next(month for month in reversed(timeline(gallery)) if month["first"] < int(position))
        assert text == TITLES[month["month"]]
        told.append(month["month"])
    assert len(set(told)) >= 3
    handle.dispatch_event("pointerup", {"pointerId": 1, "pointerType": "touch"})
    front.until_settled()


@pytest.mark.parametrize(("into", "top", "before"), [
    ("2019-08", 200, lambda page: None), ("2019-06", 200, lambda page: None), ("2019-03", 200, lambda page: None),
    ("2019-03", 40, lambda page: None), ("2019-06", 200, by_requests),
], ids=["the same month", "another", "a new one", "a new one above a heading", "by requests"])
def test_pictures_added_above_move_nothing_on_screen(visit, start, tmp_path, into, top, before):
    files = month_files("2019-06", 50, day=20) | month_files("2019-08", 300, day=20)
    gallery = Folder(start, tmp_path, files, examines=True)
    front = visit(gallery.server, "?sort=taken", before=before)
    until_dated(front, {"2019-06": 50, "2019-08": 300})
    front.visit("?sort=taken")
    front.go_to(top + 1)
    front.until_settled()
    watched(front)
    shown = names(front)
    where = "(all) => all.map((one) => [one.textContent, one.getBoundingClientRect().top])"
    places = headings(front).evaluate_all(where)
    gallery.put_all(month_files(into, 300))
    # Before indexing they have no date and are at the end; then each moves to its month.
    front.page.wait_for_function("(position) => document.querySelector('#position-number').value === position",
                                 arg=f"{top + 301:,}", timeout=120_000)
    moved = motions(front)
    assert len(moved) > 10 and all(len(frame) == len(shown) for frame in moved)
    assert {tuple(motion) for frame in moved for motion in frame} == {(0, 0)}
    assert names(front) == shown and front.page.evaluate("() => window.lost") == []
    on_screen = [place for place in places if 52 < place[1] < 800]
    after = headings(front).evaluate_all(where)
    assert all(place in after for place in on_screen) and (top != 40 or len(on_screen) == 1)
    counts = {month["month"]: month["count"] for month in timeline(gallery.server)}
    assert counts[into] >= 300 and sum(counts.values()) == 650
    # Everything is in place from beginning to end.
    walk = front.page.evaluate(WALK)
    assert {title: first for title, (first, _) in walk["seen"].items()} == {
        {"2019-03": "March 2019", **TITLES}[month["month"]]: month["first"] for month in timeline(gallery.server)}


def test_pictures_added_above_while_scrolling_move_nothing_on_screen(visit, start, tmp_path):
    gallery = Folder(start, tmp_path, month_files("2019-08", 1_500, day=20), examines=True)
    front = visit(gallery.server, "?sort=taken")
    until_dated(front, {"2019-08": 1_500})
    front.visit("?sort=taken")
    front.go_to(300)
    front.until_settled()
    front.page.mouse.move(600, 400)
    watched(front)
    turned = 0
    gallery.put_all(month_files("2019-03", 500) | month_files("2019-08", 500))
    while front.position <= 1_300:
        front.page.mouse.wheel(0, 20)
        turned += 20
        assert turned < 30_000
    until_moved(front, -turned)
    moved = motions(front)
    for frame in moved:
        assert len(frame) >= 6, "different pictures are on screen from one frame to the next"
        assert len({tuple(motion) for motion in frame}) == 1, "pictures move differently"
        assert frame[0][0] == 0 and -250 < frame[0][1] <= 0, "pictures moved sideways, backwards or too far"
    assert sum(frame[0][1] for frame in moved) == -turned
    assert front.page.evaluate("() => window.lost") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_screenshots_of_months(dated, picture, size, scheme):
    front = dated("?sort=taken", color_scheme=scheme, **(PHONE if size == "phone" else {}))
    front.until_settled()
    picture(front, f"months-{size}-{scheme}")
    front.go_to(22)
    front.page.evaluate("() => document.activeElement.blur()")
    front.until_settled()
    front.page.evaluate("() => scrollBy(0, 60)")
    front.page.locator("#sticky-title").wait_for()
    front.until_settled()
    picture(front, f"months-within-{size}-{scheme}")


def test_thousands_of_months_can_be_scrolled_to_both_ends(visit, start, tmp_path):
    """More than the maximum height of an element in a browser."""
    months = [f"{year}-{month:02d}" for year in range(1000, 2500) for month in range(1, 13)]
    # In each month a full row and one more: shorter months would share their headings.
    lines = [json.dumps({"url": f"http://127.0.0.1:9/{month}.{number}.jpg", "takenAt": f"{month}-15T12:00:00Z"})
             for month in months for number in range(8)]
    (tmp_path / "list.jsonl").write_text("\n".join(lines))
    server = start("serve", tmp_path / "list.jsonl")
    # Reading the list takes a debug build half a minute beside other tests.
    end = time.monotonic() + 120
    while server.status["total"] < len(lines) or server.status["scanning"]:
        assert time.monotonic() < end
        time.sleep(0.1)
    front = visit(server, "?sort=taken&direction=desc", layout="squares")
    front.until("(total) => document.querySelector('#position-total').textContent === total", f"{len(lines):,}")
    assert front.page.evaluate("() => document.documentElement.scrollHeight") < 5_000_000
    grid = front.page.get_by_role("grid")
    assert int(grid.get_attribute("aria-rowcount")) == 3 * len(months)
    front.page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    last = front.slot(len(lines) - 1)
    last.wait_for()
    assert 0 <= last.evaluate("(slot) => innerHeight - slot.getBoundingClientRect().bottom") < 8
    headings(front).filter(has_text="January 1000").wait_for()
    # In the middle, the wheel scrolls pixel by pixel.
    front.go_to(72_001)
    slot = front.slot(72_000)
    slot.wait_for()
    front.page.mouse.move(600, 400)
    before = slot.bounding_box()["y"]
    front.page.mouse.wheel(0, -90)
    front.until("([index, top]) => Math.abs(document.querySelector(`.slot[data-index='${index}']`)"
                ".getBoundingClientRect().top - top) < 1.5", [72_000, before + 90])
    assert front.page.evaluate("() => document.querySelectorAll('#rows > *').length") < 60


# The share of the page's height and the grid's width that pictures cover, and how many pictures there are.
COVERED = """async () => {
    const sizes = new Map();
    const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (scrollTo(0, 0); ; scrollBy(0, 400)) {
        await frames();
        for (const slot of document.querySelectorAll('.slot[data-index]')) {
            if (slot.offsetWidth > 0) sizes.set(slot.dataset.index, slot.offsetWidth * slot.offsetHeight);
        }
        if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) break;
    }
    const all = document.querySelector('#grid').clientWidth * document.documentElement.scrollHeight;
    return [sizes.size, [...sizes.values()].reduce((sum, size) => sum + size, 0) / all];
}"""


@pytest.mark.parametrize("screen", [{"viewport": {"width": 1366, "height": 768}}, PHONE], ids=["laptop", "phone"])
def test_sparse_months_leave_little_of_the_screen_empty(visit, start, tmp_path_factory, screen):
    """Twenty years with one to five pictures a month: neighbouring months share a heading, and days name their month."""
    months = [f"{year}-{month:02d}" for year in range(2003, 2023) for month in range(1, 13)]
    files = {}
    for number, month in enumerate(months):
        files |= month_files(month, 1 + number * 7 % 5, day=3)
    server = Folder(start, tmp_path_factory.mktemp("sparse"), files, examines=True).server
    front = visit(server, "?sort=taken", **screen)
    front.until_noted(lambda: server.status["examined"]["done"] == len(files))
    front.page.reload()
    front.until_settled()
    count, share = front.page.evaluate(COVERED)
    assert count == len(files) and share > 0.7
    front.page.evaluate("() => scrollTo(0, 0)")
    headings(front).filter(has_text="2003").first.wait_for()
    front.until("""() => document.querySelector('.slot[data-index="0"]')?.dataset.day === 'Jan 3'""")
