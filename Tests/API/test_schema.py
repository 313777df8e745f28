"""The OpenAPI document is complete and correct: generated requests, valid or not, get the documented responses."""

import os
import pathlib
import subprocess
import sys

import pytest

from gallery import Gallery

HERE = pathlib.Path(__file__).parent
SECRET = "a-secret-of-the-schema"
EXAMPLES = os.environ.get("TESSERA_SCHEMA_EXAMPLES", "25")


@pytest.fixture(params=["demo", "folder"])
def described(request, tmp_path, shared_folder):
    words, command = {
        "demo": (("--count", 300, "--latency", 5, "--fail", 0.02, "--hang", 0), "demo"),
        "folder": ((shared_folder,), "serve"),
    }[request.param]
    with Gallery(*words, data=tmp_path / "data", command=command, TESSERA_EVENTS_SECRET=SECRET) as gallery:
        gallery.images(12)
        yield gallery


@pytest.mark.timeout(450)
def test_every_response_matches_the_document(described, tmp_path):
    ids = ",".join(image["id"] for image in described.page(limit=12)["images"])
    result = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml"), "run",
         f"http://127.0.0.1:{described.port}/api/openapi.json", "--url", f"http://127.0.0.1:{described.port}",
         "--checks", "all", "--max-examples", EXAMPLES, "--seed", "1", "--continue-on-failure",
         "--request-timeout", "20", "--max-response-time", "20"],
        env={**os.environ, "SCHEMATHESIS_HOOKS": "schema_hooks", "PYTHONPATH": str(HERE), "IMAGE_IDS": ids, "EVENTS_SECRET": SECRET,
             "NO_COLOR": "1", "COLUMNS": "120"},
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    told = "\n".join(line[:300] for line in (result.stdout + result.stderr).splitlines())
    assert result.returncode == 0, told[-20_000:]
    assert described.process.poll() is None


def test_the_document_lists_every_path_of_the_api(described):
    document = described.get("/api/openapi.json").json
    assert document["openapi"].startswith("3.1")
    assert {
        "/api/v1/images", "/api/v1/images/{id}", "/api/v1/tokens", "/api/v1/tokens/cancel", "/api/v1/stream",
        "/api/v1/events", "/api/v1/timeline", "/api/v1/folders", "/api/v1/position", "/api/v1/shape", "/images/{id}/{rendition}",
        "/api/v1/status", "/metrics", "/healthz", "/readyz", "/api/openapi.json",
    } <= set(document["paths"])
