"""One of two disks hangs, in reads, opens or queries of status: what the other one's pictures cost with and without it."""

import concurrent.futures
import http.client
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

import originals
from latency import timed
from measuring import median, percentile
from peers import Tessera

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Tests/API"))
from hanging_disk import HangingDisk  # noqa: E402

ROUNDS, PICTURES, SCANS, CLIENTS = 5, 60, 3, 16
MEASURES = ("cold tile, p99", "original, p99", "search, p99", "until a new file is listed")


def run(report, options):
    for kind in ("read", "open", "stat"):
        measure(report, kind)


def measure(report, kind: str):
    folder = originals.small_pictures(2 * ROUNDS * PICTURES + 2 * CLIENTS)
    with tempfile.TemporaryDirectory(prefix="tessera-bench-", ignore_cleanup_errors=True) as place:
        base = pathlib.Path(place)
        (base / "files").mkdir()
        (base / "healthy").mkdir()
        pictures = sorted(folder.iterdir())
        for picture in pictures[:2 * CLIENTS]:
            shutil.copy(picture, base / "files" / f"hung-{picture.name}")
        for picture in pictures[2 * CLIENTS:]:
            shutil.copy(picture, base / "healthy" / picture.name)
        disk = HangingDisk(base / "files", base / "hung")
        if disk.problem:
            raise RuntimeError(disk.problem)
        with disk, Tessera(base / "hung", base / "healthy") as ours:
            images = ours.images(len(pictures))
            hung = [image["id"] for image in images if image["name"].startswith("hung-")]
            cold = [image["id"] for image in images if not image["name"].startswith("hung-")]
            connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)
            samples: dict[str, list[list[float]]] = {"alone": [[], [], [], []], "hung": [[], [], [], []]}
            for number in range(2 * ROUNDS):
                state = ("alone", "hung")[number % 2]
                with hanging(ours, disk, kind, hung) if state == "hung" else concurrent.futures.ThreadPoolExecutor(1):
                    now = [cold.pop() for _ in range(PICTURES)]
                    targets = ([f"/images/{image}/tile" for image in now], [f"/images/{image}/original" for image in now],
                               [f"/api/v1/images?q=picture+{number}&limit=100" for _ in range(PICTURES)])
                    for measured, group in zip(samples[state], targets):
                        measured.append(percentile([timed(connection, target) for target in group], 0.99))
                    samples[state][3].append(median([until_listed(ours, connection, base / "healthy") for _ in range(SCANS)]))
    for number, what in enumerate(MEASURES):
        ours_, alone = (median(samples[state][number]) for state in ("hung", "alone"))
        report.add("hung", f"{what}, other disk hangs at {kind}", "ms", ours_, alone, "alone", "ratio <= 1.5",
                   ours_ <= 1.5 * alone, samples=samples["hung"][number], alone=samples["alone"][number])


class hanging:
    """Within its block the disk hangs, is being scanned, and clients keep requesting its pictures."""

    def __init__(self, ours: Tessera, disk: HangingDisk, kind: str, images: list[str]):
        self.ours, self.disk, self.kind, self.images = ours, disk, kind, images
        self.is_over = threading.Event()
        self.pool = concurrent.futures.ThreadPoolExecutor(CLIENTS)

    def _request(self, image: str):
        while not self.is_over.is_set():
            # A tile of an earlier round is in memory; an original is read from the disk each time.
            for rendition in ("tile", "original"):
                try:
                    self.ours.request("GET", f"/images/{image}/{rendition}")
                except OSError:
                    pass
            self.is_over.wait(0.5)

    def __enter__(self):
        self.disk.hang(self.kind)
        self.ours.process.send_signal(signal.SIGUSR1)
        for image in self.images[:CLIENTS]:
            self.pool.submit(self._request, image)
        deadline = time.monotonic() + 30
        while self.disk.hanging == 0:
            if time.monotonic() > deadline:
                raise RuntimeError("no request reaches the disk that hangs")
            time.sleep(0.05)
        # Wait until the first scan has been abandoned, after 5 s. The measurements cover later scans.
        time.sleep(6)

    def __exit__(self, *_):
        self.is_over.set()
        self.disk.heal()
        self.pool.shutdown()
        while self.ours.json("/api/v1/status")["scanning"]:
            time.sleep(0.05)


def until_listed(ours: Tessera, connection: http.client.HTTPConnection, folder: pathlib.Path) -> float:
    """Milliseconds from a new file in the folder until the server lists one image more."""
    total = ours.json("/api/v1/status")["total"]
    source = next(folder.iterdir())
    start = time.perf_counter()
    shutil.copy(source, folder / f"new-{total}.jpg")
    while ours.json("/api/v1/status")["total"] <= total:
        if time.perf_counter() - start > 30:
            raise RuntimeError("the new file is not listed")
        time.sleep(0.005)
    return (time.perf_counter() - start) * 1e3
