"""The page about accounts, and what a gallery with accounts is like in a browser."""

import re
import time
import uuid

import pytest

from conftest import PHONE
from folder import jpeg
from server import PATIENCE
from test_axe import SCREENS, violations_in_all_colours

PASSWORD = "correct horse battery"


@pytest.fixture
def server(start, tmp_path):
    for number in range(6):
        file = tmp_path / "pictures" / (f"trip/{number}.jpg" if number % 2 else f"{number}.jpg")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(jpeg(number))
    server = start("serve", tmp_path / "pictures", "--accounts")
    deadline = time.monotonic() + PATIENCE
    while "invitation=" not in "".join(server._lines) and time.monotonic() < deadline:
        time.sleep(0.02)
    return server


@pytest.fixture
def browse(browser, server):
    """Opens pages, each as a browser of its own unless a context is given. None of them may fail in a script."""
    contexts, failures = [], []

    def browse(place: str, context=None, **options):
        if context is None:
            context = browser.new_context(viewport={"width": 1100, "height": 800}, **options) if "viewport" not in options \
                else browser.new_context(**options)
            context.set_default_timeout(PATIENCE * 1000)
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(server.address + "/" + place)
        return page

    yield browse
    for context in contexts:
        context.close()
    assert not failures, failures


@pytest.fixture
def owner(browse, server):
    """The page of the owner, who has just set up the gallery."""
    link = re.search(r"/(account\.html#invitation=[\w-]+)", "".join(server._lines))[1]
    page = browse(link)
    page.get_by_role("heading", name="Create your owner account").wait_for()
    page.locator("#entrance-name").fill("olga")
    page.locator("#entrance-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator(".slot[data-phase=displayed]").first.wait_for()
    return page


def sign_in(page, name: str):
    page.get_by_role("heading", name="Sign in").wait_for()
    page.locator("#entrance-name").fill(name)
    page.locator("#entrance-password").fill(PASSWORD)
    page.keyboard.press("Enter")


def test_signing_in_leads_back_to_where_one_was(owner, browse):
    page = browse("?folder=trip#at=2")
    sign_in(page, "olga")
    page.locator(".slot[data-phase=displayed]").first.wait_for()
    assert page.url.endswith("/?folder=trip#at=2")
    wrong = browse("account.html")
    sign_in(wrong, "nobody")
    alert = wrong.get_by_role("alert")
    alert.filter(has_text="wrong").wait_for()
    # Another attempt needs no mouse.
    wrong.locator("#entrance-name").fill("olga")
    wrong.keyboard.press("Enter")
    wrong.locator(".slot[data-phase=displayed]").first.wait_for()


def test_a_short_password_is_explained_at_its_field(browse, server):
    link = re.search(r"/(account\.html#invitation=[\w-]+)", "".join(server._lines))[1]
    page = browse(link)
    name, password = page.locator("#entrance-name"), page.locator("#entrance-password")
    # The first field has the focus.
    page.wait_for_function("() => document.activeElement.id === 'entrance-name'")
    page.keyboard.type("olga")
    assert name.input_value() == "olga"
    password.fill("short")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="at least 8 characters").wait_for()
    assert password.get_attribute("aria-invalid") == "true"
    assert page.evaluate("() => document.activeElement.id") == "entrance-password"


def test_people_are_invited_and_removed(owner, browse, server):
    owner.goto(f"{server.address}/account.html")
    owner.get_by_label("Invite somebody as").select_option("guest")
    owner.locator("#invite").get_by_role("button", name="Create link").click()
    link = owner.locator("#people-link input").input_value()
    assert link.startswith(server.address + "/account.html#invitation=")
    guest = browse(link.removeprefix(server.address + "/"))
    guest.locator("#entrance-name").fill("gus")
    guest.locator("#entrance-password").fill(PASSWORD)
    guest.keyboard.press("Enter")
    guest.locator(".slot[data-phase=displayed]").first.wait_for()
    # A used link says so.
    used = browse(link.removeprefix(server.address + "/"))
    used.get_by_role("heading", name="This link is not valid").wait_for()
    owner.reload()
    remove = owner.get_by_role("button", name="Remove gus")
    question = owner.get_by_role("alertdialog", name="Remove gus?")
    remove.click()
    question.get_by_text("end at once").wait_for()
    assert violations_in_all_colours(owner, "desktop") == []
    owner.keyboard.press("Escape")
    question.wait_for(state="hidden")
    assert remove.evaluate("(button) => button === document.activeElement") and guest.locator(".slot").first.is_visible()
    remove.click()
    question.get_by_role("button", name="Remove").click()
    owner.get_by_role("status").filter(has_text="gus has been removed").wait_for()
    # The open page notices by itself.
    guest.wait_for_url(re.compile("/account\\.html"))
    guest.get_by_role("heading", name="Sign in").wait_for()


