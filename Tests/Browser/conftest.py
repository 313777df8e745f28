import base64
import os
import pathlib
import shutil

import pytest
from playwright.sync_api import Browser, sync_playwright

from front import Front
from relay import Relay
from server import PLAIN_FRONT, ROOT, Server

# The headless shell has no browser window, which saves a quarter of the processor time.
CHROMIUM = os.environ.get("TESSERA_CHROMIUM", "/usr/bin/chromium-headless-shell")
PICTURES = pathlib.Path(os.environ.get("TESSERA_ARTEFACTS", ROOT / ".build" / "screenshots"))


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        # Inside a container, Chromium can't create its own sandbox.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def pytest_collection_modifyitems(items):
    """Pictures for people to look at are taken only where somebody asks for them."""
    if "TESSERA_ARTEFACTS" not in os.environ:
        for item in items:
            if item.name.startswith("test_screenshots"):
                item.add_marker(pytest.mark.skip(reason="TESSERA_ARTEFACTS is not set"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Reports what the pages of a failed test showed. Some tests fail once in a hundred runs, on another machine."""
    report = yield
    if report.when == "call" and report.failed:
        for front in getattr(getattr(item, "funcargs", {}).get("visit"), "fronts", []):
            # With the failure's own text, which the report in JUnit's form contains too.
            report.longrepr.addsection("what the page showed", front.described())
    return report


def started(folders):
    """Starts servers, and stops all of them at the end."""
    running: list[Server] = []

    def start(*words, **options) -> Server:
        running.append(Server(*words, data=options.pop("data", folders.mktemp("data")), **options))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def start_for_all(tmp_path_factory):
    """Starts servers that end with the session."""
    yield from started(tmp_path_factory)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Starts servers that end with the module, because later tests can do without their threads and workers."""
    yield from started(tmp_path_factory)


@pytest.fixture(scope="session")
def demo(start_for_all) -> Server:
    """Ten thousand pictures over a good network."""
    return start_for_all("demo", "--count", 10_000, "--latency", 5, "--fail", 0, "--hang", 0)


ROUGH = ("demo", "--count", 10_000, "--latency", 120, "--jitter", 0.9, "--fail", 0.03, "--hang", 0.002)


@pytest.fixture(scope="session")
def rough(start_for_all) -> Server:
    """Ten thousand pictures over a bad network: late, out of order, some failing, some never answering."""
    return start_for_all(*ROUGH)


@pytest.fixture(scope="session")
def plain(start_for_all) -> Server:
    """The same over the plain modules, which a test can import or replace one by one."""
    return start_for_all(*ROUGH, public=PLAIN_FRONT)


@pytest.fixture(scope="session")
def far(start_for_all) -> Server:
    """Ten thousand pictures from a slow origin."""
    return start_for_all("demo", "--count", 10_000, "--latency", 200, "--fail", 0, "--hang", 0)


@pytest.fixture(scope="session")
def slow(start_for_all) -> Server:
    """Every response is slow."""
    return start_for_all("demo", "--count", 10_000, "--latency", 4_000, "--jitter", 0, "--fail", 0, "--hang", 0)


@pytest.fixture(scope="session")
def broken(start_for_all) -> Server:
    """Every request to the origin fails."""
    return start_for_all("demo", "--count", 8, "--latency", 1, "--fail", 1, "--hang", 0)


@pytest.fixture
def relay():
    """Starts relays that end with the test."""
    running: list[Relay] = []

    def relay(server, play=None) -> Relay:
        running.append(Relay(server, play))
        return running[-1]

    yield relay
    for one in running:
        one.stop()


@pytest.fixture
def public(tmp_path) -> pathlib.Path:
    """The plain modules in a folder of the test's own, to be changed."""
    return shutil.copytree(PLAIN_FRONT, tmp_path / "Public")


@pytest.fixture
def visit(browser: Browser):
    """Opens pages. When the test is over, none of them may have logged errors on the console."""
    fronts: list[Front] = []

    def visit(server: Server, place: str = "", before=lambda page: None, layout: str | None = None, is_empty: bool = False,
              **options) -> Front:
        options.setdefault("viewport", {"width": 1280, "height": 800})
        # Playwright's routes don't see what a service worker answers.
        options.setdefault("service_workers", "block")
        context = browser.new_context(**options)
        if layout:
            # As if the user had chosen it on this device before.
            context.add_init_script(f"localStorage.setItem('tessera.layout', '{layout}')")
        context.set_default_timeout(30_000)
        page = context.new_page()
        before(page)
        front = Front(page, server.address)
        fronts.append(front)
        return front.visit(place, is_empty)

    visit.fronts = fronts
    yield visit
    complaints = [complaint for front in fronts for complaint in front.complaints]
    for front in fronts:
        front.page.unroute_all(behavior="ignoreErrors")
        front.page.context.close()
    assert not complaints


PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}


@pytest.fixture
def phone(visit):
    return lambda server, place="", **options: visit(server, place, **PHONE, **options)


@pytest.fixture
def picture():
    """Saves a screenshot for people to look at."""
    PICTURES.mkdir(parents=True, exist_ok=True)

    def picture(front: Front, name: str):
        # Captures the screen as it is now, even during scrolling.
        session = front.page.context.new_cdp_session(front.page)
        taken = session.send("Page.captureScreenshot")
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    return picture
