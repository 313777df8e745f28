"""How much data a TCP sender may have in flight: slow start, the cost of losses, and the cost of idle periods. A
plain value without a socket or a clock of its own."""

import math

SEGMENT = 1448
# RFC 6928.
INITIAL = 10 * SEGMENT
LEAST = 2 * SEGMENT
# Linux's minimum allowance for varying round trips (TCP_RTO_MIN): it never times out sooner.
ALLOWANCE = 0.2


class Window:
    """The congestion window of one direction of one connection, in bytes; times and durations in seconds.

    Ten segments may be in flight at first, and each acknowledged one lets two follow:

    >>> window = Window(round_trip=0.1)
    >>> window.sent(0.0, window.room(0.0))
    >>> window.room(0.05)
    0
    >>> for _ in range(10): window.acknowledged(SEGMENT)
    >>> window.room(0.1) // SEGMENT
    20

    It does not grow if the sender uses less than half of it:

    >>> window = Window(round_trip=0.1)
    >>> window.sent(0.0, 4 * SEGMENT); window.acknowledged(4 * SEGMENT)
    >>> window.room(0.1) // SEGMENT
    10

    After a retransmission timeout (RTO) without sending, it starts again (RFC 5681, section 4.1):

    >>> window = Window(round_trip=0.1)
    >>> window.sent(0.0, 10 * SEGMENT); window.acknowledged(10 * SEGMENT)
    >>> window.room(0.29) // SEGMENT, window.room(0.31) // SEGMENT
    (20, 10)

    A loss halves it, at most once per round trip (as Linux does, however little was in flight); from then on each round
    trip adds one segment:

    >>> window = Window(round_trip=0.1)
    >>> window.sent(0.0, 10 * SEGMENT); window.lost(); window.lost(); window.acknowledged(10 * SEGMENT)
    >>> window.room(0.1) // SEGMENT
    5
    >>> window.sent(0.1, 5 * SEGMENT); window.acknowledged(5 * SEGMENT)
    >>> window.room(0.2) // SEGMENT
    6
    >>> window.sent(0.2, 6 * SEGMENT); window.lost(); window.acknowledged(6 * SEGMENT)
    >>> window.room(0.3) // SEGMENT
    3
    """

    __slots__ = ("_timeout", "_size", "_threshold", "_sent", "_acknowledged", "_last", "_most", "_mark", "_recovered")

    def __init__(self, round_trip: float):
        self._timeout = round_trip + ALLOWANCE
        self._size: float = INITIAL
        # Where slow start ends.
        self._threshold = math.inf
        # Bytes so far.
        self._sent = self._acknowledged = 0
        self._last = 0.0
        # The maximum in flight since the byte `_mark` was sent: whether the window limits the sender.
        self._most = self._mark = 0
        # Until this byte is acknowledged, all losses count as one.
        self._recovered = -1

    def room(self, now: float) -> int:
        """How many bytes may be sent now."""
        under_way = self._sent - self._acknowledged
        if under_way == 0 and self._sent and now - self._last > self._timeout and self._size > INITIAL:
            self._threshold = max(self._threshold, 0.75 * self._size)
            self._size = INITIAL
        return max(0, int(self._size) - under_way)

    def sent(self, now: float, size: int):
        self._sent += size
        self._last = now
        under_way = self._sent - self._acknowledged
        if under_way > self._most or self._acknowledged >= self._mark:
            self._most, self._mark = under_way, self._sent

    def acknowledged(self, size: int):
        self._acknowledged += size
        if self._acknowledged <= self._recovered:
            return
        if self._size < self._threshold:
            if self._size <= 2 * self._most:
                self._size = min(self._size + size, max(self._size, self._threshold))
        elif self._most >= self._size - SEGMENT:
            self._size += SEGMENT * size / self._size

    def lost(self):
        """The sender has detected a lost segment."""
        if self._acknowledged < self._recovered:
            return
        self._recovered = self._sent
        self._threshold = self._size = max(LEAST, self._size / 2)


def seconds(size: int, rate: float, round_trip: float) -> float:
    """The seconds from the first to the last byte of `size` over a new window; `rate` is in bits per second.

    480 KB over 20 Mbit/s and 200 ms: five round trips for the first 310 segments, and the rest at the full rate.

    >>> round(seconds(480_000, 20e6, 0.2), 3)
    1.012
    """
    left, window, passed = size, INITIAL, 0.0
    while left > window and window * 8 / rate < round_trip:
        left -= window
        window *= 2
        passed += round_trip
    return passed + left * 8 / rate


def most_with_loss(loss: float, round_trip: float) -> float:
    """The throughput in bytes per second that this loss rate leaves to one connection (Mathis and others, 1997).

    >>> round(most_with_loss(0.02, 0.04))
    313501
    """
    return SEGMENT / round_trip * math.sqrt(1.5 / loss)
