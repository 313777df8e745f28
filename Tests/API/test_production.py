"""The complete proxies of the documentation: with TLS and HTTP/2, in front of a server on loopback with accounts."""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading

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


def nginx(folder: pathlib.Path, port: int, text: str) -> list[str]:
    certificate = signed_by_itself(folder, "pictures")
    for written, here in (
            ("listen 443", f"listen 127.0.0.1:{port}"), ("/etc/ssl/pictures.pem", certificate),
            ("/etc/ssl/pictures.key", certificate.with_suffix(".key"))):
        assert written in text
        text = text.replace(written, str(here))
    folder.chmod(0o755)
    (folder / "nginx.conf").write_text(
        f"user root; daemon off; pid {folder}/pid; worker_processes 1; events {{ }}\nhttp {{ access_log off;\n{text} }}")
    for file in folder.iterdir():
        file.chmod(0o644)
    return [program("nginx"), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]


def caddy(folder: pathlib.Path, port: int, text: str) -> list[str]:
    # Its own certificate authority, instead of a public one.
    text = text.replace(f"{NAME} {{", f"https://{NAME}:{port} {{\n    bind 127.0.0.1\n    tls internal")
    (folder / "Caddyfile").write_text("{\nadmin off\nauto_https disable_redirects\nskip_install_trust\n}\n" + text)
    return [program("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.fixture
def behind(serve, shared_folder, tmp_path):
    """Starts a documented proxy in front of a documented server, and returns the server and a function that asks through the
    proxy, with curl. That returns the status line and fields, and the body. In further options of curl, ORIGIN stands for the
    origin of the page."""
    running = []

    def start(proxy, text: str, command: str, **places: int):
        server = serve(shared_folder, *command.replace("\\\n", " ").split())
        for written, here in {"127.0.0.1:8080": server.port, **places}.items():
            assert written in text
            text = text.replace(written, f"127.0.0.1:{here}")
        port, folder = free_port(), tmp_path / "proxy"
        folder.mkdir()
        arguments = proxy(folder, port, text)
        with (folder / "output").open("wb") as output:
            running.append(subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}))

        def ask(target: str, *words: str) -> tuple[str, str]:
            words = [word.replace("ORIGIN", f"https://{NAME}:{port}") for word in words]
            ran = subprocess.run(
                ["curl", "-sik", "--max-time", "20", "--resolve", f"{NAME}:{port}:127.0.0.1", *words,
                 f"https://{NAME}:{port}{target}"],
                capture_output=True, text=True, errors="replace", timeout=60)
            # In text mode, line ends are plain.
            head, _, body = ran.stdout.partition("\n\n")
            return head, body

        wait_until(lambda: ask("/healthz")[0] != "", "the proxy to answer", lambda: (folder / "output").read_text())
        return server, ask

    yield start
    for process in running:
        process.terminate()
        process.wait(20)


@pytest.fixture(params=[(nginx, "map "), (caddy, "# Caddyfile\n")], ids=["nginx", "caddy"])
def ask(request, behind):
    proxy, beginning = request.param
    server, ask = behind(proxy, documented(beginning), re.search(r"tessera serve ~/Pictures (--accounts .*)", TEXT)[1])
    set_up(server, "me")
    return ask


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


class SignInService(http.server.BaseHTTPRequestHandler):
    """Knows people by a cookie: their names and groups."""

    def do_GET(self):
        self.server.asked.append(self.headers)
        who = re.search(r"who=([^;]*)", self.headers.get("Cookie", ""))
        self.send_response(200 if who and self.path == "/auth" else 401)
        for name, value in zip(("Remote-User", "Remote-Groups"), who[1].split("/") if who else ()):
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def service():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SignInService)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.asked = []
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "proxy, beginning", [(nginx, "# nginx with"), (caddy, "# Caddyfile with")], ids=["nginx", "caddy"])
def test_a_sign_in_service_decides_who_is_there(behind, service, proxy, beginning):
    command = re.search(r"tessera serve ~/Pictures (.*--forward-auth.*)", TEXT.replace("\\\n", " "))[1]
    _, ask = behind(proxy, documented(beginning), command, **{"127.0.0.1:9091": service.server_port})

    def session(who: str, *fields: str) -> tuple[str, dict]:
        words = [word for field in (f"Cookie: who={who}", *fields) for word in ("-H", field)]
        head, body = ask("/api/v1/session", *words)
        return head.splitlines()[0].split()[1], json.loads(body)

    status, answer = session("olga/staff,admins")
    assert status == "200" and (answer["account"]["name"], answer["account"]["role"]) == ("olga", "owner")
    assert ask("/api/v1/people", "-H", "Cookie: who=olga/admins")[0].startswith("HTTP/2 200")
    assert ask("/api/v1/session")[0].startswith("HTTP/2 401")
    # What a browser claims itself counts for nothing, whether or not the service names somebody.
    claims = ("Remote-User: olga", "Remote-Groups: admins")
    assert session("ivan", *claims)[1]["account"] | {"id": ""} == session("ivan")[1]["account"] | {"id": ""}
    assert session("ivan", *claims)[1]["account"]["role"] == "member"
    assert "account" not in session("", *claims)[1]
    # Nor does it reach the service.
    service.asked.clear()
    session("ivan", *claims, "X-Forwarded-For: 192.0.2.9")
    assert [(asked["Remote-User"], asked["Remote-Groups"], asked["X-Forwarded-For"]) for asked in service.asked] == [(None, None, "127.0.0.1")]
    aliases = ask("/api/v1/session", "-H", "Cookie: who=", "-H", "Remote_User: olga", "-H", "Remote_Groups: admins")
    assert " 400" in aliases[0].splitlines()[0] or "account" not in json.loads(aliases[1])
    # A visitor of a share need not sign in, and is nobody in particular.
    assert " 404" in ask("/s/AAAAAAAAAAAAAAAAAAAAAA/api/v1/images", *(w for c in claims for w in ("-H", c)))[0].splitlines()[0]
