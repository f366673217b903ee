"""Ridge: performance-portable kernels, accounted against the roof.

A kernel says what one item computes, a schedule says where and in what order, and every launch
leaves a record that says how far from the roof it was. docs/python.md shows it.
"""

from . import _threads  # first: it loads OpenMP
from . import _wings, jax, lattice
from ._bench import bench
from ._bodies import gravity, neighbours
from ._chain import Chain, chain
from ._choices import branch, where
from ._columns import contract, scan, tridiagonal
from ._core import Failure, UsageError, __version__, devices
from ._doctor import Diagnoses, doctor
from ._grad import Gradient, grad
from ._pairs import Pairs, pairs
from ._ranks import Ranks, ranks
from ._record import Record, Records, Report, report
from ._stencil import Stencil, stencil
from ._sweeps import Sweeps, sweeps
from ._trace import (TraceError, ceil, clip, cos, exp, floor, hypot, log, maximum, minimum, power, rsqrt, sign, sin,
                     sqrt, tan, tanh, trunc)
from ._tune import Tuned, tune
from ._wings import *

__all__ = [
    "Chain", "Diagnoses", "Failure", "Gradient", "Pairs", "Ranks", "Record", "Records", "Report",
    "Stencil", "Sweeps", "TraceError", "Tuned", "UsageError", "__version__", "bench",
    "branch", "ceil", "chain", "clip", "contract", "cos", "devices", "doctor", "exp", "floor", "grad", "gravity",
    "hypot", "jax", "lattice", "log", "maximum", "minimum", "neighbours", "pairs", "power", "ranks", "report",
    "rsqrt", "scan", "sign", "sin", "sqrt", "stencil", "sweeps", "tan", "tanh", "tridiagonal",
    "trunc", "tune", "where",
]
__all__ += _wings.__all__
