"""A gallery below a path of its host, behind proxies that pass the path on, and one that removes it."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest

from front import by_requests
from server import ROOT
from stored_renditions import ALL_IS_KEPT
from test_offline import FEW, OPTIONS, until_kept

OPERATING = (ROOT / "Documentation/operating.md").read_text()


def documented(beginning: str) -> str:
    """The code block of the documentation that begins like this."""
    return next(block for block in re.findall(r"```\w*\n(.*?)```", OPERATING, re.DOTALL) if block.startswith(beginning))


def nginx(folder: pathlib.Path, port: int, text: str) -> list[str]:
    (folder / "nginx.conf").write_text(f"""
        daemon off; pid {folder}/pid; error_log {folder}/log; worker_processes 1;
        events {{ }}
        http {{
            access_log off;
            {text.replace("server {", f"server {{ listen 127.0.0.1:{port};")}
        }}""")
    return ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "start.log")]


def passed_on_by_nginx(folder: pathlib.Path, port: int, server) -> list[str]:
    return nginx(folder, port, documented("map ").replace("127.0.0.1:8080", f"127.0.0.1:{server.port}"))


def removed_by_nginx(folder: pathlib.Path, port: int, server) -> list[str]:
    return nginx(folder, port, documented("map ").replace("127.0.0.1:8080", f"127.0.0.1:{server.port}/"))


def caddy(folder: pathlib.Path, port: int, server) -> list[str]:
    text = documented("# Caddyfile").replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    (folder / "Caddyfile").write_text("{\nadmin off\n}\n" + text.replace("example.org", f"http://127.0.0.1:{port}"))
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


class Proxy:
    """A proxy in front of a server, configured as documented."""

    def __init__(self, server, folder: pathlib.Path, configure):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}/gallery"
        program, *words = configure(folder, port, server)
        found = shutil.which(program, path="/usr/sbin:/usr/bin")
        assert found, f"no {program} is installed: run Scripts/install test"
        with (folder / "output").open("wb") as output:
            self._process = subprocess.Popen(
                [found, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, "HOME": str(folder)})
        deadline = time.monotonic() + 20
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=5).close()
            except OSError:
                assert time.monotonic() < deadline, (folder / "output").read_text()

    def stop(self):
        self._process.terminate()
        self._process.wait(10)


@pytest.fixture(params=[passed_on_by_nginx, removed_by_nginx, caddy])
def proxy(request, start, tmp_path):
    """The proxy, and the server behind it."""
    server = start(*OPTIONS, "--base-path", "/gallery", data=tmp_path / "data")
    folder = tmp_path / "proxy"
    folder.mkdir()
    proxy = Proxy(server, folder, request.param)
    yield proxy, server
    proxy.stop()


def test_the_page_its_stream_and_the_viewer_work(visit, proxy):
    outside: list[str] = []

    def watch(page):
        page.on("request", lambda request: outside.append(request.url) if request.url.startswith("http")
                and not request.url.startswith(proxy[0].address + "/") else None)

    front = visit(proxy[0], before=watch)
    front.until_settled()
    front.with_readings()
    read = front.page.evaluate("""() => readings.read({
        legs: [{ speed: 0, time: 50, stop: 1 }], enough: 1, time: 2_000, untilWrong: false })""")
    assert read["wrong"] == [] and read["readings"] > 0
    assert front.way == "stream"
    front.slot(1).click()
    front.viewer.wait_for()
    front.page.locator("#viewer .frame[data-phase=displayed]").first.wait_for()
    front.page.keyboard.press("i")
    front.page.get_by_role("img", name="Histogram:").wait_for()
    assert "/gallery/#image=" in front.page.url
    original = front.page.locator("#viewer a[download]").first
    answer = front.page.request.get(original.evaluate("(link) => link.href"))
    assert answer.ok and answer.headers["content-type"].startswith("image/")
    front.page.go_back()
    front.viewer.wait_for(state="hidden")
    assert outside == []


def test_without_a_stream_pictures_are_requested_below_the_path(visit, proxy):
    front = visit(proxy[0], before=by_requests)
    front.until_settled()
    assert front.way == "http"
    assert front.page.locator(".slot[data-phase=failed]").count() == 0


def test_without_its_server_the_gallery_opens(visit, proxy):
    front = visit(proxy[0], **FEW)
    front.until_settled()
    until_kept(front)
    front.until_told(ALL_IS_KEPT)
    scope = front.page.evaluate("async () => (await navigator.serviceWorker.ready).scope")
    assert scope.endswith("/gallery/")
    proxy[1].stop()
    front.visit()
    front.page.locator("#banner").wait_for()
    front.until_settled()
    assert front.slots.count() > 0 and front.page.locator(".slot[data-phase=failed]").count() == 0


def test_an_installed_app_opens_below_the_path(visit, proxy):
    front = visit(proxy[0])
    found = front.page.evaluate("""async () => {
        const { href } = document.querySelector('link[rel=manifest]');
        const { id, start_url, scope, icons } = await (await fetch(href)).json();
        const answers = await Promise.all(icons.map(({ src }) => fetch(new URL(src, href))));
        // Without an id, the start tells apps of one origin apart (Web Application Manifest, section 1.14).
        return { id, start: new URL(start_url, href).href, scope: new URL(scope, href).href,
                 icons: answers.map(({ ok }) => ok) };
    }""")
    assert found == {"id": None, "start": f"{front.address}/", "scope": f"{front.address}/", "icons": [True] * 4}
