"""Selecting pictures in the grid, and sharing them."""

import pytest

from conftest import PHONE
from test_account import PASSWORD, browse, owner, server  # noqa: F401 (fixtures)
from test_axe import SCREENS, violations_in_all_colours


@pytest.fixture
def gallery(owner, server):
    """The gallery as its owner sees it, with "Select" in the navigation."""
    owner.goto(f"{server.address}/account.html")
    owner.locator("#account").wait_for()
    owner.goto(server.address)
    owner.locator(".slot[data-phase=displayed]").nth(5).wait_for()
    owner.locator("#select-button").wait_for()
    return owner


def slot(page, index: int):
    return page.locator(f".slot[data-index='{index}']")


def names(slots) -> list[str]:
    """The file names of slots."""
    return slots.evaluate_all("(slots) => slots.map((slot) => slot.ariaLabel.split(', picture')[0])")


def selected(page) -> list[int]:
    """The indexes of the selected slots."""
    return page.evaluate("""() => [...document.querySelectorAll('.slot[aria-selected=true]')]
        .map((slot) => Number(slot.dataset.index)).sort()""")


def test_selected_pictures_are_shared_and_no_others(gallery, browse):
    gallery.get_by_role("button", name="Select", exact=True).click()
    bar = gallery.get_by_role("group", name="Selected pictures")
    assert bar.get_by_role("button", name="Share selected pictures").is_disabled()
    slot(gallery, 0).click()
    slot(gallery, 2).click()
    slot(gallery, 4).click(modifiers=["Shift"])
    bar.get_by_text("4 selected").wait_for()
    slot(gallery, 3).click()
    bar.get_by_text("3 selected").wait_for()
    assert selected(gallery) == [0, 2, 4]
    assert "#image=" not in gallery.url
    wanted = names(gallery.locator(".slot[aria-selected=true]"))
    bar.get_by_role("button", name="Share selected pictures").click()
    gallery.get_by_text("The share will show 3 pictures.").wait_for()
    gallery.locator("#share-name:focus").wait_for()
    gallery.keyboard.type("Three")
    gallery.locator("#share").get_by_role("button", name="Create link").click()
    visitor = browse(gallery.locator("#share-link input").input_value().split("/", 3)[3])
    visitor.locator(".slot[data-phase=displayed]").nth(2).wait_for()
    assert sorted(names(visitor.locator(".slot"))) == sorted(wanted)
    # Visitors cannot share, so they cannot select either.
    visitor.keyboard.press("x")
    assert visitor.locator("#select-button, [aria-selected]").count() == 0


def test_pictures_are_selected_by_keyboard(gallery):
    gallery.keyboard.press("ArrowRight")
    gallery.locator(".slot[data-index='0']:focus").wait_for()
    gallery.keyboard.press("x")
    assert selected(gallery) == [0]
    assert gallery.locator("#grid").get_attribute("aria-multiselectable") == "true"
    assert gallery.locator("body > [aria-live]", has_text="1 selected").count() == 1
    gallery.keyboard.press("ArrowRight")
    gallery.keyboard.press("ArrowRight")
    gallery.keyboard.press("Shift+X")
    gallery.locator("#selection").get_by_text("3 selected").wait_for()
    assert selected(gallery) == [0, 1, 2]
    gallery.keyboard.press("Enter")
    gallery.keyboard.press("ArrowLeft")
    gallery.keyboard.press("Space")
    assert selected(gallery) == [0]
    gallery.keyboard.press("Control+a")
    gallery.locator("#selection").get_by_text("6 selected").wait_for()
    gallery.keyboard.press("Escape")
    assert gallery.locator("#selection").is_hidden()
    assert gallery.locator("[aria-selected], [aria-multiselectable]").count() == 0
    # Enter opens pictures again.
    gallery.keyboard.press("Enter")
    gallery.locator("#viewer[open]").wait_for()


