"""Origins that fail and hang, in a process of their own; each kind is a separate origin. Prints their URLs."""

import json
import threading

from origin import Origin

# The number of pictures of each kind in the list.
KINDS = {
    "good": 300, "hang": 20, "hang-in-body": 20, "reset": 20, "resets-once": 20, "says-more": 10, "html": 10, "empty": 5,
    "garbage": 10, "missing": 20, "broken": 20, "circle": 5, "endless": 2,
}


def main():
    urls = []
    for kind, count in KINDS.items():
        origin = Origin()
        # The test's origin records its requests, which nobody reads here.
        origin.asked = Forgetful()
        urls += [origin.url(kind, f"{number}.jpg") for number in range(count)]
    print(json.dumps(urls), flush=True)
    threading.Event().wait()


class Forgetful(list):
    """A list of the last thousand items."""

    def append(self, item):
        super().append(item)
        if len(self) > 2_000:
            del self[:1_000]


if __name__ == "__main__":
    main()
