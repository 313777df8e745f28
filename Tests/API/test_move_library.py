"""Moving the library of a single machine to the database of several nodes: whatever worked before works afterwards."""

import os
import pathlib
import sqlite3

import pytest

import test_passkeys
from accounts import PASSWORD, Person, set_up
from authenticator import Authenticator
from gallery import SAME_IDS, Gallery, free_port, run, wait_until
from test_shares import base

SHARE_PASSWORD = "open sesame"


def ids(person: Person) -> dict[str, str]:
    """The ids of the pictures by name, once all have been found."""
    wait_until(lambda: person.get("/api/v1/images?limit=1").json["total"] == 12, "the pictures",
               lambda: person.gallery.log)
    return {image["name"]: image["id"] for image in person.get("/api/v1/images").json["images"]}


def audit(person: Person) -> list[dict]:
    """The log without the numbers of its entries, newest first."""
    entries = person.get("/api/v1/audit?limit=100").json["entries"]
    return [{name: value for name, value in entry.items() if name != "number"} for entry in entries]


def content(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("library.sqlite*")}


def page(gallery: Gallery) -> dict[str, str]:
    """The fields that a browser sends from this gallery's page, under a host name."""
    return {"Host": f"localhost:{gallery.port}", "Origin": f"http://localhost:{gallery.port}"}


class Former:
    """A gallery on a single machine, as long as it runs, and what people have of it."""

    def __init__(self, gallery: Gallery, data: pathlib.Path):
        self.gallery, self.library = gallery, data / "library.sqlite"
        self.owner = set_up(gallery)
        self.passkey = Authenticator(data / "authenticator", page(gallery)["Origin"])
        assert test_passkeys.add(self.owner, self.passkey, page(gallery)).status == 201
        self.member = self.owner.invite("member", "mia")
        self.token = self.member.issue("view")
        made = self.member.post("/api/v1/shares", {"name": "s", "view": "", "password": SHARE_PASSWORD})
        assert made.status == 201, made.body
        self.share = base(made.json)
        self.invitation = self.owner.post("/api/v1/people", {"role": "guest"}).json["code"]
        self.tile = self.owner.get(f"/api/v1/images/{next(iter(ids(self.owner).values()))}").json["links"]["tile"]
        self.ids, self.audit = ids(self.owner), audit(self.owner)
        assert len(self.ids) == 12 and len(self.audit) >= 5


@pytest.fixture
def former(serve, shared_folder, data) -> Former:
    return Former(serve(shared_folder, "--accounts"), data)


@pytest.fixture
def moved(postgres, shared_folder, data):
    """Runs the command on a library."""
    def move(library: pathlib.Path, *words, **more):
        return run("move-library", library, shared_folder, "--database", postgres.url(), *words, data=data, **more)

    return move


@pytest.fixture
def node(serve, shared_folder, postgres, tmp_path):
    """Starts a node with the database."""
    def start(name: str, *words, **more) -> Gallery:
        return serve(shared_folder, "--accounts", "--database", postgres.url(), *words, data=tmp_path / name, **more)

    return start


def refused(result, *words: str):
    """The command has failed, and says why in one line."""
    assert result.returncode == 1, result
    assert result.stdout == "" and len(result.stderr.splitlines()) == 1, result
    for word in words:
        assert word in result.stderr, result.stderr


def at(gallery: Gallery, person: Person) -> Person:
    """The same browser, which now reaches another server."""
    other = Person(gallery)
    other.cookies = dict(person.cookies)
    return other


def test_everything_works_on_the_nodes_as_it_did_before(former, moved, node):
    assert former.gallery.stop() == 0
    before = content(former.library.parent)
    result = moved(former.library)
    assert result.returncode == 0 and result.stderr == "", result
    assert f"accounts: 2, shares: 1, entries of the audit log: {len(former.audit)}." in result.stdout
    assert "restart" in result.stdout and str(former.library) in result.stdout and "hunter2" not in result.stdout
    assert content(former.library.parent) == before and list(before) == ["library.sqlite"]

    nodes = [node("a"), node("b")]
    for each in nodes:
        assert "move-library" not in each.log and "invitation=" not in each.log
        owner, stranger = at(each, former.owner), Person(each)
        assert owner.get("/api/v1/session").json["account"]["name"] == "olga"
        assert ids(owner) == former.ids
        assert audit(owner)[-len(former.audit):] == former.audit
        assert stranger.get(former.tile, Accept="image/jpeg").status == 200
        program = Person(each, Authorization=f"Bearer {former.token}")
        assert program.get("/api/v1/images").status == 200
        assert program.get("/api/v1/audit").status == 403
        assert stranger.get(former.share + "/api/v1/images").status == 401
        assert stranger.post(former.share + "/api/v1/unlock", {"password": SHARE_PASSWORD}).status == 204
        assert len(stranger.get(former.share + "/api/v1/images").json["images"]) == 12
        former.passkey.origin = page(each)["Origin"]
        assert test_passkeys.sign_in(Person(each), former.passkey, page(each)).status == 201
        for name in ("olga", "mia"):
            assert Person(each).sign_in(name).status == 201
            assert Person(each).sign_in(name, PASSWORD + "x").status == 403
    guest = Person(nodes[0])
    assert guest.accept(former.invitation, "gus").status == 201
    assert len(at(nodes[1], former.owner).get("/api/v1/people").json["people"]) == 3

    again = moved(former.library)
    refused(again, "has accounts already")
    assert len(at(nodes[1], former.owner).get("/api/v1/people").json["people"]) == 3


