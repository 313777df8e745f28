"""The vocabulary for tests of the page."""

import json
import pathlib
import re
import time
from typing import Callable

from playwright.sync_api import Locator, Page

from peer import KINDS

HERE = pathlib.Path(__file__).parent
PATIENCE = 30.0


FAILURE = {"title": "The origin could not be reached", "status": 502,
           "detail": "Nobody answered at pictures.example."}


def by_requests(page: Page):
    """Makes the stream unavailable, so that pictures are loaded by token requests."""
    page.route("**/stream/worker/worker.js", lambda route: route.abort())


# The renditions that a slot may request, apart from previews.
RENDITIONS = re.compile(r"/images/[^/]+/(160|tile|640|1280|screen|2560|full|original)\?")


def failing_pictures(page: Page, status: int, problem: dict):
    """Everything larger than a tile fails, at once and permanently."""
    by_requests(page)
    page.route(RENDITIONS, lambda route: route.fallback() if "/tile?" in route.request.url else route.fulfill(
        status=status, content_type="application/problem+json", json=problem))


def failing(page: Page):
    """Every tile fails, at once and permanently."""
    by_requests(page)
    page.route("**/images/*/tile?*", lambda route: route.fulfill(
        status=502, content_type="application/problem+json", json=FAILURE))


def incomplete(page: Page):
    """Every picture is marked as truncated."""
    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "Tessera-Incomplete": "1"})

    by_requests(page)
    page.route(RENDITIONS, answer)


