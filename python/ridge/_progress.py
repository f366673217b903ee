"""What long work is doing, for people who wait: a line in a terminal, or in a notebook."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Optional


class Progress:
    """A line on standard error that is written over, and gone at the end; nothing where nobody
    looks."""

    def __init__(self) -> None:
        self._width = 0
        self._shown = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __enter__(self) -> Progress:
        return self

    def __call__(self, line: str) -> None:
        if not self._shown:
            return
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._width:
            self("")
            sys.stderr.write("\r")
