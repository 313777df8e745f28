"""Origins that refuse, hang, reset, lie, redirect or send something else: each gets a clear error."""

import socket
import time

import pytest

import pictures
from gallery import LOOPBACK

FAILING = {
    "reset": (502,), "says-more": (502,), "html": (415, 422, 502), "empty": (415, 422, 502),
    "garbage": (502,), "missing": (404, 502), "broken": (502, 503), "private": (502, 403), "metadata": (502, 403),
    "coded": (502,), "of-two-lengths": (502,), "file": (502, 403), "circle": (502,), "endless": (413, 422, 502, 504),
}
# Failures that an immediate retry would not change.
LASTING = {"coded", "of-two-lengths", "html", "empty", "missing", "private", "metadata", "file", "circle"}


@pytest.mark.parametrize("kind", FAILING)
def test_a_failing_origin_yields_a_clear_error(listed, origin, kind):
    gallery = listed(origin.url(kind), origin.url("good"))
    bad, good = gallery.page(limit=2)["images"]
    answer = gallery.tile(bad, timeout=60)
    answer.is_problem(*FAILING[kind])
    assert gallery.tile(good).status == 200
    asked = origin.times_asked(f"/{kind}/")
    assert asked <= (40 if kind == "circle" else 8), "retries are not limited"
    if kind in LASTING:
        gallery.tile(bad, timeout=60).is_problem(*FAILING[kind])
        assert origin.times_asked(f"/{kind}/") == asked, "a lasting failure is not cached"


def test_a_body_truncated_at_its_declared_length_is_shown_in_part(listed, origin):
    gallery = listed(origin.url("says-less"))
    answer = gallery.tile(gallery.page(limit=1)["images"][0], timeout=60)
    assert answer.status == 200 and answer.headers["Tessera-Incomplete"] == "1"


def test_a_camera_preview_does_not_wait_for_the_whole_picture(listed, origin):
    gallery = listed(origin.url("dawdle"))
    (image,) = gallery.images(1).values()
    answer = gallery.get(f"/images/{image['id']}/preview", Accept="image/webp")
    assert answer.status == 200 and pictures.size(answer.body) == (64, 48)
    red, green, blue = pictures.colour(answer.body)
    assert red > 200 and green < 60 and blue < 60, "the preview is not made from the Exif thumbnail"
    origin.wait_until_closed("/dawdle/")
    assert origin.times_asked("/dawdle/") == 1


@pytest.mark.parametrize("kind", ["mislabelled", "moved", "resets-once", "compressed", "greeting"])
def test_an_unusual_but_valid_response_is_accepted(listed, origin, kind):
    gallery = listed(origin.url(kind))
    (image,) = gallery.images(1).values()
    answer = gallery.tile(image, timeout=60)
    assert answer.status == 200 and pictures.is_whole(answer.body)
    original = gallery.get(f"/images/{image['id']}/original")
    assert original.body == origin.picture and original.type == "image/jpeg"


def test_an_unreachable_origin_yields_a_clear_error(listed, origin):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    gallery = listed(f"http://127.0.0.1:{port}/a.jpg", "http://name.invalid/b.jpg", origin.url("good"))
    refusing, unknown, good = gallery.page(limit=3)["images"]
    gallery.tile(refusing, timeout=60).is_problem(502, 503, 504)
    gallery.tile(unknown, timeout=60).is_problem(502, 503, 504)
    assert gallery.tile(good).status == 200


def test_a_hung_origin_times_out_and_is_not_retried(listed, origin):
    gallery = listed(
        origin.url("hang"), origin.url("hang-in-body"), origin.url("good"), TESSERA_ORIGIN_FIRST_BYTE_TIMEOUT="0.5",
        TESSERA_ORIGIN_PROGRESS_TIMEOUT="0.5")
    silent, stuck, good = gallery.page(limit=3)["images"]
    for image, kind in [(silent, "/hang/"), (stuck, "/hang-in-body/")]:
        answer = gallery.tile(image, timeout=60)
        answer.is_problem(504)
        assert "took too long" in answer.json["detail"]
        assert origin.times_asked(kind) == 1
    assert gallery.tile(good).status == 200


def test_an_origins_retry_after_is_capped_at_an_hour(listed, origin):
    gallery = listed(origin.url("patience"))
    answer = gallery.tile(gallery.page(limit=1)["images"][0], timeout=60)
    answer.is_problem(503)
    assert answer.headers["Retry-After"] == "3600" and answer.json["retryAfter"] == 3600
    assert origin.times_asked("/patience/") == 1


@pytest.mark.parametrize("kind", ["good", "missing", "reset", "circle", "coded"])
def test_a_signature_in_a_url_is_not_logged(listed, origin, kind):
    gallery = listed(origin.url(kind) + "?Signature=s3cr3t&Expires=1", TESSERA_LOG_LEVEL="trace")
    gallery.tile(gallery.page(limit=1)["images"][0], timeout=60)
    assert origin.times_asked("s3cr3t") > 0, "the signature was not sent to the origin"
    assert gallery.stop() == 0
    assert "s3cr3t" not in gallery.log
    assert kind == "good" or f"/{kind}/a.jpg?…" in gallery.log


def test_private_addresses_are_refused_unless_allowed(serve, tmp_path, origin):
    file = tmp_path / "urls.txt"
    port = origin.port
    hosts = ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"]
    file.write_text("".join(f"http://{host}:{port}/good/{n}.jpg\n" for n, host in enumerate(hosts)))
    gallery = serve(file)
    images = gallery.page(limit=100)["images"]
    assert images
    for image in images:
        gallery.tile(image, timeout=60).is_problem(502, 403)
    assert origin.asked == []


def local_statuses(gallery, images: dict[str, dict]) -> list[int]:
    """The statuses of the shared folder's tiles, requested one after another."""
    return [gallery.tile(image).status for name, image in images.items() if name.startswith("IMG")]


def test_a_hung_origin_does_not_delay_other_pictures(serve, tmp_path, origin, shared_folder):
    file = tmp_path / "urls.txt"
    file.write_text("".join(origin.url("hang", f"{n}.jpg") + "\n" for n in range(60)))
    gallery = serve(file, shared_folder, *LOOPBACK)
    images = gallery.images(72)
    waiting = [gallery.connection() for _ in range(60)]
    for number, connection in enumerate(waiting):
        connection.request("GET", f"/images/{images[f'{number}.jpg']['id']}/tile")
    origin.wait_until_asked("/hang/")
    start = time.monotonic()
    assert local_statuses(gallery, images) == [200] * 12
    assert time.monotonic() - start < 10
    for connection in waiting:
        connection.close()


def test_an_origin_that_hangs_within_the_body_holds_no_worker(serve, tmp_path, origin, shared_folder):
    file = tmp_path / "urls.txt"
    file.write_text("".join(origin.url("hang-in-body", f"{n}.jpg") + "\n" for n in range(12)))
    gallery = serve(file, shared_folder, *LOOPBACK)
    images = gallery.images(24)
    gallery.tokens(rendition="tile", slots=[
        {"slot": n, "image": images[f"{n}.jpg"]["id"]} for n in range(12)])
    origin.wait_until_asked("/hang-in-body/")
    assert local_statuses(gallery, images) == [200] * 12


def test_the_log_names_a_picture_that_failed(listed, origin):
    gallery = listed(origin.url("html", "named.jpg"))
    (image,) = gallery.images(1).values()
    assert gallery.tile(image).status >= 400
    assert gallery.stop() == 0
    assert "named.jpg" in gallery.log or image["id"] in gallery.log
