"""The documentation covers every option and variable, its links work, and the version is defined once."""

import os
import re
import subprocess

import pytest

from gallery import ROOT, binary

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("Documentation/**/*.md"), ROOT / "Benchmarks/README.md"])
CONFIGURATION = (ROOT / "Documentation/configuration.md").read_text()


def help_text(command: str) -> str:
    return subprocess.run([binary(), command, "--help"], capture_output=True, text=True, check=True).stdout


def anchor(title: str) -> str:
    """The fragment that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).replace(" ", "-")


def prose(text: str) -> str:
    """A document without its blocks of code, in which a bracket is no link and a number sign no heading."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("command, count", [("serve", 25), ("demo", 25), ("move-library", 1), ("health", 2)])
def test_every_option_is_documented(command, count):
    options = set(re.findall(r"(--[a-z][a-z-]+)", help_text(command).split("OPTIONS:", 1)[1])) - {"--help", "--version"}
    assert len(options) >= count
    assert {option for option in options if f"| `{option}` |" not in CONFIGURATION} == set()


def test_every_documented_option_exists():
    known = set(re.findall(r"(--[a-z][a-z-]+)", help_text("serve") + help_text("demo")))
    named = set(re.findall(r"^\| `(--[a-z-]+)`", CONFIGURATION, re.MULTILINE))
    assert len(named) > 35
    assert named - known == set()


def test_every_environment_variable_is_documented():
    sources = "\n".join(file.read_text() for file in ROOT.glob("Sources/**/*.swift"))
    read = {"TESSERA_" + option.upper().replace("-", "_") for option in re.findall(r'Environment\.values?\(\s*"([a-z-]+)"', sources)}
    read |= set(re.findall(r'"((?:AWS|OTEL|PG)[A-Z_]*[A-Z])"', sources))
    assert len(read) > 60
    texts = CONFIGURATION + (ROOT / "Documentation/sources.md").read_text()
    assert {name for name in read if f"`{name}" not in texts} == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_are_not_broken(document):
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = document if not path else (document.parent / path).resolve()
        if not file.exists():
            broken.append(target)
        elif fragment:
            headings = re.findall(r"^#+ (.+)$", prose(file.read_text()), re.MULTILINE)
            if fragment not in map(anchor, headings):
                broken.append(target)
    assert broken == []


def test_the_readme_is_short_and_links_every_page():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 200
    linked = set(re.findall(r"\]\((Documentation/[\w-]+\.md)", "\n".join(lines)))
    assert linked == {str(file.relative_to(ROOT)) for file in ROOT.glob("Documentation/*.md")}


def test_the_version_is_defined_in_one_place():
    version = subprocess.run([binary(), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert subprocess.run([ROOT / "Scripts/version"], capture_output=True, text=True, check=True).stdout.strip() == version
    stated = [file for file in ROOT.glob("Sources/**/*.swift") if f'"{version}"' in file.read_text()]
    assert [file.name for file in stated] == ["Release.swift"]


def test_a_dry_run_of_the_release_changes_nothing():
    before = subprocess.run(["git", "-C", ROOT, "tag"], capture_output=True, text=True).stdout
    result = subprocess.run(
        [ROOT / "Scripts/release", "--dry-run"], capture_output=True, text=True, env={**os.environ, "ENGINE": "engine"})
    assert result.returncode == 0, result.stderr
    version = subprocess.run([ROOT / "Scripts/version"], capture_output=True, text=True).stdout.strip()
    steps = result.stdout.splitlines()
    for step in [f"engine build --build-arg VERSION={version} ", "Scripts/deb ", f"git tag --annotate --message Tessera {version} "]:
        assert any(step in line for line in steps), result.stdout
    assert "sha256sum" in steps[-1]
    assert subprocess.run(["git", "-C", ROOT, "tag"], capture_output=True, text=True).stdout == before
