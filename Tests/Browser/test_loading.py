"""Requests without a stream: few at once, none for slots that have left the screen, and connections are reused."""

import test_slots
from front import Front, Traffic, by_requests


def watched(visit, server):
    """A page whose traffic is recorded."""
    traffic = []

    def before(page):
        by_requests(page)
        traffic.append(Traffic(page))

    front = visit(server, before=before)
    return front, traffic[0]


def travel(front: Front, *legs):
    front.with_readings().page.evaluate("(legs) => window.readings.watchTasks(legs)", legs)


def test_at_most_five_pictures_are_requested_at_once(visit, rough):
    front, traffic = watched(visit, rough)
    travel(front, *test_slots.LEGS[:4])
    assert traffic.started > 20
    assert traffic.most <= 5


def test_requests_that_scroll_away_are_cancelled_and_keep_their_connection(visit, slow):
    front, traffic = watched(visit, slow)
    go = "(top) => scrollTo(0, top)"
    for top in range(20_000, 320_000, 60_000):
        # Each position has requests in flight, seconds before they can be answered, when the page moves on to the next.
        with front.page.expect_request("**/tile?token=*"):
            front.page.evaluate(go, top)
        with front.page.expect_response(lambda response: response.status == 204 and "token=" in response.url):
            front.page.evaluate(go, top + 30_000)
    assert len(traffic.cancellations) >= 5
    assert traffic.statuses.count(204) >= 5
    # A browser has six connections, and replaces each one that an abort closes.
    assert len(traffic.connections) <= 6


def test_after_a_stop_only_slots_on_screen_or_nearby_are_loaded(visit, demo):
    front, traffic = watched(visit, demo)
    travel(front, {"speed": 60, "time": 600, "stop": 0})
    before = traffic.started
    front.until_settled()
    front.until("() => !document.querySelector('.slot[data-index][data-phase=waiting]')")
    front.until_noted(lambda: traffic.under_way == 0)
    cells = front.slots.count()
    assert traffic.started - before <= cells + 5


def test_soon_after_a_fling_the_origin_gets_only_requests_for_nearby_slots(visit, far):
    front = visit(far, before=by_requests)
    front.until_settled()
    front.with_readings()
    status = front.page.evaluate("""async (legs) => {
        await window.readings.watchTasks(legs);
        // The promise is a time: 200 ms after the stop.
        await new Promise((resolve) => setTimeout(resolve, 200));
        return (await fetch('/api/v1/status')).json();
    }""", [{"speed": speed, "time": 400, "stop": 0} for speed in (3, 12, 3, -2.5, -3.5)])
    assert status["origins"]["inFlight"] <= front.slots.count()


def test_scrolling_back_repeats_no_requests(visit, demo):
    front, traffic = watched(visit, demo)
    front.until_settled()
    travel(front, {"speed": 3, "time": 400, "stop": 3})
    front.until_settled()
    # To the top, even if the first leg had a slow frame.
    travel(front, {"speed": -3, "time": 1_500, "stop": 3})
    front.slot(0).locator("img").wait_for()
    assert len(traffic.delivered) > 30
    assert len(traffic.delivered) == len(set(traffic.delivered))


def test_a_session_forgotten_by_the_server_is_replaced(visit, demo):
    front = visit(demo, before=by_requests)
    front.until_settled()
    forgotten = []

    def forget_once(route):
        if forgotten or "session" not in route.request.post_data_json:
            route.continue_()
            return
        forgotten.append(route.request.post_data_json["session"])
        route.fulfill(status=404, content_type="application/problem+json",
                      json={"title": "No such session", "status": 404})

    front.page.route("**/api/v1/tokens", forget_once)
    front.go_to(5_000)
    front.slot(4_999).locator("img").wait_for()
    assert forgotten


def test_the_page_ends_its_session_when_it_closes(visit, demo):
    def before(page):
        by_requests(page)
        page.add_init_script("""
            const send = navigator.sendBeacon.bind(navigator);
            navigator.sendBeacon = (url, body) => {
                // Reading a blob takes longer than the page has; its size and kind must do.
                localStorage.setItem('beacon', JSON.stringify([url, body.type, body.size]));
                return send(url, body);
            };""")

    front = visit(demo, before=before)
    front.until_settled()
    front.page.goto(demo.address + "/icon.svg")
    url, kind, size = front.page.evaluate("() => JSON.parse(localStorage.getItem('beacon'))")
    assert (url, kind) == ("api/v1/tokens/cancel", "application/json")
    assert size > len('{"session":""}') + 20, "a session of 128 bits"
