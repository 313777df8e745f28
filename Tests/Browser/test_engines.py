"""The gallery in the other two browser engines: Firefox and WebKitGTK."""

import pathlib

import pytest

from engines import Firefox, WebKit
from folder import Folder

HERE = pathlib.Path(__file__).parent

ON_SCREEN = """[...document.querySelectorAll('.slot[data-index]')].filter((slot) => {
    const box = slot.getBoundingClientRect();
    return box.height > 0 && box.bottom > 60 && box.top < innerHeight;
})"""
SETTLED = f"(({ON_SCREEN}).length > 8 && ({ON_SCREEN}).every((slot) => slot.dataset.phase === 'displayed'))"
PLACES = f"Object.fromEntries(({ON_SCREEN}).map((slot) => [slot.dataset.index, slot.getBoundingClientRect().top]))"
SHOWN_LARGE = "document.querySelector('.frame[data-place=current][data-phase=displayed]')"


@pytest.fixture(scope="module", params=[Firefox, WebKit], ids=["firefox", "webkit"])
def engine(request, tmp_path_factory):
    engine = request.param(tmp_path_factory.mktemp("profile"))
    yield engine
    engine.close()


def opened(engine, server, place=""):
    engine.visit("about:blank")
    engine.visit(f"{server.address}/{place}")
    engine.until(SETTLED)
    return engine


def viewing(engine, server, index: int):
    opened(engine, server)
    engine.click(f'.slot[data-index="{index}"]')
    engine.until(SHOWN_LARGE)


def test_pictures_arrive_by_stream_and_no_slot_shows_a_wrong_picture(engine, demo):
    opened(engine, demo)
    engine.until("document.documentElement.dataset.transport === 'stream'")
    engine.run((HERE / "readings.js").read_text())
    seen = engine.run("return await window.readings.read(given[0])", {
        "legs": [{"speed": 6, "time": 700, "stop": 20}, {"speed": 1, "time": 600, "stop": 10},
                 {"speed": -4, "time": 500, "stop": 20}, {"speed": 0.3, "time": 400, "stop": 10}],
        "enough": 500, "time": 45_000, "untilWrong": True})
    assert seen["readings"] >= 300 and seen["wrong"] == []
    assert 0 < seen["mostImages"] <= 150
    engine.until(SETTLED)


def test_the_viewer_opens_navigates_and_closes(engine, demo):
    viewing(engine, demo, 3)
    for key, expected in [("ArrowRight", "5 of 10,000"), ("End", "10,000 of 10,000")]:
        engine.press(key)
        engine.until("document.querySelector('#viewer-count').textContent === given[0]", expected)
        engine.until(SHOWN_LARGE)
    engine.press("Escape")
    engine.until("!document.querySelector('#viewer').open && document.activeElement.dataset.index === '9999'")
    engine.until(SETTLED)


def test_reload_and_back_restore_the_position_to_the_pixel(engine, demo):
    opened(engine, demo, "#at=5000")
    engine.run("scrollBy(0, 33)")
    engine.until("history.state?.within === 33")
    places = engine.run(f"return {PLACES}")
    assert 4_999 in map(int, places)
    same = f"""(() => {{
        const now = {PLACES};
        const both = Object.keys(now).filter((index) => index in given[0]);
        return both.length > 8 && both.every((index) => Math.abs(now[index] - given[0][index]) < 1);
    }})()"""
    engine.reload()
    engine.until(f"{SETTLED} && {same}", places)
    engine.visit("about:blank")
    engine.back()
    engine.until(f"{SETTLED} && {same}", places)


def test_the_search_updates_while_typing(engine, start, tmp_path):
    names = [f"{word} {number}.jpg" for word in ("harbour", "lake") for number in range(30)]
    opened(engine, Folder(start, tmp_path, names).server)
    engine.press("/")
    engine.until("document.activeElement.id === 'search-field'")
    for letter in "lake":
        engine.press(letter)
    engine.until("document.querySelector('#position-total').textContent === '30'")
    engine.until(f"{SETTLED} && ({ON_SCREEN}).every((slot) => slot.ariaLabel.startsWith('lake'))")
    # The address is updated at the end of the word.
    engine.until("location.search === '?q=lake'")


