"""A kind of device is its own files and a few lines: what it is called, no other file asks
(CONTRIBUTING.md)."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A kind's own: its folder, and how its kernels are compiled on demand and ahead. GPUs share a folder.
OWN = r"(include/ridge|src)/([a-z]+/)?({kind}|gpu)/|src/launch/kinds/{kind}\.cpp|cmake/kinds/{kind}\.cmake"
# What every kind has lines in, or is listed by.
TABLES = ["include/ridge/core/kinds.hpp", "include/ridge/core/config.hpp",
          "include/ridge/device/device.hpp", "include/ridge/device/offer.hpp",
          "src/device/kinds.cpp", "src/device/kinds.hpp",
          "src/launch/kinds/kinds.cpp", "src/launch/kinds/kinds.hpp", "CMakeLists.txt",
          "src/CMakeLists.txt", "test/CMakeLists.txt", "cmake/RidgeToolchains.cmake",
          "cmake/RidgeKernels.cmake", "cmake/RidgeInstall.cmake", "cmake/ridge-config.cmake.in",
          "cmake/ridge.pc.in"]
# Files about one kind, which CMake has to be told of: its yardstick, its tests.
ABOUT_ONE = r"lattice/cuda/cub_sum\.cpp|add_subdirectory\(hip\)|if\(RIDGE_WITH_HIP\)"
MOST_LINES = 8


def sources():
    for folder in ("include", "src", "cmake"):
        for file in sorted((ROOT / folder).rglob("*.*")):
            if file.suffix in (".hpp", ".cpp"):
                yield str(file.relative_to(ROOT)), file.read_text()
    for file in TABLES:
        if not file.endswith(("hpp", "cpp")):
            yield file, (ROOT / file).read_text()


def wrong_names(texts):
    """Files that ask what a device is called."""
    for file, text in texts:
        for kind in ("cuda", "hip"):
            if re.match(OWN.format(kind=kind), file):
                continue
            for number, line in enumerate(text.splitlines(), 1):
                if re.search(rf"DeviceKind::{kind}\b", line):
                    yield (f"{file}:{number}: names {kind}; ask for a fact of its row "
                           "(include/ridge/device/kind.hpp)")


def lines_of(kind, texts):
    """Those that a kind takes in files that are not its own."""
    names = re.compile(rf"(?<![A-Za-z])({kind}|{kind.capitalize()}|{kind.upper()})(?![A-Za-z])")
    for file, text in texts:
        if file not in TABLES:
            continue
        comment = "//" if file.endswith("pp") else "#"
        block = False  # of the preprocessor, for this kind
        for number, whole in enumerate(text.splitlines(), 1):
            # What a compiler calls itself is of its language, as in all code for GPUs.
            line = re.sub(r"\b__\w+", "", whole.split(comment)[0] if comment == "//" or
                          whole.lstrip().startswith("#") else whole).strip()
            if re.search(ABOUT_ONE, line):
                continue
            named = bool(names.search(line.replace("_", " ")))
            if line.startswith(("#if", "#el", "#endif")):
                block = named
            if line and (named or block):
                yield f"{file}:{number}: {line}"


def wrong_counts(texts):
    for kind in ("cuda", "hip"):
        lines = list(lines_of(kind, texts))
        if not any(line.startswith("include/ridge/core/kinds.hpp") for line in lines):
            yield f"{kind} is not in the list of kinds"
        if len(lines) > MOST_LINES:
            yield (f"{kind} takes {len(lines)} lines beside its own files, more than {MOST_LINES}:\n"
                   + "\n".join(lines))


if __name__ == "__main__":
    texts = list(sources())
    wrong = [*wrong_names(texts), *wrong_counts(texts)]
    lines = list(lines_of("hip", texts))
    print("\n".join(wrong) or
          f"a kind of device takes its own files and {len(lines)} lines beside them:\n" + "\n".join(lines))
    sys.exit(bool(wrong))
