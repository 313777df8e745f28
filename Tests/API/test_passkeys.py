"""Passkeys: adding them, signing in with them, and what is refused."""

import pytest

from accounts import PASSWORD, Person
from authenticator import USER_PRESENT, USER_VERIFIED, Authenticator, encode
from gallery import Answer

SESSION, PASSKEYS = "/api/v1/session", "/api/v1/passkeys"


@pytest.fixture
def page(gallery) -> dict[str, str]:
    """The header fields by which the gallery's page under its name is known."""
    return {"Host": f"localhost:{gallery.port}", "Origin": f"http://localhost:{gallery.port}"}


@pytest.fixture
def make(tmp_path, page):
    return lambda algorithm=-7: Authenticator(tmp_path / "keys", page["Origin"], algorithm)


def new_challenge(person: Person, page) -> dict:
    answer = person.post(f"{PASSKEYS}/challenge", {"password": PASSWORD}, **page)
    assert answer.status == 200, answer.body
    return answer.json


def add(person: Person, authenticator: Authenticator, page, **more) -> Answer:
    return person.post(PASSKEYS, authenticator.create(new_challenge(person, page), **more), **page)


def sign_in_challenge(gallery, page) -> dict:
    answer = Person(gallery).post(f"{SESSION}/challenge", **page)
    assert answer.status == 200 and answer.json["rpId"] == "localhost", answer.body
    return answer.json


def sign_in(person: Person, authenticator: Authenticator, page, **more) -> Answer:
    return person.post(f"{SESSION}/passkey", authenticator.get(sign_in_challenge(person.gallery, page), **more), **page)


@pytest.mark.parametrize("algorithm", [-7, -8, -257])
def test_a_passkey_signs_in_without_a_name_is_listed_and_removed(gallery, owner, page, make, algorithm):
    authenticator = make(algorithm)
    challenge = new_challenge(owner, page)
    assert challenge["rpId"] == "localhost" and challenge["exclude"] == [] and algorithm in challenge["algorithms"]
    assert challenge["user"]["name"] == "olga"
    added = owner.post(PASSKEYS, authenticator.create(challenge), **page)
    assert added.status == 201, added.body
    assert owner.get(PASSKEYS).json == {"passkeys": [added.json]} and "used" not in added.json
    assert new_challenge(owner, page)["exclude"] == [encode(authenticator.id)]
    for handle in (None, challenge["user"]["id"]):
        person = Person(gallery)
        answer = sign_in(person, authenticator, page, userHandle=handle)
        assert answer.status == 201 and answer.json["account"]["name"] == "olga", answer.body
        assert person.get("/api/v1/images").status == 200
    [passkey] = owner.get(PASSKEYS).json["passkeys"]
    assert passkey["used"] >= passkey["created"]
    entries = [(each["action"], each.get("subject")) for each in owner.get("/api/v1/audit").json["entries"]]
    assert entries[:3] == [("signedIn", "passkey phone")] * 2 + [("passkeyAdded", "phone")]
    member = owner.invite("member", "mia")
    assert member.get(PASSKEYS).json == {"passkeys": []}
    assert member.delete(f"{PASSKEYS}/{passkey['id']}").is_problem(404)
    assert owner.delete(f"{PASSKEYS}/{passkey['id']}").status == 204
    assert sign_in(Person(gallery), authenticator, page).is_problem(403)
    # Sessions that it began go on, and are listed.
    assert person.get("/api/v1/images").status == 200


