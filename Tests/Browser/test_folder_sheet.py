"""The sheet of folders: tiles with covers, ways down and up, and the focus."""

import io
import json
import re
import urllib.parse

import pytest
from PIL import Image

from conftest import PHONE
from folder import Folder

DESK = {"viewport": {"width": 1366, "height": 768}}
FILES = {"2019/06": 40, "2019/07": 30, "2020/sea & sky": 20, "Garden": 1}


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    root = tmp_path_factory.mktemp("places")
    for folder in FILES:
        (root / folder).mkdir(parents=True)
    return Folder(start, root, [f"{folder}/{at:03d}.jpg" for folder, count in FILES.items() for at in range(count)]).server


def sheet(front):
    return front.page.get_by_role("dialog", name=re.compile("^(Folders|2019|2020|Far|F.*)$"))


def tile(front, name: str):
    return front.page.locator("#folders").get_by_role("button", name=name, exact=True)


def opened(front):
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.locator("#folders-list .folder-open").first.wait_for()
    return front


def names(front) -> list[str]:
    return front.page.locator("#folders-list .folder-open").evaluate_all("(all) => all.map((one) => one.ariaLabel)")


def until_names(front, expected: list[str]):
    front.until("""(expected) => expected === JSON.stringify(
        [...document.querySelectorAll('#folders-list .folder-open')].map((one) => one.ariaLabel))""",
                json.dumps(expected, ensure_ascii=False, separators=(",", ":")))


def until_tile_focused(front, name: str):
    front.until("(name) => document.activeElement.ariaLabel === name", name)


def with_folders(folders, cover=None):
    """Answers requests for the top folders, instead of the server."""
    def before(page):
        def answer(route):
            route.fulfill(json={"parent": "", "folders": folders})

        page.route("**/api/v1/folders?parent=", answer)
        if cover:
            page.route("**/images/cover*/tile*", cover)
    return before


def folder(at: int, **more) -> dict:
    return {"path": f"F{at:04}", "name": f"F{at:04}", "count": 1 + at, "hasFolders": at % 2 == 0, **more}


def cover_of(at: int) -> dict:
    return {"id": f"cover{at}", "name": f"{at}.jpg", "width": 300, "height": 200, "placeholder": "1QcSHQRnh493V4dIh4eXh1h4kJUI",
            "links": {kind: f"/images/cover{at}/{kind}?v=1" for kind in ("preview", "tile", "screen", "original")}}


def picture_of_cover(route):
    file = io.BytesIO()
    Image.new("RGB", (300, 200), (200, 90, 40)).save(file, "JPEG")
    route.fulfill(body=file.getvalue(), content_type="image/jpeg")


def test_a_tile_says_its_name_its_count_and_whether_it_contains_folders(visit, gallery):
    front = opened(visit(gallery, **DESK))
    assert sheet(front).get_by_role("list", name="Folders").get_by_role("listitem").count() == 3
    assert names(front) == ["2019, 70 pictures, contains folders", "2020, 20 pictures, contains folders",
                            "Garden, 1 picture"]
    assert tile(front, "Folders in 2019").is_visible() and tile(front, "Folders in Garden").count() == 0


def test_ways_lead_down_and_up_and_the_focus_returns_to_where_it_went_down(visit, gallery):
    front = opened(visit(gallery, **DESK))
    up = front.page.locator("#folders-up")
    assert up.is_hidden()
    tile(front, "Folders in 2020").click()
    until_names(front, ["sea & sky, 20 pictures"])
    until_tile_focused(front, "sea & sky, 20 pictures")
    assert front.page.locator("#folders").get_by_role("navigation", name="Folder path").get_by_role("listitem").all_inner_texts() == [
        "All folders", "2020"]
    assert up.get_attribute("aria-label") == "Up one level, to All folders"
    up.click()
    until_tile_focused(front, "2020, 20 pictures, contains folders")
    # The gallery has stayed where it was.
    assert front.page.url == gallery.address + "/"
    tile(front, "Folders in 2019").click()
    until_tile_focused(front, "06, 40 pictures")
    front.page.get_by_role("button", name="Show pictures").click()
    front.until("() => location.search === '?folder=2019'")
    assert sheet(front).is_hidden()


