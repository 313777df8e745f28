"""Accounts: who may sign in, and what each may do."""

import http.client
import json
import stat
import threading
import time

import pytest

from accounts import PASSWORD, Person, set_up, set_up_code
from gallery import PATIENCE, run, wait_until

SESSION = "/api/v1/session"


def test_without_an_owner_nothing_is_shown_and_the_printed_link_makes_one(gallery):
    stranger = Person(gallery)
    for path in ("/api/v1/images", "/api/v1/status", "/metrics", "/api/v1/timeline"):
        assert stranger.get(path).is_problem(401)
    assert stranger.get(SESSION).json == {"accounts": True, "setUp": False}
    assert stranger.get("/").status == 200 and stranger.get("/account.html").status == 200
    code = set_up_code(gallery)
    assert stranger.post("/api/v1/invitation", {"code": code}).json == {"role": "owner"}
    assert stranger.accept(code, "olga", "short").is_problem(400)
    assert stranger.accept(code, "ol\u202ega").is_problem(400)
    assert stranger.accept(code, "olga").json["account"]["role"] == "owner"
    assert stranger.get("/api/v1/images").json["total"] == 12
    # The link works once.
    assert Person(gallery).accept(code, "mallory").is_problem(404)
    assert Person(gallery).accept(code[:-1] + ("A" if code[-1] != "A" else "B"), "mallory").is_problem(404)


def test_accounts_last_across_restarts_and_their_file_is_private(serve, shared_folder, data):
    first = serve(shared_folder, "--accounts")
    owner = set_up(first)
    assert stat.S_IMODE((data / "library.sqlite").stat().st_mode) == 0o600
    first.stop()
    # An owner exists, so loopback needs no option any more.
    second = serve(shared_folder)
    assert "invitation=" not in second.log
    owner.gallery = second
    assert owner.get("/api/v1/images").status == 200
    assert Person(second).get("/api/v1/images").is_problem(401)
    assert Person(second).sign_in("OLGA").status == 201
    second.stop()
    third = serve(shared_folder, "--open")
    assert Person(third).get("/api/v1/images").status == 200
    assert Person(third).get(SESSION).json == {"accounts": False, "setUp": True}
    assert Person(third).get("/api/v1/people").is_problem(404)


def test_loopback_is_open_by_default_and_other_addresses_are_not(serve, shared_folder, tmp_path):
    assert serve(shared_folder, data=tmp_path / "a").get("/api/v1/images").status == 200
    network = serve(shared_folder, "--host", "0.0.0.0", data=tmp_path / "b")
    assert network.get("/api/v1/images").is_problem(401)
    assert serve(shared_folder, "--host", "0.0.0.0", "--open", data=tmp_path / "c").get("/api/v1/images").status == 200
    refused = run("serve", shared_folder, "--open", "--accounts", data=tmp_path / "d")
    assert refused.returncode != 0 and "either --open or --accounts" in refused.stderr


def test_several_nodes_need_open(shared_folder, data):
    refused = run("serve", shared_folder, "--accounts", "--redis", "redis://127.0.0.1:1", "--port", "0", data=data)
    assert refused.returncode != 0 and "--open" in refused.stderr


def test_a_damaged_library_or_one_in_use_stops_the_start(serve, shared_folder, tmp_path):
    library = tmp_path / "library.sqlite"
    library.write_bytes(b"no database at all" * 400)
    refused = run("serve", shared_folder, "--library", library, "--port", "0", data=tmp_path / "a")
    assert refused.returncode != 0 and str(library) in refused.stderr
    assert library.read_bytes().startswith(b"no database")
    serve(shared_folder, "--library", tmp_path / "good.sqlite", data=tmp_path / "b")
    refused = run("serve", shared_folder, "--library", tmp_path / "good.sqlite", "--port", "0", data=tmp_path / "c")
    assert refused.returncode != 0 and "another process" in refused.stderr


def test_an_open_gallery_works_where_no_library_can_be_created(serve, shared_folder, tmp_path):
    # As on a full disk: the folder of the library takes no files.
    gallery = serve(shared_folder, "--library", "/proc/library.sqlite", data=tmp_path / "a")
    assert gallery.get("/api/v1/images").status == 200 and "/proc/library.sqlite" in gallery.log
    refused = run("serve", shared_folder, "--accounts", "--library", "/proc/library.sqlite", "--port", "0", data=tmp_path / "b")
    assert refused.returncode != 0 and "/proc/library.sqlite" in refused.stderr


def test_a_program_can_neither_make_nor_widen_a_token(gallery, owner):
    member = owner.invite("member", "mia")
    program = Person(gallery, Authorization=f"Bearer {member.issue('view', 'operate')}")
    # A member has no right to operate, so neither has the token.
    assert program.get("/metrics").is_problem(403)
    assert program.post("/api/v1/app-tokens", {"name": "more", "scopes": ["originals"]}).is_problem(403)
    token = member.get("/api/v1/app-tokens").json["tokens"][0]
    assert "secret" not in token
    # Nobody but its owner sees or ends it.
    assert owner.get("/api/v1/app-tokens").json["tokens"] == []
    assert owner.delete(f"/api/v1/app-tokens/{token['id']}").is_problem(404)
    assert program.get("/api/v1/images").status == 200
    assert member.delete(f"/api/v1/app-tokens/{token['id']}").status == 204
    assert program.get("/api/v1/images").is_problem(401)


