"""Several nodes that share accounts in PostgreSQL: what one issues works on all, what one ends is over on all within two
seconds, and no node lets anybody in that it cannot be sure of."""

import concurrent.futures
import signal
import socket
import time

import pytest

from accounts import PASSWORD, Person, open_stream, set_up, set_up_code
from gallery import PATIENCE, Gallery, run, wait_until
# Imported because it is a fixture.
from test_cluster import redis
from test_shares import base

REVOKED_WITHIN = 2.0
# How long a node answers without the database, how much later its streams may end, and when it has recovered.
VALID_FOR, HEALED_WITHIN = 10.0, 5.0


@pytest.fixture
def nodes(serve, tmp_path, shared_folder, postgres) -> list[Gallery]:
    started = [serve(shared_folder, "--accounts", "--database", postgres.url(), data=tmp_path / name) for name in "abc"]
    assert len(started) == 3
    return started


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        yield pool


def at(node: Gallery, person: Person) -> Person:
    """The same browser, whose requests the load balancer sends to another node."""
    other = Person(node, **person.headers)
    other.cookies = person.cookies
    return other


def cookie(person: Person) -> str:
    return "; ".join(f"{name}={value}" for name, value in person.cookies.items())


def images(node: Gallery, person: Person) -> dict[str, dict]:
    """The pictures by name, as a person sees them on a node that has found them all."""
    at_node = at(node, person)
    wait_until(lambda: at_node.get("/api/v1/images?limit=1").json["total"] == 12, "the pictures", lambda: node.log)
    return {image["name"]: image for image in at_node.get("/api/v1/images").json["images"]}


def opened(stream: socket.socket) -> socket.socket:
    received = b""
    while b'"type":"session"' not in received:
        piece = stream.recv(65536)
        assert piece, received
        received += piece
    return stream


def closing_code(stream: socket.socket, *codes: int) -> int:
    """Reads until the stream is closed with one of these codes."""
    received = b""
    while True:
        for code in codes:
            if code.to_bytes(2) in received:
                return code
        piece = stream.recv(65536)
        assert piece, received
        received += piece


def test_what_one_node_issues_works_on_all_of_them(nodes):
    owner = set_up(nodes[0])
    seen = [images(node, owner) for node in nodes]
    ids = [{name: image["id"] for name, image in one.items()} for one in seen]
    assert ids[0] == ids[1] == ids[2]
    stranger = [Person(node) for node in nodes]
    for one in seen:
        link = next(iter(one.values()))["links"]["tile"]
        for node in stranger:
            assert node.get(link, Accept="image/jpeg").status == 200
    # At once, without waiting for the news of it to arrive: fifty times, each time on another node.
    for number in range(50):
        here, there, last = (nodes[(number + step) % 3] for step in range(3))
        person = Person(here)
        person.cookies = {name: value for name, value in owner.cookies.items() if "browser" in name}
        assert person.sign_in("olga").status == 201
        assert at(there, person).get("/api/v1/session").json["account"]["name"] == "olga"
        program = Person(last, Authorization=f"Bearer {at(there, person).issue('view')}")
        assert program.get("/api/v1/images").status == 200
        share = at(here, person).post("/api/v1/shares", {"name": "s", "view": "", "days": 7, "contents": []})
        assert share.status == 201, share.body
        assert stranger[(number + 1) % 3].get(base(share.json) + "/api/v1/images").status == 200
    assert len(owner.get("/api/v1/sessions").json["sessions"]) >= 50


class Revocation:
    """What somebody has on all nodes, and when it has ended everywhere."""

    def __init__(self, nodes: list[Gallery], pool):
        self.nodes, self.pool, self.checks = nodes, pool, []

    def ends(self, target: str, status: int, **headers: str):
        """A request that works now, and will get this status."""
        for node in self.nodes:
            assert node.get(target, **headers).status == 200, (target, node.log)
            self.checks.append(lambda node=node: wait_until(
                lambda: node.get(target, **headers).status == status, f"{status} for {target}", lambda: node.log))

    def closes(self, open_on):
        for node in self.nodes:
            stream = opened(open_on(node))
            self.checks.append(lambda stream=stream: closing_code(stream, 4401))

    def took(self, revoke) -> float:
        """How long after the answer to `revoke` the last of all these ended, in seconds."""
        def when(check) -> float:
            check()
            return time.monotonic()

        assert self.checks
        waiting = [self.pool.submit(when, check) for check in self.checks]
        answer = revoke()
        start = time.monotonic()
        assert answer.status == 204, answer.body
        return max(one.result() for one in waiting) - start