def test_the_keyboard_moves_among_the_tiles_opens_them_and_goes_up(visit, gallery):
    front = opened(visit(gallery, **DESK))
    keyboard = front.page.keyboard
    until_tile_focused(front, "2019, 70 pictures, contains folders")
    keyboard.press("ArrowRight")
    until_tile_focused(front, "2020, 20 pictures, contains folders")
    keyboard.press("End")
    until_tile_focused(front, "Garden, 1 picture")
    keyboard.press("ArrowDown")
    until_tile_focused(front, "Garden, 1 picture")
    keyboard.press("Home")
    keyboard.press("Alt+ArrowDown")
    until_tile_focused(front, "06, 40 pictures")
    for key in ("Backspace", "Alt+ArrowUp"):
        keyboard.press(key)
        until_tile_focused(front, "2019, 70 pictures, contains folders")
        # At the top, it leads nowhere.
        keyboard.press(key)
        until_tile_focused(front, "2019, 70 pictures, contains folders")
        keyboard.press("Alt+ArrowDown")
        until_tile_focused(front, "06, 40 pictures")
    keyboard.press("ArrowRight")
    keyboard.press("Enter")
    front.until("() => location.search === '?folder=2019/07'")
    # The first picture has the focus.
    front.until_focused(0)


def test_arrows_move_by_rows(visit, gallery):
    front = opened(visit(gallery, before=with_folders([folder(at) for at in range(30)]), **DESK))
    columns = front.page.locator("#folders-list").evaluate(
        "(list) => getComputedStyle(list).gridTemplateColumns.split(' ').length")
    assert 3 < columns < 9
    front.page.keyboard.press("ArrowDown")
    until_tile_focused(front, f"F{columns:04}, {1 + columns} pictures" + ", contains folders" * (columns % 2 == 0))
    front.page.keyboard.press("ArrowUp")
    until_tile_focused(front, "F0000, 1 picture, contains folders")
    # One stop in the tab order: the tile and its way down.
    assert front.page.locator("#folders-list button[tabindex='0']").count() == 2


def test_beside_a_folder_without_folders_the_sheet_shows_its_neighbours(visit, gallery):
    front = opened(visit(gallery, "?folder=2019/07", **DESK))
    until_names(front, ["06, 40 pictures", "07, 30 pictures"])
    until_tile_focused(front, "07, 30 pictures")
    assert tile(front, "07, 30 pictures").get_attribute("aria-current") == "page"
    tile(front, "06, 40 pictures").click()
    front.until("() => location.search === '?folder=2019/06'")


def test_closing_returns_the_focus_to_the_entry(visit, gallery):
    front = opened(visit(gallery, **DESK))
    front.page.keyboard.press("Escape")
    front.until("() => document.activeElement.id === 'folders-button'")
    assert front.page.locator("#folders-list li").count() == 0
    opened(front)
    front.page.mouse.click(5, 5)
    sheet(front).wait_for(state="hidden")


def test_covers_are_the_tiles_of_their_pictures(visit, gallery):
    front = opened(visit(gallery, **DESK))
    front.until("""() => {
        const covers = [...document.querySelectorAll('#folders-list img')];
        return covers.length === 3 && covers.every((one) => one.complete && one.naturalWidth > 0);
    }""")
    covers = front.page.locator("#folders-list img")
    told = json.loads(front.page.evaluate("async () => (await fetch('api/v1/folders?parent=')).text()"))["folders"]
    assert covers.evaluate_all("(all) => all.map((one) => one.src.slice(location.origin.length))") == [
        each["cover"]["links"]["tile"] for each in told]
    assert covers.first.get_attribute("alt") == "" and covers.first.get_attribute("decoding") == "async"


def test_a_folder_without_a_cover_has_a_glyph(visit, gallery):
    front = opened(visit(gallery, before=with_folders([folder(0), folder(1)]), **DESK))
    glyphs = front.page.locator(".folder-cover > svg")
    assert glyphs.count() == 2 and glyphs.first.is_visible()
    assert front.page.locator("#folders-list :is(img, canvas)").count() == 0


def test_a_cover_that_cannot_be_loaded_leaves_its_placeholder(visit, gallery):
    front = opened(visit(gallery, before=with_folders([folder(0, cover=cover_of(0))], lambda route: route.abort()), **DESK))
    front.page.locator("#folders-list canvas").wait_for()
    front.until("() => !document.querySelector('#folders-list img')")


