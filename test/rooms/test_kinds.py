"""A kind of device is a row of facts: what it is called, no other file asks (CONTRIBUTING.md)."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A kind's own: one folder, and how its kernels are compiled on demand. Those of GPUs share one.
OWN = r"(include/ridge|src)/([a-z]+/)?({kind}|gpu)/|src/launch/kinds/{kind}\.cpp"
# What every kind has lines in.
TARGETS = ["include/ridge/core/config.hpp", "include/ridge/device/device.hpp",
           "include/ridge/device/dispatch.hpp", "include/ridge/device/offer.hpp"]
TABLES = ["src/device/kinds.cpp", "src/device/kinds.hpp", "src/launch/kinds/kinds.cpp",
          "src/launch/kinds/kinds.hpp"]
MOST_LINES = 20


def sources():
    for folder in ("include", "src"):
        for file in sorted((ROOT / folder).rglob("*.[hc]pp")):
            yield str(file.relative_to(ROOT)), file.read_text()


def wrong_names(texts):
    """Files that ask what a device is called."""
    for file, text in texts:
        for kind in ("cuda", "hip"):
            if file in TARGETS + TABLES or re.match(OWN.format(kind=kind), file):
                continue
            for number, line in enumerate(text.splitlines(), 1):
                if re.search(rf"DeviceKind::{kind}\b", line):
                    yield (f"{file}:{number}: names {kind}; ask for a fact of its row "
                           "(include/ridge/device/kind.hpp)")


def lines_of(kind, texts):
    """Those that a kind takes in files that are not its own."""
    names = re.compile(rf"(?<![A-Za-z])({kind}|{kind.capitalize()}|{kind.upper()})(?![A-Za-z])")
    for file, text in texts:
        if file not in TARGETS + TABLES:
            continue
        block = False  # of the preprocessor, for this kind
        for number, whole in enumerate(text.splitlines(), 1):
            # What a compiler calls itself is of its language, as in all code for GPUs.
            line = re.sub(r"\b__\w+", "", whole.split("//")[0]).strip()
            named = bool(names.search(line.replace("_", " ")))
            ends = block and line.startswith("#endif")
            if line.startswith(("#if", "#el", "#endif")):
                block = named
            if line and (named or block or ends):
                yield f"{file}:{number}: {line}"


def wrong_counts(texts):
    for kind in ("cuda", "hip"):
        lines = list(lines_of(kind, texts))
        tables = [line for line in lines if line.split(":")[0] in TABLES]
        if len(tables) != len(TABLES):
            yield f"{kind} has {len(tables)} lines in the tables, not one in each: {tables}"
        if len(lines) > MOST_LINES:
            yield (f"{kind} takes {len(lines)} lines beside its own files, more than {MOST_LINES}:\n"
                   + "\n".join(lines))


if __name__ == "__main__":
    texts = list(sources())
    wrong = [*wrong_names(texts), *wrong_counts(texts)]
    count = len(list(lines_of("hip", texts)))
    print("\n".join(wrong) or f"a kind of device takes its own files and {count} lines beside them")
    sys.exit(bool(wrong))
