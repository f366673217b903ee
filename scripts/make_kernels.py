"""Fills the tables of built-in kernels in docs from what `ridge bench` and `ridge evolve` say.

<!-- kernels: COMMAND -->
"""

import re

from blocks import ROOT, main, table
from command import said_by_ridge


def make(words):
    if words not in (["bench"], ["evolve"]):
        raise SystemExit(f"a block of kernels is of bench or evolve, not {' '.join(words)}")
    said = said_by_ridge(words[0], "--help").split("\nbuilt-in kernels:\n", 1)[-1].split("\n\n", 1)[0]
    line = r"  (\S+) +(\w+): (.*)" if words == ["bench"] else r"  (\S+) +()(.*)"
    rows = [re.fullmatch(line, text) for text in said.splitlines()]
    if not rows or not all(rows):
        raise SystemExit(f"ridge {words[0]} --help lists no kernels")
    return table(["kernel", "pattern", "meaning"], [[f"`{r[1]}`", r[2], r[3]] for r in rows])


if __name__ == "__main__":
    main("Fills the tables of built-in kernels in docs.", [ROOT / "docs/kernels.md"], "kernels", make)
