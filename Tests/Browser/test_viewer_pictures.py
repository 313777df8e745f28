"""How the viewer handles unusual pictures, and which details it shows of normal ones."""

import re

import pytest
from PIL import Image

import originals

CURRENT = ".frame[data-place=current]"

PICTURES = {
    "animated.avif": originals.moving("AVIF"), "animated.gif": originals.moving("GIF"),
    "animated.png": originals.moving("PNG"), "animated.webp": originals.moving("WEBP"),
    "damaged.png": originals.damaged_png(), "none.jpg": b"this is no picture",
    "small.png": originals.encoded(originals.drawing(100, 80), "PNG"),
    "Trips/Paris & more/photograph.jpg": originals.photograph(), "Trips/other.jpg": originals.photograph(900, 600),
}
NAMES = [name.rpartition("/")[2] for name in PICTURES]


def filled(folder):
    for name, content in PICTURES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def folder(start, tmp_path_factory):
    return start("serve", filled(tmp_path_factory.mktemp("pictures")), examines=True)


@pytest.fixture(scope="module")
def unknown(start, tmp_path_factory):
    """The same pictures, but nothing is known about them before they are requested."""
    return start("serve", filled(tmp_path_factory.mktemp("unknown")))


def opened(front, name: str):
    front.until_settled()
    # Once metadata is known, the viewer shows a title or a date first, and the file's name is the tooltip.
    front.slot(front.page.evaluate("""async (name) => {
        const { images } = await (await fetch('/api/v1/images' + location.search)).json();
        return images.find((image) => image.name === name).index;
    }""", name)).click()
    front.until("(name) => document.querySelector('#viewer-name').title === name", name)
    front.page.locator(f"{CURRENT}:is([data-phase=displayed], [data-phase=failed])").wait_for()
    front.until_still()
    return front


@pytest.mark.parametrize("known", ["folder", "unknown"])
@pytest.mark.parametrize("kind", ["avif", "gif", "png", "webp"])
def test_an_animated_picture_plays_in_the_viewer(visit, request, known, kind):
    front = opened(visit(request.getfixturevalue(known)), f"animated.{kind}")
    original = front.page.locator(f"{CURRENT} .frame-original")
    original.wait_for()
    assert original.evaluate("(image) => [image.naturalWidth, image.naturalHeight]") == [320, 240]
    assert front.page.locator(f"{CURRENT} .frame-problem").is_hidden()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()


def without_metadata(page):
    """The page lists the pictures before the server has indexed them."""

    def strip(route):
        answer = route.fetch()
        listing = answer.json()
        for image in listing["images"]:
            for member in ("width", "height", "type", "frames"):
                image.pop(member, None)
        route.fulfill(response=answer, json=listing)

    page.route(re.compile(r"/api/v1/images\?"), strip)


@pytest.mark.parametrize("name", ["animated.avif", "small.png", "photograph.jpg"])
def test_a_picture_listed_before_its_metadata_was_known_opens(visit, folder, name):
    front = opened(visit(folder, before=without_metadata), name)
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()


def test_the_original_of_a_still_picture_is_not_fetched_needlessly(visit, folder):
    front = opened(visit(folder), "photograph.jpg")
    front.page.keyboard.press("i")
    front.page.get_by_text("Canon").wait_for()
    assert front.page.locator(".frame-original").count() == 0


def test_with_reduced_motion_an_animated_picture_plays_on_request(visit, folder):
    front = opened(visit(folder, reduced_motion="reduce"), "animated.webp")
    play = front.page.get_by_role("button", name="Play")
    play.wait_for()
    assert front.page.locator(f"{CURRENT} .frame-original").count() == 0
    play.click()
    front.page.locator(f"{CURRENT} .frame-original").wait_for()
    assert play.is_hidden()


def test_a_small_picture_is_never_enlarged_whether_indexed_or_not(visit, folder, unknown):
    for server in (folder, unknown):
        front = opened(visit(server), "small.png")
        box = front.page.locator(f"{CURRENT} .frame-box")
        assert box.evaluate("(box) => [box.offsetWidth, box.offsetHeight]") == [100, 80]


def test_a_broken_picture_opens_with_its_reason_and_details(visit, folder):
    front = opened(visit(folder), "none.jpg")
    notice = front.page.locator(f"{CURRENT} .frame-problem")
    assert "This is not a picture: it is a text file." in notice.inner_text()
    front.page.keyboard.press("i")
    details = front.page.get_by_role("complementary", name="Details")
    details.get_by_text("This is not a picture: it is a text file.").wait_for()
    details.get_by_text("18 bytes").wait_for()
    # A file that is no picture can't be downloaded.
    assert notice.get_by_role("link").count() == 0
    # Nor would another attempt make it one.
    assert notice.get_by_role("button").count() == 0
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    assert front.focused == NAMES.index("none.jpg")


