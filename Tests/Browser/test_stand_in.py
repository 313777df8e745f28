"""While the server is out of reach, the page shows what it has stored in place of what it cannot get, and says so."""

import json
import urllib.request

import pytest

from conftest import PHONE
from folder import Folder
from stored_renditions import ALL_IS_KEPT
from test_offline import until_kept

FILES = [f"{['lake', 'sea', 'hill'][at % 3]} {at:03d}.jpg" for at in range(500)]
FEW = {"viewport": {"width": 620, "height": 420}, "service_workers": "allow"}


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    return Folder(start, tmp_path_factory.mktemp("kept"), FILES).server


@pytest.fixture
def kept(visit, gallery):
    """Makes a page whose first pictures are stored, which is then cut off from its server."""
    def kept(**options):
        front = visit(gallery, **{**FEW, **options})
        front.page.set_default_timeout(40_000)
        front.until_settled()
        until_kept(front)
        front.until_told(ALL_IS_KEPT)
        front.page.context.set_offline(True)
        return front
    return kept


def explanation(front):
    return front.page.locator("#banner-explanation")


def until_explained(front, text: str):
    front.until("(text) => document.querySelector('#banner-explanation').innerText === text", text)


def reload_at(front, place: str):
    """Another visit at a place, which is another document even if only the fragment differs."""
    front.page.goto("about:blank")
    return front.visit(place)


def test_a_place_that_is_not_kept_is_replaced_by_the_nearest_and_found_again(kept):
    front = reload_at(kept(), "#at=396")
    # As many pages are stored as were prefetched.
    front.until("() => /^Picture 396 is not saved on this device\\. Showing picture [1-3]00, the nearest that is\\.$/"
                ".test(document.querySelector('#banner-explanation').innerText)")
    assert front.page.locator("#banner").get_attribute("role") == "alert"
    number = explanation(front).inner_text().split("Showing picture ")[1].split(",")[0]
    front.until("(number) => document.querySelector('#position-number').value === number", number)
    front.page.context.set_offline(False)
    front.until("() => document.querySelector('#position-number').value === '396'")
    front.page.locator("#banner").wait_for(state="hidden")
    front.slot(395).locator("img").wait_for()


def test_who_has_moved_on_is_not_led_back(kept):
    front = reload_at(kept(), "#at=396")
    explanation(front).wait_for()
    front.go_to(2)
    front.until("() => document.querySelector('#position-number').value === '2'")
    front.page.context.set_offline(False)
    front.page.locator("#banner").wait_for(state="hidden")
    front.until_settled()
    assert front.position == 2


def test_an_order_that_is_not_kept_is_replaced_by_one_that_is(kept):
    front = reload_at(kept(), "?sort=name&direction=desc")
    until_explained(front, "This order is not saved on this device. Showing all pictures in another order.")
    front.until_settled()
    assert front.page.locator("#vacancy").is_hidden()
    front.page.context.set_offline(False)
    front.page.locator("#banner").wait_for(state="hidden")
    front.until("() => document.querySelector('.slot[data-index=\"1\"]')?.ariaLabel?.startsWith('sea 496')")
    assert explanation(front).is_hidden()


def test_a_picture_that_is_not_kept_opens_when_the_server_is_back(kept, gallery):
    with urllib.request.urlopen(f"{gallery.address}/api/v1/images?offset=450&limit=1") as answer:
        image = json.load(answer)["images"][0]
    front = reload_at(kept(), f"#image={image['id']}")
    until_explained(front, "That picture cannot be opened without the server. Showing all pictures instead.")
    front.page.context.set_offline(False)
    front.viewer.wait_for()
    front.until("(name) => document.querySelector('#viewer-name').textContent === name", image["name"])


@pytest.mark.parametrize("is_typed", [True, False], ids=["typed", "in the address"])
@pytest.mark.parametrize("options", [FEW, {**PHONE, "service_workers": "allow"}], ids=["desk", "phone"])
def test_a_search_says_that_it_cannot_be_made_now_and_what_is_shown(kept, is_typed, options):
    front = kept(**options)
    if is_typed:
        front.page.keyboard.press("/")
        front.page.locator("#search-field").fill("lake")
    else:
        reload_at(front, "?q=lake")
    until_explained(front, "This search needs the server. Showing all pictures instead.")
    problem = front.page.locator("#search-problem")
    problem.wait_for()
    assert problem.inner_text() == "You cannot search while offline."
    # Nothing is wrong with what was typed.
    assert front.page.locator("#search-field").get_attribute("aria-invalid") is None
    front.until_settled()
    front.page.context.set_offline(False)
    front.page.locator("#banner").wait_for(state="hidden")
    front.until("() => document.querySelector('#position-total').textContent === '167'")
    problem.wait_for(state="hidden")


def test_without_anything_kept_the_page_says_that_the_gallery_is_out_of_reach(visit, gallery):
    front = visit(gallery, **FEW)
    front.until_settled()
    until_kept(front)
    front.page.evaluate("() => caches.delete('tessera-catalog-1')")
    front.page.context.set_offline(True)
    front.page.goto("about:blank")
    front.page.goto(f"{front.address}/?sort=name")
    front.page.get_by_role("heading", name="You are offline").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_screenshots_of_standing_in(kept, picture, size, scheme):
    options = PHONE if size == "phone" else {"viewport": {"width": 1366, "height": 768}}
    front = kept(color_scheme=scheme, service_workers="allow", **options)
    reload_at(front, "?q=lake")
    front.page.locator("#search-problem").wait_for()
    front.until_settled()
    picture(front, f"stand-in-{size}-{scheme}")
