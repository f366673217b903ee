"""A wing is a folder: it includes rooms above the command, and no room and no other wing names it.

`python test_wings.py --list WING` prints the lines that name it elsewhere."""

import functools
import pathlib
import re
import sys

from test_rooms import LEVEL, ROOT

# The lines that each wing takes in files that are not its own. Lower a bound when you take lines away: the aim is eight.
MOST = {"atmosphere": 0, "bodies": 0, "gauge": 0, "grid": 2, "md": 0, "systems": 1, "tiny": 0}
FOLDERS = ("include", "src", "cmake", "python")
# Those of the house, and one that stands for a user's own (RIDGE_WINGS_PATH).
WINGS = {f.name: f for base in ("wings", "test/wing") for f in sorted((ROOT / base).iterdir()) if f.is_dir()}
COMMENT = r"^\s*(//|\*|#(?!include|if|define))"


def name_of(wing):
    """What names a wing: its folder, namespaces and library; its commands, as text too; its modules of Python."""
    folder = WINGS[wing]
    texts = [file.read_text() for file in sorted(folder.rglob("*.[hc]pp"))]
    found = {space for text in texts for space in re.findall(r"^namespace ridge::(\w+)", text, re.M)}
    own = "|".join({wing} | found - LEVEL.keys() - {"wings"})
    modules = "|".join(file.stem for file in sorted((folder / "python").glob("*.py*"))) or "(?!)"
    commands = "|".join(c for text in texts for c in re.findall(r'\bline\.add_command\(\s*"(\w+)"', text)) or "(?!)"
    return re.compile(rf"\b({own})::|[<\"/]({own})/|\bridge_({own})\b|\b(from|import) \.?({modules})\b|"
                      rf"\badd_({commands})\b|\"(ridge )?({commands})\b")


@functools.cache
def code():
    """Lines of code: file, number, text."""
    files = [f for folder in FOLDERS for f in sorted((ROOT / folder).rglob("*.*"))]
    return [(file.relative_to(ROOT), number, line) for file in [ROOT / "CMakeLists.txt", *files]
            if file.suffix in (".hpp", ".cpp", ".in", ".cmake", ".txt", ".py")
            for number, line in enumerate(file.read_text().splitlines(), 1) if line and not re.match(COMMENT, line)]


def lines_of(wing):
    """Code that names a wing, or one of its headers, wherever these lie."""
    name = name_of(wing)
    include = WINGS[wing] / "include"
    headers = {str(file.relative_to(include)) for file in include.rglob("*.hpp")}
    for file, number, line in code():
        header = line.partition("<ridge/")[2].partition(">")[0]
        if f"ridge/{header}" in headers or name.search(line):
            yield f"{file}:{number}: {line.strip()}"


def included(file):
    """Rooms and wings whose headers a file includes."""
    for path in re.findall(r"^#include (?:<ridge/|\")([\w./]+)/", file.read_text(), re.M):
        if path.startswith(".."):  # from one folder of a wing to another
            path = (file.parent / path).resolve()
            path = next((path.relative_to(f.parent) for f in WINGS.values() if f.parent in path.parents), None)
            if path is None:  # a program of the examples
                continue
        yield pathlib.PurePath(path).parts[0]


def wrong_includes(wing):
    """A wing's commands may include the room app, its part of the package python, all else of it rooms above those."""
    for file in sorted(WINGS[wing].rglob("*.[hc]pp")):
        part = file.relative_to(WINGS[wing]).parts[0]
        for room in included(file):
            below = room in ("app", "python", "c") and room != {"command": "app"}.get(part, part)
            if room != wing and (room not in LEVEL or below and part != "test"):
                yield f"{file.relative_to(ROOT)}: the wing {wing} may not include {room}"


if __name__ == "__main__":
    if "--list" in sys.argv:
        print("\n".join(lines_of(sys.argv[-1])))
        sys.exit()
    wrong = [w for wing in WINGS for w in wrong_includes(wing)]
    counts = {wing: len(list(lines_of(wing))) for wing in WINGS}
    wrong += [f"{w}: {n} lines in files that are not its own, more than {MOST.get(w, 8)}; --list {w} prints them"
              for w, n in counts.items() if n > MOST.get(w, 8)]
    print("\n".join(wrong) or "; ".join(f"{w}: {n} lines elsewhere" for w, n in counts.items()))
    sys.exit(bool(wrong))
