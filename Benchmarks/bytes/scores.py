"""The perceived distance of a picture from its original, by two measures from Debian's `libjxl-devtools`: 0 means
equal, and less is better. SSIMULACRA (Sneyers 2017) is SSIM at several scales of a perceptual colour space, with
penalties for blocking and ringing. Butteraugli (Alakuijala 2017) is a model of the eye; the score is the 3-norm over
the picture."""

import pathlib
import re
import subprocess

from .libvips import Picture

MEASURES = {"ssimulacra": ["ssimulacra_main"], "butteraugli": ["butteraugli_main"]}
_PNG = ".png[compression=1,strip]"


def written(picture: Picture, path: pathlib.Path) -> pathlib.Path:
    path.write_bytes(picture.encoded(_PNG))
    return path


def distance(measure: str, original: pathlib.Path, other: pathlib.Path) -> float:
    told = subprocess.run([*MEASURES[measure], original, other], check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return float(re.findall(r"[\d.]+(?:e-?\d+)?", told)[-1])
