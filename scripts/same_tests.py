#!/usr/bin/env python3
"""Tests that a build without a wing need not run again: those whose programs are the whole build's.

same_tests.py BUILD keep             keeps checksums of the whole build's objects, and what programs are linked of, in
                                     BUILD/whole.json
same_tests.py BUILD left-out WING... prints a regular expression for `ctest -E` in a build without these wings, and on
                                     standard error how many tests it leaves out, and of which programs

A test is left out where all of this holds:
- what it runs are programs of this build, each linked of the same objects as in the whole build (the files differ: what
  they offer to libraries depends on these);
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
        if programs and not any(re.search(r"/python[\d.]*$", word) for word in command):
            yield test["name"], programs


def links(build):
    """What ninja links: file, kind, objects."""
    file = build / "build.ninja"
    text = file.read_text() if file.exists() else ""
    linked = r"^build ([^:|]+): \w+?_(EXECUTABLE|SHARED_LIBRARY|STATIC_LIBRARY|MODULE_LIBRARY)_LINKER\S* ([^|\n]*)"
    for made, kind, inputs in re.findall(linked, text, re.M):
        yield made.strip(), kind, [word for word in inputs.split() if word.endswith(".o")]


def objects_of_programs(build):
    """Objects of each test's programs; of what ninja does not link itself none."""
    objects = {str(build / made): found for made, kind, found in links(build) if kind != "STATIC_LIBRARY"}
    programs = {str(program) for _, found in tests(build) for program in found}
    return {program: objects.get(program, []) for program in programs}


def objects_of_libraries(build):
    """Objects of libraries, and of modules that programs can load here; nothing where no ninja says it."""
    devices = json.loads(output_of(build / "ridge", "devices", "--json"))
    here = {device["device"].partition(":")[0] for device in devices}
    found = set()
    for made, kind, objects in links(build):
        module = re.search(r"/ridge_(cuda|hip)\.so", made)
        is_loaded = not made.startswith("python/") and (module is None or module[1] in here)
        if kind != "EXECUTABLE" and is_loaded and (build / made).exists():
            found.update(objects)
    return sorted(found)


def checksums(build, names):
    return {name: checksum(build / name) for name in names}


def keep(build):
    programs = objects_of_programs(build)
    objects = {*objects_of_libraries(build), *(name for found in programs.values() for name in found)}
    (build / "whole.json").write_text(json.dumps({"programs": programs, "objects": checksums(build, sorted(objects))}))


def others(build, names, whole):
    """Those that are not the whole build's."""
    return [name for name, found in checksums(build, names).items() if whole["objects"].get(name) != found]


def why_again(build, program, objects, whole, wings):
    """Why a program is run again; nothing where it need not be."""
    if not objects or whole["programs"].get(program) != objects or others(build, objects, whole):
        return "is another"
    if LISTS.search(output_of("nm", "-DC", "--undefined-only", program)):
        return "asks for lists"
    if re.search(rb"\b(" + "|".join(wings).encode() + rb")(/|::)", pathlib.Path(program).read_bytes()):
        return "names a wing"
    return None


def left_out(build, wings):
    whole = json.loads((build / "whole.json").read_text())
    there = objects_of_libraries(build)
    unlike = others(build, there, whole)
    if unlike or not there:
        print(f"all tests are run: {len(unlike)} objects of libraries are not the whole build's: "
              + " ".join(unlike[:3]), file=sys.stderr)
        return []
    why = {program: why_again(build, program, objects, whole, wings)
           for program, objects in objects_of_programs(build).items()}
    same = [name for name, programs in tests(build) if not any(why[str(program)] for program in programs)]
    of_same = sorted(pathlib.Path(program).name for program, reason in why.items() if not reason)
    again = sorted(f"{pathlib.Path(program).name} {reason}" for program, reason in why.items() if reason)
    print(f"left out: {len(same)} tests, whose programs are the whole build's: {' '.join(of_same)}\n"
          f"run again: {', '.join(again) or 'none of them'}", file=sys.stderr)
    return same


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "keep":
        keep(folder)
    else:
        print("^(" + "|".join(re.escape(name) for name in left_out(folder, sys.argv[3:])) + ")$")
