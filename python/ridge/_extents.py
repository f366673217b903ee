"""Whole numbers that users give: sizes, shapes, distances."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, Union

from . import _core


def whole(given: Any, what: str) -> int:
    """A whole number of Python's or NumPy's; TypeError for what would have to be cut to be one."""
    if not isinstance(given, bool):
        try:
            return operator.index(given)
        except TypeError:
            pass
    raise TypeError(f"{what}={given!r}; a whole number is right")


def extents_of(given: Any, what: str) -> tuple[int, ...]:
    """Whole numbers: one, or several."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        return (whole(given, what),)
    numbers = tuple(given)
    for n in numbers:
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise TypeError(f"{what}={given!r}; whole numbers are right")
    return tuple(operator.index(n) for n in numbers)


def spacing_of(spacing: Union[float, Sequence[float]], rank: int) -> tuple[float, float, float]:
    """The distances of points along x, y and z, from one number or those of the axes of a shape."""
    try:
        if isinstance(spacing, str):
            raise TypeError
        given = [float(h) for h in spacing] if isinstance(spacing, Iterable) else [float(spacing)] * rank
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"spacing={spacing!r}: one positive number is right, or {rank}, one an axis") from None
    if len(given) != rank or not all(0 < h < float("inf") for h in given):
        raise _core.UsageError(f"spacing={spacing}: one positive number is right, or {rank}, one an "
                               "axis")
    x, y, z = (*reversed(given), 1.0, 1.0, 1.0)[:3]
    return x, y, z
