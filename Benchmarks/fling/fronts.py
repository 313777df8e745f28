"""The three fronts of one gallery: ours, a plain grid with lazy loading, a virtualised grid that aborts."""

import concurrent.futures
import http.client
import pathlib
from dataclasses import dataclass

from peers import Nginx, Tessera

HERE = pathlib.Path(__file__).parent
# What Chromium says of images.
ACCEPT = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
LABELS = {"ours": "Tessera", "aborting": "aborting grid", "lazy": "lazy grid"}


@dataclass
class Layout:
    """Where the slots are; CSS pixels. `top` is the header's height, `edge` the margin beside the grid."""
    columns: int
    tile: float
    gap: float
    top: float
    edge: float
    total: int
    rows: int = 5

    @property
    def pitch(self) -> float:
        return self.tile + self.gap

    @property
    def height(self) -> float:
        """Of what is seen of the grid: exactly so many rows."""
        return self.rows * self.pitch - self.gap

    @property
    def slots(self) -> int:
        return self.rows * self.columns

    def told(self) -> dict:
        return dict(columns=self.columns, pitch=self.pitch, gap=self.gap, height=self.height, total=self.total)

    def style(self) -> str:
        return (f"--columns: {self.columns}; --tile: {self.tile}px; --gap: {self.gap}px; --top: {self.top}px; "
                f"--edge: {self.edge}px; --total: {self.total};")


@dataclass
class Pictures:
    """What all fronts show: the same tiles, byte for byte."""
    slots: dict[str, int]
    tiles: list[bytes]
    previews: list[bytes]

    def mean(self) -> float:
        return sum(map(len, self.tiles)) / len(self.tiles)


def fetch(ours: Tessera, count: int) -> Pictures:
    """All tiles and previews by our server, which has them in its caches afterwards."""
    images = ours.images(count)

    def some(part: list[dict]) -> list[tuple[bytes, bytes]]:
        connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=120)
        found = []
        for image in part:
            both = []
            for rendition in ("tile", "preview"):
                connection.request("GET", image["links"][rendition], headers={"Accept": ACCEPT})
                response = connection.getresponse()
                content = response.read()
                if response.status != 200:
                    raise RuntimeError(f"{image['name']}: {response.status} {content[:200]!r}")
                both.append(content)
            found.append((both[0], both[1]))
        connection.close()
        return found

    parts = [images[begin : begin + 50] for begin in range(0, count, 50)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        both = [one for part in pool.map(some, parts) for one in part]
    slots = {image["id"]: image["index"] for image in images}
    return Pictures(slots, [tile for tile, _ in both], [preview for _, preview in both])


def nginx(pictures: Pictures, layout: Layout) -> Nginx:
    """nginx with the tiles and the pages of both peers."""
    images = "\n".join(
        f'    <img class="slot" loading="lazy" decoding="async" width="{layout.tile:g}" height="{layout.tile:g}" '
        f'alt="" src="/tiles/{index}.avif">' for index in range(layout.total))
    files = {f"tiles/{index}.avif": tile for index, tile in enumerate(pictures.tiles)}
    for name in ("lazy.html", "aborting.html"):
        page = (HERE / name).read_text().replace("LAYOUT", layout.style()).replace("IMAGES", images)
        files[name] = page.encode()
    for name in ("peers.css", "aborting.js"):
        files[name] = (HERE / name).read_bytes()
    return Nginx(files, "application/octet-stream")


PAGES = {"ours": "/", "lazy": "/lazy.html", "aborting": "/aborting.html"}
