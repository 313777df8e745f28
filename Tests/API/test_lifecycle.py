"""Starting, stopping and being killed."""

import concurrent.futures
import random
import signal
import socket
import threading
import time

import pictures
from gallery import LOOPBACK


def test_sigterm_ends_an_idle_server_at_once(serve, shared_folder):
    gallery = serve(shared_folder)
    gallery.images(12)
    start = time.monotonic()
    assert gallery.stop() == 0
    assert time.monotonic() - start < 5


def test_sigterm_ends_a_busy_server_in_time(listed, origin):
    gallery = listed(*(origin.url("hang", f"{n}.jpg") for n in range(30)), origin.url("good"))
    images = gallery.images(31)
    gallery.tokens(rendition="tile", first=0, count=31)
    waiting = [gallery.connection() for _ in range(10)]
    for number, connection in enumerate(waiting):
        connection.request("GET", f"/images/{images[f'{number}.jpg']['id']}/tile")
    idle = [socket.create_connection(("127.0.0.1", gallery.port)) for _ in range(5)]
    origin.wait_until_asked("/hang/")
    start = time.monotonic()
    assert gallery.stop() == 0
    assert time.monotonic() - start < 15
    for connection in [*waiting, *idle]:
        connection.close()


def test_a_demo_has_the_same_picture_ids_on_every_cold_start(serve, tmp_path):
    """The demo's origin has another port each time, but a user who was looking at a picture can continue."""
    ids = []
    for run in ("first", "second"):
        gallery = serve("--count", "5", "--latency", "0", "--fail", "0", "--hang", "0", command="demo",
                        data=tmp_path / run)
        images = gallery.images(5)
        ids.append([image["id"] for image in images.values()])
        assert gallery.tile(next(iter(images.values()))).status == 200
        gallery.stop()
    assert ids[0] == ids[1]


def test_sigusr1_rescans_the_sources(serve, tmp_path):
    folder = pictures.write(tmp_path / "growing", first__jpg=pictures.encoded("JPEG"))
    gallery = serve(folder)
    before = gallery.images(1)
    pictures.write(folder, second__jpg=pictures.encoded("JPEG", seed=1))
    gallery.process.send_signal(signal.SIGUSR1)
    after = gallery.images(2)
    assert after["first.jpg"]["id"] == before["first.jpg"]["id"]
    assert gallery.tile(after["second.jpg"]).status == 200


def test_sigterm_lets_a_body_in_progress_finish(serve, tmp_path):
    whole = pictures.encoded("JPEG") + bytes(30_000_000)
    gallery = serve(pictures.write(tmp_path / "large", large__jpg=whole))
    (image,) = gallery.images(1).values()
    connection = gallery.connection()
    connection.request("GET", f"/images/{image['id']}/original")
    answer = connection.getresponse()
    received = answer.read(100_000)
    ended = []
    stopping = threading.Thread(target=lambda: ended.append(gallery.stop()))
    stopping.start()
    received += answer.read()
    stopping.join()
    assert received == whole and ended == [0]


def test_sigterm_lets_requests_waiting_for_a_slow_origin_finish(listed, origin):
    gallery = listed(origin.url("slow"))
    (image,) = gallery.images(1).values()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        asked = pool.submit(gallery.tile, image)
        origin.wait_until_asked("/slow/")
        stopped = pool.submit(gallery.stop)
        # Much longer than an idle server takes to stop.
        ended, _ = concurrent.futures.wait([asked, stopped], timeout=4, return_when=concurrent.futures.FIRST_COMPLETED)
        assert not ended
        origin.gate.set()
        let_go = time.monotonic()
        assert asked.result().status == 200 and stopped.result() == 0
        assert time.monotonic() - let_go < 4


def test_metadata_and_tiles_survive_a_restart(serve, shared_folder):
    gallery = serve(shared_folder)
    images = gallery.images(12)
    tiles = {name: gallery.tile(image).body for name, image in images.items()}
    learnt = gallery.images(12)
    assert gallery.stop() == 0
    gallery = serve(shared_folder)
    again = gallery.images(12)
    assert {n: i["id"] for n, i in again.items()} == {n: i["id"] for n, i in images.items()}
    for name, image in again.items():
        for fact in ("width", "height", "type", "placeholder"):
            assert image.get(fact) == learnt[name].get(fact), f"{name} forgot its {fact}"
        assert gallery.tile(image).body == tiles[name]


def test_after_a_sigkill_at_any_moment_only_whole_pictures_are_served(serve, tmp_path, origin):
    folder = pictures.write(tmp_path / "many", **{
        f"local-{n}__jpg": pictures.encoded("JPEG", seed=n, quality=95) for n in range(16)})
    file = tmp_path / "urls.txt"
    file.write_text("".join(origin.url("good", f"remote-{n}.jpg") + "\n" for n in range(16)))
    chance = random.Random(1)
    for _ in range(6):
        gallery = serve(folder, file, *LOOPBACK)
        images = gallery.images(32)

        def look(some):
            for image in some:
                for rendition in ("preview", "tile", "screen", "original"):
                    try:
                        gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/webp")
                    except OSError:
                        return
                    except Exception:  # A truncated response: the server was killed.
                        return

        order = chance.sample(list(images.values()), len(images))
        lookers = [threading.Thread(target=look, args=(order[part::4],)) for part in range(4)]
        for looker in lookers:
            looker.start()
        time.sleep(chance.uniform(0.02, 0.6))  # Kill at an arbitrary moment.
        gallery.kill()
        for looker in lookers:
            looker.join()
    gallery = serve(folder, file, *LOOPBACK)
    for name, image in gallery.images(32).items():
        for rendition in ("preview", "tile", "screen", "original"):
            answer = gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/webp")
            assert answer.status == 200 and pictures.is_whole(answer.body), f"{name} {rendition}"
            if rendition == "original" and name.startswith("remote"):
                assert answer.body == origin.picture
