"""Fills the tables of schedule fields in docs from what `ridge schedules` says: RIDGE, or build/ridge.

<!-- fields: PATTERN cpu -->    or    <!-- fields: PATTERN gpu -->
"""

import re

from blocks import ROOT, main, table, words_of
from command import said_by_ridge

KERNELS = {"stencil": "laplacian", "pairs": "gravity", "lattice": "lattice-sum", "chain": "chain",
           "operators": "wilson"}
DEVICES = {"cpu": "cpu", "gpu": "simt:32"}
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if words_of(page.read_text(), "fields")]


def make(words):
    if len(words) != 2 or words[0] not in KERNELS or words[1] not in DEVICES:
        raise SystemExit(f"a block of fields names a pattern and cpu or gpu, not {' '.join(words)}")
    pattern, kind = words
    rows = [row(line) for line in fields_of(KERNELS[pattern], DEVICES[kind])]
    return table(["field", "values", "meaning"], rows)


def fields_of(kernel, device):
    """The lines `name=values: meaning` of the command."""
    said = said_by_ridge("schedules", kernel, "--device", device)
    lines = said.split("\nfields:\n", 1)[-1].split("\n\n", 1)[0].splitlines()
    if not lines:
        raise SystemExit(f"ridge schedules {kernel} --device {device} says no fields")
    return lines


def row(line):
    found = re.fullmatch(r"  (\w+)=(.*?): (.*)", line)
    if not found:
        raise SystemExit(f"ridge schedules: no field in `{line}`")
    name, values, meaning = found.groups()
    values = re.sub(r"\b(\d+) to 1073741824\b", r"\1 or more", values)
    values = re.sub(r"(such as .*), such as .*", r"\1", values)  # examples once
    if re.fullmatch(r"[a-z]+(, [a-z]+)+", values):
        values = re.sub(r"\w+", r"`\g<0>`", values)
    return [f"`{name}`", values, meaning]


if __name__ == "__main__":
    main("Fills the tables of schedule fields in docs.", PAGES, "fields", make)
