"""Operators that what is traced does not have, and what to write instead."""

from __future__ import annotations

from typing import NoReturn


class NoBits:
    """Of values: comparisons are joined, and < binds less than &."""

    __slots__ = ()

    def _has_no_bits(self, *_others: object) -> NoReturn:
        from ._trace import refuse

        refuse("& | ^ ~ << >> @ on a value of the kernel; comparisons that are joined stand in "
               "parentheses, as in (u[0] < 1) & (u[1] < 1)")

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _has_no_bits
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __matmul__ = __rmatmul__ = _has_no_bits


class NoNumber:
    """Of conditions."""

    __slots__ = ()

    def _is_no_number(self, *_others: object) -> NoReturn:
        from ._trace import refuse

        refuse("a condition is no number; write ridge.where(condition, 1, 0)")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _is_no_number
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = _is_no_number
    __rpow__ = __neg__ = __pos__ = __abs__ = __float__ = __int__ = _is_no_number
    __lt__ = __le__ = __gt__ = __ge__ = _is_no_number
