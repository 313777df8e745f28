#!/usr/bin/env python3
"""Writes the manual page tessera(1) from the program's own descriptions of its options.

    tessera --experimental-dump-help | Packaging/manual.py >tessera.1

The format is man(7). Options shared by serve and demo are described once."""

import json
import sys

FILES = {
    "/etc/default/tessera": "Settings of the Debian package's service, as environment variables.",
    "/usr/share/doc/tessera/Documentation": "Guides: configuration, production, operating, the API; alerts and a dashboard.",
}


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in text)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def described(text: str) -> list[str]:
    """Paragraphs; indented ones as they are."""
    lines = []
    for paragraph in (text or "").split("\n\n"):
        if paragraph.startswith("  "):
            lines += [".PP", ".nf", ".RS", escaped("\n".join(line.strip() for line in paragraph.splitlines())), ".RE", ".fi"]
        else:
            lines += [".PP", escaped(paragraph)]
    return lines


def option(argument: dict) -> list[str]:
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    value = "" if argument["kind"] == "flag" else f"\\fI{escaped(argument['valueName'].upper())}\\fR"
    if argument["kind"] == "positional":
        title = value + (" ..." if argument["isRepeating"] else "")
    else:
        title = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names) + (" " + value if value else "")
    return [".TP", title, escaped(argument.get("abstract", ""))]


def place(argument: dict) -> str:
    """A positional argument in the synopsis."""
    name = f"\\fI{escaped(argument['valueName'].upper())}\\fR" + (" ..." if argument["isRepeating"] else "")
    return f"[{name}]" if argument["isOptional"] else name


def key(argument: dict) -> tuple:
    return (argument["kind"], argument["valueName"], argument.get("abstract"))


def page(help_dump: dict) -> str:
    program = help_dump["command"]
    commands = [one for one in program["subcommands"] if one["commandName"] != "help" and one["shouldDisplay"]]
    shown = {one["commandName"]: [a for a in one["arguments"] if a["shouldDisplay"]] for one in commands}
    servers = [shown["serve"], shown["demo"]]
    common = set.intersection(*(set(map(key, arguments)) for arguments in servers))
    lines = ['.TH TESSERA 1 "" Tessera "User Commands"', ".SH NAME", "tessera \\- gallery server for a million pictures",
             ".SH SYNOPSIS"]
    for one in commands:
        words = [".B tessera " + escaped(one["commandName"]), "[\\fIOPTION\\fR ...]"]
        words += [place(a) for a in shown[one["commandName"]] if a["kind"] == "positional"]
        lines += words + [".br"]
    lines += [".SH DESCRIPTION", escaped(program["abstract"])] + described(program.get("discussion", ""))
    for one in commands:
        name = one["commandName"]
        lines += [f".SH {escaped(name.upper())}", escaped(one["abstract"])] + described(one.get("discussion", ""))
        for argument in shown[name]:
            if key(argument) not in common or shown[name] not in servers:
                lines += option(argument)
    lines += [".SH OPTIONS FOR SERVE AND DEMO"]
    for argument in servers[0]:
        if key(argument) in common:
            lines += option(argument)
    lines += [".SH FILES"]
    for path, what in FILES.items():
        lines += [".TP", f"\\fI{escaped(path)}\\fR", escaped(what)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
