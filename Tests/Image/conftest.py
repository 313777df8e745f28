"""Tests of the container image. Scripts/image says by ENGINE and IMAGE which one; galleries run in containers of it."""

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


def engine(*words: str, **options) -> str:
    """What the engine answers."""
    return subprocess.run([ENGINE, *words], check=True, capture_output=True, text=True, timeout=120, **options).stdout


@pytest.fixture
def folder(tmp_path) -> pathlib.Path:
    """One that the container's user may read."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Starts galleries that end with the test, each checked to end well."""
    running: list[Gallery] = []

    def start(*words, mounts=(), **options) -> Gallery:
        monkeypatch.setenv("IMAGE_MOUNTS", "\n".join(mounts))
        running.append(Gallery(*words, data=tmp_path / "unused", **options))
        return running[-1]

    yield start
    assert [gallery.stop() for gallery in running] == [0] * len(running), running[0].log


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
