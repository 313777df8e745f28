"""A folder of pictures that changes while the page shows it."""

import datetime
import io
import os
import signal

from PIL import Image


def jpeg(seed: int, taken: datetime.datetime | None = None, size: tuple[int, int] = (64, 48)) -> bytes:
    image = Image.new("RGB", size, (seed * 37 % 256, seed * 91 % 256, seed * 13 % 256))
    exif = Image.Exif()
    if taken:
        exif.get_ifd(0x8769)[0x9003] = f"{taken:%Y:%m:%d %H:%M:%S}"
    file = io.BytesIO()
    image.save(file, "JPEG", exif=exif)
    return file.getvalue()


class Folder:
    """Pictures by name, with the time they were taken if known, and their gallery, which rescans the folder whenever
    files are added or removed."""

    def __init__(self, start, path, files, **options):
        self.path = path
        self._write(files)
        # Names that contain dates are only names here: dates come from the files' metadata.
        self.server = start("serve", path, "--no-name-dates", **options)

    def _write(self, files):
        for seed, name in enumerate(files):
            taken = files[name] if isinstance(files, dict) else None
            (self.path / name).write_bytes(jpeg(seed, taken))

    def put(self, *names: str):
        self.put_all(names)

    def put_all(self, files):
        self._write(files)
        self.reread()

    def take(self, *names: str):
        for name in names:
            os.unlink(self.path / name)
        self.reread()

    def reread(self):
        os.kill(self.server.process.pid, signal.SIGUSR1)
