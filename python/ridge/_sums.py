"""Sums that have the same bits in any order, and over any ranks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import _arrays

#: Items that are summed at once: what is in between takes as much memory.
_AT_ONCE = 1 << 22


def sum_in_any_order(array: Any, count: int, greatest: Callable[[float], float],
                     total: Callable[[float], float]) -> float:
    """The sum of all items, in double, of so many at most. Three times it takes of each the multiple of a power of
    two that is nearest; these powers are so large that sums of multiples are exact. `greatest` and `total` are of
    one number of each rank."""
    rows = max(1, _AT_ONCE // max(1, math.prod(array.shape[1:])))
    parts = [array[i:i + rows] for i in range(0, array.shape[0], rows)]
    most = [float(abs(p).max()) for p in parts if math.prod(p.shape)]
    top = greatest(max(most, default=0.0) if all(map(math.isfinite, most)) else math.inf)
    bits = max(1, count).bit_length()
    if not top < 2.0 ** (1000 - bits):
        return total(_arrays.sum_of(array))
    units: list[float] = []
    while top > 0 and len(units) < 3:
        units.append(max(math.ldexp(1.0, math.frexp(top)[1] + bits - 52), 2.0 ** -1074))
        top = units[-1] / 2
    found = [0.0] * len(units)
    for part in parts:
        rest = _arrays.as_double(part)
        for k, unit in enumerate(units):
            shift = 1.5 * 2.0 ** 52 * unit
            multiples = (rest + shift) - shift
            found[k] += _arrays.sum_of(multiples)
            rest = rest - multiples
    return math.fsum(map(total, found))
