#!/usr/bin/env python3
"""Tests that a build without a wing need not run again: those whose programs are the whole build's.

same_tests.py BUILD keep             keeps checksums of the whole build's programs and objects, in BUILD/whole.json
same_tests.py BUILD left-out WING... prints a regular expression for `ctest -E` in a build without these wings, and on
                                     standard error how many tests it leaves out, and of which programs

A test is left out where all of this holds:
- what it runs are programs of this build, each the same file as in the whole build;
- libraries and modules lack objects of the whole build's at most: those that they have are the same;
- no program asks for lists of what was announced, which are shorter without a wing;
- none holds the name of such a wing: of a header that it compiles on demand, for one.
Ninja says what is linked; other generators leave nothing out.
"""

import functools
import hashlib
import json
import pathlib
import re
import subprocess
import sys

LISTS = re.compile(r"ridge::lab::|ridge::(announced_kernels|kernel_options|pattern_rows|place_of_pattern)\(")


@functools.cache
def checksum(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_program(word, build):
    """True for a word of a test's command that is a program or library of this build."""
    file = pathlib.Path(word)
    if not file.is_absolute() or build not in file.parents or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def tests(build):
    """Names of tests that run programs of the build alone, with these."""
    for test in json.loads(output_of("ctest", "--test-dir", build, "--show-only=json-v1"))["tests"]:
        command = test.get("command", [])
        programs = [pathlib.Path(word) for word in command if is_program(word, build)]
        if programs and not re.search(r"python[\d.]*$", command[0]):
            yield test["name"], programs


def objects_of_libraries(build):
    """Objects that shared libraries, and modules that can run here, are linked of; nothing where no ninja says it."""
    file = build / "build.ninja"
    if not file.exists():
        return []
    devices = json.loads(output_of(build / "ridge", "devices", "--json"))
    here = {device["device"].partition(":")[0] for device in devices}
    found = set()
    linked = r"^build ([^:]+): CXX_(?:SHARED|MODULE)_LIBRARY_LINKER\S* ([^|\n]*)"
    for made, inputs in re.findall(linked, file.read_text(), re.M):
        module = re.search(r"/ridge_(cuda|hip)\.so", made)
        if module is None or module[1] in here:
            found.update(word for word in inputs.split() if word.endswith(".o"))
    return sorted(found)


def keep(build):
    programs = {str(program): checksum(program) for _, found in tests(build) for program in found}
    objects = {name: checksum(build / name) for name in objects_of_libraries(build)}
    (build / "whole.json").write_text(json.dumps({"programs": programs, "objects": objects}))


def why_again(build, program, whole, wings):
    """Why a program is run again; nothing where it need not be."""
    if whole["programs"].get(str(program)) != checksum(program):
        return "is another"
    if LISTS.search(output_of("nm", "-DC", "--undefined-only", program)):
        return "asks for lists"
    if re.search(rb"\b(" + "|".join(wings).encode() + rb")(/|::)", program.read_bytes()):
        return "names a wing"
    return None


def left_out(build, wings):
    whole = json.loads((build / "whole.json").read_text())
    there = objects_of_libraries(build)
    others = [name for name in there if whole["objects"].get(name) != checksum(build / name)]
    if others or not there:
        print(f"all tests are run: {len(others)} objects of libraries are not the whole build's: "
              + " ".join(others[:3]), file=sys.stderr)
        return []
    found = dict(tests(build))
    all_programs = {program for programs in found.values() for program in programs}
    why = {program: why_again(build, program, whole, wings) for program in all_programs}
    same = [name for name, programs in found.items() if not any(why[p] for p in programs)]
    of_same = sorted(p.name for p, reason in why.items() if not reason)
    again = sorted(f"{p.name} {reason}" for p, reason in why.items() if reason)
    print(f"left out: {len(same)} tests, whose programs are the whole build's: {' '.join(of_same)}\n"
          f"run again: {', '.join(again) or 'none of them'}", file=sys.stderr)
    return same


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "keep":
        keep(folder)
    else:
        print("^(" + "|".join(re.escape(name) for name in left_out(folder, sys.argv[3:])) + ")$")
