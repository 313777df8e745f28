"""A cached tile of about 12 KB over 64 keep-alive connections: Tessera compared to nginx with the same bytes in a
static file; and the cost of the same tile, and of a preview, by the stream."""

import pathlib
import re
import subprocess

import originals
from stream_pages import Pages
from measuring import Report, cpu_seconds, median
from peers import Nginx, Peer, Tessera

WANTED = 12 * 1024
ROUNDS, SECONDS, CONNECTIONS = 5, 3, 64
ACCEPT = "image/avif,image/webp,*/*"
# Identical pictures that pages scroll through, and how many times per sample.
PICTURES, SCROLLS = 200, 8


def load(peer: Peer, path: str, seconds: int) -> tuple[float, float]:
    """Requests per second, and microseconds of processor time per request."""
    before = cpu_seconds(peer.pid)
    requests, rate = told_by(asking(peer, path, seconds, CONNECTIONS))
    return rate, (cpu_seconds(peer.pid) - before) / requests * 1e6


def asking(peer: Peer, path: str, seconds: int, connections: int, *words: str) -> subprocess.Popen:
    """Starts `wrk` with additional options."""
    return subprocess.Popen(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-H", f"Accept: {ACCEPT}", *words,
         f"http://127.0.0.1:{peer.port}{path}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def told_by(wrk: subprocess.Popen) -> tuple[int, float]:
    """The number of requests, and requests per second; fails if any request failed."""
    told, _ = wrk.communicate()
    if wrk.returncode or "Non-2xx" in told or "Socket errors" in told:
        raise RuntimeError(told or f"wrk ended with {wrk.returncode}")
    return int(re.search(r"(\d+) requests in", told)[1]), float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])


def tile_of_wanted_size(ours: Tessera, count: int) -> tuple[str, str, bytes, str]:
    """The picture's name, the link, the bytes and the media type of the tile closest to 12 KB."""
    tiles = []
    for image in ours.images(count):
        response, content = ours.request("GET", image["links"]["tile"], Accept=ACCEPT)
        if response.status != 200:
            raise RuntimeError(f"{image['name']}: {response.status} {content[:300]!r}")
        tiles.append((abs(len(content) - WANTED), image["id"], content, response.headers["Content-Type"]))
    _, id, content, type = min(tiles, key=lambda tile: tile[0])
    image = ours.json(f"/api/v1/images/{id}")
    return image["name"], image["links"]["tile"], content, type


def run(report, options):
    folder = originals.pictures_of_many_entropies()
    with Tessera(folder) as ours:
        name, link, content, type = tile_of_wanted_size(ours, len(list(folder.iterdir())))
        with Nginx({"tile": content}, type) as nginx:
            assert nginx.request("GET", "/tile")[1] == content == ours.request("GET", link, Accept=ACCEPT)[1]
            # By the link in a page, which contains the content version; and as a person or client would write it,
            # without the version.
            ways = [(ours, link), (ours, link.partition("?")[0]), (nginx, "/tile")]
            for peer, path in ways:
                load(peer, path, 1)
            samples = [[load(peer, path, SECONDS) for peer, path in ways] for _ in range(ROUNDS)]
    rates, cpus = ([[sample[way][figure] for sample in samples] for way in range(3)] for figure in (0, 1))
    rate, cpu = [median(each) for each in rates], [median(each) for each in cpus]
    details = dict(bytes=len(content), type=type, connections=CONNECTIONS)
    report.add("serve", f"requests/s, cached tile of {len(content):,} bytes", "1/s", rate[0], rate[2], "nginx",
               "ratio >= 1.0", rate[0] >= rate[2], samples=rates[0], peer_samples=rates[2], **details)
    report.add("serve", "CPU of one request", "us", cpu[0], cpu[2], "nginx",
               "ratio <= 1.0", cpu[0] <= cpu[2], samples=cpus[0], peer_samples=cpus[2], **details)
    report.add("serve", "CPU of one request that names no version", "us", cpu[1], cpu[2], "nginx",
               "ratio <= 2.0", cpu[1] <= 2 * cpu[2], samples=cpus[1], peer_samples=cpus[2], **details)
    by_stream(report, folder / name, cpus[0])


def by_stream(report: Report, picture: pathlib.Path, plain: list[float]):
    """The cost of a frame, for tiles and previews in memory, compared to a plain request for the same tile."""
    def make(folder: pathlib.Path):
        for number in range(PICTURES):
            (folder / f"{number:04}.png").write_bytes(picture.read_bytes())

    with Tessera(originals.made(f"alike-{picture.stem}-{PICTURES}", make)) as ours:
        ours.images(PICTURES)
        with Pages(ours.port, PICTURES, ACCEPT) as pages:
            # In this order, because a held tile replaces the preview.
            for rendition, most in (("preview", 1.5), ("tile", 4.0)):
                pages.bring(rendition)
                samples, size = [], 0.0
                for _ in range(ROUNDS):
                    before, frames, count = cpu_seconds(ours.pid), 0, 0
                    for _ in range(SCROLLS):
                        pages.forget(rendition)
                        brought = pages.bring(rendition)
                        frames, count = frames + brought[0], count + brought[1]
                    samples.append((cpu_seconds(ours.pid) - before) / frames * 1e6)
                    size = count / frames
                cost = median(samples)
                report.add("serve", f"CPU of a {rendition} of {size:,.0f} bytes by the stream", "us", cost, median(plain),
                           "plain request", f"ratio <= {most:g}", cost <= most * median(plain), samples=samples,
                           peer_samples=plain, bytes=size)
