"""The fronts of one gallery: ours and its peers, all with the same layout and byte for byte the same tiles."""

import concurrent.futures
import http.client
import pathlib
import struct
from dataclasses import dataclass

from peers import Tessera

HERE = pathlib.Path(__file__).parent / "peers"
# The `Accept` field that Chromium sends for images.
ACCEPT = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
# Previews per file, as in peers/tuned.js.
BLOCK = 8


@dataclass(frozen=True)
class Front:
    """A page, and the server that serves it (`servers`)."""
    name: str
    label: str
    server: str
    page: str

    @property
    def is_ours(self) -> bool:
        return self.page == ""

    @property
    def is_http2(self) -> bool:
        return not self.is_ours and self.server in ("secure", "unqueued")


FRONTS = {front.name: front for front in (
    Front("ours", "Tessera", "ours", ""),
    Front("proxied", "Tessera behind nginx", "proxied", ""),
    Front("tuned", "HTTP/2 tuned", "unqueued", "tuned"),
    Front("tuned-queued", "HTTP/2 tuned, no lowat", "secure", "tuned"),
    Front("http2", "HTTP/2", "unqueued", "http2"),
    Front("http2-queued", "HTTP/2, no lowat", "secure", "http2"),
    Front("gated", "gated grid", "plain", "gated"),
    Front("aborting", "aborting grid", "plain", "aborting"),
    Front("lazy", "lazy grid", "plain", "lazy"),
)}
LABELS = {front.name: front.label for front in FRONTS.values()}
# The peers that our promises are compared to; the shorter run has only these.
BEST = ["http2", "tuned"]
PEERS = [front.name for front in FRONTS.values() if not front.is_ours]


@dataclass
class Layout:
    """The positions of the slots in CSS pixels. `top` is the header's height, `edge` the margin beside the grid."""
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
        """The height of the visible part of the grid: a whole number of rows."""
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
    """The pictures that all fronts show."""
    slots: dict[str, int]
    tiles: list[bytes]
    previews: list[bytes]

    def mean(self) -> float:
        return sum(map(len, self.tiles)) / len(self.tiles)


def fetch(ours: Tessera, count: int) -> Pictures:
    """Fetches all tiles and previews from our server, which has them in its caches afterwards."""
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


def files(pictures: Pictures, layout: Layout) -> dict[str, bytes]:
    """The pages, tiles and previews of all peers."""
    found = {f"tiles/{index}.avif": tile for index, tile in enumerate(pictures.tiles)}
    for number, begin in enumerate(range(0, len(pictures.previews), BLOCK)):
        some = pictures.previews[begin : begin + BLOCK]
        some += [b""] * (BLOCK - len(some))
        found[f"previews/{number}.bin"] = struct.pack(f">{BLOCK}H", *map(len, some)) + b"".join(some)
    for name in {FRONTS[name].page for name in PEERS} - {"lazy"}:
        found[f"{name}.html"] = _page("grid.html", layout, SCRIPT=name)
    images = "\n".join(
        f'    <div class="slot" data-index="{index}"><img loading="lazy" decoding="async" width="{layout.tile:g}" '
        f'height="{layout.tile:g}" alt="" src="/tiles/{index}.avif"></div>' for index in range(layout.total))
    found["lazy.html"] = _page("lazy.html", layout, IMAGES=images)
    for file in (*HERE.glob("*.js"), *HERE.glob("*.css")):
        found[file.name] = file.read_bytes()
    return found


def _page(name: str, layout: Layout, **words: str) -> bytes:
    page = (HERE / name).read_text().replace("LAYOUT", layout.style())
    for word, meaning in words.items():
        page = page.replace(word, meaning)
    return page.encode()
