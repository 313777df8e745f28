"""A collector of OpenTelemetry traces. It accepts OTLP over HTTP in its JSON form, and is strict about it."""

import base64
import http.server
import json
import pathlib
import ssl
import threading
from dataclasses import dataclass, field

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Told


@dataclass
class Span:
    trace: str
    id: str
    parent: str
    name: str
    kind: int
    begin: int
    end: int
    attributes: dict
    status: int
    links: list[str] = field(default_factory=list)


def _in_base64(value):
    """Converts identifiers, which are hexadecimal in OTLP's JSON, to base64 as in Protocol Buffers' JSON."""
    if isinstance(value, list):
        return [_in_base64(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64encode(bytes.fromhex(inner)).decode() if name in ("traceId", "spanId", "parentSpanId") else _in_base64(inner)
        for name, inner in value.items()}


def _value(told):
    return getattr(told, told.WhichOneof("value"))


def read(body: bytes) -> tuple[dict, list[Span]]:
    """Returns the resource's attributes and the spans. Fails on anything malformed."""
    request = json_format.ParseDict(_in_base64(json.loads(body)), ExportTraceServiceRequest())
    resource, spans = {}, []
    for of_resource in request.resource_spans:
        resource = {pair.key: _value(pair.value) for pair in of_resource.resource.attributes}
        for of_scope in of_resource.scope_spans:
            assert of_scope.scope.name == "tessera"
            spans += [_span(told) for told in of_scope.spans]
    return resource, spans


def _span(told: Told) -> Span:
    assert len(told.trace_id) == 16 and len(told.span_id) == 8
    assert told.end_time_unix_nano >= told.start_time_unix_nano > 1_700_000_000_000_000_000
    return Span(
        told.trace_id.hex(), told.span_id.hex(), told.parent_span_id.hex(), told.name, told.kind, told.start_time_unix_nano,
        told.end_time_unix_nano, {pair.key: _value(pair.value) for pair in told.attributes}, told.status.code,
        [link.trace_id.hex() for link in told.links])


class Collector:
    """Listens on loopback until it is closed. `status` is its response status; while `silent` is set, it does not
    respond. With a certificate, whose key is beside it, it uses TLS."""

    def __init__(self, certificate: pathlib.Path | None = None):
        self.silent = threading.Event()
        self.status = 200
        self.resource: dict = {}
        self.headers: dict = {}
        self.paths: set[str] = set()
        self.posts = 0
        self._spans: list[Span] = []
        self._failure: Exception | None = None
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._scheme = "https" if certificate else "http"
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = collector._take(self.path, dict(self.headers), body)
                if collector.silent.is_set():
                    collector._closed.wait()
                    return
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, certificate.with_suffix(".key"))
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a program that should send its traces here, without delay."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "OTEL_BSP_SCHEDULE_DELAY": "50", **more}

    def _take(self, path: str, headers: dict, body: bytes) -> int:
        with self._lock:
            self.posts += 1
            self.paths.add(path)
            self.headers = headers
            if self.status == 200:
                try:
                    self.resource, spans = read(body)
                    self._spans += spans
                except Exception as failure:
                    self._failure = failure
            return self.status

    @property
    def spans(self) -> list[Span]:
        with self._lock:
            if self._failure:
                raise self._failure
            return list(self._spans)

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def close(self):
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
