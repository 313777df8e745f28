"""A container of the image from its start to its end, and what it says where it cannot do its work."""

import concurrent.futures
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import pytest

import pictures
from conftest import ENGINE, IMAGE, RUN_OPTIONS, engine, first_process
from gallery import wait_until

# Seconds; as the program and README have them.
DRAINED_WITHIN = 8


def children(process: int) -> dict[int, str]:
    """Those of a process that runs, and the state of each (proc_pid_stat(5): Z is a zombie)."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        try:
            name, told = folder.name, (folder / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if name.isdigit() and int(told[1]) == process:
            found[int(name)] = told[0]
    return found


def ended(*words: str) -> subprocess.CompletedProcess:
    """A container that ends by itself."""
    return subprocess.run(
        [ENGINE, "run", "--rm", *RUN_OPTIONS, "--network", "none", *words], capture_output=True, text=True, timeout=60)


def large_picture() -> bytes:
    """More than sockets hold between a server and a client that does not read."""
    return pictures.encoded("JPEG") + bytes(64 << 20)


class SlowReader:
    """Asks for an original, and takes in no more than its head until it is told to."""

    def __init__(self, gallery, image: dict):
        self._socket = socket.create_connection(("127.0.0.1", gallery.port), timeout=30)
        self._socket.sendall(
            f"GET /images/{image['id']}/original HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        self._begun = self._socket.recv(1000)
        assert self._begun.startswith(b"HTTP/1.1 200 ")

    def rest(self) -> int:
        """Reads on until there is no more: the bytes of the body."""
        taken = len(self._begun) - self._begun.index(b"\r\n\r\n") - 4
        try:
            while more := self._socket.recv(1 << 20):
                taken += len(more)
        except ConnectionResetError:
            pass
        return taken

    def close(self):
        self._socket.close()


def test_what_is_being_sent_when_a_container_is_stopped_comes_whole(folder, serve):
    (folder / "a.jpg").write_bytes(content := large_picture())
    gallery = serve(folder)
    reader = SlowReader(gallery, gallery.images(1)["a.jpg"])
    with concurrent.futures.ThreadPoolExecutor() as threads:
        stop = threads.submit(engine, "stop", "--time", str(DRAINED_WITHIN + 5), gallery.container)
        wait_until(lambda: "Stopping" in gallery.log, "the stop")
        assert reader.rest() == len(content)
        stop.result(60)
    assert gallery.process.wait(10) == 0


def test_who_reads_nothing_does_not_hold_up_the_end_of_a_container(folder, serve):
    (folder / "a.jpg").write_bytes(large_picture())
    gallery = serve(folder)
    reader = SlowReader(gallery, gallery.images(1)["a.jpg"])
    begun = time.monotonic()
    # What Docker gives a container unless told otherwise; then it would be killed, and its status another one.
    engine("stop", "--time", "10", gallery.container)
    assert gallery.process.wait(10) == 0
    assert DRAINED_WITHIN - 1 < time.monotonic() - begun
    reader.close()


def test_a_worker_that_dies_leaves_no_zombie_and_is_replaced(folder, serve):
    for number in range(4):
        (folder / f"{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number))
    gallery = serve(folder)
    images = gallery.images(4)
    assert gallery.tile(images["0.jpg"]).status == 200
    first = first_process(gallery.container)
    workers = children(first)
    assert workers
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    wait_until(lambda: not set(workers) & set(children(first)), "the dead to be reaped", lambda: str(children(first)))
    for number in range(1, 4):
        assert gallery.tile(images[f"{number}.jpg"]).status == 200
    assert "Z" not in children(first).values()


def test_the_health_check_tells_a_server_that_stands_still(folder):
    """On the address and the port that the environment names, as the server itself."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    container = engine(
        "run", "--detach", "--rm", *RUN_OPTIONS, "--network", "host", "--health-interval", "1s", "--health-retries", "1",
        "--env", "TESSERA_HOST=127.0.0.2", "--env", f"TESSERA_PORT={port}", "--volume", f"{folder}:/pictures:ro", IMAGE).strip()

    def health() -> str:
        # Podman has its checks done by systemd, which is not everywhere.
        if "podman" in ENGINE:
            subprocess.run([ENGINE, "healthcheck", "run", container], capture_output=True, timeout=60)
        state = json.loads(engine("inspect", container))[0]["State"]
        return (state.get("Health") or state["Healthcheck"])["Status"]

    try:
        wait_until(lambda: health() == "healthy", "a healthy container", lambda: engine("logs", container))
        os.kill(first_process(container), signal.SIGSTOP)
        wait_until(lambda: health() == "unhealthy", "it to be told unhealthy")
        os.kill(first_process(container), signal.SIGCONT)
        wait_until(lambda: health() == "healthy", "it to be well again")
    finally:
        engine("kill", container)


