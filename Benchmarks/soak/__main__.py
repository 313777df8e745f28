"""Runs the soak test; started by Scripts/soak."""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from peers import Tessera
from soak import verdict
from soak.folder import ChangingFolder
from soak.readings import Asker, Kernel, rescan

CLIENTS = 200
COLUMNS = [
    ("minute", 6), ("server", 8), ("tree", 8), ("descriptors", 12), ("threads", 8), ("processes", 10), ("tile_p99", 9),
    ("page_p99", 9), ("failed", 7), ("requests", 9), ("flings", 7)]


class Child:
    """A part of the load in a process of its own; its last output is kept."""

    def __init__(self, module: str, *words):
        self.last: object = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"soak.{module}", *map(str, words)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        self._said = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self.last = json.loads(line)
            self._said.set()

    def wait(self):
        if not self._said.wait(60):
            raise RuntimeError(f"{self._process.args} says nothing")
        return self.last

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()


def line(minute: dict) -> str:
    return " ".join(f"{minute[name]:>{width}.{4 if name.endswith('p99') else 6}g}" for name, width in COLUMNS)


def soak(minutes: int, all: contextlib.ExitStack) -> list[dict]:
    folder = pathlib.Path(all.enter_context(tempfile.TemporaryDirectory(prefix="tessera-soak-"))) / "pictures"
    ours: list[Tessera] = []
    changing = ChangingFolder(folder, lambda: rescan(ours[0].pid))
    urls = all.enter_context(Child("misbehaving")).wait()
    # Endless pictures are given up soon, so that many of them get their turn.
    server = all.enter_context(Tessera(folder, urls=urls, environment={"TESSERA_RENDER_DEADLINE": "5"}))
    ours.append(server)
    images = server.images(300 + len(urls))
    # A permanent one, requested once, so that it is cached from now on.
    tile = next(image for image in images if image["name"].startswith("IMG_"))["links"]["tile"]
    server.request("GET", tile, Accept="image/webp,*/*")

    kernel, asker = Kernel(server.pid), Asker(server.port, tile)
    parts = [all.enter_context(Child("clients", server.port, CLIENTS)), all.enter_context(Child("browsing", server.port))]
    for part in parts:
        part.wait()
    for thread in (changing, asker):
        thread.start()
        all.callback(thread.end)
    readings: list[dict] = []
    answered = 0
    began = time.monotonic()
    print(" ".join(f"{name:>{width}}" for name, width in COLUMNS), flush=True)
    for number in range(1, minutes + 1):
        while time.monotonic() < began + 60 * number:
            kernel.look()
            time.sleep(1)
            if server.process.poll() is not None:
                raise RuntimeError(f"the server ended with {server.process.returncode}")
            if any(part.has_ended for part in parts):
                raise RuntimeError("a part of the load has ended")
        counts, flings = parts[0].last or {}, parts[1].last or 0
        before, answered = answered, sum(counts.values())
        readings.append({
            "minute": number, **kernel.minute(), **asker.minute(), "requests": answered - before, "flings": flings,
            "answers": counts, "workers": server.json("/api/v1/status")["workers"]})
        print(line(readings[-1]), flush=True)
    return readings


def main() -> int:
    parser = argparse.ArgumentParser(prog="Scripts/soak", description=__doc__)
    parser.add_argument("minutes", nargs="?", type=int, default=60, help="3 or more; 60")
    parser.add_argument("--json", default="soak.json", metavar="FILE", help="where all readings go (soak.json)")
    options = parser.parse_args()
    if options.minutes < 3:
        parser.error("fewer than 3 minutes leave nothing to compare")
    with contextlib.ExitStack() as all:
        readings = soak(options.minutes, all)
    rows = verdict.compare(readings)
    print("\n" + verdict.told(rows))
    holds = all_hold(rows, readings)
    pathlib.Path(options.json).write_text(json.dumps(
        {"cores": os.cpu_count(), "holds": holds, "verdict": rows, "minutes": readings}, indent=1) + "\n")
    return 0 if holds else 1


def all_hold(rows: list[dict], readings: list[dict]) -> bool:
    """Nothing grew, although there was enough load to make it grow."""
    idle = [what for what, is_so in (
        ("no client was answered", not readings[-1]["answers"].get("200")), ("nothing was flung", not readings[-1]["flings"]),
        ("no worker died", not readings[-1]["workers"]["deaths"])) if is_so]
    for what in idle:
        print(f"BROKEN: {what}, so this shows nothing")
    return not idle and all(row["holds"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
