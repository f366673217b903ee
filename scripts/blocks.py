"""Parts of a document that a program writes: between `<!-- KIND: WORDS -->` and `<!-- end -->`."""

import argparse
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def words_of(text, kind):
    """The words of all blocks of a kind, a list a block."""
    return [found.group(1).split() for found in re.finditer(_marker(kind), text)]


def filled(text, kind, make):
    """The document with what `make(words)` gives, lines without an end, in each block of the kind."""
    begun = len(words_of(text, kind))
    block = rf"({_marker(kind)})(?:(?!<!--).)*?(<!-- end -->)"
    out, ended = re.subn(
        block, lambda m: "\n".join([m[1], *make(m[2].split()), m[3]]), text, flags=re.DOTALL)
    if ended != begun:
        raise SystemExit(f"of {begun} blocks `<!-- {kind}: ... -->` only {ended} have an `<!-- end -->`")
    return out


def table(titles, rows):
    """Lines of a table in Markdown, without the columns that are empty in every row."""
    kept = [i for i in range(len(titles)) if any(row[i] for row in rows)]
    line = lambda cells: "| " + " | ".join(cells[i] for i in kept) + " |"
    return [line(titles), "|" + "---|" * len(kept), *map(line, rows)]


def write(path, text):
    """Writes a whole document or none."""
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    os.replace(part, path)


def main(meaning, pages, kind, make):
    """Fills the blocks of these pages; with --check says which differ instead."""
    arguments = argparse.ArgumentParser(description=meaning)
    arguments.add_argument("--check", action="store_true",
                           help="change nothing; exit 1 if a page would change")
    check = arguments.parse_args().check
    stale = []
    for page in pages:
        before = page.read_text()
        after = filled(before, kind, make)
        if after != before:
            stale.append(page)
            if not check:
                write(page, after)
    for page in stale:
        print(f"{page.relative_to(ROOT)} {'is not what this script makes' if check else 'is written'}")
    sys.exit(1 if check and stale else 0)


def _marker(kind):
    return rf"<!-- {kind}: ([^>]*?) -->"
