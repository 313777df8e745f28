"""A Prometheus server with the documentation's alerting rules, which scrapes one node as the documentation says."""

import json
import pathlib
import re
import shutil
import subprocess
import urllib.request

import alerts
from gallery import ROOT, free_port, wait_until

GUIDE = ROOT / "Documentation" / "operating.md"


class Prometheus:
    def __init__(self, folder: pathlib.Path, node: int):
        self.port = free_port()
        folder.mkdir()
        (settings,) = re.findall(r"```yaml\n(global:.*?)```", GUIDE.read_text(), re.S)
        settings = re.sub(r"targets: \[.*?\]", f'targets: ["127.0.0.1:{node}"]', settings)
        settings = settings.replace("alerts.yaml", str(alerts.FILE))
        (folder / "prometheus.yml").write_text(settings)
        program = shutil.which("prometheus")
        assert program, "Prometheus is not installed: run Scripts/install test"
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", program, f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{self.port}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.value("tessera_ready") == 1, "Prometheus to have scraped the node")

    def _ask(self, path: str):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}", timeout=5) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def value(self, metric: str) -> float | None:
        found = (self._ask(f"query?query={metric}") or {}).get("result") or []
        return float(found[0]["value"][1]) if found else None

    @property
    def firing(self) -> set[str]:
        return {alert["labels"]["alertname"] for alert in (self._ask("alerts") or {"alerts": []})["alerts"]
                if alert["state"] == "firing"}

    def close(self):
        self._process.kill()
        self._process.wait(10)
