"""Cursors, limits, offsets, tokens and sessions that are malformed, out of range or stale."""

import json
import urllib.parse

import pytest

from gallery import ROOT

UNKNOWN_ID = "0" * 13


def field_is_named(answer, field: str) -> bool:
    return answer.is_problem(400) and field in answer.json.get("field", "") + answer.json.get("detail", "")


@pytest.mark.parametrize("limit", ["0", "-1", "501", "1e2", "ten", "", "99999999999999999999", "1.5", "%00", "١"])
def test_a_bad_limit_is_named(shared_gallery, limit):
    target = f"/api/v1/images?limit={urllib.parse.quote(limit, safe='%')}"
    assert field_is_named(shared_gallery.get(target), "limit")


@pytest.mark.parametrize("offset", ["-1", "x", "", "99999999999999999999", "0x10", "1 "])
def test_a_bad_offset_is_named(shared_gallery, offset):
    assert field_is_named(shared_gallery.get(f"/api/v1/images?offset={urllib.parse.quote(offset)}"), "offset")


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "%00%ff", "../../etc/passwd", "9" * 5000, "eyJhIjoxfQ=="])
def test_a_bad_cursor_is_named(shared_gallery, cursor):
    assert field_is_named(shared_gallery.get(f"/api/v1/images?cursor={cursor}"), "cursor")


def test_a_cursor_with_an_offset_is_refused(shared_gallery):
    cursor = shared_gallery.page(limit=3)["next"]
    for query in (f"cursor={cursor}&offset=3", f"offset=0&cursor={cursor}"):
        answer = shared_gallery.get(f"/api/v1/images?{query}")
        assert field_is_named(answer, "cursor")
        assert "cannot be combined with offset" in answer.json["detail"]
    parameters = json.loads((ROOT / "Public/api/openapi.json").read_text())["paths"]["/api/v1/images"]["get"]["parameters"]
    told = {one["name"]: one["description"] for one in parameters if "name" in one}
    assert "Not together with `offset`" in told["cursor"] and "Not together with `cursor`" in told["offset"]


def test_an_offset_past_the_end_is_an_empty_page(shared_gallery):
    page = shared_gallery.page(offset=1_000_000)
    assert page["images"] == [] and page["total"] == 12 and page.get("next") is None


def test_cursors_and_offsets_give_the_same_order(shared_gallery):
    whole = [image["id"] for image in shared_gallery.page(limit=500)["images"]]
    by_offset = [image["id"] for n in range(0, 12, 5) for image in shared_gallery.page(limit=5, offset=n)["images"]]
    by_cursor, page = [], shared_gallery.page(limit=5)
    while True:
        by_cursor += [image["id"] for image in page["images"]]
        if not page.get("next"):
            break
        page = shared_gallery.page(limit=5, cursor=page["next"])
    assert whole == by_offset == by_cursor and len(set(whole)) == 12


def test_the_next_page_is_linked(shared_gallery):
    link = shared_gallery.get("/api/v1/images?limit=5").headers["Link"]
    assert link.startswith("<") and 'rel="next"' in link
    following = shared_gallery.get(link[1:link.index(">")])
    assert following.status == 200 and following.json["offset"] == 5
    assert shared_gallery.get("/api/v1/images?limit=500").headers["Link"] is None


@pytest.mark.parametrize("name", [
    UNKNOWN_ID, "x", "0" * 14, "..%2f..%2fetc%2fpasswd", "%00", "a" * 3000, "O" * 13, "http:%2f%2f127.0.0.1%2f"])
@pytest.mark.parametrize("form", ["/api/v1/images/{}", "/images/{}/tile", "/images/{}/original"])
def test_an_unknown_image_is_404(shared_gallery, form, name):
    shared_gallery.get(form.format(name)).is_problem(404, 400) if name == "%00" else \
        shared_gallery.get(form.format(name)).is_problem(404)


def test_an_unknown_rendition_is_404(shared_gallery):
    (image, *_) = shared_gallery.page()["images"]
    for rendition in ("huge", "Tile", "tile.jpg", "tile/", ""):
        shared_gallery.get(f"/images/{image['id']}/{rendition}").is_problem(404)


@pytest.mark.parametrize("token", ["", "x", "A" * 22, "A" * 10_000, "%00", "é"])
def test_an_unknown_token_is_refused(shared_gallery, token):
    (image, *_) = shared_gallery.page()["images"]
    answer = shared_gallery.get(f"/images/{image['id']}/tile?token={urllib.parse.quote(token, safe='%')}")
    answer.is_problem(400, 403, 404, 410, 414)


def test_a_token_is_valid_only_for_its_own_image_and_rendition(shared_gallery):
    first, second, *_ = shared_gallery.page()["images"]
    issued = shared_gallery.tokens(rendition="tile", slots=[{"slot": 0, "image": first["id"]}])
    token = issued["tokens"][0]["token"]
    shared_gallery.get(f"/images/{second['id']}/tile?token={token}").is_problem(400, 403, 404, 409, 410)
    shared_gallery.get(f"/images/{first['id']}/screen?token={token}").is_problem(400, 403, 404, 409, 410)