POST = """([path, body]) => fetch(`api/v1/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body) }).then((answer) => answer.json())"""


def test_markup_in_names_that_others_have_chosen_is_text(owner, browse, server):
    markup = "<img src=x onerror=hacked=1>"
    code = owner.evaluate(POST, ["people", {"role": "member"}])["code"]
    member = browse(f"account.html#invitation={code}")
    member.locator("#entrance-name").fill(markup)
    member.locator("#entrance-password").fill(PASSWORD)
    member.keyboard.press("Enter")
    member.locator(".slot[data-phase=displayed]").first.wait_for()
    link = member.evaluate(POST, ["shares", {"name": markup, "view": ""}])["link"]
    member.evaluate(POST, ["app-tokens", {"name": markup, "scopes": ["view"]}])
    member.goto(f"{server.address}/account.html")
    member.get_by_role("button", name=f"Revoke {markup}").wait_for()
    owner.goto(f"{server.address}/account.html")
    remove = owner.get_by_role("button", name=f"Remove {markup}")
    remove.click()
    owner.get_by_role("alertdialog", name=f"Remove {markup}?").wait_for()
    owner.get_by_text(markup).nth(1).wait_for()
    visitor = browse(link)
    visitor.locator(".slot[data-phase=displayed]").first.wait_for()
    for page in (member, owner, visitor):
        assert page.evaluate("() => !('hacked' in window) && !document.querySelector('img[src=x], [onerror]')")


def test_an_app_token_is_shown_once_and_revoked(owner, server):
    owner.goto(f"{server.address}/account.html")
    owner.get_by_label("Name of the program").fill("backup")
    owner.locator("#tokens").get_by_role("button", name="Create token").click()
    secret = owner.locator("#tokens-secret input").input_value()
    request = owner.context.browser.new_context(extra_http_headers={"Authorization": f"Bearer {secret}"}).request
    assert request.get(f"{server.address}/api/v1/images").status == 200
    owner.reload()
    owner.get_by_role("button", name="Revoke backup").click()
    owner.get_by_role("status").filter(has_text="backup has been revoked").wait_for()
    assert request.get(f"{server.address}/api/v1/images").status == 401
    assert secret not in owner.content()


