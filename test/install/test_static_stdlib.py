"""test_static_stdlib.py BUILD: libridge, linked with libstdc++.a, exports nothing of it.

A process has one object of each name that is marked as unique, such as the number of a facet of locales: where NumPy
has brought another libstdc++, the library would take that number, and its own facets."""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

NUMBER = "_ZNSt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEE2idE"


def link_of(build: pathlib.Path) -> tuple[str, pathlib.Path]:
    """The command that links the library, and where it runs."""
    made_by_make = build / "src/CMakeFiles/ridge.dir/link.txt"
    if made_by_make.exists():
        return made_by_make.read_text().splitlines()[0], build / "src"
    library = (build / "lib/libridge.so").resolve().relative_to(build)
    commands = subprocess.run(["ninja", "-t", "commands", str(library)], cwd=build, check=True, capture_output=True,
                              text=True).stdout
    return commands.splitlines()[-1], build


def names_of(*words: object) -> str:
    return subprocess.run(["nm", *map(str, words)], check=True, capture_output=True, text=True).stdout


build = pathlib.Path(sys.argv[1]).resolve()
command, where = link_of(build)
with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder, "libridge.so")
    command, outputs = re.subn(r" -o \S+", f" -static-libstdc++ -o {shlex.quote(str(made))}", command)
    assert outputs == 1, command
    subprocess.run(command, shell=True, cwd=where, check=True)
    assert NUMBER in names_of(made), "libstdc++.a is not in it"
    seen = [line for line in names_of("-D", "--defined-only", made).splitlines() if NUMBER in line]
    assert not seen, f"others see {seen}"
