"""Buckets of an S3-compatible store as sources: listed in pages, signed, and never mistaken for empty."""

import json
import socket
import struct
import threading

import pytest

import pictures
from gallery import SAME_IDS, run, wait_until
from store import ACCESS, SECRET, Refused

ODD = ["plain.jpg", "with space.jpg", "plus+plus.jpg", "100%.jpg", "50%2Fhalf.jpg", "Größe/été ☀.jpg", "a//b.jpg",
       "/leading.jpg", "what?.jpg", "a&b=c.jpg", "semi;colon:at@.jpg", "quote\"'<>.jpg", "three...dots.jpg",
       "tilde~(brackets)[x]{y}.jpg", "back\\slash.jpg", "tab\tnew.jpg", "日本/写真.jpg", "emoji/😀.jpg", "#hash.jpg"]


@pytest.fixture
def bucket(serve, store):
    """Serves the store's bucket."""
    def start(*words, source="s3://pictures", **more):
        return serve(source, *words, **store.environment(**more))

    return start


def problems(gallery) -> str:
    return json.dumps(gallery.get("/api/v1/status").json["problems"])


def total(gallery) -> int:
    return gallery.page(limit=1)["total"]


@pytest.mark.parametrize("page", [2, 7, 1000])
def test_every_key_of_every_page_is_listed_and_fetched(bucket, store, page):
    store.page = page
    for number, key in enumerate(ODD):
        store.put(key, pictures.encoded("JPEG", seed=number))
    gallery = bucket()
    wait_until(lambda: total(gallery) == len(ODD), "all keys", lambda: gallery.log + problems(gallery))
    images = gallery.page(limit=500)["images"]
    fetched = {gallery.get(f"/images/{image['id']}/original").body for image in images}
    assert fetched == {body for body, _ in store.buckets["pictures"].values()}
    in_order = [key.rpartition("/")[2] for key in sorted(ODD, key=str.encode)]
    assert [image["name"].replace("\ufffd", "\t") for image in images] == in_order, "keys are not in the store's order"


def test_keys_that_the_store_does_not_encode_are_read(bucket, store):
    store.encodes = False
    keys = [key for key in ODD if "\t" not in key]
    for key in keys:
        store.put(key)
    gallery = bucket()
    wait_until(lambda: total(gallery) == len(keys), "all keys", lambda: problems(gallery))


def test_only_pictures_beneath_the_prefix_are_shown(bucket, store):
    for key in ["2024/a.jpg", "2024/deep/b.PNG", "2024/notes.txt", "2024/", "2024x/c.jpg", "d.jpg", "2024/.hidden/e.jpg",
                "2024/@eaDir/f.jpg", "2024/jpg", "2024/../g.jpg", "2024/./h.jpg"]:
        store.put(key)
    gallery = bucket(source="s3://pictures/2024")
    assert set(gallery.images(2)) == {"a.jpg", "b.PNG"}
    assert gallery.page(q="folder:deep")["total"] == 1
    image = gallery.images(2)["b.PNG"]
    assert gallery.tile(image).status == 200


def test_an_image_has_the_same_id_under_any_prefix(serve, store, tmp_path):
    store.put("2024/a.jpg")
    ids = [serve(word, data=tmp_path / str(number), **store.environment(), **SAME_IDS).images(1)["a.jpg"]["id"]
           for number, word in enumerate(["s3://pictures", "s3://pictures/2024/"])]
    assert ids[0] == ids[1]


def test_the_first_page_is_shown_while_the_second_is_pending(bucket, store):
    store.page = 3
    for number in range(9):
        store.put(f"{number}.jpg")
    released = threading.Event()

    def later(handler, listing):
        if listing and "continuation-token" in handler.path:
            released.wait(60)
        return False

    store.answers.append(later)
    gallery = bucket()
    assert set(gallery.images(3)) == {"0.jpg", "1.jpg", "2.jpg"}
    assert gallery.get("/api/v1/status").json["scanning"]
    released.set()
    gallery.images(9)


