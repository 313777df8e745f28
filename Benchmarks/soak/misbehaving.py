"""Origins that fail and hang, in a process of their own; each kind is an origin of its own. Prints their URLs."""

import json
import threading

from origin import Origin

# How many pictures of each kind the list names.
KINDS = {
    "good": 300, "hang": 20, "hang-in-body": 20, "reset": 20, "resets-once": 20, "says-more": 10, "html": 10, "empty": 5,
    "garbage": 10, "missing": 20, "broken": 20, "circle": 5, "endless": 2,
}


def main():
    urls = []
    for kind, count in KINDS.items():
        origin = Origin()
        # It remembers for tests what it was asked; nobody asks here.
        origin.asked = Forgetful()
        urls += [origin.url(kind, f"{number}.jpg") for number in range(count)]
    print(json.dumps(urls), flush=True)
    threading.Event().wait()


class Forgetful(list):
    """Remembers the last thousand."""

    def append(self, item):
        super().append(item)
        if len(self) > 2_000:
            del self[:1_000]


if __name__ == "__main__":
    main()
