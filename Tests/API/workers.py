"""The render workers of a running server, as reported by its status and the kernel."""

import os
import pathlib
import threading

from gallery import Gallery


def workers(gallery: Gallery) -> dict[str, int]:
    """The workers' figures in the status."""
    return gallery.get("/api/v1/status").json["workers"]


def is_well(gallery: Gallery) -> bool:
    """Whether the original process is still running and ready."""
    return gallery.process.poll() is None and gallery.get("/readyz").status == 200


def processes_below(root: int) -> set[int]:
    """The ids of all descendants of a process."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # After the name, which is in parentheses and may contain anything: the state and the parent.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                pass  # It has ended.
    found, fresh = set(), {root}
    while fresh:
        fresh = {process for process, parent in parents.items() if parent in fresh}
        found |= fresh
    return found


def is_running(process: int) -> bool:
    """Whether a process is still running. One that has ended may still be waiting to be reaped."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# CPU time that no start of a worker takes, in hundredths of a second.
_MORE_THAN_A_START = 50


def at_work(gallery: Gallery) -> set[int]:
    """The workers that have been busy with a picture for long: running, with more CPU time than a start takes."""
    found = set()
    for process in processes_below(gallery.process.pid):
        try:
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It has ended.
        if fields[0] == "R" and int(fields[11]) + int(fields[12]) > _MORE_THAN_A_START:
            found.add(process)
    return found


class ResourceWatch:
    """Within a `with` statement, keeps polling the peak memory and the processor time of the server and its workers."""

    def __init__(self, gallery: Gallery):
        self._root = gallery.process.pid
        self._ends = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self.peaks: dict[int, int] = {}
        self._seconds: dict[int, list[float]] = {}

    @property
    def seconds(self) -> float:
        """The processor time that these processes have taken since the beginning, or since they were first seen."""
        return sum(seen[-1] - seen[0] for seen in self._seconds.values())

    @property
    def peak(self) -> int:
        """The largest resident set of any of the processes so far, in bytes."""
        return max(self.peaks.values())

    def _watch(self):
        while not self._ends.wait(0.01):
            self._look()

    def _look(self):
        for process in {self._root, *processes_below(self._root)}:
            try:
                lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
                # After the program's name in parentheses; user and system time are the fields 14 and 15 (proc(5)).
                fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # It has ended.
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            self._seconds[process] = [self._seconds.get(process, [seconds])[0], seconds]
            # A process that has ended but has not been reaped has no such line.
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
