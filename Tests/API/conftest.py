import pathlib

import pytest

import pictures
from accounts import Person, set_up
from gallery import LOOPBACK, Gallery
from origin import Origin
from postgres_server import Postgres
from store import Store


@pytest.fixture
def data(tmp_path) -> pathlib.Path:
    return tmp_path / "data"


@pytest.fixture
def origin():
    origin = Origin()
    yield origin
    origin.close()


@pytest.fixture
def store():
    store = Store()
    yield store
    store.close()


@pytest.fixture
def serve(data):
    """Starts galleries that end with the test, and checks that each stops cleanly."""
    running: list[Gallery] = []

    def start(*words, **options) -> Gallery:
        running.append(Gallery(*words, data=options.pop("data", data), **options))
        return running[-1]

    yield start
    failed = []
    for gallery in running:
        if gallery.process.poll() is None and gallery.stop() != 0:
            failed.append(gallery.log)
    assert not failed, f"a server ended badly:\n{failed[0]}"


@pytest.fixture
def listed(serve, tmp_path):
    """Serves a list of URLs, which may be on loopback."""
    def start(*urls: str, **options) -> Gallery:
        file = tmp_path / "urls.txt"
        file.write_text("".join(url + "\n" for url in urls))
        return serve(file, *LOOPBACK, **options)

    return start


@pytest.fixture(scope="module")
def postgres_server():
    server = Postgres()
    yield server
    server.close()


@pytest.fixture
def postgres(postgres_server):
    """The PostgreSQL server without any data of earlier tests."""
    postgres_server.ask("DROP SCHEMA IF EXISTS tessera, tessera_library CASCADE")
    return postgres_server


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory) -> pathlib.Path:
    """A folder of twelve intact pictures in several formats."""
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(12):
        format, extension = [("JPEG", "jpg"), ("PNG", "png"), ("WEBP", "webp"), ("GIF", "gif")][number % 4]
        (folder / f"IMG_{number:04}.{extension}").write_bytes(pictures.encoded(format, seed=number))
    return folder


@pytest.fixture(scope="module")
def shared_gallery(shared_folder, tmp_path_factory):
    """A gallery of `shared_folder`, shared by all tests of a module; none may harm it."""
    with Gallery(shared_folder, data=tmp_path_factory.mktemp("data")) as gallery:
        gallery.images(12)
        yield gallery
        assert gallery.get("/healthz").status == 200


@pytest.fixture
def gallery(serve, shared_folder) -> Gallery:
    """A gallery with accounts, of which there is none yet."""
    return serve(shared_folder, "--accounts")


@pytest.fixture
def owner(gallery) -> Person:
    return set_up(gallery)
