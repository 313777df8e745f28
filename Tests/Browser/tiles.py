"""Observes a pyramid's tiles, on the stage and on the network."""

PYRAMIDS = "**/images/*/pyramid*"

# The share of the stage covered by tiles with one pixel per screen pixel, and each tile.
READINGS = """(() => {
    const frame = () => document.querySelector('.frame[data-place=current]');
    window.tiles = () => [...frame().querySelectorAll('.frame-tile')].map((image) => {
        const {left, top, width, height} = image.getBoundingClientRect();
        return {left, top, width, height, pixels: [image.naturalWidth, image.naturalHeight],
                ratio: image.naturalWidth / width / devicePixelRatio, alt: image.alt};
    });
    window.covered = () => {
        const box = frame().querySelector('.frame-box').getBoundingClientRect();
        const sharp = tiles().filter(({ratio}) => ratio > 0.99);
        let [all, found] = [0, 0];
        for (let x = 3; x < innerWidth; x += 13) {
            for (let y = 3; y < innerHeight; y += 13) {
                if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
                all += 1;
                found += sharp.some(({left, top, width, height}) =>
                    x >= left && x <= left + width && y >= top && y <= top + height);
            }
        }
        return all > 0 && found / all;
    };
})()"""


def until_covered(front):
    front.until("() => covered() === 1")


class Pieces:
    """A page's requests for pyramids."""

    def __init__(self, page):
        self.ranges: list[tuple[int, int]] = []
        self.ended = 0
        self.aborted = 0
        self.size = 0
        page.on("request", self._request)
        page.on("response", self._response)
        page.on("requestfinished", self._finished)
        page.on("requestfailed", self._failed)

    def _request(self, request):
        if "/pyramid" in request.url:
            self.ranges.append(tuple(map(int, request.headers["range"].removeprefix("bytes=").split("-"))))

    def _response(self, response):
        if "/pyramid" in response.url and response.status == 206:
            self.size = int(response.headers["content-range"].rpartition("/")[2])

    def _finished(self, request):
        self.ended += "/pyramid" in request.url

    def _failed(self, request):
        self.aborted += "/pyramid" in request.url

    @property
    def bytes(self) -> int:
        return sum(min(last, self.size - 1) - first + 1 for first, last in self.ranges)
