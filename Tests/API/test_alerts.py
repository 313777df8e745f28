"""Runs the alerting rules over synthetic metrics, with Prometheus's own tool: each alert fires on its failure, none fires on
another's, and none in a quiet hour."""

import re
import subprocess

import pytest
import yaml

import alerts
from gallery import ROOT



def series(name: str, values: str, **more: str) -> dict[str, str]:
    labels = "".join(f',{label}="{value}"' for label, value in more.items())
    return {f'{name}{{instance="node-1:8080",job="tessera"{labels}}}': values}


def buckets(name: str, quick: str, slow: str) -> dict[str, str]:
    """A histogram in which `quick` values took up to 10 ms, and all of them up to 5 s."""
    return {**series(f"{name}_bucket", quick, le="0.01"), **series(f"{name}_bucket", slow, le="5.0"),
            **series(f"{name}_bucket", slow, le="+Inf")}


# A healthy node, every 5 s for two hours. `a+bxn` is n values after a, each greater by b.
HEALTHY = {
    **series("up", "1x1440"), **series("tessera_ready", "1x1440"),
    **series("tessera_http_requests_total", "0+50x1440", route="/images/{id}/{rendition}", method="GET", status="200"),
    **series("tessera_http_requests_total", "0+1x1440", route="/images/{id}/{rendition}", method="GET", status="503"),
    **buckets("tessera_http_response_seconds", "0+50x1440", "0+51x1440"),
    **buckets("tessera_loop_callback_seconds", "0+5000x1440", "0+5001x1440"),
    **series("tessera_loading_refused_total", "7x1440"),
    **series("process_open_fds", "100+1x600 700-1x600 100x240"), **series("process_max_fds", "1024x1440"),
    **series("tessera_worker_calls_confined", "2x1440"), **series("tessera_worker_alive", "2x1440"),
    **series("tessera_worker_deaths_total", "0x700 1x740"), **series("tessera_origin_suspended", "0x700 1x60 0x680"),
    **series("tessera_cluster_connected", "1x1440"), **series("tessera_cluster_full", "0x1440"),
    **series("tessera_cluster_refused_read_only_total", "3x1440"),
    **series("tessera_cluster_refused_no_permission_total", "0x1440"),
    **series("tessera_database_connected", "1x1440"),
    **series("tessera_database_unpublished", "0x700 50000x60 0x680"),
}

# For each alert: how many minutes after the failure it fires, and the series that the failure changes after an hour.
FAILURES = {
    "TesseraDown": (2, series("up", "1x720 0x720")),
    "TesseraNotReady": (6, series("tessera_ready", "1x720 0x720")),
    "TesseraHighErrorRate": (12, series(
        "tessera_http_requests_total", "0+1x720 720+10x720", route="/images/{id}/{rendition}", method="GET", status="503")),
    "TesseraHighLatency": (17, buckets("tessera_http_response_seconds", "0+50x720 36000+10x720", "0+51x720 36720+51x720")),
    "TesseraOverloaded": (7, series("tessera_loading_refused_total", "7x720 7+1x720")),
    "TesseraEventLoopBlocked": (
        12, buckets("tessera_loop_callback_seconds", "0+5000x720 3600000+50x720", "0+5001x720 3600720+60x720")),
    "TesseraFileDescriptorsLow": (6, series("process_open_fds", "100x720 1000x720")),
    "TesseraSandboxDisabled": (0.2, series("tessera_worker_calls_confined", "2x720 0x720")),
    "TesseraWorkersCrashing": (22, series("tessera_worker_deaths_total", "0x720 0+1x720")),
    "TesseraOriginDown": (11, series("tessera_origin_suspended", "0x720 1x720")),
    "TesseraRedisDisconnected": (0.2, series("tessera_cluster_connected", "1x720 0x720")),
    "TesseraRedisReadOnly": (0.2, series("tessera_cluster_refused_read_only_total", "3x720 4+1x720")),
    "TesseraRedisPermissionDenied": (0.2, series("tessera_cluster_refused_no_permission_total", "0x720 1+1x720")),
    "TesseraRedisFull": (0.2, series("tessera_cluster_full", "0x720 1x720")),
    "TesseraDatabaseDisconnected": (0.2, series("tessera_database_connected", "1x720 0x720")),
    "TesseraDatabaseLagging": (31, series("tessera_database_unpublished", "0x720 50000x720")),
}
NAMES = [rule["alert"] for rule in alerts.rules()]
BEGIN = 60


def clock(minutes: float) -> str:
    return f"{round(minutes * 60)}s"


def check(tmp_path, metrics: dict[str, str], expected: dict[float, str | None]):
    """Runs the rules every 5 s. Fails unless exactly the expected alert fires at each moment, in minutes."""
    summaries = {rule["alert"]: rule["annotations"]["runbook"] for rule in alerts.rules()}
    # The tool compares summaries, too, which contain figures: here the rules have only the runbooks.
    plain = yaml.safe_load(alerts.FILE.read_text())
    for rule in (rule for group in plain["groups"] for rule in group["rules"]):
        rule["annotations"] = {"runbook": summaries[rule["alert"]]}
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(plain))
    severities = {rule["alert"]: rule["labels"]["severity"] for rule in alerts.rules()}
    tests = [
        {"eval_time": clock(moment), "alertname": name, "exp_alerts": [{
            "exp_labels": {"instance": "node-1:8080", "job": "tessera", "severity": severities[name]},
            "exp_annotations": {"runbook": summaries[name]}}] if name == firing else []}
        for moment, firing in expected.items() for name in NAMES]
    (tmp_path / "test.yaml").write_text(yaml.safe_dump({
        "rule_files": ["rules.yaml"], "evaluation_interval": "5s",
        "tests": [{"interval": "5s", "input_series": [
            {"series": name, "values": values} for name, values in metrics.items()], "alert_rule_test": tests}]}))
    ran = subprocess.run(["promtool", "test", "rules", "test.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_alert_has_a_failure_that_fires_it():
    assert sorted(NAMES) == sorted(FAILURES) and len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("alert", FAILURES)
def test_an_alert_fires_on_its_failure_and_no_other_alert_does(alert, tmp_path):
    minutes, failure = FAILURES[alert]
    check(tmp_path, {**HEALTHY, **failure}, {BEGIN - 1: None, BEGIN + minutes: alert})


def test_no_alert_fires_in_a_quiet_hour(tmp_path):
    check(tmp_path, HEALTHY, {moment: None for moment in range(5, 115, 5)})


def test_every_runbook_is_a_section_of_the_documentation():
    headings = re.findall(r"^### (\w+)$", (ROOT / "Documentation/operating.md").read_text(), re.MULTILINE)
    for rule in alerts.rules():
        assert rule["annotations"]["runbook"] == f"operating.md#{rule['alert'].lower()}"
        assert rule["alert"] in headings
        assert rule["labels"]["severity"] in ("critical", "warning")


def test_prometheus_accepts_the_rules():
    ran = subprocess.run(["promtool", "check", "rules", alerts.FILE], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0 and f"{len(NAMES)} rules found" in ran.stdout, ran.stdout + ran.stderr
