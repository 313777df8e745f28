"""Justified rows, which crop no picture; squares as an option; and five sizes of both."""

import io
import time
import urllib.request

import pytest
from PIL import Image

from conftest import PHONE
from folder import Folder
from motions import motions, names, watched

SIZES = [(400, 300), (420, 280), (300, 400), (280, 420), (340, 340), (400, 250), (225, 400), (700, 220)]


def jpeg(number: int) -> bytes:
    # Like a camera's: most are landscape, some portrait.
    size = SIZES[(number * number // 3 + number) % len(SIZES)] if number % 3 else SIZES[0]
    file = io.BytesIO()
    Image.new("RGB", size, (number * 37 % 256, number * 91 % 256, 90)).save(file, "JPEG")
    return file.getvalue()


class Mixed(Folder):
    """Pictures with many aspect ratios, which the server knows if it indexes them."""

    def __init__(self, start, path, count, examines=True):
        super().__init__(start, path, [f"p{number:05d}.jpg" for number in range(count)], examines=examines)
        if examines:
            self.until_known(count)

    def _write(self, files):
        for name in files:
            (self.path / name).write_bytes(jpeg(sum(map(ord, name)) + int(name[1:6])))

    def until_known(self, count: int):
        # Polling without a pause would take CPU time from the indexing.
        for _ in range(600):
            time.sleep(0.2)
            with urllib.request.urlopen(f"{self.server.address}/api/v1/shape?first=0&count=16384") as answer:
                told = answer.read()
            if len(told) == count and 0 not in told:
                return
        raise AssertionError("the aspect ratios did not become known")


@pytest.fixture(scope="module")
def mixed(start, tmp_path_factory):
    return Mixed(start, tmp_path_factory.mktemp("mixed"), 1_200)


# For each picture on screen: the deviation of its slot's aspect ratio from its own, its width, and its right edge.
PROPORTIONS = """() => [...document.querySelectorAll('.slot[data-index]')].flatMap((slot) => {
    const image = slot.querySelector('img:last-of-type');
    const box = slot.getBoundingClientRect();
    if (!image || box.width === 0 || box.bottom < 60 || box.top > innerHeight) return [];
    const off = (box.width / box.height) / (image.naturalWidth / image.naturalHeight);
    return [{ off: Math.abs(Math.log(off)), fit: getComputedStyle(image).objectFit, width: box.width, right: box.right }];
})"""

MIDDLE = """() => {
    const height = document.querySelector('#header').offsetHeight;
    const y = (innerHeight + height) / 2;
    const x = document.querySelector('#grid').getBoundingClientRect().width / 2;
    const all = [...document.querySelectorAll('.slot[data-index]')].map((slot) => [slot, slot.getBoundingClientRect()]);
    const far = ([, box]) => Math.max(0, box.left - x, x - box.right) + 10 * Math.max(0, box.top - y, y - box.bottom);
    return Number(all.sort((one, other) => far(one) - far(other))[0][0].dataset.index);
}"""


def box(front, index: int) -> dict:
    return front.slot(index).bounding_box()


def until_at_rest(front):
    front.until_settled()
    front.page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")


@pytest.mark.parametrize("place", ["", "#at=700", "?sort=name&direction=desc"])
@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_justified_rows_are_the_default(visit, mixed, options, place):
    front = visit(mixed.server, place, **options)
    until_at_rest(front)
    seen = front.page.evaluate(PROPORTIONS)
    assert len(seen) >= 8
    assert len({round(each["width"]) for each in seen}) > 3, "too few different aspect ratios"
    # The server's aspect ratios are exact to one per cent, and pixels are indivisible.
    assert all(each["off"] <= 0.03 + 0.6 / each["width"] for each in seen), seen
    assert all(each["fit"] == "cover" for each in seen)


def test_rows_fill_the_width_and_the_last_is_not_enlarged(visit, mixed):
    front = visit(mixed.server)
    until_at_rest(front)
    rows = front.page.locator(".row:visible").evaluate_all("""(rows) => rows.map((row) => {
        const boxes = [...row.querySelectorAll('.slot[data-index]')].map((slot) => slot.getBoundingClientRect());
        return [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
    })""")
    assert len(rows) >= 4
    assert {(round(left), round(right)) for left, right in rows} == {(80, 1268)}
    front.page.keyboard.press("End")
    front.slot(1_199).wait_for()
    assert box(front, 1_199)["height"] < 300
    assert 0 <= front.slot(1_199).evaluate("(slot) => innerHeight - slot.getBoundingClientRect().bottom") < 8


def test_the_choice_of_squares_is_remembered(visit, mixed):
    front = visit(mixed.server)
    button = front.page.get_by_role("button", name="Square grid")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    until_at_rest(front)
    for _ in range(2):
        boxes = [box(front, index) for index in range(8)]
        assert all(abs(each["width"] - each["height"]) <= 1 for each in boxes)
        front.page.reload()
        until_at_rest(front)
    button.click()
    front.until("() => document.querySelector('#squares').getAttribute('aria-pressed') === 'false'")
    assert len({round(box(front, index)["width"]) for index in range(8)}) > 2


def test_no_picture_is_shown_until_aspect_ratios_are_known(visit, start, tmp_path):
    (tmp_path / "list.txt").write_text("\n".join(f"http://127.0.0.1:9/{number}.jpg" for number in range(60_000)))
    server = start("serve", tmp_path / "list.txt")
    # While a list is being read, the page may still have the height of the previous order.
    while (status := server.status)["total"] < 60_000 or status["scanning"]:
        time.sleep(0.05)
    front = visit(server)
    front.until("() => document.querySelector('#position-total').textContent === '60,000'")
    held = []
    front.page.route("**/api/v1/shape?first=*", lambda route: held.append(route))
    height = front.page.evaluate("() => document.documentElement.scrollHeight")
    field = front.page.locator("#position-number")
    field.fill("40001")
    with front.page.expect_request(lambda request: "/api/v1/shape?first=" in request.url):
        field.press("Enter")
    front.until("() => document.querySelector('#position-number').value === '40,001'")
    watched(front)
    front.page.wait_for_timeout(300)
    front.until_noted(lambda: held)
    assert front.page.evaluate("() => Object.keys(window.frames_.at(-1)).length") == 0
    # Requests after these are not held back.
    front.page.unroute("**/api/v1/shape?first=*")
    for route in held:
        route.fallback()
    front.slot(40_000).wait_for()
    assert front.focused == 40_000, "the focus did not follow"
    assert front.position == 40_001
    assert front.page.evaluate("() => document.documentElement.scrollHeight") == height
    assert {tuple(motion) for frame in motions(front) for motion in frame} <= {(0, 0)}


def test_pictures_of_unknown_aspect_ratio_move_nothing_and_are_whole(visit, start, tmp_path):
    front = visit(Mixed(start, tmp_path, 600, examines=False).server, "#at=300")
    watched(front)
    until_at_rest(front)
    front.page.mouse.move(600, 400)
    assert {tuple(motion) for frame in motions(front) for motion in frame} == {(0, 0)}
    seen = front.page.evaluate(PROPORTIONS)
    assert len(seen) > 10 and any(each["off"] > 0.2 for each in seen), "no picture has another aspect ratio than assumed"
    assert all(each["off"] <= 0.05 or each["fit"] == "contain" for each in seen)


def test_newly_known_aspect_ratios_move_nothing_on_screen(visit, mixed):
    """The server indexes its files while the page shows them."""
    def unlearnt(route):
        if "first=" in route.request.url:
            route.fulfill(body=bytes(1_200), headers={"Tessera-Revision": "1"})
        else:
            told = route.fetch().json()
            route.fulfill(json={**told, "sums": [4 / 3 * min(256, 1_200 - 256 * at) for at in range(len(told["sums"]))]})

    done = iter(range(1, 1_000))

    def status(route):
        examined = {"done": next(done), "total": 1_200}
        route.fulfill(json={"revision": 1, "total": 1_200, "scanning": False, "examined": examined})

    def before(page):
        page.route("**/api/v1/shape*", unlearnt)
        page.route("**/api/v1/status", status)

    front = visit(mixed.server, "#at=500", before=before)
    until_at_rest(front)
    watched(front)
    height = front.page.evaluate("() => document.documentElement.scrollHeight")
    assert any(each["fit"] == "contain" for each in front.page.evaluate(PROPORTIONS)), "the aspect ratios were already known"
    shown = names(front)
    front.page.unroute("**/api/v1/shape*")
    front.page.wait_for_function("(height) => document.documentElement.scrollHeight !== height", arg=height,
                                 timeout=60_000)
    front.page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert {tuple(motion) for frame in motions(front) for motion in frame} == {(0, 0)}
    assert names(front) == shown and front.page.evaluate("() => window.lost") == []
    front.go_to(900)
    front.slot(899).wait_for()
    until_at_rest(front)
    assert all(each["fit"] == "cover" for each in front.page.evaluate(PROPORTIONS))
    front.go_to(500)
    front.slot(499).wait_for()
    until_at_rest(front)
    assert all(each["fit"] == "cover" for each in front.page.evaluate(PROPORTIONS))


@pytest.mark.parametrize("layout", ["justified", "squares"])
def test_a_thousand_pictures_added_above_move_nothing_on_screen(visit, start, tmp_path, layout):
    gallery = Mixed(start, tmp_path, 600)
    front = visit(gallery.server, "#at=301", layout=layout)
    until_at_rest(front)
    front.page.mouse.move(600, 400)
    before = front.page.evaluate("() => scrollY")
    front.page.mouse.wheel(0, 130)
    front.until("(before) => scrollY === before + 130", before)
    until_at_rest(front)
    watched(front)
    shown, first = names(front), front.position
    gallery.put_all([f"a{number:05d}.jpg" for number in range(1_000)])
    front.page.wait_for_function("(told) => document.querySelector('#position-number').value === told",
                                 arg=f"{first + 1_000:,}", timeout=120_000)
    until_at_rest(front)
    moved = motions(front)
    assert len(moved) > 10 and {tuple(motion) for frame in moved for motion in frame} == {(0, 0)}
    assert names(front) == shown and front.page.evaluate("() => window.lost") == []
    # From there to the beginning, everything is in place, pixel by pixel.
    for _ in range(12):
        front.page.mouse.wheel(0, -700)
        until_at_rest(front)
        indexes = front.page.locator(".slot[data-index]:visible").evaluate_all(
            "(slots) => slots.map((slot) => Number(slot.dataset.index)).sort((one, other) => one - other)")
        assert indexes == list(range(indexes[0], indexes[-1] + 1))


def larger_by_slider(front):
    slider = front.page.get_by_role("slider", name="Picture size")
    slider.focus()
    slider.press("ArrowRight")


def larger_by_key(front):
    front.page.keyboard.press("+")


def larger_by_wheel(front):
    front.page.mouse.move(640, 426)
    front.page.keyboard.down("Control")
    front.page.mouse.wheel(0, -120)
    front.page.keyboard.up("Control")


def density(front) -> int:
    return int(front.page.locator("#density").input_value())


@pytest.mark.parametrize("layout", ["justified", "squares"])
@pytest.mark.parametrize("larger", [larger_by_slider, larger_by_key, larger_by_wheel])
def test_the_picture_in_the_middle_stays_there_when_the_size_changes(visit, mixed, larger, layout):
    front = visit(mixed.server, "#at=600", layout=layout)
    until_at_rest(front)
    middle = front.page.evaluate(MIDDLE)
    before = density(front)
    size = box(front, middle)["height"]
    larger(front)
    front.until("(before) => document.querySelector('#density').value === String(before + 1)", before)
    held = front.page.locator("#grid").bounding_box()
    y = (front.page.locator("#header").bounding_box()["height"] + 800) / 2
    place = box(front, middle)
    assert place["y"] - 1 <= y <= place["y"] + place["height"] + 1 and place["height"] > size
    assert place["x"] >= held["x"] - 1
    # It stays in place through all sizes and back.
    for key in ("+", "+", "-", "-", "-", "-", "-", "+", "+"):
        front.page.evaluate("() => document.activeElement.blur()")
        front.page.keyboard.press(key)
        place = box(front, middle)
        assert place["y"] - 1 <= y <= place["y"] + place["height"] + 1, key
    front.page.reload()
    until_at_rest(front)
    assert density(front) == 2, "the size was not remembered"


def test_the_focus_stays_with_its_picture_when_the_size_changes(visit, mixed):
    front = visit(mixed.server, "#at=600")
    until_at_rest(front)
    middle = front.page.evaluate(MIDDLE)
    front.slot(middle).focus()
    for key in ("+", "-", "-"):
        front.page.keyboard.press(key)
        assert front.focused == middle, key
    front.page.keyboard.press("ArrowRight")
    assert front.focused == middle + 1


def test_a_pinch_changes_the_size_around_the_fingers(phone, mixed):
    front = phone(mixed.server, "#at=600")
    until_at_rest(front)
    session = front.page.context.new_cdp_session(front.page)
    x, y = 120, 500
    index = int(front.page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('.slot').dataset.index", [x, y]))

    def pinch(*apart: int):
        for at, each in enumerate(apart):
            points = [{"x": x, "y": y - each / 2, "id": 1}, {"x": x, "y": y + each / 2, "id": 2}]
            session.send("Input.dispatchTouchEvent", {"type": "touchMove" if at else "touchStart", "touchPoints": points})
            # Fingers take longer than a frame.
            front.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    for apart, expected in [((100, 115, 140), 3), ((100, 140, 200), 4), ((300, 280, 200, 140, 100), 0)]:
        pinch(*apart)
        front.until("(value) => document.querySelector('#density').value === value", str(expected))
        place = box(front, index)
        assert place["y"] - 2 <= y <= place["y"] + place["height"] + 2
    assert front.page.evaluate("() => visualViewport.scale") == 1, "the page itself was zoomed"


def test_a_phone_has_a_size_slider_too(phone, mixed):
    front = phone(mixed.server)
    until_at_rest(front)
    front.page.get_by_role("button", name="Sorting and picture size").tap()
    slider = front.page.get_by_role("slider", name="Picture size")
    slider.wait_for()
    middle = front.page.evaluate(MIDDLE)
    height = box(front, middle)["height"]
    slider.focus()
    slider.press("ArrowRight")
    assert box(front, middle)["height"] > height
    assert slider.get_attribute("aria-valuetext") == "Large"
    assert front.page.get_by_role("button", name="Square grid").is_visible()


@pytest.mark.parametrize("layout", ["justified", "squares"])
@pytest.mark.parametrize("options", [{}, PHONE, {"viewport": {"width": 3840, "height": 2160}}],
                         ids=["desktop", "phone", "wall"])
def test_at_the_smallest_size_there_are_at_most_150_pictures(visit, mixed, options, layout):
    front = visit(mixed.server, layout=layout, **options)
    until_at_rest(front)
    front.page.evaluate("() => document.activeElement.blur()")
    for _ in range(2):
        front.page.keyboard.press("-")
    assert density(front) == 0
    most = front.page.evaluate("""async () => {
        let most = 0;
        for (let step = 0; step < 30; step += 1) {
            scrollBy(0, 137);
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            most = Math.max(most, document.querySelectorAll('.slot[data-index]').length, document.images.length);
        }
        return most;
    }""")
    assert 40 < most <= 150


def test_without_a_shape_all_pictures_get_the_same_aspect_ratio(visit, mixed):
    front = visit(mixed.server, before=lambda page: page.route("**/api/v1/shape*", lambda route: route.fulfill(status=409)))
    until_at_rest(front)
    boxes = [box(front, index) for index in range(8)]
    assert all(abs(each["width"] / each["height"] / (4 / 3) - 1) < 0.02 for each in boxes)
    assert {each["fit"] for each in front.page.evaluate(PROPORTIONS)} == {"cover", "contain"}


@pytest.mark.parametrize("layout", ["justified", "squares"])
def test_the_focus_is_visible_in_forced_colours(visit, mixed, layout):
    front = visit(mixed.server, layout=layout, forced_colors="active")
    until_at_rest(front)
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.activeElement.matches('.slot:focus-visible')")
    place = box(front, front.focused)

    def pixels():
        shot = front.page.screenshot(clip={key: place[key] for key in ("x", "y", "width", "height")})
        return Image.open(io.BytesIO(shot)).convert("RGB")

    seen = pixels()
    front.page.evaluate("() => document.activeElement.blur()")
    without = pixels()
    edge = [(2, seen.height // 2), (seen.width - 3, seen.height // 2), (seen.width // 2, 2), (seen.width // 2, seen.height - 3)]
    assert all(sum(abs(one - other) for one, other in zip(seen.getpixel(at), without.getpixel(at))) > 100 for at in edge)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_screenshots_of_the_layouts(visit, mixed, picture, size, scheme):
    front = visit(mixed.server, "#at=400", color_scheme=scheme, **(PHONE if size == "phone" else {}))
    until_at_rest(front)
    for number in range(3):
        picture(front, f"layout-{size}-{scheme}-{number}")
        front.page.keyboard.press("-" if number == 0 else "+")
        until_at_rest(front)
    if size == "phone":
        front.page.get_by_role("button", name="Sorting and picture size").tap()
        picture(front, f"layout-bar-{size}-{scheme}")
