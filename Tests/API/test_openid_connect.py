"""Signing in at an OpenID provider: the way there and back, and everything that must not begin a session."""

import base64
import hashlib
import hmac
import json
import time
import urllib.parse

import pytest

from accounts import Person
from authenticator import encode
from gallery import Answer, run, wait_until
from openid_provider import SECRET, Key, Provider

SESSION = "/api/v1/session"
CALLBACK = f"{SESSION}/oidc/callback"
IMAGES = "/api/v1/images?limit=1"


@pytest.fixture
def provider(tmp_path):
    provider = Provider(tmp_path / "provider")
    yield provider
    provider.close()


@pytest.fixture
def start(serve, shared_folder, provider):
    """Starts a gallery whose people the provider signs in."""
    return lambda *words, **more: serve(shared_folder, *provider.options, *words, TESSERA_OIDC_CLIENT_SECRET=SECRET, **more)


@pytest.fixture
def gallery(start):
    return start()


class Browser(Person):
    """A browser with the gallery's page, which it knows under a name."""

    def __init__(self, gallery, base: str = ""):
        super().__init__(gallery, Host=f"localhost:{gallery.port}")
        self.base, self.origin = base, f"http://localhost:{gallery.port}"

    def begin(self, place: str | None = None) -> Answer:
        return self.post(f"{self.base}{SESSION}/oidc", {"from": place}, Origin=self.origin)

    def go(self, provider: Provider, place: str | None = None, **changes) -> str:
        """Begins a sign-in and signs in at the provider; the target with which the browser then comes back.

        `changes` replace parameters of the answer, or leave them out if they are None."""
        begun = self.begin(place)
        assert begun.status == 200, begun.body
        back = urllib.parse.urlsplit(provider.authorize(urllib.parse.urlsplit(begun.json["location"]).query))
        assert f"{back.scheme}://{back.netloc}" == self.origin
        answer = {**dict(urllib.parse.parse_qsl(back.query)), **changes}
        return back.path + "?" + urllib.parse.urlencode({k: v for k, v in answer.items() if v is not None})

    def come_back(self, target: str) -> Answer:
        return self.get(target, Accept="text/html")

    def sign_in_by(self, provider: Provider, place: str | None = None, **changes) -> Answer:
        return self.come_back(self.go(provider, place, **changes))

    @property
    def account(self) -> dict | None:
        return self.get(f"{self.base}{SESSION}").json.get("account")


def signed_in(gallery, provider, **claims) -> Browser:
    provider.claims = {**provider.claims, **claims}
    browser = Browser(gallery)
    answer = browser.sign_in_by(provider)
    assert answer.status == 303, (answer.body, gallery.log)
    return browser


def is_logged(gallery, text: str) -> bool:
    """Whether the log says so: it is read by a thread of its own, a moment later."""
    wait_until(lambda: text in gallery.log, f"“{text}” in the log", lambda: gallery.log)
    return True


def is_refused(browser: Browser, answer: Answer, status: int, word: str) -> bool:
    """Whether a sign-in has begun no session, and leads to the sign-in page with a message."""
    assert answer.status == status and answer.type == "text/html", (answer.status, answer.body, browser.gallery.log)
    assert f"account.html#refused={word}\"" in answer.body.decode(), answer.body
    # Any site could send a browser here: only the response to a sign-in of this browser ends it.
    fields = answer.headers.get_all("Set-Cookie") or []
    assert len(fields) == (0 if word == "expired" else 1)
    assert all("sign-in" in field and "Max-Age=0" in field for field in fields)
    assert browser.account is None and browser.get(IMAGES).status == 401
    return True


@pytest.mark.parametrize("algorithm", [-257, -7, -8])
def test_a_person_signs_in_at_the_provider(gallery, provider, algorithm):
    provider.rotate(algorithm)
    browser = Browser(gallery)
    assert browser.get(SESSION).json == {"accounts": True, "setUp": False, "provider": "localhost"}
    begun = browser.begin("?q=cats#image")
    [cookie] = begun.headers.get_all("Set-Cookie")
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Max-Age=600" in cookie and "Secure" not in cookie
    assert begun.headers["Cache-Control"] == "no-store"
    answer = browser.sign_in_by(provider, "?q=cats#image")
    assert answer.status == 303 and answer.headers["Location"] == "/account.html#entered=?q=cats#image"
    assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    account = browser.account
    assert (account["name"], account["role"], account["password"]) == ("olga", "member", False)
    assert browser.get(IMAGES).status == 200
    assert [session["own"] for session in browser.get("/api/v1/sessions").json["sessions"]] == [True]
    # The same person with another name, and an ordinary session, which can be ended.
    again = signed_in(gallery, provider, preferred_username="olga.new")
    assert again.account["id"] == account["id"] and again.account["name"] == "olga"
    assert again.delete(SESSION).status == 204 and again.account is None
    assert browser.account is not None
    # Nothing that is secret is in the log.
    assert SECRET not in gallery.log and "code=" not in gallery.log


