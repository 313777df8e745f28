"""A PostgreSQL server for the tests, on loopback and a free port, that can be killed, frozen and restarted."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from gallery import free_port, wait_until

PASSWORD = "hunter2"


def _program(name: str) -> str:
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    assert versions, "no PostgreSQL is installed: run Scripts/install test"
    return str(versions[-1])


def as_its_user() -> list[str]:
    """PostgreSQL refuses to run as root. Its processes end with the tests, even if they are frozen."""
    words = ["setpriv", "--pdeathsig", "KILL"]
    return words + (["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else [])


class Postgres:
    """Its user and its database are both called `tessera`."""

    def __init__(self):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-postgres-"))
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self._folder, user.pw_uid, user.pw_gid)
        self.port = free_port()
        secret = self._folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run(_program("initdb"), "--pgdata", str(self._folder / "data"), "--username", "tessera", "--auth",
                  "scram-sha-256", "--pwfile", str(secret), "--encoding", "UTF8", "--locale", "C", "--no-sync")
        self.start()
        self.ask("CREATE DATABASE tessera", database="postgres")

    def _run(self, *words: str):
        subprocess.run([*as_its_user(), *words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def url(self, password: str = PASSWORD, database: str = "tessera") -> str:
        return f"postgres://tessera:{password}@127.0.0.1:{self.port}/{database}"

    def start(self):
        self.process = subprocess.Popen(
            [*as_its_user(), _program("postgres"), "-D", str(self._folder / "data"), "-h", "127.0.0.1", "-p",
             str(self.port), "-k", str(self._folder), "-c", "fsync=off", "-c", "shared_buffers=16MB"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: self._answers(), "PostgreSQL to answer")
        except BaseException:
            self.close()
            raise

    def _answers(self) -> bool:
        return subprocess.run([_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0

    def ask(self, statement: str, database: str = "tessera") -> str:
        return subprocess.run(
            [_program("psql"), "-X", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "tessera", "-d", database,
             "-c", statement],
            env={**os.environ, "PGPASSWORD": PASSWORD}, check=True, capture_output=True, text=True, timeout=30).stdout.strip()

    def _all(self) -> list[int]:
        """Its processes: one per connection, and some background processes."""
        own = self.process.pid
        children = pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split()
        return [own, *map(int, children)]

    def _signal(self, number: int):
        for process in self._all():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self):
        self._signal(signal.SIGKILL)
        self.process.wait(10)

    def freeze(self):
        self._signal(signal.SIGSTOP)

    def wake(self):
        self._signal(signal.SIGCONT)

    def close(self):
        if self.process.poll() is None:
            self.wake()
            self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)
