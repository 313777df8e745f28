"""The order that a reader chose is remembered, and an address that names one is obeyed."""

import time
from datetime import datetime

import pytest

from folder import jpeg


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    """In the order of their names they are older and older; the page opens with the newest first."""
    root = tmp_path_factory.mktemp("ordered")
    for number in range(30):
        (root / f"{number:02}.jpg").write_bytes(jpeg(number, datetime(2019, 6, 30 - number, 12)))
    server = start("serve", root, examines=True)
    # A reader who looks at undated pictures stays with them while they get their dates.
    while (status := server.status)["defaultView"] != "sort=taken&direction=desc":
        assert status["examined"]["total"] <= 30
        time.sleep(0.05)
    return server


def names(front) -> list[str]:
    return front.page.evaluate("""() => [...document.querySelectorAll('.slot[data-index]')]
        .sort((one, other) => one.dataset.index - other.dataset.index)
        .map((slot) => slot.ariaLabel.split(', picture ')[0])""")


def until_first(front, name: str):
    front.until("""(name) => document.querySelector('.slot[data-index="0"]')?.ariaLabel.startsWith(name)""", name)


def test_the_order_chosen_last_is_there_at_the_next_visit(visit, gallery):
    front = visit(gallery)
    # The page follows the server's default, which may have changed a moment before.
    front.until("() => document.querySelector('#sort').value === 'taken'")
    until_first(front, "00.jpg")
    front.page.select_option("#sort", "name")
    until_first(front, "00.jpg")
    front.page.click("#direction")
    until_first(front, "29.jpg")
    asked = []
    front.page.on("request", lambda request: asked.append(request.url))
    front.page.goto(f"http://127.0.0.1:{gallery.port}/")
    until_first(front, "29.jpg")
    assert front.page.input_value("#sort") == "name"
    assert names(front)[:3] == ["29.jpg", "28.jpg", "27.jpg"]
    # Asked for at once, and once.
    assert [url for url in asked if "/api/v1/images?" in url and "sort=name" not in url] == []
    assert len([url for url in asked if "/api/v1/images?offset=0" in url]) == 1


def test_an_address_that_names_an_order_is_obeyed_and_back_leads_to_the_former_order(visit, gallery):
    front = visit(gallery, "?sort=name&direction=desc")
    until_first(front, "29.jpg")
    front.page.goto(f"http://127.0.0.1:{gallery.port}/")
    until_first(front, "00.jpg")
    front.page.select_option("#sort", "path")
    front.until("() => document.querySelector('#sort').value === 'path'")
    front.page.click("#direction")
    until_first(front, "29.jpg")
    front.page.go_back()
    until_first(front, "00.jpg")
    front.page.go_back()
    front.until("() => document.querySelector('#sort').value === 'taken'")
    until_first(front, "00.jpg")
    assert "sort=taken" in front.page.url
    front.page.reload()
    front.until("() => document.querySelector('#sort').value === 'taken'")


def test_a_shuffle_is_not_remembered(visit, gallery):
    front = visit(gallery)
    until_first(front, "00.jpg")
    front.page.select_option("#sort", "shuffle")
    front.until("() => location.search.includes('sort=shuffle')")
    front.page.goto(f"http://127.0.0.1:{gallery.port}/")
    front.until("() => document.querySelector('#sort').value === 'taken'")
    until_first(front, "00.jpg")
