"""An authenticator and the browser around it, for passkeys; keys and signatures by the `openssl` program."""

import base64
import hashlib
import json
import os
import pathlib
import subprocess

KINDS = {-7: ("EC", "ec_paramgen_curve:P-256"), -8: ("ED25519", None), -257: ("RSA", "rsa_keygen_bits:2048")}
USER_PRESENT, USER_VERIFIED, CREDENTIAL_INCLUDED = 1, 4, 0x40


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def openssl(*words, data: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *map(str, words)], input=data, check=True, capture_output=True).stdout


class Authenticator:
    def __init__(self, folder: pathlib.Path, origin: str, algorithm: int = -7):
        self.origin, self.algorithm, self.counter = origin, algorithm, 0
        self.id = os.urandom(16)
        self.folder = folder / self.id.hex()
        self.folder.mkdir(parents=True)
        self.key = self.folder / "key.pem"
        kind, option = KINDS[algorithm]
        openssl("genpkey", "-algorithm", kind, *(["-pkeyopt", option] if option else []), "-out", self.key)
        self.public_key = openssl("pkey", "-in", self.key, "-pubout", "-outform", "DER")

    def sign(self, data: bytes) -> bytes:
        file = self.folder / "data"
        file.write_bytes(data)
        if self.algorithm == -8:
            return openssl("pkeyutl", "-sign", "-inkey", self.key, "-rawin", "-in", file)
        return openssl("dgst", "-sha256", "-sign", self.key, file)

    def _respond(self, type: str, challenge: dict, flags: int, rest: bytes, client: dict) -> tuple[bytes, bytes]:
        told = {"type": type, "challenge": challenge["challenge"], "origin": self.origin, "crossOrigin": False, **client}
        return (json.dumps(told).encode(),
                hashlib.sha256(challenge["rpId"].encode()).digest() + bytes([flags]) + self.counter.to_bytes(4) + rest)

    def create(self, challenge: dict, flags: int = USER_PRESENT | USER_VERIFIED, client: dict = {}, **more) -> dict:
        """The body of a request that adds a passkey. `client` and `more` replace members of the client data and of the body."""
        rest = bytes(16) + len(self.id).to_bytes(2) + self.id + self.public_key
        told, data = self._respond("webauthn.create", challenge, flags | CREDENTIAL_INCLUDED, rest, client)
        return {"name": "phone", "id": encode(self.id), "clientDataJSON": encode(told), "authenticatorData": encode(data),
                "publicKey": encode(self.public_key), "publicKeyAlgorithm": self.algorithm, **more}

    def get(self, challenge: dict, flags: int = USER_PRESENT | USER_VERIFIED, client: dict = {}, **more) -> dict:
        """The body of a request that signs in."""
        told, data = self._respond("webauthn.get", challenge, flags, b"", client)
        signature = self.sign(data + hashlib.sha256(told).digest())
        return {"id": encode(self.id), "clientDataJSON": encode(told), "authenticatorData": encode(data),
                "signature": encode(signature), "userHandle": None, **more}
