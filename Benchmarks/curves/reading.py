"""Many pages that read in one process, each with the same steady script, out of step with each other."""

import heapq
import json
import random
import select
import sys
import time

from curves.page import PERIOD, RUN, SLOTS, Page

PATIENCE = 60.0


class Reading:
    """All pages, on one thread."""

    def __init__(self, settings: dict):
        self.pages = [Page(number, settings["port"], settings["runs"]) for number in range(settings["streams"])]
        self._poll = select.epoll()
        self._by_descriptor = {page.socket.fileno(): page for page in self.pages}
        # When pages with something to acknowledge may do so.
        self._owing: dict[int, float] = {}
        for descriptor in self._by_descriptor:
            self._poll.register(descriptor, select.EPOLLIN)
        self._buffer = memoryview(bytearray(1 << 18))
        self._due: list[tuple[float, int]] = []
        self._scripts = [page.script() for page in self.pages]
        # How many seconds late each step was: if this is large, the measurement is about this process.
        self.late: list[float] = []

    def turn(self, until: float):
        """Reads, acknowledges and performs what is due, until the given time."""
        while (now := time.monotonic()) < until:
            while self._due and self._due[0][0] <= now:
                when, number = heapq.heappop(self._due)
                self.late.append(now - when)
                heapq.heappush(self._due, (when + next(self._scripts[number]), number))
            for number in [number for number, when in self._owing.items() if when <= now]:
                del self._owing[number]
                self.pages[number].tell(now)
            wake = min([until, *self._owing.values(), *(when for when, _ in self._due[:1])])
            for descriptor, _ in self._poll.poll(max(0.0, wake - time.monotonic()), 64):
                page = self._by_descriptor[descriptor]
                page.read(self._buffer)
                if page.number not in self._owing and (when := page.tell(time.monotonic())):
                    self._owing[page.number] = when

    def warm(self, runs: list[int]):
        """Displays everything once that will be displayed later, so that it is in the server's memory."""
        page = self.pages[0]
        for first in runs:
            page.jump(first, RUN)
            deadline = time.monotonic() + PATIENCE
            while page.missing:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{len(page.missing)} tiles of slot {first} on do not come")
                self.turn(time.monotonic() + 0.02)

    def rest(self):
        for page in self.pages:
            page.view(page.runs[page.number % len(page.runs)] + RUN - SLOTS)
        self.turn(time.monotonic() + 1)

    def begin(self):
        chance, now = random.Random(7), time.monotonic()
        for page in self.pages:
            heapq.heappush(self._due, (now + chance.uniform(0, PERIOD), page.number))

    def forget(self):
        self.late.clear()
        for page in self.pages:
            page.settles.clear()
            page.tiles = page.previews = 0

    def told(self) -> dict:
        return dict(settles=[one for page in self.pages for one in page.settles],
                    tiles=sum(page.tiles for page in self.pages), previews=sum(page.previews for page in self.pages),
                    late=self.late)


def main(settings: dict):
    """Prints "open" with all streams at rest, and waits for a line; prints "reading" once all scripts run; and
    finally the results."""
    reading = Reading(settings)
    if settings["warm"]:
        reading.warm(settings["runs"])
        print("warm", flush=True)
        return
    reading.rest()
    print("open", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        reading.turn(time.monotonic() + 0.1)
    reading.begin()
    reading.turn(time.monotonic() + PERIOD)
    reading.forget()
    print("reading", flush=True)
    used, since = time.process_time(), time.monotonic()
    reading.turn(since + settings["seconds"])
    seconds = time.monotonic() - since
    print(json.dumps(reading.told() | {"cpu": time.process_time() - used, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
