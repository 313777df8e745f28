"""Huge pictures are loaded in pyramid tiles when zoomed in, and only those on screen."""

import functools
import io

import pytest
from PIL import Image

from tiles import PYRAMIDS, READINGS, Pieces, until_covered

CURRENT = ".frame[data-place=current]"
ORDINARY = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 1}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 3}

# The Exif orientation by picture: with these, the narrow tiles of the file are on each of the four sides, and rows
# become columns.
TURNED = {"as it is.jpg": 1, "mirrored.jpg": 2, "upside down.jpg": 3, "flipped.jpg": 4, "on its side.jpg": 6}
LARGE, VAST = (5300, 3300), (8000, 5100)
CELL = 100


def colour(column: int, row: int) -> tuple[int, int, int]:
    return column * 47 % 256, row * 83 % 256, column * row * 29 % 256


@functools.cache
def upright(size: tuple[int, int]) -> Image.Image:
    """Cells of one colour each, so that each position is distinguishable from its surroundings."""
    columns, rows = size[0] // CELL, size[1] // CELL
    cells = Image.new("RGB", (columns, rows))
    cells.putdata([colour(column, row) for row in range(rows) for column in range(columns)])
    return cells.resize(size, Image.Resampling.NEAREST)


def photograph(size: tuple[int, int], orientation: int = 1) -> bytes:
    ways = {2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
            6: Image.Transpose.ROTATE_90}
    image = upright(size)
    exif = Image.Exif()
    exif[0x112] = orientation
    file = io.BytesIO()
    (image.transpose(ways[orientation]) if orientation in ways else image).save(file, "JPEG", quality=85, exif=exif)
    return file.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for name, orientation in TURNED.items():
        (folder / name).write_bytes(photograph(LARGE, orientation))
    (folder / "vast.jpg").write_bytes(photograph(VAST))
    Image.new("RGB", LARGE, (240, 240, 240)).save(folder / "white.jpg", "JPEG")
    return folder


@pytest.fixture(scope="module")
def album(start, folder):
    return start("serve", folder, examines=True)


@pytest.fixture
def opened(visit, album):
    """Opens a picture, and waits until it is as sharp as it can be without a pyramid."""
    def opened(name: str, before=None, **options):
        pieces = []

        def prepare(page):
            if before:
                before(page)
            pieces.append(Pieces(page))
            page.add_init_script(READINGS)

        front = visit(album, before=prepare, **options)
        front.page.set_default_timeout(60_000)
        front.until_settled()
        front.page.locator(f'.slot[aria-label^="{name}"]').click()
        front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
        front.until("() => document.querySelector('#viewer-name').textContent !== ''")
        front.until_still()
        return front, pieces[0]

    return opened


def show_tiles_alone(front):
    front.page.locator(f"{CURRENT} .frame-box").evaluate(
        "(box) => box.querySelectorAll(':scope > :not(.frame-tiles)').forEach("
        "({style}) => style.setProperty('visibility', 'hidden', 'important'))")


