"""An S3-compatible store on loopback, which verifies signatures, and whose pages and failures tests control."""

import datetime
import email.utils
import hashlib
import hmac
import http.server
import socketserver
import threading
import urllib.parse
import xml.sax.saxutils

import pictures

ACCESS, SECRET = "AKIATESTS", "a-secret/of+tests"


class Refused(Exception):
    def __init__(self, status: int, code: str, more: str = "", **headers: str):
        self.status, self.code, self.more, self.headers = status, code, more, headers


class Store:
    """One or more buckets. Use `put` to add objects; `asked` records the requests."""

    def __init__(self, buckets=("pictures",), page: int = 1000, region: str = "us-east-1", port: int = 0):
        self.buckets: dict[str, dict[str, tuple[bytes, float]]] = {name: {} for name in buckets}
        self.page, self.region = page, region
        self.keys = {ACCESS: (SECRET, None)}
        self.encodes = True
        self.answers = []  # Each takes (handler, is a listing), and returns whether it has responded.
        self.asked: list[str] = []
        self.puts: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.condition = threading.Condition()
        self.server = Server(("127.0.0.1", port), Handler)
        self.server.store = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self, **more: str) -> dict[str, str]:
        return {"AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true",
                "TESSERA_ENDPOINT": self.endpoint, **more}

    def put(self, key: str, body: bytes | None = None, modified: float = 1_700_000_000, bucket: str = "pictures"):
        self.buckets[bucket][key] = (pictures.encoded("JPEG", seed=len(key)) if body is None else body, modified)

    def listings(self) -> list[str]:
        with self.condition:
            return [target for target in self.asked if "list-type=2" in target]

    def whole_listings(self) -> list[str]:
        """The listings, without lookups of single objects."""
        return [target for target in self.listings() if "max-keys=1&" not in target]

    def times_fetched(self, key: str) -> int:
        with self.condition:
            return sum(urllib.parse.unquote(target.partition("?")[0]).endswith("/" + key) for target in self.asked)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def log_message(self, *_):
        pass

    @property
    def store(self) -> Store:
        return self.server.store

    def do_PUT(self):
        store = self.store
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with store.condition:
            store.puts.append(self.path)
            store.condition.notify_all()
        try:
            if any(answer(self, False) for answer in list(store.answers)):
                return
            self.check_signature(self.path, "")
            if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
                raise Refused(400, "XAmzContentSHA256Mismatch")
            bucket, _, key = self.path[1:].partition("/")
            if bucket not in store.buckets:
                raise Refused(404, "NoSuchBucket")
            store.put(urllib.parse.unquote(key), body, bucket=bucket)
            self.answer(200, b"", "text/plain", ETag=entity_tag(body))
        except Refused as refusal:
            self.refuse(refusal)

    def do_GET(self):
        store = self.store
        path, _, query = self.path.partition("?")
        listing = "list-type=2" in query
        with store.condition:
            store.asked.append(self.path)
            store.heads.append({name.lower(): value for name, value in self.headers.items()})
            store.condition.notify_all()
        try:
            if any(answer(self, listing) for answer in list(store.answers)):
                return
            self.check_signature(path, query)
            host = self.headers["Host"].partition(":")[0]
            if host.endswith(".localhost"):
                path = f"/{host.partition('.')[0]}{path}"
            bucket, _, key = path[1:].partition("/")
            if bucket not in store.buckets:
                raise Refused(404, "NoSuchBucket")
            if listing:
                self.list(store.buckets[bucket], bucket, dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
            else:
                self.send_object(store.buckets[bucket], urllib.parse.unquote(key))
        except Refused as refusal:
            self.refuse(refusal)

    def refuse(self, refusal: Refused):
        body = (f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{refusal.code}</Code><Message>No.</Message>'
                f"{refusal.more}<RequestId>1</RequestId></Error>").encode()
        self.answer(refusal.status, body, "application/xml", **refusal.headers)

    def answer(self, status: int, body: bytes, type: str, **headers: str):
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def check_signature(self, path: str, query: str):
        """Verifies AWS Signature Version 4 from what was received."""
        given = self.headers.get("Authorization", "")
        if not given.startswith("AWS4-HMAC-SHA256 "):
            raise Refused(403, "AccessDenied")
        parts = dict(part.strip().split("=", 1) for part in given.split(" ", 1)[1].split(","))
        access, date, region, service, _ = parts["Credential"].split("/")
        if access not in self.store.keys:
            raise Refused(403, "InvalidAccessKeyId")
        secret, token = self.store.keys[access]
        if token is not None and self.headers.get("x-amz-security-token") != token:
            raise Refused(400, "ExpiredToken")
        if region != self.store.region:
            raise Refused(400, "AuthorizationHeaderMalformed", f"<Region>{self.store.region}</Region>")
        moment = datetime.datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")
        if abs((datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - moment).total_seconds()) > 900:
            raise Refused(403, "RequestTimeTooSkewed")
        names = parts["SignedHeaders"].split(";")
        assert {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names), names
        if token is not None:
            assert "x-amz-security-token" in names
        pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
        encoded = "&".join(f"{quote(name)}={quote(value)}" for name, value in pairs)
        canonical = "\n".join([
            self.command, quote(urllib.parse.unquote(path), "/"), encoded,
            *(f"{name}:{' '.join(self.headers[name].split())}" for name in names), "", ";".join(names),
            self.headers["x-amz-content-sha256"]])
        scope = f"{date}/{region}/{service}/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"AWS4" + secret.encode()
        for word in (date, region, service, "aws4_request"):
            key = hmac.digest(key, word.encode(), "sha256")
        if not hmac.compare_digest(hmac.new(key, text.encode(), "sha256").hexdigest(), parts["Signature"]):
            raise Refused(403, "SignatureDoesNotMatch")

    def list(self, objects: dict, bucket: str, query: dict[str, str]):
        prefix = query.get("prefix", "")
        after = token_key(query["continuation-token"]) if "continuation-token" in query else ""
        # Stores sort keys by their bytes.
        keys = [key for key in sorted(list(objects), key=str.encode)
                if key.startswith(prefix) and key.encode() > after.encode()]
        page = keys[:min(self.store.page, int(query["max-keys"]))]
        encodes = self.store.encodes and query.get("encoding-type") == "url"
        write = (lambda key: urllib.parse.quote_plus(key, safe="/")) if encodes else xml.sax.saxutils.escape
        rows = "".join(row(write(key), *objects[key]) for key in page)
        more = (f"<NextContinuationToken>{key_token(page[-1])}</NextContinuationToken>"
                if len(page) < len(keys) else "")
        self.answer(200, (
            '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{bucket}</Name><Prefix>{write(prefix)}</Prefix>{more}<KeyCount>{len(page)}</KeyCount>"
            f"<MaxKeys>1000</MaxKeys>{'<EncodingType>url</EncodingType>' if encodes else ''}"
            f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>{rows}</ListBucketResult>").encode(),
            "application/xml")

    def send_object(self, objects: dict, key: str):
        if key not in objects:
            raise Refused(404, "NoSuchKey")
        body, modified = objects[key]
        tag = entity_tag(body)
        if self.headers.get("If-None-Match") == tag:
            self.send_response(304)
            self.send_header("ETag", tag)
            self.end_headers()
            return
        status, more = 200, {}
        if self.headers.get("Range") and self.headers.get("If-Range", tag) == tag:
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            status, more = 206, {"Content_Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
            body = body[start:]
        self.answer(status, body, "image/jpeg", ETag=tag, Accept_Ranges="bytes",
                    Last_Modified=email.utils.formatdate(modified, usegmt=True), **more)


def quote(text: str, safe: str = "") -> str:
    return urllib.parse.quote(text, safe=safe + "-_.~")


def key_token(key: str) -> str:
    """An opaque token with the special characters that real ones have."""
    return "1=" + key.encode().hex() + "/+=="


def token_key(token: str) -> str:
    assert token.startswith("1=") and token.endswith("/+=="), f"the token was changed: {token}"
    return bytes.fromhex(token[2:-4]).decode()


def entity_tag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def row(key: str, body: bytes, modified: float) -> str:
    moment = datetime.datetime.fromtimestamp(modified, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return (f"<Contents><Key>{key}</Key><LastModified>{moment}</LastModified>"
            f"<ETag>{xml.sax.saxutils.escape(entity_tag(body), {chr(34): '&quot;'})}</ETag><Size>{len(body)}</Size>"
            "<StorageClass>STANDARD</StorageClass></Contents>")
