"""Bytes and CPU time of encoders at equal quality: what the server sends at each size, compared to other formats and
efforts, over photographs; and what a screen with more pixels could do without."""

import concurrent.futures
import os
import pathlib
import time

from measuring import median

from .ladders import Encoder, Equal, Trial
from .libvips import Picture
from .photographs import WHOLE, photographs, samples
from .sizes import DENSITIES, SIZES, SLOT, TILE, Density, Size

REPEATS = 3


def run(report, options):
    folder = pathlib.Path(options.pictures) if options.pictures else photographs()
    lines = []
    for size in SIZES:
        lines += compare(report, folder, size)
    densities = [density(report, folder, one) for one in DENSITIES]
    print("\n| size, pictures | encoder | quality | bytes | of today's | CPU |\n| --- | --- | --- | --- | --- | --- |")
    print("\n".join(lines))
    print("\n| screen | sent | quality that looks as a tile does at 1 | bytes | of today's |\n"
          "| --- | --- | --- | --- | --- |")
    print("\n".join(densities) + "\n", flush=True)


def each(folder: pathlib.Path, side: int, parts, work) -> list:
    """The results of `work(picture)` for each sample, computed on all cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda sample: work(sample[1]().within(side)), samples(folder, side, parts)))
    if not found:
        raise RuntimeError(f"{folder} has no JPEG of {side} pixels")
    return found


def compare(report, folder: pathlib.Path, size: Size) -> list[str]:
    def work(picture: Picture) -> dict[Encoder, Equal]:
        seen = (lambda one: one.enlarged(size.enlarged)) if size.enlarged > 1 else (lambda one: one)
        with Trial(picture, seen, size.measure) as trial:
            distance, count = trial.made(size.present, size.quality)
            return {size.present: Equal(size.quality, count)} | {
                other: trial.equal(other, size.qualities[other.format], distance) for other in size.others}

    found = each(folder, size.side, size.parts, work)
    cpu = seconds(folder, size, {encoder: round(median(one[encoder].quality for one in found))
                                 for encoder in (size.present, *size.others)})
    lines, ours = [], mean(one[size.present].bytes for one in found)
    for encoder in (size.present, *size.others):
        bytes = mean(one[encoder].bytes for one in found)
        quality = median(one[encoder].quality for one in found)
        lines.append(f"| {size.name}, {len(found)} | {encoder.name} | {quality:.0f} | {bytes:,.0f} | "
                     f"{bytes / ours:.2f} | {1e3 * cpu[encoder]:.1f} ms |")
        if encoder != size.present:
            what = f"{size.name}, as good as {size.present.name}"
            report.add("bytes", f"{what}: size", "bytes", ours, bytes, f"{encoder.name}, quality {quality:.0f}",
                       pictures=len(found), per_picture=[one[encoder].bytes / one[size.present].bytes for one in found],
                       qualities=[one[encoder].quality for one in found])
            report.add("bytes", f"{what}: CPU", "ms", 1e3 * cpu[size.present], 1e3 * cpu[encoder], encoder.name)
    return lines


def seconds(folder: pathlib.Path, size: Size, qualities: dict[Encoder, int]) -> dict[Encoder, float]:
    """The processor time of one encoding, for whole photographs one after another."""
    pictures = [get().within(size.side) for _, get in samples(folder, size.side, [WHOLE])]

    def of(encoder: Encoder, picture: Picture) -> float:
        since = time.process_time()
        picture.encoded(encoder.suffix(qualities[encoder]))
        return time.process_time() - since

    return {encoder: mean(min(of(encoder, picture) for _ in range(REPEATS)) for picture in pictures)
            for encoder in qualities}


def density(report, folder: pathlib.Path, of: Density) -> str:
    """The rendition for a denser screen, as seen by an eye that resolves only CSS pixels, compared to the tile for a
    screen of ordinary density."""
    def work(picture: Picture) -> tuple[Equal, int]:
        with Trial(picture.within(SLOT), lambda one: one, "ssimulacra") as tile:
            distance, _ = tile.made(TILE.present, TILE.quality)
        with Trial(picture, lambda one: one.within(SLOT), "ssimulacra") as trial:
            return trial.equal(of.present, of.qualities, distance), trial.made(of.present, of.quality)[1]

    found = each(folder, of.side, [WHOLE], work)
    needed, today = mean(one.bytes for one, _ in found), mean(count for _, count in found)
    quality = median(one.quality for one, _ in found)
    report.add("bytes", f"{of.side} px on a screen of {of.ratio}, as a tile on one of 1", "bytes", today, needed,
               f"{of.present.name}, quality {quality:.0f}", qualities=[one.quality for one, _ in found])
    return (f"| {of.ratio}, {len(found)} | {of.side} px, {of.present.name}, {of.quality} | {quality:.0f} | "
            f"{needed:,.0f} | {needed / today:.2f} |")


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)
