"""Views: searching and sorting the gallery gives the same result in pages, tokens, positions, months and folders."""

import urllib.parse

import pytest

import pictures

NAMES = ["2019/a/IMG_10.jpg", "2019/a/IMG_2.jpg", "2019/b/Zoë.png", "2020/last one.jpg"]


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(NAMES):
        path = tmp_path / "pictures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        format = "PNG" if name.endswith("png") else "JPEG"
        path.write_bytes(pictures.encoded(format, seed=number) + bytes(100 * number if format == "JPEG" else 0))
    return tmp_path / "pictures"


@pytest.fixture
def gallery(serve, folder):
    gallery = serve(folder)
    gallery.images(len(NAMES))
    return gallery


def names(gallery, view: str) -> list[str]:
    page = gallery.get(f"/api/v1/images?{view}").json
    assert [image["index"] for image in page["images"]] == list(range(page["total"]))
    return [image["name"] for image in page["images"]]


def test_the_details_name_the_folder_in_the_form_used_by_views(serve, gallery, folder):
    for image in gallery.page()["images"]:
        told = gallery.get(f"/api/v1/images/{image['id']}").json["folder"]
        assert image["name"] in names(gallery, f"folder={urllib.parse.quote(told)}")
    (folder / "top.png").write_bytes(pictures.encoded("PNG", seed=9))
    gallery.stop()
    gallery = serve(folder, folder / "2019")
    several = gallery.images(len(NAMES) + 1 + sum(name.startswith("2019") for name in NAMES))
    told = {image["name"]: gallery.get(f"/api/v1/images/{image['id']}").json["folder"] for image in several.values()}
    assert told["top.png"] == "pictures"
    assert told["last one.jpg"] == "pictures/2020"


def test_pages_positions_and_tokens_agree_on_the_order_of_a_view(gallery):
    plain = names(gallery, "")
    assert plain == ["IMG_2.jpg", "IMG_10.jpg", "Zoë.png", "last one.jpg"]
    assert names(gallery, "direction=desc") == plain[::-1]
    assert names(gallery, "sort=name") == ["IMG_2.jpg", "IMG_10.jpg", "last one.jpg", "Zoë.png"]
    for view in ["direction=desc", "sort=name", "sort=size", "sort=shuffle&seed=3", "q=img"]:
        page = gallery.get(f"/api/v1/images?{view}").json
        assert page["view"] and page["total"] >= 2
        issued = gallery.post("/api/v1/tokens", {"first": 0, "count": 10, "view": view}).json["tokens"]
        assert [token["image"] for token in issued] == [image["id"] for image in page["images"]]
        for image in page["images"]:
            position = gallery.get(f"/api/v1/position?image={image['id']}&{view}").json
            assert position == {"index": image["index"], "revision": page["revision"]}


def test_pages_of_a_view_follow_each_other(gallery):
    found, target = [], "/api/v1/images?limit=1&sort=name&direction=desc"
    while target:
        answer = gallery.get(target)
        found += [image["name"] for image in answer.json["images"]]
        link = answer.headers["Link"]
        target = link[1:link.index(">")] if link else None
    assert found == ["Zoë.png", "last one.jpg", "IMG_10.jpg", "IMG_2.jpg"]


def test_searches_find_images_and_invalid_words_are_named(gallery):
    assert names(gallery, "q=zoe") == ["Zoë.png"]
    assert names(gallery, "q=" + urllib.parse.quote('"last one"')) == ["last one.jpg"]
    assert names(gallery, "q=2019%20-type:png") == ["IMG_2.jpg", "IMG_10.jpg"]
    assert names(gallery, "q=nothing") == []
    answer = gallery.get("/api/v1/images?q=cat%20taken:june")
    assert answer.is_problem(400)
    assert answer.json["field"] == "q" and answer.json["word"] == "taken:june"
    for wrong, field in [("sort=cake", "sort"), ("direction=up", "direction"), ("seed=-1", "seed"), ("q=a&q=b", "q")]:
        for path in ["images?", "timeline?", "shape?", "position?image=0000000000000&"]:
            answer = gallery.get(f"/api/v1/{path}{wrong}")
            assert answer.is_problem(400) and answer.json["field"] == field


def test_folders_are_a_tree_with_counts(gallery):
    def folders(parent):
        return gallery.get(f"/api/v1/folders?parent={parent}").json["folders"]
    top = folders("")
    # The first picture in a folder, or else beneath it.
    assert [folder.pop("cover")["name"] for folder in top] == ["IMG_2.jpg", "last one.jpg"]
    assert top == [
        {"path": "2019", "name": "2019", "count": 3, "hasFolders": True},
        {"path": "2020", "name": "2020", "count": 1, "hasFolders": False}]
    assert [(child["path"], child["count"]) for child in folders("2019")] == [("2019/a", 2), ("2019/b", 1)]
    assert names(gallery, "folder=2019/a") == ["IMG_2.jpg", "IMG_10.jpg"]
    assert names(gallery, "folder=2019") == ["IMG_2.jpg", "IMG_10.jpg", "Zoë.png"]


def test_the_timeline_and_shape_belong_to_the_view(gallery):
    timeline = gallery.get("/api/v1/timeline?q=img").json
    assert timeline["total"] == 2 and sum(month["count"] for month in timeline["months"]) == 2
    shape = gallery.get("/api/v1/shape?q=img").json
    assert shape["total"] == 2 and shape["parts"] == [0] and len(shape["sums"]) == 1 and shape["sums"][0] > 0
    ratios = gallery.get("/api/v1/shape?q=img&first=0")
    assert len(ratios.body) == 2 and int(ratios.headers["Tessera-Revision"]) == shape["revision"]
    assert len(gallery.get("/api/v1/shape?first=1&count=2").body) == 2
    assert gallery.get("/api/v1/shape?first=5").body == b""


def test_a_template_has_no_sorting_or_search(serve):
    gallery = serve("http://127.0.0.1:9/{index}.jpg", "--count", 1000, "--allow-address", "127.0.0.0/8")
    assert gallery.get("/api/v1/images?sort=taken").is_problem(409)
    assert gallery.get("/api/v1/images?q=x").is_problem(409)
    assert gallery.get("/api/v1/images?limit=1&direction=desc").json["images"][0]["index"] == 0
    assert gallery.get("/api/v1/timeline").json["months"] == [{"month": None, "first": 0, "count": 1000}]
