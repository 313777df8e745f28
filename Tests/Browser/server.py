"""A running Tessera for a browser to visit."""

import ctypes
import functools
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN_FRONT = ROOT / "Public"
# Generous, because the machine may be busy.
PATIENCE = 20.0
BASE_PATH = os.environ.get("TESSERA_BASE_PATH", "")


def binary() -> str:
    """The program under test: TESSERA_BINARY, or else the latest build."""
    named = os.environ.get("TESSERA_BINARY")
    if named:
        return named
    built = [path for kind in ("release", "debug") if (path := ROOT / ".build" / kind / "tessera").exists()]
    if not built:
        raise RuntimeError("no tessera is built: run `swift build --product tessera`, or set TESSERA_BINARY")
    return str(max(built, key=lambda path: path.stat().st_mtime))


@functools.cache
def built_front() -> pathlib.Path:
    """The front as the product ships it: TESSERA_PUBLIC, else built from the plain modules now."""
    named = os.environ.get("TESSERA_PUBLIC")
    return pathlib.Path(named) if named else build_front(PLAIN_FRONT, ROOT / ".build" / "front")


def build_front(public: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    subprocess.run([ROOT / "Packaging" / "front.py", folder, public], stdout=subprocess.DEVNULL, check=True)
    return folder


def _end_with_the_tests():
    """Kills the process when the tests end (PR_SET_PDEATHSIG, prctl(2)). Nothing else would end a process in a
    session of its own, or a frozen one."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Server:
    """One server process on a free port, or a given one. Indexes its files in the background if `examines` is set."""

    def __init__(self, *words: object, data: pathlib.Path, port: int = 0, examines: bool = False,
                 public: pathlib.Path | None = None):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
        public = public or built_front()
        # In a session of its own, as a service is: the kernel then shares the processor between the browser and the
        # server with all its workers (sched_autogroup, sched(7)), and not between the browser and each niced worker.
        # For a run of all tests under a path prefix.
        below = ["--base-path", BASE_PATH] if BASE_PATH and "--base-path" not in words else []
        self.process = subprocess.Popen(
            [binary(), *map(str, words), *below, "--port", str(port), "--data", str(data)],
            env={**kept, "TESSERA_PUBLIC": str(public), "TESSERA_NO_EXAMINE": "0" if examines else "1",
                 "TESSERA_NO_TILES_AHEAD": "1"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, preexec_fn=_end_with_the_tests)
        self._lines: list[str] = []
        self._address: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            address = self._address.get(timeout=PATIENCE)
        except queue.Empty:
            address = None
        if address is None:
            self.stop()
            raise RuntimeError("the server did not become ready:\n" + "".join(self._lines))
        self.port = urllib.parse.urlsplit(address).port
        self.address = address if below else f"http://127.0.0.1:{self.port}"

    def _read(self):
        for line in self.process.stdout:
            self._lines.append(line)
            found = re.search(r"ready at (http://\S+)/", line)
            if found:
                self._address.put(found[1])
        self._address.put(None)

    @property
    def status(self) -> dict:
        """The server's current status."""
        with urllib.request.urlopen(f"{self.address}/api/v1/status", timeout=PATIENCE) as answer:
            return json.load(answer)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._reader.join(5)
