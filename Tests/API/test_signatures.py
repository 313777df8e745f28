"""Credentials for a store: where they come from, when they are renewed, and where they are never sent."""

import json
import pathlib
import threading

import pytest

import pictures
from gallery import wait_until
from role import Role
from store import ACCESS, SECRET, Refused, Store, entity_tag

NOBODY = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nonexistent"}


def problems(gallery) -> str:
    return json.dumps(gallery.get("/api/v1/status").json["problems"])


def is_shown(gallery, *names):
    wait_until(lambda: {image["name"] for image in gallery.page(limit=50)["images"]} == set(names), f"{names}",
               lambda: gallery.log + problems(gallery))


@pytest.fixture
def role():
    """Starts services of roles that end with the test."""
    running = []

    def start(*credentials) -> Role:
        running.append(Role(*credentials))
        return running[-1]

    yield start
    for each in running:
        each.close()


def test_the_session_token_is_sent_and_signed(serve, store):
    store.put("a.jpg")
    store.keys[ACCESS] = (SECRET, "token/of+session==")
    is_shown(serve("s3://pictures", **store.environment(AWS_SESSION_TOKEN="token/of+session==")), "a.jpg")


def test_the_profile_of_the_shared_file_is_used(serve, store, tmp_path):
    store.put("a.jpg")
    (tmp_path / "credentials").write_text(
        "[default]\naws_access_key_id = nobody\naws_secret_access_key = nothing\n\n# the one\n"
        f"[gallery]\naws_access_key_id={ACCESS}\naws_secret_access_key = {SECRET}\n")
    is_shown(serve("s3://pictures", **store.environment(
        **NOBODY, AWS_PROFILE="gallery", AWS_SHARED_CREDENTIALS_FILE=str(tmp_path / "credentials"))), "a.jpg")


def test_a_rewritten_credentials_file_is_reread_after_a_refusal(serve, store, tmp_path):
    store.put("a.jpg")
    file: pathlib.Path = tmp_path / "credentials"

    def write(token: str):
        store.keys[ACCESS] = (SECRET, token)
        file.write_text(f"[default]\naws_access_key_id={ACCESS}\naws_secret_access_key={SECRET}\n"
                        f"aws_session_token={token}\n")

    write("first")
    gallery = serve("s3://pictures", "--rescan", "1", **store.environment(
        **NOBODY, AWS_SHARED_CREDENTIALS_FILE=str(file)))
    is_shown(gallery, "a.jpg")
    write("second")
    store.put("b.jpg")
    is_shown(gallery, "a.jpg", "b.jpg")
    wait_until(lambda: '"count": 0' in problems(gallery), "the problem to be over", lambda: problems(gallery))


@pytest.mark.parametrize("kind", ["machine", "container"])
def test_role_credentials_are_renewed_before_they_expire(serve, store, role, kind):
    store.put("a.jpg")
    store.keys = {"AKIAFIRST": ("first-secret", "first"), "AKIASECOND": ("second-secret", "second")}
    service = role(("AKIAFIRST", "first-secret", "first", 6), ("AKIASECOND", "second-secret", "second", 3600))
    where = ({"AWS_EC2_METADATA_SERVICE_ENDPOINT": service.url} if kind == "machine" else
             {"AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url + "/container",
              "AWS_CONTAINER_AUTHORIZATION_TOKEN": "container-token"})
    gallery = serve("s3://pictures", "--rescan", "1", **{
        **store.environment(**NOBODY), "AWS_EC2_METADATA_DISABLED": "", **where})
    is_shown(gallery, "a.jpg")
    wait_until(lambda: any("AKIASECOND" in head.get("authorization", "") for head in store.heads), "the second key",
               lambda: str(service.asked))
    store.put("b.jpg")
    is_shown(gallery, "a.jpg", "b.jpg")
    assert not any("first-secret" in text for text in (gallery.log, problems(gallery)))


