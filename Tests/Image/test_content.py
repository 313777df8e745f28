"""What the image holds, and what it says of that."""

import json
import os
import subprocess

from conftest import IMAGE, engine

# Bytes, as it lies on a disk and as it is fetched.
LARGEST, LARGEST_COMPRESSED = 150_000_000, 60_000_000


def test_the_image_is_no_larger_than_it_may_be():
    assert json.loads(engine("inspect", "--type", "image", IMAGE))[0]["Size"] <= LARGEST


def test_what_is_fetched_of_the_image_is_no_larger_than_it_may_be(tmp_path):
    archive = tmp_path / "image.tar"
    engine("save", "--output", str(archive), IMAGE)
    subprocess.run(["gzip", "-9", archive], check=True)
    assert archive.with_suffix(".tar.gz").stat().st_size <= LARGEST_COMPRESSED


def test_nothing_is_there_that_runs_but_the_programs(root):
    runnable = [
        os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names
        if os.access(os.path.join(folder, name), os.X_OK) and not os.path.islink(os.path.join(folder, name))]
    # What the engine itself lays over a container is empty.
    names = {os.path.basename(path) for path in runnable if ".so" not in path and os.path.getsize(path)}
    assert names == {"tessera", "tessera-renderer"}
    special = [path for path in runnable if os.stat(path).st_mode & 0o6000]
    assert special == []


def test_every_library_belongs_to_a_package_whose_licence_and_version_are_told(root):
    status = root / "var/lib/dpkg/status.d"
    packages = {file.name for file in status.iterdir() if file.suffix != ".md5sums"}
    assert len(packages) > 80
    listed = set()
    for package in packages:
        told = (status / package).read_text()
        assert f"Package: {package}\n" in told and "\nVersion: " in told
        assert (root / "usr/share/doc" / package / "copyright").stat().st_size > 0, package
        listed |= {line.split("  ", 1)[1] for line in (status / f"{package}.md5sums").read_text().splitlines()}
    libraries = [
        file.relative_to(root) for file in (root / "usr/lib").rglob("*.so*")
        if file.is_file() and not file.is_symlink() and file.parent.name != "tessera"]
    assert len(libraries) > 120
    # A package may say /lib for /usr/lib.
    strange = [str(file) for file in libraries if not {str(file), str(file).removeprefix("usr/")} & listed]
    assert strange == []


def test_what_stands_in_for_a_library_of_libvips_is_small(root):
    stand_ins = list((root / "usr/lib/tessera").iterdir())
    assert len(stand_ins) == 5
    assert max(file.stat().st_size for file in stand_ins) < 40_000


def test_files_are_as_their_packages_made_them(root):
    sums = "".join(file.read_text() for file in sorted((root / "var/lib/dpkg/status.d").glob("*.md5sums")))
    assert len(sums.splitlines()) > 150
    checked = subprocess.run(["md5sum", "--check", "--quiet"], cwd=root, input=sums, text=True, capture_output=True)
    assert checked.returncode == 0, checked.stdout


def test_the_bill_of_materials_names_all_that_is_inside(root):
    told = json.loads((root / "usr/local/share/tessera/sbom.spdx.json").read_text())
    assert told["spdxVersion"] == "SPDX-2.3"
    names = {package["name"] for package in told["packages"]}
    debian = {file.name for file in (root / "var/lib/dpkg/status.d").iterdir() if file.suffix != ".md5sums"}
    assert debian <= names
    assert {"tessera", "swift", "icu", "libssl3t64", "swift-log", "GRDB.swift"} <= names
    identifiers = [package["SPDXID"] for package in told["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    related = {relation["relatedSpdxElement"] for relation in told["relationships"]}
    assert set(identifiers) == related
    for package in told["packages"]:
        assert package["versionInfo"] and package["externalRefs"][0]["referenceLocator"].startswith("pkg:")


def test_what_is_linked_in_brings_its_licence(root):
    licences = root / "usr/local/share/tessera/licences"
    pins = json.loads((licences / "Package.resolved").read_text())["pins"]
    assert len(pins) >= 6
    for name in ["swift", "icu", *(pin["location"].removesuffix(".git").rsplit("/", 1)[-1] for pin in pins)]:
        assert any(file.name.startswith("LICENSE") and file.stat().st_size > 500 for file in (licences / name).iterdir())


def test_it_carries_its_own_licence(root):
    licence = (root / "usr/share/doc/tessera/LICENSE").read_text()
    assert "Apache License" in licence and "Version 2.0, January 2004" in licence
    assert "The Tessera authors" in (root / "usr/share/doc/tessera/NOTICE").read_text()
    bill = json.loads((root / "usr/local/share/tessera/sbom.spdx.json").read_text())
    assert [one["licenseDeclared"] for one in bill["packages"] if one["name"] == "tessera"] == ["Apache-2.0"]


def test_it_says_which_system_it_is_made_of(root):
    told = (root / "etc/os-release").read_text()
    assert "ID=debian\n" in told and 'VERSION_ID="13"\n' in told


def test_public_authorities_of_certificates_are_there(root):
    assert (root / "etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERTIFICATE") > 100
