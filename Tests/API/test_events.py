"""Bucket notifications update the gallery at once, without a listing, but their contents are not trusted."""

import base64
import json
import urllib.parse

import pytest

import pictures
from gallery import run, wait_until
# Includes a fixture.
from test_cluster import redis

SECRET = "a-secret/of+the=tests"
BEARER = {"Authorization": f"Bearer {SECRET}"}


@pytest.fixture
def told(serve, store):
    """Serves the store's bucket, which may send notifications; it is not rescanned meanwhile."""
    def start(*words, source="s3://pictures", **more):
        return serve(source, "--rescan", "3600", *words, **store.environment(TESSERA_EVENTS_SECRET=SECRET, **more))

    return start


def record(name: str, key: str, bucket: str = "pictures", **more) -> dict:
    """An event as S3 writes it ("Event message structure")."""
    return {"eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": "us-east-1", "eventName": name,
            "eventTime": "2024-05-01T10:00:00.000Z", "s3": {
                "s3SchemaVersion": "1.0", "configurationId": "1",
                "bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}", "ownerIdentity": {"principalId": "A"}},
                "object": {"key": urllib.parse.quote_plus(key), "size": 1, "eTag": "e", "sequencer": "0", **more}}}


def tell(gallery, *records: dict, headers=None):
    return gallery.ask("POST", "/api/v1/events", {"Records": list(records)}, BEARER if headers is None else headers)


def names(gallery) -> list[str]:
    return [image["name"] for image in gallery.page(limit=500)["images"]]


def test_new_changed_and_deleted_objects_are_noticed_without_a_listing(told, store):
    for key in ("b.jpg", "c d.jpg", "e.jpg"):
        store.put(key, pictures.encoded("JPEG", seed=1))
    gallery = told()
    images = gallery.images(3)
    assert gallery.tile(images["e.jpg"]).status == 200
    listings = len(store.whole_listings())
    other = pictures.encoded("JPEG", seed=9)
    store.put("e.jpg", other, 1_700_000_500)
    store.put("été + ☀/a.jpg")
    del store.buckets["pictures"]["c d.jpg"]
    answer = tell(gallery, record("ObjectCreated:Put", "e.jpg"), record("ObjectRemoved:Delete", "c d.jpg"),
                  record("s3:ObjectCreated:CompleteMultipartUpload", "été + ☀/a.jpg"))
    assert answer.status == 202 and answer.json == {"noted": 3}
    wait_until(lambda: names(gallery) == ["b.jpg", "e.jpg", "a.jpg"], "the change", lambda: f"{names(gallery)}")
    changed = gallery.images(3)["e.jpg"]
    assert changed["id"] == images["e.jpg"]["id"] and changed["links"] != images["e.jpg"]["links"]
    assert gallery.get(f"/images/{changed['id']}/original").body == other
    assert len(store.whole_listings()) == listings
    assert gallery.get("/api/v1/status").json["events"] == {"noted": 3, "lookups": 3, "listings": 0}
    assert "tessera_event_lookups_total 3" in gallery.get("/metrics").body.decode()


def test_the_contents_of_events_are_not_trusted(told, store):
    for key in ("a.jpg", "b.jpg"):
        store.put(key)
    gallery = told()
    gallery.images(2)
    before = gallery.page()
    store.put("c.jpg")
    # The true event comes last, after one that says the opposite and has a higher sequence number.
    answer = tell(gallery, record("ObjectRemoved:Delete", "a.jpg"), record("ObjectCreated:Put", "none.jpg"),
                  record("ObjectCreated:Put", "b.jpg", eTag="forged", size=9),
                  record("ObjectRemoved:Delete", "c.jpg", sequencer="FF"),
                  record("ObjectCreated:Put", "c.jpg", sequencer="01"))
    assert answer.json == {"noted": 5}
    wait_until(lambda: names(gallery) == ["a.jpg", "b.jpg", "c.jpg"], "c.jpg")
    assert gallery.page()["images"][:2] == before["images"]