def test_adding_needs_the_password_and_a_challenge_of_this_session(gallery, owner, page, make):
    assert owner.post(f"{PASSKEYS}/challenge", {"password": "wrong"}, **page).is_problem(403)
    authenticator = make()
    second, member = Person(gallery), owner.invite("member", "mia")
    assert second.sign_in("olga").status == 201
    others = [new_challenge(second, page), new_challenge(member, page), sign_in_challenge(gallery, page),
              {"challenge": encode(bytes(32)), "rpId": "localhost"}]
    for challenge in others:
        assert owner.post(PASSKEYS, authenticator.create(challenge), **page).is_problem(403)
    challenge = new_challenge(owner, page)
    assert owner.post(PASSKEYS, authenticator.create(challenge), **page).status == 201
    assert owner.post(PASSKEYS, make().create(challenge), **page).is_problem(403)
    assert add(owner, authenticator, page).is_problem(409)
    assert add(member, authenticator, page).is_problem(409)


WRONG_CLIENTS = [
    {"origin": "https://evil.example"}, {"origin": "https://localhost"}, {"origin": "http://localhost"}, {"origin": "null"},
    {"type": "payment.get"}, {"crossOrigin": True}, {"challenge": encode(bytes(32))}, {"challenge": ""},
]
WRONG_FLAGS = [0, USER_PRESENT, USER_VERIFIED]


def test_a_response_that_breaks_a_rule_adds_nothing_and_opens_nothing(gallery, owner, page, make):
    authenticator = make()
    for spoilt in [*({"client": client} for client in WRONG_CLIENTS), *({"flags": flags} for flags in WRONG_FLAGS),
                   {"publicKeyAlgorithm": -8}, {"publicKeyAlgorithm": -257}, {"publicKeyAlgorithm": -65535},
                   {"publicKey": encode(make(-8).public_key)}, {"id": encode(bytes(16))}]:
        assert add(owner, authenticator, page, **spoilt).is_problem(403), spoilt
    assert owner.get(PASSKEYS).json == {"passkeys": []}
    assert add(owner, authenticator, page).status == 201
    spoilt = [*({"client": client} for client in WRONG_CLIENTS), *({"flags": flags} for flags in WRONG_FLAGS),
              {"signature": ""}, {"signature": encode(authenticator.sign(b"something else"))}, {"id": encode(bytes(16))},
              {"userHandle": encode(b"00000001")}]
    for number, each in enumerate(spoilt):
        answer = sign_in(Person(gallery), authenticator, page, **each)
        # An address that fails has to wait, so a success comes in between.
        assert answer.is_problem(403) and "Set-Cookie" not in answer.headers, each
        if number % 4 == 3:
            assert sign_in(Person(gallery), authenticator, page).status == 201
    assert sign_in(Person(gallery), authenticator, page).status == 201


def test_a_response_works_once(gallery, owner, page, make):
    authenticator = make()
    assert add(owner, authenticator, page).status == 201
    body = authenticator.get(sign_in_challenge(gallery, page))
    assert Person(gallery).post(f"{SESSION}/passkey", body, **page).status == 201
    assert Person(gallery).post(f"{SESSION}/passkey", body, **page).is_problem(403)


def test_a_copy_of_an_authenticator_is_refused(gallery, owner, page, make):
    authenticator = make()
    assert add(owner, authenticator, page).status == 201
    verdicts = []
    for authenticator.counter in (7, 7, 6, 0, 8):
        verdicts.append(sign_in(Person(gallery), authenticator, page).status)
    assert verdicts == [201, 403, 403, 403, 201]


