"""Checks the operators' documentation against the metrics that the program provides."""

import gzip
import json
import re
import time

import pytest

import alerts
import pictures
from collector import Collector
from gallery import ROOT, Gallery, wait_until
from postgres_server import Postgres
from redis_server import Redis
from store import Store

OPERATING = (ROOT / "Documentation/operating.md").read_text()
NAME = re.compile(r"\btessera_\w+")


def section(title: str) -> str:
    """The text of operating.md under a heading, up to the next one."""
    return OPERATING.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def lines(kind: str, exposition: str) -> dict[str, str]:
    """The contents of the TYPE or HELP lines, by the metric's name."""
    return dict(re.findall(rf"^# {kind} (\S+) (.+)$", exposition, re.MULTILINE))


@pytest.fixture(scope="module")
def exposition(tmp_path_factory) -> str:
    """The metrics, as Prometheus gets them, of a gallery that uses everything: files, tiles ahead, Redis, PostgreSQL, a
    bucket of tiles, notifications and traces."""
    folder = tmp_path_factory.mktemp("metrics")
    pictures.write(folder / "pictures", one__jpg=pictures.encoded("JPEG"))
    redis = Redis(folder / "redis")
    store = Store(buckets=("tiles",))
    postgres = Postgres()
    collector = Collector()
    options = {"TESSERA_NO_EXAMINE": "0", "TESSERA_NO_TILES_AHEAD": "0", "TESSERA_EVENTS_SECRET": "a-secret/of+the=tests"}
    try:
        with Gallery(folder / "pictures", "--open", "--redis", redis.url, "--database", postgres.url(), "--tiles", "s3://tiles",
                     data=folder / "data",
                     **store.environment(), **collector.environment(), **options) as gallery:
            gallery.images(1)
            wait_until(lambda: b"tessera_reading_seconds" in gallery.get("/metrics").body, "the folder to be read", lambda: gallery.log)
            return gallery.get("/metrics").body.decode()
    finally:
        redis.close()
        postgres.close()
        store.close()
        collector.close()


@pytest.fixture(scope="module")
def given(exposition) -> dict[str, str]:
    """The type of each metric, by its name."""
    return lines("TYPE", exposition)


@pytest.fixture(scope="module")
def helps(exposition) -> dict[str, str]:
    """The help text of each metric, by its name."""
    return lines("HELP", exposition)


def unknown(names: set[str], given: dict[str, str]) -> set[str]:
    """The names that no metric has. A histogram is queried through its series."""
    series = {f"{name}_{part}" for name, kind in given.items() if kind == "histogram" for part in ("bucket", "sum", "count")}
    return names - series - {name for name, kind in given.items() if kind != "histogram"}


def test_every_metric_has_its_own_help_text(helps):
    assert len(helps) > 60
    assert {name: text for name, text in helps.items() if not re.fullmatch(r"[A-Z1].{9,}\.", text)} == {}
    assert len(set(helps.values())) == len(helps)


def test_the_metric_prefixes_in_operating_exist(given):
    prefixes = re.findall(r"`(tessera_[a-z_]+_)`", section("Metrics"))
    assert len(prefixes) > 8
    assert [prefix for prefix in prefixes if not any(name.startswith(prefix) for name in given)] == []


def test_alerts_use_existing_metrics(given):
    names = set(NAME.findall(" ".join(rule["expr"] for rule in alerts.rules())))
    assert len(names) > 10
    assert not unknown(names, given)


def test_the_dashboard_uses_existing_metrics(given):
    dashboard = json.loads((ROOT / "Documentation/grafana.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    assert len(expressions) > 60
    # Every expression uses Tessera's metrics.
    assert all(NAME.search(expression) for expression in expressions)
    variables = [one["definition"] for one in dashboard["templating"]["list"] if "definition" in one]
    assert not unknown(set(NAME.findall(" ".join(expressions + variables))), given)


def test_the_dashboard_takes_rates_only_of_counters(given):
    text = (ROOT / "Documentation/grafana.json").read_text()
    rated = set(re.findall(r"rate\((tessera_\w+)", text))
    assert len(rated) > 30
    assert {name for name in rated if given.get(name.removesuffix("_bucket")) not in ("counter", "histogram")} == set()


def test_dashboard_panels_do_not_overlap():
    panels = json.loads((ROOT / "Documentation/grafana.json").read_text())["panels"]
    cells = [
        (x, y) for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])]
    assert len(cells) > 1000 and len(set(cells)) == len(cells)
    assert all(0 <= x < 24 for x, _ in cells)
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_the_process_and_its_version_are_described_under_their_usual_names(exposition):
    values = dict(re.findall(r"^(process_\w+) (\S+)$", exposition, re.MULTILINE))
    assert 5 < float(values["process_open_fds"]) < float(values["process_max_fds"])
    assert 10e6 < float(values["process_resident_memory_bytes"]) < float(values["process_virtual_memory_bytes"])
    assert float(values["process_cpu_seconds_total"]) > 0
    assert 0 < time.time() - float(values["process_start_time_seconds"]) < 600
    assert re.search(r'^tessera_build_info\{version="[^"]+"\} 1$', exposition, re.MULTILINE)
    assert "\ntessera_ready 1\n" in exposition


def test_metrics_are_compressed_for_those_who_accept_it(shared_gallery):
    answer = shared_gallery.ask("GET", "/metrics", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert b"\ntessera_ready 1\n" in gzip.decompress(answer.body)
    assert "Content-Encoding" not in shared_gallery.get("/metrics").headers