def test_thousands_of_folders_are_quick_and_load_only_covers_near_the_screen(visit, gallery):
    asked = []

    def answer(route):
        asked.append(route.request.url)
        picture_of_cover(route)

    many = [folder(at, cover=cover_of(at)) for at in range(4_000)]
    front = visit(gallery, before=with_folders(many, answer), **DESK)
    front.until_settled()
    front.page.evaluate("""() => {
        window.longest = 0;
        new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
        }).observe({ type: 'longtask' });
    }""")
    opened(front)
    front.until("() => document.querySelectorAll('#folders-list li').length === 4000")
    front.until("() => document.querySelector('#folders-list img')?.complete")
    assert 4 <= len(asked) < 80
    # On a slow machine with a browser that tests are run in.
    assert front.page.evaluate("() => longest") < 400
    # The end is a key away, and its covers come.
    front.page.keyboard.press("End")
    until_tile_focused(front, "F3999, 4,000 pictures")
    front.until("() => document.querySelector('#folders-list li:last-child img')?.complete")
    assert len(asked) < 200
    # Nothing is loaded for a closed sheet.
    front.page.keyboard.press("Escape")
    assert front.page.locator("#folders-list img").count() == 0


def test_folders_that_cannot_be_read_are_not_said_to_be_none(visit, gallery):
    front = visit(gallery, **DESK)
    front.page.get_by_role("button", name="Folders", exact=True).wait_for()
    front.page.route("**/api/v1/folders?*", lambda route: route.fulfill(
        status=503, content_type="application/problem+json", json={"title": "Busy", "status": 503}))
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.get_by_text("The folders cannot be loaded at the moment.").wait_for()


def test_on_a_phone_the_sheet_is_at_the_bottom_and_nothing_scrolls_sideways(phone, gallery):
    front = opened(phone(gallery))
    front.until_still()
    box = sheet(front).bounding_box()
    assert box["x"] == 0 and box["width"] == 390 and box["y"] > 60 and box["y"] + box["height"] == 844
    ways = [tile(front, "Folders in 2019"), front.page.locator("#folders .sheet-close")]
    assert all(min(way.bounding_box()["width"], way.bounding_box()["height"]) >= 40 for way in ways)
    tile(front, "Folders in 2019").tap()
    until_names(front, ["06, 40 pictures", "07, 30 pictures"])
    assert front.page.evaluate("""() => [...document.querySelectorAll('#folders, #folders *')].every(
        (one) => one.matches('.folder-name, .folder-count, .unseen, h2, button') || one.scrollWidth <= one.clientWidth
            || one.clientWidth === 0)""")


def test_a_script_that_cannot_be_loaded_is_reported_and_tried_again(visit, gallery):
    # From the beginning, because the page loads it by itself once it has nothing else to do.
    front = visit(gallery, before=lambda page: page.route(
        re.compile(r"/assets/.*/later\.js"), lambda route: route.abort()), **DESK)
    button = front.page.get_by_role("button", name="Folders", exact=True)
    button.click()
    front.page.get_by_text("This part of the page cannot be loaded.").first.wait_for()
    front.page.unroute_all(behavior="ignoreErrors")
    opened(front)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desk", "phone"])
def test_screenshots_of_the_folders(visit, gallery, picture, size, scheme):
    front = opened(visit(gallery, color_scheme=scheme, **(PHONE if size == "phone" else DESK)))
    front.until("() => document.querySelectorAll('#folders-list img').length === 3")
    picture(front, f"folders-{size}-{scheme}")
    tile(front, "Folders in 2019").click()
    until_names(front, ["06, 40 pictures", "07, 30 pictures"])
    picture(front, f"folders-within-{size}-{scheme}")


@pytest.mark.parametrize("width", [320, 1366])
def test_the_path_fits_however_deep_the_folder_is(visit, start, tmp_path, width):
    path = "/".join(f"A journey along the coast from north to south {year}" for year in range(2001, 2006))
    (tmp_path / path / "last").mkdir(parents=True)
    gallery = Folder(start, tmp_path, [f"{path}/last/one.jpg", f"{path}/two.jpg"]).server
    front = opened(visit(gallery, f"?{urllib.parse.urlencode({'folder': path})}", viewport={"width": width, "height": 640}))
    steps = front.page.locator("#folders").get_by_role("navigation", name="Folder path").get_by_role("button")
    assert steps.count() == 6 and steps.last.get_attribute("aria-current") == "page"
    sheet_box = front.page.locator("#folders").bounding_box()
    for box in [step.bounding_box() for step in steps.all()]:
        assert sheet_box["x"] <= box["x"] and box["x"] + box["width"] <= sheet_box["x"] + sheet_box["width"]
    # The folders below it are still on the screen.
    assert tile(front, "last, 1 picture").bounding_box()["y"] < 560
    steps.nth(1).click()
    until_tile_focused(front, "A journey along the coast from north to south 2002, 2 pictures, contains folders")
