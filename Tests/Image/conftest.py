"""Tests of the container image. Scripts/image says by ENGINE and IMAGE which one; galleries run in containers of it."""

import itertools
import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "API"))
os.environ["TESSERA_BINARY"] = str(HERE / "in-container")
ENGINE, IMAGE = os.environ["ENGINE"], os.environ["IMAGE"]
RUN_OPTIONS = os.environ.get("RUN_OPTIONS", "").split()

from gallery import Gallery  # noqa: E402  (it stands beside the tests of the API)

NUMBERS = itertools.count()


def engine(*words: str, **options) -> str:
    """What the engine answers."""
    return subprocess.run([ENGINE, *words], check=True, capture_output=True, text=True, timeout=120, **options).stdout


def first_process(container: str) -> int:
    """The number that the container's first process has outside."""
    return json.loads(engine("inspect", container))[0]["State"]["Pid"]


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    """One that the container's user may read."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Starts galleries that end with the test, each checked to end well: with these volumes, and these words for the
    engine. The container of each has its name in `container`, and its status in `ends_with` if that is not to be 0."""
    running: list[Gallery] = []

    def start(*words, mounts=(), engine_options=(), **options) -> Gallery:
        name = f"tessera-tried-{os.getpid()}-{next(NUMBERS)}"
        lines = [f"--name={name}", *engine_options, *(f"--volume={mount}" for mount in mounts)]
        monkeypatch.setenv("IMAGE_OPTIONS", "\n".join(lines))
        running.append(Gallery(*words, data=tmp_path / "unused", **options))
        running[-1].container, running[-1].ends_with = name, 0
        return running[-1]

    yield start
    ends = [gallery.stop() for gallery in running]
    assert ends == [gallery.ends_with for gallery in running], running[0].log


@pytest.fixture(scope="session")
def root(tmp_path_factory) -> pathlib.Path:
    """The image's files, laid out."""
    root = tmp_path_factory.mktemp("root")
    container = engine("create", IMAGE).strip()
    try:
        archive = root.with_suffix(".tar")
        engine("export", "--output", str(archive), container)
        subprocess.run(["tar", "-C", root, "-xf", archive, "--no-same-owner"], check=True)
        archive.unlink()
    finally:
        engine("rm", container)
    return root