def test_the_health_check_needs_no_shell_and_fails_where_nothing_runs():
    told = json.loads(engine("inspect", "--type", "image", IMAGE))[0]
    check = told["Config"].get("Healthcheck") or told.get("HealthCheck") or told.get("Healthcheck")
    # Podman keeps none in its own form of image.
    if check is not None:
        assert check["Test"] == ["CMD", "tessera", "health"]
    asked = ended(IMAGE, "health")
    assert asked.returncode == 1
    assert "No healthy answer" in asked.stdout


def test_a_container_without_pictures_says_what_to_do(serve):
    empty = serve("/pictures")
    wait_until(lambda: "no pictures found" in empty.log, "what it says of the empty folder", lambda: empty.log)
    assert "check the mounts" in empty.log
    assert empty.get("/").status == 200


@pytest.mark.parametrize("user", ["1000", "12345"])
def test_a_container_that_may_not_write_its_data_says_what_to_do(tmp_path, user):
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    refused = ended("--user", user, "--volume", f"{tmp_path / 'data'}:/data", IMAGE)
    assert refused.returncode == 1
    assert "The data folder /data cannot be used: Permission denied" in refused.stderr
    assert f"mount one there to which the user with the id {user} may write" in refused.stderr


def test_another_user_with_data_of_their_own_is_served(folder, serve, tmp_path):
    (folder / "a.jpg").write_bytes(pictures.encoded("JPEG"))
    (folder / "a.jpg").chmod(0o400)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    for path in (data, folder / "a.jpg"):
        os.chown(path, 12345, 12345)
    gallery = serve(folder, mounts=[f"{data}:/data"], engine_options=["--user=12345:12345"])
    assert gallery.tile(gallery.images(1)["a.jpg"]).status == 200
    assert any(data.iterdir())


@pytest.fixture
def small_volume():
    """One in which there is hardly room for the index; it takes root to mount it."""
    name = f"tessera-tried-{os.getpid()}-small"
    engine("volume", "create", "--driver", "local", "--opt", "type=tmpfs", "--opt", "device=tmpfs",
           "--opt", "o=size=600k,mode=1777", name)
    yield name
    engine("volume", "rm", name)


def test_a_volume_that_is_full_does_not_stop_the_showing(folder, serve, small_volume):
    for number in range(12):
        (folder / f"{number}.jpg").write_bytes(pictures.encoded("JPEG", seed=number, width=1600, height=1200))
    gallery = serve(folder, mounts=[f"{small_volume}:/data"])
    for image in gallery.images(12).values():
        for rendition in ("tile", "screen", "original"):
            answer = gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/jpeg")
            assert answer.status == 200 and pictures.is_whole(answer.body)
    assert gallery.get("/healthz").status == 200
    gallery.stop()


def test_data_of_a_container_that_is_killed_serve_the_next(folder, serve, tmp_path):
    (folder / "a.jpg").write_bytes(pictures.encoded("JPEG"))
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    first = serve(folder, mounts=[f"{data}:/data"])
    image = first.images(1)["a.jpg"]
    tile = first.tile(image).body
    first.ends_with = 128 + signal.SIGKILL
    os.kill(first_process(first.container), signal.SIGKILL)
    first.process.wait(30)
    again = serve(folder, mounts=[f"{data}:/data"])
    assert again.images(1)["a.jpg"]["id"] == image["id"]
    assert again.tile(image).body == tile
