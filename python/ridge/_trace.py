"""Tracing: a Python function of symbolic accesses becomes a graph of values.

Every value knows what it is made of; nothing is computed. What cannot become a kernel raises
TraceError, which names the user's line and what to write there instead.
"""

from __future__ import annotations

import contextlib
import itertools
import numbers
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Optional, Union

from ._origin import FARTHEST, Origin, origin

class _Mode(threading.local):
    """What is being traced by this thread."""

    of_chain = False
    loads: dict[int, dict[tuple[int, ...], Value]] = {}


_mode = _Mode()


@contextlib.contextmanager
def tracing_chain() -> Iterator[None]:
    """Values may be indexed meanwhile."""
    _mode.of_chain, _mode.loads = True, {}
    try:
        yield
    finally:
        _mode.of_chain, _mode.loads = False, {}


_HERE = os.path.dirname(__file__)
_order = itertools.count()


class TraceError(TypeError):
    """What a kernel cannot be made of, at the user's line, and what would be right."""


def users_line() -> str:
    """FILE:LINE of the innermost frame that is not this package's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _HERE:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def refuse(what: str) -> NoReturn:
    """Raises TraceError at the user's line."""
    raise TraceError(f"{users_line()}: {what}")


class Value:
    """A number of each item, or of the kernel where no array is in it (`plain`)."""

    __slots__ = ("op", "args", "data", "number", "plain", "origin")
    op: str
    args: tuple[Value, ...]
    data: Any  # literal: the float; number: its name; load: (what, offset); select: the comparison
    number: int
    plain: bool
    origin: Optional[Origin]  # None: made of numbers alone, outside of a kernel
    __array_priority__ = 1000.0

    def __init__(self, op: str, args: tuple[Value, ...] = (), data: Any = None) -> None:
        self.op = op
        self.args = args
        self.data = data
        self.number = next(_order)
        self.plain = op != "load" and all(a.plain for a in args)
        self.origin = origin()

    # A symbol stands for one thing: a copy is the symbol itself, and another process has none.
    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, _known: object) -> Value:
        return self

    def __reduce__(self) -> NoReturn:
        refuse("a value of the kernel cannot be kept in another process")

    def require_here(self) -> None:
        """Refuses a value that another kernel was traced with."""
        if self.origin is not None and self.origin is not origin():
            refuse("a value that was kept from another kernel, or from another trace of this one; a "
                   "kernel reads its own parameters")

    # Arithmetic.
    def __add__(self, other: Operand) -> Value:
        return binary("+", self, other)

    def __radd__(self, other: Operand) -> Value:
        return binary("+", other, self)

    def __sub__(self, other: Operand) -> Value:
        return binary("-", self, other)

    def __rsub__(self, other: Operand) -> Value:
        return binary("-", other, self)

    def __mul__(self, other: Operand) -> Value:
        return binary("*", self, other)

    def __rmul__(self, other: Operand) -> Value:
        return binary("*", other, self)

    def __truediv__(self, other: Operand) -> Value:
        return binary("/", self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return binary("/", other, self)

    def __neg__(self) -> Value:
        return Value("negate", (as_value(self),))

    def __pos__(self) -> Value:
        return as_value(self)

    def __abs__(self) -> Value:
        return where(self < 0, -self, self)

    def __pow__(self, other: Operand) -> Value:
        return power(self, other)

    def __rpow__(self, other: Operand) -> Value:
        return power(other, self)

    # Conditions.
    def __lt__(self, other: Operand) -> Condition:
        return compare("<", self, other)

    def __le__(self, other: Operand) -> Condition:
        return compare("<=", self, other)

    def __gt__(self, other: Operand) -> Condition:
        return compare(">", self, other)

    def __ge__(self, other: Operand) -> Condition:
        return compare(">=", self, other)

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return compare("<=", self, other) & compare(">=", self, other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return ~(self == other)

    __hash__ = object.__hash__

    # What has no meaning before the kernel runs.
    def __bool__(self) -> bool:
        refuse("a condition on a value of the kernel; write ridge.where(value != 0, a, b)")

    def __float__(self) -> float:
        refuse("a value of the kernel is no float yet; write ridge.sqrt and the like, not math.sqrt")

    def __int__(self) -> int:
        refuse("a value of the kernel is no int; offsets and counts of loops are Python's own numbers")

    def __index__(self) -> int:
        refuse("a value of the kernel cannot count or index; offsets and counts of loops are "
               "Python's own numbers")

    def __complex__(self) -> complex:
        refuse("a value of the kernel is no complex number")

    def __iter__(self) -> Iterator[Value]:
        refuse("a value of the kernel cannot be looped over; name its neighbours, as in u[0,0,1]")

    def __len__(self) -> int:
        refuse("a kernel does not know how many items there are; len() has no meaning in it")

    def __setitem__(self, _key: object, _value: object) -> None:
        refuse("a kernel does not write to arrays; it returns the value of the item")

    def __getitem__(self, key: object) -> Value:
        """Of chains: what was computed, at a distance."""
        self.require_here()
        if not _mode.of_chain:
            refuse("this is a value and no array, and cannot be indexed; in a ridge.chain it can")
        offset = offset_of(key, "a value")
        known = _mode.loads.setdefault(self.number, {})
        if offset not in known:
            known[offset] = Value("load", data=(self, offset))
        return known[offset]

    def __array__(self, *_args: object, **_kwargs: object) -> NoReturn:
        refuse("a value of the kernel is no NumPy array; write the mathematics with numbers, + - * / "
               "** and ridge's functions")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any,
                        **options: Any) -> Union[Value, Condition]:
        name = _UFUNCS.get(ufunc.__name__)
        if method != "__call__" or options or name is None:
            known = ", ".join(sorted(_UFUNCS))
            refuse(f"numpy.{ufunc.__name__} of a value of the kernel; of NumPy's functions {known} "
                   "are possible")
        return name(*inputs)


class Condition:
    """Where something holds: for ridge.where. Joined by & and |, turned round by ~."""

    __slots__ = ("kind", "parts", "values")

    def __init__(self, kind: str, parts: tuple[Condition, ...] = (),
                 values: tuple[Value, ...] = ()) -> None:
        self.kind = kind
        self.parts = parts
        self.values = values

    def __and__(self, other: Condition) -> Condition:
        return Condition("and", (self, as_condition(other)))

    def __or__(self, other: Condition) -> Condition:
        return Condition("or", (self, as_condition(other)))

    def __invert__(self) -> Condition:
        return Condition("not", (self,))

    def __bool__(self) -> bool:
        refuse("an `if`, `and`, `or`, `not`, `min` or `max` on a value of the kernel, which is known "
               "only when it runs; write ridge.where(condition, a, b), and join conditions by & | ~")


Operand = Union[Value, float, int]


def as_condition(x: object) -> Condition:
    if isinstance(x, Condition):
        return x
    refuse(f"{x!r} is no condition; compare values, as in u[0] < 1")


def as_value(x: object) -> Value:
    """A value of the kernel from one, or from a number of Python's or NumPy's."""
    if isinstance(x, Value):
        x.require_here()
        if isinstance(x, Parameter):
            x.use_as_number()
        return x
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        if isinstance(x, Condition):
            refuse("a condition is no number; write ridge.where(condition, 1, 0)")
        refuse(f"{x!r} ({type(x).__name__}) cannot be part of a kernel; numbers and values can")
    return Value("literal", data=float(x))


class Parameter(Value):
    """A parameter of the traced function: an array once it is indexed, a number once it is used."""

    __slots__ = ("name", "kind", "rank", "offsets", "known_loads")

    def __init__(self, name: str) -> None:
        super().__init__("number", data=name)
        self.name = name
        self.kind = ""  # "array" or "number"
        self.rank = 0
        self.known_loads: dict[tuple[int, ...], Value] = {}

    def use_as_number(self) -> None:
        if self.kind == "array":
            refuse(f"{self.name} is an array; name the neighbour that is meant, as in "
                   f"{self.name}[{','.join('0' * self.rank)}]")
        self.kind = "number"

    def __getitem__(self, key: object) -> Value:
        self.require_here()
        if self.kind == "number":
            refuse(f"{self.name} was used as a number above, and cannot be indexed")
        self.kind = "array"
        offset = offset_of(key, self.name)
        if self.rank not in (0, len(offset)):
            refuse(f"{self.name} has {self.rank} dimensions above and {len(offset)} here")
        self.rank = len(offset)
        if offset not in self.known_loads:
            self.known_loads[offset] = Value("load", data=(self, offset))
        return self.known_loads[offset]


def offset_of(key: object, name: str) -> tuple[int, ...]:
    """The offset of an access, in Python's order: x last."""
    parts: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)
    for part in parts:
        if isinstance(part, slice) or part is Ellipsis or part is None:
            refuse(f"{name}[...] is the distance of one neighbour, as in {name}[0,0,1]; slices are "
                   "NumPy's way")
        if isinstance(part, bool) or not isinstance(part, numbers.Integral):
            refuse(f"an offset of {name} is no whole number that is known now; offsets are Python's "
                   f"own integers, as in {name}[0,0,1]")
        if abs(int(part)) > FARTHEST:
            refuse(f"{name}[...] is {part} items away; a kernel reads at most {FARTHEST} away")
    if len(parts) > 3:
        refuse(f"{name} has {len(parts)} dimensions; 1 to 3 are possible")
    return tuple(int(p) for p in parts)


