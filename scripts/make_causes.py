"""Fills the table of planted causes in docs from what `ridge doctor --causes` says.

<!-- causes: planted -->
"""

import json

from blocks import ROOT, main, table
from command import said_by_ridge


def make(words):
    if words != ["planted"]:
        raise SystemExit(f"a block of causes is of those planted, not {' '.join(words)}")
    rows = [row(cause) for cause in json.loads(said_by_ridge("doctor", "--causes", "--json"))]
    titles = ["planted", "launch", "on", "named first", "gain at most", "also named", "on the healthy launch"]
    return table(titles, rows)


def row(cause):
    also = ", ".join(cause["also_named"])
    return [cause["cause"], cause["planted"], cause["device_name"], cause["named_first"] or "none",
            f"{cause['predicted_gain']:.2f}", also or "nothing", ", ".join(cause["on_healthy"]) or "nothing"]


if __name__ == "__main__":
    main("Fills the table of planted causes in docs.", [ROOT / "docs/design/model.md"], "causes", make)