def share_stream(node: Gallery, path: str) -> socket.socket:
    stream = socket.create_connection(("127.0.0.1", node.port), timeout=PATIENCE)
    stream.sendall((f"GET {path}api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nUpgrade: websocket\r\n"
                    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tessera.v1\r\n"
                    "Sec-WebSocket-Key: MDAwMDAwMDAwMDAwMDAwMA==\r\n\r\n").encode())
    return stream


@pytest.mark.parametrize("kind", ["session", "role", "removal", "password", "share", "share of a guest", "token"])
def test_what_one_node_ends_is_over_on_all_within_two_seconds(nodes, pool, kind):
    owner = set_up(nodes[0])
    member = owner.invite("member", "mia")
    second = Person(nodes[0])
    assert second.sign_in("mia").status == 201
    tile = next(iter(images(nodes[0], member).values()))["links"]["tile"]
    for node in nodes[1:]:
        images(node, member)
    what = Revocation(nodes, pool)
    person = f"/api/v1/people/{member.id}"
    if kind.startswith("share"):
        share = member.post("/api/v1/shares", {"name": "s", "view": "", "days": 7, "contents": []}).json
        within = member.gallery.get(base(share) + "/api/v1/images").json["images"][0]["links"]["tile"]
        for target in (base(share) + "/api/v1/images", within):
            what.ends(target, 404, Accept="image/jpeg")
        what.closes(lambda node: share_stream(node, base(share) + "/"))
        revoke = {"share": lambda: at(nodes[1], owner).delete(f"/api/v1/shares/{share['id']}"),
                  "share of a guest": lambda: owner.post(person, {"role": "guest"})}[kind]
    elif kind == "token":
        member.issue("view")
        secret = member.issue("view", name="ends")
        token = next(one for one in member.get("/api/v1/app-tokens").json["tokens"] if one["name"] == "ends")
        what.ends("/api/v1/images", 401, Authorization=f"Bearer {secret}")
        revoke = lambda: at(nodes[2], member).delete(f"/api/v1/app-tokens/{token['id']}")
    else:
        what.ends(tile, 404, Accept="image/jpeg")
        what.closes(lambda node: open_stream(node, cookie(member)))
        if kind != "role":
            what.ends("/api/v1/images", 401, Cookie=cookie(member))
        session = next(one for one in member.get("/api/v1/sessions").json["sessions"] if one.get("own"))
        revoke = {"session": lambda: at(nodes[1], second).delete(f"/api/v1/sessions/{session['id']}"),
                  "role": lambda: owner.post(person, {"role": "guest"}),
                  "removal": lambda: at(nodes[2], owner).delete(person),
                  "password": lambda: at(nodes[1], second).post(
                      "/api/v1/password", {"current": PASSWORD, "new": "another password"})}[kind]
    took = what.took(revoke)
    print(f"\n{kind}: over on three nodes after {1000 * took:.0f} ms")
    assert took < REVOKED_WITHIN