def test_sns_notifications_are_accepted_with_basic_authentication(told, store):
    store.put("a.jpg")
    gallery = told()
    gallery.images(1)
    store.put("b.jpg")
    envelope = {"Type": "Notification", "MessageId": "1", "TopicArn": "arn:aws:sns:us-east-1:1:t",
                "Message": json.dumps({"Records": [record("ObjectCreated:Put", "b.jpg")]})}
    password = base64.b64encode(f"tessera:{SECRET}".encode()).decode()
    asked = gallery.ask("POST", "/api/v1/events", envelope)
    assert asked.status == 401 and "Basic" in asked.headers["WWW-Authenticate"]
    answer = gallery.ask("POST", "/api/v1/events", envelope, {
        "Authorization": f"Basic {password}", "Content-Type": "text/plain; charset=UTF-8"})
    assert answer.status == 202 and answer.json == {"noted": 1}
    wait_until(lambda: names(gallery) == ["a.jpg", "b.jpg"], "b.jpg")


def test_a_subscription_is_only_logged_and_never_confirmed(told, store):
    store.put("a.jpg")
    gallery = told()
    gallery.images(1)
    asked = list(store.asked)
    for link in (f"{store.endpoint}/?Action=ConfirmSubscription", "https://sns.us-east-1.amazonaws.com/?Token=1"):
        body = {"Type": "SubscriptionConfirmation", "Token": "1", "Message": "You have chosen", "SubscribeURL": link}
        assert gallery.ask("POST", "/api/v1/events", body, BEARER).json == {"noted": 0}
    wait_until(lambda: "https://sns.us-east-1.amazonaws.com/?Token=1" in gallery.log, "the link in the log")
    assert store.endpoint + "/?" not in gallery.log and store.asked == asked


