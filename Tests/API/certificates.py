"""Certificates that no trusted authority has signed."""

import pathlib
import subprocess


def signed_by_itself(folder: pathlib.Path, name: str, *words: str) -> pathlib.Path:
    """A self-signed certificate that can also sign others. Its key is beside it, named `.key`.

    - `words`: further options of `openssl req`."""
    certificate = folder / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", *words, "-keyout", certificate.with_suffix(".key"), "-out", certificate],
        check=True, capture_output=True)
    return certificate
