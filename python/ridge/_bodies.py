"""Bodies: which are near each other, and their gravity by a tree."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from . import _arrays, _core
from ._kernel import torch_module
from ._options import flag_of
from ._pairs import box_lengths


def _check(name: str, what: str, array: Any, components: int) -> None:
    why = _arrays.why_no_array(array)
    if why:
        raise TypeError(f"{name}: {what} {why}")
    shape = tuple(getattr(array, "shape", (components, 1)))
    if len(shape) == 2 and shape[0] != components and shape[1] == components:
        raise TypeError(f"{name}: {what} has shape {shape}; ({components}, bodies) is right, and "
                        f"numpy.ascontiguousarray({what}.T) makes a copy so")


def _number(name: str, what: str, given: Any) -> float:
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: {what}={given!r} ({type(given).__name__}): a number is right") from None


def neighbours(x: Any, cutoff: float, *, box: Any = None, distances: bool = False,
               device: Optional[str] = None) -> Any:
    """Pairs of bodies nearer than `cutoff`, each once, as an array of NumPy of shape (pairs, 2): the
    smaller number first, in order. With `distances` also their distances.

    `x` has shape (3, bodies) and is used where it lies, on the host or a GPU. `box` has three
    periods from 0, such as (10, 10, 10), or one for all; None, in all or for one axis: bodies may
    be anywhere. `cutoff` is at most half of each period.

    Raises UsageError for a cutoff that is not positive or more than that, and for positions that
    are not finite, with the body's number."""
    _check("neighbours", "x", x, 3)
    with_distances = flag_of(distances, "neighbours: distances")
    found, lengths = _core.neighbours((x,), _number("neighbours", "cutoff", cutoff),
                                      box_lengths(box, "neighbours"), device)
    pairs = np.frombuffer(found, dtype=np.int64).reshape(-1, 2)
    return (pairs, np.frombuffer(lengths, dtype=np.float64)) if with_distances else pairs


def gravity(bodies: Any, *, theta: Optional[float] = None, softening: float = 0.0,
            order: Optional[int] = None, error: Optional[float] = None, out: Any = None,
            device: Optional[str] = None) -> Any:
    """Accelerations and potentials of bodies under their own gravity, by a tree.

    `bodies` has shape (4, bodies): x, y, z and masses times G, none negative. Returns `out`, or a
    new array of the same library and shape: the acceleration and the potential of each. `theta` is
    the largest radius of a node over its distance, 0.5 if not given: 0 sums over all pairs, at most
    1.5. A first pass chooses nodes by that, and sums by the accelerations that it finds. `order` 2, if not given, takes quadrupoles of nodes, 3 to 5 moments up to that order, 1 only
    their masses. `softening` is Plummer's: without it, sums of bodies at one place are not finite.

    `error` is the rms error of accelerations to be reached, such as 1e-4, in place of `theta`, which
    is then chosen, as is an `order` that is not given, and checked on a sample against all pairs;
    Failure where it cannot be.

    With `theta` 0 it has a gradient, of torch and `ridge.grad`.

    Raises UsageError for positions that are not finite, and for masses that are not or are negative,
    with the body's number. docs/trees.md has the errors that theta and order give."""
    _check("gravity", "bodies", bodies, 4)
    given = out
    if out is None:
        out = _arrays.zeros(bodies, "gravity")
    if order is None:
        order = 2 if error is None else 0  # any
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)):
        raise TypeError(f"gravity: order={order!r}: 1, 2, 3, 4 or 5 is right")
    if abs(order) >= 2**31:
        raise _core.UsageError(f"gravity: order={order}: 1, 2, 3, 4 or 5 is right")
    if theta is not None and error is not None:
        raise _core.UsageError("gravity: theta and error: give one of them")
    if "torch" in sys.modules and torch_module().is_asked("gravity", (bodies,), (out,), {"softening": softening}):
        if sys.modules["torch"].is_grad_enabled():
            from ._grad_bodies import recorded  # which is made of what is here

            return recorded(bodies, theta, error, softening, given, device)
        bodies, out = _arrays.plain(bodies), _arrays.plain(out)
    asked = 0.0 if error is None else _number("gravity", "error", error)
    if error is not None and not asked > 0:
        raise _core.UsageError(f"gravity: error={asked:g}: it must be positive")
    _core.gravity((bodies, out), _number("gravity", "theta", 0.5 if theta is None else theta),
                  _number("gravity", "softening", softening), int(order), asked, device)
    return out
