#!/usr/bin/env python3
"""Writes the contents of an image or a package as an SPDX 2.3 document in JSON (spdx.github.io/spdx-spec/v2.3).

    Packaging/sbom.py --root ROOT --linked FOLDER --version 1.0.0 >sbom.spdx.json

Debian packages are those in ROOT/var/lib/dpkg/status.d, if ROOT is given. What is linked into the programs comes from
FOLDER, made by Packaging/linked. Set SOURCE_DATE_EPOCH to get the same document each time.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import sys
import urllib.parse
import uuid

TESSERA = "SPDXRef-tessera"


def identifier(kind: str, name: str) -> str:
    return f"SPDXRef-{kind}-" + "".join(c if c.isalnum() or c in ".-" else "-" for c in name)


def package(reference: str, name: str, version: str, *, supplier="NOASSERTION", source="NOASSERTION",
            licence="NOASSERTION", purl=None, comment=None) -> dict:
    described = {
        "SPDXID": reference, "name": name, "versionInfo": version, "supplier": supplier, "downloadLocation": source,
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
        "copyrightText": "NOASSERTION"}
    if purl:
        described["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
    if comment:
        described["licenseComments"] = comment
    return described


def stanza(text: str) -> dict[str, str]:
    """A package's own description in the format of Debian's control files (deb-control(5)); for folded fields only
    the first line."""
    fields = (line.partition(":") for line in text.splitlines() if line and not line[0].isspace())
    return {name: value.strip() for name, _, value in fields}


def debian_packages(root: pathlib.Path) -> list[dict]:
    told = stanza((root / "etc/os-release").read_text().replace("=", ":"))
    distribution = f"{told['ID']}-{told['VERSION_ID']}".replace('"', "")
    found = []
    for file in sorted((root / "var/lib/dpkg/status.d").iterdir()):
        if file.name.endswith(".md5sums"):
            continue
        told = stanza(file.read_text())
        name, version = told["Package"], told["Version"]
        words = {"arch": told["Architecture"], "distro": distribution}
        if "Source" in told:
            words["upstream"] = told["Source"].split()[0]
        purl = f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?{urllib.parse.urlencode(words)}"
        found.append(package(
            identifier("deb", name), name, version, supplier=f"Organization: {told['Maintainer']}", purl=purl,
            comment=f"/usr/share/doc/{name}/copyright"))
    return found


def licence_of(folder: pathlib.Path) -> str:
    """The licence of a Swift package, recognised by how its text begins."""
    for file in sorted(folder.glob("LICENSE*")):
        text = file.read_text(errors="replace")
        if "Apache License" in text:
            return "Apache-2.0"
        if "Permission is hereby granted, free of charge" in text:
            return "MIT"
    return "NOASSERTION"


def swift_packages(linked: pathlib.Path) -> list[dict]:
    found = []
    for pin in json.loads((linked / "Package.resolved").read_text())["pins"]:
        location = pin["location"].removesuffix(".git")
        version = pin["state"].get("version", pin["state"]["revision"])
        name = location.rsplit("/", 1)[-1]
        found.append(package(
            identifier("swift", name), name, version, source=f"git+{location}.git@{version}",
            licence=licence_of(linked / name), purl=f"pkg:swift/{location.partition('://')[2]}@{version}"))
    return found


def others(linked: pathlib.Path) -> list[dict]:
    """The Swift runtime with Foundation, and the ICU that Foundation contains."""
    swift, icu = ((linked / name).read_text().strip() for name in ("swift-version", "icu-version"))
    return [
        package(
            "SPDXRef-swift-runtime", "swift", swift, licence="Apache-2.0 WITH Swift-exception",
            purl=f"pkg:generic/swift@{swift}"),
        package(
            "SPDXRef-icu", "icu", icu, source="git+https://github.com/unicode-org/icu.git", licence="Unicode-3.0",
            purl=f"pkg:generic/icu@{icu}")]


def document(words: argparse.Namespace) -> dict:
    inside = swift_packages(words.linked) + others(words.linked)
    beside = debian_packages(words.root) if words.root else []
    tessera = package(
        TESSERA, "tessera", words.version, licence="Apache-2.0", purl=f"pkg:generic/tessera@{words.version}")
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    content = json.dumps([tessera, inside, beside], sort_keys=True).encode()
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", TESSERA)]
    relations += [(TESSERA, "STATIC_LINK", one["SPDXID"]) for one in inside]
    relations += [(TESSERA, "DEPENDS_ON", one["SPDXID"]) for one in beside]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "tessera",
        "documentNamespace": uuid.UUID(bytes=hashlib.sha256(content).digest()[:16], version=4).urn,
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: tessera-sbom-{words.version}"]},
        "packages": [tessera, *inside, *beside],
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--root", type=pathlib.Path)
    options.add_argument("--linked", type=pathlib.Path, required=True)
    options.add_argument("--version", required=True)
    json.dump(document(options.parse_args()), sys.stdout, indent=1)
