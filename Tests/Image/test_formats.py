"""Every format that a gallery shows, decoded and encoded by the image's own libraries."""

import base64
import io
import pathlib
import time

import pytest
from PIL import Image, ImageChops, ImageStat

import pictures
from gallery import Gallery

SAMPLES = pathlib.Path(__file__).resolve().parent / "samples"
ENCODINGS = ["koi8-r", "koi8-u", "windows-1251", "iso-8859-5", "gb18030", "shift_jis", "euc-jp", "big5", "euc-kr"]


def drawn(gallery: Gallery, name: str, accept: str = "image/jpeg") -> Image.Image:
    answer = gallery.tile(gallery.images(1)[name], accept=accept)
    assert answer.status == 200, (name, answer.body)
    assert answer.type == accept, name
    return Image.open(io.BytesIO(answer.body)).convert("RGB")


def difference(one: Image.Image, other: Image.Image) -> float:
    """Of 255, the mean over all pixels and bands."""
    assert abs(one.width / one.height - other.width / other.height) < 0.05
    return sum(ImageStat.Stat(ImageChops.difference(one, other.resize(one.size))).mean) / 3


def text_drawing(text: str, encoding: str = "utf-8", family: str = "sans-serif") -> bytes:
    return (
        f'<?xml version="1.0" encoding="{encoding}"?><svg xmlns="http://www.w3.org/2000/svg" width="320" height="80">'
        f'<rect width="320" height="80" fill="#fff"/><text x="8" y="56" font-size="40" font-family="{family}">{text}</text>'
        "</svg>").encode(encoding)


def fill(folder: pathlib.Path, files: dict[str, bytes]):
    for name, content in files.items():
        (folder / name).write_bytes(content)


def test_every_format_is_shown(folder, serve):
    shapes = pictures.every_format(96, 72, seed=1)
    fill(folder, shapes)
    fill(folder, {file.name: file.read_bytes() for file in SAMPLES.iterdir()})
    gallery = serve(folder)
    images = gallery.images(len(shapes) + 2)
    assert len(images) == len(shapes) + 2 == 13
    for name in images:
        shown = drawn(gallery, name)
        if name != "blurred.svg":
            assert difference(shown, pictures.drawing(96, 72, seed=1)) < 8, name


@pytest.mark.parametrize("accept", ["image/avif", "image/webp", "image/jpeg"])
def test_tiles_are_written_in_every_format(folder, serve, accept):
    fill(folder, {"a.png": pictures.encoded("PNG", seed=2)})
    assert difference(drawn(serve(folder), "a.png", accept), pictures.drawing(seed=2)) < 8


def test_texts_in_drawings_are_drawn_in_several_scripts(folder, serve):
    texts = {
        "latin": "Mosaïque", "greek": "ψηφίδα", "cyrillic": "мозаика", "armenian": "խճանկար", "georgian": "მოზაიკა",
        "hebrew": "פסיפס", "arabic": "فسيفساء"}
    fill(folder, {f"{script}.svg": text_drawing(text) for script, text in texts.items()})
    # What no font has, drawn as boxes with their numbers.
    fill(folder, {"none.svg": text_drawing("\U000f0123" * 6)})
    gallery = serve(folder)
    gallery.images(len(texts) + 1)
    white = Image.new("RGB", (320, 80), "white")
    boxes = drawn(gallery, "none.svg")
    seen = []
    for script in texts:
        shown = drawn(gallery, f"{script}.svg")
        assert difference(shown, white) > 3, f"{script}: nothing is drawn"
        assert all(difference(shown, other) > 1 for other in [boxes, *seen]), script
        seen.append(shown)


def test_texts_in_drawings_may_be_in_any_of_many_encodings(folder, serve):
    words = {"shift_jis": "ｱｲｳ abc", "euc-jp": "あいう", "big5": "馬賽克", "gb18030": "马赛克", "euc-kr": "모자이크"}
    for encoding in ENCODINGS:
        word = words.get(encoding, "мозаика")
        fill(folder, {f"{encoding}.svg": text_drawing(word, encoding), f"{encoding}-8.svg": text_drawing(word)})
    gallery = serve(folder)
    gallery.images(2 * len(ENCODINGS))
    for encoding in ENCODINGS:
        assert difference(drawn(gallery, f"{encoding}.svg"), drawn(gallery, f"{encoding}-8.svg")) == 0, encoding


@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "WEBP"])
def test_pictures_inside_drawings_are_drawn(folder, serve, format):
    inside = base64.b64encode(pictures.encoded(format, seed=3, width=64, height=48)).decode()
    fill(folder, {
        "a.svg": f'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><image width="64" height="48" '
                 f'href="data:image/{format.lower()};base64,{inside}"/></svg>'.encode()})
    assert difference(drawn(serve(folder), "a.svg"), pictures.drawing(64, 48, seed=3)) < 8


def test_fonts_of_a_volume_are_used(folder, serve):
    font = pathlib.Path("/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf")
    if not font.exists():
        pytest.skip("the machine has no font of symbols to lend (fonts-symbola)")
    fill(folder, {"a.svg": text_drawing("🌈🌊🌸")})
    without = drawn(serve(folder), "a.svg")
    assert difference(drawn(serve(folder, mounts=[f"{font.parent}:/usr/local/share/fonts:ro"]), "a.svg"), without) > 3


def test_what_is_no_picture_is_named(folder, serve):
    fill(folder, {"a.jpg": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"})
    gallery = serve(folder)
    answer = gallery.tile(gallery.images(1)["a.jpg"])
    assert answer.is_problem(415, 422)
    assert "PDF" in answer.json["detail"]


def test_a_gallery_is_ready_soon(folder, serve):
    begun = time.monotonic()
    gallery = serve(folder)
    assert gallery.get("/readyz").status == 200
    # The engine's own start is in it, and whatever else the machine does.
    assert time.monotonic() - begun < 20
