"""A folder of pictures that change while somebody looks at them."""

import datetime
import io
import os
import signal

from PIL import Image


def jpeg(seed: int, taken: datetime.datetime | None = None) -> bytes:
    image = Image.new("RGB", (64, 48), (seed * 37 % 256, seed * 91 % 256, seed * 13 % 256))
    exif = Image.Exif()
    if taken:
        exif.get_ifd(0x8769)[0x9003] = f"{taken:%Y:%m:%d %H:%M:%S}"
    file = io.BytesIO()
    image.save(file, "JPEG", exif=exif)
    return file.getvalue()


class Folder:
    """Some pictures by their names, and when they were taken, if that is known; and their gallery, which reads the folder
    anew whenever files are put in or taken out."""

    def __init__(self, start, path, files, **options):
        self.path = path
        self._write(files)
        self.server = start("serve", path, **options)

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
