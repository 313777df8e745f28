"""A connection pooler between a node and PostgreSQL: used if each client has a session of its own, refused if not."""

import os
import shutil
import subprocess

import pytest

import pictures
from gallery import free_port, is_listening, wait_until
from postgres_server import PASSWORD, as_its_user


@pytest.fixture
def pooled(postgres, tmp_path):
    """Starts pgbouncer with this `pool_mode`, and returns the URL of the database through it."""
    started = []

    def start(mode: str) -> str:
        program = shutil.which("pgbouncer")
        assert program, "pgbouncer is not installed: run Scripts/install test"
        port = free_port()
        folder = tmp_path / mode
        folder.mkdir()
        (folder / "users.txt").write_text(f'"tessera" "{PASSWORD}"\n')
        (folder / "pgbouncer.ini").write_text(f"""
            [databases]
            tessera = host=127.0.0.1 port={postgres.port} user=tessera password={PASSWORD}
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {port}
            unix_socket_dir =
            auth_type = plain
            auth_file = users.txt
            pool_mode = {mode}
            ignore_startup_parameters = extra_float_digits
        """.replace("            ", ""))
        for path in (tmp_path, *tmp_path.parents[:2]):
            os.chmod(path, 0o755)
        started.append(subprocess.Popen(
            [*as_its_user(), program, "pgbouncer.ini"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))
        wait_until(lambda: is_listening(port), "pgbouncer to listen")
        return f"postgres://tessera:{PASSWORD}@127.0.0.1:{port}/tessera"

    yield start
    for process in started:
        process.kill()
        process.wait(10)


@pytest.fixture
def node(serve, tmp_path):
    folder = pictures.write(tmp_path / "pictures", a__jpg=pictures.encoded())

    def start(url: str):
        return serve(folder, "--open", "--database", url, data=tmp_path / "data", TESSERA_NO_EXAMINE="0")

    return start


def database(node) -> dict:
    return node.get("/api/v1/status").json["database"]


def test_a_pooler_with_dedicated_sessions_is_used(pooled, node):
    ready = node(pooled("session"))
    wait_until(lambda: database(ready)["postgres"] == "connected", "PostgreSQL to be used", lambda: ready.log)
    wait_until(lambda: database(ready)["figures"]["published"] == 1, "the picture to be shared", lambda: ready.log)


@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_without_dedicated_sessions_is_refused(pooled, node, postgres, mode):
    ready = node(pooled(mode))
    wait_until(lambda: "set pool_mode = session" in ready.log, "the log to say so", lambda: ready.log)
    wait_until(lambda: "set pool_mode = session" in database(ready).get("reason", ""), "the status to say so")
    assert database(ready)["postgres"] == "away"
    assert "tessera_database_connected 0" in ready.get("/metrics").body.decode()
    assert postgres.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == "0"
    # The gallery works without it.
    ready.images(1)
