"""The S3-compatible store of the tests in a process of its own, so that it can be killed, frozen and resumed."""

import json
import pathlib
import signal
import subprocess
import sys

from peers import free_port

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "API"))

from store import Store  # noqa: E402  (it is among the API tests)


class ObjectStore:
    """A bucket `pictures`, in which one picture has this many names, and an empty bucket `tiles`; checks signatures.
    Keeps its port after a restart."""

    def __init__(self, picture: pathlib.Path, count: int):
        self._settings = dict(picture=str(picture), count=count, port=free_port())
        self.start()

    def start(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(self._settings)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        told = self._process.stdout.readline()
        if not told:
            raise RuntimeError("the store did not start")
        self.environment: dict[str, str] = json.loads(told)

    def freeze(self):
        self._process.send_signal(signal.SIGSTOP)

    def wake(self):
        self._process.send_signal(signal.SIGCONT)

    def kill(self):
        self._process.kill()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def main(settings: dict):
    store = Store(("pictures", "tiles"), port=settings["port"])
    body = pathlib.Path(settings["picture"]).read_bytes()
    for number in range(settings["count"]):
        store.put(f"OBJ_{number:05}.jpg", body)
    print(json.dumps(store.environment()), flush=True)
    signal.pause()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
