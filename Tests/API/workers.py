"""The render workers of a running server, as its status and the kernel tell of them."""

import pathlib
import threading

from gallery import Gallery


def workers(gallery: Gallery) -> dict[str, int]:
    """What the status says of them."""
    return gallery.get("/api/v1/status").json["workers"]


def is_well(gallery: Gallery) -> bool:
    """Whether the process that was started is the one that still answers."""
    return gallery.process.poll() is None and gallery.get("/readyz").status == 200


def processes_below(root: int) -> set[int]:
    """The ids of all processes that a process started, and of those that these started."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # After the name, which stands in parentheses and may hold anything: the state and the parent.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                pass  # It has ended.
    found, fresh = set(), {root}
    while fresh:
        fresh = {process for process, parent in parents.items() if parent in fresh}
        found |= fresh
    return found


def is_running(process: int) -> bool:
    """Whether a process has not ended; one that has may still wait for its parent to take notice."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# Hundredths of a second of processor time that no start of a worker takes.
_MORE_THAN_A_START = 50


def at_work(gallery: Gallery) -> set[int]:
    """The workers that have been at some picture for long: they run, and have run for longer than a start takes."""
    found = set()
    for process in processes_below(gallery.process.pid):
        try:
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It has ended.
        if fields[0] == "R" and int(fields[11]) + int(fields[12]) > _MORE_THAN_A_START:
            found.add(process)
    return found


class MemoryWatch:
    """Looks, within a `with`, again and again how much memory the server and its workers have held at most."""

    def __init__(self, gallery: Gallery):
        self._root = gallery.process.pid
        self._ends = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self.peaks: dict[int, int] = {}

    @property
    def peak(self) -> int:
        """The largest resident set that any of the processes ever had, in bytes."""
        return max(self.peaks.values())

    def _watch(self):
        while not self._ends.wait(0.01):
            self._look()

    def _look(self):
        for process in {self._root, *processes_below(self._root)}:
            try:
                lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
            except OSError:
                continue  # It has ended.
            # A process that has ended and was not waited for yet has no such line.
            for line in lines:
                if line.startswith("VmHWM:"):
                    self.peaks[process] = int(line.split()[1]) * 1024

    def __enter__(self):
        self._look()
        self._watcher.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._watcher.join()
        self._look()
