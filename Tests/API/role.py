"""Services that issue a role's credentials: the machine's metadata service (version 2) and the container's."""

import datetime
import http.server
import json
import threading


class Role:
    def __init__(self, *credentials: tuple[str, str, str, float]):
        """Each of `credentials` is a key, a secret, a token and its lifetime in seconds; the last is reused."""
        self.credentials = list(credentials)
        self.asked: list[str] = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.role = self
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self) -> bytes:
        access, secret, token, lasts = self.credentials.pop(0) if len(self.credentials) > 1 else self.credentials[0]
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=lasts)
        return json.dumps({"Code": "Success", "AccessKeyId": access, "SecretAccessKey": secret, "Token": token,
                           "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ")}).encode()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    roles = "/latest/meta-data/iam/security-credentials/"

    def log_message(self, *_):
        pass

    def answer(self, body: bytes, status: int = 200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        isToken = self.path == "/latest/api/token" and "X-aws-ec2-metadata-token-ttl-seconds" in self.headers
        self.answer(b"metadata-token", 200 if isToken else 400)

    def do_GET(self):
        role = self.server.role
        role.asked.append(self.path)
        if self.path == "/container" and self.headers.get("Authorization") == "container-token":
            return self.answer(role.next())
        if self.headers.get("X-aws-ec2-metadata-token") != "metadata-token":
            return self.answer(b"", 401)
        if self.path == self.roles:
            return self.answer(b"the-role\n")
        self.answer(*((role.next(), 200) if self.path == self.roles + "the-role" else (b"", 404)))
