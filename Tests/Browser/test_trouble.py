"""Failures are reported honestly, and end when their cause ends."""

import io
import struct

import pytest
from PIL import Image

from front import FAILURE, by_requests, failing


def undecodable(seed: int) -> bytes:
    """A JPEG with a camera's thumbnail of which nothing else can be decoded, because its tables are missing."""
    picture = Image.effect_noise((640, 480), 20 + seed).convert("RGB")
    small, large = io.BytesIO(), io.BytesIO()
    picture.resize((160, 120)).save(small, "JPEG")
    thumbnail = small.getvalue()
    directory = struct.pack("<HHHLLHHLLHHLLL", 3, 0x103, 3, 1, 6, 0x201, 4, 1, 56, 0x202, 4, 1, len(thumbnail), 0)
    exif = b"Exif\0\0II*\0" + struct.pack("<LHL", 8, 0, 14) + directory + thumbnail
    picture.save(large, "JPEG", exif=exif)
    content = bytearray(large.getvalue())
    scan = content.rindex(b"\xff\xda")
    content[scan + 6] = 0x33
    return bytes(content)


def test_a_failed_slot_stays_failed_when_its_preview_arrives_later(visit, start, tmp_path):
    for seed in range(12):
        (tmp_path / f"{seed}.jpg").write_bytes(undecodable(seed))
    front = visit(start("serve", tmp_path), before=lambda page: page.add_init_script("""
        window.fallen = [];
        new MutationObserver((records) => records.forEach(({target, oldValue}) => {
            if (oldValue === 'failed') window.fallen.push(`${target.dataset.index} ${target.dataset.phase}`);
        })).observe(document, {subtree: true, attributeFilter: ['data-phase'], attributeOldValue: true});
    """))
    front.until_settled()
    # Now the server knows that they fail, and reports it at once.
    front.page.reload()
    front.until("() => document.querySelectorAll('.slot[data-phase=failed]').length === 12")
    # Late results arrive within a few frames of the last ones.
    front.page.evaluate("""async () => {
        for (let frame = 0; frame < 20; frame += 1) await new Promise(requestAnimationFrame);
    }""")
    assert front.page.evaluate("() => window.fallen") == []


def test_a_failed_slot_shows_the_reason_and_can_be_retried(visit, demo):
    front = visit(demo, before=failing)
    front.until_settled()
    slot = front.slot(3)
    assert FAILURE["detail"] in slot.inner_text()
    assert FAILURE["detail"] in slot.get_attribute("aria-label")
    front.page.unroute("**/images/*/tile?*")
    slot.get_by_role("button", name="Try again").click()
    slot.locator("img").wait_for()
    assert "Cannot be shown" not in slot.get_attribute("aria-label")
    assert not front.viewer.is_visible()


def test_a_failed_slot_opens_in_the_viewer_and_retries_afterwards(visit, demo):
    """A picture whose tile failed can be opened large; then the slot retries, too."""
    front = visit(demo, before=failing)
    front.until_settled()
    slot = front.slot(0)
    assert slot.get_attribute("data-phase") == "failed"
    slot.focus()
    front.page.keyboard.press("Enter")
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.page.unroute("**/images/*/tile?*")
    with front.page.expect_request(lambda request: request.url.endswith("/tokens") and request.post_data_json["retry"]
                                   ) as order:
        front.page.keyboard.press("Escape")
    assert [line["slot"] for line in order.value.post_data_json["slots"]] == [0]
    front.viewer.wait_for(state="hidden")
    slot.locator("img").wait_for()


def test_an_origin_failure_is_shown_in_its_slot(visit, broken):
    front = visit(broken)
    front.page.locator(".slot[data-phase=failed]").first.wait_for()
    assert front.page.locator(".slot-problem-reason").first.inner_text()


def test_a_slot_shows_that_it_waits_for_its_origin_and_then_why_it_failed(visit, start):
    server = start("demo", "--count", 4, "--latency", 1, "--fail", 0, "--hang", 1, "--origin-first-byte-timeout", 8)
    front = visit(server)
    slot = front.slot(1)
    slot.get_by_text("Waiting for remote server").wait_for(timeout=30_000)
    front.until("() => (({ ariaLabel, dataset }) => ariaLabel.endsWith('Waiting for remote server') && "
                "dataset.phase === 'waiting')(document.querySelector('.slot[data-index=\"1\"]'))")
    slot.get_by_text("took too long").wait_for(timeout=30_000)
    assert slot.get_by_text("Waiting for remote server").count() == 0
    assert "Waiting" not in slot.get_attribute("aria-label")