def test_a_callback_without_state_or_with_another_browsers_state_begins_no_session(gallery, provider):
    """Otherwise, an attacker could sign a victim in to the attacker's account (CVE-2025-43856)."""
    mallory, victim = Browser(gallery), Browser(gallery)
    # A cookie of the attacker's own, which the victim has not.
    target = mallory.go(provider)
    assert is_refused(victim, victim.come_back(target), 400, "expired")
    # The victim has begun a sign-in of their own.
    victim.begin()
    assert is_refused(victim, victim.come_back(target), 400, "expired")
    for changes in ({"state": None}, {"state": ""}, {"state": "AAAAAAAAAAAAAAAAAAAAAA"}, {"code": None, "state": None}):
        browser = Browser(gallery)
        assert is_refused(browser, browser.sign_in_by(provider, **changes), 400, "expired")
    browser = Browser(gallery)
    target = browser.go(provider)
    assert is_refused(browser, browser.come_back(target + "&state=x"), 400, "expired")
    # A cookie that somebody has made up, or changed.
    browser = Browser(gallery)
    target = browser.go(provider)
    [(name, cookie)] = browser.cookies.items()
    for forged in ("", "AAAA", cookie[:-2] + ("AA" if cookie[-2:] != "AA" else "BA"), cookie[:30] + "AA" + cookie[32:]):
        browser.cookies = {name: forged}
        assert is_refused(browser, browser.come_back(target), 400, "expired")
    assert provider.asked("/token") == 0
    # Programs get a problem instead of a page.
    assert Browser(gallery).get(CALLBACK).is_problem(400)


def test_a_callback_works_once(gallery, provider):
    browser = Browser(gallery)
    target = browser.go(provider)
    cookies = dict(browser.cookies)
    assert browser.come_back(target).status == 303
    # The browser has forgotten the sign-in, and the provider the code.
    assert browser.come_back(target).status == 400
    thief = Browser(gallery)
    thief.cookies = cookies
    assert is_refused(thief, thief.come_back(target), 403, "invalid")


def spoilt_claims(now: float) -> dict[str, dict]:
    return {
        "another nonce": {"nonce": "AAAAAAAAAAAAAAAAAAAAAA"}, "no nonce": {"nonce": None},
        "another audience": {"aud": "other"}, "several audiences": {"aud": ["gallery", "other"]},
        "another party": {"azp": "other"}, "another issuer": {"iss": "https://accounts.example.org"},
        "expired": {"exp": now - 120}, "from the future": {"iat": now + 600}, "no subject": {"sub": None},
    }


@pytest.mark.parametrize("what", spoilt_claims(0))
def test_an_id_token_that_breaks_a_rule_begins_no_session(gallery, provider, what):
    provider.claims = {**provider.claims, **spoilt_claims(time.time())[what]}
    browser = Browser(gallery)
    assert is_refused(browser, browser.sign_in_by(provider), 403, "invalid")
    assert is_logged(gallery, "the ID token is invalid")
    assert Browser(gallery).get(SESSION).json["setUp"] is False


def unsigned(token: str, header: dict, sign=lambda text: b"") -> str:
    text = f"{encode(json.dumps(header).encode())}.{token.split('.')[1]}"
    return f"{text}.{encode(sign(text.encode()))}"


def test_a_token_that_the_provider_has_not_signed_begins_no_session(gallery, provider, tmp_path):
    key = provider.keys[0]
    pem = base64.encodebytes(key.der)
    other = Key(tmp_path / "other")
    forgeries = {
        "none": lambda token: unsigned(token, {"alg": "none"}),
        "HS256 with the public key": lambda token: unsigned(
            token, {"alg": "HS256", "kid": key.id}, lambda text: hmac.digest(pem, text, hashlib.sha256)),
        "another key with its name": lambda token: unsigned(token, {"alg": "RS256", "kid": key.id}, other.sign),
        "another algorithm": lambda token: unsigned(token, {"alg": "ES256", "kid": key.id}, other.sign),
        "a key in the header": lambda token: unsigned(token, {"alg": "RS256", "jwk": other.published}, other.sign),
        "no signature": lambda token: token.rsplit(".", 1)[0] + ".",
        "other claims": lambda token: ".".join(
            [token.split(".")[0], encode(b'{"sub":"1"}'), token.split(".")[2]]),
        "20 KB": lambda token: token + "A" * 20_000,
        "nothing": lambda token: "",
    }
    for what, forge in forgeries.items():
        provider.spoil = forge
        browser = Browser(gallery)
        assert is_refused(browser, browser.sign_in_by(provider), 403, "invalid"), what
    assert len(forgeries) > 8


