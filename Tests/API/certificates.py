"""Certificates that no authority of the world has signed."""

import pathlib
import subprocess


def signed_by_itself(folder: pathlib.Path, name: str, *words: str) -> pathlib.Path:
    """A certificate that vouches for itself and for those that it signs; its key, `.key`, is beside it.

    - `words`: further options of `openssl req`."""
    certificate = folder / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", *words, "-keyout", certificate.with_suffix(".key"), "-out", certificate],
        check=True, capture_output=True)
    return certificate
