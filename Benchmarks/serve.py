"""A cached tile of about 12 KB, 64 keep-alive connections: Tessera beside nginx with the same bytes in a static file."""

import re
import subprocess

import originals
from measuring import cpu_seconds, median
from peers import Nginx, Peer, Tessera

WANTED = 12 * 1024
ROUNDS, SECONDS, CONNECTIONS = 5, 3, 64
ACCEPT = "image/avif,image/webp,*/*"


def load(peer: Peer, path: str, seconds: int) -> tuple[float, float]:
    """Requests a second, and microseconds of processor time for each."""
    before = cpu_seconds(peer.pid)
    told = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-H", f"Accept: {ACCEPT}", f"http://127.0.0.1:{peer.port}{path}"],
        check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    used = cpu_seconds(peer.pid) - before
    if "Non-2xx" in told or "Socket errors" in told:
        raise RuntimeError(told)
    requests = int(re.search(r"(\d+) requests in", told)[1])
    return float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1]), used / requests * 1e6


def tile_of_wanted_size(ours: Tessera, count: int) -> tuple[str, bytes, str]:
    """The link, the bytes and the type of the tile that is nearest to 12 KB."""
    tiles = []
    for image in ours.images(count):
        response, content = ours.request("GET", image["links"]["tile"], Accept=ACCEPT)
        if response.status != 200:
            raise RuntimeError(f"{image['name']}: {response.status} {content[:300]!r}")
        tiles.append((abs(len(content) - WANTED), image["id"], content, response.headers["Content-Type"]))
    _, name, content, type = min(tiles, key=lambda tile: tile[0])
    link = ours.json(f"/api/v1/images/{name}")["links"]["tile"]
    return link, content, type


def run(report, options):
    folder = originals.pictures_of_many_entropies()
    with Tessera(folder) as ours:
        link, content, type = tile_of_wanted_size(ours, len(list(folder.iterdir())))
        with Nginx({"tile": content}, type) as nginx:
            assert nginx.request("GET", "/tile")[1] == content == ours.request("GET", link, Accept=ACCEPT)[1]
            # By the link of a page, which names the content; and as a person or a client writes it, without the version.
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
