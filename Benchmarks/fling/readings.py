"""Measurements of one fling."""

from dataclasses import dataclass, field

from fling.fronts import Pictures
from fling.motions import Shape
from fling.wire import Tape


@dataclass
class Reading:
    settle: float | None
    """From the last scripted position until every visible slot shows its tile, in seconds. None: not in time."""
    preview: float | None
    """The same, for at least the preview."""
    limit: float
    """One round trip, and the bytes of the visible tiles over the rate."""
    own: int
    seen: int
    """Slots that were looked at in motion, and those of them that showed their own picture."""
    late: int
    """Bytes of pictures that came after the stop, for slots not on screen."""
    unseen: int
    """Bytes of pictures that came since the motion began, for slots not on screen when it had ended."""
    all: int
    opened: int
    """Connections."""
    tasks: list[float]
    """Of the main thread, over 50 milliseconds."""
    blank: int
    """Slots that never showed their tile."""
    way: dict = field(default_factory=dict)
    """Where the time went, in seconds since the stop."""

    @property
    def ratio(self) -> float | None:
        return self.settle / self.limit if self.settle is not None and self.limit else None

    @property
    def share(self) -> float:
        return self.own / self.seen if self.seen else 1.0


def read(told: dict, tape: Tape, shape: Shape, pictures: Pictures) -> Reading:
    began, stopped = told["began"] / 1e3, told["stopped"] / 1e3
    settled = told["settled"] / 1e3 if told["settled"] is not None else None
    previewed = told["previewed"] / 1e3 if told["previewed"] is not None else None
    until = settled or stopped + 60
    visible = range(told["first"], told["last"] + 1)
    messages = tape.messages()
    elsewhere = [message for message in messages if message.slot not in visible]
    tiles = [message for message in messages if message.slot in visible and message.kind == "tile"]
    way = {}
    if tiles:
        way["first tile byte"] = min(one.first for one in tiles) - stopped
        way["last tile byte"] = max(one.last for one in tiles) - stopped
        way["tiles before the stop"] = sum(one.last <= stopped for one in tiles)
    heard = [moment for moment, message in tape.said()
             if message.get("type") == "viewport" and moment > stopped and message.get("first") == visible.start]
    if heard:
        way["server knows"] = heard[0] - stopped
    return Reading(
        settle=settled and settled - stopped,
        preview=previewed and previewed - stopped,
        limit=shape.limit(sum(len(pictures.tiles[slot]) for slot in visible)),
        own=sum(own for own, _ in told["samples"]), seen=sum(wanted for _, wanted in told["samples"]),
        late=sum(message.bytes_between(stopped, until) for message in elsewhere),
        unseen=sum(message.bytes_between(began, until) for message in elsewhere),
        all=sum(message.bytes_between(began, until) for message in messages),
        opened=sum(began <= moment <= until for moment in tape.opened),
        tasks=told["tasks"], blank=told.get("lacking", 0), way=way)
