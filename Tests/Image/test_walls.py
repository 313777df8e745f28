"""What a container of the image cannot do, and that it works all the same."""

import json
import subprocess

from conftest import ENGINE, IMAGE, RUN_OPTIONS, engine
from gallery import wait_until
import pictures


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
    wait_until(lambda: gallery.get("/readyz").status == 200, "a gallery that is ready")
    containers = [json.loads(engine("inspect", name))[0] for name in engine("ps", "--quiet").split()]
    processes = [one["State"]["Pid"] for one in containers if str(folder) in one["Args"]]
    assert len(processes) == 1
    process = processes[0]
    with open(f"/proc/{process}/status") as file:
        told = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    assert told["Uid"].split() == ["1000"] * 4
    assert int(told["CapEff"], 16) == int(told["CapPrm"], 16) == int(told["CapBnd"], 16) == 0
    assert told["NoNewPrivs"] == "1"


def test_a_container_ends_within_seconds_when_it_is_stopped(folder, serve):
    assert serve(folder).stop(within=8) == 0


def test_the_health_check_needs_no_shell():
    told = json.loads(engine("inspect", "--type", "image", IMAGE))[0]
    check = told["Config"].get("Healthcheck") or told.get("HealthCheck") or told.get("Healthcheck")
    # Podman keeps none in its own form of image.
    if check is not None:
        assert check["Test"] == ["CMD", "tessera", "health"]
    ended = subprocess.run(
        [ENGINE, "run", "--rm", *RUN_OPTIONS, "--network", "none", IMAGE, "health"], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "No healthy answer" in ended.stdout


def test_a_folder_of_the_demo_is_kept_in_a_volume(serve):
    gallery = serve("--count", "24", command="demo")
    image = gallery.page(limit=1)["images"][0]
    assert gallery.tile(image).status == 200