def test_malformed_requests_are_refused_and_harm_nothing(gallery, owner, page, make):
    authenticator = make()
    created, got = authenticator.create(new_challenge(owner, page)), authenticator.get(sign_in_challenge(gallery, page))
    wrongs = [None, 1, True, [], {}, "!", "A", "AAA=", "A" * 4000, "\u0000", "ä"]
    seen = 0
    for path, body, optional in ((PASSKEYS, created, ()), (f"{SESSION}/passkey", got, ("userHandle",))):
        for member in body:
            for wrong in wrongs:
                if (member, wrong) in ((optional and "userHandle", None), ("publicKeyAlgorithm", 1), ("name", "!"), ("name", "A"),
                                       ("name", "AAA="), ("name", "ä")):
                    continue
                answer = owner.post(path, {**body, member: wrong}, **page)
                assert answer.is_problem(400), (path, member, wrong, answer.body)
                seen += 1
            if member not in optional:
                assert owner.post(path, {key: value for key, value in body.items() if key != member}, **page).is_problem(400)
    assert seen > 100
    # Well-formed base64url, but no key and no credential.
    for member in ("clientDataJSON", "authenticatorData", "publicKey"):
        for content in (b"", b"{}", b"[" * 1000, b"\xff" * 36, b"\xff" * 55, bytes(2000)):
            assert owner.post(PASSKEYS, {**created, member: encode(content)}, **page).is_problem(403), (member, content)
    assert owner.post(PASSKEYS, {**created, "name": "x" * 20_000}, **page).is_problem(413)
    assert owner.post(PASSKEYS, created, **page).status == 201


def test_passkeys_are_for_the_gallerys_own_page_under_a_name(gallery, owner, page, make):
    authenticator = make()
    assert add(owner, authenticator, page).status == 201
    body = authenticator.get(sign_in_challenge(gallery, page))
    port = gallery.port
    places = {
        "own page": [{}, {"Host": page["Host"]}, {"Host": page["Host"], "Origin": f"http://localhost:{port + 1}",
                                                 "Sec-Fetch-Site": "same-origin"}],
        "host name": [{"Host": f"{host}:{port}", "Origin": f"http://{host}:{port}"} for host in ("127.0.0.1", "[::1]")],
    }
    for words, headers in places.items():
        for each in headers:
            answers = [Person(gallery).post(f"{SESSION}/challenge", **each), Person(gallery).post(f"{SESSION}/passkey", body, **each),
                       owner.post(f"{PASSKEYS}/challenge", {"password": PASSWORD}, **each), owner.post(PASSKEYS, body, **each)]
            for answer in answers:
                assert answer.is_problem(400) and words in (answer.json["title"] + answer.json["detail"]), (each, answer.body)
    assert Person(gallery).post(f"{SESSION}/passkey", body, **page).status == 201


def test_without_tls_there_are_passkeys_on_this_machine_alone(serve, shared_folder, tmp_path):
    gallery = serve(shared_folder, "--accounts", "--allow-host", "pictures.example")
    for scheme, status in (("http", 400), ("https", 200)):
        headers = {"Host": "pictures.example", "Origin": f"{scheme}://pictures.example"}
        assert Person(gallery).post(f"{SESSION}/challenge", **headers).status == status


def test_a_password_link_ends_passkeys_and_a_new_password_keeps_them(gallery, owner, page, make):
    member, authenticator = owner.invite("member", "mia"), make()
    assert add(member, authenticator, page).status == 201
    assert member.post("/api/v1/password", {"current": PASSWORD, "new": "another password"}).status == 204
    assert sign_in(Person(gallery), authenticator, page).status == 201
    code = owner.post(f"/api/v1/people/{member.id}/password-link").json["code"]
    again = Person(gallery)
    assert again.accept(code).status == 201
    assert again.get(PASSKEYS).json == {"passkeys": []}
    assert sign_in(Person(gallery), authenticator, page).is_problem(403)


def test_passkeys_go_with_their_account(gallery, owner, page, make):
    member, authenticator = owner.invite("member", "mia"), make()
    assert add(member, authenticator, page).status == 201
    assert sign_in(Person(gallery), authenticator, page).status == 201
    assert owner.delete(f"/api/v1/people/{member.id}").status == 204
    assert sign_in(Person(gallery), authenticator, page).is_problem(403)


def test_strangers_who_guess_have_to_wait(gallery, owner, page, make):
    authenticator = make()
    statuses = [sign_in(Person(gallery), authenticator, page).status for _ in range(8)]
    assert statuses[:5] == [403] * 5 and 429 in statuses[5:]
