"""The processes that a launcher, such as mpirun, has started together."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Optional

from . import _core


@dataclass(frozen=True)
class Ranks:
    """This process among those that were started together."""

    rank: int
    size: int
    device: str  #: the GPU that is this rank's, in turn on each machine, or `cpu`
    library: str  #: what carries messages: "Open MPI v4.1.4", or "one rank"


_known: list[Ranks] = []


def ranks() -> Ranks:
    """The ranks that mpirun has started, or this process alone. The first call starts MPI, unless
    mpi4py has, and is collective. From then on an error that a rank does not catch ends all of them,
    and so does sys.exit(code) with another code than 0. (Not where mpi4py has started MPI: it waits
    for all ranks first. `python -m mpi4py script.py` ends them there.)

    Raises Failure where the launcher is of another MPI than the one ridge was built with."""
    if not _known:
        _known.append(Ranks(*_core.ranks()))
        if _known[0].size > 1:
            _end_together()
    return _known[0]


def _end_together() -> None:
    before = sys.excepthook

    def hook(kind: type[BaseException], value: BaseException, trace: Optional[TracebackType]) -> None:
        if not _core.claim_last_words():
            time.sleep(10)  # another rank has said why, and ends all
        before(kind, value, trace)
        sys.stderr.flush()
        _core.end_all_ranks(1)

    sys.excepthook = hook
    _core.end_all_on_failure()
