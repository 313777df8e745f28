"""People and programs that use a gallery with accounts."""

import base64
import re
import socket

from gallery import PATIENCE, Answer, Gallery, wait_until

PASSWORD = "correct horse battery"


class Person:
    """A browser: keeps its cookies."""

    def __init__(self, gallery: Gallery, **headers: str):
        self.gallery, self.cookies, self.headers = gallery, {}, headers

    def ask(self, method: str, target: str, body=None, **headers: str) -> Answer:
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        answer = self.gallery.ask(method, target, body, {**self.headers, **cookie, **headers})
        for field in answer.headers.get_all("Set-Cookie") or []:
            name, value = field.split(";")[0].split("=", 1)
            if "Max-Age=0" in field:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def get(self, target: str, **headers: str) -> Answer:
        return self.ask("GET", target, **headers)

    def post(self, target: str, body=None, **headers: str) -> Answer:
        return self.ask("POST", target, {} if body is None else body, **headers)

    def delete(self, target: str, **headers: str) -> Answer:
        return self.ask("DELETE", target, **headers)

    def sign_in(self, name: str, password: str = PASSWORD) -> Answer:
        return self.post("/api/v1/session", {"name": name, "password": password})

    def accept(self, code: str, name: str | None = None, password: str = PASSWORD) -> Answer:
        return self.post("/api/v1/invitation/accept", {"code": code, "name": name, "password": password})

    def invite(self, role: str, name: str) -> "Person":
        """Somebody who has accepted this owner's invitation."""
        invitation = self.post("/api/v1/people", {"role": role})
        assert invitation.status == 201, invitation.body
        person = Person(self.gallery)
        assert person.accept(invitation.json["code"], name).status == 201
        return person

    def issue(self, *scopes: str, **more) -> str:
        """The secret of a new app token."""
        issued = self.post("/api/v1/app-tokens", {"name": "program", "scopes": list(scopes), **more})
        assert issued.status == 201, issued.body
        return issued.json["secret"]

    @property
    def id(self) -> str:
        return self.get("/api/v1/session").json["account"]["id"]


def set_up_code(gallery: Gallery) -> str:
    """The code in the link that the server prints while there is no owner."""
    wait_until(lambda: "invitation=" in gallery.log, "the link", lambda: gallery.log)
    return re.search(r"account\.html#invitation=([\w-]+)", gallery.log)[1]


def set_up(gallery: Gallery, name: str = "olga") -> Person:
    """The owner, who has followed the link that the server printed."""
    owner = Person(gallery)
    answer = owner.accept(set_up_code(gallery), name)
    assert answer.status == 201, answer.body
    return owner


def open_stream(gallery: Gallery, cookie: str) -> socket.socket:
    """The stream of a browser with these cookies; nothing has been read yet."""
    stream = socket.create_connection(("127.0.0.1", gallery.port), timeout=PATIENCE)
    key = base64.b64encode(b"0" * 16).decode()
    stream.sendall((f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{gallery.port}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tessera.v1\r\n"
                    f"Sec-WebSocket-Key: {key}\r\nCookie: {cookie}\r\n\r\n").encode())
    return stream
