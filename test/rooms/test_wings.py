"""A wing is a folder: it includes rooms above the command, and no room and no other wing names it.

`python test_wings.py --list WING` prints the lines that name it elsewhere."""

import pathlib
import re
import sys

from test_rooms import LEVEL, ROOT

# The lines that each wing takes in files that are not its own. Lower a bound when you take lines away: the aim is eight.
# Two of grid's say "grid" of others: a field of schedules, and a column of a table.
MOST = {"atmosphere": 0, "gauge": 0, "grid": 4}
FOLDERS = ("include", "src", "cmake", "python")
COMMENT = r"^\s*(//|\*|#(?!include|if|define))"


def lines_of(wing):
    """Code that names a wing's namespace, headers, library or name as text."""
    name = re.compile(rf"\b{wing}::|(<ridge/|\"(\.\./)*|\bwings/){wing}[/.\"]|\bridge_{wing}\b|\badd_{wing}\b")
    files = [f for folder in FOLDERS for f in sorted((ROOT / folder).rglob("*.*"))]
    for file in [ROOT / "CMakeLists.txt", *files]:
        if file.suffix not in (".hpp", ".cpp", ".in", ".cmake", ".txt", ".py"):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if not re.match(COMMENT, line) and name.search(line):
                yield f"{file.relative_to(ROOT)}:{number}: {line.strip()}"


def included(file):
    """Rooms and wings whose headers a file includes."""
    return re.findall(r"^#include (?:<ridge/|\")(\w+)/", file.read_text(), re.M)


def wrong_includes(wing):
    """A wing's command may include the room of the commands, its part of the Python package that, all else of it rooms
    above these."""
    folder = ROOT / "wings" / wing
    fronts = {"app", "python", "c"}
    for part, more in {"include": set(), "src": set(), "io": set(), "command": {"app"}, "python": {"python"}}.items():
        for file in sorted((folder / part).rglob("*.[hc]pp")):
            for room in included(file):
                if room != wing and (room not in LEVEL or room in fronts - more):
                    yield f"{file.relative_to(ROOT)}: the wing {wing} may not include {room}"


if __name__ == "__main__":
    if "--list" in sys.argv:
        print("\n".join(lines_of(sys.argv[-1])))
        sys.exit()
    wings = sorted(f.name for f in (ROOT / "wings").iterdir() if f.is_dir())
    wrong = [w for wing in wings for w in wrong_includes(wing)]
    counts = {wing: len(list(lines_of(wing))) for wing in wings}
    wrong += [f"{w}: {n} lines in files that are not its own, more than {MOST.get(w, 8)}; --list {w} prints them"
              for w, n in counts.items() if n > MOST.get(w, 8)]
    print("\n".join(wrong) or "; ".join(f"{w}: {n} lines elsewhere" for w, n in counts.items()))
    sys.exit(bool(wrong))
