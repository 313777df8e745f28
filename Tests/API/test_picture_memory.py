"""The memory and time that decoding takes: bloating pictures are rejected, large ones rendered within limits."""

import pytest

import hostile
import pictures
from workers import ResourceWatch, is_well

# The memory that a worker may use, plus its code and libraries.
BOUND = (512 + 96) << 20
BLOATING = {"svg-in.svg": hostile.svg_in_svg, "png-in.svg": hostile.png_in_svg}
# With the dimensions of their tiles, and the seconds of processor time that these may take.
LARGE = {
    "exif.png": (lambda: hostile.png_with_exif(40), (320, 240), 10),
    "texts.png": (hostile.png_with_texts, (320, 240), 10),
    "wide.jpg": (hostile.wide_jpeg, (320, 224), 20), "wide.png": (hostile.wide_png, (320, 320), 20)}


@pytest.mark.parametrize("name", BLOATING)
def test_a_bloating_picture_is_refused_within_the_memory_limit(serve, tmp_path, name):
    folder = pictures.write(tmp_path / "pictures", good__jpg=pictures.encoded(), bad__svg=BLOATING[name]())
    gallery = serve(folder, TESSERA_RENDER_DEADLINE="20")
    images = gallery.images(2)
    with ResourceWatch(gallery) as watch:
        answer = gallery.tile(images["bad.svg"], timeout=60)
        assert gallery.tile(images["good.jpg"]).status == 200
    assert answer.is_problem(422) and "memory" in answer.json["detail"], answer.body
    assert len(watch.peaks) >= 2, "no worker was seen"
    assert watch.peak <= BOUND, f"{watch.peak >> 20} MiB"
    assert is_well(gallery)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", LARGE)
def test_a_large_picture_is_rendered_within_the_memory_and_time_limits(serve, tmp_path, name):
    make, size, patience = LARGE[name]
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / name).write_bytes(make())
    gallery = serve(folder)
    (image,) = gallery.images(1).values()
    with ResourceWatch(gallery) as watch:
        answer = gallery.tile(image, timeout=40)
    assert answer.status == 200, answer.body
    assert watch.seconds < patience
    assert pictures.is_whole(answer.body) and pictures.size(answer.body) == size
    assert len(watch.peaks) >= 2, "no worker was seen"
    assert watch.peak <= BOUND, f"{watch.peak >> 20} MiB"
