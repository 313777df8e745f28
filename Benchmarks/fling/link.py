"""A link between a browser and a server: its properties, and the process that implements it (`proxy`)."""

import json
import pathlib
import pickle
import subprocess
import sys
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Conditions:
    """The properties of a link. Without slow start a connection may fill the link at once, which favours fronts that
    open many connections or pause in between."""
    rate: float | None = None
    """Bits a second each way; none: unlimited."""
    round_trip: float = 0.0
    """Seconds."""
    slow_start: bool = False
    """Whether each connection has a congestion window each way (`window`)."""
    loss: float = 0.0
    """The share of segments that are lost, 0 to 1."""
    jitter: float = 0.0
    """Seconds that a segment may be later than another, at most, each way. Within a connection the order stays."""


class Link:
    """A child process that runs `Proxy`. The traffic can be read afterwards, with times (`time.time()`)."""

    def __init__(self, target: int, conditions: Conditions = Conditions()):
        proxy = pathlib.Path(__file__).with_name("proxy.py")
        self._process = subprocess.Popen(
            [sys.executable, str(proxy), json.dumps(dict(target=target, conditions=asdict(conditions)))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = self._answer()

    def _answer(self):
        return pickle.load(self._process.stdout)

    def _ask(self, **words):
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()
        return self._answer()

    def shape(self, conditions: Conditions):
        """Changes the link for bytes that arrive from now on. Congestion windows start again, as after a rest."""
        self._ask(ask="shape", conditions=asdict(conditions))

    def tape(self) -> dict:
        """All traffic since the last call. `connections`: the times at which connections were opened; `passed`:
        (connection, "up" or "down", when it reached the link, when it left the link, bytes); `lost`: lost segments
        and all segments so far; `cpu`: seconds of processor time so far."""
        return self._ask(ask="tape")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
