"""Redis or PostgreSQL fails: within 10 s the log and the status give the reason and an alert fires; within 5 s of recovery
the node uses it again."""

import dataclasses
import itertools
import shutil
import time
from collections.abc import Callable

import pytest

import pictures
from certificates import signed_by_itself
from gallery import LOOPBACK, Gallery, wait_until
from prometheus import Prometheus
# Includes fixtures.
from test_cluster import RIGHTS, redis
from test_pooler import pooled

REPORTED_WITHIN, HEALED_WITHIN = 10.0, 5.0


@dataclasses.dataclass
class Outage:
    """How to cause and repair a failure; the alert that fires, the reason in the log, and the reason in the status if it
    differs."""
    fail: Callable
    heal: Callable
    alert: str
    reason: str
    public_reason: str = ""


@pytest.fixture
def node(serve, tmp_path, origin):
    """A node with pictures that nobody has fetched; each request for one uses Redis."""
    (tmp_path / "urls.txt").write_text("".join(origin.url("good", number) + "\n" for number in range(200)))

    def start(*words: str) -> Gallery:
        node = serve(tmp_path / "urls.txt", "--open", *LOOPBACK, *words, data=tmp_path / "data", TESSERA_NO_EXAMINE="0")
        node.images(200)
        return node

    return start


@pytest.fixture
def watched(tmp_path):
    started = []

    def start(node: Gallery) -> Prometheus:
        started.append(Prometheus(tmp_path / "prometheus", node.port))
        return started[-1]

    yield start
    for one in started:
        one.close()


def part(node: Gallery, name: str) -> dict:
    return node.get("/api/v1/status").json[name]


def check(node: Gallery, prometheus: Prometheus, name: str, engine: str, outage: Outage):
    wait_until(lambda: part(node, name)[engine] == "connected", f"{engine} to be used", lambda: node.log)
    images = itertools.cycle(node.page(limit=200)["images"])
    assert prometheus.firing == set()
    known = len(node.log)
    outage.fail()
    failed = time.monotonic()

    def is_reported() -> bool:
        node.tile(next(images))
        figures = part(node, name)
        return (outage.reason in node.log[known:] and outage.alert in prometheus.firing
                and (figures[engine] == "connected" or (outage.public_reason or outage.reason) in figures.get("reason", "")))

    wait_until(is_reported, f"{outage.alert}: {outage.reason}", lambda: f"{prometheus.firing} {part(node, name)} {node.log}")
    took = time.monotonic() - failed
    assert prometheus.firing <= {outage.alert, "TesseraRedisDisconnected"}, "another alert fires"
    outage.heal()
    healed = time.monotonic()
    wait_until(lambda: part(node, name)[engine] == "connected" and not part(node, name)["figures"].get("full"),
               f"{engine} to be used again", lambda: node.log)
    assert took < REPORTED_WITHIN, f"it was reported after {took:.1f} s"
    assert time.monotonic() - healed < HEALED_WITHIN


@pytest.mark.parametrize("failure", ["killed", "frozen", "read-only", "full", "permissions"])
def test_redis(node, watched, redis, failure):
    assert redis.ask("ACL", "SETUSER", "tessera", "on", ">secret", *RIGHTS).startswith(b"+OK")
    away = "TesseraRedisDisconnected"
    outage = {
        "killed": Outage(redis.kill, lambda: (redis.start(), redis.ask("ACL", "SETUSER", "tessera", "on", ">secret", *RIGHTS)),
                         away, "refused"),
        "frozen": Outage(redis.freeze, redis.wake, away, "it did not respond in time"),
        "read-only": Outage(lambda: redis.ask("REPLICAOF", "127.0.0.1", "1"), lambda: redis.ask("REPLICAOF", "NO", "ONE"),
                            "TesseraRedisReadOnly", "it is a read-only replica"),
        "full": Outage(lambda: redis.ask("CONFIG", "SET", "maxmemory", "1"),
                       lambda: redis.ask("CONFIG", "SET", "maxmemory", "64mb"), "TesseraRedisFull", "Redis is full"),
        "permissions": Outage(lambda: redis.ask("ACL", "SETUSER", "tessera", "-set", "-eval", "-evalsha"),
                        lambda: redis.ask("ACL", "SETUSER", "tessera", "+set", "+eval", "+evalsha"),
                        "TesseraRedisPermissionDenied", "NOPERM"),
    }[failure]
    ready = node("--redis", f"redis://tessera:secret@127.0.0.1:{redis.port}")
    check(ready, watched(ready), "cluster", "redis", outage)


