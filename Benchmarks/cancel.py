"""How soon a cancel reaches the origin, and how much is still sent after it."""

import http.client
import socket
import time

import originals
from measuring import percentile
from origins import Origin
from peers import Tessera

ROUNDS = 60


def run(report, options):
    with Origin("hang") as origin:
        names = [f"/{how}-{number}.jpg" for how in ("cancelled", "left") for number in range(ROUNDS)]
        with Tessera(urls=map(origin.url, names)) as ours:
            images = {image["name"]: image["id"] for image in ours.images(2 * ROUNDS)}
            for how, what in (("cancelled", "cancel call"), ("left", "client gone")):
                delays = []
                for number in range(ROUNDS):
                    name = f"{how}-{number}.jpg"
                    leave = cancelled(ours, images[name]) if how == "cancelled" else left(ours, images[name])
                    await_fact(origin, "asked", f"/{name}")
                    moment = time.monotonic()
                    leave()
                    delays.append((await_fact(origin, "closed", f"/{name}") - moment) * 1e3)
                worst = max(delays)
                report.add("cancel", f"{what} to the origin's socket closed, worst", "ms", worst, target="<= 50",
                           holds=worst <= 50, p50=percentile(delays, 0.5), p99=percentile(delays, 0.99), samples=delays)
    bytes_after(report)


def cancelled(ours: Tessera, image: str):
    issued = ours.post("/api/v1/tokens", {"rendition": "tile", "slots": [{"slot": 0, "image": image}]})
    body = {"session": issued["session"], "tokens": [issued["tokens"][0]["token"]]}
    return lambda: ours.post("/api/v1/tokens/cancel", body)


def left(ours: Tessera, image: str):
    connection = http.client.HTTPConnection("127.0.0.1", ours.port)
    connection.request("GET", f"/images/{image}/tile")
    return connection.close


def await_fact(origin: Origin, kind: str, path: str) -> float:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        facts = origin.facts()[kind]
        if path in facts:
            return facts[path]
        time.sleep(0.005)
    raise TimeoutError(f"{path} was never {kind}")


def bytes_after(report):
    """An original that its origin sends slowly: the bytes that arrive after the cancel was acknowledged."""
    file = originals.one_original()
    counts = []
    with Origin("drip", file=str(file), seconds=8, part=16_000) as origin:
        with Tessera(urls=[origin.url(f"/after-{number}.jpg") for number in range(8)]) as ours:
            for image in ours.images(8):
                issued = ours.post(
                    "/api/v1/tokens", {"rendition": "original", "slots": [{"slot": 0, "image": image["id"]}]})
                token = issued["tokens"][0]
                with socket.create_connection(("127.0.0.1", ours.port)) as client:
                    client.sendall(f"GET {token['href']} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                    received = 0
                    while received < 100_000:
                        received += len(client.recv(65536))
                    ours.post("/api/v1/tokens/cancel", {"session": issued["session"], "tokens": [token["token"]]})
                    client.setblocking(False)
                    try:  # Data in flight when the acknowledgement arrived.
                        while client.recv(1 << 20):
                            pass
                    except (BlockingIOError, ConnectionError):
                        pass
                    client.settimeout(1.0)
                    after = 0
                    try:
                        while part := client.recv(1 << 20):
                            after += len(part)
                    except (TimeoutError, ConnectionError):
                        pass
                    counts.append(after)
    report.add("cancel", "body bytes after the acknowledged cancel, most", "bytes", max(counts), target="0",
               holds=max(counts) == 0, samples=counts)
