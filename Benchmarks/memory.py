"""Memory of a server at rest with ten thousand images: a folder's, and the demo's."""

import originals
from measuring import memory_megabytes, wait_until_idle
from peers import Tessera

COUNT = 10_000


def run(report, options):
    folder = originals.made(f"links-{COUNT}", make_links)
    for what, words, command in (
        ("folder", (folder,), "serve"), ("demo", ("--count", COUNT), "demo")):
        with Tessera(*words, command=command) as ours:
            ours.images(COUNT)
            wait_until_idle(ours.pid)
            now, peak = (memory_megabytes(ours.pid, kind) for kind in ("VmRSS", "VmHWM"))
        report.add("memory", f"at rest, {what} of {COUNT:,} images", "MB", now, target="<= 80", holds=now <= 80, peak=peak)


def make_links(folder):
    """Ten thousand names of one small picture."""
    (one,) = originals.small_pictures(1).iterdir()
    (folder / "IMG_00000.jpg").write_bytes(one.read_bytes())
    for number in range(1, COUNT):
        (folder / f"IMG_{number:05}.jpg").hardlink_to(folder / "IMG_00000.jpg")