def test_the_address_of_a_picture_opens_it(engine, demo):
    viewing(engine, demo, 7)
    address = engine.run("return location.href")
    engine.visit("about:blank")
    engine.visit(address)
    engine.until(f"{SHOWN_LARGE} && document.querySelector('#viewer-count').textContent === '8 of 10,000'")


def test_pictures_are_turned_and_compared(engine, demo):
    viewing(engine, demo, 1)
    shape = "(({ width, height }) => width / height)(document.querySelector('.frame[data-place=current] .frame-box')" \
            ".getBoundingClientRect())"
    upright = engine.run(f"return {shape}")
    engine.press("r")
    engine.until(f"Math.abs(1 / ({shape}) - given[0]) < 0.02", upright)
    engine.press("c")
    engine.until("document.querySelector('.frame[data-place=beside][data-phase=displayed]')")
    engine.until("document.querySelector('#viewer-count').textContent === '3 of 10,000'")
    engine.until(SHOWN_LARGE)
    engine.press("Escape")
    engine.until("document.querySelector('#viewer-beside').hidden && document.querySelector('#viewer').open")
    engine.press("Escape")
    engine.until("!document.querySelector('#viewer').open")


def test_escape_ends_one_thing_at_a_time_however_often(engine, demo):
    viewing(engine, demo, 1)
    for _ in range(4):
        engine.press("c")
        engine.until("!document.querySelector('#viewer-beside').hidden")
        engine.press("Escape")
        engine.until("document.querySelector('#viewer-beside').hidden")
        assert engine.run("return document.querySelector('#viewer').open")
    engine.press("Escape")
    engine.until("!document.querySelector('#viewer').open")


def test_an_enlarged_picture_is_panned_by_keys(engine, demo):
    viewing(engine, demo, 1)
    for _ in range(4):
        engine.press("+")
    left = "document.querySelector('.frame[data-place=current] .frame-box').getBoundingClientRect().left"
    before = engine.run(f"return {left}")
    engine.press("ArrowRight")
    engine.until(f"{left} < given[0]", before)
    assert engine.run("return document.querySelector('#viewer-count').textContent") == "2 of 10,000"
    engine.press("Escape")
    engine.until("!document.querySelector('#viewer').open")


def test_a_wrong_search_is_explained_and_stays_so(engine, start, tmp_path):
    opened(engine, Folder(start, tmp_path, [f"{number}.jpg" for number in range(30)]).server)
    engine.press("/")
    engine.until("document.activeElement.id === 'search-field'")
    for letter in "rating:9":
        engine.press(letter)
    engine.until("document.querySelector('#search-problem').innerText.startsWith('The search has rating:9')")
    engine.press("Enter")
    engine.run("await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert engine.run("return document.querySelector('#search-problem').checkVisibility()")
    assert engine.run("return document.activeElement.id") == "search-field"


def test_the_menu_opens_over_the_picture_and_settings_apply(engine, demo):
    viewing(engine, demo, 1)
    engine.click("#viewer-more")
    engine.until("document.querySelector('#viewer-menu').matches(':popover-open')")
    engine.click("#viewer-rotate")
    engine.until("!document.querySelector('#viewer-menu').matches(':popover-open')")
    engine.until("document.querySelector('.frame[data-place=current] .frame-box').style.transform === 'rotate(90deg)'")
    engine.press("Escape")
    engine.until("!document.querySelector('#viewer').open")
    engine.click("#settings-button")
    engine.until("document.querySelector('#settings').open")
    engine.click("#settings-form [value=dark]")
    engine.until("document.documentElement.dataset.theme === 'dark'")
    engine.click("#settings-form [name=motion][value=reduced]")
    engine.until("document.documentElement.matches('[data-reduced-motion]')")
    for name in ("theme", "motion"):
        engine.click(f"#settings-form [name={name}][value=system]")
