"""The manual page that the Debian package contains."""

import re
import subprocess

import pytest

from gallery import ROOT, binary


def output_of(*words: str) -> str:
    return subprocess.run([binary(), *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def manual() -> str:
    page = subprocess.run([ROOT / "Packaging" / "manual.py"], input=output_of("--experimental-dump-help"), check=True,
                          capture_output=True, text=True).stdout
    assert page.isascii()
    shown = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-c", "-rLL=500n"], input=page, check=True,
                           capture_output=True, text=True)
    assert shown.stderr == "", "groff warns of it"
    return re.sub(".\b", "", shown.stdout)


@pytest.mark.parametrize("command", ["serve", "demo", "move-library", "health"])
def test_each_option_is_described(manual, command):
    options = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", output_of("help", command), re.MULTILINE))
    assert len(options) >= 3
    for option in options:
        assert re.search(rf"^ +(-\w, )?{option}\b", manual, re.MULTILINE), option


def test_each_command_is_shown_with_its_arguments(manual):
    commands = re.findall(r"^ +tessera (\w.*)$", manual.split("DESCRIPTION")[0], re.MULTILINE)
    assert [" ".join(command.split()) for command in commands] == [
        "serve [OPTION ...] [SOURCE ...]", "demo [OPTION ...]", "move-library [OPTION ...] FILE [SOURCE ...]",
        "health [OPTION ...]"]


def test_descriptions_are_those_of_the_command_line(manual):
    words = " ".join(output_of("help", "serve").split())
    paragraphs = [" ".join(line.split()) for line in manual.splitlines() if line.startswith(" " * 14)]
    assert sum(paragraph in words for paragraph in paragraphs) > 40