def test_without_the_right_to_originals_none_are_fetched_or_made(gallery, owner):
    guest = owner.invite("guest", "gus")
    order = {"first": 0, "count": 1}
    for rendition in ("original", "pyramid"):
        assert guest.post("/api/v1/tokens", {**order, "rendition": rendition}).is_problem(403)
        assert owner.post("/api/v1/tokens", {**order, "rendition": rendition}).status == 201
    assert guest.post("/api/v1/tokens", order).status == 201


def test_behind_a_proxy_on_this_machine_accounts_are_needed(serve, shared_folder, tmp_path):
    for number, words in enumerate([("--trusted-proxy", "127.0.0.1"), ("--allow-host", "pictures.example")]):
        assert serve(shared_folder, *words, data=tmp_path / str(number)).get("/api/v1/images").is_problem(401)


def test_ambiguous_and_mixed_credentials_are_refused(gallery, owner):
    secret = owner.issue("view")
    connection = gallery.connection()
    connection.putrequest("GET", "/api/v1/images")
    for _ in range(2):
        connection.putheader("Authorization", f"Bearer {secret}")
    connection.endheaders()
    assert connection.getresponse().status == 401
    # A wrong token is not forgiven for a cookie.
    assert owner.get("/api/v1/images", Authorization="Bearer tessera_wrong").is_problem(401)


