"""The page says which files are not shown because of their kind."""

from folder import Folder


def test_the_list_of_folders_ends_with_the_files_that_are_not_shown(visit, start, tmp_path):
    (tmp_path / "pictures/sub").mkdir(parents=True)
    for name in ("a.cr2", "b.nef", "c.mov"):
        (tmp_path / "pictures" / name).write_bytes(b"not shown")
    gallery = Folder(start, tmp_path / "pictures", ["first.jpg", "sub/second.jpg"])
    front = visit(gallery.server)
    front.page.locator("#folders-button").click()
    line = front.page.get_by_text("3 files are not shown: RAW (2), video (1)")
    line.wait_for()
    folders = front.page.locator("#folders-list").get_by_role("button")
    folders.first.wait_for()
    assert folders.count() == 1
    (tmp_path / "pictures/c.mov").unlink()
    gallery.put("third.jpg")
    front.page.get_by_text("2 files are not shown: RAW (2)").wait_for()


def test_a_gallery_of_nothing_else_says_why_it_is_empty(visit, start, tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/a.cr2").write_bytes(b"not shown")
    gallery = Folder(start, tmp_path / "pictures", ["first.jpg"])
    front = visit(gallery.server)
    gallery.take("first.jpg")
    front.page.locator("#vacancy").get_by_text("1 file is not shown: RAW (1).").wait_for()
