"""Ids and links: nobody can compute an id, and a link proves that its reader was told of the picture."""

import socket

import pytest

from accounts import Person
from gallery import PATIENCE


def test_ids_cannot_be_computed_and_last_as_long_as_the_library(serve, shared_folder, tmp_path):
    library = tmp_path / "library.sqlite"
    first = serve(shared_folder, "--library", library, data=tmp_path / "a")
    ids = {name: image["id"] for name, image in first.images(12).items()}
    first.stop()
    # The index is gone, the library is not.
    second = serve(shared_folder, "--library", library, data=tmp_path / "b")
    assert {name: image["id"] for name, image in second.images(12).items()} == ids
    other = serve(shared_folder, data=tmp_path / "c")
    assert not set(ids.values()) & {image["id"] for image in other.images(12).values()}
    cursor = second.get("/api/v1/images?limit=1").json["next"]
    assert second.get(f"/api/v1/images?limit=1&cursor={cursor}").json["images"][0]["id"] == \
        second.page(limit=2)["images"][1]["id"]


def test_a_link_proves_that_its_reader_was_told_of_the_picture(gallery, owner):
    member, guest, stranger = owner.invite("member", "mia"), owner.invite("guest", "gus"), Person(gallery)
    images = member.get("/api/v1/images").json["images"]
    links = images[0]["links"]
    for kind in ("preview", "tile", "screen", "original"):
        answer = stranger.get(links[kind], Accept="image/jpeg")
        assert answer.status == 200 and "private" in answer.headers["Cache-Control"], kind
    # The second time, the tile comes from memory.
    assert stranger.get(links["tile"], Accept="image/jpeg").body == owner.get(links["tile"], Accept="image/jpeg").body
    tile, original = links["tile"], links["original"]
    code = tile[-13:]
    never = stranger.get(f"/images/0000000000000/tile?v={'0' * 13}&r=00000001~{'0' * 13}")
    other = images[1]["links"]["tile"]
    wrong = [
        # Each part of a link belongs to the others.
        tile.replace(images[0]["id"], images[1]["id"]), other[:-13] + code, tile.replace("/tile?", "/original?"),
        original.replace("/original?", "/tile?"), tile[:-1] + ("0" if tile[-1] != "0" else "1"), tile[:-1], tile + "0",
        tile.replace("~", "."), tile + "&r=1", tile.replace("v=", "v=0"),
        tile.replace(tile[-22:-14], guest.id)]
    for link in wrong:
        refused = stranger.get(link)
        assert refused.is_problem(404) and refused.body == never.body, link
    # A guest has no link to an original, and needs a right and not an address.
    assert "original" not in guest.get("/api/v1/images").json["images"][0]["links"]
    unsigned = original.split("&")[0]
    assert stranger.get(unsigned).is_problem(401) and guest.get(unsigned).is_problem(403)
    assert stranger.get(tile.split("&")[0]).is_problem(401)
    # A change of the role ends every link, also of pictures that are in memory.
    assert stranger.get(tile).status == 200
    assert owner.post(f"/api/v1/people/{member.id}", {"role": "guest"}).status == 204
    for link in links.values():
        assert stranger.get(link).is_problem(404)
    renewed = member.get("/api/v1/images").json["images"][0]["links"]["tile"]
    assert renewed != tile and stranger.get(renewed).status == 200
    # So does the end of a session, which may have been somebody else's.
    other = Person(gallery)
    assert other.sign_in("mia").status == 201 and other.delete("/api/v1/session").status == 204
    assert stranger.get(renewed).is_problem(404)
    renewed = member.get("/api/v1/images").json["images"][0]["links"]["tile"]
    assert stranger.get(renewed).status == 200
    # Programs send their token; what they are told must not outlive it.
    program = Person(gallery, Authorization=f"Bearer {member.issue('view')}")
    assert "r=" not in program.get("/api/v1/images").json["images"][0]["links"]["tile"]
    assert owner.delete(f"/api/v1/people/{member.id}").status == 204
    assert stranger.get(renewed).is_problem(404)


@pytest.mark.timeout(300)
def test_a_hundred_thousand_guessed_links_open_nothing(gallery, owner):
    link = owner.get("/api/v1/images").json["images"][0]["links"]["tile"]
    path, code = link[:-13], link[-13:]
    connection = socket.create_connection(("127.0.0.1", gallery.port), timeout=PATIENCE)
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    answers, sent, count, rest = 0, 0, 100_000, b""
    while answers < count:
        batch = min(200, count - sent)
        requests = []
        for number in range(sent, sent + batch):
            guess = "".join(alphabet[(number * 2654435761 >> shift) & 31] for shift in range(0, 65, 5))
            requests.append(f"GET {path}{guess if guess != code else code[::-1]} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.sendall("".join(requests).encode())
        sent += batch
        while answers < sent:
            rest += connection.recv(1 << 16)
            found = rest.count(b"HTTP/1.1 ")
            assert found == rest.count(b"HTTP/1.1 404") or rest.endswith(b"HTTP/1.1 "), rest[:200]
            whole = rest.rfind(b"HTTP/1.1 404")
            if whole > 0:
                answers += rest[:whole].count(b"HTTP/1.1 404")
                rest = rest[whole:]
            if rest.endswith(b"}") and rest.startswith(b"HTTP/1.1 404"):
                answers, rest = answers + 1, b""
    assert answers == count
    connection.close()
