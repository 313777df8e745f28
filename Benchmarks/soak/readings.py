"""What is read from the server while it runs: once per second from the kernel, and by a client that repeatedly
requests the same tile and the same page. Each minute gives one line."""

import http.client
import os
import pathlib
import signal
import statistics
import threading
import time

from measuring import family, percentile

# A real page would not send requests more often.
ASKED_EVERY = 0.1


class Kernel:
    """Reads the state of the server's process once per second."""

    def __init__(self, pid: int):
        self.pid = pid
        self.looks: list[dict[str, float]] = []

    def look(self):
        try:
            self.looks.append(self._now())
        except (OSError, ValueError):
            pass  # The process has ended since it was listed.

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
                continue  # It has been closed meanwhile.
            found["sockets" if target.startswith("socket:") else "files" if target.startswith("/") else "others"] += 1
        found["descriptors"] = found["sockets"] + found["files"] + found["others"]
        return found

    def minute(self) -> dict[str, float]:
        """The median of the readings since the last minute; for fluctuating values the minimum, which only rises if
        something is never released."""
        looks, self.looks = self.looks, []
        told = {name: statistics.median(look[name] for look in looks) for name in ("server", "tree", "processes")}
        for name in ("descriptors", "threads", "sockets", "files", "others"):
            told[name] = min(look[name] for look in looks)
        told["most_descriptors"] = max(look["descriptors"] for look in looks)
        return told


def _proportional(pid: int) -> float:
    """A process's memory in megabytes (10^6 bytes); shared memory counts proportionally (`Pss`)."""
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
    """One client with one connection: the latency of a cached tile and of a page."""

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
        """The 99th percentile in milliseconds; and the number of requests without a 200."""
        with self._lock:
            times, self._times = self._times, {name: [] for name in self._times}
            failed, self._failed = self._failed, 0
        return {**{f"{name}_p99": percentile(all, 0.99) if all else 0.0 for name, all in times.items()}, "failed": failed}

    def end(self):
        self._ends.set()
        self.join()


def rescan(pid: int):
    os.kill(pid, signal.SIGUSR1)
