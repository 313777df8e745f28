"""What has been displayed is available without a server, and no page mixes two versions."""

import pytest

from stored_renditions import ALL_IS_KEPT
from conftest import PHONE
from server import build_front

OPTIONS = ("demo", "--count", 100, "--latency", 1, "--fail", 0, "--hang", 0)
FEW = {"viewport": {"width": 620, "height": 420}, "service_workers": "allow"}


@pytest.fixture
def kept(visit, start, tmp_path):
    """A page whose gallery is stored, and its server, which can be stopped."""
    server = start(*OPTIONS, data=tmp_path)
    front = visit(server, **FEW)
    front.page.set_default_timeout(40_000)
    front.until_settled()
    until_kept(front)
    # What arrives by the stream is stored once the stream has been quiet for a moment.
    front.until_told(ALL_IS_KEPT)
    return front, server


def until_kept(front):
    front.until_told("""async () => {
        if (!navigator.serviceWorker.controller) return false;
        const path = new URL('.', location.href).pathname.replace(/^\\/$/, '');
        const copies = await (await caches.open(`tessera-catalog-1${path}`)).keys();
        const shell = await (await caches.open(`tessera-shell-1${path}`)).match('./', { ignoreVary: true });
        return shell && copies.some(({ url }) => url.includes('/api/v1/images?'));
    }""")


def test_responses_in_flight_when_the_worker_takes_over_are_stored_too(visit, start, tmp_path):
    server = start(*OPTIONS, data=tmp_path)

    def late(route):
        route.request.frame.page.wait_for_function("() => navigator.serviceWorker.controller")
        route.continue_()

    front = visit(server, before=lambda page: page.route("**/api/v1/images?*", late), **FEW)
    until_kept(front)


def test_without_its_server_the_gallery_opens_with_seen_pictures(kept):
    front, server = kept
    server.stop()
    front.visit()
    front.until_settled()
    front.with_readings()
    read = front.page.evaluate("""() => readings.read({
        legs: [{ speed: 0, time: 50, stop: 1 }], enough: 1, time: 2_000, untilWrong: false })""")
    assert read["wrong"] == [] and read["readings"] > 0
    banner = front.page.locator("#banner")
    banner.wait_for()
    assert "not responding" in banner.inner_text()
    # An alert's text is announced whenever it changes: the time of the next attempt is not part of it.
    front.page.evaluate("""() => {
        window.announced = [];
        const note = () => window.announced.push(document.querySelector('#banner-text').textContent);
        new MutationObserver(note).observe(document.querySelector('#banner-text'), { childList: true, subtree: true });
    }""")
    for time in ("in 2 seconds", "in 4 seconds"):
        banner.get_by_text(time).wait_for()
    assert banner.get_by_text("in 4 seconds").get_attribute("aria-hidden") == "true"
    assert front.page.evaluate("() => window.announced") == []


def test_offline_the_scripts_that_load_on_first_use_are_there_too(kept):
    front, server = kept
    server.stop()
    front.visit()
    front.page.get_by_role("button", name="Dates", exact=True).click()
    front.page.get_by_role("dialog", name="Dates").get_by_text("The dates cannot be loaded at the moment.").wait_for()


def test_the_page_reports_being_offline_and_continues_when_online(kept):
    front, server = kept
    front.page.context.set_offline(True)
    front.visit()
    front.until_settled()
    front.page.locator("#banner").get_by_text("You are offline").wait_for()
    front.page.context.set_offline(False)
    front.page.locator("#banner").wait_for(state="hidden")
    front.go_to(100)
    front.slot(99).locator("img").wait_for()


def test_offline_an_unseen_picture_waits_instead_of_failing(kept):
    front, server = kept
    server.stop()
    front.visit()
    front.until_settled()
    front.page.locator("#banner").wait_for()
    front.go_to(100)
    slot = front.slot(99)
    slot.wait_for()
    front.until("() => document.querySelector('.slot[data-index=\"99\"]').dataset.phase === 'waiting'")
    assert slot.locator("img").count() == 0


def test_the_worker_stores_no_tokens_streams_or_pictures(kept):
    front, _ = kept
    kept_addresses = front.page.evaluate("""async () => {
        const names = await caches.keys();
        const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        return all.flat().map(({ url }) => url);
    }""")
    assert len(kept_addresses) > 2
    for address in kept_addresses:
        assert "token" not in address and "/stream?" not in address and "/tile" not in address, address


def test_a_new_version_takes_over_when_the_page_is_reloaded_and_is_stored_as_a_whole(visit, start, tmp_path, public):
    built = build_front(public, tmp_path / "front")
    server = start(*OPTIONS, data=tmp_path / "data", public=built)
    front = visit(server, **FEW)
    front.page.set_default_timeout(40_000)
    front.until_settled()
    until_kept(front)
    before = front.page.locator("script[type=module]").get_attribute("src")
    script = public / "gallery.js"
    script.write_text(script.read_text() + "document.documentElement.dataset.version = 'next';\n")
    build_front(public, built)
    # The server looks once a second.
    front.until_told("async (before) => !(await (await fetch('./', { cache: 'no-cache' })).text()).includes(before)",
                     before)
    front.page.reload()
    front.until("() => document.documentElement.dataset.version === 'next'")
    after = front.page.locator("script[type=module]").get_attribute("src")
    assert after != before
    front.until_told("""async (after) => {
        const path = new URL('.', location.href).pathname.replace(/^\\/$/, '');
        const shell = await caches.open(`tessera-shell-1${path}`);
        const page = await shell.match('./', { ignoreVary: true });
        return (await page.text()).includes(after) && !!(await shell.match(after, { ignoreVary: true }));
    }""", after)
    server.stop()
    front.visit()
    front.until("() => document.documentElement.dataset.version === 'next'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_screenshots_of_being_offline(visit, start, tmp_path, picture, size, scheme):
    server = start(*OPTIONS, data=tmp_path)
    front = visit(server, service_workers="allow", color_scheme=scheme, **(PHONE if size == "phone" else {}))
    front.until_settled()
    until_kept(front)
    front.until_told(ALL_IS_KEPT)
    front.page.context.set_offline(True)
    front.visit()
    front.until_settled()
    front.page.locator("#banner").wait_for()
    picture(front, f"offline-{size}-{scheme}")
