"""Decrypts TLS 1.3 traffic on the link with the secrets that the browser logs (SSLKEYLOGFILE).

The servers offer one suite, TLS_AES_128_GCM_SHA256. See RFC 8446, section 5.2 for records and 7.3 for keys."""

import ctypes
import hashlib
import hmac
import pathlib
import struct

from fling.flow import Flow

HANDSHAKE, DATA = 22, 23
SET_TAG, TAG = 0x11, 16
CRYPTO = ctypes.CDLL("libcrypto.so.3")
for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm"):
    getattr(CRYPTO, name).restype = ctypes.c_void_p
    getattr(CRYPTO, name).argtypes = []


def secrets(path: pathlib.Path) -> dict[tuple[str, bytes], bytes]:
    """By label and client random."""
    if not path.exists():
        return {}
    lines = [line.split() for line in path.read_text().splitlines()]
    return {(words[0], bytes.fromhex(words[1])): bytes.fromhex(words[2]) for words in lines if len(words) == 3}


class Cipher:
    """Decrypts the records of one direction, in order."""

    def __init__(self, secret: bytes):
        self._key, self._vector = (self._expand(secret, label, size) for label, size in (("key", 16), ("iv", 12)))
        self._context = ctypes.c_void_p(CRYPTO.EVP_CIPHER_CTX_new())
        self._count = 0

    def __del__(self):
        CRYPTO.EVP_CIPHER_CTX_free(self._context)

    @staticmethod
    def _expand(secret: bytes, label: str, size: int) -> bytes:
        info = struct.pack(">HB", size, 6 + len(label)) + b"tls13 " + label.encode() + b"\0"
        return hmac.digest(secret, info + b"\1", hashlib.sha256)[:size]

    def open(self, head: bytes, body: bytes) -> bytes | None:
        """The contents of a record, with its type at the end; None if it was encrypted with another key."""
        nonce = (int.from_bytes(self._vector, "big") ^ self._count).to_bytes(12, "big")
        sealed, tag = body[:-TAG], body[-TAG:]
        plain, length = ctypes.create_string_buffer(len(sealed) + 16), ctypes.c_int()
        CRYPTO.EVP_DecryptInit_ex(self._context, ctypes.c_void_p(CRYPTO.EVP_aes_128_gcm()), None, self._key, nonce)
        CRYPTO.EVP_DecryptUpdate(self._context, None, ctypes.byref(length), head, len(head))
        CRYPTO.EVP_DecryptUpdate(self._context, plain, ctypes.byref(length), sealed, len(sealed))
        CRYPTO.EVP_CIPHER_CTX_ctrl(self._context, SET_TAG, TAG, tag)
        if CRYPTO.EVP_DecryptFinal_ex(self._context, plain, ctypes.byref(ctypes.c_int())) != 1:
            return None
        self._count += 1
        return plain.raw[: len(sealed)].rstrip(b"\0")


def is_tls(data: bytes) -> bool:
    return data[:2] == b"\x16\x03"


def plain(up: Flow, down: Flow, known: dict[tuple[str, bytes], bytes]) -> tuple[Flow, Flow] | None:
    """Both directions of a connection without TLS; None if its secrets are unknown."""
    random = up.data[11:43]
    both = [known.get((f"{side}_TRAFFIC_SECRET_0", random)) for side in ("CLIENT", "SERVER")]
    return None if None in both else (_opened(up, both[0]), _opened(down, both[1]))


def _opened(flow: Flow, secret: bytes) -> Flow:
    cipher, data, found, at = Cipher(secret), flow.data, Flow(), 0
    while at + 5 <= len(data):
        length = struct.unpack_from(">H", data, at + 3)[0]
        if at + 5 + length > len(data):
            break
        # The handshake comes first, and is encrypted with other keys.
        if data[at] == DATA and length > TAG:
            content = cipher.open(data[at : at + 5], data[at + 5 : at + 5 + length])
            if content and content[-1] == DATA:
                flow.copy(at + 5, content[:-1], found)
        at += 5 + length
    return found
