#!/usr/bin/env python3
"""Makes an object with the little ICU data that Tessera needs, which is linked instead of all of it.

    swift build … $(Packaging/icu.py OUTPUT.o)      prints the linker options
    Packaging/icu.py --check PROGRAM                fails if the complete data was linked after all

Foundation contains ICU's data: 34 MB, half of the program, as one symbol in an archive member of its own. Neither Tessera nor
GRDB, which needs Foundation, uses localised texts. If the symbol is defined before the archive is searched, its member is not
linked. The object defines it with the toolchain's data, without converters, dictionaries, transliterations, and all locales
except the root and English.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# "de.res", "zh_Hant_TW.res". Items not named for a locale ("zoneinfo64.res", "pool.res") are kept.
LOCALE = re.compile(r"[a-z]{2,3}(_\w+)*\.res")
KEPT_LOCALE = re.compile(r"(root|en(_\w+)*)\.res")
# Occurs only in the complete data.
TELLTALE = re.compile(rb"icudt\d+l/zh_Hant_TW\.res")
LEFT_OUT = re.compile(r".*\.(cnv|dict|spp|cfu)|(translit|rbnf)/.*|unames\.icu")
MEMBER = "icu_packaged_data.cpp.o"
ALIGNMENT = 16
# The object's own name for the data. The linker options come after the archive, so ICU's symbol is made an alias of it.
SYMBOL = "tessera_icu_data"


def is_kept(name: str) -> bool:
    """Whether an item is kept, by its name without the prefix ("icudt76l/")."""
    last = name.rsplit("/", 1)[-1]
    if LEFT_OUT.fullmatch(name):
        return False
    return not LOCALE.fullmatch(last) or KEPT_LOCALE.fullmatch(last) is not None


def items(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The header, and the items by name. The data begins with a table of offsets of names and contents, both counted
    from the header's end (ICU's udata.h and ucmndata.h)."""
    length, magic = struct.unpack_from("<HH", data)
    if magic != 0x27DA or data[12:16] != b"CmnD":
        sys.exit("icu.py: this is not ICU's package of data for a little-endian machine")
    header, body = data[:length], data[length:]
    (count,) = struct.unpack_from("<I", body)
    places = [struct.unpack_from("<II", body, 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in places[1:]] + [len(body)]
    return header, {
        body[name:body.index(b"\0", name)].decode(): body[start:end] for (name, start), end in zip(places, ends)}


def package(header: bytes, kept: dict[str, bytes]) -> bytes:
    """The reverse of `items`. Names are sorted by their bytes, because readers use binary search."""
    names = sorted(kept, key=str.encode)
    table = 4 + 8 * len(names)
    texts, starts = b"", []
    for name in names:
        starts.append(table + len(texts))
        texts += name.encode() + b"\0"
    body = bytearray()
    # Contents are aligned in memory, so relative to the header's beginning.
    first = -(len(header) + table + len(texts)) % ALIGNMENT
    base = table + len(texts) + first
    entries = []
    for name, start in zip(names, starts):
        entries.append(struct.pack("<II", start, base + len(body)))
        body += kept[name] + b"\0" * (-len(kept[name]) % ALIGNMENT)
    return header + struct.pack("<I", len(names)) + b"".join(entries) + texts + b"\0" * first + bytes(body)


def archive() -> pathlib.Path:
    """The archive with Foundation's ICU in the toolchain on the PATH."""
    told = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))
    return pathlib.Path(told["paths"]["runtimeResourcePath"] + "_static/linux/lib_FoundationICU.a")


def main(output: pathlib.Path):
    with tempfile.TemporaryDirectory() as folder:
        member, whole, small = (pathlib.Path(folder, name) for name in (MEMBER, "whole", "small"))
        subprocess.run(["ar", "x", archive(), MEMBER], cwd=folder, check=True)
        symbols = subprocess.check_output(["nm", "--defined-only", "--format=posix", member], text=True).split("\n")
        names = [line.split()[0] for line in symbols if line]
        if len(names) != 1 or not re.fullmatch(r"icudt\d+_dat", names[0]):
            sys.exit(f"icu.py: {MEMBER} of this toolchain defines {names}, not the data alone")
        subprocess.run(["objcopy", "-O", "binary", "-j", ".rodata", member, whole], check=True)
        header, every = items(whole.read_bytes())
        kept = {name: content for name, content in every.items() if is_kept(name.split("/", 1)[1])}
        data = package(header, kept)
        if not any(name.endswith("/root.res") for name in kept) or items(data)[1].keys() != kept.keys():
            sys.exit("icu.py: what was written does not read as it should")
        small.write_bytes(data)
        source = pathlib.Path(folder, "data.s")
        source.write_text(
            f'.section .rodata\n.balign {ALIGNMENT}\n.globl {SYMBOL}\n.type {SYMBOL}, @object\n{SYMBOL}:\n'
            f'.incbin "{small}"\n.size {SYMBOL}, . - {SYMBOL}\n.section .note.GNU-stack,"",@progbits\n')
        subprocess.run(["clang", "-c", source, "-o", output], check=True)
    print(f"icu.py: {len(kept)} of {len(every)} items, {len(data):,} bytes", file=sys.stderr)
    print(f"-Xlinker --defsym={names[0]}={SYMBOL} -Xlinker {output}")


def check(program: pathlib.Path):
    if TELLTALE.search(program.read_bytes()):
        sys.exit(f"icu.py: {program} was linked with the whole of ICU's data")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--check", program]:
            check(pathlib.Path(program))
        case [output]:
            main(pathlib.Path(output).resolve())
        case _:
            sys.exit(__doc__)
