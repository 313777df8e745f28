"""What a container of the image cannot do, and that it works all the same."""

import pictures
from conftest import first_process


def test_the_workers_are_locked_in(folder, serve):
    (folder / "a.jpg").write_bytes(pictures.encoded("JPEG"))
    gallery = serve(folder)
    assert gallery.tile(gallery.images(1)["a.jpg"]).status == 200
    workers = gallery.get("/api/v1/status").json["workers"]
    assert workers["callsConfined"] is True or workers["callsConfined"] == 1
    assert workers["filesConfined"] in (True, 1), "the kernel has no Landlock, or the engine withholds it"
    assert "confined" not in gallery.log


def test_the_gallery_is_not_root_and_has_no_capability(folder, serve):
    gallery = serve(folder)
    assert gallery.get("/readyz").status == 200
    with open(f"/proc/{first_process(gallery.container)}/status") as file:
        told = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    assert told["Uid"].split() == ["1000"] * 4
    assert int(told["CapEff"], 16) == int(told["CapPrm"], 16) == int(told["CapBnd"], 16) == 0
    assert told["NoNewPrivs"] == "1"


def test_a_folder_of_the_demo_is_kept_in_a_volume(serve):
    gallery = serve("--count", "24", command="demo")
    image = gallery.page(limit=1)["images"][0]
    assert gallery.tile(image).status == 200
