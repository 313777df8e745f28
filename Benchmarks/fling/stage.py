"""The environment of all parts of the benchmark: the servers, each behind a link, and a browser."""

import contextlib
import pathlib
import tempfile
from dataclasses import dataclass

import originals
from fling import fronts, pictures, visit
from fling.link import Link
from fling.motions import Shape
from fling.secure import UNSENT, Certificate, SecureNginx
from peers import Nginx, Tessera


@dataclass
class Stage:
    chromium: object
    ours: Tessera
    links: dict[str, Link]
    """By the name of the server that is reached over it."""
    layout: fronts.Layout
    pictures: fronts.Pictures
    secrets: pathlib.Path
    """Where the browser writes the secrets of its TLS connections."""

    def visit(self, front: str, shape: Shape) -> visit.Visit:
        link = self.links[fronts.FRONTS[front].server]
        return visit.Visit(self.chromium, front, link, shape, self.layout, self.pictures, self.secrets)


@contextlib.contextmanager
def stage():
    folder = pictures.numbered_pictures()
    with contextlib.ExitStack() as all:
        notes = pathlib.Path(all.enter_context(tempfile.TemporaryDirectory(prefix="tessera-bench-")))
        notes.chmod(0o755)
        certificate, secrets = Certificate(notes), notes / "secrets"
        # The caches are reused in the next run, because the link is measured.
        ours = all.enter_context(Tessera(folder, data=originals.STORE / "fling-data"))
        known = fronts.fetch(ours, pictures.COUNT)
        chromium = all.enter_context(visit.browser(
            f"--ssl-key-log-file={secrets}", f"--ignore-certificate-errors-spki-list={certificate.fingerprint}"))
        layout = visit.measure_layout(chromium, ours.port, pictures.COUNT)
        files = fronts.files(known, layout)
        servers = dict(
            plain=Nginx(files, "application/octet-stream"),
            secure=SecureNginx(certificate, files),
            unqueued=SecureNginx(certificate, files, unsent=UNSENT),
            proxied=SecureNginx(certificate, behind=ours.port))
        for server in servers.values():
            all.enter_context(server)
        links = {name: all.enter_context(Link(server.port)) for name, server in dict(ours=ours, **servers).items()}
        yield Stage(chromium, ours, links, layout, known, secrets)
