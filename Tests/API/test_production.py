"""The complete proxies of the documentation: with TLS and HTTP/2, in front of a server on loopback with accounts."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from accounts import PASSWORD, set_up
from certificates import signed_by_itself
from gallery import ROOT, free_port, wait_until

TEXT = (ROOT / "Documentation/production.md").read_text()
NAME = "pictures.example.org"


def documented(beginning: str) -> str:
    """The code block that begins like this."""
    return next(block for block in re.findall(r"```\w*\n(.*?)```", TEXT, re.DOTALL) if block.startswith(beginning))


def program(name: str) -> str:
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin")
    assert found, f"no {name} is installed: run Scripts/install test"
    return found


def nginx(folder: pathlib.Path, port: int, server: int) -> list[str]:
    certificate = signed_by_itself(folder, "pictures")
    text = documented("map ")
    for written, here in (
            ("443", f"127.0.0.1:{port}"), ("/etc/ssl/pictures.pem", certificate),
            ("/etc/ssl/pictures.key", certificate.with_suffix(".key")),
            ("127.0.0.1:8080", f"127.0.0.1:{server}")):
        assert written in text
        text = text.replace(written, str(here))
    folder.chmod(0o755)
    (folder / "nginx.conf").write_text(
        f"user root; daemon off; pid {folder}/pid; worker_processes 1; events {{ }}\nhttp {{ access_log off;\n{text} }}")
    for file in folder.iterdir():
        file.chmod(0o644)
    return [program("nginx"), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]


def caddy(folder: pathlib.Path, port: int, server: int) -> list[str]:
    text = documented("# Caddyfile").replace("127.0.0.1:8080", f"127.0.0.1:{server}")
    # Its own certificate authority, instead of a public one.
    text = text.replace(f"{NAME} {{", f"https://{NAME}:{port} {{\n    bind 127.0.0.1\n    tls internal")
    (folder / "Caddyfile").write_text("{\nadmin off\nauto_https disable_redirects\nskip_install_trust\n}\n" + text)
    return [program("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.fixture(params=[nginx, caddy])
def ask(request, serve, shared_folder, tmp_path):
    """Asks the gallery through the proxy, with curl. Returns the status line and fields, and the body. In further options
    of curl, ORIGIN stands for the origin of the page."""
    command = re.search(r"tessera serve ~/Pictures (--accounts .*)", TEXT)[1].split()
    server = serve(shared_folder, *command)
    set_up(server, "me")
    port, folder = free_port(), tmp_path / "proxy"
    folder.mkdir()
    arguments = request.param(folder, port, server.port)
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})

    def ask(target: str, *words: str) -> tuple[str, str]:
        words = [word.replace("ORIGIN", f"https://{NAME}:{port}") for word in words]
        ran = subprocess.run(
            ["curl", "-sik", "--max-time", "20", "--resolve", f"{NAME}:{port}:127.0.0.1", *words, f"https://{NAME}:{port}{target}"],
            capture_output=True, text=True, errors="replace", timeout=60)
        # In text mode, line ends are plain.
        head, _, body = ran.stdout.partition("\n\n")
        return head, body

    try:
        wait_until(lambda: ask("/healthz")[0] != "", "the proxy to answer", lambda: (folder / "output").read_text())
        yield ask
    finally:
        process.terminate()
        process.wait(20)


def signed_in(ask) -> str:
    """The cookie of a browser that has signed in through the proxy."""
    body = json.dumps({"name": "me", "password": PASSWORD})
    head, answer = ask("/api/v1/session", "-H", "Content-Type: application/json", "-H", "Origin: ORIGIN",
                       "-H", "Sec-Fetch-Site: same-origin", "--data", body)
    assert " 201" in head.splitlines()[0], (head, answer)
    fields = [line.split(":", 1)[1].strip() for line in head.splitlines() if line.lower().startswith("set-cookie:")]
    assert len(fields) == 2
    for field in fields:
        assert field.startswith("__Host-tessera-") and field.endswith("; HttpOnly; SameSite=Lax; Secure"), field
    return "; ".join(field.split(";")[0] for field in fields)


def test_visitors_sign_in_and_get_pictures_over_http_2(ask):
    assert " 401" in ask("/api/v1/images")[0].splitlines()[0]
    head, body = ask("/")
    assert " 200" in head.splitlines()[0] and "<title>Tessera</title>" in body
    cookie = signed_in(ask)
    head, body = ask("/api/v1/images?limit=1", "-H", f"Cookie: {cookie}")
    assert head.splitlines()[0].startswith("HTTP/2 200") and '"links"' in body
    # The address that limits and the list of sessions go by is the visitor's, which the proxy names.
    head, body = ask("/api/v1/sessions", "-H", f"Cookie: {cookie}")
    assert json.loads(body)["sessions"][0]["address"] == "127.0.0.1"
    link = json.loads(ask("/api/v1/images?limit=1", "-H", f"Cookie: {cookie}")[1])["images"][0]["links"]["tile"]
    assert " 200" in ask(link)[0].splitlines()[0] and " 404" in ask(link[:-4] + "0000")[0].splitlines()[0]


def test_pages_of_other_sites_cannot_sign_in(ask):
    for field in ("Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site"):
        head, _ = ask("/api/v1/session", "-H", "Content-Type: application/json", "-H", field, "--data", "{}")
        assert " 403" in head.splitlines()[0]


def test_the_stream_passes_the_proxy(ask):
    cookie = signed_in(ask)
    words = ["--http1.1", "--max-time", "3", "-H", "Connection: Upgrade", "-H", "Upgrade: websocket",
             "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "-H", "Sec-WebSocket-Version: 13",
             "-H", "Sec-WebSocket-Protocol: tessera.v1"]
    for origin, sent, status in (("ORIGIN", cookie, "101"), ("https://elsewhere.example", cookie, "403"), ("ORIGIN", "", "401")):
        head, body = ask("/api/v1/stream?accept=image/jpeg", "-H", f"Origin: {origin}", "-H", f"Cookie: {sent}", *words)
        assert f" {status}" in head.splitlines()[0], (origin, head, body)
