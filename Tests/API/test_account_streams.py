"""Streams of people with accounts: when they end, and whose limits they count for."""

import socket
import time

from accounts import Person, open_stream, set_up
from gallery import wait_until


def opened(gallery, person: Person) -> socket.socket | None:
    """A stream of this person, which is in use; None if it is refused because there are too many."""
    stream = open_stream(gallery, "; ".join(f"{name}={value}" for name, value in person.cookies.items()))
    received = b""
    while b'"type":"session"' not in received and (1013).to_bytes(2) not in received:
        received += stream.recv(65536)
    if (1013).to_bytes(2) not in received:
        return stream
    stream.close()


def test_people_behind_one_address_do_not_share_their_limits_and_devices_of_one_person_do(serve, shared_folder):
    gallery = serve(shared_folder, "--accounts", "--client-streams", 1)
    olga = set_up(gallery)
    mia = olga.invite("member", "mia")
    phone = Person(gallery)
    assert phone.sign_in("mia").status == 201
    first, second = opened(gallery, olga), opened(gallery, mia)
    assert first and second
    assert not opened(gallery, phone) and not opened(gallery, olga)
    first.close()
    # The server has to notice it.
    again = []
    wait_until(lambda: again.append(opened(gallery, olga)) or again[-1], "a place for another stream")
    assert not opened(gallery, phone)
    for stream in (second, again[-1]):
        stream.close()


def test_an_open_stream_ends_when_its_reader_signs_out(gallery, owner):
    member = owner.invite("member", "mia")
    cookie = "; ".join(f"{name}={value}" for name, value in member.cookies.items())
    stream = open_stream(gallery, cookie)
    received = b""
    while b'"type":"session"' not in received:
        received += stream.recv(65536)
    assert received.startswith(b"HTTP/1.1 101")
    start = time.monotonic()
    assert owner.delete(f"/api/v1/people/{member.id}").status == 204
    received = b""
    while (4401).to_bytes(2) not in received:
        piece = stream.recv(65536)
        assert piece, received
        received += piece
    assert time.monotonic() - start < 1
    stream.close()
    with open_stream(gallery, cookie) as refused:
        assert refused.recv(65536).startswith(b"HTTP/1.1 401")