def test_a_node_that_finds_no_owner_names_the_command_that_moves_the_accounts(former, moved, node, data):
    assert former.gallery.stop() == 0
    # It begins a library of its own, which gives way to the one that is moved.
    early = node(data.name)
    wait_until(lambda: "tessera move-library" in early.log, "the warning", lambda: early.log)
    assert early.log.count("tessera move-library") == 1 and str(former.library) in early.log
    before = content(data)
    assert moved(former.library).returncode == 0
    wait_until(lambda: "Restart the node" in early.log, "the log to say so", lambda: early.log)
    wait_until(lambda: early.get("/readyz").status == 503, "the node to let nobody in")
    assert early.stop() == 0
    later = node(data.name)
    assert ids(at(later, former.owner)) == former.ids
    assert "move-library" not in later.log and content(data) == before


def test_a_killed_server_loses_nothing(former, moved, node):
    former.gallery.kill()
    before = content(former.library.parent)
    assert before["library.sqlite-wal"]
    assert moved(former.library).returncode == 0
    assert content(former.library.parent) == before
    assert ids(at(node("a"), former.owner)) == former.ids


def test_a_library_in_use_is_refused(former, moved):
    refused(moved(former.library), str(former.library), "in use", "Stop the server")
    assert former.owner.get("/api/v1/session").status == 200
    assert former.gallery.stop() == 0
    assert moved(former.library).returncode == 0


def test_what_cannot_be_moved_is_refused_and_says_why(former, moved, postgres, shared_folder, data, tmp_path):
    missing = tmp_path / "none.sqlite"
    refused(moved(missing), "There is no file", str(missing))
    assert not missing.exists()
    text = tmp_path / "text.sqlite"
    text.write_text("no database")
    refused(moved(text), str(text))
    assert former.gallery.stop() == 0
    library = former.library
    nowhere = f"postgres://tessera:hunter2@127.0.0.1:{free_port()}/tessera"
    refused(moved(library, "--database", nowhere), "127.0.0.1", "nothing was moved")
    refused(moved(library, "--database", postgres.url(password="wrong")), "nothing was moved", "password")
    refused(run("move-library", library, tmp_path / "unmounted", "--database", postgres.url(), data=data), "unmounted")
    damaged, newer = tmp_path / "damaged.sqlite", tmp_path / "newer.sqlite"
    damaged.write_bytes(library.read_bytes()[:100] + os.urandom(len(library.read_bytes()) - 100))
    refused(moved(damaged), str(damaged))
    newer.write_bytes(library.read_bytes())
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    refused(moved(newer), str(newer), "newer version")
    # A command line that lacks something is explained like those of the other commands.
    for words, missing in (([library, shared_folder], "--database"), ([library, "--database", postgres.url()], "SOURCE"),
                           ([], "<file>")):
        result = run("move-library", *words, data=data)
        assert result.returncode == 64 and missing in result.stderr, result
    # After all that, it is moved, with everything named in the environment.
    result = run("move-library", library, data=data, TESSERA_DATABASE=postgres.url(),
                 TESSERA_SOURCE=str(shared_folder))
    assert result.returncode == 0, result


def test_ids_that_an_operators_secret_keys_stay_as_they_are(serve, shared_folder, data, moved, node):
    former = Former(serve(shared_folder, "--accounts", **SAME_IDS), data)
    assert former.gallery.stop() == 0
    assert moved(former.library, **SAME_IDS).returncode == 0
    assert ids(at(node("a", **SAME_IDS), former.owner)) == former.ids
