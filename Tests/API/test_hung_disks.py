"""A disk that hangs stops its own pictures, and nothing else."""

import concurrent.futures
import signal
import time

import pictures
import pytest
from gallery import wait_until
from hanging_disk import HangingDisk


@pytest.fixture
def disk(tmp_path):
    """Makes folders of pictures, each on its own disk that can be made to hang."""
    disks = []

    def make(name: str, count: int) -> HangingDisk:
        folder = tmp_path / f"{name}-files"
        folder.mkdir()
        for number in range(count):
            (folder / f"{name}{number}.jpg").write_bytes(pictures.encoded(seed=number, width=320, height=240))
        disks.append(HangingDisk(folder, tmp_path / name))
        if disks[-1].problem:
            pytest.skip(disks[-1].problem)
        disks[-1].mount = tmp_path / name
        return disks[-1]

    yield make
    for disk in disks:
        disk.__exit__()


def healthy(tmp_path, count: int):
    folder = tmp_path / "healthy"
    folder.mkdir()
    for number in range(count):
        (folder / f"healthy{number}.jpg").write_bytes(pictures.encoded(seed=number))
    return folder


def original(gallery, image, timeout: float = 60):
    return gallery.get(f"/images/{image['id']}/original", timeout=timeout)


def metric(gallery, name: str) -> int:
    lines = gallery.get("/metrics").body.decode().splitlines()
    return int(next(line for line in lines if line.startswith(f"tessera_{name} ")).split()[1])


@pytest.mark.parametrize("at", ["read", "open", "stat"])
def test_healthy_originals_and_tiles_are_served_while_a_disk_hangs(serve, tmp_path, disk, at):
    hung = disk("hung", 16)
    gallery = serve(hung.mount, healthy(tmp_path, 12))
    images = gallery.images(28)
    # The types are known now, so later originals are sent without a worker.
    for image in images.values():
        assert original(gallery, image).status == 200
    hung.hang(at)
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        originals = [pool.submit(original, gallery, images[f"hung{number}.jpg"]) for number in range(8)]
        tiles = [pool.submit(gallery.tile, images[f"hung{number}.jpg"], 60) for number in range(8, 16)]
        wait_until(lambda: hung.hanging > 0, "requests to hang")
        for number in range(12):
            image, started = images[f"healthy{number}.jpg"], time.monotonic()
            assert original(gallery, image).status == 200
            assert time.monotonic() - started < 2
            assert gallery.tile(image).status == 200
        assert all(answer.result().is_problem(503, 504) for answer in originals + tiles)
        assert any(answer.result().status == 504 for answer in originals)
    assert gallery.get("/readyz").status == 200
    hung.heal()
    for number in range(16):
        image = images[f"hung{number}.jpg"]
        wait_until(lambda image=image: gallery.tile(image).status == 200, "tiles of the disk that responds again")
        assert original(gallery, image).status == 200


@pytest.mark.parametrize("at", ["read", "open", "stat"])
def test_files_of_other_disks_are_indexed_while_one_hangs(serve, tmp_path, disk, at):
    hung = disk("hung", 100)
    hung.hang(at)
    gallery = serve(hung.mount, healthy(tmp_path, 40), TESSERA_NO_EXAMINE="0")
    # The names on a disk that does not even tell them are unknown.
    total = 40 if at == "stat" else 140
    wait_until(lambda: gallery.get("/api/v1/status").json["examined"] == {"done": 40, "total": total},
               "the files of the healthy disk", lambda: f"{gallery.get('/api/v1/status').json} {gallery.log}")


def test_other_disks_are_scanned_and_watched_while_one_hangs(serve, tmp_path, disk):
    hung = disk("hung", 4)
    folder = healthy(tmp_path, 2)
    gallery = serve(hung.mount, folder)
    gallery.images(6)
    hung.hang("stat")
    gallery.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: hung.hanging > 0, "the scan to hang")
    for number in range(3):
        (folder / f"new{number}.jpg").write_bytes(pictures.encoded(seed=number))
        assert f"new{number}.jpg" in gallery.images(7 + number)
    wait_until(lambda: any("does not answer" in problem for problem in problems(gallery)), "the problem")
    (tmp_path / "hung-files" / "late.jpg").write_bytes(pictures.encoded())
    hung.heal()
    # Nobody has to ask for the scan.
    assert "late.jpg" in gallery.images(10)
    wait_until(lambda: not problems(gallery), "the end of the problem")


def test_the_gallery_starts_while_a_disk_hangs(serve, tmp_path, disk):
    hung = disk("hung", 4)
    hung.hang("stat")
    gallery = serve(hung.mount, healthy(tmp_path, 2))
    assert len(gallery.images(2)) == 2
    hung.heal()
    images = gallery.images(6)
    assert gallery.tile(images["hung0.jpg"]).status == 200


def problems(gallery) -> list[str]:
    return gallery.get("/api/v1/status").json["problems"]["first"]


def test_the_gallery_is_not_ready_while_every_worker_hangs(serve, disk):
    disks = [disk(f"disk{number}-", 4) for number in range(8)]
    gallery = serve(*(disk.mount for disk in disks), "--workers", "1")
    images = list(gallery.images(32).values())
    for disk_ in disks:
        disk_.hang()

    def ask(number: int):
        while not ready.is_set():
            gallery.tile(images[number])

    ready = concurrent.futures.thread.threading.Event()
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        for number in range(32):
            pool.submit(ask, number)
        try:
            wait_until(lambda: gallery.get("/readyz").status == 503, "the gallery to report that it is not ready",
                       lambda: str(gallery.get("/api/v1/status").json["workers"]), patience=90)
            assert gallery.get("/readyz").json["detail"] == "Every render worker hangs in a read from a disk."
            assert metric(gallery, "worker_hung") >= 8
        finally:
            ready.set()
    for disk_ in disks:
        disk_.heal()
    wait_until(lambda: gallery.get("/readyz").status == 200, "workers again")
    wait_until(lambda: gallery.tile(images[0]).status == 200, "a tile")
    assert metric(gallery, "worker_hung") == 0
