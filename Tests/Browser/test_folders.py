"""The trail to the present folder, and the entry that leads to the folders."""

import pathlib
import urllib.parse

from folder import Folder


def until_single(front):
    front.until("() => document.querySelector('#position-total').textContent === '1'")


def test_folder_names_are_cut_only_where_there_is_no_room(visit, phone, start, tmp_path):
    path = pathlib.Path(*("A journey along the coast from north to south " + str(year) for year in (2001, 2002, 2003)))
    (tmp_path / path).mkdir(parents=True)
    gallery = Folder(start, tmp_path, [str(path / "first.jpg"), str(path.parent / "second.jpg")])
    place = f"?{urllib.parse.urlencode({'folder': str(path)})}"
    cuts = """() => [...document.querySelectorAll('#trail button')].map(
        (button) => [button.scrollWidth > button.clientWidth, button.getBoundingClientRect()])"""
    wide = visit(gallery.server, place, viewport={"width": 1600, "height": 800})
    until_single(wide)
    assert [is_cut for is_cut, _ in wide.page.evaluate(cuts)] == [False] * 4
    narrow = phone(gallery.server, place)
    until_single(narrow)
    (whole, _), *long = narrow.page.evaluate(cuts)
    assert not whole and all(is_cut for is_cut, _ in long) and all(box["width"] > 100 for _, box in long)
    # The present folder is the one in sight.
    assert 0 < long[-1][1]["x"] and long[-1][1]["right"] <= 391


def test_folders_that_come_while_the_page_is_open_can_be_entered(visit, start, tmp_path):
    gallery = Folder(start, tmp_path, ["first.jpg"])
    front = visit(gallery.server)
    until_single(front)
    button = front.page.get_by_role("button", name="Folders", exact=True)
    assert button.is_hidden()
    (tmp_path / "sub").mkdir()
    gallery.put("sub/second.jpg")
    button.wait_for()
    button.click()
    front.page.get_by_role("button", name="sub, 1 picture").click()
    front.until("() => location.search === '?folder=sub'")
