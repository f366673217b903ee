"""The `ridge` command that comes along."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import _core


def command_file() -> str:
    """Where the command is: in the package, else, in a build tree, beside the library."""
    beside = Path(_core.library_folder())
    for candidate in (beside.parent / "bin" / "ridge", beside.parent / "ridge"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise _core.Failure(f"the command is not beside the library in {beside}")


def run_command(words: Sequence[str]) -> str:
    """Runs the command and returns what it prints. Raises Failure with its one line."""
    done = subprocess.run([command_file(), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = done.stderr.strip().removeprefix("ridge: ")
        raise (_core.UsageError if done.returncode == 2 else _core.Failure)(message)
    return done.stdout
