"""A proxy in front of the gallery signs people in, and nobody else can claim to be one of them."""

import http.client
import json

import pytest

from accounts import PASSWORD, Person, set_up
from gallery import PATIENCE, run, wait_until

PROXY = ("--accounts", "--trusted-proxy", "127.0.0.1", "--forward-auth", "Remote-User")
SESSION = "/api/v1/session"
IMAGES = "/api/v1/images?limit=1"


@pytest.fixture
def gallery(serve, shared_folder):
    return serve(shared_folder, *PROXY, "--owner-group", "admins", "--owner-group", "Fotografía")


def ask(gallery, target: str, *fields: tuple[str, str], method: str = "GET", source: str = "127.0.0.1"):
    """Sends these fields, which may repeat, from an address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", gallery.port, timeout=PATIENCE, source_address=(source, 0))
    try:
        connection.putrequest(method, target)
        for name, value in fields:
            connection.putheader(name, value.encode())
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        return response.status, json.loads(body) if body else None
    finally:
        connection.close()


def test_a_proxy_signs_people_in_and_their_accounts_are_made_at_the_first_visit(gallery):
    olga = ("Remote-User", "olga"), ("Remote-Groups", "staff, admins")
    assert ask(gallery, IMAGES, *olga)[0] == 401
    status, session = ask(gallery, SESSION, *olga)
    assert status == 200
    assert (session["account"]["name"], session["account"]["role"], session["account"]["byProxy"]) == ("olga", "owner", True)
    assert ask(gallery, IMAGES, *olga)[0] == 200
    people = ask(gallery, "/api/v1/people", *olga)[1]["people"]
    assert [person["name"] for person in people] == ["olga"]
    # The same person, not a second one.
    assert ask(gallery, SESSION, ("remote-user", " OLGA "), olga[1])[1]["account"]["id"] == session["account"]["id"]
    zoe = ask(gallery, SESSION, ("Remote-User", "Zoë"))[1]["account"]
    assert (zoe["name"], zoe["role"]) == ("Zoë", "member")
    assert ask(gallery, "/api/v1/people", ("Remote-User", "Zoë"))[0] == 403
    # Each request is decided anew: whoever the proxy no longer names is a stranger.
    assert ask(gallery, IMAGES)[0] == 401


REFUSED = {
    "an empty name": [("Remote-User", "")],
    "a blank name": [("Remote-User", "  ")],
    "two names": [("Remote-User", "olga"), ("Remote-User", "ivan")],
    "the same name twice": [("Remote-User", "olga"), ("remote-user", "olga")],
    "two names in one field": [("Remote-User", "olga, ivan")],
    "a placeholder that the proxy has not replaced": [("Remote-User", "{http.reverse_proxy.header.Remote-User}")],
    "an underscore": [("Remote_User", "olga")],
    "an underscore besides": [("Remote-User", "ivan"), ("remote_user", "olga")],
    "groups with an underscore": [("Remote-User", "ivan"), ("Remote_Groups", "admins")],
    "groups twice": [("Remote-User", "ivan"), ("Remote-Groups", "staff"), ("Remote-Groups", "admins")],
    "groups of nobody": [("Remote-Groups", "admins")],
    "a name that no account can have": [("Remote-User", "o\u202elga")],
}


@pytest.mark.parametrize("fields", REFUSED.values(), ids=REFUSED.keys())
def test_fields_that_a_proxy_does_not_write_are_refused(gallery, fields):
    assert ask(gallery, SESSION, ("Remote-User", "olga"), ("Remote-Groups", "admins"))[0] == 200
    for target in (SESSION, IMAGES):
        status, problem = ask(gallery, target, *fields)
        assert status == 400 and "proxy" in problem["title"], (target, problem)


def test_only_a_trusted_proxy_is_believed(gallery):
    olga = ("Remote-User", "olga"), ("Remote-Groups", "admins")
    assert ask(gallery, SESSION, *olga)[0] == 200
    for fields in (olga, olga[:1], olga[1:]):
        status, problem = ask(gallery, IMAGES, *fields, source="127.0.0.9")
        assert status == 400 and "127.0.0.9" in problem["detail"]
    # The address that the proxy names is the client's, and not the proxy's.
    assert ask(gallery, IMAGES, *olga, ("X-Forwarded-For", "192.0.2.7"))[0] == 200
    assert ask(gallery, IMAGES, source="127.0.0.9")[0] == 401


def test_the_proxy_decides_at_each_request_who_is_an_owner(gallery):
    olga, ivan = ("Remote-User", "olga"), ("Remote-User", "ivan")
    admins = ("Remote-Groups", "admins")
    assert ask(gallery, SESSION, olga, admins)[1]["account"]["role"] == "owner"
    assert ask(gallery, SESSION, ivan)[1]["account"]["role"] == "member"
    assert ask(gallery, SESSION, ivan, admins)[1]["account"]["role"] == "owner"
    # Names of groups are compared whole.
    for groups in ("Admins", "admin", "admins2", "Fotografia", ""):
        assert ask(gallery, "/api/v1/people", ivan, ("Remote-Groups", groups))[0] == 401
    assert ask(gallery, SESSION, ivan)[1]["account"]["role"] == "member"
    assert ask(gallery, "/api/v1/people", ivan)[0] == 403
    for groups in ("staff|admins", "Fotografía, staff"):
        assert ask(gallery, SESSION, ivan, ("Remote-Groups", groups))[1]["account"]["role"] == "owner"
    assert ask(gallery, SESSION, ivan)[1]["account"]["role"] == "member"
    # The last owner stays one, and sees nothing until the proxy says so again.
    assert ask(gallery, SESSION, olga)[0] == 409
    assert ask(gallery, IMAGES, olga)[0] == 401
    assert ask(gallery, IMAGES, olga, admins)[0] == 200


def test_without_groups_the_owners_of_the_gallery_decide(serve, shared_folder):
    gallery = serve(shared_folder, *PROXY)
    owner = set_up(gallery)
    ivan = ask(gallery, SESSION, ("Remote-User", "ivan"), ("Remote-Groups", "admins"))[1]["account"]
    assert ivan["role"] == "member"
    assert owner.post(f"/api/v1/people/{ivan['id']}", {"role": "owner"}).status == 204
    assert ask(gallery, "/api/v1/people", ("Remote-User", "ivan"))[0] == 200
    # An account without a password: no password opens it.
    for password in (PASSWORD, "", " "):
        assert Person(gallery).sign_in("ivan", password).status in (400, 403)


def test_a_token_grants_no_more_behind_a_proxy(gallery):
    olga = ("Remote-User", "olga"), ("Remote-Groups", "admins")
    assert ask(gallery, SESSION, *olga)[0] == 200
    person = Person(gallery, **dict(olga))
    token = person.issue("view")
    bearer = ("Authorization", f"Bearer {token}")
    assert ask(gallery, IMAGES, bearer)[0] == 200
    for fields in ((bearer,), (bearer, *olga)):
        assert ask(gallery, "/api/v1/people", *fields)[0] == 403
    # Somebody who sends a token wants to be its program, and nobody else if it is no longer valid.
    assert ask(gallery, IMAGES, ("Authorization", f"Bearer {token[:-2]}AA"), *olga)[0] == 401
    # A password for the proxy itself, which it has passed on.
    assert ask(gallery, IMAGES, ("Authorization", "Basic b2xnYTpzZWNyZXQ="), *olga)[0] == 200


def test_a_page_of_another_site_cannot_act_through_the_proxy(gallery):
    olga = ("Remote-User", "olga"), ("Remote-Groups", "admins")
    assert ask(gallery, SESSION, *olga)[0] == 200
    for name, value in (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "https://evil.example")):
        assert Person(gallery, **dict(olga), **{name: value}).post("/api/v1/people", {"role": "owner"}).status == 403
    assert Person(gallery, **dict(olga), **{"Sec-Fetch-Site": "same-origin"}).post("/api/v1/people", {"role": "owner"}).status == 201


def test_visitors_of_a_share_need_no_proxy(gallery):
    olga = dict([("Remote-User", "olga"), ("Remote-Groups", "admins")])
    assert ask(gallery, SESSION, *olga.items())[0] == 200
    wait_until(lambda: Person(gallery, **olga).get(IMAGES).json["total"] > 0, "pictures")
    made = Person(gallery, **olga).post("/api/v1/shares", {"name": "all"})
    assert made.status == 201, made.body
    below = "/" + made.json["link"]
    assert ask(gallery, f"{below}api/v1/images?limit=1")[0] == 200
    # The sender is a visitor there, whoever else the proxy says it is.
    assert ask(gallery, f"{below}api/v1/people", *olga.items())[0] == 404


@pytest.mark.parametrize("words, reason", [
    (("--forward-auth", "Remote-User"), "--trusted-proxy"),
    ((*PROXY[1:], "--open"), "--open"),
    (("--trusted-proxy", "127.0.0.1", "--forward-auth", "Remote_User"), "name of a header field"),
    (("--trusted-proxy", "127.0.0.1", "--forward-auth", "Remote User"), "name of a header field"),
    (("--owner-group", "admins"), "--forward-auth"),
])
def test_options_that_would_let_anybody_in_are_refused(data, shared_folder, words, reason):
    result = run("serve", shared_folder, *words, data=data)
    assert result.returncode == 64 and reason in result.stderr, result.stderr