def test_a_new_key_is_fetched_but_not_for_each_unknown_one(gallery, provider):
    signed_in(gallery, provider)
    assert provider.asked("/keys") == 1
    provider.rotate(-7)
    signed_in(gallery, provider)
    assert provider.asked("/keys") == 2
    provider.rotate(-8)
    for _ in range(2):
        browser = Browser(gallery)
        assert is_refused(browser, browser.sign_in_by(provider), 403, "invalid")
    assert provider.asked("/keys") == 2


def test_a_code_is_worth_nothing_without_its_verifier(gallery, provider):
    browser = Browser(gallery)
    target = browser.go(provider)
    [code] = provider.codes
    provider.codes[code]["code_challenge"] = "A" * 43
    assert is_refused(browser, browser.come_back(target), 403, "invalid")
    assert is_logged(gallery, "invalid_grant")


def test_the_secret_may_be_in_a_file_and_a_public_client_has_none(serve, shared_folder, provider, tmp_path):
    file = tmp_path / "secret"
    file.write_text("wrong\n")
    wrong = serve(shared_folder, *provider.options, "--oidc-client-secret-file", file, data=tmp_path / "a")
    browser = Browser(wrong)
    assert is_refused(browser, browser.sign_in_by(provider), 503, "unavailable")
    assert is_logged(wrong, "invalid_client")
    file.write_text(SECRET + "\n")
    right = serve(shared_folder, *provider.options, "--oidc-client-secret-file", file, data=tmp_path / "b")
    assert Browser(right).sign_in_by(provider).status == 303
    public = serve(shared_folder, *provider.options, data=tmp_path / "c")
    assert Browser(public).sign_in_by(provider).status == 303


def test_the_providers_errors_and_other_providers_answers_begin_no_session(gallery, provider):
    browser = Browser(gallery)
    assert is_refused(browser, browser.sign_in_by(provider, error="access_denied", code=None), 403, "denied")
    assert is_refused(browser, browser.sign_in_by(provider, error="<script>", code=None), 503, "unavailable")
    assert "<script>" not in gallery.log
    assert is_refused(browser, browser.sign_in_by(provider, iss="https://evil.example"), 403, "invalid")
    assert is_refused(browser, browser.sign_in_by(provider, iss=None), 403, "invalid")
    assert provider.asked("/token") == 0


DISCOVERY = "/.well-known/openid-configuration"


@pytest.mark.parametrize("what", ["redirects", "too long", "no JSON", "another issuer", "a plain endpoint elsewhere", "an error"])
def test_a_provider_with_an_unusable_configuration_is_not_used(gallery, provider, what):
    match what:
        case "redirects":
            provider.instead[DISCOVERY] = 302, {"Location": f"{provider.issuer}/elsewhere"}, b""
        case "too long":
            provider.instead[DISCOVERY] = 200, {}, b" " * 300_000
        case "no JSON":
            provider.instead[DISCOVERY] = 200, {}, b"<html>"
        case "another issuer":
            provider.metadata = {"issuer": provider.issuer + "/"}
        case "a plain endpoint elsewhere":
            provider.metadata = {"token_endpoint": "http://192.0.2.1/token"}
        case "an error":
            provider.instead[DISCOVERY] = 500, {}, b""
    browser = Browser(gallery)
    answer = browser.begin()
    assert answer.is_problem(503) and "Set-Cookie" not in answer.headers
    assert is_logged(gallery, "Sign-in with")
    assert provider.asked("/elsewhere") == 0
    provider.instead, provider.metadata = {}, {}
    # It is asked again some seconds later.
    wait_until(lambda: browser.begin().status == 200, "the provider")
    assert browser.sign_in_by(provider).status == 303