def binary(op: str, a: object, b: object) -> Value:
    return Value(op, (as_value(a), as_value(b)))


def compare(op: str, a: object, b: object) -> Condition:
    return Condition(op, values=(as_value(a), as_value(b)))


def where(condition: Condition, a: Operand, b: Operand) -> Value:
    """`a` where the condition holds, else `b`; both are computed. Conditions are comparisons, joined
    by & | ~."""
    c = as_condition(condition)
    if c.kind == "and":
        return where(c.parts[0], where(c.parts[1], a, b), b)
    if c.kind == "or":
        return where(c.parts[0], a, where(c.parts[1], a, b))
    if c.kind == "not":
        return where(c.parts[0], b, a)
    return Value("select", (*map(as_value, c.values), as_value(a), as_value(b)), c.kind)


def minimum(a: Operand, b: Operand) -> Value:
    """The lesser of two values; `a` where they are not ordered."""
    return where(as_value(b) < a, b, a)


def maximum(a: Operand, b: Operand) -> Value:
    """The greater of two values; `a` where they are not ordered."""
    return where(as_value(b) > a, b, a)


def power(a: Operand, b: Operand) -> Value:
    """a to the power of b: products for whole numbers up to 64, roots for halves, else pow."""
    if isinstance(b, numbers.Real) and not isinstance(b, (bool, Value)):
        exponent = float(b)
        if exponent == 0.5:
            return sqrt(a)
        if exponent == -0.5:
            return rsqrt(a)
        if exponent == int(exponent) and 1 <= abs(exponent) <= 64:
            product = _whole_power(as_value(a), abs(int(exponent)))
            return product if exponent > 0 else 1.0 / product
    return Value("pow", (as_value(a), as_value(b)))