def test_a_selection_stays_with_its_pictures_in_another_order_and_another_view(gallery):
    gallery.get_by_role("button", name="Select", exact=True).click()
    slot(gallery, 1).click()
    slot(gallery, 5).click()
    wanted = sorted(names(gallery.locator(".slot[aria-selected=true]")))
    gallery.select_option("#sort", "name")
    for _ in range(2):
        gallery.locator("#direction").click()
        gallery.wait_for_function("""(wanted) => [...document.querySelectorAll('.slot[aria-selected=true]')]
            .map((slot) => slot.ariaLabel.split(', picture')[0]).sort().join() === wanted.join()""", arg=wanted)
    gallery.locator("#search-field").fill("nothing at all")
    gallery.locator("#vacancy").wait_for()
    gallery.locator("#selection").get_by_text("2 selected").wait_for()
    # Keys that are typed are no shortcuts, and Escape clears the search before it ends the selection.
    gallery.keyboard.type("x")
    gallery.keyboard.press("Escape")
    gallery.wait_for_function("(count) => document.querySelectorAll('.slot[aria-selected=true]').length === count", arg=2)
    gallery.locator("#sort").focus()
    gallery.keyboard.press("Escape")
    assert len(selected(gallery)) == 2


def test_a_selection_is_kept_when_nothing_was_shared(gallery, server):
    gallery.get_by_role("button", name="Select", exact=True).click()
    slot(gallery, 1).click()
    slot(gallery, 3).click()
    share = gallery.get_by_role("button", name="Share selected pictures")
    share.click()
    gallery.get_by_text("The share will show 2 pictures.").wait_for()
    gallery.get_by_role("link", name="Gallery").click()
    gallery.locator("#selection").get_by_text("2 selected").wait_for()
    assert selected(gallery) == [1, 3]
    # Whoever presses Escape on the bar is at the button that began the selection.
    share.focus()
    gallery.keyboard.press("Escape")
    gallery.locator("#select-button:focus").wait_for()
    gallery.reload()
    gallery.locator("#select-button").wait_for()
    assert gallery.locator("#selection").is_hidden()


@pytest.mark.parametrize("fragment", ["share-image=", "share-images=", "share-images=<b>", "share-folder=trip"])
def test_a_link_that_names_no_pictures_does_not_share_everything(gallery, server, fragment):
    gallery.goto(f"{server.address}/account.html#{fragment}")
    gallery.get_by_text("These pictures cannot be shared").wait_for()
    assert gallery.get_by_role("button", name="Create link").first.is_disabled()


def test_a_selection_is_shared_after_signing_in_again(gallery, browse, server):
    images = gallery.request.get(f"{server.address}/api/v1/images").json()["images"]
    page = browse(f"account.html#share-images={images[2]['id']},{images[4]['id']}")
    page.get_by_role("heading", name="Sign in").wait_for()
    page.locator("#entrance-name").fill("olga")
    page.locator("#entrance-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("The share will show 2 pictures.").wait_for()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_selection_passes_axe(gallery, browse, screen):
    options = {"viewport": {"width": 1100, "height": 800}, **SCREENS[screen]}
    page = browse("", **options, storage_state=gallery.context.storage_state())
    page.locator("#select-button").click()
    slot(page, 1).click()
    assert selected(page) == [1]
    assert violations_in_all_colours(page, screen) == []


def test_pictures_are_selected_by_touch(gallery, browse):
    page = browse("", **PHONE, storage_state=gallery.context.storage_state())
    page.locator("#select-button").tap()
    slot(page, 0).tap()
    slot(page, 3).tap()
    page.locator("#selection").get_by_text("2 selected").wait_for()
    # Everything in the navigation and the bar is within the screen, and the bar is above the navigation.
    assert page.evaluate("""() => [...document.querySelectorAll('#navigation button:not([hidden]), #selection > *')].every(
        (each) => each.getBoundingClientRect().right <= innerWidth && each.scrollWidth <= each.clientWidth + 1
            && each.getBoundingClientRect().height < 60)""")
    bar, navigation = page.locator("#selection").bounding_box(), page.locator("#navigation").bounding_box()
    assert bar["x"] >= 0 and bar["x"] + bar["width"] <= PHONE["viewport"]["width"]
    assert bar["y"] + bar["height"] <= navigation["y"]
    page.get_by_role("button", name="Cancel").tap()
    assert selected(page) == []
