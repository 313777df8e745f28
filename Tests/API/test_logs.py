"""The log: one line for each event in logfmt or JSON, whatever the texts in it are, and one for each request on demand."""

import datetime
import json
import re
import shlex

import pytest

from gallery import run, wait_until

# File names that would forge a line, a field, or control the terminal.
NAMES = ["line\nlevel=error message=forged.jpg", 'quote".jpg', "back\\slash.jpg", "a=b c.jpg", "\x1b[31mred.jpg",
         "\x9b31mred.jpg", "\u2028line.jpg", "plain.jpg"]


def lines(gallery, containing: str) -> list[str]:
    return [line for line in gallery.log.split("\n") if containing in line]


def fields(line: str, form: str) -> dict[str, str]:
    """The fields of one line, read as others would."""
    if form == "json":
        return json.loads(line)
    return dict(pair.split("=", 1) for pair in shlex.split(line))


@pytest.fixture(params=["logfmt", "json"])
def form(request) -> str:
    return request.param


def test_each_event_is_one_line_with_its_fields(serve, tmp_path, form):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_bytes(b"\xff\xd8\xff no picture")
    gallery = serve(folder, "--log-format", form)
    for image in gallery.images(len(NAMES)).values():
        assert gallery.tile(image).status != 200
    wait_until(lambda: len(lines(gallery, "An image cannot be displayed.")) == len(NAMES), "each failure", lambda: gallery.log)
    told = [fields(line, form) for line in lines(gallery, "An image cannot be displayed.")]
    assert sorted(event["name"] for event in told) == sorted(re.sub("[\n\x1b\x9b\u2028]", "\ufffd", name) for name in NAMES)
    for event in told:
        assert event["level"] == "warning" and event["logger"] == "tessera" and event["rendition"] == "tile"
        moment = datetime.datetime.fromisoformat(event["time"])
        assert abs((datetime.datetime.now(datetime.UTC) - moment).total_seconds()) < 60


def test_the_access_log_has_each_request_without_its_query(serve, shared_folder, form):
    gallery = serve(shared_folder, "--access-log", "--log-format", form, "--log-level", "error")
    gallery.get("/api/v1/images?q=secret&limit=1")
    gallery.get("/nothing/here%20now")
    gallery.post("/api/v1/tokens", {"no": "tokens"})
    wait_until(lambda: len(lines(gallery, "tessera.access")) >= 3, "the requests", lambda: gallery.log)
    told = {event["path"]: event for event in (fields(line, form) for line in lines(gallery, "tessera.access"))}
    assert "secret" not in gallery.log
    page, missing, bad = (told[path] for path in ("/api/v1/images", "/nothing/here%20now", "/api/v1/tokens"))
    assert (page["status"], page["method"], page["client"]) == ("200", "GET", "127.0.0.1")
    assert page["route"] == "/api/v1/images" and int(page["bytes"]) > 50
    assert 0 < float(page["latency"]) <= float(page["duration"]) < 60
    assert missing["status"] == "404" and bad["status"].startswith("4") and bad["method"] == "POST"


def test_without_an_access_log_no_request_is_logged(serve, shared_folder):
    gallery = serve(shared_folder, "--log-level", "trace")
    gallery.images(1)
    assert not lines(gallery, "tessera.access")


def test_an_unknown_format_is_refused_with_those_that_exist(data):
    result = run("serve", ".", "--log-format", "xml", data=data)
    assert result.returncode != 0 and "logfmt" in result.stderr and "json" in result.stderr
    result = run("serve", ".", data=data, TESSERA_LOG_FORMAT="xml")
    assert result.returncode != 0 and "TESSERA_LOG_FORMAT is “xml”" in result.stderr and "--log-format" in result.stderr
