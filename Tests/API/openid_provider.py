"""An OpenID provider on loopback, whose every answer a test can spoil; keys and signatures by the `openssl` program."""

import base64
import hashlib
import http.server
import json
import pathlib
import secrets
import threading
import time
import urllib.parse

from authenticator import KINDS, encode, openssl

CLIENT, SECRET = "gallery", "a secret: with/signs"


class Key:
    """A key that signs ID tokens."""

    NAMES = {-7: "ES256", -8: "EdDSA", -257: "RS256"}

    def __init__(self, folder: pathlib.Path, algorithm: int = -257):
        self.algorithm, self.name, self.id = algorithm, self.NAMES[algorithm], secrets.token_hex(4)
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{self.id}.pem"
        kind, option = KINDS[algorithm]
        openssl("genpkey", "-algorithm", kind, *(["-pkeyopt", option] if option else []), "-out", self.file)
        self.der = openssl("pkey", "-in", self.file, "-pubout", "-outform", "DER")

    @property
    def published(self) -> dict:
        """The key as a JSON Web Key (RFC 7517). In the DER form, the numbers stand at its end."""
        more = {"kid": self.id, "use": "sig", "alg": self.name}
        if self.algorithm == -257:
            return {"kty": "RSA", "n": encode(self.der[-261:-5]), "e": encode(self.der[-3:]), **more}
        if self.algorithm == -8:
            return {"kty": "OKP", "crv": "Ed25519", "x": encode(self.der[-32:]), **more}
        return {"kty": "EC", "crv": "P-256", "x": encode(self.der[-64:-32]), "y": encode(self.der[-32:]), **more}

    def sign(self, data: bytes) -> bytes:
        file = self.file.with_suffix(".data")
        file.write_bytes(data)
        if self.algorithm == -8:
            return openssl("pkeyutl", "-sign", "-inkey", self.file, "-rawin", "-in", file)
        signature = openssl("dgst", "-sha256", "-sign", self.file, file)
        if self.algorithm == -257:
            return signature
        length = signature[3]
        numbers = signature[4:4 + length], signature[6 + length:]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in numbers)


class Provider:
    """Signs in whoever comes, as `claims` say. Members may be changed between requests."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.keys = [Key(folder)]
        self.claims = {"sub": "1001", "preferred_username": "olga", "groups": ["staff"]}
        self.user_info: dict = {}
        # Replace members of the answers, or leave them out if they are None.
        self.metadata: dict = {}
        self.header: dict = {}
        self.spoil = lambda token: token
        # By path: (status, header fields, body) instead of the usual answer, and seconds to wait before it.
        self.instead: dict[str, tuple[int, dict, bytes]] = {}
        self.delay: dict[str, float] = {}
        self.codes: dict[str, dict] = {}
        self.requests: list[str] = []
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                provider._answer(self, b"")

            def do_POST(self):
                provider._answer(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.stopped = threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def issuer(self) -> str:
        return f"http://localhost:{self.server.server_port}/realm"

    @property
    def options(self) -> tuple[str, ...]:
        return "--oidc-issuer", self.issuer, "--oidc-client-id", CLIENT

    def close(self):
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()

    def rotate(self, algorithm: int = -257):
        self.keys = [Key(self.folder, algorithm)]

    def asked(self, path: str) -> int:
        return self.requests.count(path)

    def _answer(self, handler, body: bytes):
        path, _, query = handler.path.partition("?")
        path = path.removeprefix("/realm")
        self.requests.append(path)
        self.stopped.wait(self.delay.get(path, 0))
        status, fields, answer = self.instead.get(path) or self._respond(path, query, body, handler.headers)
        try:
            handler.send_response(status)
            for name, value in {"Content-Length": str(len(answer)), "Connection": "close", **fields}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(answer)
        except OSError:
            pass

    def _respond(self, path: str, query: str, body: bytes, headers) -> tuple[int, dict, bytes]:
        match path:
            case "/.well-known/openid-configuration":
                return self._json(self._merged({
                    "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                    "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
                    "userinfo_endpoint": f"{self.issuer}/userinfo", "authorization_response_iss_parameter_supported": True,
                }, self.metadata))
            case "/keys":
                return self._json({"keys": [key.published for key in self.keys]})
            case "/authorize":
                return 302, {"Location": self.authorize(query)}, b""
            case "/token":
                return self._exchange(dict(urllib.parse.parse_qsl(body.decode())), headers)
            case "/userinfo":
                assert headers["Authorization"] == "Bearer access"
                return self._json(self.user_info)
        return 404, {}, b""

    def authorize(self, query: str) -> str:
        """Signs the person in, and returns where the browser goes then."""
        asked = dict(urllib.parse.parse_qsl(query, strict_parsing=True))
        assert asked["response_type"] == "code" and asked["client_id"] == CLIENT and "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = {**asked, "claims": dict(self.claims)}
        answer = {"code": code, "state": asked["state"], "iss": self.issuer}
        return asked["redirect_uri"] + "?" + urllib.parse.urlencode(answer)

    def _exchange(self, form: dict, headers) -> tuple[int, dict, bytes]:
        given = "Basic " + base64.b64encode(f"{CLIENT}:{urllib.parse.quote(SECRET, safe='')}".encode()).decode()
        if headers["Authorization"] != given and (headers["Authorization"] or form.get("client_id") != CLIENT):
            return self._json({"error": "invalid_client"}, 401)
        asked = self.codes.pop(form.get("code"), None)
        challenge = encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if asked is None or asked["redirect_uri"] != form.get("redirect_uri") or asked["code_challenge"] != challenge:
            return self._json({"error": "invalid_grant"}, 400)
        token = self.spoil(self.token(asked))
        return self._json({"token_type": "Bearer", "access_token": "access", "id_token": token})

    def token(self, asked: dict, key: Key | None = None) -> str:
        key = key or self.keys[-1]
        now = int(time.time())
        header = self._merged({"alg": key.name, "kid": key.id}, self.header)
        claims = self._merged(
            {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}, asked["claims"])
        text = f"{encode(json.dumps(header).encode())}.{encode(json.dumps(claims).encode())}"
        return f"{text}.{encode(key.sign(text.encode()))}"

    @staticmethod
    def _merged(members: dict, changes: dict) -> dict:
        return {name: value for name, value in {**members, **changes}.items() if value is not None}

    @staticmethod
    def _json(value, status: int = 200) -> tuple[int, dict, bytes]:
        return status, {"Content-Type": "application/json"}, json.dumps(value).encode()