def _whole_power(x: Value, n: int) -> Value:
    if n == 1:
        return x
    half = _whole_power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def _function(name: str, meaning: str) -> Callable[[Operand], Value]:
    def call(x: Operand) -> Value:
        return Value(name, (as_value(x),))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = meaning
    return call


exp = _function("exp", "e to the power of a value of a kernel.")
log = _function("log", "The natural logarithm of a value of a kernel.")
sqrt = _function("sqrt", "The square root of a value of a kernel.")
sin = _function("sin", "The sine of a value of a kernel, in radians.")
cos = _function("cos", "The cosine of a value of a kernel, in radians.")
rsqrt = _function("rsqrt", "1 / sqrt(x) of a positive value: relative error 2^-22 in fp32 and 2^-50 "
                           "in fp64 at most.")

_UFUNCS: dict[str, Callable[..., Union[Value, Condition]]] = {
    "add": lambda a, b: binary("+", a, b),
    "subtract": lambda a, b: binary("-", a, b),
    "multiply": lambda a, b: binary("*", a, b),
    "divide": lambda a, b: binary("/", a, b),
    "negative": lambda a: -a,
    "absolute": lambda a: abs(a),
    "square": lambda a: power(a, 2),
    "power": power,
    "exp": exp, "log": log, "sqrt": sqrt, "sin": sin, "cos": cos,
    "minimum": minimum, "maximum": maximum,
    "less": lambda a, b: compare("<", a, b),
    "less_equal": lambda a, b: compare("<=", a, b),
    "greater": lambda a, b: compare(">", a, b),
    "greater_equal": lambda a, b: compare(">=", a, b),
}  # numpy.float64(2) < value calls a ufunc