BAD_TOKEN_REQUESTS = {
    "nothing": b"",
    "no JSON": b"{",
    "an array": [],
    "a number": 7,
    "an unknown rendition": {"rendition": "huge", "first": 0, "count": 3},
    "neither slots nor a run": {"rendition": "tile"},
    "slots and a run": {"rendition": "tile", "slots": [], "first": 0, "count": 1},
    "a run without its length": {"rendition": "tile", "first": 0},
    "a negative start": {"rendition": "tile", "first": -1, "count": 3},
    "a negative length": {"rendition": "tile", "first": 0, "count": -3},
    "a run beyond every number": {"rendition": "tile", "first": 2**63 - 1, "count": 2**63 - 1},
    "a length beyond reason": {"rendition": "tile", "first": 0, "count": 10**9},
    "a slot without image": {"rendition": "tile", "slots": [{"slot": 1}]},
    "a slot that is a word": {"rendition": "tile", "slots": [{"slot": "one", "image": UNKNOWN_ID}]},
    "a fractional slot": {"rendition": "tile", "slots": [{"slot": 1.5, "image": UNKNOWN_ID}]},
    "a negative slot": {"rendition": "tile", "slots": [{"slot": -1, "image": UNKNOWN_ID}]},
    "too many slots": {"rendition": "tile", "slots": [{"slot": n, "image": UNKNOWN_ID} for n in range(20_000)]},
    "a malformed session": {"rendition": "tile", "session": "no such thing", "first": 0, "count": 1},
    "a session that is a number": {"rendition": "tile", "session": 7, "first": 0, "count": 1},
    "depth": b"[" * 100_000,
    "bytes that are no text": b'{"rendition":"\xff\xfe"}',
}


@pytest.mark.parametrize("body", BAD_TOKEN_REQUESTS.values(), ids=BAD_TOKEN_REQUESTS.keys())
def test_a_bad_request_for_tokens_is_refused(shared_gallery, body):
    shared_gallery.post("/api/v1/tokens", body).is_problem(400, 404, 410, 413, 422)


def test_a_body_that_is_too_large_is_413(shared_gallery):
    shared_gallery.post("/api/v1/tokens", b'{"rendition":"' + b"a" * 20_000_000 + b'"}').is_problem(413)


def test_a_body_of_another_type_is_415(shared_gallery):
    shared_gallery.ask("POST", "/api/v1/tokens", b"rendition=tile", {
        "Content-Type": "application/x-www-form-urlencoded"}).is_problem(400, 415)


def test_a_forgotten_session_starts_anew(shared_gallery):
    """After the page slept or the server restarted, the page continues without noticing."""
    forgotten = "0123456789abcdefghij-A"
    assert shared_gallery.post("/api/v1/tokens/cancel", {"session": forgotten, "tokens": []}).json == {"cancelled": 0}
    issued = shared_gallery.tokens(session=forgotten, rendition="tile", first=0, count=1)
    assert shared_gallery.get(issued["tokens"][0]["href"]).status == 200


def test_cancelling_unknown_tokens_is_a_no_op(shared_gallery):
    session = shared_gallery.tokens(rendition="tile", first=0, count=1)["session"]
    answer = shared_gallery.post("/api/v1/tokens/cancel", {"session": session, "tokens": ["A" * 22, "B" * 21 + "A"]})
    assert answer.status == 200 and answer.json == {"cancelled": 0}


@pytest.mark.parametrize("body", [
    {}, {"tokens": []}, {"session": "x"}, {"session": "A" * 22, "tokens": "T"}, {"session": "A" * 22, "tokens": [1]}, []])
def test_a_bad_cancel_is_refused(shared_gallery, body):
    shared_gallery.post("/api/v1/tokens/cancel", body).is_problem(400, 404, 410)


def test_a_cancel_sent_as_a_beacon_is_accepted(shared_gallery):
    issued = shared_gallery.tokens(rendition="screen", first=0, count=2)
    body = ('{"session":"%s","tokens":["%s"]}' % (issued["session"], issued["tokens"][0]["token"])).encode()
    answer = shared_gallery.ask(
        "POST", "/api/v1/tokens/cancel", body, {"Content-Type": "text/plain;charset=UTF-8"})
    assert answer.status == 200 and answer.json["cancelled"] in (0, 1)


def test_unknown_paths_are_404(shared_gallery):
    for path in ("/api/v1/nothing", "/api/v2/images", "/images", "/nothing.js", "/../etc/passwd", "/%2e%2e/etc/passwd"):
        shared_gallery.get(path).is_problem(404, 400)


@pytest.mark.parametrize("method, path", [
    ("DELETE", "/api/v1/images"), ("POST", "/api/v1/images"), ("GET", "/api/v1/tokens"), ("PUT", "/api/v1/status"),
    ("GET", "/api/v1/tokens/cancel"), ("POST", "/healthz"), ("BREW", "/api/v1/images")])
def test_a_wrong_method_is_405_with_the_allowed_methods(shared_gallery, method, path):
    answer = shared_gallery.ask(method, path)
    if method == "BREW":
        assert answer.is_problem(405, 501)
    else:
        assert answer.is_problem(405) and answer.headers["Allow"]
        assert method not in answer.headers["Allow"]
