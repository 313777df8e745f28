"""The viewer as a light table: pictures are rotated, compared, and copied."""

import re

import pytest

CURRENT = ".frame[data-place=current]"
BESIDE = ".frame[data-place=beside]"
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SCREENS = [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone")]


def opened(front, index: int):
    front.until_settled()
    front.slot(index).click()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    front.until_still()
    return front


def box(front, place=CURRENT) -> dict[str, float]:
    """Where the picture is on the screen, as it is seen."""
    return front.page.locator(f"{place} .frame-box").bounding_box()


def transforms(front) -> list[str]:
    return [front.page.locator(f"{place} .frame-box").evaluate("(box) => box.style.transform") for place in (BESIDE, CURRENT)]


def number(front) -> str:
    return front.page.locator("#viewer-count").inner_text()


def choose(front, name: str):
    front.page.get_by_role("button", name="More").click()
    front.page.get_by_role("button", name=name).click()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_rotated_picture_is_seen_whole(visit, demo, screen):
    front = opened(visit(demo, **screen), 1)
    before = box(front)
    assert before["width"] > before["height"]
    choose(front, "Rotate right")
    front.until_still()
    after = box(front)
    stage = front.page.locator("#viewer-stage").bounding_box()
    assert after["width"] / after["height"] == pytest.approx(before["height"] / before["width"], rel=0.01)
    for start, size in (("x", "width"), ("y", "height")):
        assert after[start] >= stage[start] - 1 and after[start] + after[size] <= stage[start] + stage[size] + 1
        middle, middle_of_stage = after[start] + after[size] / 2, stage[start] + stage[size] / 2
        assert middle == pytest.approx(middle_of_stage, abs=1)
    # It fills the stage one way, as far as it has pixels.
    assert after["height"] > before["height"] * 1.2


def test_rotations_add_up_and_are_forgotten_with_the_next_picture(visit, demo):
    front = opened(visit(demo), 1)
    upright = box(front)
    for key in ("r", "r", "R", "r", "r", "r"):
        front.page.keyboard.press(key)
    front.until_still()
    assert box(front) == upright
    front.page.keyboard.press("r")
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-count').textContent.startsWith('3')")
    assert front.page.locator(f"{CURRENT} .frame-box").evaluate("(box) => box.style.transform") == ""


def test_a_rotated_picture_can_be_panned_to_its_edges(visit, demo):
    front = opened(visit(demo), 1)
    front.page.keyboard.press("r")
    for _ in range(4):
        front.page.keyboard.press("+")
    front.until_still()
    front.page.mouse.move(640, 400)
    front.page.mouse.down()
    front.page.mouse.move(640, 3_000)
    front.page.mouse.up()
    seen, stage = box(front), front.page.locator("#viewer-stage").bounding_box()
    assert seen["height"] > stage["height"] * 1.5
    assert seen["y"] == pytest.approx(stage["y"], abs=1)


@pytest.mark.parametrize("screen", SCREENS)
def test_two_pictures_are_compared_side_by_side(visit, demo, screen):
    front = opened(visit(demo, **screen), 1)
    choose(front, "Compare with next")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    assert front.page.locator("#viewer-beside-name").inner_text() == "1.jpg" and number(front) == "3 of 10,000"
    front.until_still()
    one, other = box(front, BESIDE), box(front)
    upright = screen is PHONE
    start, size = ("y", "height") if upright else ("x", "width")
    half = screen["viewport"]["height" if upright else "width"] / 2
    assert one[start] + one[size] <= half + 1 and other[start] >= half - 1
    # The other picture is replaced; this one stays.
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-count').textContent.startsWith('4')")
    assert front.page.locator("#viewer-beside-name").inner_text() == "1.jpg"
    assert front.page.locator(f"{BESIDE}[data-phase=displayed]").count() == 1


def test_compared_pictures_are_zoomed_and_panned_together(visit, demo):
    front = opened(visit(demo), 1)
    front.page.keyboard.press("c")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    for _ in range(3):
        front.page.keyboard.press("+")
    scales = [re.search(r"scale\(([\d.]+)\)", text)[1] for text in transforms(front)]
    assert scales[0] == scales[1] == "3.375"
    # The pointer may be over either of them.
    for x in (300, 900):
        before = transforms(front)
        front.page.mouse.move(x, 400)
        front.page.mouse.down()
        front.page.mouse.move(x - 60, 340)
        front.page.mouse.up()
        assert all(now != then for now, then in zip(transforms(front), before))
    front.page.keyboard.press("0")
    assert transforms(front) == ["", ""]


def test_a_click_on_either_picture_closes_nothing(visit, demo):
    front = opened(visit(demo), 1)
    front.page.keyboard.press("c")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-count').textContent.startsWith('4')")
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    # The picture that stays is wide, the other one narrow.
    wide = box(front, BESIDE)
    assert wide["width"] > box(front)["width"] * 1.1
    front.page.mouse.click(wide["x"] + 8, wide["y"] + wide["height"] / 2)
    # A second click soon after would be a double click.
    front.page.wait_for_timeout(400)
    assert front.viewer.is_visible()
    # Beside both of them, a click closes the viewer.
    front.page.mouse.click(wide["x"] + 8, wide["y"] - 20)
    front.viewer.wait_for(state="hidden")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_press_that_closes_the_menu_does_nothing_else(visit, demo, screen):
    front = opened(visit(demo, **screen), 1)
    front.page.get_by_role("button", name="More").click()
    front.page.locator("#viewer-menu").wait_for()
    press = front.page.touchscreen.tap if screen is PHONE else front.page.mouse.click
    press(20, 120)
    front.page.locator("#viewer-menu").wait_for(state="hidden")
    front.page.wait_for_timeout(400)
    assert front.viewer.is_visible() and front.viewer.get_attribute("data-bare") is None
    press(20, 120)
    if screen is PHONE:
        front.page.locator("#viewer[data-bare]").wait_for()
    else:
        front.viewer.wait_for(state="hidden")


def test_a_comparison_is_announced(visit, demo):
    front = opened(visit(demo), 1)
    front.page.keyboard.press("c")
    front.until("""() => document.querySelector('#viewer > [aria-live]').textContent
        === 'Comparing with 1.jpg. 2.jpg, picture 3 of 10,000'""")


def test_escape_ends_the_comparison_first(visit, demo):
    front = opened(visit(demo), 1)
    whole = front.page.locator("#viewer-stage").bounding_box()
    front.page.keyboard.press("c")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    front.page.keyboard.press("Escape")
    front.page.locator("#viewer-beside").wait_for(state="hidden")
    assert front.page.locator("#viewer-stage").bounding_box() == whole and number(front) == "3 of 10,000"
    front.page.keyboard.press("c")
    front.page.go_back()
    front.viewer.wait_for(state="hidden")
    # Opened again, it compares nothing.
    opened(front, 4)
    assert not front.page.locator("#viewer-beside").is_visible()


def test_escape_never_closes_more_than_it_should(visit, demo):
    """Browsers let a page refuse to close a dialog once or twice, and no more."""
    front = opened(visit(demo), 1)
    for _ in range(5):
        front.page.keyboard.press("c")
        front.page.locator("#viewer-beside").wait_for()
        front.page.keyboard.press("Escape")
        front.page.locator("#viewer-beside").wait_for(state="hidden")
        assert front.viewer.is_visible()
    for _ in range(5):
        front.page.locator("#viewer-more").press("Enter")
        front.page.locator("#viewer-menu").wait_for()
        front.page.keyboard.press("Escape")
        front.page.locator("#viewer-menu").wait_for(state="hidden")
        assert front.viewer.is_visible()
    # Pressed twice, it goes back once.
    position = front.page.evaluate("() => scrollY")
    steps = front.page.evaluate("() => history.length")
    for _ in range(2):
        front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    front.until("() => document.activeElement.matches('.slot')")
    assert front.page.url.startswith(demo.address) and front.page.evaluate("() => history.length") == steps
    assert front.page.evaluate("() => scrollY") == position and front.focused != 0


def test_escape_held_down_ends_one_thing(visit, demo):
    front = opened(visit(demo), 1)
    front.page.keyboard.press("c")
    front.page.locator("#viewer-beside").wait_for()
    for _ in range(5):
        front.page.keyboard.down("Escape")
    front.page.keyboard.up("Escape")
    assert front.page.locator("#viewer-beside").is_hidden() and front.viewer.is_visible()


def test_arrow_keys_pan_an_enlarged_picture_and_turn_at_its_edge(visit, demo):
    front = opened(visit(demo), 1)
    for _ in range(4):
        front.page.keyboard.press("+")
    before = box(front)
    for key, start, is_less in [("ArrowRight", "x", True), ("ArrowLeft", "x", False), ("ArrowDown", "y", True),
                                ("ArrowUp", "y", False)]:
        front.page.keyboard.press(key)
        after = box(front)
        assert (after[start] < before[start]) is is_less and number(front) == "2 of 10,000"
        before = after
    # A key that is held down stops at the edge; pressed again, it leads on.
    for _ in range(60):
        front.page.keyboard.down("ArrowRight")
    assert number(front) == "2 of 10,000"
    stage = front.page.locator("#viewer-stage").bounding_box()
    at_edge = box(front)
    assert at_edge["x"] + at_edge["width"] == pytest.approx(stage["x"] + stage["width"], abs=1)
    front.page.keyboard.up("ArrowRight")
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-count').textContent.startsWith('3')")


@pytest.mark.parametrize("screen", SCREENS)
def test_compared_pictures_have_their_names_below_them(visit, demo, screen):
    front = opened(visit(demo, **screen), 1)
    front.page.keyboard.press("c")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    front.until_still()
    for name, stage in [("#viewer-beside-name", "#viewer-beside"), (".viewer-title", "#viewer-stage")]:
        own = front.page.locator(name).bounding_box()
        place = front.page.locator(stage).bounding_box()
        assert place["x"] <= own["x"] and own["x"] + own["width"] <= place["x"] + place["width"]
        assert place["y"] + place["height"] / 2 < own["y"] < place["y"] + place["height"]
    assert front.page.locator(".viewer-title").inner_text().replace("\n", " ").split() == ["2.jpg", "3", "of", "10,000"]


def test_a_comparison_keeps_the_rotation(visit, demo):
    front = opened(visit(demo), 1)
    front.page.keyboard.press("r")
    front.page.keyboard.press("c")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    assert transforms(front) == ["rotate(90deg)", ""]
    front.page.keyboard.press("+")
    assert "rotate(90deg)" in transforms(front)[0]


@pytest.mark.parametrize("screen", [(341, 192), (420, 240), (900, 260)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_on_a_very_low_screen_all_of_the_menu_can_be_reached(visit, demo, screen):
    """A laptop's screen, enlarged by 400 %."""
    front = opened(visit(demo, viewport={"width": screen[0], "height": screen[1]}), 1)
    front.page.get_by_role("button", name="More").click()
    items = front.page.locator("#viewer-menu > *")
    assert items.count() == 6
    for at in range(items.count()):
        items.nth(at).scroll_into_view_if_needed()
        place = items.nth(at).bounding_box()
        assert place["y"] >= 0 and place["y"] + place["height"] <= screen[1]


def test_the_last_picture_is_compared_with_the_one_before(visit, demo):
    front = visit(demo, "#at=9999")
    opened(front, 9_999)
    front.page.keyboard.press("c")
    front.page.locator(f"{BESIDE}[data-phase=displayed]").wait_for()
    front.until("() => document.querySelector('#viewer-count').textContent.startsWith('9,999 ')")


@pytest.mark.parametrize("turns", [0, 1])
def test_the_picture_and_the_link_are_copied(visit, demo, turns):
    front = visit(demo, permissions=["clipboard-read", "clipboard-write"])
    opened(front, 1)
    for _ in range(turns):
        front.page.keyboard.press("r")
    front.page.keyboard.press("Control+c")
    front.page.locator("#message", has_text="Picture copied.").wait_for()
    width, height = front.page.evaluate("""async () => {
        const [item] = await navigator.clipboard.read();
        const { width, height } = await createImageBitmap(await item.getType('image/png'));
        return [width, height];
    }""")
    assert (width > height) is (turns == 0) and max(width, height) >= 800
    choose(front, "Copy link")
    front.page.locator("#message", has_text="Link copied.").wait_for()
    link = front.page.evaluate("() => navigator.clipboard.readText()")
    assert link == front.page.url and "#image=" in link


def test_a_refused_copy_is_reported_above_the_viewer(visit, demo):
    deny = "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))"
    front = opened(visit(demo, before=lambda page: page.add_init_script(deny)), 1)
    choose(front, "Copy link")
    message = front.page.locator("#message", has_text="Nothing was copied.")
    message.wait_for()
    at = message.bounding_box()
    assert front.page.evaluate("([x, y]) => document.elementsFromPoint(x, y).length > 0", [at["x"], at["y"]])
    assert front.page.locator("#message").evaluate("(message) => message.matches(':popover-open')")


def test_the_original_is_opened_in_another_tab(visit, demo):
    front = opened(visit(demo), 1)
    front.page.get_by_role("button", name="More").click()
    with front.page.context.expect_page() as other:
        front.page.get_by_role("link", name="Open original").click()
    other.value.wait_for_load_state()
    assert "/original" in other.value.url
    assert other.value.evaluate("() => document.images.length") == 1
