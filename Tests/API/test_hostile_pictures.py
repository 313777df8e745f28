"""Pictures that crash or stall their decoder: each costs only its own slot and affects nothing else."""

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import hostile
import pictures
from gallery import LOOPBACK, binary, wait_until
from workers import at_work, is_running, is_well, processes_below, workers

DEADLY = {"convolving.svg": hostile.convolving_svg(), "giant-text.svg": hostile.giant_text_svg()}
ENDLESS = {
    "turbulent.svg": hostile.turbulent_svg(), "dashed.svg": hostile.dashed_svg(),
    "long-text.svg": hostile.long_text_svg()}
GOOD = {f"good-{number}.jpg": pictures.encoded("JPEG", seed=number) for number in range(6)}


@pytest.fixture
def folder(tmp_path):
    """Intact pictures, to which the tests add their own."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, content in GOOD.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def pool():
    with ThreadPoolExecutor(12) as pool:
        yield pool


def is_refused(answer, word: str) -> bool:
    """Whether the response says that the picture can't be shown, with this word in the reason."""
    assert answer.is_problem(422) and word in answer.json["detail"], answer.body
    return True


def good_ones_are_shown(gallery, images: dict[str, dict], pool) -> bool:
    asked = [pool.submit(gallery.tile, images[name]) for name in GOOD]
    return all(one.result().status == 200 and pictures.is_whole(one.result().body) for one in asked)


# Pictures that crash.

@pytest.mark.parametrize("name", DEADLY)
def test_a_picture_that_kills_its_decoder_costs_only_its_own_slot(serve, folder, pool, name):
    (folder / name).write_bytes(DEADLY[name])
    gallery = serve(folder)
    images = gallery.images(len(GOOD) + 1)
    deadly = pool.submit(gallery.tile, images[name])
    assert good_ones_are_shown(gallery, images, pool)
    assert is_refused(deadly.result(), "decoder")
    assert is_well(gallery) and workers(gallery)["deaths"] >= 1


@pytest.mark.parametrize("name", DEADLY)
def test_a_deadly_picture_of_an_origin_costs_only_its_own_slot(serve, folder, tmp_path, origin, pool, name):
    origin.picture = DEADLY[name]
    urls = tmp_path / "urls.txt"
    urls.write_text(origin.url("good", "5.png") + "\n")
    gallery = serve(urls, folder, *LOOPBACK)
    images = gallery.images(len(GOOD) + 1)
    deadly = pool.submit(gallery.tile, images["5.png"])
    assert good_ones_are_shown(gallery, images, pool)
    assert is_refused(deadly.result(), "decoder")
    assert is_well(gallery) and workers(gallery)["deaths"] >= 1


def test_good_pictures_are_shown_after_many_worker_deaths(serve, folder, pool):
    for number in range(12):
        (folder / f"deadly-{number}.svg").write_bytes(DEADLY["convolving.svg"] + b"<!-- %d -->" % number)
    gallery = serve(folder)
    images = gallery.images(len(GOOD) + 12)
    deadly = [pool.submit(gallery.tile, images[f"deadly-{number}.svg"]) for number in range(12)]
    assert all(is_refused(one.result(), "decoder") for one in deadly)
    assert good_ones_are_shown(gallery, images, pool) and is_well(gallery)


def test_a_worker_killed_from_outside_costs_no_picture(serve, folder, pool):
    """For instance by the OOM killer: the picture is tried once more."""
    slow = folder / "slow.jpg"
    slow.write_bytes(hostile.many_scans_jpeg(scans=90))
    gallery = serve(folder)
    images = gallery.images(len(GOOD) + 1)
    asked = pool.submit(gallery.tile, images["slow.jpg"])
    wait_until(lambda: at_work(gallery), "a worker to render the picture", lambda: gallery.log)
    for process in at_work(gallery):
        os.kill(process, signal.SIGKILL)
    assert asked.result().status == 200
    assert is_well(gallery) and workers(gallery)["deaths"] >= 1


def test_a_picture_that_killed_its_decoder_is_remembered_until_a_forced_retry(serve, folder):
    deadly = folder / "deadly.svg"
    deadly.write_bytes(DEADLY["convolving.svg"])
    gallery = serve(folder)
    image = gallery.images(len(GOOD) + 1)["deadly.svg"]
    assert is_refused(gallery.tile(image), "decoder")
    deaths = workers(gallery)["deaths"]
    assert deaths >= 1
    assert is_refused(gallery.tile(image), "decoder") and workers(gallery)["deaths"] == deaths
    assert gallery.stop() == 0

    gallery = serve(folder)
    image = gallery.images(len(GOOD) + 1)["deadly.svg"]
    for rendition in ("tile", "screen"):
        target = f"/images/{image['id']}/{rendition}"
        assert is_refused(gallery.get(target, Accept="image/jpeg"), "decoder")
    assert workers(gallery)["deaths"] == 0

    insisting = {"Accept": "image/jpeg", "Cache-Control": "no-cache"}
    assert is_refused(gallery.get(f"/images/{image['id']}/tile", **insisting), "decoder")
    deaths = workers(gallery)["deaths"]
    assert deaths >= 1
    # A second retry so soon does not come from a person.
    assert is_refused(gallery.get(f"/images/{image['id']}/tile", **insisting), "decoder")
    assert workers(gallery)["deaths"] == deaths
    assert gallery.stop() == 0

    gallery = serve(folder)
    image = gallery.images(len(GOOD) + 1)["deadly.svg"]
    again = gallery.post(
        "/api/v1/tokens", {"rendition": "tile", "retry": True, "slots": [{"slot": 0, "image": image["id"]}]})
    assert is_refused(gallery.get(again.json["tokens"][0]["href"]), "decoder")
    assert workers(gallery)["deaths"] >= 1


