"""HTTP as used by clients other than browsers, against the whole program."""

import socket
import threading
import time

import pytest

ELSEWHERE = "https://elsewhere.example"


class Raw:
    """One connection, byte by byte."""

    def __init__(self, gallery):
        self.socket = socket.create_connection(("127.0.0.1", gallery.port), timeout=60)

    def ask(self, method, target, body=b"", **fields):
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode() + body)

    def finish(self):
        """Shuts down the sending side, but keeps reading."""
        self.socket.shutdown(socket.SHUT_WR)

    def answers(self):
        """Status and fields of all responses up to the end, with interim ones separate."""
        received = b""
        while piece := self.socket.recv(65536):
            received += piece
        interim, final = [], []
        while received:
            head, received = received.split(b"\r\n\r\n", 1)
            lines = head.decode("latin-1").split("\r\n")
            status = int(lines[0].split(" ")[1])
            fields = dict(line.lower().split(": ", 1) for line in lines[1:])
            if status < 200:
                interim.append(status)
                continue
            length = int(fields.get("content-length", 0))
            assert len(received) >= length, "the response is truncated"
            final.append((status, fields, received[:length]))
            received = received[length:]
        return interim, final


def half_closed(gallery, method, target, body=b"", **fields):
    """The final response to a client that shuts down its sending side after its request."""
    raw = Raw(gallery)
    raw.ask(method, target, body, **fields)
    raw.finish()
    _, (answer,) = raw.answers()
    return answer


def test_a_half_closed_client_gets_its_response_on_every_route(serve, shared_folder):
    gallery = serve(shared_folder)
    image = next(iter(gallery.images(12).values()))
    for target in [
        "/api/v1/images", f"/api/v1/images/{image['id']}", "/api/v1/status", "/metrics", "/healthz", "/readyz", "/",
        "/api/openapi.json", f"/images/{image['id']}/original", f"/images/{image['id']}/preview",
        f"/images/{image['id']}/tile", f"/images/{image['id']}/screen", image["links"]["tile"],
    ]:
        status, _, body = half_closed(gallery, "GET", target)
        assert status == 200 and body, target
    status, _, _ = half_closed(
        gallery, "POST", "/api/v1/tokens", b'{"first":0,"count":3}', Content_Type="application/json")
    assert status == 201
    status, _, _ = half_closed(
        gallery, "POST", "/api/v1/tokens/cancel", b'{"session":"AAAAAAAAAAAAAAAAAAAAAA"}', Content_Type="text/plain")
    assert status == 200


def test_a_half_closed_client_can_wait_for_an_origin(listed, origin):
    gallery = listed(origin.url("good", "1.jpg"), origin.url("good", "2.jpg"), origin.url("good", "3.jpg"))
    images = gallery.page(limit=3)["images"]
    raw = Raw(gallery)
    for image, rendition in zip(images, ["tile", "original", "preview"]):
        raw.ask("GET", f"/images/{image['id']}/{rendition}")
    raw.finish()
    _, answers = raw.answers()
    assert [status for status, _, _ in answers] == [200, 200, 200]
    assert answers[1][2] == origin.picture


@pytest.mark.parametrize("rendition", ["tile", "original"])
def test_a_full_close_during_a_hung_fetch_aborts_it(listed, origin, rendition):
    gallery = listed(origin.url("hang"))
    (image,) = gallery.images(1).values()
    raw = Raw(gallery)
    raw.ask("GET", f"/images/{image['id']}/{rendition}")
    origin.wait_until_asked("/hang/")
    moment = time.monotonic()
    raw.socket.close()
    assert origin.wait_until_closed("/hang/") - moment < 2


def test_a_half_close_does_not_abort_a_hung_fetch(listed, origin):
    gallery = listed(origin.url("hang"))
    (image,) = gallery.images(1).values()
    raw = Raw(gallery)
    raw.ask("GET", f"/images/{image['id']}/tile")
    origin.wait_until_asked("/hang/")
    raw.finish()
    assert raw.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    # By now, the fetch from the origin would have been aborted.
    assert gallery.get("/healthz").status == 200
    assert not origin.closed
    raw.socket.close()


