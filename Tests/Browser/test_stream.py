"""Pictures arrive by the stream: everything on screen, nothing twice, and by requests if there is no stream."""

import statistics

import pytest

from stored_renditions import ALL_IS_KEPT, SEEN_IS_KEPT
from front import Frames, Traffic


def watched(visit, server, **options):
    """A page whose frames and picture requests are recorded."""
    told = []
    front = visit(server, before=lambda page: told.extend([Frames(page), Traffic(page)]), **options)
    front.until_way("stream")
    return front, *told


def viewports(frames) -> list[dict]:
    """All viewports sent; the worker's messages are reported later than what the page shows."""
    return [message for message in frames.said if message["type"] == "viewport"]


def travel(front, *legs):
    front.with_readings().page.evaluate("(legs) => window.readings.watchTasks(legs)", legs)


def test_pictures_arrive_by_stream_by_default(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    assert frames.streams == 1
    slots = front.slots.count()
    front.until_noted(lambda: frames.count("tile") >= slots / 2)
    assert traffic.started == 0


def test_without_a_stream_requests_take_over_until_it_works(visit, demo, relay):
    through = relay(demo)
    through.refuses = True
    front = visit(through)
    front.until_settled()
    assert front.way == "http"
    assert through.refused >= 2
    assert not front.page.get_by_role("alert").is_visible()
    through.refuses = False
    front.until_way("stream")
    front.go_to(5_000)
    front.slot(4_999).locator("img").wait_for()
    front.until_settled()


def test_a_broken_stream_resumes_at_the_current_position(visit, demo, relay):
    through = relay(demo)
    front, frames, traffic = watched(visit, through)
    front.until_settled()
    through.refuses = True
    through.cut()
    front.page.evaluate("() => scrollTo(0, 60_000)")
    through.refuses = False
    front.until("() => Number(document.querySelector('#position-number').value.replaceAll(',', '')) > 1000")
    front.until_settled()
    front.until_way("stream")
    front.until_noted(lambda: frames.streams >= 2)
    position = front.position
    front.until_noted(lambda: abs(viewports(frames)[-1]["first"] + 1 - position) < 30)


def test_revisiting_seen_pictures_transfers_none_of_them(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.go_to(2_000)
    front.slot(1_999).locator("img").wait_for()
    front.until_settled()
    front.until_told(SEEN_IS_KEPT)
    front.until("() => location.hash === '#at=2000'")
    frames.clear()
    front.page.reload()
    front.until_way("stream")
    front.until_settled()
    assert front.position == 2_000
    assert front.slot(1_999).locator("img").count() == 1
    on_screen = set(range(1_999, 1_999 + 12))
    assert frames.bytes <= AHEAD_ALONE * len(on_screen), "pictures on screen were sent again"
    assert not any(message["type"] == "forgot" for message in frames.said)


AHEAD_ALONE = 40_000


def test_cached_pictures_near_the_screen_are_shown_in_advance(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.go_to(3_000)
    front.until(ALL_ROWS_ARE_SHOWN)
    front.until_told(ALL_IS_KEPT)
    front.until("() => location.hash === '#at=3000'")
    front.page.reload()
    front.until_way("stream")
    front.until(ALL_ROWS_ARE_SHOWN)


# Including those below the screen.
ALL_ROWS_ARE_SHOWN = """() => {
    const slots = [...document.querySelectorAll('.slot[data-index]')].map((slot) => [slot, slot.getBoundingClientRect()]);
    return slots.some(([, { top }]) => top > innerHeight)
        && slots.every(([slot, { bottom }]) => bottom < 60 || slot.dataset.phase === 'displayed');
}"""


def test_scrolling_back_and_forth_sends_nothing_twice(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    for speed in (3, -3, 3, -6):
        travel(front, {"speed": speed, "time": 500, "stop": 3})
        front.until_settled()
    tiles = [message for message in frames.messages if message[16] == 2]
    assert len({message[28:] for message in tiles}) == len(tiles)
    assert traffic.started == 0


def test_previews_come_before_tiles(visit, demo):
    """Phases only go forward: waiting, preview, shown."""
    front = visit(demo, before=lambda page: page.add_init_script("""
        window.phases = [];
        new MutationObserver((changes) => {
            for (const { target, oldValue } of changes) {
                window.phases.push([target.dataset.index, oldValue, target.dataset.phase]);
            }
        }).observe(document, { subtree: true, attributeFilter: ['data-phase'], attributeOldValue: true });"""))
    front.until_settled()
    front.go_to(4_000)
    front.slot(3_999).locator("img").wait_for()
    front.until_settled()
    steps = front.page.evaluate("() => window.phases")
    assert any(after == "preview" for _, _, after in steps)
    assert not any(before == "displayed" and after == "preview" for _, before, after in steps)


def test_a_fling_transfers_no_tiles_of_slots_it_passes(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    frames.clear()
    travel(front, {"speed": 40, "time": 1_000, "stop": 0})
    front.until_settled()
    assert front.position > 500
    # What is on screen, what is next to it, and what was in flight when the fling began.
    assert frames.count("tile") <= 4 * front.slots.count()


def test_viewports_report_the_velocity_and_the_stop(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    frames.clear()
    travel(front, {"speed": 10, "time": 2_000, "stop": 4})
    front.until_settled()
    front.until_noted(lambda: [message["velocity"] for message in viewports(frames)[-1:]] == [0])
    fast = [message["velocity"] for message in viewports(frames) if message["velocity"] > 0]
    assert len(fast) >= 5
    # Rows of a justified grid differ in both.
    rows = front.page.locator(".row:not([hidden])").evaluate_all(
        "(rows) => rows.map((row) => [row.offsetHeight, row.querySelectorAll('[data-index]:not([hidden])').length])")
    row, columns = (statistics.mean(figures) for figures in zip(*rows))
    assert columns >= 2
    # The median: scripted scrolling lags by a frame, and jumps after a slow one.
    true = 10_000 / row * columns
    assert true / 3 < statistics.median(fast) < 3 * true


def test_catalog_pages_are_not_loaded_during_a_fling(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    asked = []
    front.page.on("request", lambda request: "/api/v1/images?" in request.url and asked.append(request.url))
    travel(front, {"speed": 30, "time": 1_200, "stop": 0})
    during = len(asked)
    front.until_settled()
    assert during <= 2
    # They load once the pictures have arrived, because the viewer and the next visit need them.
    front.until("() => performance.getEntriesByType('resource').at(-1).name.includes('/api/v1/images?') || "
                "performance.getEntriesByType('resource').some((entry) => entry.startTime > 0 && "
                "entry.name.includes('offset=' + Math.floor((Number(document.querySelector('#position-number')"
                ".value.replaceAll(',', '')) - 1) / 100) * 100))")


def test_an_origin_failure_is_shown_and_retried_over_the_stream(visit, broken):
    told = []
    front = visit(broken, before=lambda page: told.append(Frames(page)))
    front.until_way("stream")
    slot = front.page.locator(".slot[data-phase=failed]").first
    slot.wait_for()
    assert slot.locator(".slot-problem-reason").inner_text()
    assert "Cannot be shown" in slot.get_attribute("aria-label")
    index = int(slot.get_attribute("data-index"))
    front.slot(index).get_by_role("button", name="Try again").click()
    front.until("(index) => document.querySelector(`.slot[data-index='${index}']`).dataset.phase === 'failed'", index)
    front.until_noted(lambda: {"type": "retry", "slots": [index]} in told[0].said)


def test_the_viewer_starts_with_the_tile_of_the_grid(visit, demo):
    front, frames, traffic = watched(visit, demo)
    # Pictures about which the catalog knew nothing when its page loaded.
    front.go_to(7_001)
    front.page.locator('.slot[data-index="7000"][data-phase=displayed]').wait_for()
    front.page.evaluate("""() => {
        window.sides = [];
        new MutationObserver((changes) => {
            for (const { addedNodes } of changes) for (const node of addedNodes) {
                if (!node.matches?.('.frame[data-place=current] .frame-screen')) continue;
                window.sides.push(Math.max(node.naturalWidth, node.naturalHeight));
            }
        }).observe(document.querySelector('#viewer'), { subtree: true, childList: true });
    }""")
    tile = front.slot(7_000).locator("img").evaluate("(image) => Math.max(image.naturalWidth, image.naturalHeight)")
    front.slot(7_000).click()
    front.page.locator(".frame[data-place=current][data-phase=displayed]").wait_for()
    sides = front.page.evaluate("() => window.sides")
    assert sides[0] == tile < sides[-1] and sides == sorted(sides)
    assert front.page.locator("#viewer-name").inner_text() == "7000.jpg"


def test_the_viewer_and_its_neighbours_load_over_the_stream(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    front.slot(5).click()
    for place in ("current", "next", "previous", "ahead"):
        front.page.locator(f".frame[data-place={place}][data-phase=displayed]").wait_for(state="attached")
    front.page.keyboard.press("ArrowRight")
    front.page.locator(".frame[data-place=ahead][data-phase=displayed]").wait_for(state="attached")
    assert traffic.started == 0
    front.until_noted(lambda: viewports(frames)[-1]["first"] == 6)
    looked = [said for said in frames.said if said.get("side") == "box"]
    assert looked[0]["first"] == 5 and looked[-1]["first"] == 6
    assert all((said["count"], said["ahead"], said["behind"]) == (1, 2, 1) for said in looked)
    # The grid gets the link back when the picture is closed.
    front.page.keyboard.press("Escape")
    front.viewer.wait_for(state="hidden")
    front.until_noted(lambda: viewports(frames)[-1]["side"] != "box")


def test_a_page_restored_from_the_back_forward_cache_reopens_its_stream(visit, demo):
    front, frames, traffic = watched(visit, demo)
    front.until_settled()
    front.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    front.page.evaluate("() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    front.go_to(3_000)
    front.slot(2_999).locator("img").wait_for()
    front.until_noted(lambda: frames.streams == 2)
    assert traffic.started == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screenshots_of_a_fling(visit, demo, picture, scheme):
    front, _, _ = watched(visit, demo, color_scheme=scheme)
    front.until_settled()
    front.with_readings()
    # Pictures that the server has seen before, as is usual.
    front.page.evaluate("""async () => {
        const { images } = await (await fetch('/api/v1/images?limit=300')).json();
        const headers = { Accept: 'image/avif, image/webp' };
        for (let at = 0; at < images.length; at += 4) {
            await Promise.all(images.slice(at, at + 4).map(({ links }) => fetch(links.preview, { headers })));
        }
    }""")
    front.page.evaluate("""() => {
        window.flight = window.readings.watchTasks([{ speed: 6, time: 1_500, stop: 0 }]);
        return new Promise((resolve) => setTimeout(resolve, 1_000));
    }""")
    picture(front, f"fling-{scheme}")
    front.page.evaluate("() => window.flight")
