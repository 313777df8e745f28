"""The alerting rules for Prometheus."""

import yaml

from gallery import ROOT

FILE = ROOT / "Documentation/alerts.yaml"


def rules() -> list[dict]:
    return [rule for group in yaml.safe_load(FILE.read_text())["groups"] for rule in group["rules"]]
