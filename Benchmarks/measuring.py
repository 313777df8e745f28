"""Measurements of processes, and reports."""

import json
import os
import pathlib
import statistics
import sys
import time

TICK = os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        todo += parents.get(one, [])
    return found


def cpu_seconds(pid: int) -> float:
    """The processor time of a process and its descendants, including those that have ended; with a resolution of a
    hundredth of a second."""
    ticks = 0
    for one in family(pid):
        try:
            fields = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICK


def memory_megabytes(pid: int, what: str = "VmRSS") -> float:
    """The present ("VmRSS") or maximum ("VmHWM") resident memory, in units of 10^6 bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(what + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(what)


def wait_until_idle(pid: int, quiet: float = 1.0, patience: float = 120.0):
    """Waits until a process has been practically idle for `quiet` seconds."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        before = cpu_seconds(pid)
        time.sleep(quiet)
        if cpu_seconds(pid) - before <= 0.02 * quiet:
            return
    raise TimeoutError(f"process {pid} is still busy after {patience} s")


def percentile(values, share: float) -> float:
    """The value that is not exceeded by `share` (0 to 1) of the values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values) -> float:
    return statistics.median(values)


class Report:
    """Collects measures, and prints them as a table of ratios."""

    def __init__(self):
        self.rows: list[dict] = []
        self.attached: dict[str, dict] = {}

    def attach(self, name: str, value: dict):
        """Stores something for the JSON only, not for the table."""
        self.attached[name] = value

    def add(self, benchmark: str, what: str, unit: str, ours: float, peer: float | None = None,
            peer_name: str = "", target: str = "", holds: bool | None = None, better: str | None = None, **details):
        """Adds a line. `details` (all samples, settings) go to the JSON only. `samples` are ours and `peer_samples`
        the peer's, in the row's unit, for `compare`; `better` is "less" or "more", by default what the unit implies."""
        ratio = ours / peer if peer else None
        self.rows.append(dict(
            benchmark=benchmark, what=what, unit=unit, ours=ours, peer=peer, peer_name=peer_name, ratio=ratio,
            target=target, holds=holds, better=better or ("more" if unit.endswith("/s") else "less"), details=details))
        print(self._line(self.rows[-1]), flush=True)

    HEAD = f"{'benchmark':<11} {'what':<46} {'unit':<7} {'ours':>10} {'peer':>10} {'ratio':>6}  target"

    @staticmethod
    def _number(value: float | None) -> str:
        if value is None:
            return "-"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"

    def _line(self, row: dict) -> str:
        verdict = {None: "", True: "met", False: "MISSED"}[row["holds"]]
        peer = self._number(row["peer"])
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        name = f"  ({row['peer_name']})" if row["peer_name"] else ""
        return (f"{row['benchmark']:<11} {row['what']:<46} {row['unit']:<7} {self._number(row['ours']):>10} {peer:>10} "
                f"{ratio:>6}  {row['target']} {verdict}{name}").rstrip()

    def summary(self, path: str):
        print("\n" + self.HEAD)
        for row in self.rows:
            print(self._line(row))
        machine = {"cores": os.cpu_count(), "kernel": os.uname().release, "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        pathlib.Path(path).write_text(json.dumps({"machine": machine, "rows": self.rows, **self.attached}, indent=1) + "\n")
        print(f"\nAll samples: {path}", file=sys.stderr)
