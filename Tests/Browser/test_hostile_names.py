"""Names and titles by which somebody attacks whoever looks at the pictures (CVE-2024-28662)."""

import io
import urllib.parse

from PIL import Image

from server import PATIENCE

MARKUP = "<img src=x onerror=hacked=1>"
# Turns the direction of what follows, so that another ending seems to be there.
TURNED = "photo\u202egpj.exe"


def titled(seed: int, title: str) -> bytes:
    image, exif, file = Image.new("RGB", (64, 48), (seed * 37 % 256, 91, 13)), Image.Exif(), io.BytesIO()
    exif[0x010E] = title
    image.save(file, "JPEG", exif=exif)
    return file.getvalue()


def test_markup_in_names_and_titles_is_text_everywhere_on_the_page(visit, start, tmp_path):
    folder = tmp_path / MARKUP
    folder.mkdir()
    names = [f"{MARKUP}.jpg", f"\"'>{MARKUP}.jpg", f"{TURNED}.jpg"]
    for seed, name in enumerate(names):
        (folder / name).write_bytes(titled(seed, MARKUP + str(seed)))
    (tmp_path / "beside.jpg").write_bytes(titled(9, MARKUP))
    front = visit(start("serve", tmp_path, examines=True), f"?{urllib.parse.urlencode({'folder': MARKUP})}")

    def is_text() -> bool:
        return front.page.evaluate(
            "() => !('hacked' in window) && !document.querySelector('img[src=x], [onerror], slot script, .slot script')")

    front.until("() => document.querySelector('#position-total').textContent === '3'")
    front.until_settled()
    assert front.page.locator("#trail").inner_text().endswith(MARKUP) and is_text()
    front.slot(0).click()
    front.viewer.wait_for()
    front.page.locator("#viewer-details").click()
    details = front.page.get_by_role("complementary", name="Details")
    details.wait_for()
    seen = set()
    for _ in names:
        front.until("() => document.querySelector('#details').innerText.includes('onerror')")
        seen.add(front.page.locator("#viewer-name").inner_text())
        assert is_text()
        front.page.keyboard.press("ArrowRight")
    assert len(seen) == 3, seen
    front.page.keyboard.press("Escape")
    front.page.get_by_role("button", name="Folders", exact=True).click()
    front.page.get_by_role("button", name=MARKUP).first.wait_for(timeout=PATIENCE * 1000)
    assert is_text()
