"""Pictures from an origin with a certificate, by a name that is looked up from inside the container."""

import http.server
import os
import pathlib
import socket
import ssl
import struct
import subprocess
import threading

import pytest

import pictures
from certificates import signed_by_itself
from gallery import LOOPBACK

# Reserved for tests (RFC 6761). The library that looks names up asks port 53 alone.
NAME, NAME_SERVER = "pictures.test", ("127.0.0.53", 53)


def answer(question: bytes) -> bytes:
    """Of a name server that knows one name: its address is 127.0.0.1, and it has none of IPv6 (RFC 1035)."""
    end = 12
    labels = []
    while question[end]:
        labels.append(question[end + 1:end + 1 + question[end]].decode())
        end += 1 + question[end]
    kind = struct.unpack_from(">H", question, end + 1)[0]
    known = ".".join(labels).lower() == NAME
    records = [struct.pack(">HHHIH4s", 0xC00C, 1, 1, 60, 4, bytes([127, 0, 0, 1]))] if known and kind == 1 else []
    head = question[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, len(records), 0, 0)
    return head + question[12:end + 5] + b"".join(records)


@pytest.fixture
def name_server():
    """The names that were asked for."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        try:
            server.bind(NAME_SERVER)
        except PermissionError:
            pytest.skip("only root may serve names on port 53")
        asked = []

        def serve():
            while True:
                try:
                    question, sender = server.recvfrom(1500)
                except OSError:
                    return
                if len(question) < 17:
                    return
                asked.append(question)
                server.sendto(answer(question), sender)

        thread = threading.Thread(target=serve)
        thread.start()
        yield asked
        server.sendto(b"end", NAME_SERVER)
        thread.join()


@pytest.fixture
def origin(tmp_path):
    """An origin that speaks TLS: its URL, and the authority that vouches for it."""
    folder = tmp_path / "tls"
    folder.mkdir()
    ours = signed_by_itself(folder, "ours")
    (folder / "names").write_text(f"subjectAltName=DNS:{NAME}\n")
    openssl = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={NAME}",
               "-keyout", folder / "origin.key", "-out", folder / "origin.csr"]
    subprocess.run(openssl, check=True, capture_output=True)
    subprocess.run(
        ["openssl", "x509", "-req", "-in", folder / "origin.csr", "-CA", ours, "-CAkey", folder / "ours.key",
         "-CAcreateserial", "-days", "2", "-extfile", folder / "names", "-out", folder / "origin.pem"],
        check=True, capture_output=True)

    class Pictures(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = pictures.encoded("JPEG", seed=5)
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "origin.pem", folder / "origin.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"https://{NAME}:{server.server_port}/a.jpg", ours
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def fetch(tmp_path, serve, name_server, origin):
    """What becomes of the picture, with these authorities in place of the image's own, or beside them."""
    url, _ = origin

    def ask(authorities: pathlib.Path | None, at: str = "ca-certificates.crt"):
        listed, resolver = tmp_path / "urls.txt", tmp_path / "resolv.conf"
        listed.write_text(url + "\n")
        resolver.write_text(f"nameserver {NAME_SERVER[0]}\n")
        mounts = [f"{resolver}:/etc/resolv.conf:ro"]
        if authorities:
            mounts.append(f"{authorities}:/etc/ssl/certs/{at}:ro")
        gallery = serve(listed, *LOOPBACK, mounts=mounts)
        return gallery.tile(next(iter(gallery.images(1).values())))

    return ask


def test_a_picture_comes_over_tls_from_a_name(fetch, origin, name_server):
    assert fetch(origin[1]).status == 200
    assert name_server


def test_an_authority_is_believed_beside_the_public_ones_under_its_hash(fetch, origin):
    named = ["openssl", "x509", "-noout", "-hash", "-in", origin[1]]
    name = subprocess.run(named, check=True, capture_output=True, text=True).stdout.strip()
    assert fetch(origin[1], at=f"{name}.0").status == 200


def test_an_origin_for_which_no_public_authority_vouches_is_refused(fetch):
    answer = fetch(None)
    assert answer.is_problem(502, 504)
    assert "no trustworthy certificate" in answer.json["detail"]


def test_an_origin_for_which_another_authority_vouches_is_refused(fetch, tmp_path):
    answer = fetch(signed_by_itself(tmp_path, "another"))
    assert answer.is_problem(502, 504)
    assert "no trustworthy certificate" in answer.json["detail"]