def test_without_the_database_nobody_gets_in_after_ten_seconds_and_all_is_well_when_it_is_back(nodes, postgres):
    owner = set_up(nodes[0])
    tile = next(iter(images(nodes[0], owner).values()))["links"]["tile"]
    share = owner.post("/api/v1/shares", {"name": "s", "view": "", "days": 7, "contents": []}).json
    program = {"Authorization": f"Bearer {owner.issue('view', 'operate')}"}
    entries = [(tile, {}), ("/api/v1/images", {"Cookie": cookie(owner)}), ("/api/v1/images", program),
               ("/metrics", program), (base(share) + "/api/v1/images", {}), ("/api/v1/session", {"Cookie": cookie(owner)})]

    def statuses() -> set[int]:
        return {node.get(target, Accept="image/jpeg", **headers).status for node in nodes for target, headers in entries}

    for node in nodes:
        images(node, owner)
    assert statuses() == {200}
    streams = [opened(open_stream(node, cookie(owner))) for node in nodes]
    postgres.kill()
    killed = time.monotonic()
    # Nothing changes from now on, and nobody signs in.
    wait_until(lambda: all("library is unreachable" in node.log for node in nodes), "the log to say so")
    for node in nodes:
        for answer in (Person(node).sign_in("olga"), at(node, owner).post("/api/v1/people", {"role": "guest"}),
                       at(node, owner).delete(f"/api/v1/shares/{share['id']}")):
            assert answer.is_problem(503) and answer.headers["Retry-After"], answer.body
    # Credentials that a node knows work for a while.
    if time.monotonic() - killed < VALID_FOR - 2:
        assert statuses() == {200}
    wait_until(lambda: time.monotonic() > killed + VALID_FOR, "the time to be over")
    assert statuses() == {503}
    for node in nodes:
        refused = node.get(tile)
        assert refused.is_problem(503) and refused.headers["Retry-After"] and "cannot be reached" in refused.json["detail"]
        assert node.get("/healthz").status == 200 and node.get("/readyz").is_problem(503)
    assert {closing_code(stream, 1013, 4401) for stream in streams} == {1013}
    assert time.monotonic() - killed < VALID_FOR + 10
    for node in nodes:
        # A thread of its own writes the log, and another reads it.
        wait_until(lambda: "Requests get a 503 until it can" in node.log, "the message", lambda: node.log)
        assert node.log.count("Requests get a 503 until it can") == 1, node.log
    postgres.start()
    start = time.monotonic()
    wait_until(lambda: statuses() == {200}, "the accounts to be there again", lambda: nodes[0].log)
    healed = time.monotonic() - start
    print(f"\nhealed after {healed:.1f} s")
    assert healed < HEALED_WITHIN
    # Nothing is lost.
    assert owner.delete(f"/api/v1/shares/{share['id']}").status == 204
    wait_until(lambda: all(node.get(base(share) + "/api/v1/images").status == 404 for node in nodes), "the share to end on all nodes")
    assert all(node.get("/readyz").status == 200 for node in nodes)


def test_a_node_that_was_frozen_accepts_nothing_that_ended_meanwhile(nodes):
    owner = set_up(nodes[0])
    member = owner.invite("member", "mia")
    tile = next(iter(images(nodes[2], member).values()))["links"]["tile"]
    images(nodes[0], owner)
    frozen = nodes[2]
    assert frozen.get(tile, Accept="image/jpeg").status == 200
    frozen.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        assert owner.delete(f"/api/v1/people/{member.id}").status == 204
        wait_until(lambda: time.monotonic() > began + VALID_FOR, "the time to be over")
    finally:
        frozen.process.send_signal(signal.SIGCONT)
    answers = []

    def is_over() -> bool:
        answers.append(frozen.get(tile, Accept="image/jpeg").status)
        return answers[-1] == 404

    wait_until(is_over, "the link to end", lambda: f"{answers} {frozen.log}")
    assert set(answers) <= {404, 503}
    assert at(frozen, member).get("/api/v1/images").status == 401


def test_the_first_owner_ends_the_links_of_all_nodes(nodes):
    codes = [set_up_code(node) for node in nodes]
    assert len(set(codes)) == 3
    # Each works on each node, until one has been used.
    owner = Person(nodes[1])
    assert owner.accept(codes[0], "olga").status == 201
    for node in nodes:
        for number, code in enumerate(codes):
            assert Person(node).accept(code, f"mallory{number}").is_problem(404)
    assert len(owner.get("/api/v1/people").json["people"]) == 1


def test_a_node_says_what_accounts_need(shared_folder, redis, postgres, tmp_path):
    with_redis = run("serve", shared_folder, "--accounts", "--redis", redis.url, "--port", "0", data=tmp_path / "a")
    assert with_redis.returncode != 0 and "--database" in with_redis.stderr + with_redis.stdout
    twice = run("serve", shared_folder, "--library", tmp_path / "library.sqlite", "--database", postgres.url(), "--port", "0",
                data=tmp_path / "b")
    assert twice.returncode != 0 and "--library or --database" in twice.stderr
    assert not (tmp_path / "library.sqlite").exists()
    url = postgres.url(password="wrong")
    without = run("serve", shared_folder, "--database", url, "--port", "0", data=tmp_path / "c", timeout=60)
    assert without.returncode != 0 and "password authentication failed" in without.stderr + without.stdout
    assert "wrong@" not in without.stderr + without.stdout
