"""The years beside the grid: where there is room, in an order by date."""

import time

import pytest

from conftest import PHONE
from folder import Folder
from test_months import month_files

YEARS = range(2008, 2020)
COUNTS = {f"{year}-{month:02d}": 12 for year in YEARS for month in (2, 7, 11)}
NEWEST_FIRST = "?sort=taken&direction=desc"


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    files = {name: taken for month, count in COUNTS.items() for name, taken in month_files(month, count).items()}
    server = Folder(start, tmp_path_factory.mktemp("years"), files, examines=True).server
    while server.status["examined"]["done"] < len(files):
        time.sleep(0.05)
    return server


def opened(visit, gallery, place: str = NEWEST_FIRST, **options):
    front = visit(gallery, place, **options)
    front.page.locator("#timeline").wait_for(state="attached")
    front.until_settled()
    return front


def years(front) -> list[tuple[str, float]]:
    """The years that are shown, with their heights on the screen."""
    return [(text, y) for text, y in front.page.evaluate("""() => [...document.querySelectorAll('#timeline > span')]
        .filter((one) => /^\\d{4}$/.test(one.textContent)).map((one) => [one.textContent, one.getBoundingClientRect().top])""")]


@pytest.mark.parametrize("place, order", [(NEWEST_FIRST, -1), ("?sort=taken", 1)])
def test_each_year_stands_at_its_place_along_the_scrollbar(visit, gallery, place, order):
    front = opened(visit, gallery, place)
    front.page.locator("#timeline > span", has_text="2012").wait_for()
    found = years(front)
    assert [text for text, _ in found] == [str(year) for year in YEARS][::order]
    heights = [y for _, y in found]
    assert all(before + 18 <= after for before, after in zip(heights, heights[1:]))
    # Nothing covers a picture.
    left = front.page.locator("#timeline").bounding_box()["x"]
    rights = front.page.evaluate("() => [...document.querySelectorAll('.slot')].map((slot) => slot.getBoundingClientRect().right)")
    assert len(rights) > 10 and max(rights) <= left + 1


def test_a_click_on_a_year_shows_it_and_the_pointer_its_months(visit, gallery):
    front = opened(visit, gallery)
    year = front.page.locator("#timeline > span", has_text="2012")
    year.wait_for()
    at = year.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    front.page.mouse.move(x, y)
    month = front.page.locator(".timeline-month")
    assert month.is_visible() and month.inner_text().endswith(("2012", "2013"))
    front.page.mouse.click(x, y)
    front.until_settled()
    shown = front.page.evaluate("""() => [...document.querySelectorAll('.heading:not([hidden])')]
        .filter((one) => one.getBoundingClientRect().bottom > 60 && one.getBoundingClientRect().top < innerHeight)
        .map((one) => one.textContent.trim())""")
    assert any("2012" in title for title in shown), shown


def test_a_drag_follows_the_pointer(visit, gallery):
    front = opened(visit, gallery)
    front.page.locator("#timeline > span", has_text="2012").wait_for()
    box = front.page.locator("#timeline").bounding_box()
    front.page.mouse.move(box["x"] + 20, box["y"] + 12)
    front.page.mouse.down()
    tops = []
    for share in (0.3, 0.6, 0.99):
        front.page.mouse.move(box["x"] + 20, box["y"] + box["height"] * share)
        front.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        tops.append(front.position)
    front.page.mouse.up()
    assert tops == sorted(tops) and len(set(tops)) == 3
    assert tops[-1] > len(YEARS) * 36 * 0.8


@pytest.mark.parametrize("place, options", [
    pytest.param("?sort=name", {}, id="another order"), pytest.param(NEWEST_FIRST, PHONE, id="a phone"),
    pytest.param(NEWEST_FIRST, {"viewport": {"width": 1000, "height": 700}}, id="a narrow window")])
def test_without_dates_or_room_the_grid_has_all_of_the_width(visit, gallery, place, options):
    front = opened(visit, gallery, place, **options)
    assert not front.page.locator("#timeline").is_visible()
    assert front.page.evaluate("""() => document.documentElement.clientWidth
        - document.querySelector('#grid').getBoundingClientRect().right""") <= 12


def test_the_grid_keeps_its_width_while_another_order_is_awaited_and_if_it_fails(visit, gallery):
    front = opened(visit, gallery, "?sort=name")
    held = []
    front.page.route("**/api/v1/images?*sort=taken*", lambda route: held.append(route))
    front.page.locator("#sort").select_option("taken")
    front.until_noted(lambda: held)

    def is_cut() -> bool:
        return front.page.evaluate('''() => {
            const { right } = document.querySelector('#grid').getBoundingClientRect();
            return [...document.querySelectorAll('.slot')].some((slot) => slot.getBoundingClientRect().right > right + 1);
        }''')

    assert not is_cut()
    for route in held:
        route.fulfill(status=400, content_type="application/problem+json", body='{"title": "No", "status": 400}')
    front.page.locator("#search-problem").wait_for()
    assert not is_cut()


def test_the_years_make_room_for_the_grid_in_another_order_and_come_back(visit, gallery):
    front = opened(visit, gallery)
    front.page.locator("#timeline > span", has_text="2012").wait_for()
    front.page.locator("#sort").select_option("name")
    front.page.locator("#timeline.is-empty").wait_for(state="attached")
    front.page.locator("#sort").select_option("taken")
    front.page.locator("#timeline:not(.is-empty) > span", has_text="2012").wait_for()
