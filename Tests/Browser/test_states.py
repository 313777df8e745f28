"""Messages in place of pictures are true, and in the right place."""

import pytest

from front import Front

TROUBLE = {"title": "The gallery is not ready", "status": 503, "detail": "Its index is being built again."}


@pytest.fixture
def open_page(browser, demo):
    """
    Opens pages for which no pictures are expected at once. They have no service worker: its requests are not routed, so
    it would reach the server that the test withholds.
    """
    contexts = []

    def open_page(before, place="", **options) -> Front:
        contexts.append(browser.new_context(service_workers="block", **options))
        contexts[-1].set_default_timeout(30_000)
        page = contexts[-1].new_page()
        before(page)
        front = Front(page, demo.address)
        page.goto(demo.address + "/" + place)
        return front

    yield open_page
    for context in contexts:
        context.close()


def refuse(page):
    page.route("**/api/**", lambda route: route.abort())
    page.route("**/healthz", lambda route: route.abort())


def test_a_server_that_is_not_ready_is_not_reported_as_a_search_error(open_page):
    front = open_page(lambda page: page.route("**/api/**", lambda route: route.fulfill(
        status=503, content_type="application/problem+json", json=TROUBLE)))
    front.page.get_by_role("heading", name=TROUBLE["title"]).wait_for()
    assert front.page.locator("#search-problem").is_hidden()
    assert front.page.locator("#search-field").get_attribute("aria-invalid") is None
    front.page.unroute("**/api/**")
    front.slots.first.wait_for()
    assert front.page.locator("#vacancy").is_hidden()


def test_a_gallery_that_cannot_be_searched_still_shows_its_pictures(open_page):
    front = open_page(lambda page: None, "?q=zebra")
    front.slots.first.wait_for()
    assert "cannot be searched" in front.page.locator("#search-problem").inner_text()


def test_a_server_unreachable_at_the_start_is_reported_and_found_later(open_page):
    front = open_page(refuse)
    front.page.get_by_role("heading", name="The gallery cannot be reached").wait_for()
    front.page.locator("#banner").get_by_text("The gallery server is not responding").wait_for()
    front.page.unroute_all()
    front.page.get_by_role("button", name="Try now").click()
    front.slots.first.wait_for()
    front.page.locator("#banner").wait_for(state="hidden")


def test_a_proxy_error_is_reported_as_a_starting_server(open_page):
    def starting(page):
        page.route("**/api/**", lambda route: route.abort())
        page.route("**/healthz", lambda route: route.fulfill(status=502, body=""))

    front = open_page(starting)
    front.page.locator("#banner").get_by_text("The gallery server is starting").wait_for()


def test_being_offline_at_the_start_is_reported(open_page):
    def offline(page):
        refuse(page)
        page.add_init_script("Object.defineProperty(navigator, 'onLine', { get: () => false })")

    front = open_page(offline)
    front.page.get_by_role("heading", name="You are offline").wait_for()
