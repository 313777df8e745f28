"""Originals of shares without the place, or without any metadata."""

import io
import random
import re

import pytest
from PIL import Image, ImageChops
from PIL.PngImagePlugin import PngInfo

import pictures
from accounts import Person, set_up
from gallery import LOOPBACK, wait_until

# In each place where a program could write it.
SECRET = "Grove Street 12"
XMP = (f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
       f'<rdf:Description rdf:about="" xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/" '
       f'Iptc4xmpCore:Location="{SECRET}"/></rdf:RDF></x:xmpmeta>').encode()
PLACE = 0x8825


def exif(orientation: int = 6) -> Image.Exif:
    """With a camera, an orientation, a place, and a maker's note."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0112] = "Camera Works", orientation
    exif.get_ifd(0x8769).update({0x829A: 0.004, 0x927C: SECRET.encode()})
    exif.get_ifd(PLACE).update({1: "N", 2: (48.0, 6.0, 0.0), 3: "E", 4: (11.0, 30.0, 0.0), 0x1B: SECRET.encode()})
    return exif


def images() -> dict[str, bytes]:
    texts = PngInfo()
    texts.add_text("Location", SECRET)
    texts.add_itxt("XML:com.adobe.xmp", XMP.decode())
    frames = [pictures.drawing(64, 48, seed) for seed in range(3)]

    def moving(format: str, **options) -> bytes:
        file = io.BytesIO()
        frames[0].save(file, format, save_all=True, append_images=frames[1:], duration=100, **options)
        return file.getvalue()

    return {
        "a.jpg": pictures.encoded("JPEG", exif=exif(), xmp=XMP, comment=SECRET.encode()) + SECRET.encode(),
        "upright.jpg": pictures.encoded("JPEG", exif=exif(1), xmp=XMP, quality=60),
        "progressive.jpg": pictures.encoded("JPEG", exif=exif(), xmp=XMP, progressive=True),
        "a.png": pictures.encoded("PNG", exif=exif(), pnginfo=texts),
        "moving.png": moving("PNG", exif=exif(), pnginfo=texts),
        "a.webp": pictures.encoded("WEBP", exif=exif(), xmp=XMP),
        "moving.webp": moving("WEBP", exif=exif(), xmp=XMP),
        "a.avif": pictures.encoded("AVIF", exif=exif(), xmp=XMP, speed=10),
        "moving.gif": moving("GIF", comment=SECRET.encode()),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    for name, content in images().items():
        (folder / name).write_bytes(content)
    (folder / "scan.tif").write_bytes(pictures.encoded("TIFF"))
    return folder


@pytest.fixture
def owner(serve, folder):
    owner = set_up(serve(folder, "--accounts", TESSERA_NO_EXAMINE=""))
    wait_until(lambda: owner.get("/api/v1/status").json.get("examined", {}).get("done") == 10, "the metadata")
    return owner


def share(owner: Person, *contents: str) -> str:
    made = owner.post("/api/v1/shares", {"name": "all", "view": "", "contents": list(contents)})
    assert made.status == 201, made.body
    return "/" + made.json["link"].rstrip("/")


def frames_of(content: bytes) -> list[Image.Image]:
    with Image.open(io.BytesIO(content)) as image:
        frames = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append(image.convert("RGBA"))
        return frames


def assert_redacted(original: bytes, redacted: bytes, name: str, has_camera: bool):
    assert len(redacted) == len(original) and redacted != original, name
    assert SECRET.encode() not in redacted and b"Iptc4xmp" not in redacted, name
    before, after = frames_of(original), frames_of(redacted)
    assert len(before) == len(after) and not any(
        ImageChops.difference(*pair).getbbox() for pair in zip(before, after)), name
    with Image.open(io.BytesIO(redacted)) as image:
        left = image.getexif()
        assert not left.get_ifd(PLACE), name
        if name.endswith(".gif"):
            return
        assert (left.get(0x010F) == "Camera Works") == has_camera, name
        # An AVIF is turned by a property of its own.
        assert left.get(0x0112) == (1 if "upright" in name else 6) or name.endswith(".avif"), name


@pytest.mark.parametrize("contents, has_camera", [(["originals"], False), (["metadata", "originals"], True)])
def test_originals_lose_hidden_metadata_but_keep_every_pixel(owner, folder, contents, has_camera):
    at, visitor = share(owner, *contents), Person(owner.gallery)
    listed = {image["name"]: image for image in visitor.get(f"{at}/api/v1/images").json["images"]}
    assert len(listed) == 10
    for name in images():
        link = listed[name]["links"]["original"]
        answer = visitor.get(link)
        assert answer.status == 200, (name, answer.body)
        assert_redacted((folder / name).read_bytes(), answer.body, name, has_camera)
        # Nobody's token changes anything, and visitors get none.
        order = {"first": listed[name]["index"], "count": 1, "rendition": "original"}
        assert visitor.post(f"{at}/api/v1/tokens", order).is_problem(403)
        token = owner.post("/api/v1/tokens", order).json["tokens"][0]["token"]
        assert visitor.get(f"{at}/images/{listed[name]['id']}/original?token={token}").body == answer.body
    # TIFF is not among the formats whose metadata can be removed.
    assert "original" not in listed["scan.tif"]["links"]
    refused = visitor.get(listed["scan.tif"]["links"]["tile"].replace("/tile", "/original"))
    assert refused.is_problem(403) and "cannot be downloaded" in refused.json["title"]
    # Whoever may see everything gets the file.
    whole, name = share(owner, "metadata", "place", "originals"), "a.jpg"
    assert visitor.get(f"{whole}/images/{listed[name]['id']}/original").body == (folder / name).read_bytes()
    assert owner.get(f"/images/{listed[name]['id']}/original").body == (folder / name).read_bytes()


def test_small_pictures_sent_as_they_are_lose_their_metadata(owner, folder):
    at, visitor = share(owner), Person(owner.gallery)
    listed = {image["name"]: image for image in visitor.get(f"{at}/api/v1/images").json["images"]}
    unchanged = 0
    for name in images():
        for rendition in ("preview", "tile", "640", "screen", "full"):
            for accept in ("image/jpeg", "image/webp", "image/avif"):
                tile = visitor.get(f"{at}/images/{listed[name]['id']}/{rendition}", Accept=accept)
                assert tile.status == 200 and SECRET.encode() not in tile.body, (name, rendition)
                unchanged += len(tile.body) == len((folder / name).read_bytes())
                with Image.open(io.BytesIO(tile.body)) as image:
                    assert not image.getexif().get_ifd(PLACE), (name, rendition)
    # The upright one is small enough to be sent in place of its renditions.
    assert unchanged > 0


def test_ranges_and_conditions_are_those_of_the_redacted_file(owner, folder):
    at, visitor = share(owner, "originals"), Person(owner.gallery)
    link = next(image["links"]["original"] for image in visitor.get(f"{at}/api/v1/images").json["images"]
                if image["name"] == "a.jpg")
    whole = visitor.get(link)
    length, tag = len(whole.body), whole.headers["ETag"]
    chance = random.Random(1)
    for _ in range(40):
        first = chance.randrange(length)
        last = chance.randrange(first, length)
        part = visitor.get(link, Range=f"bytes={first}-{last}", **{"If-Range": tag})
        assert part.status == 206 and part.body == whole.body[first:last + 1]
    assert visitor.get(link, **{"If-None-Match": tag}).status == 304
    head = visitor.ask("HEAD", link)
    assert head.status == 200 and int(head.headers["Content-Length"]) == length and head.headers["ETag"] == tag
    # Ranges of the original and of both redactions are never combined.
    tags = {tag}
    for contents in (["metadata", "originals"], ["metadata", "place", "originals"]):
        other = visitor.get(re.sub(r"^/s/[^/]+", share(owner, *contents), link))
        assert other.status == 200
        tags.add(other.headers["ETag"])
    assert len(tags) == 3


def test_without_the_right_to_originals_none_is_listed(owner):
    guest, visitor = owner.invite("guest", "gus"), Person(owner.gallery)
    for images_ in (guest.get("/api/v1/images"), visitor.get(f"{share(owner, 'metadata')}/api/v1/images")):
        assert all("original" not in image["links"] and "tile" in image["links"] for image in images_.json["images"])
        assert len(images_.json["images"]) == 10


def test_an_original_that_is_still_arriving_is_sent_once_complete(serve, tmp_path, origin):
    origin.picture = pictures.encoded("JPEG", exif=exif(), xmp=XMP, quality=100, width=1600, height=1200)
    (tmp_path / "urls.txt").write_text(origin.url("trickle") + "\n")
    owner = set_up(serve(tmp_path / "urls.txt", "--accounts", *LOOPBACK))
    wait_until(lambda: owner.get("/api/v1/images").json["total"] == 1, "the picture")
    id = owner.get("/api/v1/images").json["images"][0]["id"]
    at, visitor = share(owner, "originals"), Person(owner.gallery)
    connection = owner.gallery.connection()
    connection.request("GET", f"{at}/images/{id}/original")
    # The owner's request joins the same fetch, and gets what there is.
    origin.wait_until_begun(1)
    streamed = owner.gallery.connection()
    streamed.request("GET", f"/images/{id}/original", headers={"Cookie": "; ".join(f"{name}={value}" for name, value in owner.cookies.items())})
    early = streamed.getresponse()
    assert early.status == 200 and len(early.read(1000)) == 1000
    origin.gate.set()
    answer = connection.getresponse()
    redacted = answer.read()
    assert answer.status == 200, redacted
    assert_redacted(origin.picture, redacted, "a.jpg", False)
    assert len(early.read()) == len(origin.picture) - 1000 and origin.times_asked("trickle") == 1
    assert visitor.get(f"{at}/images/{id}/original").body == redacted
