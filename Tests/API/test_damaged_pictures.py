"""Randomly damaged pictures, and cancels at random times: the server responds and carries on. The seeds are fixed."""

import collections
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import hostile
import pictures
from gallery import Gallery, wait_until
from workers import is_well

MUTATIONS = int(os.environ.get("TESSERA_MUTATIONS", 300))
CANCELS = int(os.environ.get("TESSERA_CANCELS", 200))


def all_images(gallery: Gallery, count: int) -> list[dict]:
    gallery.images(count)
    return [image for offset in range(0, count, 500) for image in gallery.page(offset=offset, limit=500)["images"]]


@pytest.mark.timeout(90 + MUTATIONS)
def test_randomly_damaged_pictures_are_shown_or_refused(serve, tmp_path):
    folder = tmp_path / "damaged"
    folder.mkdir()
    originals = pictures.every_format(320, 240)
    for name, content in hostile.mutations(seed=1, count=MUTATIONS, originals=originals):
        (folder / name).write_bytes(content)
    gallery = serve(folder, TESSERA_RENDER_DEADLINE="5")
    images = all_images(gallery, MUTATIONS)
    assert len(images) == MUTATIONS

    def ask(image: dict) -> tuple[str, int]:
        answer = gallery.tile(image, timeout=60)
        if answer.status == 200:
            assert pictures.is_whole(answer.body), image["name"]
            return image["name"], 200
        return image["name"], answer.status if answer.is_problem(415, 422) else 0

    with ThreadPoolExecutor(4) as pool:
        answers = dict(pool.map(ask, images))
    counts = collections.Counter(answers.values())
    assert counts.total() == MUTATIONS and counts[200] and counts[422], counts
    assert is_well(gallery)


@pytest.mark.timeout(90 + CANCELS)
def test_cancels_during_a_decode_leave_every_format_decodable(serve, tmp_path):
    originals = pictures.every_format(2000, 1500)
    folder = tmp_path / "pictures"
    folder.mkdir()
    copies = 4 + CANCELS // 25
    for name, content in originals.items():
        (folder / f"0-{name}").write_bytes(content)
        for copy in range(1, copies):
            os.link(folder / f"0-{name}", folder / f"{copy}-{name}")
    gallery = serve(folder)
    images = all_images(gallery, copies * len(originals))
    chance = random.Random(2)
    # The first of each is kept for the end. The others are used in turn, so that most are decoded for the first time.
    fresh = [image for image in images if not image["name"].startswith("0-")]
    chance.shuffle(fresh)
    session, cancelled = {}, 0
    for number in range(CANCELS):
        chosen = [fresh[(number * 3 + n) % len(fresh)] for n in range(chance.randint(1, 3))]
        issued = gallery.tokens(
            accept=chance.choice(["image/avif", "image/webp", "image/jpeg"]),
            rendition=chance.choice(["preview", "tile", "tile", "screen"]),
            slots=[{"slot": slot, "image": image["id"]} for slot, image in enumerate(chosen)], **session)
        session = {"session": issued["session"]}
        time.sleep(chance.uniform(0, 0.12))  # Cancel at an arbitrary moment.
        answer = gallery.post("/api/v1/tokens/cancel", {
            **session, "tokens": [ticket["token"] for ticket in issued["tokens"]]})
        assert answer.status == 200
        cancelled += answer.json["cancelled"]
    assert cancelled >= CANCELS, "most loads had ended before they were cancelled"
    wait_until(lambda: gallery.get("/api/v1/status").json["loading"]["jobs"] == 0, "all loads to end", lambda: gallery.log)
    kept = [image for image in images if image["name"].startswith("0-")]
    assert len(kept) == len(originals)
    for image in kept:
        tile = gallery.tile(image)
        assert tile.status == 200 and pictures.is_whole(tile.body), image["name"]
    assert is_well(gallery)