def test_a_redirect_of_a_signed_request_is_not_followed(serve, store):
    other = Store()
    try:
        store.put("a.jpg")
        gallery = serve("s3://pictures", **store.environment())
        is_shown(gallery, "a.jpg")

        def lead_away(handler, listing):
            raise Refused(307, "TemporaryRedirect", Location=other.endpoint + handler.path)

        store.answers.append(lead_away)
        image = gallery.page(limit=1)["images"][0]
        assert gallery.tile(image).is_problem(502)
        assert other.asked == []
    finally:
        other.close()


def test_a_bucket_in_another_region_is_reported_with_its_region(serve, store):
    def lead_away(handler, listing):
        raise Refused(301, "PermanentRedirect", "<Endpoint>pictures.s3.eu-north-1.amazonaws.com</Endpoint>",
                      x_amz_bucket_region="eu-north-1")

    store.answers.append(lead_away)
    gallery = serve("s3://pictures", **store.environment())
    wait_until(lambda: "--region eu-north-1" in problems(gallery), "the region", lambda: problems(gallery))


def test_listed_urls_are_not_signed_and_cannot_reach_the_stores_address(serve, store, tmp_path):
    store.put("a.jpg")
    (tmp_path / "urls.txt").write_text(f"{store.endpoint}/pictures/a.jpg\n")
    gallery = serve("s3://pictures", tmp_path / "urls.txt", **store.environment())
    wait_until(lambda: gallery.page(limit=1)["total"] == 2, "both", lambda: problems(gallery))
    own, listed = gallery.page(limit=2)["images"]
    assert gallery.tile(own).status == 200
    assert gallery.tile(listed).is_problem(502)
    assert all("authorization" in head for head in store.heads)


def test_an_interrupted_fetch_is_resumed(serve, store):
    body = pictures.encoded("JPEG", quality=90) + bytes(200_000)
    store.put("a.jpg", body)

    def cut(handler, listing):
        if listing or "Range" in handler.headers:
            return False
        handler.send_response(200)
        for name, value in (("Content-Length", str(len(body))), ("ETag", entity_tag(body)), ("Accept-Ranges", "bytes")):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body[:100_000])
        handler.wfile.flush()
        handler.close_connection = True
        return True

    store.answers.append(cut)
    gallery = serve("s3://pictures", **store.environment())
    is_shown(gallery, "a.jpg")
    image = gallery.page(limit=1)["images"][0]
    assert gallery.get(f"/images/{image['id']}/original").body == body
    assert any("range" in head and "range" in head["authorization"] for head in store.heads)


def test_a_public_bucket_is_read_without_credentials_if_configured(serve, store):
    store.put("a.jpg")
    heads = []

    def give(handler, listing):
        heads.append("Authorization" in handler.headers)
        handler.check_signature = lambda *_: None
        return False

    store.answers.append(give)
    gallery = serve("s3://pictures", "--anonymous", **store.environment())
    is_shown(gallery, "a.jpg")
    assert gallery.tile(gallery.page(limit=1)["images"][0]).status == 200
    assert heads and not any(heads)


def test_the_bucket_can_be_part_of_the_host_name(serve, store):
    store.put("with space+.jpg")
    gallery = serve("s3://pictures", "--host-style", **store.environment(
        TESSERA_ENDPOINT=f"http://localhost:{store.port}"))
    is_shown(gallery, "with space+.jpg")
    assert gallery.tile(gallery.page(limit=1)["images"][0]).status == 200
    assert all(head["host"] == f"pictures.localhost:{store.port}" for head in store.heads)


def test_a_hundred_requests_fetch_an_object_once(serve, store):
    store.put("a.jpg")
    gallery = serve("s3://pictures", **store.environment())
    is_shown(gallery, "a.jpg")
    image = gallery.page(limit=1)["images"][0]
    released = threading.Event()
    store.answers.append(lambda handler, listing: released.wait(30) and False)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(gallery.tile(image).status)) for _ in range(100)]
    for thread in threads:
        thread.start()
    wait_until(lambda: gallery.get("/api/v1/status").json["loading"]["waiting"] == 100, "all to wait")
    released.set()
    for thread in threads:
        thread.join()
    assert answers == [200] * 100 and store.times_fetched("a.jpg") == 1
