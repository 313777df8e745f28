"""Pictures sorted by month are marked with their days."""

import datetime
import re

import pytest

from conftest import PHONE
from folder import Folder, jpeg
from test_months import month_files

DAYS = [("2019-06", 3, 120), ("2019-06", 14, 180), ("2019-08", 2, 250)]
MARKS = {"asc": {0: "Mon 3", 120: "Fri 14", 300: "Fri 2"}, "desc": {0: "Fri 2", 250: "Fri 14", 430: "Mon 3"}}
UNDATED = 5
# All pages but the first.
PAGES = re.compile(r"/api/v1/images\?.*offset=[1-9]")
TOTAL = 555

# Every slot on the way from top to bottom, with the text above it.
WALK = """async () => {
    const seen = {};
    for (let top = 0; ; top += 500) {
        scrollTo({ top, behavior: 'instant' });
        for (let wait = 0; wait < 2; wait += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        const all = [...document.querySelectorAll('.slot[data-index]')].filter((slot) => slot.offsetWidth > 0);
        for (const slot of all) {
            const mark = getComputedStyle(slot, '::before').content.split(' / ')[0];
            seen[slot.dataset.index] = mark === 'none' ? '' : mark.replaceAll('"', '');
        }
        if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) return seen;
    }
}"""


def day_files() -> dict:
    files = {}
    for month, day, count in DAYS:
        files |= month_files(month, count, day)
    return files | month_files(None, UNDATED)


def until_examined(front):
    front.until_told("""async (undated) => {
        const { months } = await (await fetch('/api/v1/timeline?sort=taken')).json();
        return months.length === 3 && months.at(-1).count === undated;
    }""", UNDATED)


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    return Folder(start, tmp_path_factory.mktemp("days"), day_files(), examines=True).server


@pytest.fixture
def dated(visit, gallery):
    def dated(place: str = "?sort=taken", **options):
        front = visit(gallery, place, **options)
        until_examined(front)
        front.visit(place)
        front.until_settled()
        return front
    return dated


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_the_first_picture_of_each_day_is_labelled_with_the_day(dated, direction):
    front = dated(f"?sort=taken&direction={direction}")
    # Everything is known, so no slot is reached before its page has loaded.
    for number in (1, 150, 260, 400, TOTAL):
        front.go_to(number)
        front.until_settled()
    seen = front.page.evaluate(WALK)
    assert len(seen) == TOTAL
    assert {int(index): mark for index, mark in seen.items() if mark} == MARKS[direction]


# The marks, the boxes of their texts and those of their slots. CSS pixels.
MARKED = """() => [...document.querySelectorAll('.slot[data-day]')].filter((slot) => slot.offsetWidth > 0).map((slot) => {
    const { height, width, left, paddingLeft } = getComputedStyle(slot, '::before');
    const end = parseFloat(left) + 2 * parseFloat(paddingLeft) + parseFloat(width);
    return { mark: slot.dataset.day, height: parseFloat(height), end, room: slot.offsetWidth };
})"""


def test_the_mark_of_a_day_fits_into_a_narrow_slot_on_one_line(visit, start, tmp_path):
    for day in range(1, 31):
        size = (400, 300) if day % 3 == 0 else (90, 400)
        (tmp_path / f"{day:02d}.jpg").write_bytes(jpeg(day, datetime.datetime(2019, 6, day, 10), size))
    server = start("serve", tmp_path, "--no-name-dates", examines=True)
    front = visit(server, "?sort=taken", **PHONE)
    front.until_told("async () => (await (await fetch('/api/v1/timeline?sort=taken')).json()).months[0]?.count === 30")
    front.visit("?sort=taken")
    front.until_settled()
    marked = front.page.evaluate(MARKED)
    assert len(marked) == 30
    assert {each["height"] for each in marked} == {18}
    assert [each for each in marked if each["end"] > each["room"]] == []
    # A wide slot names the day of the week, too.
    marks = {each["mark"] for each in marked}
    assert {"Mon 3", "20"} <= marks


def test_sort_orders_other_than_by_date_show_no_days(dated):
    front = dated("?sort=taken")
    assert front.page.locator(".slot[data-day]:visible").count() == 1
    front.page.get_by_label("Sort by").select_option("name")
    front.until("() => !document.querySelector('.heading:not([hidden])') && !document.querySelector('.slot[data-day]')")


def test_the_sticky_title_shows_the_day_once_it_is_known(dated):
    front = dated()
    held = []
    front.page.route(PAGES, lambda route: held.append(route))
    # Nothing has been requested that far ahead yet.
    front.go_to(520)
    title = front.page.locator("#sticky-title")
    title.wait_for()
    assert title.inner_text() == "August 2019"
    front.page.unroute(PAGES)
    for route in held:
        route.fallback()
    front.until("() => document.querySelector('#sticky-title').textContent === 'Fri, August 2, 2019'")
    front.go_to(60)
    front.until("() => document.querySelector('#sticky-title').textContent === 'Mon, June 3, 2019'")
    front.go_to(250)
    front.until("() => document.querySelector('#sticky-title').textContent === 'Fri, June 14, 2019'")


def test_an_earlier_picture_added_to_a_day_takes_over_its_label(visit, start, tmp_path):
    folder = Folder(start, tmp_path, day_files(), examines=True)
    front = visit(folder.server, "?sort=taken")
    until_examined(front)
    front.visit("?sort=taken")
    front.go_to(121)
    front.until("() => document.querySelector('.slot[data-day=\"Fri 14\"]')?.dataset.index === '120'")
    folder.put_all({"early.jpg": datetime.datetime(2019, 6, 14, 6)})
    front.until("""() => {
        const marked = [...document.querySelectorAll('.slot[data-day="Fri 14"]')];
        return marked.length === 1 && marked[0].ariaLabel.startsWith('early.jpg');
    }""")


@pytest.mark.parametrize("mode", ["light", "dark", "forced"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_screenshots_of_days(dated, picture, size, mode):
    colours = {"forced_colors": "active"} if mode == "forced" else {"color_scheme": mode}
    front = dated("?sort=taken#at=115", **colours, **(PHONE if size == "phone" else {}))
    front.page.locator(".slot[data-day]").first.wait_for()
    picture(front, f"days-{size}-{mode}")


@pytest.mark.parametrize(("text", "direction", "index"), [
    ("2019-06-14", "asc", 120), ("14 June 2019", "desc", 250), ("Aug 2, 2019", "asc", 300),
    # A day without pictures leads to the ones after it.
    ("5.6.2019", "asc", 120), ("5.6.2019", "desc", 430), ("2030-01-01", "asc", 300),
])
def test_entering_a_date_jumps_to_that_day(dated, text, direction, index):
    front = dated(f"?sort=taken&direction={direction}")
    front.page.keyboard.press("g")
    front.page.keyboard.type(text)
    front.page.keyboard.press("Enter")
    front.until("(index) => document.activeElement.dataset.index === index", str(index))
