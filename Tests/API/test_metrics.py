"""What is documented for operators, against the figures that the program gives."""

import json
import re

import pytest

import pictures
from collector import Collector
from gallery import ROOT, Gallery, wait_until
from postgres_server import Postgres
from redis_server import Redis
from store import Store

OPERATING = (ROOT / "Documentation/operating.md").read_text()
NAME = re.compile(r"\btessera_\w+")


def section(title: str) -> str:
    """The text of operating.md beneath a title, as far as the next."""
    return OPERATING.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def first_column(title: str) -> list[str]:
    """What stands in the first column of the table there, without its head."""
    rows = [line for line in section(title).splitlines() if line.startswith("|")]
    return [row.split(" | ")[0] for row in rows[2:]]


def kinds(gallery: Gallery) -> dict[str, str]:
    return dict(re.findall(r"^# TYPE (\S+) (\S+)$", gallery.get("/metrics").body.decode(), re.MULTILINE))


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> dict[str, str]:
    """The kind of each metric, by its name, of a gallery that has everything: files, tiles ahead, a Redis, a PostgreSQL, a bucket of tiles, a store that tells, and traces."""
    folder = tmp_path_factory.mktemp("metrics")
    pictures.write(folder / "pictures", one__jpg=pictures.encoded("JPEG"))
    redis = Redis(folder / "redis")
    store = Store(buckets=("tiles",))
    postgres = Postgres()
    collector = Collector()
    options = {"TESSERA_NO_EXAMINE": "0", "TESSERA_NO_TILES_AHEAD": "0", "TESSERA_EVENTS_SECRET": "a-secret/of+the=tests"}
    try:
        with Gallery(folder / "pictures", "--redis", redis.url, "--database", postgres.url(), "--tiles", "s3://tiles",
                     data=folder / "data",
                     **store.environment(), **collector.environment(), **options) as gallery:
            gallery.images(1)
            wait_until(lambda: "tessera_reading_seconds" in kinds(gallery), "the folder to be read", lambda: gallery.log)
            return kinds(gallery)
    finally:
        redis.close()
        postgres.close()
        store.close()
        collector.close()


def unknown(names: set[str], given: dict[str, str]) -> set[str]:
    """Those that no metric gives; of a histogram its series are asked for."""
    series = {f"{name}_{part}" for name, kind in given.items() if kind == "histogram" for part in ("bucket", "sum", "count")}
    return names - series - {name for name, kind in given.items() if kind != "histogram"}


def test_operating_names_every_metric_and_no_other(given):
    assert len(given) > 60
    named = ["tessera_" + name for cell in first_column("What the figures mean") for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(given)


def test_alerts_are_of_metrics_that_are_given(given):
    expressions = first_column("When to wake somebody")
    names = set(NAME.findall(" ".join(expressions)))
    assert len(expressions) > 5 and len(names) > 5
    assert not unknown(names, given)


def test_the_dashboard_shows_metrics_that_are_given(given):
    dashboard = json.loads((ROOT / "Documentation/grafana.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    assert len(expressions) > 60
    # Each expression is of Tessera's figures.
    assert all(NAME.search(expression) for expression in expressions)
    variables = [one["definition"] for one in dashboard["templating"]["list"] if "definition" in one]
    assert not unknown(set(NAME.findall(" ".join(expressions + variables))), given)


def test_the_dashboard_takes_rates_of_counters_alone(given):
    text = (ROOT / "Documentation/grafana.json").read_text()
    rated = set(re.findall(r"rate\((tessera_\w+)", text))
    assert len(rated) > 30
    assert {name for name in rated if given.get(name.removesuffix("_bucket")) not in ("counter", "histogram")} == set()


def test_panels_of_the_dashboard_lie_beside_each_other():
    panels = json.loads((ROOT / "Documentation/grafana.json").read_text())["panels"]
    cells = [
        (x, y) for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])]
    assert len(cells) > 1000 and len(set(cells)) == len(cells)
    assert all(0 <= x < 24 for x, _ in cells)
    assert len({panel["id"] for panel in panels}) == len(panels)
