"""The words in which the tests speak of the page."""

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
    """There is no stream to be had: pictures come by requests with tokens."""
    page.route("**/stream/worker/worker.js", lambda route: route.abort())


# What a place may ask for by requests, previews aside.
RENDITIONS = re.compile(r"/images/[^/]+/(160|tile|640|1280|screen|2560|full|original)\?")


def failing_pictures(page: Page, status: int, problem: dict):
    """What is larger than a tile fails, at once and for good."""
    by_requests(page)
    page.route(RENDITIONS, lambda route: route.fallback() if "/tile?" in route.request.url else route.fulfill(
        status=status, content_type="application/problem+json", json=problem))


def failing(page: Page):
    """Every tile fails, at once and for good."""
    by_requests(page)
    page.route("**/images/*/tile?*", lambda route: route.fulfill(
        status=502, content_type="application/problem+json", json=FAILURE))


def incomplete(page: Page):
    """Every picture is one whose file ends too early."""
    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "Tessera-Incomplete": "1"})

    by_requests(page)
    page.route(RENDITIONS, answer)


class Front:
    """The page in a browser, and what was seen of it."""

    def __init__(self, page: Page, address: str):
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        page.on("console", lambda message: self._complain(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def _complain(self, kind: str, text: str):
        # A browser writes down every answer that is not a success; those are wanted in some tests. And most tests do
        # without a service worker.
        is_meant = text.startswith(("Failed to load resource", "Service Worker registration blocked"))
        if kind in ("error", "warning") and not is_meant:
            self.complaints.append(f"{kind}: {text}")

    def described(self) -> str:
        """What there is to see, for whoever looks into a failure."""
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
        except Exception as error:  # A page that has gone tells nothing, and must not hide why the test failed.
            return f"nothing: {error}"

    def visit(self, place: str = "") -> "Front":
        self.page.goto(self.address + "/" + place)
        self.slots.first.wait_for()
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
        """The index of the slot that has the focus."""
        return self.page.evaluate("() => Number(document.activeElement?.dataset?.index ?? NaN) || "
                                  "(document.activeElement?.dataset?.index === '0' ? 0 : null)")

    @property
    def position(self) -> int:
        return int(self.page.locator("#position-number").input_value().replace(",", ""))

    def until(self, script: str, *arguments):
        """Waits for a fact about the page: a function without or with one argument."""
        self.page.wait_for_function(script, arg=arguments[0] if arguments else None)

    def until_told(self, script: str, argument=None):
        """Waits for a fact that the page has to ask for: an asynchronous function without or with one argument."""
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
        """Waits for a fact that the browser's events tell: they may come later than what they are of."""
        end = time.monotonic() + PATIENCE
        while not fact():
            assert time.monotonic() < end, "the browser has not told of it"
            self.page.wait_for_timeout(20)

    def until_focused(self, index: int):
        self.until("(index) => document.activeElement?.dataset.index === index", str(index))

    @property
    def way(self) -> str | None:
        """By which way pictures come: `stream` or `http`."""
        return self.page.evaluate("() => document.documentElement.dataset.way")

    def until_way(self, way: str):
        self.until("(way) => document.documentElement.dataset.way === way", way)

    def until_settled(self):
        """Every slot on screen has ended well or badly; a phone has a bar beneath, and what is under that nobody sees."""
        self.until("""() => {
            const end = innerHeight - Number.parseFloat(getComputedStyle(document.querySelector('#grid')).marginBottom);
            const seen = [...document.querySelectorAll('.slot[data-index]')].filter((slot) => {
                const box = slot.getBoundingClientRect();
                return box.height > 0 && box.bottom > 60 && box.top < end;
            });
            return seen.length > 0 && seen.every((slot) => ['shown', 'failed'].includes(slot.dataset.phase));
        }""")

    def until_still(self):
        """Nothing on the page moves."""
        self.until("() => document.getAnimations().length === 0")

    def go_to(self, number: int):
        field = self.page.locator("#position-number")
        field.fill(str(number))
        field.press("Enter")
        # Until slots stand for other pictures, those of before count as settled.
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def double_click(self, x: float, y: float):
        """Both clicks are of the same moment: however busy the machine is, the page takes them for one double click."""
        session = self.page.context.new_cdp_session(self.page)
        where = {"x": x, "y": y, "timestamp": time.time()}
        session.send("Input.dispatchMouseEvent", {**where, "type": "mouseMoved"})
        for count in (1, 2):
            for kind, buttons in (("mousePressed", 1), ("mouseReleased", 0)):
                session.send("Input.dispatchMouseEvent", {
                    **where, "type": kind, "button": "left", "buttons": buttons, "clickCount": count})

    def with_readings(self) -> "Front":
        """Puts into the page the script that reads the numbers out of its pictures."""
        self.page.evaluate((HERE / "readings.js").read_text())
        return self


class Frames:
    """The binary messages of a page's streams, as they come."""

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
    """The requests for pictures that a page makes, with the browser's own clock: Playwright's events come too late to
    tell what was under way at once."""

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
        """How many were under way at once, at the most."""
        steps = [(at, 1) for at in self._began.values()] + [(at, -1) for at in self._ended.values()]
        most = now = 0
        for _, step in sorted(steps):
            now += step
            most = max(most, now)
        return most
