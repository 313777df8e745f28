"""The life of a token, as seen by a client of the API."""

import json
import time

from gallery import wait_until


def test_a_token_delivers_the_image_of_its_slot(shared_gallery):
    issued = shared_gallery.tokens(accept="image/webp,*/*", rendition="tile", first=2, count=3)
    assert [ticket["slot"] for ticket in issued["tokens"]] == [2, 3, 4]
    for ticket in issued["tokens"]:
        answer = shared_gallery.get(ticket["href"])
        assert answer.status == 200 and answer.type == "image/webp"
        assert ticket["href"] == f"/images/{ticket['image']}/tile?token={ticket['token']}"


def test_a_cancel_before_the_request_yields_204_and_keeps_the_connection(listed, origin):
    gallery = listed(origin.url("hang"))
    (image,) = gallery.images(1).values()
    issued = gallery.tokens(rendition="tile", slots=[{"slot": 0, "image": image["id"]}])
    token = issued["tokens"][0]
    cancelled = gallery.post("/api/v1/tokens/cancel", {"session": issued["session"], "tokens": [token["token"]]})
    assert cancelled.status == 200 and cancelled.json == {"cancelled": 1}
    connection = gallery.connection()
    for _ in range(2):
        connection.request("GET", token["href"])
        answer = connection.getresponse()
        assert answer.status == 204 and answer.headers["Tessera-Dropped"] == "cancelled" and answer.read() == b""
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200


def test_a_cancel_during_the_wait_yields_204_and_aborts_the_fetch(listed, origin):
    gallery = listed(origin.url("hang"))
    (image,) = gallery.images(1).values()
    issued = gallery.tokens(rendition="tile", slots=[{"slot": 0, "image": image["id"]}])
    connection = gallery.connection()
    connection.request("GET", issued["tokens"][0]["href"])
    origin.wait_until_asked("/hang/")
    moment = time.monotonic()
    gallery.post("/api/v1/tokens/cancel", {"session": issued["session"], "tokens": [issued["tokens"][0]["token"]]})
    answer = connection.getresponse()
    assert answer.status == 204 and answer.headers["Tessera-Dropped"] == "cancelled"
    assert origin.wait_until_closed("/hang/") - moment < 2


def test_cancelling_one_of_two_waiters_does_not_affect_the_other(listed, origin):
    gallery = listed(origin.url("hang-in-body"), origin.url("good"))
    hanging, good = gallery.page(limit=2)["images"]
    first = gallery.tokens(rendition="tile", slots=[{"slot": 0, "image": hanging["id"]}])
    second = gallery.tokens(rendition="tile", slots=[{"slot": 0, "image": hanging["id"]}])
    origin.wait_until_asked("/hang-in-body/")
    gallery.post("/api/v1/tokens/cancel", {
        "session": first["session"], "tokens": [first["tokens"][0]["token"]]})
    assert gallery.tile(good).status == 200
    assert not origin.closed, "the origin's connection was closed while one still waits"
    gallery.post("/api/v1/tokens/cancel", {
        "session": second["session"], "tokens": [second["tokens"][0]["token"]]})
    origin.wait_until_closed("/hang-in-body/")
    assert origin.times_asked("/hang-in-body/") == 1


def test_a_new_token_for_a_slot_cancels_the_previous_one(listed, origin):
    gallery = listed(origin.url("hang", "1.jpg"), origin.url("hang", "2.jpg"))
    first, second = gallery.page(limit=2)["images"]
    issued = gallery.tokens(rendition="tile", slots=[{"slot": 7, "image": first["id"]}])
    origin.wait_until_asked("1.jpg")
    gallery.tokens(session=issued["session"], rendition="tile", slots=[{"slot": 7, "image": second["id"]}])
    origin.wait_until_closed("1.jpg")
    answer = gallery.get(issued["tokens"][0]["href"])
    assert answer.status == 204 and answer.headers["Tessera-Dropped"] == "cancelled"


def test_a_client_that_disconnects_ends_its_fetch(listed, origin):
    gallery = listed(origin.url("hang"))
    (image,) = gallery.images(1).values()
    connection = gallery.connection()
    connection.request("GET", f"/images/{image['id']}/tile")
    origin.wait_until_asked("/hang/")
    moment = time.monotonic()
    connection.close()
    assert origin.wait_until_closed("/hang/") - moment < 2


def test_many_requests_for_one_uncached_image_share_one_fetch(listed, origin):
    gallery = listed(origin.url("good"))
    (image,) = gallery.images(1).values()
    connections = [gallery.connection() for _ in range(50)]
    for number, connection in enumerate(connections):
        connection.request("GET", f"/images/{image['id']}/{('tile', 'preview', 'original')[number % 3]}")
    bodies = {(n % 3, c.getresponse().read()) for n, c in enumerate(connections)}
    assert len(bodies) == 3
    assert origin.times_asked("/good/") == 1


def test_no_state_remains_after_cancelling_everything(listed, origin):
    gallery = listed(*(origin.url("hang", f"{n}.jpg") for n in range(20)))
    gallery.images(20)
    issued = gallery.tokens(rendition="tile", first=0, count=20)
    gallery.post("/api/v1/tokens/cancel", {
        "session": issued["session"], "tokens": [ticket["token"] for ticket in issued["tokens"]]})

    def at_rest() -> bool:
        status = gallery.get("/api/v1/status").json
        loading, origins = status["loading"], status["origins"]
        return 0 == status["tokens"]["live"] == loading["waiting"] == loading["jobs"] == loading["fetches"] \
            == origins["waiting"] == origins["inFlight"]

    wait_until(at_rest, "all state to be cleared", lambda: json.dumps(gallery.get("/api/v1/status").json))

