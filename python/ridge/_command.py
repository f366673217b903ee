"""The `ridge` command that comes along."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from . import _core
from ._extents import extents_of
from ._options import text_of


#: How variables begin by which launchers of MPI tell processes that they are ranks.
_LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS")


def command_file() -> str:
    """Where the command is: in the package, else, in a build tree, beside the library."""
    beside = Path(_core.folder_of_library())
    for candidate in (beside.parent / "bin" / "ridge", beside.parent / "ridge"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise _core.Failure(f"the command is not beside the library in {beside}")


def run_command(words: Sequence[str], *, may_fail_with: Optional[Path] = None) -> str:
    """Runs the command and returns what it prints. Raises UsageError or Failure with its one line;
    not where it wrote the file `may_fail_with` before."""
    # A rank's launcher is the process's own: the command does not join its ranks.
    alone = {k: v for k, v in os.environ.items() if not k.startswith(_LAUNCHERS)}
    done = subprocess.run([command_file(), *words], capture_output=True, text=True, check=False,
                          env=alone)
    if done.returncode != 0 and not (may_fail_with is not None and may_fail_with.exists()):
        message = done.stderr.strip().removeprefix("ridge: ")
        raise (_core.UsageError if done.returncode == 2 else _core.Failure)(message)
    return done.stdout


def built_in_words(kernel: str, arrays: Sequence[Any] = (), out: Any = None,
                   numbers: Mapping[str, float] = {}, *, size: Union[int, Sequence[int], None],
                   device: Optional[str], precision: Optional[str]) -> list[str]:
    """What the command is told of a built-in kernel. `size` is in the order of NumPy's shapes."""
    if arrays or out is not None or numbers:
        raise TypeError(f"'{kernel}' is a built-in kernel, which makes its own arrays: give size=")
    words = [kernel]
    if device is not None:
        words += ["--device", text_of(device, f"{kernel}: device", "cpu")]
    if size is not None:
        extents = extents_of(size, f"{kernel}: size")
        if not extents or min(extents) < 1:
            raise _core.UsageError(f"{kernel}: size={size}; numbers of at least 1 are right, x last")
        words += ["--size", "x".join(map(str, reversed(extents)))]
    if precision is not None:
        words += ["--precision", text_of(precision, f"{kernel}: precision", "fp32")]
    return words
