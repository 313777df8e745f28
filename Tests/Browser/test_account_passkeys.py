"""Signing in with a passkey, by the authenticator that Chromium simulates."""

import re

import pytest

from conftest import PHONE
from test_account import PASSWORD, browse, owner, server  # noqa: F401
from test_axe import SCREENS, violations_in_all_colours


@pytest.fixture
def place(server) -> str:  # noqa: F811
    """The gallery under a name: passkeys need one."""
    return server.address.replace("127.0.0.1", "localhost")


def authenticator(page, **more) -> tuple:
    """Gives a page an authenticator whose owner is always there and recognised."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable", {"enableUI": False})
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
               "isUserVerified": True, "automaticPresenceSimulation": True, **more}
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


@pytest.fixture
def person(owner, browse, place):  # noqa: F811
    """The page about the account under the name, in a browser with an authenticator."""
    def person(**options):
        page = browse("account.html", **options)
        session = authenticator(page)
        page.goto(f"{place}/account.html")
        sign_in(page)
        page.locator(".slot[data-phase=displayed]").first.wait_for()
        page.goto(f"{place}/account.html")
        page.locator("#account").wait_for()
        return page, *session

    return person


def sign_in(page):
    page.get_by_role("heading", name="Sign in").wait_for()
    page.locator("#entrance-name").fill("olga")
    page.locator("#entrance-password").fill(PASSWORD)
    page.keyboard.press("Enter")


def add(page, name: str, password: str = PASSWORD):
    page.get_by_label("Name of the new passkey").fill(name)
    page.get_by_label("Your password").fill(password)
    page.keyboard.press("Enter")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_passkey_is_added_signs_in_and_is_removed(person, options):
    page, session, device = person(**options)
    add(page, "My phone", "a wrong password")
    page.get_by_role("alert").filter(has_text="wrong").wait_for()
    add(page, "My phone")
    page.get_by_role("status").filter(has_text="My phone has been added").wait_for()
    assert len(session.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]) == 1
    page.get_by_text("not used yet").wait_for()
    # A second one on the same device would replace it.
    add(page, "Again")
    page.get_by_role("alert").filter(has_text="already has a passkey").wait_for()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("heading", name="Sign in").wait_for()
    button = page.get_by_role("button", name="Sign in with a passkey")
    # The keyboard suffices.
    button.focus()
    page.keyboard.press("Enter")
    page.locator(".slot[data-phase=displayed]").first.wait_for()
    page.goto(page.url.split("/?")[0].rstrip("/") + "/account.html")
    page.get_by_text("last used").first.wait_for()
    page.get_by_role("button", name="Remove My phone").click()
    page.get_by_role("status").filter(has_text="My phone has been removed").wait_for()
    page.get_by_role("button", name="Sign out", exact=True).click()
    button.click()
    page.get_by_role("alert").filter(has_text="does not belong to an account").wait_for()
    assert page.evaluate("() => document.activeElement.id") == "entrance-passkey"


def test_somebody_who_changes_their_mind_is_told_of_no_problem(person):
    page, session, device = person()
    # The person is not recognised: to the page, that looks like a refusal by the person.
    session.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    with page.expect_response("**/passkeys/challenge"):
        add(page, "My phone")
    page.wait_for_function("() => !document.querySelector('#passkeys [type=submit]').disabled")
    assert page.locator("#passkeys-problem").is_hidden() and page.locator("#passkeys-list li").count() == 0
    page.get_by_role("button", name="Sign out", exact=True).click()
    button = page.get_by_role("button", name="Sign in with a passkey")
    with page.expect_response("**/session/challenge"):
        button.click()
    page.wait_for_function("() => !document.querySelector('#entrance-passkey').disabled")
    assert page.locator("#entrance-problem").is_hidden()
    assert page.evaluate("() => document.activeElement.id") == "entrance-passkey"


def test_at_an_ip_address_the_page_says_that_passkeys_need_a_name(owner, server):  # noqa: F811
    assert re.match(r"http://127\.0\.0\.1:", server.address)
    owner.goto(f"{server.address}/account.html")
    owner.get_by_text("Passkeys need a host name").wait_for()
    assert owner.locator("#passkeys").is_hidden()
    owner.get_by_role("button", name="Sign out", exact=True).click()
    owner.get_by_role("heading", name="Sign in").wait_for()
    assert owner.locator("#entrance-passkey").is_hidden()


@pytest.mark.parametrize("screen", SCREENS)
def test_the_pages_with_passkeys_pass_axe(person, screen):
    page, *_ = person(**{"viewport": {"width": 1100, "height": 800}, **SCREENS[screen]})
    add(page, "My phone")
    page.get_by_role("status").filter(has_text="My phone has been added").wait_for()
    assert violations_in_all_colours(page, screen) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("button", name="Sign in with a passkey").wait_for()
    assert violations_in_all_colours(page, screen) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
