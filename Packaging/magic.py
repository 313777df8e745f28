#!/usr/bin/env python3
"""Writes the part of libmagic's compiled database that a gallery needs.

    Packaging/magic.py /usr/lib/file/magic.mgc OUTPUT

Tessera asks only for media types of files that lie among pictures. It keeps entries for pictures, films, sounds, texts,
documents, and archives, and the entries they refer to: a tenth of 10 MB.
"""

import pathlib
import re
import struct
import sys

# `struct magic` in file(1)'s file.h, for this version of the format: offsets of members, and kinds of entries.
VERSION, MAGIC, LENGTH = 20, 0xF11E041C, 432
LEVEL, KIND, VALUE, VALUE_LENGTH, MEDIA_TYPE, MEDIA_TYPE_LENGTH = 2, 6, 32, 128, 224, 80
NAME, USE = 45, 46

WANTED = re.compile(
    r"(image|video|audio)/.*|text/(html|xml|plain)"
    r"|application/(pdf|postscript|json|xml|xhtml\+xml|zip|gzip|zstd|x-(tar|7z-compressed|rar|bzip2|xz|executable|dosexec))")


def text(entry: bytes, start: int, length: int) -> str:
    return entry[start:start + length].split(b"\0", 1)[0].decode("latin-1")


def groups(entries: list[bytes]) -> list[list[bytes]]:
    """Splits entries into groups: each begins with an entry of level 0, which the following ones refine."""
    found: list[list[bytes]] = []
    for entry in entries:
        if entry[LEVEL] == 0:
            found.append([])
        found[-1].append(entry)
    return found


def name(group: list[bytes]) -> str | None:
    """The name of a group that others refer to."""
    return text(group[0], VALUE, VALUE_LENGTH) if group[0][KIND] == NAME else None


def used(group: list[bytes]) -> set[str]:
    """The names that a group refers to. A leading ^ reverses the byte order, and \\ is an escape character."""
    return {text(entry, VALUE, VALUE_LENGTH).lstrip("\\^") for entry in group if entry[KIND] == USE}


def reduced(database: bytes) -> bytes:
    magic, version, *counts = struct.unpack_from("<4I", database)
    if (magic, version) != (MAGIC, VERSION) or len(database) != (1 + sum(counts)) * LENGTH:
        sys.exit(f"magic.py: this database has another form than version {VERSION}")
    entries = [database[start:start + LENGTH] for start in range(LENGTH, len(database), LENGTH)]
    # Two lists in sequence: for data and for texts.
    every = [groups(entries[:counts[0]]), groups(entries[counts[0]:])]
    kept = [
        [any(WANTED.fullmatch(text(e, MEDIA_TYPE, MEDIA_TYPE_LENGTH)) for e in g) and name(g) is None for g in part]
        for part in every]
    names, fresh = set(), {n for part, keep in zip(every, kept) for g, k in zip(part, keep) if k for n in used(g)}
    named = {n: g for part in every for g in part if (n := name(g)) is not None}
    while fresh:
        names |= fresh
        fresh = {n for known in fresh if known in named for n in used(named[known])} - names
    parts = [
        [e for g, k in zip(part, keep) if k or name(g) in names for e in g] for part, keep in zip(every, kept)]
    head = struct.pack("<4I", MAGIC, VERSION, *map(len, parts)).ljust(LENGTH, b"\0")
    return head + b"".join(entry for part in parts for entry in part)


if __name__ == "__main__":
    database, output = map(pathlib.Path, sys.argv[1:])
    output.write_bytes(reduced(database.read_bytes()))
