"""The rooms: each folder includes only those above it in this table (docs/concepts.md)."""

import pathlib
import re
import sys

ROOMS = [
    {"core"}, {"device"}, {"record"}, {"launch"}, {"comm"}, {"model"}, {"pattern"}, {"spatial"},
    {"stencil", "pairs", "lattice", "chain"},
    {"solve", "gradient"},
    {"tune", "doctor", "report", "io"},
    {"lab"}, {"app", "python", "c"},
]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def wrong_includes():
    for file in sorted((ROOT / "src").rglob("*.[hc]pp")):
        for included in re.findall(r"^#include <ridge/(\w+\.hpp)>", file.read_text(), re.M):
            yield f"{file.relative_to(ROOT)}: ridge/{included} is for users; name the part's own header"
    for base in ("include/ridge", "src"):
        for file in sorted((ROOT / base).rglob("*.[hc]pp")):
            room = file.relative_to(ROOT / base).parts[0]
            if base == "include/ridge" and room == file.name:  # a header for users: docs/headers.md
                continue
            if room == "precompiled.hpp":  # of all rooms: nothing of Ridge's own
                if re.search(r"#include [<\"]ridge/", file.read_text()):
                    yield f"{file.relative_to(ROOT)}: headers of rooms are not for all"
                continue
            if room not in LEVEL:
                yield f"{file}: '{room}' is no room; the rooms are {sorted(LEVEL)}"
                continue
            for other in re.findall(r"^#include <ridge/([a-z]+)/", file.read_text(), re.M):
                if other != room and LEVEL.get(other, 99) >= LEVEL[room]:
                    yield f"{file.relative_to(ROOT)}: {room} may not include {other}"


if __name__ == "__main__":
    wrong = list(wrong_includes())
    print("\n".join(wrong) or "every room includes only those above it")
    sys.exit(bool(wrong))
