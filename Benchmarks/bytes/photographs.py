"""Real photographs, which no generator can replace when encoders are compared: 37 from Debian's packages of desktop
backgrounds, by many photographers, and crops of them."""

import pathlib
import subprocess

import originals
from .libvips import Picture

# The photographs in each package; the rest was drawn.
PACKAGES = {
    "lomiri-wallpapers-16.04": [
        "Bridge_by_Sander_Klootwijk", "Dragonfly_by_Bolly", "Picture_0B_by_freespace", "Picture_1A_by_freespace",
        "Wine_by_Jakkub_Mede", "aitzgorri_by_Aitzol_Berasategi", "free_by_Peter_Nerlich",
        "friends_by_Aitzol_Berasategi", "greentock_by_Peter_Nerlich", "life_by_Aitzol_Berasategi",
        "picosdeeuropa_by_Aitzol_Berasategi", "seeding_by_Clements_Engelhardt", "sunset_by_Aitzol_Berasategi"],
    "lomiri-wallpapers-20.04": ["Kleiber_by_Lukas_Baubkus"],
    "mate-backgrounds": [
        "Aqua", "Blinds", "Dune", "FreshFlower", "Garden", "GreenMeadow", "LadyBird", "RainDrops", "Storm", "TwoWings",
        "Wood", "YellowFlower"],
    "plasma-workspace-wallpapers": [
        f"{name}/contents/images/2560x1600" for name in (
            "BytheWater", "ColdRipple", "ColorfulCups", "DarkestHour", "EveningGlow", "FallenLeaf", "Grey", "Kite",
            "OneStandsOut", "Path", "summer_1am")],
}
COUNT = sum(map(len, PACKAGES.values()))


def photographs() -> pathlib.Path:
    """A folder with the photographs. apt fetches the packages (170 MB) once; they are unpacked, not installed."""
    def make(folder: pathlib.Path):
        for package, names in PACKAGES.items():
            subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True, stdin=subprocess.DEVNULL)
            (file,) = folder.glob(f"{package}_*.deb")
            subprocess.run(["dpkg", "-x", file, folder / package], check=True)
            file.unlink()
            for name in names:
                (found,) = (folder / package).rglob(f"{name}.jpg")
                found.resolve().rename(folder / f"{name.split('/')[0]}.jpg")
            subprocess.run(["rm", "-r", folder / package], check=True)
    return originals.made("photographs", make)


# Fractions of width and height: left, top, side. Four disjoint quarters, and the centre where they meet.
WHOLE = (0, 0, 1)
PARTS = [WHOLE, (0, 0, 0.5), (0.5, 0, 0.5), (0, 0.5, 0.5), (0.5, 0.5, 0.5), (0.25, 0.25, 0.5)]


def samples(folder: pathlib.Path, side: int, parts=PARTS):
    """Yields pictures with at least this many pixels on the longer side, with their names: each photograph, and
    crops of it."""
    for file in sorted(folder.iterdir()):
        if file.suffix.lower() not in (".jpg", ".jpeg"):
            continue
        width, height = Picture.of(file).size
        for number, (left, top, share) in enumerate(parts):
            if max(width, height) * share >= side:
                yield f"{file.stem}-{number}", lambda file=file, box=(left, top, share): cut(file, box)


def cut(file: pathlib.Path, box: tuple[float, float, float]) -> Picture:
    picture = Picture.of(file)
    width, height = picture.size
    left, top, share = box
    return picture.part(int(left * width), int(top * height), int(share * width), int(share * height))