def test_pages_of_other_sites_change_nothing(gallery, owner):
    body = {"role": "owner"}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"},
                    {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site", "Origin": f"http://localhost:{gallery.port}"}):
        assert owner.post("/api/v1/people", body, **headers).is_problem(403)
        assert owner.delete(SESSION, **headers).is_problem(403)
        assert Person(gallery).post(SESSION, {"name": "olga", "password": PASSWORD}, **headers).is_problem(403)
    own = {"Origin": f"http://127.0.0.1:{gallery.port}"}
    assert owner.post("/api/v1/people", body, **own).status == 201
    assert owner.post("/api/v1/people", body, **{"Sec-Fetch-Site": "same-origin"}).status == 201


def test_an_allowed_origin_uses_pictures_and_never_acts_for_a_person(serve, shared_folder):
    gallery = serve(shared_folder, "--accounts", "--allow-origin", "https://friend.example")
    owner = set_up(gallery)
    friend = {"Origin": "https://friend.example", "Sec-Fetch-Site": "same-site"}
    assert owner.post("/api/v1/tokens", {"first": 0, "count": 1}, **friend).status == 201
    assert owner.post("/api/v1/people", {"role": "owner"}, **friend).is_problem(403)


def test_cookies_are_out_of_reach_of_scripts_and_marked_secure_where_tls_is(gallery, owner):
    def fields(**headers):
        answer = Person(gallery).post(SESSION, {"name": "olga", "password": PASSWORD}, **headers)
        assert answer.status == 201
        return answer.headers.get_all("Set-Cookie")

    plain = fields()
    assert len(plain) == 2
    for field in plain:
        assert "; HttpOnly; SameSite=Lax" in field and "; Path=/;" in field and "Secure" not in field
    for field in fields(Origin=f"https://127.0.0.1:{gallery.port}"):
        assert field.startswith("__Host-tessera-") and field.endswith("; Secure")


def test_signing_out_ends_the_session_and_clears_the_browser(gallery, owner):
    copy = Person(gallery)
    copy.cookies = dict(owner.cookies)
    answer = owner.delete(SESSION)
    assert answer.status == 204 and answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert copy.get("/api/v1/images").is_problem(401)


def test_sessions_are_listed_and_revoked_one_by_one(gallery, owner):
    other = Person(gallery, **{"User-Agent": "Other/1.0"})
    assert other.sign_in("olga").status == 201
    sessions = owner.get("/api/v1/sessions").json["sessions"]
    assert len(sessions) == 2 and [session for session in sessions if session.get("own")][0]["agent"] != "Other/1.0"
    [id] = [session["id"] for session in sessions if session["agent"] == "Other/1.0"]
    member = owner.invite("member", "mia")
    assert member.delete(f"/api/v1/sessions/{id}").is_problem(404)
    assert other.get("/api/v1/images").status == 200
    assert owner.delete(f"/api/v1/sessions/{id}").status == 204
    assert other.get("/api/v1/images").is_problem(401)
    assert owner.get("/api/v1/images").status == 200


def test_a_new_password_ends_all_other_sessions(gallery, owner):
    other = Person(gallery)
    assert other.sign_in("olga").status == 201
    assert owner.post("/api/v1/password", {"current": "wrong", "new": "another password"}).is_problem(403)
    assert owner.post("/api/v1/password", {"current": PASSWORD, "new": "short"}).is_problem(400)
    assert owner.post("/api/v1/password", {"current": PASSWORD, "new": "another password"}).status == 204
    assert owner.get("/api/v1/images").status == 200 and other.get("/api/v1/images").is_problem(401)
    assert Person(gallery).sign_in("olga").is_problem(403)
    assert Person(gallery).sign_in("olga", "another password").status == 201


def test_a_removed_or_demoted_person_loses_everything_at_once(gallery, owner):
    member = owner.invite("member", "mia")
    program = Person(gallery, Authorization=f"Bearer {member.issue('view', 'originals')}")
    image = owner.get("/api/v1/images").json["images"][0]["id"]
    original = f"/images/{image}/original"
    assert member.get(original).status == program.get(original).status == 200
    assert owner.post(f"/api/v1/people/{member.id}", {"role": "guest"}).status == 204
    assert member.get(original).is_problem(403) and program.get(original).is_problem(403)
    assert owner.delete(f"/api/v1/people/{member.id}").status == 204
    assert member.get("/api/v1/images").is_problem(401) and program.get("/api/v1/images").is_problem(401)
    assert Person(gallery).sign_in("mia").is_problem(403)


def test_the_last_owner_stays(gallery, owner):
    assert owner.post(f"/api/v1/people/{owner.id}", {"role": "member"}).is_problem(409)
    assert owner.delete(f"/api/v1/people/{owner.id}").is_problem(409)
    second = owner.invite("owner", "otto")
    assert owner.post(f"/api/v1/people/{owner.id}", {"role": "member"}).status == 204
    assert owner.get("/api/v1/people").is_problem(403)
    assert second.get("/api/v1/people").status == 200


def test_an_owner_helps_somebody_who_forgot_the_password(gallery, owner):
    member = owner.invite("member", "mia")
    link = owner.post(f"/api/v1/people/{member.id}/password-link").json
    assert link["link"].startswith("account.html#invitation=")
    assert Person(gallery).post("/api/v1/invitation", {"code": link["code"]}).json == {"name": "mia"}
    again = Person(gallery)
    assert again.accept(link["code"], password="a new password").status == 201
    assert member.get("/api/v1/images").is_problem(401)
    assert again.get(SESSION).json["account"]["name"] == "mia"
    [entry] = [entry for entry in owner.get("/api/v1/audit").json["entries"] if entry["action"] == "passwordLinkIssued"]
    assert (entry["actor"], entry["subject"]) == ("olga", "mia")


def test_names_of_people_are_unique_in_any_case(gallery, owner):
    owner.invite("member", "Zoë")
    code = owner.post("/api/v1/people", {"role": "member"}).json["code"]
    assert Person(gallery).accept(code, "zoe\u0308").is_problem(409)
    assert Person(gallery).accept(code, "Zoe").status == 201


def from_address(gallery, address: str, name: str, password: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", gallery.port, timeout=PATIENCE, source_address=(address, 0))
    try:
        body = json.dumps({"name": name, "password": password})
        connection.request("POST", SESSION, body, {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def test_strangers_who_guess_delay_neither_the_owner_nor_anybody_else(gallery, owner):
    statuses, guessed, lock = [], set(), threading.Lock()

    def sign_in(address: str) -> float:
        start = time.monotonic()
        assert from_address(gallery, address, "olga", PASSWORD) == 201
        return time.monotonic() - start

    # Other tests may occupy the machine.
    calm = max(sign_in(f"127.0.3.{number}") for number in range(1, 4))

    def guess(number: int):
        for attempt in range(10):
            status = from_address(gallery, f"127.0.1.{number}", "olga", f"guess {attempt}")
            with lock:
                statuses.append(status)
                guessed.add(number)

    guessers = [threading.Thread(target=guess, args=(number,)) for number in range(1, 101)]
    for guesser in guessers:
        guesser.start()
    wait_until(lambda: len(guessed) == 100, "the attack")
    times = [sign_in(address) for address in ("127.0.0.2", "127.0.0.3")]
    for guesser in guessers:
        guesser.join()
    assert len(statuses) == 1000 and set(statuses) <= {403, 429}
    assert statuses.count(403) < 200
    assert max(times) < max(1, 10 * calm), (times, calm)
    assert from_address(gallery, "127.0.0.4", "olga", PASSWORD) == 201


def test_an_unknown_name_takes_as_long_as_a_wrong_password(gallery, owner):
    times = {"olga": [], "nobody": []}
    for number in range(9):
        for place, (name, taken) in enumerate(times.items()):
            start = time.perf_counter()
            assert from_address(gallery, f"127.0.2.{number + 100 * place}", name, "wrong password") == 403
            taken.append(time.perf_counter() - start)
    known, unknown = (sorted(taken)[4] for taken in times.values())
    assert 0.5 < known / unknown < 2, (known, unknown)



def test_strangers_learn_nothing_of_the_state_of_the_server(gallery, owner):
    guest = owner.invite("guest", "gus")
    told = guest.get("/api/v1/status").json
    assert set(told) == {"revision", "total", "scanning", "defaultView", "notShown"}, told
    assert "problems" in owner.get("/api/v1/status").json
