"""A thousand clients request one cold original of 5 MB from a slow origin: Tessera compared to Varnish."""

import time
import zlib

import originals
from crowd import Crowd
from measuring import cpu_seconds, median, percentile
from origins import Origin
from peers import Tessera, Varnish

# Slow enough that the crowd itself, which checks five gigabytes, keeps up on two cores.
ROUNDS, SECONDS, PART = 2, 16.0, 16_000
EARLY, LATE, GAP = 900, 100, 0.01


def crowd(peer, path: str, origin: Origin, origin_path: str, expected: bytes) -> dict:
    """900 clients at once request a cold picture, and 100 more one by one once half of it has arrived."""
    before = cpu_seconds(peer.pid)
    start = time.monotonic() + 3  # Both crowds are connected by then.
    early = Crowd(peer.port, path, EARLY, start, nice=5)  # It must not delay the crowd that is timed.
    late = Crowd(peer.port, path, LATE, start + SECONDS / 2, GAP)
    results = {"early": early.result(), "late": late.result()}
    crc = zlib.crc32(expected)
    everyone = results["early"] + results["late"]
    return dict(
        fetches=origin.facts()["counts"].get(origin_path, 0),
        identical=sum(one["status"] == 200 and one["crc"] == crc and one["bytes"] == len(expected) for one in everyone),
        first_early=percentile([one["first"] or 1e3 for one in results["early"]], 0.99) * 1e3,
        first_late=percentile([one["first"] or 1e3 for one in results["late"]], 0.5) * 1e3,
        first_late_p99=percentile([one["first"] or 1e3 for one in results["late"]], 0.99) * 1e3,
        last=percentile([one["last"] or 1e3 for one in results["early"]], 1.0),
        cpu=cpu_seconds(peer.pid) - before,
        details=results)


def run(report, options):
    file = originals.one_original()
    expected = file.read_bytes()
    paths = [f"/original-{number}.jpg" for number in range(2 * ROUNDS)]
    with Origin("drip", file=str(file), seconds=SECONDS, part=PART) as origin:
        with Tessera(urls=[origin.url(path) for path in paths]) as ours, Varnish(origin.port) as varnish:
            images = {image["name"]: image for image in ours.images(len(paths))}
            samples = []
            for number in range(ROUNDS):
                mine, other = paths[2 * number], paths[2 * number + 1]
                image = images[mine.strip("/")]
                samples.append((
                    crowd(ours, f"/images/{image['id']}/original", origin, mine, expected),
                    crowd(varnish, other, origin, other, expected)))

    def both(key: str, choose=median):
        return [choose([sample[peer][key] for sample in samples]) for peer in (0, 1)]

    clients = EARLY + LATE
    fetches, identical = both("fetches", max), both("identical", min)
    details = dict(clients=clients, seconds=SECONDS, bytes=len(expected), samples=[
        [{k: v for k, v in peer.items() if k != "details"} for peer in sample] for sample in samples])
    report.add("coalesce", f"origin fetches for {clients:,} clients", "count", *fetches, "Varnish", "1", fetches[0] == 1, **details)
    report.add("coalesce", "clients with identical bytes", "count", *identical, "Varnish", f"{clients}",
               identical[0] == clients, better="more")
    report.add("coalesce", "first byte, asked at the start, p99", "ms", *both("first_early"), "Varnish")
    first = both("first_late")
    report.add("coalesce", "first byte, joined at half, p50", "ms", *first, "Varnish", "<= 20", first[0] <= 20)
    first = both("first_late_p99")
    report.add("coalesce", "first byte, joined at half, p99", "ms", *first, "Varnish", "<= 20", first[0] <= 20)
    report.add("coalesce", f"last byte of all (the origin takes {SECONDS:g} s)", "s", *both("last"), "Varnish")
    report.add("coalesce", "CPU of the server", "s", *both("cpu"), "Varnish")