def test_a_damaged_picture_is_shown_in_part(visit, folder):
    front = opened(visit(folder), "damaged.png")
    front.page.locator(f"{CURRENT}[data-part]").wait_for()
    shown = front.page.locator(f"{CURRENT} .frame-box img").first.bounding_box()
    notice = front.page.locator(f"{CURRENT} .frame-problem")
    assert "damaged" in notice.inner_text()
    with front.page.expect_download() as download:
        notice.get_by_role("link", name="Download file").click()
    assert download.value.suggested_filename == "damaged.png"
    # The reason is shown at the bottom, so that the middle stays free.
    assert notice.bounding_box()["y"] > 400 and shown["width"] > 500


def test_screen_reader_labels_have_a_single_full_stop_between_sentences(visit, folder):
    front = visit(folder)
    front.until_settled()
    label = front.page.locator('.slot[aria-label^="none.jpg"]').get_attribute("aria-label")
    reason = "Cannot be shown: This is not a picture: it is a text file."
    assert label == f"none.jpg, picture {NAMES.index('none.jpg') + 1}. {reason}"


def test_the_details_are_formatted_for_people(visit, folder):
    front = opened(visit(folder), "photograph.jpg")
    front.page.keyboard.press("i")
    details = front.page.get_by_role("complementary", name="Details")
    details.get_by_text("1/160 s · f/7.1 · ISO 100 · 5.9 mm", exact=True).wait_for()
    details.get_by_text("Canon EOS 40D", exact=True).wait_for()
    details.get_by_text("1,500 × 1,000, 1.5 megapixels").wait_for()


def test_a_place_links_to_a_map_that_is_not_contacted_in_advance(visit, folder):
    asked = []
    front = visit(folder, before=lambda page: page.on("request", lambda request: asked.append(request.url)))
    opened(front, "photograph.jpg")
    front.page.keyboard.press("i")
    link = front.page.get_by_role("link", name="48.8583° N, 2.2944° E")
    link.wait_for()
    link.hover()
    assert link.get_attribute("href").startswith("https://www.openstreetmap.org/")
    assert set(link.get_attribute("rel").split()) == {"noopener", "noreferrer"}
    assert link.get_attribute("target") == "_blank"
    assert all(url.startswith((folder.address, "blob:", "data:")) for url in asked)


def test_the_folder_trail_opens_the_folder_and_back_returns_to_the_picture(visit, folder):
    front = opened(visit(folder), "photograph.jpg")
    front.page.keyboard.press("i")
    trail = front.page.locator(".details-trail")
    trail.get_by_role("link").nth(1).wait_for()
    assert trail.get_by_role("link").all_inner_texts() == ["Trips", "Paris & more"]
    href = trail.get_by_role("link", name="Paris & more").get_attribute("href")
    trail.get_by_role("link", name="Trips").click()
    front.viewer.wait_for(state="hidden")
    front.until("() => document.querySelector('#position-total').textContent === '2'")
    assert front.page.url.endswith("/?folder=Trips")
    front.page.go_back()
    front.viewer.wait_for()
    assert front.page.locator("#viewer-name").get_attribute("title") == "photograph.jpg"
    # A link like any other, which also opens in another tab.
    front.page.goto(folder.address + href)
    front.until("() => document.querySelector('#position-total').textContent === '1'")


def test_the_histogram_is_computed_off_the_main_thread(visit, folder):
    front = opened(visit(folder), "photograph.jpg")
    front.page.evaluate("""() => {
        window.long = [];
        new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration)))
            .observe({ type: 'longtask' });
        window.pixelsRead = 0;
        const read = CanvasRenderingContext2D.prototype.getImageData;
        CanvasRenderingContext2D.prototype.getImageData = function (...how) {
            window.pixelsRead += 1;
            return read.apply(this, how);
        };
    }""")
    front.page.keyboard.press("i")
    chart = front.page.get_by_role("img", name="Histogram:")
    chart.wait_for()
    first = chart.locator("path").first.get_attribute("d")
    assert first.count("L") > 60
    assert front.page.evaluate("() => window.pixelsRead") == 0
    front.page.keyboard.press("ArrowLeft")
    front.until("(first) => document.querySelector('.level-red').getAttribute('d') !== first", first)


COLOUR = """() => {
    const picture = document.querySelector('.frame[data-place=current] .frame-screen');
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const context = canvas.getContext('2d');
    if (picture) context.drawImage(picture, 0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}"""


def test_a_picture_edited_while_it_is_viewed_is_updated(visit, start, tmp_path):
    def draw(name: str, colour: tuple[int, int, int]):
        Image.new("RGB", (1200, 800), colour).save(tmp_path / f".{name}", "JPEG")
        (tmp_path / f".{name}").rename(tmp_path / name)

    draw("a.jpg", (200, 20, 20))
    draw("b.jpg", (20, 200, 20))
    front = visit(start("serve", tmp_path))
    front.until_settled()
    front.slot(0).click()
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    red, green, _ = front.page.evaluate(COLOUR)
    assert red > 150 > green
    draw("a.jpg", (20, 20, 200))
    front.until(f"() => {{ const [red, , blue] = ({COLOUR})(); return blue > 150 && red < 100; }}")
    front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-name').textContent === 'b.jpg'")
    front.page.locator(f"{CURRENT}[data-phase=displayed]").wait_for()
    assert front.page.evaluate(COLOUR)[1] > 150
