"""Which account a person of an OpenID provider gets, and with which role."""

from accounts import PASSWORD, Person, set_up
from test_openid_connect import (  # noqa: F401
    SESSION, Browser, gallery, is_refused, provider, signed_in, start)


def test_an_account_with_the_same_name_is_somebody_elses(gallery, provider):
    owner = set_up(gallery)
    olga = signed_in(gallery, provider)
    assert olga.account["name"] == "olga-2" and olga.account["role"] == "member"
    other = signed_in(gallery, provider, sub="1002")
    assert other.account["name"] == "olga-3"
    assert sorted(person["name"] for person in owner.get("/api/v1/people").json["people"]) == ["olga", "olga-2", "olga-3"]
    # No password opens an account that has none.
    for password in (PASSWORD, "", " "):
        assert Person(gallery).sign_in("olga-2", password).status in (400, 403)
    # Somebody whose account has been removed comes as a new person.
    assert owner.delete(f"/api/v1/people/{olga.account['id']}").status == 204
    assert olga.account is None
    assert signed_in(gallery, provider, sub="1001").account["name"] == "olga-2"


def test_groups_decide_who_is_an_owner_and_the_last_one_stays(start, provider):
    gallery = start("--owner-group", "admins", "--oidc-groups-claim", "roles", "--oidc-name", "Our house")
    assert Person(gallery).get(SESSION).json["provider"] == "Our house"
    # Before the link that the server printed was used.
    olga = signed_in(gallery, provider, roles=["admins"], groups=[])
    assert olga.account["role"] == "owner" and Person(gallery).get(SESSION).json["setUp"]
    ivan = signed_in(gallery, provider, sub="1002", preferred_username="ivan", roles=["staff"])
    assert ivan.account["role"] == "member"
    provider.claims = {**provider.claims, "sub": "1001"}
    browser = Browser(gallery)
    assert is_refused(browser, browser.sign_in_by(provider), 409, "last-owner")
    assert olga.account["role"] == "owner"
    assert signed_in(gallery, provider, sub="1002", roles=["admins"]).account["role"] == "owner"
    assert signed_in(gallery, provider, sub="1001", roles="staff").account["role"] == "member"
    # An earlier session has the new role, too.
    assert olga.account["role"] == "member"


def test_what_the_id_token_lacks_comes_from_the_user_info(start, provider):
    gallery = start("--owner-group", "admins")
    provider.claims = {"sub": "1001"}
    provider.user_info = {"sub": "1001", "preferred_username": "olga", "groups": ["admins"]}
    browser = signed_in(gallery, provider)
    assert (browser.account["name"], browser.account["role"]) == ("olga", "owner")
    # If the response describes somebody else, or fails, nobody knows whether the person is an owner.
    provider.user_info = {"sub": "1002", "groups": ["admins"]}
    browser = Browser(gallery)
    assert is_refused(browser, browser.sign_in_by(provider), 403, "invalid")
    provider.instead["/userinfo"] = 500, {}, b""
    assert is_refused(browser, browser.sign_in_by(provider), 503, "unavailable")


def test_only_members_of_a_group_are_admitted(start, provider):
    gallery = start("--oidc-group", "family", "--oidc-group", "friends", "--owner-group", "admins")
    for groups in ([], ["staff", "Family", "family2"], ["admins"]):
        provider.claims["groups"] = groups
        browser = Browser(gallery)
        assert is_refused(browser, browser.sign_in_by(provider), 403, "not-admitted")
    # A claim that cannot be read grants and takes away nothing.
    provider.claims["groups"] = [{"name": "family"}]
    assert is_refused(browser, browser.sign_in_by(provider), 403, "invalid")
    assert signed_in(gallery, provider, groups=["friends"]).account["role"] == "member"
    owner = signed_in(gallery, provider, sub="1002", groups=["family", "admins"])
    assert owner.account["role"] == "owner"
    # Those whom the provider has identified are in the audit log.
    assert [entry["action"] for entry in owner.get("/api/v1/audit").json["entries"]].count("signInFailed") == 3