def test_a_failed_page_is_retried_and_the_listing_continues(bucket, store):
    store.page = 2
    for number in range(6):
        store.put(f"{number}.jpg")
    failures = iter([b"<html>no listing</html>", b"<ListBucketResult><Contents><Key>x", None])

    def fail(handler, listing):
        failing = listing and "continuation-token" in handler.path and next(failures, "") or ""
        if failing:
            handler.answer(200, failing, "application/xml")
        return bool(failing)

    store.answers.append(fail)
    gallery = bucket()
    gallery.images(6)
    wait_until(lambda: "listing" not in problems(gallery), "the problem to be over", lambda: problems(gallery))


@pytest.mark.parametrize("kind", ["slow down", "error", "cut", "circle", "expansion"])
def test_an_incomplete_listing_removes_no_pictures(bucket, store, kind):
    store.page = 2
    for number in range(6):
        store.put(f"{number}.jpg")
    gallery = bucket("--rescan", "1")
    gallery.images(6)
    asked = len(store.listings())

    def fail(handler, listing):
        if not listing or "continuation-token" not in handler.path:
            return False
        if kind == "slow down":
            raise Refused(503, "SlowDown")
        if kind == "error":
            raise Refused(403, "AccessDenied")
        body = {"cut": b"<ListBucketResult><IsTruncated>false</IsTruncated>",
                "circle": b"<ListBucketResult><IsTruncated>true</IsTruncated>"
                          b"<NextContinuationToken>1=30/+==</NextContinuationToken></ListBucketResult>",
                "expansion": b'<!DOCTYPE a [<!ENTITY b "bbbb">]><ListBucketResult><IsTruncated>false</IsTruncated>'
                             b"</ListBucketResult>"}[kind]
        handler.answer(200, body, "application/xml")
        return True

    store.answers.append(fail)
    for number in range(6):
        del store.buckets["pictures"][f"{number}.jpg"]
    store.put("6.jpg")
    store.put("7.jpg")
    store.put("8.jpg")
    wait_until(lambda: "pictures" in problems(gallery) or kind != "error", "the problem to be reported",
               lambda: problems(gallery))
    wait_until(lambda: len(store.listings()) >= asked + 2, "another listing")
    assert set(gallery.images(6)) >= {f"{number}.jpg" for number in range(6)}
    store.answers.clear()
    wait_until(lambda: set(gallery.images(3)) == {"6.jpg", "7.jpg", "8.jpg"}, "the change to be seen", patience=90)


def test_the_next_listing_finds_new_changed_and_deleted_objects(bucket, store):
    for name in ("a", "b", "c"):
        store.put(f"{name}.jpg", pictures.encoded("JPEG", seed=1))
    gallery = bucket("--rescan", "1")
    images = gallery.images(3)
    before = gallery.tile(images["b.jpg"])
    other = pictures.encoded("JPEG", seed=9)
    store.put("b.jpg", other, 1_700_000_500)
    store.put("d.jpg")
    del store.buckets["pictures"]["a.jpg"]
    wait_until(lambda: set(gallery.images(1)) == {"b.jpg", "c.jpg", "d.jpg"}, "the new listing")
    changed = gallery.images(3)["b.jpg"]
    assert changed["id"] == images["b.jpg"]["id"] and changed["links"] != images["b.jpg"]["links"]
    after = gallery.tile(changed)
    assert after.body != before.body
    assert gallery.get(f"/images/{changed['id']}/original").body == other


