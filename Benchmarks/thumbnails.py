"""Tiles of a folder of a camera's JPEGs with cold caches: Tessera compared to `vipsthumbnail` in one process per
core."""

import concurrent.futures
import http.client
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import originals
from measuring import cpu_seconds, median, memory_megabytes, wait_until_idle
from peers import Tessera

ROUNDS, CONNECTIONS = 2, 8
# The same encoding on both sides: what Sources/Renditions requests from libvips for a tile.
SAVED_AS = {
    "jpeg": "jpg[Q=80,optimize_coding,strip]",
    "webp": "webp[Q=75,effort=2,strip]",
    "avif": "avif[Q=47,effort=1,strip]",
}


def tiles_of_ours(folder: pathlib.Path, format: str, count: int) -> dict:
    with Tessera(folder) as ours:
        ours.images(count)
        wait_until_idle(ours.pid)
        before, start = cpu_seconds(ours.pid), time.monotonic()
        tokens = ours.post(
            "/api/v1/tokens", {"rendition": "tile", "first": 0, "count": count}, Accept=f"image/{format}")["tokens"]

        def fetch(share: list[dict]) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=120)
            size = 0
            for token in share:
                connection.request("GET", token["href"], headers={"Accept": f"image/{format}"})
                response = connection.getresponse()
                content = response.read()
                if response.status != 200 or response.headers["Content-Type"] != f"image/{format}":
                    raise RuntimeError(f"{response.status} {response.headers['Content-Type']} {content[:200]!r}")
                size += len(content)
            return size

        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            size = sum(pool.map(fetch, [tokens[n::CONNECTIONS] for n in range(CONNECTIONS)]))
        wall = time.monotonic() - start
        wait_until_idle(ours.pid, 0.5)
        return dict(cpu=cpu_seconds(ours.pid) - before, wall=wall, bytes=size, peak=memory_megabytes(ours.pid, "VmHWM"))


def tiles_of_vipsthumbnail(folder: pathlib.Path, format: str, count: int) -> dict:
    files = sorted(map(str, folder.iterdir()))[:count]
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as out:
        used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        processes = [
            subprocess.Popen(
                ["vipsthumbnail", "--size", "320x320", "-o", f"{out}/%s.{SAVED_AS[format]}",
                 *files[core::cores]],
                env={**os.environ, "VIPS_CONCURRENCY": "1"}, stdin=subprocess.DEVNULL)
            for core in range(cores)]
        if any(process.wait() for process in processes):
            raise RuntimeError("vipsthumbnail failed")
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        sizes = [file.stat().st_size for file in pathlib.Path(out).iterdir()]
        if len(sizes) != count:
            raise RuntimeError(f"vipsthumbnail made {len(sizes)} of {count}")
        cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
        return dict(cpu=cpu, wall=wall, bytes=sum(sizes))


def run(report, options):
    folder = pathlib.Path(options.pictures) if options.pictures else originals.camera_pictures()
    count = sum(file.suffix.lower() in (".jpg", ".jpeg") for file in folder.iterdir())
    for file in folder.iterdir():
        file.read_bytes()  # Both read from memory, not from the disk.
    for format in options.formats:
        samples = [
            (tiles_of_ours(folder, format, count), tiles_of_vipsthumbnail(folder, format, count)) for _ in range(ROUNDS)]
        cpu, wall, size = ([median(sample[peer][key] for sample in samples) for peer in (0, 1)]
                           for key in ("cpu", "wall", "bytes"))
        peak = max(sample[0]["peak"] for sample in samples)
        report.add("thumbnails", f"CPU of one tile, {format}", "ms", cpu[0] / count * 1e3, cpu[1] / count * 1e3,
                   "vipsthumbnail", "ratio <= 1.05", cpu[0] <= 1.05 * cpu[1], files=count, samples=samples)
        report.add("thumbnails", f"tiles a second, {format}", "1/s", count / wall[0], count / wall[1], "vipsthumbnail")
        report.add("thumbnails", f"bytes of one tile, {format}", "bytes", size[0] / count, size[1] / count, "vipsthumbnail")
        report.add("thumbnails", f"peak memory, {format}", "MB", peak, target="<= 300", holds=peak <= 300)
