"""A built-in kernel is one file: no other names it (docs/kernels.md)."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = sorted(header for folder in (ROOT, *(ROOT / "wings").iterdir())
                 for header in (folder / "include/ridge/lab/kernels").glob("*/*.hpp"))
# What messages, the lab's first rows and planted patients name as the usual ones, and words of other
# things; and those that --levels is for.
USUAL = {"elements", "running-sum", "tridiagonal", "diffusion",
         "laplacian", "laplacian8", "heat", "wave", "gravity", "lattice-sum", "lattice-norm2", "lattice-axpy"}


def sources():
    for folder in ("include", "src", "python", "cmake", "wings"):
        for file in sorted((ROOT / folder).rglob("*.*")):
            if file.suffix in (".hpp", ".cpp", ".py", ".cmake", ".in", ".txt") and "/test/" not in str(file):
                yield file.relative_to(ROOT), file.read_text()


def names_of(header):
    """The names of a header's entries: `name = "box27"`, or four of orders."""
    found = re.findall(r'\bname\s*=\s*(?:by_order<Order>\()?("[^;]*)', header.read_text())
    return [name for text in found for name in re.findall(r'"([^"]+)"', text)]


def wrong_files(texts):
    names = {name: str(header.relative_to(ROOT)) for header in HEADERS for name in names_of(header)}
    if len(names) < 31:
        yield f"only {sorted(names)} found in {len(HEADERS)} headers"
    for name, home in names.items():
        files = [str(file) for file, text in texts if re.search(rf'"{name}\b', text)]
        if name not in USUAL and files != [home]:
            yield f"{name} is named in {len(files)} files, {', '.join(files)}; {home} alone is right"


if __name__ == "__main__":
    wrong = list(wrong_files(list(sources())))
    print("\n".join(wrong) or f"each of {len(list(HEADERS))} headers of built-in kernels is all that names them")
    sys.exit(bool(wrong))
