"""A folder whose files are added and removed: good pictures, and some that crash, stall or bloat their decoder."""

import pathlib
import random
import threading

import hostile
import pictures

STAYING, COMING = 300, 100
# Seconds between two changes, and between two changes after which the server must rescan.
CHANGED_EVERY, LOOKED_EVERY = 0.5, 10


class ChangingFolder(threading.Thread):
    def __init__(self, folder: pathlib.Path, changed):
        super().__init__(daemon=True)
        self.folder, self._changed = folder, changed
        self._ends = threading.Event()
        self._chance = random.Random(5)
        self._drawn = [pictures.encoded(format, seed=seed, width=1_600, height=1_200)
                       for seed in range(3) for format in ("JPEG", "PNG", "WEBP")]
        self._made = 0
        (folder / "coming").mkdir(parents=True)
        for number in range(STAYING):
            self._write(folder / f"IMG_{number:04}.jpg")
        for number in range(COMING):
            self._come(number)

    def _write(self, file: pathlib.Path):
        self._made += 1
        # Data after the end of a picture makes it a different file.
        content = self._chance.choice(self._drawn) + str(self._made).encode()
        part = file.with_suffix(".part")
        part.write_bytes(content)
        part.rename(file)

    def _come(self, number: int):
        file = self.folder / "coming" / f"{number:03}.jpg"
        if number % 10:
            return self._write(file)
        # A different one each time, because a picture that has crashed its worker is not tried again.
        self._made += 1
        kind = self._made % 4
        content = [hostile.convolving_svg, hostile.giant_text_svg, hostile.svg_in_svg, None][kind]
        content = content() if content else hostile.turbulent_svg(self._made)
        file.with_suffix(".svg").write_bytes(content + b"<!-- %d -->" % self._made)

    def run(self):
        changes = 0
        while not self._ends.wait(CHANGED_EVERY):
            number = self._chance.randrange(COMING)
            file = self.folder / "coming" / f"{number:03}.jpg"
            if file.exists() and self._chance.random() < 0.5:
                file.unlink()
            else:
                self._come(number)
            changes += 1
            if changes % round(LOOKED_EVERY / CHANGED_EVERY) == 0:
                self._changed()

    def end(self):
        self._ends.set()
        self.join()
