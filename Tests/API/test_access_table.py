"""
Who may use which route: each route of the API's description with each credential, in each way in which it can be sent.

A unit test proves that the description has exactly the server's routes, with their rules (`x-access`).
"""

import base64
import json

import pytest

from accounts import PASSWORD, Person, set_up
from gallery import ROOT

PEOPLE = {"owner", "member", "guest"}
TOKENS = {"token: view", "token: operate", "token: originals view"}
VISITORS = {"visitor", "visitor of a locked share", "visitor of an ended share"}
STRANGERS = {"stranger", "forged token"}
SEES = PEOPLE | {"token: view", "token: originals view", "visitor"}
ADMITTED = {
    "everyone": PEOPLE | TOKENS | VISITORS | STRANGERS,
    "entrance": PEOPLE | TOKENS | STRANGERS,
    "secret": {"secret"},
    "view": SEES,
    "picture": SEES,
    "operate": {"owner", "token: operate"},
    "account": PEOPLE,
    "share": {"owner", "member"},
    "manage": {"owner"},
}
# Renditions of the rule `picture` that need the right to originals as well.
FILES = ["original", "pyramid"]
SEES_FILES = {"owner", "member", "token: originals view"}
SECRET = "the-secret-of-the-events"
# Everybody may ask about a share and unlock it, if there is one.
ABOUT_SHARES = {("GET", "/api/v1/session"), ("POST", "/api/v1/unlock")}
# All that an address may tell: addresses stand in histories and logs. Of these, a token of the loader opens one rendition once;
# a provider's code is worth nothing without its verifier.
IN_ADDRESSES = {"q", "folder", "sort", "direction", "seed", "limit", "offset", "cursor", "before", "parent", "image", "first",
                "count", "accept", "v", "token", "code", "state", "iss", "error"}
# Exist only with a provider.
ABSENT = {"/api/v1/session/oidc", "/api/v1/session/oidc/callback"}


def operations() -> list[tuple[str, str, str]]:
    """The method, path and rule of each."""
    paths = json.loads((ROOT / "Public/api/openapi.json").read_text())["paths"]
    return [(method.upper(), path, operation["x-access"])
            for path, each in paths.items() for method, operation in each.items()]


def programs(secret: str) -> list[dict]:
    """All ways in which a program sends a secret."""
    basic = base64.b64encode(f"x:{secret}".encode()).decode()
    return [{"Authorization": f"Bearer {secret}"}, {"Authorization": f"basic {basic}"}]


def shared(owner: Person, **more) -> dict:
    made = owner.post("/api/v1/shares", {"name": "all", "view": "", **more})
    assert made.status == 201, made.body
    return made.json


@pytest.fixture
def bearers(serve, shared_folder):
    """By credential: those who send it, each in one way, and the path below which they ask."""
    gallery = serve(shared_folder, "--accounts", TESSERA_EVENTS_SECRET=SECRET)
    owner = set_up(gallery)
    ended = shared(owner)
    assert owner.delete(f"/api/v1/shares/{ended['id']}").status == 204
    locked = shared(owner, password=PASSWORD)
    known = {"owner": [owner], **{role: [owner.invite(role, role)] for role in ("member", "guest")}}
    known |= {token: [Person(gallery, **fields) for fields in programs(owner.issue(*token.removeprefix("token: ").split()))]
              for token in TOKENS}
    known |= {"stranger": [Person(gallery)], "secret": [Person(gallery, **fields) for fields in programs(SECRET)],
              "forged token": [Person(gallery, **fields) for fields in programs("tessera_" + "A" * 43)]}
    below = {"visitor": shared(owner), "visitor of a locked share": locked, "visitor of an ended share": ended}
    return [(name, each, "") for name, all_ in known.items() for each in all_] + [
        (name, Person(gallery), "/" + share["link"].rstrip("/")) for name, share in below.items()]


def is_refused(name: str, answer) -> bool:
    """Whether the credential is not enough; for a reason that says no more than it should."""
    title = answer.json["title"] if answer.status in (401, 403, 404) else ""
    if name in VISITORS:
        return (answer.status == 403 or title == "This link is not valid"
                or title == "Enter the password" and name == "visitor of a locked share")
    if answer.status == 401:
        assert name in STRANGERS | {"secret"} or title != "Sign in", (name, title)
    return answer.status in (401, 403)


def test_each_route_admits_whom_its_rule_names_however_the_credential_is_sent(bearers):
    owner = bearers[0][1]
    image = owner.get("/api/v1/images").json["images"][0]["id"]
    targets = []
    for method, path, rule in operations():
        admitted = ADMITTED[rule] - ({"visitor of an ended share"} if (method, path) in ABOUT_SHARES else set())
        is_about_images = "/images/" in path
        target = path.replace("{id}", image if is_about_images else "00000000").replace("{rendition}", "tile")
        if path not in ABSENT:
            targets.append((method, target, admitted))
    targets += [("GET", f"/images/{image}/{rendition}", SEES_FILES) for rendition in FILES]
    # It ends the session of whoever asks.
    last = ("DELETE", "/api/v1/session", ADMITTED["account"])
    targets.remove(last)
    wrong = []
    for method, path, admitted in [*targets, last]:
        for name, bearer, below in bearers:
            answer = bearer.ask(method, below + path, {} if method == "POST" else None)
            if is_refused(name, answer) == (name in admitted or name == "secret" and admitted >= STRANGERS):
                wrong.append((method, path, name, answer.status))
    assert wrong == []


def test_no_address_has_a_parameter_for_a_password_or_another_credential(bearers):
    description = json.loads((ROOT / "Public/api/openapi.json").read_text())
    named = set()
    for operations_ in description["paths"].values():
        for parameter in (one for operation in operations_.values() for one in operation.get("parameters", [])):
            if "$ref" in parameter:
                parameter = description["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
            named |= {parameter["name"]} if parameter["in"] == "query" else set()
    assert named == IN_ADDRESSES
    # Nor does one count that is not described.
    owner = bearers[0][1]
    locked = next(below for name, _, below in bearers if name == "visitor of a locked share")
    secrets = [PASSWORD.replace(" ", "%20"), owner.issue("view"), next(iter(owner.cookies.values()))]
    for name in ("password", "pass", "token", "access_token", "api_key", "apikey", "key", "secret", "session", "r"):
        for secret in secrets:
            for below in ("", locked):
                assert Person(owner.gallery).get(f"{below}/api/v1/images?{name}={secret}").is_problem(401), (name, below)
