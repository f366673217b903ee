"""Compiles every public header alone, as the kind of translation unit it is meant for, on all cores.

A header that another includes at its top, before its first line of code, is compiled with it, before it: there it
is seen alone, and gives the other nothing that this does not include itself. So one compilation is for a chain of
headers, each of which includes the one before. What several chains' ends include anyway is compiled once and lent
to them.

A third of the chains is compiled, which the second of the commit chooses, and each that holds a header of ridge/
itself or one that the last commit or the working tree changes. RIDGE_HEADERS=all compiles all, as `make check-all` does.

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
PARTS = 3
OTHER_DIGITS = 54  # of a commit's second, by which .ci/run chooses other things
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


def chains(users):
    """As few chains as there can be that hold each header of a kind once: each includes the one before."""
    includers = {user: sorted((other for other in users if user != other and user in closure(other)),
                              key=lambda other: (len(closure(other)), other)) for user in users}
    before = {}

    def give(user, asked):
        """Finds the header that comes next after one; others may have to take another (Kuhn 1955)."""
        for other in includers[user]:
            if other not in asked:
                asked.add(other)
                if other not in before or give(before[other], asked):
                    before[other] = user
                    return True
        return False

    for user in users:
        give(user, set())
    found = []
    for last in set(users) - set(before.values()):
        chain = [last]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        found.append(chain[::-1])
    return found


def git(*words):
    """The output of git; None where there is no repository, or no such commit."""
    try:
        told = subprocess.run(["git", *words], capture_output=True, text=True, cwd=pathlib.Path(__file__).parent)
    except FileNotFoundError:
        return None
    return told.stdout if told.returncode == 0 else None


def part_chosen():
    """Which part of the chains; None for all, which are looked at where there is no commit to tell."""
    moment = None if os.environ.get("RIDGE_HEADERS") == "all" else git("log", "-1", "--format=%ct")
    return int(moment) // OTHER_DIGITS % PARTS if moment else None


def some_of(users, part, changed):
    """The headers of a part's chains, and of those with a changed one or what users include: ridge/NAME.hpp."""
    if part is None:
        return users
    return [header for number, chain in enumerate(sorted(chains(users))) for header in chain
            if number % PARTS == part or any(other.count("/") == 1 or other in changed for other in chain)]


def compile_ahead(header, options, folder):
    lent = folder / (re.sub(r"\W", "_", " ".join((header, *options))) + ".hpp")
    lent.write_text(f"#include <{header}>\n")
    done = subprocess.run([*compiler, *options, "-x", "c++-header", lent, "-o", f"{lent}.gch"])
    if done.returncode != 0:
        sys.exit(f"not self-contained: {header}")
    return lent


def compiles(chain, options, lent):
    words = ["-Winvalid-pch", "-include", lent] if lent else []
    done = subprocess.run([*compiler, *options, *words, "-fsyntax-only", "-x", "c++", "-"], text=True,
                          input="".join(f"#include <{header}>\n" for header in chain))
    if done.returncode != 0:
        print(f"not self-contained, one of: {' '.join(chain)}", file=sys.stderr, flush=True)
    return done.returncode == 0


def main():
    part = part_chosen()
    changed = {file.partition("include/")[2] for file in (git("diff", "--name-only", "HEAD~1") or "").splitlines()}
    kinds = {options: some_of([header for header in headers if kind_of(header) == options], part, changed)
             for options in {kind_of(header) for header in headers} - {NOT_HERE}}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # With g++ alone: clang takes compiled headers another way.
        gnu = b"Free Software" in subprocess.run([compiler[0], "--version"], capture_output=True).stdout
        chosen = {options: choose(users) if gnu else {} for options, users in kinds.items()}
        ahead = {(header, options): pool.submit(compile_ahead, header, options, pathlib.Path(folder))
                 for options, users in chosen.items() for header in sorted(set(users.values()))}
        lent = {key: made.result() for key, made in ahead.items()}
        work = []
        for options, users in kinds.items():
            for header in {*chosen[options].values(), None}:
                alike = [user for user in users if chosen[options].get(user) == header and (user, options) not in lent]
                work += [(chain, options, lent.get((header, options))) for chain in chains(alike)]
        good = list(pool.map(lambda words: compiles(*words), work))
    found = {header for chain, *_ in work for header in chain} | {header for header, _ in lent}
    assert found >= {header for users in kinds.values() for header in users}
    which = "all" if part is None else f"part {part} of 0 to {PARTS - 1}"
    print(f"checked {len(found)} headers of {len(headers)}, {which}, in {len(lent) + len(work)} compilations")
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())
