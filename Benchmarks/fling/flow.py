"""The bytes of one direction of one connection, with the times at which they left the link."""

import bisect
from dataclasses import dataclass, field


class Flow:
    def __init__(self):
        self.chunks: list[bytes] = []
        self.ends: list[int] = []
        self.times: list[float] = []
        self._length = 0

    def add(self, left: float, data: bytes):
        """Adds data that left the link at the time `left`."""
        self._length += len(data)
        self.chunks.append(data)
        self.ends.append(self._length)
        self.times.append(left)

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    def when(self, offset: int) -> float:
        """When the byte at `offset` left the link."""
        return self.times[bisect.bisect_right(self.ends, offset)]

    def count(self, begin: int, end: int, since: float, until: float) -> int:
        """How many of the bytes from `begin` to `end` left the link between two times."""
        first = bisect.bisect_left(self.times, since)
        past = bisect.bisect_right(self.times, until)
        low = self.ends[first - 1] if first else 0
        high = self.ends[past - 1] if past else 0
        return max(0, min(end, high) - max(begin, low))

    def copy(self, begin: int, data: bytes, into: "Flow"):
        """Adds `data` to another flow as if it had arrived in place of as many bytes from `begin` on."""
        at, end = begin, begin + len(data)
        chunk = bisect.bisect_right(self.ends, begin)
        while at < end:
            until = min(end, self.ends[chunk])
            into.add(self.times[chunk], data[at - begin : until - begin])
            at, chunk = until, chunk + 1


@dataclass
class Message:
    """One picture on its way down (or a part of it, or the previews of a row in one file)."""
    slot: int | None
    kind: str
    flow: Flow = field(repr=False)
    spans: list[tuple[int, int]]
    """Where its bytes lie in the flow."""

    def bytes_between(self, since: float, until: float) -> int:
        return sum(self.flow.count(begin, end, since, until) for begin, end in self.spans)

    @property
    def first(self) -> float:
        return self.flow.when(self.spans[0][0])

    @property
    def last(self) -> float:
        return self.flow.when(self.spans[-1][1] - 1)
