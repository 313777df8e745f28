"""Three nodes on one machine: which work they do once for all nodes, what that costs, with TLS and without, and what happens to
requests while a node, their Redis or their store is away."""

import sys

from . import cost, distance, encryption, once, outages, owners

PARTS = {"once": once, "cost": cost, "distance": distance, "encryption": encryption, "outages": outages, "owners": owners}


def run(report, options):
    failed = []
    for name in options.parts or PARTS:
        if name not in PARTS:
            raise ValueError(f"no part is called {name}: {', '.join(PARTS)}")
        try:
            PARTS[name].run(report, options)
        except Exception as error:  # the figures of the other parts are still worth keeping
            failed.append(name)
            print(f"cluster, {name} could not be measured: {type(error).__name__}: {error}", file=sys.stderr)
    if failed:
        raise RuntimeError(", ".join(failed))