def test_undecodable_bytes_fail_the_slot(visit, demo):
    def before(page):
        by_requests(page)
        page.route("**/images/*/tile?*", lambda route: route.fulfill(
            content_type="image/jpeg", body="this is no picture"))

    front = visit(demo, before=before)
    front.until_settled()
    assert front.slot(0).get_attribute("data-phase") == "failed"


def test_a_lost_server_is_reported_and_found_again(visit, start, tmp_path):
    options = ("demo", "--count", 500, "--latency", 1, "--fail", 0, "--hang", 0)
    server = start(*options, data=tmp_path)
    front = visit(server)
    front.until_settled()
    server.stop()
    front.go_to(400)
    banner = front.page.get_by_role("alert")
    banner.wait_for()
    assert "not responding" in banner.inner_text()
    with front.page.expect_request("**/healthz"):
        front.page.get_by_role("button", name="Try now").click()
    start(*options, data=tmp_path, port=server.port)
    banner.wait_for(state="hidden")
    front.slot(399).locator("img").wait_for()


def test_the_viewer_reports_a_lost_server_and_continues_when_it_is_back(visit, start):
    """A restarted demo has the same pictures, but nothing cached from the previous run."""
    options = ("demo", "--count", 500, "--latency", 1, "--fail", 0, "--hang", 0)
    server = start(*options)
    front = visit(server)
    front.until_settled()
    front.slot(3).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    front.until_still()
    server.stop()
    for _ in range(6):
        front.page.keyboard.press("ArrowRight")
    banner = front.viewer.get_by_role("alert")
    banner.wait_for()
    assert "not responding" in banner.inner_text()
    # Nothing covers it: a click reaches its button.
    front.page.get_by_role("button", name="Try now").click()
    start(*options, port=server.port)
    # The page retries at least every fifteen seconds.
    banner.wait_for(state="hidden", timeout=60_000)
    assert front.page.locator("#viewer-count").inner_text() == "10 of 500"
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for(timeout=60_000)
    for _ in range(30):
        front.page.keyboard.press("ArrowRight")
    front.until("() => document.querySelector('#viewer-count').textContent === '40 of 500'")
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    assert front.page.locator(".frame[data-place=current] .frame-problem").is_hidden()
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")


def test_an_empty_gallery_says_so(browser, start, tmp_path, picture):
    folder = tmp_path / "empty"
    folder.mkdir()
    server = start("serve", folder)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(server.address)
    page.get_by_role("heading", name="No pictures yet").wait_for()
    assert page.locator("#position").is_hidden()
    page.close()


def test_catalog_changes_are_followed_without_a_jump(visit, demo):
    """The second page of the catalog has a new revision and more images."""
    grown = []

    def grow(route):
        answer = route.fetch().json()
        answer["revision"] += 1_000
        answer["total"] += 60
        grown.append(route.request.url)
        route.fulfill(json=answer)

    front = visit(demo, before=by_requests)
    front.go_to(3_000)
    front.slot(2_999).locator("img").wait_for()
    top = front.slot(2_999).evaluate("(slot) => slot.getBoundingClientRect().top")
    front.page.route("**/api/v1/images?*", grow)
    # When idle, the page polls every twenty seconds.
    front.page.wait_for_function("() => document.querySelector('#position-total').textContent === '10,060'",
                                 timeout=60_000)
    assert front.slot(2_999).evaluate("(slot) => slot.getBoundingClientRect().top") == top
    assert front.slot(2_999).locator("img").count() == 1
    front.until("() => performance.getEntriesByType('resource').some((entry) => entry.name.includes('offset=2900'))")


@pytest.mark.parametrize("place", ["#image=nothing", "#at=999999999", "#at=-3", "#at=x", "#nonsense"])
def test_an_invalid_address_opens_the_gallery(visit, demo, place):
    front = visit(demo, place)
    front.until_settled()
    assert 1 <= front.position <= 10_000
    assert not front.viewer.is_visible()