def test_allowed_origins_can_read_cached_responses(serve, shared_folder):
    gallery = serve(shared_folder, "--allow-origin", ELSEWHERE)
    image = next(iter(gallery.images(12).values()))
    tile = image["links"]["tile"]
    assert gallery.get(tile).status == 200
    for target in [tile, tile, "/", "/api/openapi.json", "/api/v1/images", f"/images/{image['id']}/original"]:
        answer = gallery.get(target, Origin=ELSEWHERE)
        assert answer.status == 200
        assert answer.headers["Access-Control-Allow-Origin"] == ELSEWHERE, target
        for fields in ({}, {"Origin": "https://other.example"}):
            other = gallery.get(target, **fields)
            assert "Access-Control-Allow-Origin" not in other.headers
            assert "Origin" in ", ".join(other.headers.get_all("Vary")), target
        again = gallery.get(target, **{"Origin": ELSEWHERE, "If-None-Match": answer.headers["ETag"]})
        assert again.status == 304 and again.headers["Access-Control-Allow-Origin"] == ELSEWHERE, target


def framing(gallery, target: str) -> str:
    policy = gallery.get(target).headers["Content-Security-Policy"]
    (directive,) = [part.strip() for part in policy.split(";") if "frame-ancestors" in part]
    return directive.removeprefix("frame-ancestors ")


@pytest.mark.parametrize("words, expected", [
    ([], "'none'"), (["--embed", ELSEWHERE, "--embed", "http://nas.local"], f"{ELSEWHERE} http://nas.local")])
def test_only_named_sites_can_frame_the_page_and_none_can_frame_anything_else(serve, shared_folder, words, expected):
    gallery = serve(shared_folder, *words)
    image = next(iter(gallery.images(12).values()))
    assert framing(gallery, "/") == expected
    for target in [*image["links"].values(), "/images/0000000000000/tile", "/nothing", "/api/v1/images",
                   f"/api/v1/images/{image['id']}", "/api/v1/images/0000000000000", "/api/v1/shape?first=0"]:
        assert framing(gallery, target) == "'none'", target
    assert gallery.get("/metrics").headers["X-Content-Type-Options"] == "nosniff"
    assert "camera=()" in gallery.get("/").headers["Permissions-Policy"]


@pytest.mark.parametrize("kind", ["good", "hang-in-body"])
def test_preconditions_on_an_unfetched_original_need_no_fetch(listed, origin, kind):
    gallery = listed(origin.url(kind, "1.jpg"), origin.url(kind, "2.jpg"))
    first, second = gallery.page(limit=2)["images"]
    gallery.get(f"/images/{first['id']}/original", **{"If-Match": '"other"'}).is_problem(412)
    known = gallery.get(f"/images/{second['id']}/original", **{"If-None-Match": "*"})
    assert known.status == 304 and known.body == b""


def test_small_chunks_are_accepted_up_to_a_limit_of_overhead(serve, shared_folder):
    gallery = serve(shared_folder)
    fields = {"Content_Type": "application/json", "Transfer_Encoding": "chunked"}
    order = b'{"first":0,"count":3}'.ljust(120_000)
    raw = Raw(gallery)
    raw.ask("POST", "/api/v1/tokens", **fields)
    raw.socket.sendall(b"".join(b"2\r\n" + order[n:n + 2] + b"\r\n" for n in range(0, len(order), 2)) + b"0\r\n\r\n")
    raw.finish()
    _, ((status, _, _),) = raw.answers()
    assert status == 201
    raw = Raw(gallery)
    raw.ask("POST", "/api/v1/tokens", **fields)
    sender = threading.Thread(target=raw.socket.sendall, args=(b"".join(
        b"1;e=x\r\n" + order[n:n + 1] + b"\r\n" for n in range(len(order))) + b"0\r\n\r\n",), daemon=True)
    sender.start()
    assert raw.socket.recv(12) == b"HTTP/1.1 400"
    raw.socket.close()