def colours_are_right(front, size: tuple[int, int], density: int) -> int:
    """Checks the middle of each cell on the stage, away from the bars, and returns the number of cells."""
    show_tiles_alone(front)
    box = front.page.locator(f"{CURRENT} .frame-box").evaluate(
        "(box) => (({left, top, width, height}) => [left, top, width, height])(box.getBoundingClientRect())")
    shot = Image.open(io.BytesIO(front.page.screenshot())).convert("RGB")
    looked = 0
    for row in range(size[1] // CELL):
        for column in range(size[0] // CELL):
            x = (box[0] + (column + 0.5) * CELL / size[0] * box[2]) * density
            y = (box[1] + (row + 0.5) * CELL / size[1] * box[3]) * density
            inside = 64 * density < x < shot.width - 64 * density and 80 * density < y < shot.height - 80 * density
            if not inside:
                continue
            seen = shot.getpixel((int(x), int(y)))
            assert max(abs(one - other) for one, other in zip(seen, colour(column, row))) < 16, (column, row, seen)
            looked += 1
    return looked


@pytest.mark.parametrize("screen", [ORDINARY, PHONE], ids=["ordinary", "phone"])
@pytest.mark.parametrize("name", TURNED)
def test_every_pixel_is_shown_in_its_place_at_full_size(opened, picture, name, screen):
    front, _ = opened(name, **screen)
    front.page.keyboard.press("1")
    until_covered(front)
    tiles = front.page.evaluate("() => tiles()")
    assert len(tiles) >= 4
    for tile in tiles:
        assert tile["alt"] == ""
        across, down = tile["pixels"]
        density = screen["device_scale_factor"]
        # Relative to the picture's own pixels; the height of the box is exact to one CSS pixel.
        assert tile["width"] * density == pytest.approx(across, abs=0.1)
        assert tile["height"] * density == pytest.approx(down, rel=0.003)
    picture(front, f"pyramid-{screen['viewport']['width']}-{TURNED[name]}")
    assert colours_are_right(front, LARGE, screen["device_scale_factor"]) >= 40


@pytest.mark.parametrize("name", TURNED)
def test_the_narrow_tiles_at_every_edge_are_in_place(opened, name):
    front, _ = opened(name)
    front.page.keyboard.press("1")
    for way in (-9_000, 9_000):
        for _ in range(2):
            front.page.mouse.move(640, 400)
            front.page.mouse.down()
            front.page.mouse.move(640 + way, 400 + way)
            front.page.mouse.up()
        until_covered(front)
        assert colours_are_right(front, LARGE, 1) >= 40


def test_panning_loads_the_tiles_that_come_into_view(opened):
    front, pieces = opened("as it is.jpg")
    front.page.keyboard.press("1")
    until_covered(front)
    before = len(pieces.ranges)
    # By mouse, and by two fingers on a touchpad.
    front.page.mouse.move(640, 400)
    front.page.mouse.down()
    front.page.mouse.move(200, 100, steps=10)
    front.page.mouse.up()
    until_covered(front)
    assert len(pieces.ranges) > before
    before = len(pieces.ranges)
    box = front.page.locator(f"{CURRENT} .frame-box")
    left = box.evaluate("(box) => box.getBoundingClientRect().left")
    front.page.mouse.wheel(900, 0)
    front.until("(left) => document.querySelector('.frame[data-place=current] .frame-box')"
                ".getBoundingClientRect().left < left - 800", left)
    until_covered(front)
    assert len(pieces.ranges) > before
    assert colours_are_right(front, LARGE, 1) >= 40


def test_every_zoom_level_has_a_pixel_per_screen_pixel(opened):
    front, _ = opened("vast.jpg")
    sizes = set()
    for _ in range(8):
        front.page.keyboard.press("+")
        scale = front.page.locator(f"{CURRENT} .frame-box").evaluate("(box) => box.getBoundingClientRect().width")
        if scale <= 2560:
            continue
        if scale > VAST[0]:
            break
        until_covered(front)
        assert colours_are_right(front, VAST, 1) >= 40
        sizes.add(round(max(tile["ratio"] for tile in front.page.evaluate("() => tiles()")), 2))
    assert len(sizes) >= 2 and max(sizes) < 2.02, sizes


@pytest.mark.parametrize("screen", [ORDINARY, PHONE], ids=["ordinary", "phone"])
def test_there_are_no_seams_between_the_tiles(opened, screen):
    front, _ = opened("white.jpg", **screen)
    front.page.keyboard.press("1")
    density = screen["device_scale_factor"]
    for step in range(4):
        until_covered(front)
        show_tiles_alone(front)
        shot = Image.open(io.BytesIO(front.page.screenshot())).convert("L")
        between = shot.crop((64 * density, 120 * density, shot.width - 64 * density, shot.height - 120 * density))
        assert between.getextrema()[0] > 232, between.getextrema()
        # Move on to where tiles end between the pixels of the screen.
        front.page.locator("#viewer-stage").dispatch_event("wheel", {
            "deltaY": 43, "clientX": 200 + 37 * step, "clientY": 300, "bubbles": True, "cancelable": True})


def test_zooming_decodes_nothing_large(opened):
    front, _ = opened("vast.jpg")
    front.page.evaluate("""() => {
        window.largest = [0, 0];
        new MutationObserver(() => {
            for (const image of document.querySelectorAll('.frame-box img')) {
                const at = image.className === 'frame-tile' ? 1 : 0;
                window.largest[at] = Math.max(window.largest[at], image.naturalWidth * image.naturalHeight);
            }
        }).observe(document.querySelector('#viewer-track'), { childList: true, subtree: true });
    }""")
    front.page.keyboard.press("1")
    until_covered(front)
    front.page.mouse.move(640, 400)
    for _ in range(6):
        front.page.mouse.wheel(500, 0)
        front.page.wait_for_timeout(50)
    until_covered(front)
    rendition, tile = front.page.evaluate("() => window.largest")
    assert 0 < tile <= 512 * 512
    assert rendition <= 2560 * 2560
    assert front.page.locator(".frame-original").count() == 0


def test_only_the_visible_part_of_the_file_is_fetched(opened):
    front, pieces = opened("vast.jpg")
    assert pieces.ranges == []
    front.page.keyboard.press("1")
    until_covered(front)
    front.page.wait_for_timeout(300)
    assert len(pieces.ranges) > 2
    # Nothing is loaded twice.
    assert len(set(pieces.ranges)) == len(pieces.ranges)
    assert 0 < pieces.bytes < 0.2 * pieces.size, (pieces.bytes, pieces.size)


def test_the_number_of_tiles_is_limited(opened):
    front, _ = opened("vast.jpg")
    front.page.evaluate("""() => {
        window.most = 0;
        new MutationObserver(() => {
            window.most = Math.max(window.most, document.querySelectorAll('.frame-tile').length);
        }).observe(document.querySelector('#viewer-track'), { childList: true, subtree: true });
    }""")
    front.page.keyboard.press("1")
    front.page.mouse.move(640, 400)
    # From the middle close to the sides and back. Past a side, a wheel that has rested turns to the next picture.
    for across, notches in (1, 3), (-1, 6), (1, 6), (-1, 6), (1, 6):
        for _ in range(notches):
            front.page.mouse.wheel(across * 1_100, 0)
            until_covered(front)
        front.page.mouse.down()
        front.page.mouse.move(640, 100 if across > 0 else 50)
        front.page.mouse.up()
        front.page.mouse.move(640, 400)
    assert 80 < front.page.evaluate("() => window.most") <= 96


def test_leaving_a_picture_aborts_its_requests_and_frees_its_tiles(opened):
    held = []
    holds = False

    def before(page):
        page.route(PYRAMIDS, lambda route: held.append(route) if holds else route.continue_())

    front, pieces = opened("as it is.jpg", before=before)
    front.page.keyboard.press("1")
    until_covered(front)
    # The tiles around the stage have arrived, too.
    front.until_noted(lambda: pieces.ended + pieces.aborted == len(pieces.ranges))
    tiles = front.page.locator(".frame-tile")
    addresses = tiles.evaluate_all("(tiles) => tiles.map((tile) => tile.src)")
    assert len(addresses) >= 4
    # The tiles own their bytes now; the object URLs are revoked.
    assert front.page.evaluate("""(addresses) => Promise.all(addresses.map((address) => new Promise((done) => {
        const image = new Image();
        image.onload = () => done(true);
        image.onerror = () => done(false);
        image.src = address;
    })))""", addresses) == [False] * len(addresses)
    holds = True
    front.page.mouse.move(640, 400)
    front.page.mouse.wheel(2_000, 0)
    front.until_noted(lambda: held)
    front.page.wait_for_timeout(300)
    assert 1 <= len(held) <= 4
    assert pieces.aborted == 0
    front.page.keyboard.press("PageDown")
    front.until("() => document.querySelectorAll('.frame-tile').length === 0")
    front.until_noted(lambda: pieces.aborted == len(held))
    # Coming back and zooming in shows them.
    holds = False
    front.page.keyboard.press("PageUp")
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    front.page.keyboard.press("1")
    until_covered(front)
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.page.locator(".frame-tile, .frame-level").count() == 0


@pytest.mark.parametrize("answer", [
    {"status": 404, "content_type": "application/problem+json", "json": {"title": "No such picture", "status": 404}},
    {"status": 413, "content_type": "application/problem+json", "json": {"title": "Too large", "status": 413}},
    {"status": 200, "body": b"TSRP, but all of it"},
    {"status": 206, "body": bytes(100), "headers": {"Content-Range": "bytes 0-99/100"}},
], ids=["not found", "too large", "no pieces", "no pyramid"])
def test_without_a_pyramid_the_original_is_shown(opened, answer):
    asked = []

    def before(page):
        page.route(PYRAMIDS, lambda route: (asked.append(route.request.url), route.fulfill(**answer)))

    front, _ = opened("as it is.jpg", before=before)
    front.page.keyboard.press("1")
    original = front.page.locator(f"{CURRENT} .frame-original")
    original.wait_for()
    assert original.evaluate("(image) => image.naturalWidth") == LARGE[0]
    assert len(asked) == 1
    assert front.page.locator(".frame-tile").count() == 0


@pytest.mark.parametrize(("damaged", "bears"), [(1, True), (100, False)], ids=["one", "many"])
def test_one_undecodable_tile_is_skipped_and_many_switch_to_the_original(opened, damaged, bears):
    spoilt = []

    def answer(route):
        response = route.fetch()
        body = response.body()
        if body[:4] != b"TSRP" and len(spoilt) < damaged:
            spoilt.append(route.request.url)
            # The first of the tiles that arrive together.
            body = bytes(64) + body[64:]
        route.fulfill(response=response, body=body)

    front, _ = opened("as it is.jpg", before=lambda page: page.route(PYRAMIDS, answer))
    front.page.keyboard.press("1")
    if bears:
        front.until("() => covered() > 0.6 && covered() < 1")
        assert len(spoilt) == 1
        assert front.page.locator(".frame-original").count() == 0
    else:
        front.page.locator(f"{CURRENT} .frame-original").wait_for()
        assert front.page.locator(".frame-tile").count() == 0


def test_a_503_with_retry_after_is_retried(opened):
    asked = []

    def answer(route):
        asked.append(route.request.url)
        if len(asked) > 2:
            return route.continue_()
        route.fulfill(status=503, content_type="application/problem+json", headers={"Retry-After": "0"},
                      json={"title": "Busy", "status": 503})

    front, _ = opened("as it is.jpg", before=lambda page: page.route(PYRAMIDS, answer))
    front.page.keyboard.press("1")
    until_covered(front)
    assert front.page.locator(".frame-original").count() == 0


def test_a_picture_edited_while_zoomed_in_is_updated(visit, start, tmp_path):
    def draw(red: int):
        image = Image.new("RGB", LARGE, (red, 100, 100))
        image.save(tmp_path / ".a.jpg", "JPEG", quality=80)
        (tmp_path / ".a.jpg").rename(tmp_path / "a.jpg")

    def red_is(low: int, high: int) -> bool:
        shot = Image.open(io.BytesIO(front.page.screenshot())).convert("RGB")
        return low < shot.getpixel((640, 400))[0] < high

    draw(30)
    front = visit(start("serve", tmp_path, examines=True),
                  before=lambda page: page.add_init_script(READINGS))
    front.page.set_default_timeout(60_000)
    front.until_settled()
    front.slot(0).click()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    front.until_still()
    front.page.keyboard.press("1")
    until_covered(front)
    assert red_is(20, 40)
    draw(220)
    front.until("() => document.querySelectorAll('.frame-tile').length === 0")
    until_covered(front)
    assert red_is(210, 230)
