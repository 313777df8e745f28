"""Two hundred origins that never respond: the latency of cached and local tiles with and without them."""

import http.client
import time

import originals
from measuring import median, percentile
from origins import Origin
from peers import Tessera

# Many short rounds, so that other load on the machine affects both states equally.
HUNG, ROUNDS, CACHED, LOCAL = 200, 8, 2000, 100


def timed(connection: http.client.HTTPConnection, target: str) -> float:
    start = time.perf_counter()
    connection.request("GET", target, headers={"Accept": "image/jpeg"})
    response = connection.getresponse()
    response.read()
    if response.status != 200:
        raise RuntimeError(f"{target}: {response.status}")
    return (time.perf_counter() - start) * 1e3


def run(report, options):
    folder = originals.small_pictures(2 * ROUNDS * LOCAL + 50)
    hosts = [f"127.0.1.{number}" for number in range(1, HUNG + 1)]
    with Origin("hang", hosts=["127.0.0.1", *hosts]) as origin:
        with Tessera(folder, urls=[origin.url("/hung.jpg", host) for host in hosts]) as ours:
            images = ours.images(HUNG + 2 * ROUNDS * LOCAL + 50)
            hung = [image["id"] for image in images if image["name"] == "hung.jpg"]
            local = [image["id"] for image in images if image["name"] != "hung.jpg"]
            cached, cold = local[:50], local[50:]
            connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)
            for image in cached:
                timed(connection, f"/images/{image}/tile")
            samples: dict[str, list[list[float]]] = {"idle": [[], []], "hung": [[], []]}
            for number in range(2 * ROUNDS):
                state = ("idle", "hung")[number % 2]
                session = waiting_for(ours, hung, origin) if state == "hung" else None
                samples[state][0].append(percentile(
                    [timed(connection, f"/images/{cached[n % 50]}/tile") for n in range(CACHED)], 0.99))
                samples[state][1].append(percentile(
                    [timed(connection, f"/images/{cold.pop()}/tile") for _ in range(LOCAL)], 0.99))
                if session:
                    ours.post("/api/v1/tokens/cancel", session)
    for number, what in enumerate(("cached tiles", "local tiles, cold")):
        busy, idle = (median(samples[state][number]) for state in ("hung", "idle"))
        report.add("latency", f"p99 of {what}, {HUNG} origins hung", "ms", busy, idle, "idle", "ratio <= 1.1",
                   busy <= 1.1 * idle, samples=samples["hung"][number], idle=samples["idle"][number])


def waiting_for(ours: Tessera, images: list[str], origin: Origin) -> dict:
    """Issues tokens for pictures that never arrive, and waits until the server is waiting for them. Returns the body
    that cancels them."""
    known = sum(origin.facts()["counts"].values())
    issued = ours.post("/api/v1/tokens", {
        "rendition": "tile", "slots": [{"slot": n, "image": image} for n, image in enumerate(images)]})
    # The server decides how many requests it sends at a time: wait until it sends no more.
    while True:
        time.sleep(0.3)
        now = sum(origin.facts()["counts"].values())
        if now == known:
            break
        known = now
    return {"session": issued["session"], "tokens": [token["token"] for token in issued["tokens"]]}
