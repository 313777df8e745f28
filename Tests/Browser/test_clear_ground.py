"""Pictures with transparency stand on a ground on which neither black nor white drawings vanish."""

import io

import pytest
from PIL import Image, ImageDraw

import originals

CURRENT = ".frame[data-place=current]"
SIZE = (480, 360)
INKS = {"black.png": "black", "white.png": "white"}


def drawing(ink: str) -> bytes:
    """A thick frame on clear ground."""
    image = Image.new("RGBA", SIZE)
    ImageDraw.Draw(image).rectangle((60, 60, SIZE[0] - 60, SIZE[1] - 60), outline=ink, width=60)
    return originals.encoded(image, "PNG")


@pytest.fixture(scope="module")
def gallery(start, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clear")
    for name, ink in INKS.items():
        (folder / name).write_bytes(drawing(ink))
    (folder / "opaque.jpg").write_bytes(originals.encoded(Image.new("RGB", SIZE, "black"), "JPEG"))
    return start("serve", folder)


def seen(locator) -> Image.Image:
    return Image.open(io.BytesIO(locator.screenshot())).convert("L")


def brightness(image: Image.Image, x: float, y: float) -> list[int]:
    """The darkest and the brightest of a tenth of the picture around a place, given as shares of its sides."""
    width, height = image.size
    box = [int(share) for share in ((x - 0.05) * width, (y - 0.05) * height, (x + 0.05) * width, (y + 0.05) * height)]
    return list(image.crop(box).getextrema())


def check(image: Image.Image, ink: str):
    """The middle is clear, and the left edge of the frame is drawn."""
    drawn, clear = brightness(image, 0.19, 0.5), brightness(image, 0.5, 0.5)
    assert drawn[1] - drawn[0] < 40, "the frame is of one colour"
    assert clear[1] - clear[0] > 20, "the ground has two tones"
    # One of the tones, or both, stand out.
    assert max(abs(tone - sum(drawn) / 2) for tone in clear) > (100 if ink == "black" else 35)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_drawings_on_clear_ground_are_visible_in_grid_and_viewer(visit, gallery, scheme, picture):
    front = visit(gallery, color_scheme=scheme)
    front.until_settled()
    front.until("() => document.getAnimations().length === 0")
    for name, ink in INKS.items():
        check(seen(front.page.locator(f'.slot[aria-label^="{name}"]')), ink)
    picture(front, f"clear-{scheme}-grid")
    for index, (name, ink) in enumerate(INKS.items()):
        front.page.locator(f'.slot[aria-label^="{name}"]').click()
        front.page.locator(f"{CURRENT}[data-phase=displayed] .frame-screen").wait_for()
        front.until("() => document.getAnimations().length === 0")
        check(seen(front.page.locator(f"{CURRENT} .frame-screen")), ink)
        picture(front, f"clear-{scheme}-viewer-{index}")
        front.page.keyboard.press("Escape")
        front.viewer.wait_for(state="hidden")


def test_an_opaque_picture_hides_the_ground_to_its_edges(visit, gallery):
    front = visit(gallery, color_scheme="dark")
    front.until_settled()
    front.page.locator('.slot[aria-label^="opaque.jpg"]').click()
    front.page.locator(f"{CURRENT}[data-phase=displayed] .frame-screen").wait_for()
    front.until("() => document.getAnimations().length === 0")
    assert seen(front.page.locator(f"{CURRENT} .frame-box")).getextrema()[1] < 30
