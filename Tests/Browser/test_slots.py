"""No slot ever shows another slot's picture, whatever the network does."""

import pytest

from front import by_requests
from server import ROOT

# The readings alone may take four minutes.
pytestmark = pytest.mark.timeout(300)

# Up and down, slowly enough to load on the way and too fast to, with stops in between.
LEGS = [
    {"speed": speed, "time": time, "stop": stop}
    for speed, time, stop in [
        (1.2, 900, 12), (3.5, 700, 20), (-2.5, 700, 12), (12, 600, 30), (-1.5, 900, 12), (60, 700, 30),
        (-3, 900, 12), (2, 900, 20), (-40, 500, 30), (1.8, 1200, 20), (-1, 900, 30),
    ]
]

COMPARISON = "if (slot.token !== token) return false;\n"


def losing_cancellations(page):
    """Cancelled responses arrive anyway, as they may on any network, so the page alone must reject them."""
    by_requests(page)
    page.route("**/api/v1/tokens/cancel", lambda route: route.fulfill(json={"cancelled": 0}))


def without_comparison(page):
    """Removes the comparison of tokens from one of the plain modules, so that slots accept whatever arrives."""
    losing_cancellations(page)
    commit = (ROOT / "Public" / "loading" / "commit.js").read_text()
    assert COMPARISON in commit
    page.route("**/loading/commit.js", lambda route: route.fulfill(
        body=commit.replace(COMPARISON, ""), content_type="text/javascript"))


def read(front, enough, until_wrong=False):
    plan = {"legs": LEGS, "enough": enough, "time": 240_000, "untilWrong": until_wrong}
    return front.with_readings().page.evaluate("(plan) => window.readings.read(plan)", plan)


CASES = {"by the stream": (lambda page: None, "stream", 1_000), "by requests": (by_requests, "http", 300),
         "cancels are lost": (losing_cancellations, "http", 400)}


@pytest.mark.parametrize(("before", "way", "enough"), CASES.values(), ids=CASES)
def test_a_fling_through_ten_thousand_shows_no_wrong_picture(visit, rough, before, way, enough):
    front = visit(rough, before=before)
    front.until_way(way)
    seen = read(front, enough)
    assert front.way == way
    assert seen["readings"] >= enough
    assert seen["wrong"] == []
    assert seen["unread"] == 0
    assert seen["mostImages"] <= 150


def test_without_the_comparison_of_tokens_wrong_pictures_are_found(visit, plain):
    front = visit(plain, before=without_comparison)
    seen = read(front, enough=20_000, until_wrong=True)
    assert len(seen["wrong"]) > 0, "the readings would not notice a wrong picture"
