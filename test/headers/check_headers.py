"""Compiles every public header alone, as the kind of translation unit it is meant for, on all cores.

What several headers include anyway, at their top as all do, is compiled once and lent to them: a header then
takes a third of the time. None is lent anything that it does not include itself. And what a header includes
before all else, lent nothing, is compiled alone with it.

Usage: check_headers.py INCLUDE_FOLDER HEADER...; the compiler is that of CXX.
"""

import concurrent.futures
import fnmatch
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NOT_HERE = None
KINDS = [  # patterns of headers, and the options of their kind
    # These need a GPU's compiler: the kernel sources of the cuda and hip builds include them.
    *((f"ridge/device/gpu/{name}.hpp", NOT_HERE)
      for name in ("bulk", "entry", "lane", "launch", "native", "tile_copy")),
    ("ridge/device/rtc/*", NOT_HERE),  # for NVRTC; test/launch/image_test.cpp compiles them
    ("ridge/*/cpu/*.hpp", ("-DRIDGE_TARGET_CPU", "-march=native")),
    ("ridge/core/pack_native.hpp", ("-DRIDGE_TARGET_CPU", "-march=native")),
    ("ridge/core/pack_math_native.hpp", ("-DRIDGE_TARGET_CPU", "-march=native")),
    ("ridge/device/simt/*", ("-DRIDGE_TARGET_SIMT",)),
    ("ridge/*/gpu/*.hpp", ("-DRIDGE_TARGET_SIMT",)),
    ("*", ()),
]
STANDARD_HEADER = 2500  # lines of one, about
OTHERS = 1.5  # headers that one must save the time of to be compiled ahead

include = pathlib.Path(sys.argv[1])
headers = sys.argv[2:]
compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", str(include)]


def kind_of(header):
    return next(options for pattern, options in KINDS if fnmatch.fnmatch(header, pattern))


@functools.cache
def first_lines(header):
    """What a header includes before its first line of code, whatever the device, and its number of lines."""
    lines = (include / header).read_text().splitlines()
    found = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith(("//", "#pragma once")):
            continue
        included = re.match(r"#include <([^>]+)>", line)
        if not included:
            break
        found.append(included[1])
    return found, len(lines)


@functools.cache
def closure(header):
    """All headers that a header includes at its top, itself and those of the standard library among them."""
    found = {header}
    if (include / header).exists():
        for other in first_lines(header)[0]:
            found |= closure(other)
    return frozenset(found)


def lines(found):
    return sum(first_lines(name)[1] if (include / name).exists() else STANDARD_HEADER for name in found)


def choose(users):
    """What is compiled ahead for headers of one kind, and which of it each gets."""
    weight = {header: lines(closure(header)) for header in {name for user in users for name in closure(user)}
              if (include / header).exists()}
    saved = dict.fromkeys(users, 0)
    chosen = {}
    while True:
        def gain(header):
            return sum(max(0, weight[header] - saved[user]) for user in users
                       if header != user and header in closure(user))

        best = max(weight, key=gain, default=None)
        if best is None or gain(best) < OTHERS * weight[best]:
            return chosen
        for user in users:
            if best != user and best in closure(user) and weight[best] > saved[user]:
                chosen[user], saved[user] = best, weight[best]


def seen_first(header, options):
    """What is compiled alone with a header that is."""
    while (found := first_lines(header)[0]) and (include / found[0]).exists() and kind_of(found[0]) == options:
        yield (header := found[0])


def compile_ahead(header, options, folder):
    lent = folder / (re.sub(r"\W", "_", " ".join((header, *options))) + ".hpp")
    lent.write_text(f"#include <{header}>\n")
    done = subprocess.run([*compiler, *options, "-x", "c++-header", lent, "-o", f"{lent}.gch"])
    if done.returncode != 0:
        sys.exit(f"not self-contained: {header}")
    return lent


def compiles(header, options, lent):
    words = ["-Winvalid-pch", "-include", lent] if lent else []
    done = subprocess.run([*compiler, *options, *words, "-fsyntax-only", "-x", "c++", "-"], text=True,
                          input=f"#include <{header}>\n")
    if done.returncode != 0:
        print(f"not self-contained: {header}", file=sys.stderr, flush=True)
    return done.returncode == 0


def main():
    kinds = {options: [header for header in headers if kind_of(header) == options]
             for options in {kind_of(header) for header in headers} - {NOT_HERE}}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = {options: choose(users) for options, users in kinds.items()}
        # With g++ alone: clang takes compiled headers another way.
        if b"Free Software" not in subprocess.run([compiler[0], "--version"], capture_output=True).stdout:
            chosen = {options: {} for options in kinds}
        ahead = {(header, options): pool.submit(compile_ahead, header, options, pathlib.Path(folder))
                 for options, users in chosen.items() for header in sorted(set(users.values()))}
        lent = {key: made.result() for key, made in ahead.items()}
        work = []
        for options, users in kinds.items():
            first = [user for user in users if user not in chosen[options]]
            first += [header for header, kind in lent if kind == options]
            done = {name for header in first for name in seen_first(header, options)}
            done |= {header for header, kind in lent if kind == options}
            work += [(user, options, lent.get((chosen[options].get(user), options)))
                     for user in users if user not in done]
        good = list(pool.map(lambda words: compiles(*words), work))
    print(f"checked {sum(map(len, kinds.values()))} headers of {len(headers)}: {len(lent)} first, lent to others, "
          f"then {len(work)}")
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())
