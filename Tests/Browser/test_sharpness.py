"""Every picture on screen has at least one pixel per pixel of the screen, unless its file has fewer."""

import io
import random
import time

import pytest
from PIL import Image

from front import by_requests

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 3}
LARGE = {"viewport": {"width": 1920, "height": 1080}, "device_scale_factor": 2}
ORDINARY = {"viewport": {"width": 1440, "height": 900}, "device_scale_factor": 1}

# Image pixels per pixel of the screen; an element's picture either covers it or has its size.
READINGS = """window.readings = (selector) => [...document.querySelectorAll(selector)].map((image) => {
    const box = image.getBoundingClientRect();
    const across = image.naturalWidth / box.width, down = image.naturalHeight / box.height;
    return {index: Number(image.closest('[data-index]')?.dataset.index ?? -1), width: image.naturalWidth,
            side: Math.max(image.naturalWidth, image.naturalHeight), at: box.top,
            ratio: Math.min(across, down) / devicePixelRatio};
})"""
IN_GRID = ".slot[data-phase=displayed]:not([hidden]) .slot-picture:not([aria-hidden])"
IN_VIEWER = ".frame[data-place=current] .frame-box img:last-of-type"

# Landscape, portrait, wide, square, and one with few pixels.
SIZES = [(3600, 2400), (2400, 3600), (4000, 2250), (2000, 2000), (300, 200)]


def photograph(width: int, height: int, seed: int, **options) -> bytes:
    chance = random.Random(seed)
    image = Image.new("RGB", (8, 8))
    image.putdata([tuple(chance.randrange(256) for _ in range(3)) for _ in range(64)])
    file = io.BytesIO()
    image.resize((width, height), Image.Resampling.BICUBIC).save(file, **{"format": "JPEG", "quality": 85, **options})
    return file.getvalue()


@pytest.fixture(scope="module")
def album(start, tmp_path_factory):
    folder = tmp_path_factory.mktemp("album")
    for number in range(15):
        (folder / f"{number:02}.jpg").write_bytes(photograph(*SIZES[number % len(SIZES)], number))
    # Browsers can't decode it.
    (folder / "15.tif").write_bytes(photograph(3600, 2400, 15, format="TIFF"))
    server = start("serve", folder, examines=True)
    # Pictures of unknown aspect ratio are assumed to have that of most cameras.
    while True:
        examined = server.status["examined"]
        if examined["done"] == examined["total"] == 16:
            return server
        time.sleep(0.05)


def is_sharp(reading: dict) -> bool:
    width, height = SIZES[reading["index"] % len(SIZES)] if reading["index"] < 15 else (3600, 2400)
    # The pixels of the file, up to layout rounding.
    return reading["ratio"] > 0.995 or reading["side"] == max(width, height)


@pytest.mark.parametrize("screen", [PHONE, LARGE, ORDINARY], ids=["phone", "4K", "ordinary"])
@pytest.mark.parametrize("before", [lambda page: None, by_requests], ids=["by the stream", "by requests"])
def test_every_picture_in_the_grid_is_sharp(visit, album, picture, screen, before):
    front = visit(album, before=lambda page: (before(page), page.add_init_script(READINGS)), **screen)
    # Sixteen large pictures must be decoded first.
    front.page.set_default_timeout(60_000)
    front.until_settled()
    front.until("(selector) => readings(selector).filter(({at}) => at >= 0 && at < innerHeight)"
                ".every(({ratio, side}) => ratio > 0.995 || side === 300)", IN_GRID)
    readings = [one for one in front.page.evaluate("(selector) => readings(selector)", IN_GRID)
                if 0 <= one["at"] < screen["viewport"]["height"]]
    assert len(readings) >= 12
    assert all(map(is_sharp, readings)), readings
    picture(front, f"sharp-grid-{screen['viewport']['width']}")


@pytest.mark.parametrize("screen", [PHONE, LARGE, ORDINARY], ids=["phone", "4K", "ordinary"])
@pytest.mark.parametrize("index", [0, 1, 15], ids=["across", "upright", "no browser decodes it"])
def test_the_picture_in_the_viewer_is_sharp_even_when_enlarged(visit, album, picture, screen, index):
    front = visit(album, before=lambda page: page.add_init_script(READINGS), **screen)
    front.page.set_default_timeout(60_000)
    front.until_settled()
    front.slot(index).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.until("(selector) => readings(selector).some(({ratio, side}) => ratio > 0.995 || side === 3600)", IN_VIEWER)
    picture(front, f"sharp-viewer-{screen['viewport']['width']}-{index}")
    stage = front.page.locator("#viewer-stage")
    stage.dispatch_event("wheel", {"deltaY": -1_000, "bubbles": True, "cancelable": True})
    front.page.locator(".frame[data-place=current].is-zoomed").wait_for()
    front.until("() => Math.max(...[...document.querySelectorAll('.frame[data-place=current] img')]"
                ".map((image) => Math.max(image.naturalWidth, image.naturalHeight))) === 3600")
