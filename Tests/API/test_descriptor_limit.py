"""A process with a low descriptor limit, and clients that take all they can."""

import re
import socket

import pictures

FEW = ("sh", "-c", 'ulimit -n 200 && exec "$@"', "sh")


def test_idle_connections_leave_enough_descriptors_for_files(serve, tmp_path):
    folder = pictures.write(
        tmp_path / "pictures", **{f"p{n}__jpg": pictures.encoded("JPEG", seed=n) for n in range(20)})
    gallery = serve(folder, before=FEW)
    images = gallery.images(20)
    allowed = int(re.search(r"Up to (\d+) connections", gallery.log)[1])
    assert 20 <= allowed <= 100
    idle = []
    try:
        # Another client, which uses its own share.
        for _ in range(400):
            try:
                idle.append(socket.create_connection(("127.0.0.1", gallery.port), source_address=("127.0.0.2", 0)))
            except ConnectionResetError:
                pass  # Beyond the limit, the connection may be refused before it is established.
        assert len(idle) >= allowed // 4
        statuses = [
            gallery.get(f"/images/{image['id']}/{rendition}", Accept="image/jpeg").status
            for image in images.values() for rendition in ("tile", "original")]
        assert statuses == [200] * 40, gallery.log
    finally:
        for connection in idle:
            connection.close()
    assert gallery.tile(images["p0.jpg"]).status == 200
