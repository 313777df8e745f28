"""A new gallery: pictures are copied into its folder while its page is open, and the page follows without a reload."""

import datetime

import pytest

from folder import Folder, jpeg


def photographs(folder, count: int):
    """In folders by year; in the order of the folders the oldest come first."""
    for number in range(count):
        taken = datetime.datetime(2019, 1, 1, 12) + datetime.timedelta(days=number * 30)
        place = folder / str(taken.year)
        place.mkdir(exist_ok=True)
        (place / f"{number:03}.jpg").write_bytes(jpeg(number, taken))


@pytest.fixture
def gallery(start, tmp_path):
    return Folder(start, tmp_path, [], examines=True)


def names(front) -> set[str]:
    """Of the pictures on screen."""
    labels = front.page.evaluate("() => [...document.querySelectorAll('.slot[data-index]')].map((slot) => slot.ariaLabel)")
    return {label.split(", picture ")[0] for label in labels}


def until_first(front, name: str):
    front.until("""(name) => document.querySelector('.slot[data-index="0"]')?.ariaLabel.startsWith(name)""", name)


def test_an_open_page_follows_from_an_empty_folder_to_months_newest_first(visit, gallery):
    front = visit(gallery.server, is_empty=True)
    front.page.get_by_role("heading", name="No pictures yet").wait_for()
    front.page.evaluate("() => (window.isSamePage = true)")
    photographs(gallery.path, 30)
    gallery.reread()
    until_first(front, "029.jpg")
    front.page.locator(".heading", has_text="2021").first.wait_for()
    assert front.page.locator("#folders-button").is_visible()
    assert front.page.input_value("#sort") == "taken"
    assert front.page.evaluate("() => window.isSamePage")


def test_an_empty_source_says_so_in_the_page(visit, gallery):
    front = visit(gallery.server, is_empty=True)
    front.page.locator("#vacancy-text", has_text="no pictures found. Add some, or choose another folder").wait_for()
    photographs(gallery.path, 3)
    gallery.reread()
    front.slots.first.wait_for()
    assert not front.page.locator("#vacancy").is_visible()


def test_a_gallery_of_photographs_opens_newest_first_and_other_pictures_in_their_folders_order(visit, gallery):
    photographs(gallery.path, 30)
    gallery.reread()
    front = visit(gallery.server)
    until_first(front, "029.jpg")
    # A new visit needs no second request for the order.
    asked = []
    front.page.on("request", lambda request: asked.append(request.url))
    front.page.reload()
    until_first(front, "029.jpg")
    lists = [url for url in asked if "/api/v1/images?" in url]
    assert lists and all("sort=taken" in url for url in lists)
    # A user's own choice comes first.
    front.page.select_option("#sort", "path")
    until_first(front, "000.jpg")
    front.page.goto(gallery.server.address)
    until_first(front, "000.jpg")


def test_pictures_without_dates_stay_in_their_folders_order(visit, gallery):
    photographs(gallery.path, 3)
    gallery.put(*(f"drawing {number}.jpg" for number in range(4)))
    front = visit(gallery.server)
    until_first(front, "drawing 0.jpg")
    front.until_noted(lambda: gallery.server.status["examined"]["done"] == 7)
    front.page.reload()
    until_first(front, "drawing 0.jpg")
    assert gallery.server.status["defaultView"] == ""


def test_who_has_scrolled_stays_where_they_are_when_the_dates_are_known(visit, start, tmp_path):
    folder = Folder(start, tmp_path, [f"{number:04}.jpg" for number in range(400)], examines=True)
    front = visit(folder.server)
    front.until_settled()
    front.page.evaluate("() => scrollTo(0, 3_000)")
    front.until("() => location.hash.startsWith('#at=')")
    place = names(front)
    # The same pictures get dates.
    for number in range(400):
        taken = datetime.datetime(2020, 1, 1) + datetime.timedelta(days=number)
        (folder.path / f"{number:04}.jpg").write_bytes(jpeg(number, taken))
    folder.reread()
    front.until_noted(lambda: folder.server.status["defaultView"] != "")
    front.until("() => location.search.includes('sort=path')")
    assert front.page.input_value("#sort") == "path"
    assert len(place & names(front)) > len(place) // 2
    front.page.reload()
    front.until("() => document.querySelector('#sort').value === 'path'")
