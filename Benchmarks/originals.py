"""Makes the pictures for the benchmarks; only once, because they are stored in a temporary folder."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile

import tagged

STORE = pathlib.Path(os.environ.get("TESSERA_BENCHMARK_PICTURES", tempfile.gettempdir())) / "tessera-benchmarks"


def vips(*words):
    subprocess.run(["vips", *map(str, words)], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def made(name: str, make) -> pathlib.Path:
    """The folder `name`, filled by `make(folder)` if it does not exist yet; always complete."""
    folder = STORE / name
    if not folder.exists():
        STORE.mkdir(parents=True, exist_ok=True)
        part = pathlib.Path(tempfile.mkdtemp(dir=STORE))
        try:
            make(part)
            part.chmod(0o755)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return folder


def _scene(folder: pathlib.Path, number: int, width: int, height: int) -> pathlib.Path:
    """Clouds of several sizes, texture and sensor noise: what a camera's JPEG has to encode."""
    def at(name: str) -> pathlib.Path:
        return folder / f"{number}-{name}.v"

    for band in range(3):
        vips("perlin", at("large"), width // 8, height // 8, "--cell-size", 200, "--seed", number * 10 + band)
        vips("resize", at("large"), at("clouds"), 8, "--kernel", "linear")
        # Detail that is still visible in a tile, and detail that is not.
        vips("gaussnoise", at("coarse"), width // 16, height // 16, "--mean", 0, "--sigma", 26, "--seed", number + 50)
        vips("resize", at("coarse"), at("things"), 4, "--kernel", "cubic")
        vips("gaussnoise", at("fine"), width // 4, height // 4, "--mean", 0, "--sigma", 20, "--seed", number)
        vips("add", at("things"), at("fine"), at("grain"))
        vips("resize", at("grain"), at("texture"), 4, "--kernel", "cubic")
        vips("gaussnoise", at("noise"), width, height, "--mean", 128, "--sigma", 4.5, "--seed", number * 10 + band)
        vips("linear", at("clouds"), at("shades"), 90, 0)
        vips("add", at("shades"), at("texture"), at("sum"))
        vips("add", at("sum"), at("noise"), at("float"))
        vips("cast", at("float"), at(f"band{band}"), "uchar")
    scene = folder / f"scene-{number}.v"
    vips("bandjoin", " ".join(str(at(f"band{band}")) for band in range(3)), at("joined"))
    vips("copy", at("joined"), scene, "--interpretation", "srgb")
    for file in folder.glob(f"{number}-*.v"):
        file.unlink()
    return scene


def camera_pictures(count: int = 60) -> pathlib.Path:
    """A folder of JPEGs of 12 to 24 megapixels, 3 to 8 MB each."""
    def make(folder: pathlib.Path):
        chance = random.Random(7)
        with tempfile.TemporaryDirectory(dir=STORE) as scenes_folder:
            scenes = [_scene(pathlib.Path(scenes_folder), number, 6048, 4032) for number in range(3)]
            for number in range(count):
                width = chance.choice([4032, 4608, 5184, 6000])
                height = width * 3 // 4 if width < 5184 else width * 2 // 3
                left, top = chance.randint(0, 6048 - width), chance.randint(0, 4032 - height)
                vips("crop", scenes[number % 3], folder / f"IMG_{number:04}.jpg[Q=90]", left, top, width, height)
    return made(f"camera-v2-{count}", make)


def one_original(megabytes: float = 5) -> pathlib.Path:
    """One JPEG of exactly this many megabytes (10^6 bytes): a picture with zeros appended."""
    def make(folder: pathlib.Path):
        vips("gaussnoise", folder / "noise.v", 2400, 1800, "--mean", 128, "--sigma", 60)
        vips("cast", folder / "noise.v", folder / "original.jpg[Q=92]", "uchar")
        (folder / "noise.v").unlink()
        content = (folder / "original.jpg").read_bytes()
        size = int(megabytes * 1e6)
        if len(content) > size:
            raise ValueError(f"the picture has {len(content)} bytes")
        (folder / "original.jpg").write_bytes(content + bytes(size - len(content)))
    return made(f"original-{megabytes}", make) / "original.jpg"


def twelve_megapixels() -> pathlib.Path:
    """One JPEG like a camera's, 4032 by 3024 pixels."""
    def make(folder: pathlib.Path):
        vips("copy", _scene(folder, 0, 4032, 3024), folder / "camera.jpg[Q=90]")
        (folder / "scene-0.v").unlink()
    return made("twelve-megapixels", make) / "camera.jpg"


def names_of(picture: pathlib.Path, count: int) -> pathlib.Path:
    """A folder in which one picture has this many names, at most about 60,000."""
    def make(folder: pathlib.Path):
        first = folder / "IMG_00000.jpg"
        first.write_bytes(picture.read_bytes())
        for number in range(1, count):
            (folder / f"IMG_{number:05}.jpg").hardlink_to(first)
    return made(f"names-{count}-{picture.stem}", make)


def pictures_of_many_entropies() -> pathlib.Path:
    """Pictures whose tiles have various sizes, from a few to many kilobytes."""
    def make(folder: pathlib.Path):
        for sigma in (round(1.5 * 1.16**step, 1) for step in range(26)):
            vips("gaussnoise", folder / "noise.v", 320, 240, "--mean", 128, "--sigma", sigma)
            vips("cast", folder / "noise.v", folder / f"noise-{sigma:04}.png", "uchar")
        (folder / "noise.v").unlink()
    return made("entropies-v2", make)


def small_pictures(count: int) -> pathlib.Path:
    """Many small files that differ only in a comment."""
    def make(folder: pathlib.Path):
        vips("gaussnoise", folder / "noise.v", 800, 600, "--mean", 128, "--sigma", 20)
        vips("cast", folder / "noise.v", folder / "one.jpg[Q=80]", "uchar")
        content = (folder / "one.jpg").read_bytes()
        (folder / "noise.v").unlink()
        (folder / "one.jpg").unlink()
        for number in range(count):
            comment = f"picture {number}".encode()
            segment = b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment
            (folder / f"IMG_{number:05}.jpg").write_bytes(content[:2] + segment + content[2:])
    return made(f"small-{count}", make)


def _thumbnail(picture: pathlib.Path) -> bytes:
    """The thumbnail of 160 pixels that a camera puts into EXIF."""
    with tempfile.TemporaryDirectory() as place:
        vips("thumbnail", picture, f"{place}/small.jpg[strip,Q=60]", 160)
        return pathlib.Path(place, "small.jpg").read_bytes()


def _taken(number: int) -> str:
    return f"20{10 + number % 12}:{1 + number % 12:02}:{1 + number % 28:02} 10:11:12"


def shots(count: int) -> pathlib.Path:
    """JPEGs with all metadata of cameras and with thumbnails, a thousand per folder. They look alike."""
    def make(folder: pathlib.Path):
        chance = random.Random(11)
        with tempfile.TemporaryDirectory() as place:
            vips("gaussnoise", f"{place}/noise.v", 640, 480, "--mean", 128, "--sigma", 20)
            one = pathlib.Path(place, "one.jpg")
            vips("cast", f"{place}/noise.v", f"{one}[strip,Q=60]", "uchar")
            picture, thumbnail = one.read_bytes(), _thumbnail(one)
        for number in range(count):
            if number % 1000 == 0:
                (inside := folder / f"{number // 1000:03}").mkdir()
            make_name, model = chance.choice(tagged.CAMERAS)
            (inside / f"DSC{number:06}.jpg").write_bytes(tagged.with_facts(
                picture, make=make_name, model=model, taken=_taken(number),
                place=(chance.uniform(-60, 70), chance.uniform(-180, 180)), title=f"Picture {number}",
                keywords=tuple(chance.sample(tagged.WORDS, 3)), thumbnail=thumbnail))
    return made(f"shots-{count}", make)


def camera_pictures_with_thumbnails(count: int) -> pathlib.Path:
    """The JPEGs of `camera_pictures`, repeated, each with its own metadata and thumbnail."""
    def make(folder: pathlib.Path):
        pictures = sorted(camera_pictures().iterdir())
        thumbnails = [_thumbnail(picture) for picture in pictures]
        make_name, model = tagged.CAMERAS[0]
        for number in range(count):
            which = number % len(pictures)
            (folder / f"IMG_{number:04}.jpg").write_bytes(tagged.with_facts(
                pictures[which].read_bytes(), make=make_name, model=model, taken=_taken(number),
                thumbnail=thumbnails[which]))
    return made(f"camera-with-thumbnails-{count}", make)
