"""Whether pictures look like the originals: each picture of a few folders as the program renders it at 640 pixels, beside
Chromium's own decoding of the file. Both are shrunk to 24 by 24 pixels, over grey; what differs is listed."""

import collections
import json
import mimetypes
import os
import pathlib
import shutil
import tempfile
import urllib.parse

from fling.visit import browser
from peers import Tessera

SIDE = 24
# The mean over all pixels and channels, of 255: what compression and scaling alone stay below.
DIFFERENCE = 8
# The aspect ratios may differ by this factor; sizes in whole pixels only approximate them.
SHAPE = 1.03
SECONDS = 60
TYPES = {".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif", ".jxl": "image/jxl", ".webp": "image/webp",
         ".tif": "image/tiff", ".tiff": "image/tiff", ".svg": "image/svg+xml", ".apng": "image/apng"}
# Anything else in a folder is taken for no picture.
SUFFIXES = {*TYPES, ".avifs", ".bmp", ".dng", ".gif", ".hif", ".ico", ".jfif", ".jpe", ".jpeg", ".jpg", ".jp2", ".png",
            ".psd", ".svgz", ".tga", ".cr2", ".nef", ".arw"}

LOOK = """async ({ url, side, seconds }) => {
    const image = new Image();
    image.src = url;
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error('late')), 1000 * seconds));
    try { await Promise.race([image.decode(), late]); } catch { return null; }
    const canvas = new OffscreenCanvas(side, side);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.fillStyle = '#808080';
    context.fillRect(0, 0, side, side);
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, side, side);
    return { width: image.naturalWidth, height: image.naturalHeight,
             pixels: [...context.getImageData(0, 0, side, side).data].filter((_, at) => at % 4 !== 3) };
}"""


def pictures(folders: list[pathlib.Path]) -> list[pathlib.Path]:
    return [path for folder in folders for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix.lower() in SUFFIXES and path.stat().st_size > 0]


def judged(ours: dict | None, theirs: dict | None, why: str) -> tuple[str, str] | None:
    """The kind of difference and its measure; None if both look the same, or neither is shown."""
    if ours is None or theirs is None:
        if ours is None and theirs is None:
            return None
        return ("not shown by us", why) if ours is None else ("shown by us only", "")
    ratios = [look["width"] / look["height"] if look["height"] else 1 for look in (ours, theirs)]
    if max(ratios) > SHAPE * min(ratios):
        # A side of a few pixels cannot be rounded any better.
        sizes = f"{ours['width']} x {ours['height']}, not {theirs['width']} x {theirs['height']}"
        if min(ours["width"], ours["height"]) > 8:
            return "other shape", sizes
    difference = sum(abs(one - other) for one, other in zip(ours["pixels"], theirs["pixels"])) / len(ours["pixels"])
    return ("other colours", f"{difference:.0f} of 255") if difference > DIFFERENCE else None


def run(report, options):
    folders = [pathlib.Path(name) for name in options.folders or []]
    files = pictures(folders)
    if not files:
        raise RuntimeError("name folders with pictures: --folders A,B")
    with tempfile.TemporaryDirectory() as name, browser() as chromium:
        gallery = pathlib.Path(name) / "pictures"
        gallery.mkdir()
        pathlib.Path(name).chmod(0o755)
        # Files of the same name from several folders.
        numbered = {f"{number:06}{path.suffix.lower()}": path for number, path in enumerate(files)}
        for copy, path in numbered.items():
            shutil.copyfile(path, gallery / copy)
        context = chromium.new_context(service_workers="block")
        page = context.new_page()
        with Tessera(gallery) as ours:
            page.goto(f"http://127.0.0.1:{ours.port}/healthz")
            page.route("**/theirs/*", lambda route: route.fulfill(
                path=gallery / (own := urllib.parse.urlsplit(route.request.url).path.rpartition("/")[2]),
                content_type=TYPES.get(pathlib.Path(own).suffix) or mimetypes.guess_type(own)[0] or "image/x-unknown"))
            ids = {image["name"]: image["id"] for image in images(ours)}

            def look(url: str):
                return page.evaluate(LOOK, {"url": url, "side": SIDE, "seconds": SECONDS})

            rows = []
            for copy, path in numbered.items():
                theirs = look(f"http://127.0.0.1:{ours.port}/theirs/{copy}")
                why, mine = "its kind is not listed", None
                if copy in ids:
                    target = f"/images/{ids[copy]}/640"
                    try:
                        response, content = ours.request("GET", target, Accept="image/webp")
                        why = "" if response.status == 200 else f"{response.status} {told(content)}"
                    except TimeoutError:
                        why = "no answer in time"
                    if not why:
                        mine = look(f"http://127.0.0.1:{ours.port}{target}")
                found = judged(mine, theirs, why)
                if found:
                    rows.append((*found, path))
        context.close()
    table(rows)
    kinds = collections.Counter(kind for kind, *_ in rows)
    for kind in ("not shown by us", "other shape", "other colours", "shown by us only"):
        expected = kind == "shown by us only"
        report.add("fidelity", kind, "files", kinds[kind], target="" if expected else "0 unexplained",
                   files=len(files), rows=[[str(part) for part in row] for row in rows if row[0] == kind])


def images(ours: Tessera) -> list[dict]:
    """All images of the catalog, once its scan has ended."""
    seen: list[dict] = []
    while True:
        total = ours.json("/api/v1/images?limit=1")["total"]
        if total and total == len(seen):
            return seen
        seen = ours.images(total)


def told(content: bytes) -> str:
    try:
        return str(json.loads(content).get("detail") or json.loads(content).get("title"))
    except ValueError:
        return content[:80].decode(errors="replace")


def table(rows: list[tuple[str, str, pathlib.Path]]):
    for kind, measure, path in sorted(rows, key=lambda row: (row[0], row[2].suffix.lower(), str(row[2]))):
        print(f"{kind:<17} {path.suffix.lower():<6} {os.fspath(path):<70} {measure}")