def test_signing_out_removes_what_the_browser_has_stored(owner, browse, server):
    owner.wait_for_function("() => navigator.serviceWorker.controller !== null && caches.keys().then((k) => k.length > 1)")
    owner.goto(f"{server.address}/account.html")
    owner.get_by_role("button", name="Sign out", exact=True).click()
    owner.get_by_role("heading", name="Sign in").wait_for()
    stored = owner.evaluate("""async () => [await caches.keys(), (await indexedDB.databases()).map(({ name }) => name),
        (await navigator.serviceWorker.getRegistrations()).length, localStorage.getItem('tessera.account')]""")
    assert stored == [[], [], 0, None]
    owner.goto(server.address)
    owner.wait_for_url(re.compile("/account\\.html"))


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_folder_is_shared_with_a_password_and_the_share_ends(owner, browse, server, options):
    owner.goto(f"{server.address}/account.html")
    owner.locator("#account").wait_for()
    owner.goto(f"{server.address}/?folder=trip")
    owner.get_by_role("button", name="Share", exact=True).click()
    owner.get_by_text("The share will show the folder trip").wait_for()
    name = f"Trip {uuid.uuid4().hex[:4]}"
    owner.get_by_label("Name of the new share").fill(name)
    owner.get_by_label("Password (optional)").fill("sesame")
    owner.locator("#share").get_by_role("button", name="Create link").click()
    link = owner.locator("#share-link input").input_value()
    visitor = browse(link.removeprefix(server.address + "/"), **options)
    visitor.get_by_role("heading", name="Enter the password").wait_for()
    visitor.locator("#entrance-password").fill("wrong")
    visitor.keyboard.press("Enter")
    visitor.get_by_role("alert").filter(has_text="wrong").wait_for()
    visitor.locator("#entrance-password").fill("sesame")
    visitor.keyboard.press("Enter")
    visitor.locator(".slot[data-phase=displayed]").nth(2).wait_for()
    assert visitor.locator(".slot").count() == 3
    assert visitor.evaluate("() => navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    # Neither sharing nor an account is offered.
    assert visitor.get_by_role("button", name="Share", exact=True).count() == 0
    owner.get_by_role("button", name=f"End {name}").click()
    owner.get_by_role("status").filter(has_text="no longer works").wait_for()
    visitor.wait_for_url(re.compile("/account\\.html"))
    visitor.get_by_role("heading", name="This link is not valid").wait_for()


def test_a_picture_is_shared_from_the_viewer(owner, browse, server):
    owner.goto(f"{server.address}/account.html")
    owner.locator("#account").wait_for()
    owner.goto(server.address)
    owner.locator(".slot[data-phase=displayed]").first.wait_for()
    owner.keyboard.press("ArrowRight")
    owner.keyboard.press("Enter")
    owner.wait_for_url(re.compile("#image="))
    name = owner.locator("#viewer-name").text_content()
    owner.locator("#viewer-more").click()
    owner.get_by_role("button", name="Share picture").click()
    owner.get_by_text("The share will show one picture.").wait_for()
    owner.get_by_label("Name of the new share").fill("One")
    owner.locator("#share").get_by_role("button", name="Create link").click()
    link = owner.locator("#share-link input").input_value()
    owner.get_by_text("one picture;").wait_for()
    visitor = browse(link.removeprefix(server.address + "/"))
    visitor.locator(".slot[data-phase=displayed]").first.wait_for()
    assert visitor.locator(".slot").count() == 1
    assert name in visitor.locator(".slot").get_attribute("aria-label")


@pytest.mark.parametrize("contents", [["metadata"], ["metadata", "place", "originals"]])
def test_a_share_offers_what_it_grants(owner, browse, server, contents):
    share = owner.context.request.post(f"{server.address}/api/v1/shares", data={
        "name": "all", "view": "", "contents": contents}).json()
    visitor = browse(share["link"])
    visitor.locator(".slot[data-phase=displayed]").first.wait_for()
    grants_all = len(contents) == 3
    if not grants_all:
        visitor.locator("#search").wait_for(state="hidden")
    assert visitor.locator("#search").is_visible() == grants_all
    visitor.keyboard.press("ArrowRight")
    visitor.keyboard.press("Enter")
    visitor.locator("#viewer-details").wait_for()
    assert visitor.locator("#viewer-download").is_visible() == grants_all
    visitor.locator("#viewer-more").click()
    visitor.locator("#viewer-copy").wait_for()
    assert visitor.locator("#viewer-open").is_visible() == grants_all


@pytest.mark.parametrize("screen", SCREENS)
def test_the_pages_about_accounts_pass_axe(owner, browse, server, screen):
    options = {"viewport": {"width": 1100, "height": 800}, **SCREENS[screen]}
    for place, shown in (("account.html", "#account"), ("account.html#share=folder%3Dtrip", "#shares")):
        page = browse(place, **options, storage_state=owner.context.storage_state())
        page.locator(shown).wait_for()
        assert violations_in_all_colours(page, screen) == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page = browse("account.html", **options)
    page.locator("#entrance").wait_for()
    assert violations_in_all_colours(page, screen) == []
