"""Signing in at an OpenID provider."""

import sys

import pytest

from server import PATIENCE, ROOT
from test_account import browse  # noqa: F401
from test_axe import SCREENS, violations_in_all_colours
from folder import jpeg

sys.path.append(str(ROOT / "Tests" / "API"))

from openid_provider import Provider  # noqa: E402


@pytest.fixture
def provider(tmp_path):
    provider = Provider(tmp_path / "provider")
    yield provider
    provider.close()


@pytest.fixture
def server(start, tmp_path, provider):
    folder = tmp_path / "pictures" / "trip"
    folder.mkdir(parents=True)
    for number in range(6):
        (folder / f"{number}.jpg").write_bytes(jpeg(number))
    server = start("serve", tmp_path / "pictures", *provider.options, "--oidc-name", "Our house", "--owner-group", "admins")
    server.address = server.address.replace("127.0.0.1", "localhost")
    provider.claims["groups"] = ["admins"]
    return server


def test_the_provider_signs_in_and_returns_to_the_same_view(server, browse):  # noqa: F811
    page = browse("?folder=trip#at=2")
    page.get_by_role("button", name="Sign in with Our house").click()
    page.locator(".slot[data-phase=displayed]").first.wait_for()
    assert page.url == f"{server.address}/?folder=trip#at=2"
    page.goto(f"{server.address}/account.html")
    page.get_by_role("heading", name="olga").wait_for()
    # There is no password to change, and none to add a passkey with.
    assert page.locator("#password-section").is_hidden() and page.locator("#passkeys-section").is_hidden()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("heading", name="Sign in").wait_for()


def test_a_sign_in_that_fails_is_explained_on_the_sign_in_page(server, browse, provider):  # noqa: F811
    provider.claims["nonce"] = "another"
    page = browse("account.html")
    page.get_by_role("button", name="Sign in with Our house").click()
    page.get_by_role("alert").filter(has_text="could not be verified").wait_for()
    assert page.url.endswith("account.html#refused=invalid")
    # It works afterwards.
    del provider.claims["nonce"]
    page.get_by_role("button", name="Sign in with Our house").click()
    page.locator(".slot[data-phase=displayed]").first.wait_for()


def test_the_page_says_that_the_provider_is_down(server, browse, provider):  # noqa: F811
    provider.instead["/.well-known/openid-configuration"] = 500, {}, b""
    page = browse("account.html")
    button = page.get_by_role("button", name="Sign in with Our house")
    button.click()
    page.get_by_role("alert").filter(has_text="Our house cannot be used").wait_for(timeout=PATIENCE * 1_000)
    assert page.evaluate("() => document.activeElement.id") == "entrance-provider"


@pytest.mark.parametrize("screen", SCREENS)
def test_the_sign_in_page_with_a_provider_passes_axe(browse, screen):  # noqa: F811
    page = browse("account.html#refused=expired", **{"viewport": {"width": 1100, "height": 800}, **SCREENS[screen]})
    page.get_by_role("alert").filter(has_text="expired").wait_for()
    assert violations_in_all_colours(page, screen) == []
