"""What is stored across visits: bounded, and dispensable if the browser stores nothing."""

import pytest

SHELF = """
const { TileCache } = await import('/stream/worker/tile-cache.js');
const evicted = [];
const shelf = new TileCache((keys) => evicted.push(...keys), budget);
await shelf.ready;
const book = (key, bytes) => ({ key, type: 'image/webp', body: new ArrayBuffer(bytes) });
const written = async () => {
    for (;;) {
        const stored = await new Promise((resolve) => {
            const opening = indexedDB.open('tessera', 2);
            opening.onsuccess = () => {
                const reading = opening.result.transaction('renditions').objectStore('renditions').getAllKeys();
                reading.onsuccess = () => (opening.result.close(), resolve(reading.result));
            };
        });
        if (stored.length > 0) return stored;
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
};
"""


@pytest.fixture
def page(browser, plain):
    """A page of the server that runs no scripts of its own."""
    context = browser.new_context()
    context.set_default_timeout(30_000)
    page = context.new_page()
    page.route("**/gallery.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(plain.address)
    # The first database that a browser opens takes longest, and the shelf waits for its own only so long.
    page.evaluate("() => new Promise((done) => (indexedDB.open('another').onsuccess = () => done()))")
    yield page
    context.close()


def run(page, script: str, budget=1_000_000):
    return page.evaluate(f"async (budget) => {{ {SHELF} {script} }}", budget)


def test_stored_tiles_survive_a_reload(page):
    run(page, "shelf.put({ ...book('a/1/tile', 10), isIncomplete: true }); shelf.flush(); return written();")
    page.reload()
    found = run(page, """
        const found = await shelf.get('a/1/tile');
        const { type, body, isIncomplete } = found;
        return [shelf.has('a/1/tile'), shelf.has('b/1/tile'), type, body.byteLength, isIncomplete];""")
    assert found == [True, False, "image/webp", 10, True]


def test_a_database_of_an_older_version_is_replaced(page):
    page.evaluate("""() => new Promise((done) => {
        const opening = indexedDB.open('tessera', 1);
        opening.onupgradeneeded = () => {
            opening.result.createObjectStore('books').put({ type: 'image/webp' }, 'a/1/tile');
            opening.result.createObjectStore('marks').put({ bytes: 10, used: 1 }, 'a/1/tile');
        };
        opening.onsuccess = () => (opening.result.close(), done());
    })""")
    found = run(page, "shelf.put(book('b/1/tile', 10)); shelf.flush(); return [shelf.has('a/1/tile'), await written()];")
    assert found == [False, ["b/1/tile"]]


def test_the_least_recently_used_tiles_are_evicted(page):
    found = run(page, """
        for (const key of ['a', 'b', 'c', 'd']) shelf.put(book(key, 250));
        await shelf.get('a');
        shelf.put(book('e', 250));
        return [['a', 'b', 'c', 'd', 'e'].filter((key) => shelf.has(key)), evicted];""", budget=1_000)
    kept, evicted = found
    assert "e" in kept and len(kept) * 250 <= 1_000
    assert sorted(kept + evicted) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("failure", [
    "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };",
    "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };",
    "Object.defineProperty(self, 'indexedDB', { value: undefined });",
], ids=["it is forbidden", "it is full", "there is none"])
def test_the_cache_stays_empty_if_nothing_can_be_stored(page, failure):
    page.evaluate(f"() => {{ {failure} }}")
    assert run(page, """
        shelf.put(book('a', 10));
        shelf.flush();
        for (let turn = 0; shelf.has('a') && turn < 200; turn += 1) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return [shelf.has('a'), await shelf.get('a')];""") == [False, None]
