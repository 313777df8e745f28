"""The page shows the progress of indexing."""

import contextlib
import os
import pathlib
import re
import signal
import threading

import pytest

from conftest import PHONE
from folder import Folder


def workers(server) -> list[int]:
    """The worker processes that index files."""
    found = []
    for children in pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/children"):
        # A thread may have ended since it was listed.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, children.read_text().split())
    return found


def tell(server, what: signal.Signals):
    for process in workers(server):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, what)


@contextlib.contextmanager
def held(server):
    """Suspends indexing: stops the workers and any that are started."""
    is_over = threading.Event()

    def hold():
        tell(server, signal.SIGSTOP)
        while not is_over.wait(0.01):
            tell(server, signal.SIGSTOP)

    holding = threading.Thread(target=hold)
    holding.start()
    try:
        yield
    finally:
        is_over.set()
        holding.join()
        tell(server, signal.SIGCONT)


def until_said(front, text: str):
    # A worker stopped for too long is killed, and its file is retried after a minute.
    front.page.wait_for_function("(text) => document.querySelector('body > [aria-live]').textContent === text",
                                 arg=text, timeout=150_000)


@pytest.fixture
def gallery(start, tmp_path):
    return Folder(start, tmp_path, ["first.jpg"], examines=True)


def test_the_progress_line_is_shown_only_during_indexing(visit, gallery):
    front = visit(gallery.server, "?sort=taken")
    front.until_settled()
    line = front.page.locator("#progress")
    assert line.is_hidden()
    with held(gallery.server):
        gallery.put(*(f"{number:03d}.jpg" for number in range(200)))
        line.wait_for(timeout=60_000)
        # The newest files may be skipped for a moment, because they may be incomplete.
        told = re.fullmatch(r"Reading photo details: [01] of (\d+)", line.inner_text())
        assert told and 20 < int(told[1]) <= 201
        until_said(front, "Reading photo details")
        front.page.get_by_role("searchbox", name="Search").fill("camera:none")
        front.page.get_by_text("Photo details are still being read.").wait_for()
    line.wait_for(state="hidden", timeout=150_000)
    until_said(front, "All photo details have been read")


def test_an_indexed_gallery_shows_no_progress(visit, gallery):
    front = visit(gallery.server)
    front.until_told("async () => { const { examined } = await (await fetch('/api/v1/status')).json();"
                "return examined.done === 1 && examined.total === 1; }")
    with front.page.expect_response("**/api/v1/status"):
        front.visit()
    front.until_settled()
    assert front.page.locator("#progress").is_hidden()
    assert not front.page.evaluate("() => document.querySelector('body > [aria-live]').textContent.includes('ooked')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_screenshots_of_the_progress(visit, gallery, picture, size, scheme):
    front = visit(gallery.server, "?sort=taken", color_scheme=scheme, **(PHONE if size == "phone" else {}))
    front.until_settled()
    with held(gallery.server):
        gallery.put(*(f"{number:03d}.jpg" for number in range(200)))
        front.page.locator("#progress").wait_for(timeout=60_000)
        picture(front, f"progress-{size}-{scheme}")