@pytest.mark.parametrize("path, changes, status, word", [
    ("/token", (302, {"Location": "/elsewhere"}, b""), 503, "unavailable"),
    ("/token", (200, {}, b"{"), 403, "invalid"),
    ("/token", (200, {}, b" " * 300_000), 503, "unavailable"),
    ("/keys", (200, {}, b"[]"), 503, "unavailable"),
    ("/keys", (200, {}, b'{"keys": []}'), 403, "invalid"),
])
def test_unusable_answers_begin_no_session(gallery, provider, path, changes, status, word):
    provider.instead[path] = changes
    browser = Browser(gallery)
    assert is_refused(browser, browser.sign_in_by(provider), status, word)


def test_a_provider_that_is_slow_or_down_holds_up_nobody(gallery, provider):
    browser = Browser(gallery)
    target = browser.go(provider)
    provider.delay["/token"] = 60
    began = time.monotonic()
    assert is_refused(browser, browser.come_back(target), 503, "unavailable")
    assert 3 < time.monotonic() - began < 15
    target = browser.go(provider)
    provider.close()
    assert is_refused(browser, browser.come_back(target), 503, "unavailable")


@pytest.mark.parametrize("place", [
    "https://evil.example", "//evil.example", "/\\evil.example", "\\evil", "javascript:alert(1)", "/api/v1/session",
    " ?q", "?q\r\nSet-Cookie: a=b", "?q\u0000", "?é", "?" + "q" * 3_000,
])
def test_the_browser_returns_to_the_gallery_only(gallery, provider, place):
    answer = Browser(gallery).sign_in_by(provider, place)
    assert answer.status == 303 and answer.headers["Location"] == "/account.html#entered="
    assert not any(field.startswith("a=b") for field in answer.headers.get_all("Set-Cookie"))


def test_only_the_gallerys_own_page_begins_a_sign_in(gallery):
    browser = Browser(gallery)
    for fields in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = browser.post(f"{SESSION}/oidc", {}, **fields)
        assert answer.is_problem(400, 403) and "Set-Cookie" not in answer.headers
    assert browser.post(f"{SESSION}/oidc", {}).is_problem(400)
    assert browser.get(f"{SESSION}/oidc").status == 405


def test_the_gallery_may_be_under_a_path_and_behind_tls(start, provider):
    gallery = start("--base-path", "/gallery", "--allow-host", "pictures.example.org")
    browser = Browser(gallery, "/gallery")
    answer = browser.sign_in_by(provider, "#x")
    assert answer.status == 303 and answer.headers["Location"] == "/gallery/account.html#entered=#x"
    assert browser.account["name"] == "olga"
    secure = Browser(gallery, "/gallery")
    secure.headers, secure.origin = {"Host": "pictures.example.org"}, "https://pictures.example.org"
    answer = secure.sign_in_by(provider)
    cookies = answer.headers.get_all("Set-Cookie")
    assert answer.status == 303 and len(cookies) == 3
    assert all(cookie.startswith("__Secure-tessera-") and "; Secure" in cookie and "Path=/gallery/" in cookie for cookie in cookies)


def test_without_a_provider_there_is_no_such_sign_in(serve, shared_folder):
    gallery = serve(shared_folder, "--accounts")
    assert "provider" not in Person(gallery).get(SESSION).json
    assert Browser(gallery).begin().is_problem(404)
    assert Person(gallery).get(CALLBACK).is_problem(404)


ISSUER = ("--oidc-issuer", "https://id.example.org")


@pytest.mark.parametrize("words, reason", [
    (ISSUER, "--oidc-client-id"),
    (("--oidc-client-id", "gallery"), "--oidc-issuer"),
    (("--oidc-name", "x"), "--oidc-issuer"),
    (("--oidc-issuer", "http://id.example.org", "--oidc-client-id", "x"), "https"),
    (("--oidc-issuer", "id.example.org", "--oidc-client-id", "x"), "https"),
    ((*ISSUER, "--oidc-client-id", "x", "--open"), "--open"),
    ((*ISSUER, "--oidc-client-id", "x", "--oidc-client-secret-file", "/nowhere"), "/nowhere"),
    ((*ISSUER, "--oidc-client-id", "x", "--oidc-client-secret-file", "/dev/null"), "secret"),
    ((*ISSUER, "--oidc-client-id", "x", "--oidc-groups-claim", "é"), "--oidc-groups-claim"),
    ((*ISSUER, "--oidc-client-id", "x", "--trusted-proxy", "127.0.0.1", "--forward-auth", "Remote-User"), "--forward-auth"),
    (("--owner-group", "admins"), "--oidc-issuer"),
])
def test_options_that_do_not_fit_together_are_refused(data, shared_folder, words, reason):
    result = run("serve", shared_folder, *words, data=data)
    assert result.returncode == 64 and reason in result.stderr, result.stderr