class Front:
    """The page in a browser, and what has been observed of it."""

    def __init__(self, page: Page, address: str):
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        page.on("console", lambda message: self._complain(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def _complain(self, kind: str, text: str):
        # A browser logs every unsuccessful response, which some tests expect. And most tests block the service worker.
        is_meant = text.startswith(("Failed to load resource", "Service Worker registration blocked"))
        if kind in ("error", "warning") and not is_meant:
            self.complaints.append(f"{kind}: {text}")

    def described(self) -> str:
        """A description of the page, for diagnosing a failure."""
        try:
            page = self.page.evaluate("""() => {
                const told = (one) => one.outerHTML.replace(/>[^]*/, '>').slice(0, 300);
                return {at: location.href, scrolled: scrollY, focus: told(document.activeElement ?? document.body),
                        slots: [...document.querySelectorAll('.slot[data-index]:not([hidden])')].map(told),
                        frames: [...document.querySelectorAll('.frame')].map(told),
                        dialogs: [...document.querySelectorAll('dialog[open], [role=dialog]')].map(told),
                        text: document.body.innerText.slice(0, 2_000)};
            }""")
            return json.dumps({**page, "complaints": self.complaints}, indent=1, ensure_ascii=False)
        except Exception as error:  # A page that has closed must not hide why the test failed.
            return f"nothing: {error}"

    def visit(self, place: str = "", is_empty: bool = False) -> "Front":
        self.page.goto(self.address + "/" + place)
        (self.page.locator("#vacancy") if is_empty else self.slots.first).wait_for()
        return self

    @property
    def slots(self) -> Locator:
        return self.page.locator(".slot[data-index]:visible")

    def slot(self, index: int) -> Locator:
        return self.page.locator(f'.slot[data-index="{index}"]')

    @property
    def viewer(self) -> Locator:
        return self.page.locator("#viewer")

    @property
    def focused(self) -> int | None:
        """The index of the focused slot."""
        return self.page.evaluate("() => Number(document.activeElement?.dataset?.index ?? NaN) || "
                                  "(document.activeElement?.dataset?.index === '0' ? 0 : null)")

    @property
    def position(self) -> int:
        return int(self.page.locator("#position-number").input_value().replace(",", ""))

    def until(self, script: str, *arguments):
        """Waits for a condition on the page: a function with at most one argument."""
        self.page.wait_for_function(script, arg=arguments[0] if arguments else None, polling=50)

    def until_told(self, script: str, argument=None):
        """Waits for a condition that needs a request: an asynchronous function with at most one argument."""
        assert self.page.evaluate(
            "async (argument) => {"
            f"  const isSo = {script};"
            "  for (const end = performance.now() + 120_000; performance.now() < end;) {"
            "    if (await isSo(argument)) return true;"
            "    await new Promise((done) => setTimeout(done, 100));"
            "  }"
            "  return false;"
            "}", argument), script

    def until_noted(self, fact: Callable[[], object]):
        """Waits for a condition on the browser's events, which may arrive later than what they describe."""
        end = time.monotonic() + PATIENCE
        while not fact():
            assert time.monotonic() < end, "the browser did not report it"
            self.page.wait_for_timeout(20)

    def until_focused(self, index: int):
        self.until("(index) => document.activeElement?.dataset.index === index", str(index))

    @property
    def way(self) -> str | None:
        """How pictures are transferred: `stream` or `http`."""
        return self.page.evaluate("() => document.documentElement.dataset.transport")

    def until_way(self, way: str):
        self.until("(way) => document.documentElement.dataset.transport === way", way)

    def until_settled(self):
        """Waits until every slot on screen has loaded or failed. A phone's bottom bar hides what is beneath it."""
        self.until("""() => {
            const end = innerHeight - Number.parseFloat(getComputedStyle(document.querySelector('#grid')).marginBottom);
            const seen = [...document.querySelectorAll('.slot[data-index]')].filter((slot) => {
                const box = slot.getBoundingClientRect();
                return box.height > 0 && box.bottom > 60 && box.top < end;
            });
            return seen.length > 0 && seen.every((slot) => ['displayed', 'failed'].includes(slot.dataset.phase));
        }""")

    def until_still(self):
        """Waits until nothing on the page is animated."""
        self.until("() => document.getAnimations().length === 0")

    def go_to(self, number: int):
        field = self.page.locator("#position-number")
        field.fill(str(number))
        field.press("Enter")
        # Until slots are assigned their new pictures, the old ones count as settled.
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def double_click(self, x: float, y: float, between=lambda: None):
        """
        Gives both clicks the same timestamp, so that the page recognizes a double click even on a busy machine. Calls
        `between` after the first one.
        """
        session = self.page.context.new_cdp_session(self.page)
        where = {"x": x, "y": y, "timestamp": time.time()}
        session.send("Input.dispatchMouseEvent", {**where, "type": "mouseMoved"})
        for count in (1, 2):
            for kind, buttons in (("mousePressed", 1), ("mouseReleased", 0)):
                session.send("Input.dispatchMouseEvent", {
                    **where, "type": kind, "button": "left", "buttons": buttons, "clickCount": count})
            if count == 1:
                between()

    def with_readings(self) -> "Front":
        """Injects the script that reads the numbers in the pictures."""
        self.page.evaluate((HERE / "readings.js").read_text())
        return self


class Frames:
    """The binary messages of a page's streams as they arrive."""

    def __init__(self, page: Page):
        self.streams = 0
        self.messages: list[bytes] = []
        self.said: list[dict] = []
        page.on("websocket", self._opened)

    def _opened(self, stream):
        self.streams += 1
        stream.on("framereceived", lambda frame: isinstance(frame, bytes) and self.messages.append(frame))
        stream.on("framesent", lambda frame: isinstance(frame, str) and self.said.append(json.loads(frame)))

    @property
    def bytes(self) -> int:
        return sum(map(len, self.messages))

    def count(self, kind: str) -> int:
        return sum(message[16] == KINDS[kind] and message[17] == 0 for message in self.messages)

    def clear(self):
        self.messages.clear()
        self.said.clear()


class Traffic:
    """The requests for pictures that a page makes, timed by the browser's own clock, because Playwright's events
    come too late to tell which were concurrent."""

    def __init__(self, page: Page):
        self._began: dict[str, float] = {}
        self._ended: dict[str, float] = {}
        self.statuses: list[int] = []
        self.delivered: list[str] = []
        self.connections: set[int] = set()
        self.cancellations: list[dict] = []
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._request)
        session.on("Network.responseReceived", self._response)
        session.on("Network.loadingFinished", self._end)
        session.on("Network.loadingFailed", self._end)
        session.send("Network.enable")

    def _request(self, event: dict):
        if "token=" in event["request"]["url"]:
            self._began[event["requestId"]] = event["timestamp"]
        elif event["request"]["url"].endswith("/tokens/cancel"):
            self.cancellations.append(event["request"])

    def _response(self, event: dict):
        if event["requestId"] in self._began:
            self.statuses.append(event["response"]["status"])
            if event["response"]["status"] == 200:
                self.delivered.append(event["response"]["url"].partition("?")[0])
            self.connections.add(event["response"]["connectionId"])
            if event["response"]["status"] == 204:
                self._end(event)

    def _end(self, event: dict):
        if event["requestId"] in self._began:
            self._ended.setdefault(event["requestId"], event["timestamp"])

    @property
    def started(self) -> int:
        return len(self._began)

    @property
    def under_way(self) -> int:
        return len(self._began.keys() - self._ended.keys())

    @property
    def most(self) -> int:
        """The maximum number of concurrent requests."""
        steps = [(at, 1) for at in self._began.values()] + [(at, -1) for at in self._ended.values()]
        most = now = 0
        for _, step in sorted(steps):
            now += step
            most = max(most, now)
        return most
