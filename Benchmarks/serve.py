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
            pairs = [(ours, link), (nginx, "/tile")]
            for peer, path in pairs:
                load(peer, path, 1)
            samples = [[load(peer, path, SECONDS) for peer, path in pairs] for _ in range(ROUNDS)]
    ours_rate, nginx_rate = (median(sample[peer][0] for sample in samples) for peer in (0, 1))
    ours_cpu, nginx_cpu = (median(sample[peer][1] for sample in samples) for peer in (0, 1))
    details = dict(bytes=len(content), type=type, connections=CONNECTIONS, samples=samples)
    report.add("serve", f"requests/s, cached tile of {len(content):,} bytes", "1/s", ours_rate, nginx_rate, "nginx",
               "ratio >= 1.0", ours_rate >= nginx_rate, **details)
    report.add("serve", "CPU of one request", "us", ours_cpu, nginx_cpu, "nginx",
               "ratio <= 1.0", ours_cpu <= nginx_cpu, **details)
