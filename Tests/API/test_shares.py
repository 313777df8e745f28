"""Shares: a link shows a part of the gallery, and nothing of the rest."""

import base64
import re
import socket
import time

import pytest
from PIL import Image

import pictures
from accounts import PASSWORD, Person, set_up
from gallery import PATIENCE, wait_until


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Twenty pictures: five in `trip`, the rest in `home` and beside them."""
    root = tmp_path_factory.mktemp("gallery")
    for number in range(20):
        folder = root / ("trip" if number % 4 == 0 else "home" if number % 4 == 1 else "")
        folder.mkdir(exist_ok=True)
        (folder / f"{number:02}.jpg").write_bytes(pictures.encoded("JPEG", seed=number))
    return root


@pytest.fixture
def gallery(serve, folders):
    return serve(folders, "--accounts", TESSERA_NO_EXAMINE="")


@pytest.fixture
def owner(gallery):
    owner = set_up(gallery)
    wait_until(lambda: owner.get("/api/v1/images").json["total"] == 20, "the pictures")
    wait_until(lambda: owner.get("/api/v1/status").json["examined"]["done"] == 20, "the metadata")
    return owner


def share(person: Person, **more) -> dict:
    made = person.post("/api/v1/shares", {"name": "trip", "view": "folder=trip", **more})
    assert made.status == 201, made.body
    return made.json


def base(made: dict) -> str:
    return "/" + made["link"].rstrip("/")


def names(person: Person, at: str, query: str = "") -> list[str]:
    answer = person.get(f"{at}/api/v1/images?limit=500{query}")
    assert answer.status == 200, answer.body
    return [image["name"] for image in answer.json["images"]]


TRIP = ["00.jpg", "04.jpg", "08.jpg", "12.jpg", "16.jpg"]


def test_a_share_shows_its_part_and_says_nothing_of_the_rest(gallery, owner):
    at, visitor = base(share(owner, contents=["metadata", "place"])), Person(gallery)
    assert visitor.get(f"{at}/").status == 200 and b"<title>Tessera" in visitor.get(f"{at}/").body
    assert names(visitor, at) == TRIP
    page = visitor.get(f"{at}/api/v1/images").json
    assert page["total"] == 5 and page["images"][0]["links"]["tile"].startswith(f"{at}/images/")
    # Views look within the share.
    assert names(visitor, at, "&direction=desc") == TRIP[::-1]
    assert names(visitor, at, "&folder=home") == [] and names(visitor, at, "&q=01") == []
    assert names(visitor, at, "&q=04") == ["04.jpg"]
    assert visitor.get(f"{at}/api/v1/timeline").json["total"] == 5
    assert visitor.get(f"{at}/api/v1/shape").json["total"] == 5
    assert len(visitor.get(f"{at}/api/v1/shape?first=0&count=20").body) == 5
    assert visitor.get(f"{at}/api/v1/folders").json["folders"] == []
    status = visitor.get(f"{at}/api/v1/status").json
    assert status["total"] == 5 and set(status) == {"revision", "total", "scanning", "defaultView", "notShown"}
    inside = page["images"][1]
    details = visitor.get(f"{at}/api/v1/images/{inside['id']}").json
    assert details["index"] == 1 and "folder" not in details
    assert visitor.get(f"{at}/api/v1/position?image={inside['id']}").json["index"] == 1
    tile = visitor.get(inside["links"]["tile"], Accept="image/jpeg")
    assert tile.status == 200 and tile.type == "image/jpeg"


def test_pictures_outside_a_share_are_like_ones_that_never_existed(gallery, owner):
    at, visitor = base(share(owner)), Person(gallery)
    images = owner.get("/api/v1/images?limit=500").json["images"]
    outside = [image["id"] for image in images if image["name"] not in TRIP]
    unknown = "0000000000000"
    assert len(outside) == 15
    for id in outside:
        for path in (f"images/{id}/tile", f"images/{id}/preview", f"api/v1/images/{id}", f"api/v1/position?image={id}"):
            answer, never = visitor.get(f"{at}/{path}"), visitor.get(f"{at}/{path.replace(id, unknown)}")
            assert answer.is_problem(404) and (answer.body, never.status) == (never.body, 404)
    for contents in (["originals"], ["metadata", "place", "originals"]):
        with_originals = base(share(owner, contents=contents))
        for rendition in ("original", "pyramid", "screen"):
            answer = visitor.get(f"{with_originals}/images/{outside[0]}/{rendition}")
            assert answer.is_problem(404) and answer.json["title"] == "No such image", (contents, rendition)
    issued = visitor.post(f"{at}/api/v1/tokens", {"slots": [
        {"slot": number, "image": id} for number, id in enumerate([*outside, unknown])]}).json
    assert issued["tokens"] == [] and len(issued["refused"]) == 16
    # Nor does a token help that somebody else was issued.
    token = owner.post("/api/v1/tokens", {"slots": [{"slot": 0, "image": outside[0]}]}).json["tokens"][0]
    assert visitor.get(at + token["href"]).is_problem(404)

    times = {outside[0]: [], unknown: []}
    for _ in range(200):
        for id, taken in times.items():
            start = time.perf_counter()
            visitor.get(f"{at}/api/v1/images/{id}")
            taken.append(time.perf_counter() - start)
    there, never = (sorted(taken)[100] for taken in times.values())
    assert 0.7 < there / never < 1.4


def test_a_visitor_has_pictures_and_nothing_else(gallery, owner):
    made = share(owner)
    at, visitor = base(made), Person(gallery)
    image = visitor.get(f"{at}/api/v1/images").json["images"][0]["id"]
    refused = [("GET", path) for path in (
        "/metrics", "/api/v1/people", "/api/v1/audit", "/api/v1/shares", "/api/v1/sessions", "/api/v1/app-tokens",
        "/api/v1/passkeys")]
    refused += [("POST", path) for path in (
        "/api/v1/session", "/api/v1/shares", "/api/v1/people", "/api/v1/app-tokens", "/api/v1/password",
        "/api/v1/invitation", "/api/v1/invitation/accept", "/api/v1/passkeys", "/api/v1/passkeys/challenge",
        "/api/v1/session/challenge", "/api/v1/session/passkey", "/api/v1/session/oidc")]
    refused += [("DELETE", "/api/v1/session"), ("DELETE", f"/api/v1/shares/{made['id']}")]
    # Even with the owner's own cookies: below the link, the link counts.
    for person in (visitor, owner):
        for method, path in refused:
            assert person.ask(method, at + path, {} if method == "POST" else None).is_problem(404), path
        for rendition in ("original", "pyramid"):
            assert person.get(f"{at}/images/{image}/{rendition}").is_problem(403)
            order = {"first": 0, "count": 1, "rendition": rendition}
            assert person.post(f"{at}/api/v1/tokens", order).is_problem(403)
    assert visitor.get(f"{at}/service-worker.js").is_problem(404)
    # The link opens nothing beside its path.
    assert visitor.get("/api/v1/images").is_problem(401)
    assert visitor.get("/api/v1/images", Authorization=f"Bearer {at[3:]}").is_problem(401)
    told = visitor.get(f"{at}/api/v1/session").json
    assert told == {"accounts": True, "setUp": True, "share": {"name": "trip", "locked": False, "contents": ["metadata"]}}


def test_links_that_never_were_or_have_ended_are_alike(gallery, owner):
    made = share(owner)
    at, visitor = base(made), Person(gallery)
    assert names(visitor, at) == TRIP
    never = "/s/" + "A" * 22
    assert owner.delete(f"/api/v1/shares/{made['id']}").status == 204
    for path in ("/api/v1/images", "/api/v1/session", "/images/0000000000000/tile", "/api/v1/stream", "/metrics"):
        ended, unknown = visitor.get(at + path), visitor.get(never + path)
        assert ended.is_problem(404) and ended.body == unknown.body, path
    assert visitor.get(f"{at}/").body == visitor.get(f"{never}/").body
    assert b"account" in visitor.get(f"{at}/").body
    for path in ("/s/x/api/v1/images", "/s/", "/s/x", "/s//api/v1/images", f"{at[:-1]}/api/v1/images"):
        assert visitor.get(path).is_problem(404), path
    assert visitor.get(never).headers["Location"] == f"{never}/"


def test_no_link_that_a_page_was_given_outlives_its_share(gallery, owner):
    made = share(owner, contents=["metadata", "place", "originals"])
    at, visitor = base(made), Person(gallery)
    page = visitor.get(f"{at}/api/v1/images").json["images"]
    links = [link for image in page for link in image["links"].values()]
    links += [f"{at}/api/v1/images/{image['id']}" for image in page] + [f"{at}/images/{page[0]['id']}/tile"]
    for link in links:
        assert visitor.get(link, Accept="image/jpeg").status == 200, link
    issued = visitor.post(f"{at}/api/v1/tokens", {"first": 0, "count": 5}).json["tokens"]
    assert owner.delete(f"/api/v1/shares/{made['id']}").status == 204
    never = visitor.get(f"/s/{'A' * 22}/api/v1/images")
    for link in [*links, *(token["href"] for token in issued)]:
        answer = visitor.get(link, Accept="image/jpeg")
        assert answer.is_problem(404) and answer.body == never.body, link


def test_a_share_ends_with_its_time_its_maker_or_the_right_to_share(gallery, owner):
    member = owner.invite("member", "mia")
    at, visitor = base(share(member)), Person(gallery)
    assert names(visitor, at) == TRIP
    assert owner.post(f"/api/v1/people/{member.id}", {"role": "guest"}).status == 204
    assert visitor.get(f"{at}/api/v1/images").is_problem(404)
    assert member.get("/api/v1/shares").is_problem(403)
    assert owner.post(f"/api/v1/people/{member.id}", {"role": "member"}).status == 204
    assert names(visitor, at) == TRIP
    assert owner.delete(f"/api/v1/people/{member.id}").status == 204
    assert visitor.get(f"{at}/api/v1/images").is_problem(404)
    assert owner.get("/api/v1/shares").json["shares"] == []


def test_each_sees_and_ends_the_shares_that_are_the_own_ones(gallery, owner):
    mia, max = owner.invite("member", "mia"), owner.invite("member", "max")
    first, second = share(mia), share(max)
    assert [entry["id"] for entry in mia.get("/api/v1/shares").json["shares"]] == [first["id"]]
    assert mia.delete(f"/api/v1/shares/{second['id']}").is_problem(404)
    for part in (second["id"][:3], first["id"][:-1], first["id"][1:], first["id"].swapcase(), "%25", "*"):
        assert mia.delete(f"/api/v1/shares/{part}").is_problem(404)
        assert owner.delete(f"/api/v1/shares/{part}").is_problem(404)
    listed = {entry["id"]: entry.get("maker") for entry in owner.get("/api/v1/shares").json["shares"]}
    assert listed == {first["id"]: "mia", second["id"]: "max"}
    assert owner.delete(f"/api/v1/shares/{second['id']}").status == 204
    program = Person(gallery, Authorization=f"Bearer {mia.issue('view', 'originals')}")
    assert program.post("/api/v1/shares", {"name": "x", "view": ""}).is_problem(403)


def test_a_password_is_asked_on_every_route_and_for_each_share(gallery, owner):
    one, two = (base(share(owner, password="open sesame")) for _ in range(2))
    visitor = Person(gallery)
    image = [image["id"] for image in owner.get("/api/v1/images?folder=trip").json["images"]][0]
    for path in ("/api/v1/images", "/api/v1/timeline", "/api/v1/shape", "/api/v1/folders", "/api/v1/status",
                 f"/api/v1/images/{image}", f"/images/{image}/tile", f"/images/{image}/original", "/api/v1/stream",
                 f"/api/v1/position?image={image}"):
        assert visitor.get(one + path).is_problem(401), path
    assert visitor.post(f"{one}/api/v1/tokens", {"first": 0, "count": 1}).is_problem(401)
    assert visitor.get(f"{one}/api/v1/session").json["share"] == {"locked": True}
    assert visitor.get(f"{one}/").body == visitor.get(f"{one}/account.html").body
    assert visitor.post(f"{one}/api/v1/unlock", {"password": "wrong"}).is_problem(403)
    answer = visitor.post(f"{one}/api/v1/unlock", {"password": "open sesame"})
    assert answer.status == 204 and f"Path={one}/;" in answer.headers["Set-Cookie"]
    assert names(visitor, one) == TRIP
    # The same password does not open another share, not even with the other's cookie.
    assert visitor.get(f"{two}/api/v1/images").is_problem(401)
    for _ in range(8):
        last = visitor.post(f"{two}/api/v1/unlock", {"password": "guess"})
    assert last.is_problem(429) and int(last.headers["Retry-After"]) >= 1


def test_what_visitors_learn_is_what_the_share_grants(serve, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    exif = Image.Exif()
    exif[0x010F], exif[0x010E] = "Camera Works", "A secret garden"
    exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 6.0, 0.0), 3: "E", 4: (11.0, 30.0, 0.0)})
    (folder / "a.jpg").write_bytes(pictures.encoded("JPEG", seed=1, exif=exif))
    gallery = serve(folder, "--accounts", TESSERA_NO_EXAMINE="")
    owner = set_up(gallery)
    wait_until(lambda: "examined" in owner.get("/api/v1/status").json
               and owner.get("/api/v1/status").json["examined"]["done"] == 1, "the metadata")
    id = owner.get("/api/v1/images").json["images"][0]["id"]
    whole = owner.get(f"/api/v1/images/{id}").json
    assert whole["camera"]["make"] == "Camera Works" and whole["place"] and whole["title"] == "A secret garden"
    visitor = Person(gallery)
    for contents, members in {(): set(), ("metadata",): {"camera", "title"}, ("place",): {"place"},
                              ("metadata", "place"): {"camera", "title", "place"}}.items():
        at = base(share(owner, view="", contents=list(contents)))
        details = visitor.get(f"{at}/api/v1/images/{id}").json
        assert {"camera", "title", "place"} & set(details) == members, contents
        listed = visitor.get(f"{at}/api/v1/images").json["images"][0]
        assert ("title" in listed) == ("metadata" in contents)
        # A search, or a folder's name, would tell what is not shown.
        for query in ("q=near:48.1,11.5", "folder=Secret"):
            search = visitor.get(f"{at}/api/v1/images?{query}")
            assert search.status == 200 if contents == ("metadata", "place") else search.is_problem(403)
        assert visitor.get(f"{at}/images/{id}/original").is_problem(403)
    at = base(share(owner, view="", contents=["metadata", "place", "originals"]))
    assert visitor.get(f"{at}/images/{id}/original").body == (folder / "a.jpg").read_bytes()


def test_bad_shares_are_refused_with_the_field(gallery, owner):
    for field, body in {"name": {"name": " "}, "q": {"view": "q=near:x"}, "days": {"days": 0},
                        "contents": {"contents": ["everything"]}, "password": {"password": 7}}.items():
        answer = owner.post("/api/v1/shares", {"name": "x", "view": "", **body})
        assert answer.is_problem(400) and answer.json["field"] == field, answer.json


def test_a_view_that_finds_everything_is_not_shared_by_mistake(gallery, owner):
    for text in ("q=-", 'q=""', "q=-folder:", "q=taken:"):
        answer = owner.post("/api/v1/shares", {"name": "x", "view": text})
        assert answer.is_problem(400), text
    # The order does not matter for what is shared.
    at = base(share(owner, view="folder=trip&sort=taken&direction=desc"))
    assert names(Person(gallery), at) == TRIP


def test_a_selection_shows_its_pictures_and_none_that_come_later(gallery, owner, folders):
    all_ = {image["name"]: image["id"] for image in owner.get("/api/v1/images?limit=500").json["images"]}
    chosen = ["03.jpg", "04.jpg", "17.jpg"]
    made = share(owner, view="", images=[all_[name] for name in [*chosen, "04.jpg"]], contents=["metadata", "place"])
    assert made["imageCount"] == 3 and owner.get("/api/v1/shares").json["shares"][0]["imageCount"] == 3
    at, visitor = base(made), Person(gallery)
    assert sorted(names(visitor, at)) == chosen and names(visitor, at, "&folder=home") == ["17.jpg"]
    assert sorted(names(visitor, at, "&sort=name&direction=desc"), reverse=True) == chosen[::-1]
    assert visitor.get(f"{at}/api/v1/timeline").json["total"] == visitor.get(f"{at}/api/v1/status").json["total"] == 3
    for name, id in all_.items():
        assert visitor.get(f"{at}/images/{id}/tile", Accept="image/jpeg").status == (200 if name in chosen else 404)
        assert visitor.get(f"{at}/api/v1/images/{id}").status == (200 if name in chosen else 404)
    (folders / "03b.jpg").write_bytes(pictures.encoded("JPEG", seed=99))
    wait_until(lambda: owner.get("/api/v1/images").json["total"] == 21, "the new picture")
    assert sorted(names(visitor, at)) == chosen
    (folders / "03b.jpg").unlink()
    # A picture that has left the gallery since it was selected is not shared, and the others are.
    some = share(owner, view="", images=[all_["03.jpg"], "0000000000000"])
    assert some["imageCount"] == 1 and names(visitor, base(some)) == ["03.jpg"]
    for bad in ({"images": ["0000000000000"]}, {"images": ["x"]}, {"images": [all_["03.jpg"]] * 1_001},
                {"images": [all_["03.jpg"]], "view": "folder=trip"}):
        answer = owner.post("/api/v1/shares", {"name": "x", "view": "", **bad})
        assert answer.is_problem(400) and answer.json["field"].startswith("images"), answer.json


def test_a_share_of_a_folder_shows_nothing_that_the_gallery_leaves_out_and_no_folder_of_a_similar_name(serve, tmp_path):
    for number, name in enumerate(["trip/a.jpg", "trip/.private/b.jpg", "trip/@eaDir/c.jpg", ".private/trip/d.jpg",
                                   "trip2/e.jpg", "trip.old/f.jpg", "Trip/g.jpg"]):
        file = tmp_path / "pictures" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pictures.encoded("JPEG", seed=number))
    owner = set_up(serve(tmp_path / "pictures", "--accounts"))
    wait_until(lambda: owner.get("/api/v1/images").json["total"] >= 4 and not owner.get("/api/v1/status").json["scanning"],
               "the pictures")
    visitor = Person(owner.gallery)

    def shared(folder: str) -> str:
        return base(share(owner, view=f"folder={folder}", contents=["metadata", "place"]))

    for folder in (".private", ".private/trip", "trip/.private", "trip/@eaDir", "tri", "trip/.", "trip/..", "."):
        assert names(visitor, shared(folder)) == [], folder
    trip = shared("trip")
    assert names(visitor, trip) == ["a.jpg"]
    # Within the share, the names of folders are still those of the gallery.
    assert names(visitor, trip, "&folder=trip") == ["a.jpg"]
    for folder in ("trip2", "trip.old", "Trip", "trip/.private", ".private/trip", "trip/../trip2", "../trip2", "..", "."):
        assert names(visitor, trip, f"&folder={folder}") == [], folder


def test_the_access_log_does_not_tell_the_key(serve, folders):
    gallery = serve(folders, "--accounts", "--access-log")
    owner = set_up(gallery)
    made = share(owner, view="")
    assert Person(gallery).get(f"{base(made)}/api/v1/images").status == 200
    wait_until(lambda: "/s/…/api/v1/images" in gallery.log, "the log", lambda: gallery.log)
    assert made["link"].split("/")[1] not in gallery.log


def test_the_stream_of_a_share_knows_its_part_and_ends_with_it(gallery, owner):
    made = share(owner)
    at = base(made)
    stream = socket.create_connection(("127.0.0.1", gallery.port), timeout=PATIENCE)
    key = base64.b64encode(b"0" * 16).decode()
    stream.sendall((f"GET {at}/api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{gallery.port}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tessera.v1\r\n"
                    f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
    received = b""
    while not (total := re.search(rb'"total":(\d+)[,}]', received)):
        received += stream.recv(65536)
    assert total[1] == b"5"

    def say(text: str):
        stream.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text.encode())

    say('{"type":"viewport","first":0,"count":50}')
    while received.count(b'"slot":') < 5:
        received += stream.recv(65536)
    assert sorted(set(re.findall(rb'"name":"(\d\d\.jpg)"', received))) == [name.encode() for name in TRIP]
    assert owner.delete(f"/api/v1/shares/{made['id']}").status == 204
    start = time.monotonic()
    while (4401).to_bytes(2) not in received[-200:]:
        piece = stream.recv(65536)
        assert piece, received[-200:]
        received += piece
    assert time.monotonic() - start < 1
    stream.close()


def test_visits_are_counted(gallery, owner):
    at = base(share(owner))
    for _ in range(3):
        Person(gallery).get(f"{at}/")
    wait_until(lambda: owner.get("/api/v1/shares").json["shares"][0]["visits"] == 3, "the count")
