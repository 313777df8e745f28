"""The last minutes compared to the first after the warm-up."""

import statistics

WINDOW = 10
# The compared values: name, unit, how much more it may be at the end, and which value of a minute counts. For
# fluctuating values that is the minimum, which only rises if something is never released.
COMPARED = [
    ("server", "memory of the server", "MB", 0.05, statistics.median),
    ("tree", "memory with its workers", "MB", 0.05, statistics.median),
    ("descriptors", "descriptors", "", 0, min), ("threads", "threads", "", 0, min)]


def warm_up(minutes: int) -> int:
    """The number of minutes to ignore while caches fill and one-time work is done."""
    return max(1, min(10, minutes // 6))


def compare(minutes: list[dict]) -> list[dict]:
    """For each measure, its values in both windows, and whether the second is within bounds."""
    rest = minutes[warm_up(len(minutes)):]
    length = min(WINDOW, len(rest) // 2)
    if length == 0:
        raise ValueError(f"{len(minutes)} minutes are too few to compare any of them")
    rows = []
    for name, what, unit, allowed, middle in COMPARED:
        first, last = (middle(minute[name] for minute in part) for part in (rest[:length], rest[-length:]))
        rows.append(dict(
            name=name, what=what, unit=unit, first=first, last=last, allowed=allowed, minutes=length,
            holds=last <= first * (1 + allowed)))
    failed = sum(minute["failed"] for minute in minutes)
    rows.append(dict(name="failed", what="requests for a cached tile or a page that failed", unit="", first=0,
                     last=failed, allowed=0, minutes=len(minutes), holds=failed == 0))
    return rows


def told(rows: list[dict]) -> str:
    lines = [f"{'':<50} {'first':>9} {'last':>9}  within"]
    for row in rows:
        allowed = f"{row['allowed']:.0%}" if row["allowed"] else "0"
        what = f"{row['what']} ({row['unit']})" if row["unit"] else row["what"]
        holds = "holds" if row["holds"] else "BROKEN"
        lines.append(f"{what:<50} {row['first']:>9.4g} {row['last']:>9.4g}  {allowed:<4} {holds}")
    return "\n".join(lines)
