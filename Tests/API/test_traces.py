"""Traces, as an OpenTelemetry collector receives them."""

import time

import pytest

from certificates import signed_by_itself
from collector import Collector
from gallery import run, wait_until

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNRECORDED = PARENT[:-1] + "0"
BY_PROXY = ("--open", "--trusted-proxy", "127.0.0.1")
SERVER, INTERNAL = 2, 1
FAILED = 2


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.close()


def tile(gallery) -> str:
    return gallery.get("/api/v1/images?limit=1").json["images"][0]["links"]["tile"]


def test_an_uncached_tile_is_one_trace_from_the_proxy_to_the_worker(serve, shared_folder, collector):
    gallery = serve(shared_folder, *BY_PROXY, **collector.environment(OTEL_SERVICE_NAME="photos"))
    gallery.images(12)
    link = tile(gallery)
    assert gallery.ask("GET", link, headers={"traceparent": PARENT}).status == 200
    wait_until(lambda: collector.named("load tile"), "the load to be exported", lambda: gallery.log)
    wait_until(lambda: collector.named("GET /images/{id}/{rendition}"), "the request to be exported")
    [request] = collector.named("GET /images/{id}/{rendition}")
    [load] = collector.named("load tile")
    steps = [span for span in collector.spans if span.parent == load.id]
    assert (request.trace, request.parent) == (PARENT.split("-")[1], PARENT.split("-")[2])
    assert request.kind == SERVER and load.kind == INTERNAL
    assert load.parent == request.id
    assert [step.name for step in steps] == ["find", "prepare", "render"]
    assert {span.trace for span in [load, *steps]} == {request.trace}
    assert request.begin <= load.begin <= steps[0].begin and steps[-1].end <= load.end
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["url.path"] == link.partition("?")[0]
    assert collector.resource["service.name"] == "photos"
    assert collector.paths == {"/v1/traces"}


def test_a_cache_hit_is_a_span_only_within_a_callers_trace(serve, shared_folder, collector):
    gallery = serve(shared_folder, *BY_PROXY, **collector.environment())
    gallery.images(12)
    link = tile(gallery)
    for _ in range(3):
        assert gallery.get(link).status == 200
    assert gallery.ask("GET", link, headers={"traceparent": PARENT}).status == 200
    gallery.stop()
    told = collector.named("GET /images/{id}/{rendition}")
    assert [span.trace == PARENT.split("-")[1] for span in told] == [False, True]
    assert len(collector.named("load tile")) == 1


def test_an_untrusted_client_cannot_start_a_trace(serve, shared_folder, collector):
    gallery = serve(shared_folder, **collector.environment(OTEL_TRACES_SAMPLER="parentbased_always_off"))
    gallery.images(12)
    assert gallery.ask("GET", tile(gallery), headers={"traceparent": PARENT}).status == 200
    gallery.stop()
    assert collector.posts == 0


def test_a_request_that_the_proxy_did_not_sample_is_not_recorded(serve, shared_folder, collector):
    gallery = serve(shared_folder, *BY_PROXY, **collector.environment())
    gallery.images(12)
    link = tile(gallery)
    assert gallery.ask("GET", link, headers={"traceparent": UNRECORDED}).status == 200
    assert gallery.get(link.replace("tile", "screen")).status == 200
    gallery.stop()
    assert not collector.named("load tile")
    assert len(collector.named("load screen")) == 1


def test_health_checks_and_query_strings_are_in_no_trace(serve, shared_folder, collector):
    gallery = serve(shared_folder, **collector.environment(OTEL_EXPORTER_OTLP_HEADERS="api-key=secret%20one"))
    for path in ("/healthz", "/readyz", "/metrics"):
        assert gallery.get(path).status == 200
    gallery.images(12)
    assert gallery.get("/api/v1/images?q=private-words").status == 200
    gallery.stop()
    assert {span.name for span in collector.spans} == {"GET /api/v1/images"}
    assert "private-words" not in str(collector.spans)
    assert collector.headers["api-key"] == "secret one"


def test_origin_failures_are_in_the_trace(listed, origin, collector):
    gallery = listed(origin.url("missing"), **collector.environment())
    gallery.images(1)
    gallery.get(tile(gallery))
    wait_until(lambda: collector.named("load tile"), "the load to be exported", lambda: gallery.log)
    [load] = collector.named("load tile")
    assert load.status == FAILED and load.attributes["error.type"] == "404"
    [fetch] = [span for span in collector.spans if span.parent == load.id and span.name == "fetch"]
    assert fetch.attributes["server.address"] == "127.0.0.1"


def figure(gallery, name: str) -> int:
    lines = gallery.get("/metrics").body.decode().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"tessera_trace_{name}_total ")))


def test_a_failing_collector_costs_spans_and_nothing_else(serve, shared_folder, collector):
    collector.status = 400
    gallery = serve(shared_folder, **collector.environment())
    gallery.images(12)
    wait_until(lambda: figure(gallery, "spans_dropped") > 0, "spans to be dropped", lambda: gallery.log)
    assert gallery.get(tile(gallery)).status == 200
    wait_until(lambda: collector.posts > 1, "another post")
    collector.status = 200
    gallery.get("/api/v1/status")
    wait_until(lambda: figure(gallery, "spans_exported") > 0, "spans to be accepted", lambda: gallery.log)
    wait_until(lambda: "accepts traces again" in gallery.log, "the log to report it")
    assert gallery.log.count("rejects some traces") == 1
    assert gallery.stop() == 0


def test_an_unreachable_collector_does_not_delay_a_stop(serve, shared_folder, collector):
    url = collector.url
    collector.close()
    gallery = serve(shared_folder, OTEL_EXPORTER_OTLP_ENDPOINT=url)
    gallery.images(12)
    begun = time.monotonic()
    assert gallery.stop() == 0
    assert time.monotonic() - begun < 8


def test_a_silent_collector_delays_neither_pictures_nor_a_stop(serve, shared_folder, collector):
    collector.silent.set()
    gallery = serve(shared_folder, **collector.environment())
    gallery.images(12)
    wait_until(lambda: collector.posts > 0, "a post to be under way", lambda: gallery.log)
    assert gallery.get(tile(gallery)).status == 200
    begun = time.monotonic()
    assert gallery.stop() == 0
    assert time.monotonic() - begun < 8


def test_a_collector_is_trusted_through_the_configured_certificate(serve, shared_folder, tmp_path):
    certificate = signed_by_itself(tmp_path, "collector", "-addext", "subjectAltName=IP:127.0.0.1")
    collector = Collector(certificate)
    try:
        gallery = serve(shared_folder, **collector.environment())
        gallery.images(12)
        wait_until(lambda: figure(gallery, "spans_dropped") > 0, "spans to be dropped", lambda: gallery.log)
        gallery.stop()
        assert collector.posts == 0
        gallery = serve(shared_folder, **collector.environment(OTEL_EXPORTER_OTLP_CERTIFICATE=str(certificate)))
        gallery.images(12)
        wait_until(lambda: collector.named("GET /api/v1/images"), "spans to be accepted", lambda: gallery.log)
    finally:
        collector.close()


@pytest.mark.parametrize("variable, text, says", [
    ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/json"), ("OTEL_TRACES_SAMPLER", "often", "always_on"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", "http://collector:4318"),
    ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/ca.pem", "cannot be read")])
def test_an_invalid_setting_is_reported_before_the_start(data, shared_folder, variable, text, says):
    refused = run("serve", shared_folder, data=data, **{"OTEL_TRACES_EXPORTER": "otlp", variable: text})
    assert refused.returncode != 0
    assert variable in refused.stderr and says in refused.stderr
