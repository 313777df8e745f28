"""On a fast link the previews of cameras' pictures are the thumbnails in their files, upright."""

import io
import struct
import urllib.request

import pytest
from PIL import Image

# The link's rate is told by the page, which cannot measure it reliably on a busy machine.
ON_LINK_OF = """performance.getEntriesByType = (type) =>
    type === 'resource' ? [{ transferSize: %d, responseStart: 0, responseEnd: 1000 }] : [];"""

# The size of each preview that arrives, and the colour near its upper left corner, as the browser turns it.
SEEN = """
    window.seen = [];
    const note = ({ target }) => {
        const { naturalWidth: width, naturalHeight: height } = target;
        const paper = new OffscreenCanvas(width, height).getContext('2d');
        paper.drawImage(target, 0, 0);
        const [red, green] = paper.getImageData(4, 4, 1, 1).data;
        seen.push({ width, height, isRed: red > 200 && green < 60 });
    };
    window.Worker = class extends Worker {
        constructor(...words) {
            super(...words);
            this.addEventListener('message', ({ data }) => {
                for (const { url } of data.filter(({ type }) => type === 'preview')) {
                    Object.assign(new Image(), { onload: note, src: url });
                }
            });
        }
    };
"""


def thumbnails_sent(server) -> str:
    with urllib.request.urlopen(server.address + "/metrics", timeout=30) as answer:
        [line] = [line for line in answer.read().decode().splitlines() if line.startswith("tessera_loading_thumbnails")]
    return line.split()[-1]


def camera_picture(orientation: int) -> bytes:
    """A blue picture, whose yellow thumbnail is red at the left upper corner once it is upright."""
    thumbnail = Image.new("RGB", (160, 120), "yellow")
    corner = {1: (0, 0), 3: (120, 90), 6: (0, 90), 8: (120, 0)}[orientation]
    thumbnail.paste("red", (*corner, corner[0] + 40, corner[1] + 30))
    small, file = io.BytesIO(), io.BytesIO()
    thumbnail.save(small, "JPEG", quality=95)
    content = small.getvalue()
    entry = struct.Struct(">HHII")
    exif = b"MM\0*" + struct.pack(">IH", 8, 1) + struct.pack(">HHIHHI", 0x0112, 3, 1, orientation, 0, 26)
    exif += struct.pack(">H", 2) + entry.pack(0x0201, 4, 1, 56) + entry.pack(0x0202, 4, 1, len(content)) + bytes(4)
    Image.new("RGB", (1600, 1200), "blue").save(file, "JPEG", exif=b"Exif\0\0" + exif + content)
    return file.getvalue()


@pytest.mark.parametrize("rate, orientation, size", [
    (10_000_000, 1, (160, 120)), (10_000_000, 3, (160, 120)), (10_000_000, 6, (120, 160)), (10_000_000, 8, (120, 160)),
    # Over a slow link, the preview is made from the thumbnail, with fewer pixels.
    (200_000, 6, (48, 64))])
def test_the_preview_is_the_upright_thumbnail_on_a_fast_link(visit, start, tmp_path, rate, orientation, size):
    (tmp_path / "one.jpg").write_bytes(camera_picture(orientation))
    server = start("serve", tmp_path)

    def prepare(page):
        page.add_init_script(ON_LINK_OF % rate)
        page.add_init_script(SEEN)

    front = visit(server, before=prepare)
    front.until("() => seen.length === 1")
    assert front.page.evaluate("() => seen") == [{"width": size[0], "height": size[1], "isRed": True}]
    assert thumbnails_sent(server) == ("1" if rate > 2_000_000 else "0")