def test_a_listed_object_is_fetched_once_and_not_revalidated(bucket, store, data):
    store.put("a.jpg")
    gallery = bucket()
    image = gallery.images(1)["a.jpg"]
    for rendition in ("tile", "screen", "original", "tile"):
        assert gallery.get(f"/images/{image['id']}/{rendition}").status == 200
    assert gallery.stop() == 0
    gallery = bucket()
    assert gallery.tile(gallery.images(1)["a.jpg"]).status == 200
    assert store.times_fetched("a.jpg") == 1
    known = gallery.images(1)["a.jpg"]
    assert known["width"] and known["bytes"] == len(store.buckets["pictures"]["a.jpg"][0])


def test_a_change_since_the_last_listing_is_not_looked_for(bucket, store):
    store.put("a.jpg", pictures.encoded("JPEG", seed=1))
    gallery = bucket("--rescan", "3600")
    image = gallery.images(1)["a.jpg"]
    assert gallery.tile(image).status == 200
    store.put("a.jpg", pictures.encoded("JPEG", seed=2))
    # The listed version is still cached; another rendition has to be made from the current one.
    assert gallery.get(f"/images/{image['id']}/original").status == 200
    assert store.times_fetched("a.jpg") == 1, "the object was fetched again before the next listing"


def test_a_restart_without_the_store_shows_the_last_listing(serve, store, data):
    for number in range(5):
        store.put(f"{number}.jpg")
    environment = store.environment()
    gallery = serve("s3://pictures", **environment)
    gallery.images(5)
    assert gallery.stop() == 0
    store.close()
    again = serve("s3://pictures", **environment)
    assert total(again) == 5
    wait_until(lambda: "pictures" in problems(again), "the problem to be reported", lambda: problems(again))
    assert total(again) == 5


def test_a_store_that_dies_under_load_yields_503_with_retry_after(bucket, store):
    for number in range(60):
        store.put(f"{number}.jpg")
    gallery = bucket("--rescan", "3600")
    images = list(gallery.images(60).values())

    def die(handler, listing):
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True
        return True

    store.answers.append(die)
    answers = []
    threads = [threading.Thread(target=lambda image=image: answers.append(gallery.tile(image))) for image in images]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 60
    for answer in answers:
        assert answer.is_problem(503) and int(answer.headers["Retry-After"]) >= 1
    store.answers.clear()
    wait_until(lambda: gallery.tile(images[0]).status == 200, "the store to be found again")


@pytest.mark.parametrize("change, told", [
    ({"AWS_ACCESS_KEY_ID": "AKIAUNKNOWN"}, "AWS_ACCESS_KEY_ID"),
    ({"AWS_SECRET_ACCESS_KEY": "wrong-secret-word"}, "AWS_SECRET_ACCESS_KEY"),
    ({"TESSERA_REGION": "eu-west-9"}, "--region us-east-1"),
    ({"source": "s3://no-such-bucket"}, "no such bucket"),
    ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nonexistent"}, "No credentials were found"),
    ({"TESSERA_ANONYMOUS": "1"}, "do"),
    ({"TESSERA_ENDPOINT": "http://127.0.0.1:9"}, "cannot be reached"),
])
def test_a_problem_with_the_store_is_reported_with_its_remedy(bucket, store, change, told):
    store.put("a.jpg")
    gallery = bucket(**change)
    wait_until(lambda: told in problems(gallery), told, lambda: problems(gallery))
    for secret in (SECRET, "wrong-secret-word"):
        assert secret not in gallery.log + problems(gallery) + gallery.get("/metrics").body.decode()


@pytest.mark.parametrize("words, told", [
    (["s3://"], "s3://bucket"), (["s3://a"], "s3://bucket"), (["s3://pictures", "--endpoint", "ftp://x"], "--endpoint"),
    (["s3://pictures", "--endpoint", "http://host/path"], "--endpoint"),
    (["s3://pictures", "--path-style", "--host-style"], "not both"),
    (["s3://pictures", "--region", "a b"], "--region"),
])
def test_an_invalid_bucket_argument_is_refused_with_advice(data, words, told):
    refused = run("serve", *words, "--port", "0", data=data)
    assert refused.returncode != 0 and told in refused.stderr, refused.stderr
