"""Downloads that continue on other nodes of a gallery."""

import pytest

import pictures
from gallery import SAME_IDS, Gallery
# Includes a fixture.
from test_cluster import redis


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_download_is_resumed_on_other_nodes_after_kills(serve, redis, tmp_path, is_shared):
    """Downloads a third from each of three nodes, of which two are killed: if the entity tags match, so does every byte,
    whether the nodes share renditions or make their own."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, content in pictures.every_format(width=900, height=660).items():
        (folder / f"picture.{name}").write_bytes(content)
    words = ("--redis", redis.url) if is_shared else ()
    count = len(list(folder.iterdir()))

    def started(number: int) -> Gallery:
        node = serve(folder, *words, data=tmp_path / f"node{number}", **SAME_IDS)
        node.images(count)
        return node

    running = [started(number) for number in range(3)]
    targets = [
        (link, kind) for one in running[0].page(limit=500)["images"] for link in one["links"].values()
        if link.startswith("/images/") for kind in ("image/avif", "image/webp", "image/jpeg")]
    assert len(targets) > 3 * count
    wholes = {}
    parts: dict = {target: [] for target in targets}
    for turn, node in enumerate(running):
        for target in targets:
            link, kind = target
            had = b"".join(body for body, _ in parts[target])
            if turn == 0:
                whole = node.get(link, Accept=kind)
                assert whole.status == 200
                wholes[target] = whole.body
                parts[target].append((whole.body[:len(whole.body) // 3], whole.headers["ETag"]))
                continue
            size, tag = len(wholes[target]), parts[target][0][1]
            asked = f"bytes={len(had)}-{2 * size // 3 - 1}" if turn == 1 else f"bytes={len(had)}-"
            answer = node.get(link, Accept=kind, Range=asked, **{"If-Range": tag})
            assert answer.status == 206 and answer.headers["ETag"] == tag, (target, answer.status)
            parts[target].append((answer.body, tag))
        node.kill()
        # The next node has to make them itself.
        if is_shared:
            redis.ask("FLUSHALL")
    for target, bodies in parts.items():
        assert b"".join(body for body, _ in bodies) == wholes[target], target
