"""What is read of the server while it runs: once a second from the kernel, and by a client that asks for the same tile
and the same page again and again. A minute's reading is one line."""

import http.client
import os
import pathlib
import signal
import statistics
import threading
import time

from measuring import family, percentile

# What a person's page asks for would not be asked more often.
ASKED_EVERY = 0.1


class Kernel:
    """Looks at the server's process once a second."""

    def __init__(self, pid: int):
        self.pid = pid
        self.looks: list[dict[str, float]] = []

    def look(self):
        try:
            self.looks.append(self._now())
        except (OSError, ValueError):
            pass  # A process has ended between being named and being looked at.

    def _now(self) -> dict[str, float]:
        tree = family(self.pid)
        found = {
            "server": _proportional(self.pid), "tree": sum(map(_proportional_or_none, tree)),
            "threads": len(os.listdir(f"/proc/{self.pid}/task")), "processes": len(tree),
            "sockets": 0, "files": 0, "others": 0}
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                target = os.readlink(f"/proc/{self.pid}/fd/{name}")
            except OSError:
                continue  # It was closed meanwhile.
            found["sockets" if target.startswith("socket:") else "files" if target.startswith("/") else "others"] += 1
        found["descriptors"] = found["sockets"] + found["files"] + found["others"]
        return found

    def minute(self) -> dict[str, float]:
        """The middle of the looks since the last minute; of what comes and goes, the least: only what is never given
        back raises that."""
        looks, self.looks = self.looks, []
        told = {name: statistics.median(look[name] for look in looks) for name in ("server", "tree", "processes")}
        for name in ("descriptors", "threads", "sockets", "files", "others"):
            told[name] = min(look[name] for look in looks)
        told["most_descriptors"] = max(look["descriptors"] for look in looks)
        return told


def _proportional(pid: int) -> float:
    """Megabytes (10^6 bytes) of a process; what several share is shared out (`Pss`)."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"process {pid} tells no memory")


def _proportional_or_none(pid: int) -> float:
    try:
        return _proportional(pid)
    except (OSError, ValueError):
        return 0


class Asker(threading.Thread):
    """One client with one connection: how long a cached tile and a page take."""

    def __init__(self, port: int, tile: str):
        super().__init__(daemon=True)
        self._port = port
        self._targets = {"tile": tile, "page": "/api/v1/images?limit=100"}
        self._ends = threading.Event()
        self._lock = threading.Lock()
        self._times: dict[str, list[float]] = {"tile": [], "page": []}
        self._failed = 0

    def run(self):
        connection = None
        while not self._ends.wait(ASKED_EVERY):
            for name, target in self._targets.items():
                began = time.monotonic()
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
                    connection.request("GET", target, headers={"Accept": "image/webp,*/*"})
                    response = connection.getresponse()
                    response.read()
                    well = response.status == 200
                except (OSError, http.client.HTTPException):
                    well, connection = False, None
                with self._lock:
                    self._times[name].append(1e3 * (time.monotonic() - began))
                    self._failed += not well

    def minute(self) -> dict[str, float]:
        """Milliseconds, the 99th percentile; and how many requests were not answered with 200."""
        with self._lock:
            times, self._times = self._times, {name: [] for name in self._times}
            failed, self._failed = self._failed, 0
        return {**{f"{name}_p99": percentile(all, 0.99) if all else 0.0 for name, all in times.items()}, "failed": failed}

    def end(self):
        self._ends.set()
        self.join()


def rescan(pid: int):
    os.kill(pid, signal.SIGUSR1)
