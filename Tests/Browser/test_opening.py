"""How the page comes: put together, in few requests; and as it was written, where somebody wants that."""

import re

import pytest


def test_a_reload_asks_for_the_page_and_then_for_the_catalog(visit, demo):
    front = visit(demo)
    asked = []
    front.page.on("request", lambda request: asked.append(request))
    front.page.reload()
    front.slots.first.wait_for()
    # What the page asked for that was left is told late at times.
    asked = asked[next(at for at, request in enumerate(asked) if request.is_navigation_request()):]
    catalog = next(at for at, request in enumerate(asked) if "/api/v1/images?" in request.url)
    # What is named by its content comes from the browser's own store, and the pictures of the page before are blobs.
    over_the_link = [request.url for request in asked[:catalog]
                     if request.response() and not request.response().request.timing["responseStart"] <= 0
                     and "/assembled/" not in request.url and not request.url.startswith(("data:", "blob:"))]
    assert len(over_the_link) <= 2, over_the_link
    kept = front.page.evaluate("""() => performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/assembled/')).map(({ name, transferSize }) => [name, transferSize])""")
    assert len(kept) >= 1 and all(size == 0 for _, size in kept), kept


@pytest.mark.parametrize("place, path", [
    ("", "/api/v1/images?offset=0&limit=100"), ("#at=3250", "/api/v1/images?offset=3200&limit=100"),
    ("?sort=name", "/api/v1/images?offset=0&limit=100&sort=name"), ("#image=none", None)])
def test_the_catalog_is_asked_for_before_the_script_is_here_and_once(visit, demo, place, path):
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

    # Without the catalog's request the script would never be let through, and no slot be there.
    front = visit(demo, place, before=lambda page: (
        page.on("request", note), page.route("**/assembled/**/gallery.js", hold)))
    front.slots.first.wait_for()
    if path:
        assert asked.count(path) == 1
        # Another is asked for where the order was still being made.
        assert place == "?sort=name" or sum("/api/v1/shape?" in url and "first=" not in url for url in asked) == 1


def test_the_page_with_its_scripts_and_styles_is_at_most_77_kilobytes(visit, demo):
    front = visit(demo)
    sizes = front.page.evaluate("""async () => {
        const own = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assembled/'));
        const [page] = performance.getEntriesByType('navigation');
        // A worker that was fetched ahead is listed twice.
        const sizes = new Map(own.map(({ name, encodedBodySize }) => [name, encodedBodySize]));
        return [page.encodedBodySize, ...sizes.values()];
    }""")
    assert len(sizes) >= 3 and all(sizes)
    assert sum(sizes) <= 77_000, sizes


def test_the_page_as_it_was_written_runs_too(visit, demo):
    front = visit(demo, "index.html")
    scripts = front.page.evaluate("() => performance.getEntriesByType('resource').map(({ name }) => name)")
    assert sum(bool(re.search(r"/grid/.*js$", name)) for name in scripts) > 5
    assert not any("/assembled/" in name for name in scripts)


def test_who_edits_a_file_needs_only_to_reload(visit, start, tmp_path, public):
    server = start("demo", "--count", 4, "--latency", 1, "--fail", 0, "--hang", 0, data=tmp_path / "data", public=public)
    front = visit(server)
    sheet = public / "styles" / "page.css"
    sheet.write_text(sheet.read_text() + "#header { height: 77px }")
    # The server looks once a second.
    front.until_told("async () => (await (await fetch('/', { cache: 'no-cache' })).text()).includes('77px')")
    front.page.reload()
    front.until("() => document.querySelector('#header').getBoundingClientRect().height === 77")
