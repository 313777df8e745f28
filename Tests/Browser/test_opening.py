"""How the page loads: bundled, in few requests; and as plain modules, during development."""

import re

import pytest

from folder import Folder


def test_a_reload_requests_only_the_page_before_the_catalog(visit, demo):
    front = visit(demo)
    asked = []
    front.page.on("request", lambda request: asked.append(request))
    front.page.reload()
    front.slots.first.wait_for()
    # Requests of the previous page are sometimes reported late.
    asked = asked[next(at for at, request in enumerate(asked) if request.is_navigation_request()):]
    catalog = next(at for at, request in enumerate(asked) if "/api/v1/images?" in request.url)
    # Content-addressed files come from the browser's cache, and the previous page's pictures are blobs.
    over_the_link = [request.url for request in asked[:catalog]
                     if request.response() and not request.response().request.timing["responseStart"] <= 0
                     and "/assets/" not in request.url and not request.url.startswith(("data:", "blob:"))]
    assert len(over_the_link) <= 2, over_the_link
    kept = front.page.evaluate("""() => performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/assets/') && !name.endsWith('/later.js'))
        .map(({ name, transferSize }) => [name, transferSize])""")
    assert len(kept) >= 1 and all(size == 0 for _, size in kept), kept


@pytest.mark.parametrize("place, path", [
    ("", "/api/v1/images?offset=0&limit=100"), ("#at=3250", "/api/v1/images?offset=3200&limit=100"),
    ("?sort=name", "/api/v1/images?offset=0&limit=100&sort=name"), ("#image=none", None)])
def test_the_catalog_is_requested_once_and_before_the_script_arrives(visit, demo, place, path):
    asked, held = [], []

    def let_go():
        while held and (path is None or path in asked):
            held.pop().continue_()

    def hold(route):
        held.append(route)
        let_go()

    def note(request):
        asked.append(request.url.removeprefix(demo.address))
        let_go()

    # Without the catalog's request, the script would never be let through and no slot would appear.
    front = visit(demo, place, before=lambda page: (
        page.on("request", note), page.route("**/assets/**/gallery.js", hold)))
    front.slots.first.wait_for()
    if path:
        assert asked.count(path) == 1
        # A second request is sent if the order was still being built.
        assert place == "?sort=name" or sum("/api/v1/shape?" in url and "first=" not in url for url in asked) == 1


def sizes(front, isLater: bool) -> dict[str, int]:
    """The compressed bytes of the page and of its scripts, or of those that are loaded later."""
    return front.page.evaluate("""(isLater) => {
        const lazy = JSON.parse(document.querySelector('#lazy-scripts').textContent);
        // A worker that was fetched ahead is listed twice.
        const own = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')
            && !name.endsWith('/print.css') && lazy.some((path) => new URL(path, document.baseURI).href === name) === isLater);
        const page = isLater ? [] : performance.getEntriesByType('navigation');
        return Object.fromEntries([...page, ...own].map(({ name, encodedBodySize }) => [name, encodedBodySize]));
    }""", isLater)


def test_the_page_with_its_scripts_and_styles_is_at_most_64_kilobytes(visit, demo):
    front = visit(demo)
    found = sizes(front, isLater=False)
    assert len(found) >= 3 and all(found.values())
    assert sum(found.values()) <= 64_000, found


def test_the_viewer_is_loaded_once_pictures_are_displayed(visit, demo):
    note = """new MutationObserver(() => {
        if (document.querySelector('.slot[data-phase="displayed"]')) globalThis.displayedAt ??= performance.now();
    }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-phase'] })"""
    front = visit(demo, before=lambda page: page.add_init_script(note))
    front.until_noted(lambda: sizes(front, isLater=True))
    assert sum(sizes(front, isLater=True).values()) <= 26_000
    displayed, asked = front.page.evaluate("""() => [globalThis.displayedAt, performance.getEntriesByType('resource')
        .find(({ name }) => name.endsWith('/later.js')).startTime]""")
    assert 0 < displayed < asked


@pytest.mark.parametrize("is_lost_at_first", [False, True])
def test_a_picture_can_be_opened_before_the_viewer_is_loaded(visit, demo, is_lost_at_first):
    asked = []
    lost = [True] if is_lost_at_first else []

    def hold(route):
        asked.append(route)
        if lost:
            route.abort()
        elif is_lost_at_first or len(asked) > 1:
            route.continue_()

    front = visit(demo, before=lambda page: page.route("**/assets/**/later.js", hold))
    front.until_settled()
    front.until_noted(lambda: asked)
    front.slot(3).click()
    if is_lost_at_first:
        front.page.locator("#message", has_text="cannot be loaded").wait_for()
        lost.clear()
        front.slot(3).click()
    else:
        asked[0].continue_()
    front.page.locator(".frame[data-place='current'][data-phase='displayed']").wait_for()
    assert front.page.locator("#viewer-count").inner_text() == "4 of 10,000"


def test_a_double_click_for_whose_first_half_the_viewer_is_loaded_leaves_it_open(visit, demo):
    held = []
    front = visit(demo, before=lambda page: page.route(
        "**/assets/**/later.js", lambda route: route.continue_() if held else held.append(route)))
    front.until_settled()
    front.until_noted(lambda: held)
    current = front.page.locator(".frame[data-place=current][data-phase=displayed]")

    def load():
        held[0].continue_()
        current.wait_for()

    # The first slot is where the viewer shows only its backdrop.
    box = front.slot(0).bounding_box()
    front.double_click(box["x"] + 8, box["y"] + 60, between=load)
    # Longer than a click waits for a possible second one.
    front.page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 600))")
    assert current.is_visible()


def test_the_picture_that_was_chosen_opens_though_the_order_changes_before_the_viewer_is_loaded(visit, start, tmp_path):
    folder = Folder(start, tmp_path, [f"b{number}.jpg" for number in range(12)])
    held = []
    front = visit(folder.server, before=lambda page: page.route(
        "**/assets/**/later.js", lambda route: route.continue_() if len(held) > 1 else held.append(route)))
    front.until_settled()
    front.until_noted(lambda: held)
    front.slot(3).click()
    folder.put(*(f"a{number}.jpg" for number in range(5)))
    front.until("() => document.querySelector('#position-total').textContent === '17'")
    front.until("() => document.querySelector('.slot[data-index=\"8\"]')?.ariaLabel.startsWith('b3.jpg')")
    held.append(None)
    held[0].continue_()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    assert front.page.locator("#viewer-name").get_attribute("title") == "b3.jpg"
    assert front.page.locator("#viewer-count").inner_text() == "9 of 17"


def test_the_plain_modules_run_as_they_are(visit, plain):
    front = visit(plain)
    front.slots.first.wait_for()
    scripts = front.page.evaluate("() => performance.getEntriesByType('resource').map(({ name }) => name)")
    assert sum(bool(re.search(r"/grid/.*js$", name)) for name in scripts) > 5
    assert not any("/assets/" in name for name in scripts)


def test_an_edited_file_is_served_after_a_reload(visit, start, tmp_path, public):
    server = start("demo", "--count", 4, "--latency", 1, "--fail", 0, "--hang", 0, data=tmp_path / "data", public=public)
    front = visit(server)
    sheet = public / "styles" / "page.css"
    sheet.write_text(sheet.read_text() + "#header { height: 77px }")
    # The server looks once a second.
    front.until_told("async () => (await (await fetch('/styles/page.css', { cache: 'no-cache' })).text()).includes('77px')")
    front.page.reload()
    front.until("() => document.querySelector('#header').getBoundingClientRect().height === 77")
