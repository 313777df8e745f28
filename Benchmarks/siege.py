"""One hostile client of each kind: what another client notices of it, and what it costs in memory."""

import json
import pathlib
import resource
import subprocess
import sys
import time

import originals
from attacker import KINDS
from latency import timed
from measuring import memory_megabytes, median, percentile
from peers import Tessera
import http.client

# The pictures that the other client displays for the first time come after those that the hostile one requests.
PICTURES, HOSTILE, VIEWPORT = 6_000, 4_000, 40
ROUNDS, CACHED = 5, 600


def run(report, options):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    folder = originals.small_pictures(PICTURES)
    alone = measured(folder, [])
    report.add("siege", "nobody: p99 of cached tiles", "ms", alone["p99"], memory=alone["memory"])
    report.add("siege", f"nobody: viewport of {VIEWPORT} cold tiles", "ms", alone["settle"], samples=alone["samples"])
    for kinds in [[kind] for kind in KINDS] + [KINDS]:
        name = kinds[0] if len(kinds) == 1 else "all"
        found = measured(folder, kinds)
        for figure, what in (("p99", "p99 of cached tiles"), ("settle", "cold viewport")):
            report.add("siege", f"{name}: {what}", "ms", found[figure], alone[figure], "alone", "ratio <= 1.5",
                       found[figure] <= 1.5 * alone[figure], samples=found["samples"])
        report.add("siege", f"{name}: memory of the server", "MB", found["memory"], target="<= 200",
                   holds=found["memory"] <= 200)


def measured(folder: pathlib.Path, kinds: list[str]) -> dict:
    with Tessera(folder) as ours:
        images = [image["id"] for image in ours.images(PICTURES)]
        cold = images[HOSTILE + 60:]
        attacker = None
        if kinds:
            attacker = subprocess.Popen(
                [sys.executable, str(pathlib.Path(__file__).with_name("attacker.py"))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            attacker.stdin.write(json.dumps(dict(port=ours.port, images=images[:HOSTILE], kinds=kinds)) + "\n")
            attacker.stdin.flush()
            attacker.stdout.readline()
        try:
            time.sleep(5)  # until it has all that it can get
            connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)
            cached = images[HOSTILE:HOSTILE + 40]
            for image in cached:
                timed(connection, f"/images/{image}/tile")
            tails, settles = [], []
            for _ in range(ROUNDS):
                tails.append(percentile([timed(connection, f"/images/{cached[n % 40]}/tile") for n in range(CACHED)], 0.99))
                viewport, cold = cold[:VIEWPORT], cold[VIEWPORT:]
                settles.append(settled(ours, viewport))
        finally:
            if attacker:
                attacker.kill()
                attacker.wait()
        return dict(p99=median(tails), settle=median(settles), memory=memory_megabytes(ours.pid, "VmHWM"),
                    samples=dict(p99=tails, settle=settles))


def settled(ours: Tessera, images: list[str]) -> float:
    """The milliseconds until tokens for a viewport are requested and all its tiles have arrived, over one
    connection."""
    connection = http.client.HTTPConnection("127.0.0.1", ours.port, timeout=60)
    begun = time.monotonic()
    body = json.dumps({"slots": [{"slot": slot, "image": image} for slot, image in enumerate(images)]})
    connection.request("POST", "/api/v1/tokens", body, {"Content-Type": "application/json", "Accept": "image/jpeg"})
    issued = json.loads(connection.getresponse().read())
    for token in issued["tokens"]:
        connection.request("GET", token["href"])
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise RuntimeError(f"{token['href']}: {response.status}")
    return (time.monotonic() - begun) * 1e3