def test_a_good_picture_that_replaces_a_deadly_one_is_shown(serve, folder):
    (folder / "changing.svg").write_bytes(DEADLY["convolving.svg"])
    gallery = serve(folder)
    image = gallery.images(len(GOOD) + 1)["changing.svg"]
    assert is_refused(gallery.tile(image), "decoder")
    deaths = workers(gallery)["deaths"]
    (folder / "changing.svg").write_bytes(pictures.blurred_svg())
    gallery.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: gallery.tile(image).status == 200, "the good picture", lambda: gallery.log)
    assert workers(gallery)["deaths"] == deaths


# Pictures that never end.

@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_picture_times_out_and_delays_no_other(serve, folder, pool, name):
    (folder / name).write_bytes(ENDLESS[name])
    gallery = serve(folder, TESSERA_RENDER_DEADLINE="2")
    images = gallery.images(len(GOOD) + 1)
    begun = time.monotonic()
    endless = pool.submit(gallery.tile, images[name])
    wait_until(lambda: at_work(gallery), "a worker to render it", lambda: gallery.log)
    assert good_ones_are_shown(gallery, images, pool)
    assert not endless.done(), "the good pictures had to wait for the endless one"
    assert is_refused(endless.result(), "too long")
    # It may have been tried twice.
    assert 1.5 < time.monotonic() - begun < 10
    assert is_well(gallery) and workers(gallery)["deadlines"] >= 1


def test_more_endless_pictures_than_workers_are_all_answered_within_their_deadline(serve, folder):
    for seed in range(14):
        (folder / f"endless-{seed}.svg").write_bytes(hostile.turbulent_svg(seed))
    gallery = serve(folder, TESSERA_RENDER_DEADLINE="2")
    images = gallery.images(len(GOOD) + 14)
    with ThreadPoolExecutor(20) as pool:
        begun = time.monotonic()
        endless = [pool.submit(gallery.tile, images[f"endless-{seed}.svg"], 60) for seed in range(14)]
        assert good_ones_are_shown(gallery, images, pool)
        answers = [one.result() for one in endless]
        # One may have run for its deadline after it waited for nearly as long, and been extended twice.
        assert time.monotonic() - begun < 10
    refused = [answer for answer in answers if answer.status == 503 and answer.is_problem(503)]
    assert len(refused) >= 8 and all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
    assert all(is_refused(answer, "too long") for answer in answers if answer not in refused)
    assert good_ones_are_shown(gallery, images, ThreadPoolExecutor(6)) and is_well(gallery)
    assert workers(gallery)["queueTimeouts"] >= 8


@pytest.mark.parametrize("name, heavy", [
    ("heavy.jpg", pictures.encoded("JPEG", width=2000, height=1500, progressive=True)),
    ("heavy.svg", pictures.blurred_svg(2000, 1500))])
def test_cancelling_endless_pictures_frees_their_permits(serve, folder, name, heavy):
    (folder / name).write_bytes(heavy)
    files = [folder / f"endless-{seed}.svg" for seed in range(4)]
    for seed, file in enumerate(files):
        file.write_bytes(hostile.turbulent_svg(seed))
    gallery = serve(folder, TESSERA_RENDER_DEADLINE="60")
    images = gallery.images(len(GOOD) + 5)
    issued = gallery.tokens(rendition="tile", slots=[
        {"slot": slot, "image": images[file.name]["id"]} for slot, file in enumerate(files)])
    wait_until(lambda: at_work(gallery), "a worker to render one of them", lambda: gallery.log)
    begun = time.monotonic()
    cancelled = gallery.post("/api/v1/tokens/cancel", {
        "session": issued["session"], "tokens": [ticket["token"] for ticket in issued["tokens"]]})
    assert cancelled.json == {"cancelled": 4}
    assert gallery.tile(images[name]).status == 200
    assert time.monotonic() - begun < 2
    assert is_well(gallery)


# Pictures with a huge number of parts.

@pytest.mark.parametrize("name, content", [
    ("scans.jpg", hostile.many_scans_jpeg()), ("frames.gif", hostile.many_frames_gif()),
    ("circle.tif", hostile.circular_tiff())])
def test_a_picture_with_a_huge_number_of_parts_is_shown_or_refused_in_time(serve, folder, pool, name, content):
    (folder / name).write_bytes(content)
    gallery = serve(folder)
    images = gallery.images(len(GOOD) + 1)
    answer = gallery.tile(images[name], timeout=20)
    assert answer.status == 200 and pictures.is_whole(answer.body) or answer.is_problem(422)
    assert good_ones_are_shown(gallery, images, pool) and is_well(gallery)


# Processes.

def test_the_server_is_not_linked_with_any_decoder():
    libraries = subprocess.run(["ldd", binary()], capture_output=True, text=True, check=True).stdout
    assert "libc.so" in libraries
    for decoder in ("libvips", "libmagic", "librsvg", "libheif"):
        assert decoder not in libraries


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_no_worker_outlives_its_server(serve, folder, pool, end):
    file = folder / "endless.svg"
    file.write_bytes(hostile.turbulent_svg())
    gallery = serve(folder, TESSERA_RENDER_DEADLINE="60")
    image = gallery.images(len(GOOD) + 1)["endless.svg"]
    gallery.tokens(rendition="tile", slots=[{"slot": 0, "image": image["id"]}])
    wait_until(lambda: at_work(gallery), "a worker to render it", lambda: gallery.log)
    started = processes_below(gallery.process.pid)
    assert started
    assert getattr(gallery, end)() in (0, None)
    wait_until(lambda: not any(map(is_running, started)), "the end of all workers")
