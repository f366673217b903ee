"""A pattern is its own folders and a few lines: what it is called, no other file asks (docs/design/house.md).

`python test_patterns.py --list PATTERN` prints the lines; `--glue` counts the files that describe kernels to the
tuner, the lab, the doctor, the model and Python."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The lines that each pattern takes in files that are not its own. Lower a bound when you take lines away: the aim is
# eight for each, and a new pattern has no more.
MOST = {"stencil": 7, "sweeps": 4, "pairs": 5, "lattice": 7, "chain": 3, "gathers": 0}  # the last: test/pattern
# A pattern's own: its folders and its built-in kernels.
OWN = r"(include/ridge|src)/{pattern}(/|\.hpp)|(include/ridge|src)/lab/kernels/{pattern}"
HOME = {"sweeps": "stencil"}  # in whose folder a pattern lies until it has its own
# Programs for people's own data call patterns as any program of a user's does.
PROGRAMS = (r"(include/ridge|src)/(apps|gradient|solve)/|src/app/(apply|evolve|spacing|solve)|"
            r"src/lab/solve_own\.cpp|"  # for the command and for Python
           r"include/ridge/\w+\.hpp")  # headers for users name all that they bring
COMMENT = r"^\s*//|^\s*\*|^\s*#(?!include|if|define)"


def sources():
    for folder in ("include", "src", "cmake"):
        for file in sorted((ROOT / folder).rglob("*.*")):
            if file.suffix in (".hpp", ".cpp", ".in", ".cmake", ".txt"):
                yield str(file.relative_to(ROOT)), file.read_text()


def lines_of(pattern, texts):
    """Code that names a pattern's namespace, its header, its name as text or a class called after it."""
    name = re.compile(rf"\b{pattern}::|[<\"/]{pattern}/|\"{pattern}\"|\b(describe|ahead)_{pattern}\b")
    for file, text in texts:
        home = OWN.format(pattern=HOME.get(pattern, pattern))
        if re.match(home, file) or re.match(PROGRAMS, file):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if not re.match(COMMENT, line) and name.search(line):
                yield f"{file}:{number}: {line.strip()}"


def glue(texts):
    """Files that stand between patterns and those who use kernels of any."""
    folders = r"(include/ridge|src)/(lab|tune|doctor|python)/|src/app/(model|schedules|bench|tune|doctor|kernel_opt)"
    for file, text in texts:
        if re.match(folders, file) and "/kernels/" not in file and any(True for p in MOST for _ in lines_of(
                p, [(file, text)])):
            yield file, len(text.splitlines())


if __name__ == "__main__":
    all_texts = list(sources())
    if "--list" in sys.argv:
        print("\n".join(lines_of(sys.argv[-1], all_texts)))
        sys.exit()
    if "--glue" in sys.argv:
        files = list(glue(all_texts))
        print("\n".join(f"{n:6} {f}" for f, n in files))
        print(f"{len(files)} files, {sum(n for _, n in files)} lines")
        sys.exit()
    counts = {pattern: len(list(lines_of(pattern, all_texts))) for pattern in MOST}
    wrong = [f"{p} takes {n} lines in files that are not its own, more than {MOST[p]}; --list {p} prints them"
             for p, n in counts.items() if n > MOST[p]]
    print("\n".join(wrong) or "; ".join(f"{p}: {n} lines of {MOST[p]}" for p, n in counts.items()))
    sys.exit(bool(wrong))