def test_irrelevant_events_are_ignored(told, store):
    store.put("2024/a.jpg")
    gallery = told(source="s3://pictures/2024")
    gallery.images(1)
    asked = list(store.asked)
    answer = tell(gallery, record("s3:ObjectAccessed:Get", "2024/a.jpg"), record("ObjectTagging:Put", "2024/a.jpg"),
                  record("ObjectCreated:Put", "2023/b.jpg"), record("ObjectCreated:Put", "2024/notes.txt"),
                  record("ObjectCreated:Put", "2024/c.jpg", bucket="other"))
    assert answer.status == 202 and answer.json == {"noted": 0}
    test = {"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "pictures"}
    assert gallery.ask("POST", "/api/v1/events", test, BEARER).json == {"noted": 0}
    assert store.asked == asked


def test_a_burst_of_events_triggers_a_listing(told, store):
    store.put("a.jpg")
    gallery = told()
    gallery.images(1)
    listings, asked = len(store.whole_listings()), len(store.asked)
    for number in range(300):
        store.put(f"new/{number}.jpg")
    for start in range(0, 300, 50):
        records = [record("ObjectCreated:Put", f"new/{number}.jpg") for number in range(start, start + 50)]
        assert tell(gallery, *records).json == {"noted": 50}
    wait_until(lambda: gallery.page(limit=1)["total"] == 301, "all of them")
    assert len(store.whole_listings()) > listings and len(store.asked) < asked + 100


def test_events_without_the_secret_are_refused(told, store):
    store.put("a.jpg")
    gallery = told()
    gallery.images(1)
    asked = list(store.asked)
    for wrong in ("", "Bearer", "Bearer ", "Bearer wrong", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", SECRET,
                  f"Basic {SECRET}", "Basic " + base64.b64encode(b"tessera:wrong").decode(), "Basic ====",
                  f"Digest {SECRET}", f"bearer {SECRET.upper()}"):
        answer = tell(gallery, record("ObjectCreated:Put", "b.jpg"), headers={"Authorization": wrong})
        assert answer.is_problem(401) and "Bearer" in answer.headers["WWW-Authenticate"], wrong
    assert gallery.get("/api/v1/events").is_problem(405)
    assert gallery.get("/api/v1/status").json["events"]["noted"] == 0 and store.asked == asked
    assert tell(gallery, record("ObjectCreated:Put", "b.jpg"), headers={"Authorization": f"bearer  {SECRET}"}
                ).status == 202
    everything = gallery.log + gallery.get("/metrics").body.decode() + gallery.get("/api/v1/status").body.decode()
    assert SECRET not in everything


def test_events_are_refused_if_no_secret_is_set(serve, store):
    store.put("a.jpg")
    gallery = serve("s3://pictures", **store.environment())
    for headers in ({}, BEARER, {"Authorization": "Bearer "}):
        assert tell(gallery, record("ObjectCreated:Put", "a.jpg"), headers=headers).is_problem(404)
    assert "events" not in gallery.get("/api/v1/status").json


@pytest.mark.parametrize("body, status, field", [
    (b"", 400, None), (b"[1]", 400, None), (b"{}", 400, "Records"), (b'{"Records":1}', 400, "Records"),
    (b'{"Type":"Notification","Message":"{"}', 400, None),
    (json.dumps({"Type": "Notification", "Message": json.dumps({"Type": "Notification", "Message": "{}"})}).encode(),
     400, "Message"),
    (json.dumps({"Records": [record("ObjectCreated:Put", "a.jpg")] * 1_001}).encode(), 400, "Records"),
    (b'{"Records":[' + b" " * (600 << 10) + b"]}", 413, None),
    (b"[" * 100_000, 400, None),
])
def test_an_invalid_event_body_is_refused(told, store, body, status, field):
    gallery = told()
    answer = gallery.ask("POST", "/api/v1/events", body, BEARER)
    assert answer.is_problem(status)
    assert field is None or answer.json["field"] == field
    assert gallery.ask("POST", "/api/v1/events", body, {**BEARER, "Content-Type": "text/html"}).is_problem(415)


def test_an_unreadable_event_does_not_affect_others(told, store):
    store.put("a.jpg")
    gallery = told()
    gallery.images(1)
    store.put("b.jpg")
    unreadable = {"eventName": "ObjectCreated:Put", "s3": {"bucket": {"name": "pictures"}, "object": {}}}
    answer = tell(gallery, {}, unreadable, record("ObjectCreated:Put", "b.jpg"))
    assert answer.status == 202 and answer.json == {"noted": 1}
    wait_until(lambda: names(gallery) == ["a.jpg", "b.jpg"], "the change")


def test_an_invalid_key_does_no_harm(told, store):
    store.put("a.jpg")
    gallery = told()
    gallery.images(1)
    odd = record("ObjectCreated:Put", "a.jpg")
    for key in ("50%zz.jpg", "%", "%ff%00.jpg", "%c3.jpg"):
        odd["s3"]["object"]["key"] = key
        assert tell(gallery, odd).json == {"noted": 0}
    odd["s3"]["object"]["key"] = "../%00%0a.jpg"
    assert tell(gallery, odd).json == {"noted": 0}
    odd["s3"]["object"]["key"] = "%00%0a+%2B.jpg"
    assert tell(gallery, odd).json == {"noted": 1}
    wait_until(lambda: gallery.get("/api/v1/status").json["events"]["lookups"] == 1, "the lookup")
    assert names(gallery) == ["a.jpg"]


@pytest.mark.parametrize("secret", ["short", "with spaces in the middle", "x" * 257, "ümlaut-of-some-length"])
def test_an_unsuitable_secret_is_refused_with_advice(data, secret):
    refused = run("serve", "s3://pictures", "--port", "0", data=data, TESSERA_EVENTS_SECRET=secret)
    assert refused.returncode != 0 and "--events-secret" in refused.stderr and secret not in refused.stderr


def test_an_event_received_by_one_node_is_handled_by_all(told, store, redis, tmp_path):
    store.put("a.jpg", pictures.encoded("JPEG", seed=1))
    nodes = [told("--redis", redis.url, data=tmp_path / name) for name in "ab"]
    for node in nodes:
        node.images(1)
        wait_until(lambda: node.get("/api/v1/status").json["cluster"]["figures"]["subscribed"] == 1, "the node to subscribe")
    store.put("sub folder/b ü.jpg", pictures.encoded("JPEG", seed=2))
    assert tell(nodes[0], record("ObjectCreated:Put", "sub folder/b ü.jpg"), record("ObjectCreated:Put", "notes.txt")).status == 202
    for node in nodes:
        wait_until(lambda: names(node) == ["a.jpg", "b ü.jpg"], "the change", lambda: f"{names(node)}\n{node.log}")


def test_a_broken_picture_that_is_replaced_is_shown_at_once(told, store):
    store.put("a.jpg", b"no picture at all", 1_700_000_000)
    gallery = told()
    before = gallery.images(1)["a.jpg"]
    assert gallery.tile(before).status >= 400
    store.put("a.jpg", pictures.encoded("JPEG", seed=1), 1_700_000_500)
    assert tell(gallery, record("ObjectCreated:Put", "a.jpg")).status == 202
    wait_until(lambda: gallery.images(1)["a.jpg"]["links"] != before["links"], "the change")
    assert gallery.tile(gallery.images(1)["a.jpg"]).status == 200
