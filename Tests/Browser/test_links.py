"""A picture in the grid is a link with an image, and the browser's features for these work."""

import pytest

from folder import Folder
from front import failing

LINK = ".slot-link[href]"
COUNT = 400


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    names = [f"picture {number:03d}.jpg" for number in range(COUNT)]
    return Folder(start, tmp_path_factory.mktemp("links"), names).server


@pytest.fixture
def front(visit, gallery):
    front = visit(gallery, "?sort=name&direction=desc")
    front.until("(total) => document.querySelector('#position-total').textContent === total", str(COUNT))
    front.until_settled()
    return front


def image_of(front, index: int) -> str:
    return front.slot(index).locator(LINK).evaluate("(link) => new URL(link.href).hash")


def point_in(front, index: int) -> dict:
    box = front.slot(index).bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


@pytest.mark.parametrize("click", [{"button": "middle"}, {"modifiers": ["Control"]}, {"modifiers": ["Shift"]}],
                         ids=["middle", "ctrl", "shift"])
def test_the_browser_can_open_a_picture_in_a_new_page(front, click):
    with front.page.context.expect_page() as opened:
        front.slot(3).click(**click)
    other = opened.value
    other.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    assert other.url == front.address + "/?sort=name&direction=desc" + image_of(front, 3)
    assert other.locator("#viewer-count").inner_text() == f"4 of {COUNT}"
    # The original page is unchanged.
    assert front.viewer.is_hidden()
    assert "#image" not in front.page.url


def test_a_click_opens_the_viewer_without_loading_the_page(front):
    front.page.evaluate("() => (window.isTheSamePage = true)")
    wanted = image_of(front, 3)
    front.slot(3).click()
    front.viewer.wait_for()
    assert front.page.evaluate("() => window.isTheSamePage")
    assert front.page.url.endswith(wanted)
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.focused == 3


def test_the_element_under_the_pointer_is_an_image_in_a_link(front):
    under = front.page.evaluate("""({ x, y }) => {
        const top = document.elementFromPoint(x, y);
        return [top.tagName, top.draggable, top.src.split(':')[0], top.closest('a[href]')?.draggable];
    }""", point_in(front, 3))
    assert under == ["IMG", True, "blob", True]


def test_a_picture_can_be_dragged(front):
    front.page.evaluate("() => addEventListener('dragstart', (event) => { window.dragged = !event.defaultPrevented; })")
    at, to = point_in(front, 3), point_in(front, 4)
    front.page.mouse.move(**at)
    front.page.mouse.down()
    front.page.mouse.move(**to, steps=8)
    front.page.mouse.up()
    assert front.page.evaluate("() => window.dragged") is True
    assert front.viewer.is_hidden()


def test_pressing_the_pointer_focuses_the_slot(front):
    front.page.mouse.move(**point_in(front, 3))
    front.page.mouse.down(button="middle")
    front.until("() => document.activeElement.getAttribute('role') === 'gridcell'")
    assert front.focused == 3
    assert front.page.locator(".slot[tabindex='0']").count() == 1


def test_the_link_of_a_slot_points_to_its_picture(front):
    ids = front.page.evaluate("""async () => {
        const asked = await fetch('/api/v1/images?sort=name&direction=desc&limit=12&offset=300');
        return (await asked.json()).images.map(({ id }) => `#image=${id}`);
    }""")
    front.go_to(301)
    front.slot(300).locator(LINK).wait_for()
    front.until_settled()
    assert [image_of(front, 300 + at) for at in range(12)] == ids


def test_links_belong_to_the_current_view(front):
    front.page.locator("#sort").select_option("size")
    front.until("() => document.querySelector('.slot[data-index=\"0\"] a[href]')?.href.includes('sort=size')")


def test_the_link_of_a_failed_slot_has_the_reason_as_its_title(visit, demo):
    front = visit(demo, before=failing)
    front.until_settled()
    box = front.slot(3).bounding_box()
    under = front.page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('a[href]')?.title",
                                [box["x"] + 12, box["y"] + 12])
    assert under.startswith("Nobody answered at")


def test_a_slot_is_a_single_named_element_for_screen_readers(front):
    session = front.page.context.new_cdp_session(front.page)
    nodes = [node for node in session.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    by_id = {node["nodeId"]: node for node in nodes}
    cells = [node for node in nodes if node["role"]["value"] == "gridcell"]
    assert len(cells) > 10
    for cell in cells:
        assert "picture " in cell["name"]["value"]
        assert [child for child in cell["childIds"] if child in by_id] == []
    # Keyboard focus skips the links within the grid.
    front.slot(3).focus()
    front.page.keyboard.press("Tab")
    assert not front.page.evaluate("() => document.activeElement.closest('#grid')")


def test_a_link_to_a_picture_that_is_gone_says_so(visit, gallery):
    front = visit(gallery, "#image=0000000000000")
    front.page.locator("#message").get_by_text("That picture was not found here.").wait_for()
    front.until("() => location.hash === ''")
    assert not front.viewer.is_visible()
    front.until_settled()
