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
        #: Whether somebody looks.
        self.shown = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __enter__(self) -> Progress:
        return self

    def __call__(self, line: str) -> None:
        if not self.shown:
            return
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._width:
            self("")
            sys.stderr.write("\r")


class _Compiling:
    """What the library tells of compilers that run."""

    def __init__(self) -> None:
        self._line: Optional[Progress] = None
        self._logged = False

    def __call__(self, line: str, is_long: bool, over: bool) -> None:
        """Shows the line of a compilation, or at its end removes it. Where nobody looks, a long one
        is said once."""
        if over:
            if self._line is not None:
                self._line.__exit__(None, None, None)
            self._line, self._logged = None, False
            return
        if self._line is None:
            self._line = Progress()
        self._line("ridge: " + line)
        if is_long and not self._line.shown and not self._logged:
            self._logged = True
            sys.stderr.write(f"ridge: {line}\n")
            sys.stderr.flush()


#: Called by the library.
compiling = _Compiling()
