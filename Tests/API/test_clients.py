"""One client can use only limited resources, and no other client suffers. Each loopback address is a client."""

import http.client
import json
import os
import socket
import struct

import pytest

from gallery import PATIENCE, run

OTHER = "127.0.0.2"


def connect(gallery, source: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", gallery.port), timeout=PATIENCE, source_address=(source, 0))


def ask(gallery, source: str, method: str, target: str, body=None, **headers: str):
    connection = http.client.HTTPConnection("127.0.0.1", gallery.port, timeout=PATIENCE, source_address=(source, 0))
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, target, text, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def order(gallery, source: str, image: str, slots: int, session: str | None = None) -> dict:
    body = {"rendition": "tile", "slots": [{"slot": slot, "image": image} for slot in range(slots)]}
    if session:
        body["session"] = session
    status, answer = ask(gallery, source, "POST", "/api/v1/tokens", body)
    assert status == 201, answer
    return json.loads(answer)


def stream(gallery, source: str, *lines: str) -> tuple[socket.socket, bytes]:
    """Opens a stream, and returns it with its first frame."""
    opened = connect(gallery, source)
    fields = ["GET /api/v1/stream HTTP/1.1", f"Host: 127.0.0.1:{gallery.port}", "Upgrade: websocket", "Connection: Upgrade",
              "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
              "Sec-WebSocket-Protocol: tessera.v1", *lines]
    opened.sendall(("\r\n".join(fields) + "\r\n\r\n").encode())
    told = b""
    while b"\r\n\r\n" not in told or len(told.split(b"\r\n\r\n", 1)[1]) < 4:
        more = opened.recv(4096)
        assert more, told
        told += more
    assert told.startswith(b"HTTP/1.1 101"), told
    return opened, told.split(b"\r\n\r\n", 1)[1]


def is_answered(connection: socket.socket):
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")


def is_refusal(frame: bytes) -> bool:
    """Whether a frame closes the stream with 1013, "try again later"."""
    return frame[0] == 0x88 and struct.unpack(">H", frame[2:4])[0] == 1013


def test_each_client_has_its_own_limit_of_connections(serve, shared_folder):
    gallery = serve(shared_folder, "--client-connections", 5)
    held = [connect(gallery, OTHER) for _ in range(5)]
    for one in held:  # Waits until each has been accepted.
        is_answered(one)
    sixth = connect(gallery, OTHER)
    refusal = b""
    while more := sixth.recv(4096):
        refusal += more
    assert refusal.startswith(b"HTTP/1.1 429 ") and b"\r\nretry-after: " in refusal.lower()
    assert gallery.get("/healthz").status == 200
    for one in held:
        is_answered(one)


def test_each_client_has_its_own_limit_of_streams(serve, shared_folder):
    gallery = serve(shared_folder, "--client-streams", 3)
    opened = [stream(gallery, OTHER) for _ in range(3)]
    assert not any(is_refusal(frame) for _, frame in opened) and len(opened) == 3
    assert is_refusal(stream(gallery, OTHER)[1])
    assert not is_refusal(stream(gallery, "127.0.0.1")[1])
    assert gallery.get("/api/v1/status").json["streams"]["refused"] == 1


def test_only_trusted_proxies_can_name_the_client(serve, shared_folder):
    gallery = serve(shared_folder, "--open", "--client-streams", 1, "--trusted-proxy", "127.0.0.2")
    first, frame = stream(gallery, OTHER, "X-Forwarded-For: 198.51.100.1")
    second, other = stream(gallery, OTHER, "X-Forwarded-For: 203.0.113.9, 198.51.100.2")
    assert not is_refusal(frame) and not is_refusal(other)
    assert is_refusal(stream(gallery, OTHER, "X-Forwarded-For: 203.0.113.9, 198.51.100.1")[1])
    third, frame = stream(gallery, "127.0.0.1", "X-Forwarded-For: 198.51.100.7")
    assert not is_refusal(frame)
    assert is_refusal(stream(gallery, "127.0.0.1", "X-Forwarded-For: 198.51.100.8")[1])


@pytest.mark.parametrize("words", [("--trusted-proxy", "10.0.0.0/40"), ("--client-streams", "0"), ("--client-connections", "-1")])
def test_an_invalid_limit_is_refused_with_the_name_of_the_option(words, data, shared_folder):
    ended = run("serve", str(shared_folder), *words, data=data)
    assert ended.returncode != 0 and words[0] in ended.stderr, ended.stderr


def test_a_client_that_floods_sessions_and_tokens_does_not_evict_those_of_others(serve, shared_folder):
    gallery = serve(shared_folder)
    image = gallery.images(12)["IMG_0000.jpg"]["id"]
    mine = order(gallery, "127.0.0.1", image, 40)
    before = memory(gallery)
    # More sessions, and twice as many tokens, as one client may hold.
    for _ in range(560):
        order(gallery, OTHER, image, 1)
    for _ in range(80):
        order(gallery, OTHER, image, 500)
    status = gallery.get("/api/v1/status").json
    assert status["sessions"] <= 513
    assert status["tokens"]["issued"] == 40 + 560 + 80 * 500
    tokens = [token["token"] for token in mine["tokens"]]
    answer = gallery.post("/api/v1/tokens/cancel", {"session": mine["session"], "tokens": tokens[20:]})
    assert answer.json == {"cancelled": 20}
    assert gallery.get(mine["tokens"][0]["href"]).status == 200
    assert memory(gallery) - before < 100e6, "40,000 tokens took too much memory"


def memory(gallery) -> float:
    """The server's resident memory, in bytes."""
    with open(f"/proc/{gallery.process.pid}/statm") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
