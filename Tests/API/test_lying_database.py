"""A database that sends without end: the node breaks the connection off with a reason, and its memory stays small."""

import pytest

import certificates
from gallery import wait_until
from lying_database import LIES, LyingDatabase

# What a lie may cost while it lasts.
MOST_MEMORY = 64 << 20


def most_memory(gallery) -> int:
    """The largest resident memory of the server since the last `forget_most_memory`, in bytes."""
    with open(f"/proc/{gallery.process.pid}/status") as told:
        return next(int(line.split()[1]) << 10 for line in told if line.startswith("VmHWM:"))


def forget_most_memory(gallery):
    with open(f"/proc/{gallery.process.pid}/clear_refs", "w") as file:
        file.write("5")


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def database(request, tmp_path):
    database = LyingDatabase(certificates.signed_by_itself(tmp_path, "liar") if request.param else None)
    yield database
    database.close()


@pytest.mark.parametrize("is_early", [False, True], ids=["answer", "greeting"])
@pytest.mark.parametrize("lie", LIES)
def test_a_lying_database_costs_little_memory(serve, shared_folder, database, lie, is_early):
    gallery = serve(shared_folder, "--open", "--database", database.url(), TESSERA_LOG_LEVEL="debug")
    wait_until(lambda: "PostgreSQL is unreachable" in gallery.log, "it to be logged", lambda: gallery.log)
    forget_most_memory(gallery)
    before = most_memory(gallery)
    database.is_early = is_early
    database.lie = lie
    wait_until(lambda: len(database.broken_off) >= 2, "the lies to be broken off", lambda: gallery.log, patience=60)
    assert max(database.broken_off) < 64 << 20
    assert most_memory(gallery) - before < MOST_MEMORY
    assert gallery.get("/api/v1/status").json["database"]["postgres"] == "away"
