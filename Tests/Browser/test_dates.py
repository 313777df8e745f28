"""The sheet of dates: the months of the present view, and the way to their pictures."""

import datetime
import time

import pytest

from conftest import PHONE
from folder import Folder
from test_months import month_files, until_dated

COUNTS = {"2018-12": 12, "2019-06": 40, "2019-08": 30}


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    files = {name: taken for month, count in COUNTS.items() for name, taken in month_files(month, count).items()}
    files["undated.jpg"] = None
    server = Folder(start, tmp_path_factory.mktemp("dates"), files, examines=True).server
    # A page opened before that would keep the months it read then.
    while server.status["examined"]["done"] < len(files):
        time.sleep(0.05)
    return server


@pytest.fixture
def front(visit, gallery):
    def front(place: str = "", **options):
        front = visit(gallery, place, **options)
        until_dated(front, {**COUNTS, None: 1})
        return front
    return front


def opened(front):
    front.page.get_by_role("button", name="Dates", exact=True).click()
    front.page.locator("#dates .year").first.wait_for()
    return front


def test_months_stand_under_their_years_with_their_pictures_counted(front):
    front = opened(front("?sort=taken&direction=desc", viewport={"width": 1366, "height": 768}))
    dialog = front.page.get_by_role("dialog", name="Dates")
    assert dialog.get_by_role("heading", level=3).all_inner_texts() == ["2019", "2018", "Date unknown"]
    assert dialog.locator(".year button").evaluate_all("(all) => all.map((one) => one.ariaLabel)") == [
        "August 2019, 30 pictures", "June 2019, 40 pictures", "December 2018, 12 pictures", "Date unknown, 1 picture"]


def test_a_month_leads_to_its_first_picture(front):
    front = opened(front("?sort=taken&direction=desc", viewport={"width": 1366, "height": 768}))
    front.page.get_by_role("button", name="June 2019, 40 pictures").click()
    front.until_focused(30)
    front.until("() => document.querySelector('#position-number').value === '31'")


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_it_leads_to_the_newest_and_the_oldest_picture(front, direction):
    front = opened(front(f"?sort=taken&direction={direction}", viewport={"width": 1366, "height": 768}))
    last = sum(COUNTS.values()) - 1
    for way, index in ("Newest", last if direction == "asc" else 0), ("Oldest", 0 if direction == "asc" else last):
        front.page.get_by_role("button", name=way, exact=True).click()
        front.until_focused(index)
        opened(front)


def test_on_this_day_shows_what_was_taken_on_it_in_any_year(visit, start, tmp_path):
    today = datetime.date.today()
    files = {f"{year}.jpg": datetime.datetime(year, today.month, min(today.day, 28), 12) for year in range(2015, 2020)}
    files |= {f"other {day}.jpg": datetime.datetime(2018, today.month % 12 + 1, day, 12) for day in range(1, 20)}
    server = Folder(start, tmp_path, files, examines=True).server
    front = visit(server, "?sort=taken&direction=desc")
    # On the 29th to the 31st, the page is told that it is the 28th.
    front.page.clock.set_fixed_time(datetime.datetime(today.year, today.month, min(today.day, 28), 12))
    front.until_noted(lambda: server.status["examined"]["done"] == len(files))
    front.page.reload()
    opened(front)
    front.page.get_by_role("button", name="On this day").click()
    front.until("() => document.querySelector('#position-total').textContent === '5'")
    assert f"q=on:{today.month:02}-{min(today.day, 28):02}" in front.page.url.replace("%3A", ":")
    front.page.go_back()
    front.until("() => document.querySelector('#position-total').textContent === '24'")


@pytest.mark.parametrize("options", [{"viewport": {"width": 820, "height": 1180}}, PHONE], ids=["tablet", "phone"])
def test_from_another_order_it_leads_to_the_order_by_date_and_back_returns(front, options):
    front = opened(front("?sort=name", **options))
    front.page.get_by_role("button", name="June 2019, 40 pictures").click()
    front.until("() => location.search === '?sort=taken&direction=desc'")
    front.until("""() => {
        const edge = document.querySelector('#header').getBoundingClientRect().bottom;
        const headings = [...document.querySelectorAll('.heading')].filter((one) => one.innerText === 'June 2019');
        return headings.some((one) => Math.abs(one.getBoundingClientRect().top - edge) < 8);
    }""")
    front.until_focused(30)
    front.page.go_back()
    front.until("() => location.search === '?sort=name'")


def test_a_gallery_without_dates_says_so(visit, demo):
    front = visit(demo)
    front.page.get_by_role("button", name="Dates", exact=True).click()
    front.page.locator("#dates-body p").wait_for()
    front.page.keyboard.press("Escape")
    front.until("() => document.activeElement.id === 'dates-button'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_screenshots_of_the_dates(front, picture, size, scheme):
    front = opened(front(color_scheme=scheme, **(PHONE if size == "phone" else {})))
    front.until_still()
    picture(front, f"dates-{size}-{scheme}")