@pytest.mark.parametrize("failure", ["password", "authority"])
def test_redis_rejects_a_node_from_the_start(node, watched, redis, tmp_path, failure):
    """The failure exists before the node starts."""
    trusted = tmp_path / "trusted.pem"
    shutil.copy(signed_by_itself(tmp_path, "other"), trusted)
    if failure == "password":
        redis.ask("ACL", "SETUSER", "tessera", "on", ">other", *RIGHTS)
        ready = node("--redis", f"redis://tessera:secret@127.0.0.1:{redis.port}")
        reason, heal = "it rejected AUTH: WRONGPASS", lambda: redis.ask("ACL", "SETUSER", "tessera", ">secret")
    else:
        ready = node("--redis", redis.encrypted_url.split("?")[0] + f"?ca={trusted}")
        reason, heal = "its certificate was rejected", lambda: shutil.copy(redis.certificate, trusted)
    started = time.monotonic()
    prometheus = watched(ready)
    wait_until(lambda: "TesseraRedisDisconnected" in prometheus.firing, "the alert")
    assert time.monotonic() - started < REPORTED_WITHIN + 2, "Prometheus itself takes a moment to start"
    assert reason in ready.log and reason in part(ready, "cluster")["reason"]
    heal()
    healed = time.monotonic()
    wait_until(lambda: part(ready, "cluster")["redis"] == "connected", "Redis to be used", lambda: ready.log)
    assert time.monotonic() - healed < HEALED_WITHIN


@pytest.mark.parametrize("failure", ["killed", "frozen", "read-only", "limit"])
def test_postgres(node, watched, postgres, failure):
    away = "TesseraDatabaseDisconnected"
    url = postgres.url()

    def limited(count: int):
        postgres.ask(f"ALTER ROLE narrow CONNECTION LIMIT {count}")
        postgres.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'narrow'")

    def frozen_writes(value: str):
        postgres.ask(f"ALTER DATABASE tessera SET default_transaction_read_only = {value}")
        postgres.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
                     database="postgres")

    if failure == "limit":
        postgres.ask("DROP ROLE IF EXISTS narrow")
        postgres.ask("CREATE ROLE narrow LOGIN PASSWORD 'hunter2'")
        postgres.ask("GRANT CREATE ON DATABASE tessera TO narrow")
        url = url.replace("//tessera:", "//narrow:")
    outage = {
        "killed": Outage(postgres.kill, postgres.start, away, "Connection refused", "the connection was refused"),
        "frozen": Outage(postgres.freeze, postgres.wake, away, "it did not respond in time"),
        "read-only": Outage(lambda: frozen_writes("on"),
                            lambda: postgres.ask("ALTER DATABASE tessera RESET default_transaction_read_only",
                                                 database="postgres"), away, "read-only", "it accepts no writes"),
        "limit": Outage(lambda: limited(0), lambda: limited(-1), away, "too many connections",
                        "it accepts no more connections"),
    }[failure]
    ready = node("--database", url)
    try:
        check(ready, watched(ready), "database", "postgres", outage)
    finally:
        if failure == "limit":
            ready.stop()
            postgres.ask("DROP OWNED BY narrow")
            postgres.ask("DROP ROLE narrow")


def test_a_pooler_without_dedicated_sessions(node, watched, pooled):
    ready = node("--database", pooled("transaction"))
    prometheus = watched(ready)
    wait_until(lambda: "TesseraDatabaseDisconnected" in prometheus.firing, "the alert")
    assert "set pool_mode = session" in part(ready, "database")["reason"]
