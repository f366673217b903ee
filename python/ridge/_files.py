"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def replacing(name: str) -> Iterator[str]:
    """The name of a draft beside the file. It takes the file's place at the end, on the disk before its name leads to
    it, and is removed where that fails."""
    folder = os.path.dirname(name) or "."
    draft = os.path.join(folder, f".{os.path.basename(name)}.{os.getpid()}.partial")
    try:
        yield draft
        _sync(draft, os.O_RDONLY)
        os.replace(draft, name)
        _sync(folder, os.O_RDONLY | os.O_DIRECTORY)
    finally:
        if os.path.exists(draft):
            os.remove(draft)


def _sync(name: str, how: int) -> None:
    file = os.open(name, how)
    try:
        os.fsync(file)
    finally:
        os.close(file)
