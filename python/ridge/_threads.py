"""Loads what computes, with threads that soon leave the processor to others."""

import os

#: How often a thread of GCC's OpenMP looks for new work before it sleeps: for about a millisecond.
#: Its own 300000 keep cores from threads of other libraries, such as torch's OpenMP.
_SPINS = "20000"


def _load() -> None:
    asked = "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ
    if not asked:
        os.environ["GOMP_SPINCOUNT"] = _SPINS  # read once, when the library comes
    try:
        from . import _core  # noqa: F401
    finally:
        if not asked:
            del os.environ["GOMP_SPINCOUNT"]  # libraries of others have settings of their own


_load()
