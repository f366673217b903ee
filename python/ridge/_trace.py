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
import sysconfig
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Optional, Union

from ._origin import FARTHEST, Origin, origin
from ._refused import NoBits, NoNumber


class _Mode(threading.local):
    """What is being traced by this thread."""

    of_chain = False
    loads: dict[int, dict[tuple[int, ...], Value]] = {}


_mode = _Mode()


def is_of_chain() -> bool:
    """True where this thread traces a chain."""
    return _mode.of_chain


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


class NoAttribute(TraceError, AttributeError):
    """The same, of an attribute: hasattr() is false."""


#: Libraries whose functions a kernel may call, and be refused in.
_LIBRARIES = ("numpy", "scipy", "torch", "jax", "jaxlib", "cupy", "numba")
_STANDARD = os.path.realpath(sysconfig.get_paths()["stdlib"]) + os.sep


def _is_users(file: str, module: str) -> bool:
    """Whether a line is a user's, not one of this package, of Python or of a library."""
    if os.path.dirname(file) == _HERE or module.partition(".")[0] in _LIBRARIES:
        return False
    path = os.path.realpath(file)
    return "-packages" in path or not path.startswith(_STANDARD)


def users_line() -> str:
    """FILE:LINE of the innermost frame that is the user's."""
    frame = here = sys._getframe(1)
    while not _is_users(frame.f_code.co_filename, str(frame.f_globals.get("__name__"))):
        if frame.f_back is None:
            return f"{here.f_code.co_filename}:{here.f_lineno}"
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def refuse(what: str) -> NoReturn:
    """Raises TraceError at the user's line."""
    raise TraceError(f"{users_line()}: {what}")


class Value(NoBits):
    """A number of each item, or of the kernel where no array is in it (`plain`)."""

    __slots__ = ("op", "args", "data", "number", "plain", "origin")
    op: str
    args: tuple[Value, ...]
    data: Any  # literal: the float; number: its name; load: (what, offset), contracted (..., rows, axis);
    # select, branch: the comparison; carry, scan: (the Scan, which of its values); inside: of which items
    number: int
    plain: bool
    origin: Optional[Origin]  # None: made of numbers alone, outside of a kernel
    __array_priority__ = 1000.0

    def __init__(self, op: str, args: tuple[Value, ...] = (), data: Any = None) -> None:
        self.op = op
        self.args = args
        self.data = data
        self.number = next(_order)
        self.plain = op not in ("load", "carry", "scan", "inside") and all(a.plain for a in args)
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

    def __floordiv__(self, other: Operand) -> Value:
        return binary("floor_divide", self, other)

    def __rfloordiv__(self, other: Operand) -> Value:
        return binary("floor_divide", other, self)

    def __mod__(self, other: Operand) -> Value:
        return binary("remainder", self, other)

    def __rmod__(self, other: Operand) -> Value:
        return binary("remainder", other, self)

    def __divmod__(self, other: Operand) -> tuple[Value, Value]:
        return self // other, self % other

    def __rdivmod__(self, other: Operand) -> tuple[Value, Value]:
        return other // self, other % self

    def __neg__(self) -> Value:
        return Value("negate", (as_value(self),))

    def __pos__(self) -> Value:
        return as_value(self)

    def __abs__(self) -> Value:
        return Value("absolute", (as_value(self),))

    def __floor__(self) -> Value:
        return Value("floor", (as_value(self),))

    def __ceil__(self) -> Value:
        return Value("ceil", (as_value(self),))

    def __trunc__(self) -> Value:
        return Value("trunc", (as_value(self),))

    def __round__(self, _digits: object = None) -> Value:
        refuse("round() of a value of the kernel; write ridge.floor(value + 0.5)")

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
        return _by_numpy(ufunc.__name__, inputs, options, method == "__call__")

    def __array_function__(self, function: Any, _types: Any, inputs: Any,
                           options: Any) -> Union[Value, Condition]:
        return _by_numpy(function.__name__, inputs, options)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        what = "a parameter" if isinstance(self, Parameter) else "a value"
        raise NoAttribute(f"{users_line()}: {what} of a kernel has no attribute '{name}'; it stands for "
                          "one number of each item, for arithmetic and ridge's functions")


class Condition(NoNumber):
    """Where something holds: for ridge.where. Joined by & | ^ == !=, turned round by ~."""

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

    def __xor__(self, other: Condition) -> Condition:
        return (self | other) & ~(self & other)

    # Python's own would compare the two objects, and be False.
    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return ~(self ^ as_condition(other))

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self ^ as_condition(other)

    __hash__ = object.__hash__
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Condition:
        return Condition("not", (self,))

    def __bool__(self) -> bool:
        refuse("an `if`, `and`, `or`, `not`, `min` or `max` on a value of the kernel, which is known "
               "only when it runs; write ridge.where(condition, a, b), and join conditions by & | ~")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any,
                        **options: Any) -> Union[Value, Condition]:
        return _by_numpy(ufunc.__name__, inputs, options, method == "__call__")

    def __array_function__(self, function: Any, _types: Any, inputs: Any,
                           options: Any) -> Union[Value, Condition]:
        return _by_numpy(function.__name__, inputs, options)


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
    if getattr(x, "shape", None) == () and callable(getattr(x, "item", None)):
        x = x.item()  # type: ignore[attr-defined]  # NumPy's numbers and arrays of one number
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        if isinstance(x, Condition):
            refuse("a condition is no number; write ridge.where(condition, 1, 0)")
        refuse(f"{x!r} ({type(x).__name__}) cannot be part of a kernel; numbers and values can")
    return Value("literal", data=as_float(x))


def as_float(x: Any) -> float:
    """A number of the user's in double precision."""
    try:
        return float(x)
    except OverflowError:
        refuse("a whole number beyond 1.8e308, the largest of double precision")


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


def minimum(a: Operand, b: Operand) -> Value:
    """The lesser of two values; NaN where one is NaN."""
    return binary("minimum", a, b)


def maximum(a: Operand, b: Operand) -> Value:
    """The greater of two values; NaN where one is NaN."""
    return binary("maximum", a, b)


def power(a: Operand, b: Operand) -> Value:
    """a to the power of b: products for whole numbers up to 64, roots for halves, else pow."""
    if isinstance(b, numbers.Real) and not isinstance(b, (bool, Value)):
        exponent = as_float(b)
        if exponent == 0.5:
            return sqrt(a)
        if exponent == -0.5:
            return Value("inverse_root", (as_value(a),))
        if exponent.is_integer() and 1 <= abs(exponent) <= 64:
            # Of the reciprocal, whose powers leave the range of numbers where the result does.
            base = as_value(a) if exponent > 0 else 1.0 / as_value(a)
            return _whole_power(base, abs(int(exponent)))
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
tan = _function("tan", "The tangent of a value of a kernel, in radians.")
tanh = _function("tanh", "The hyperbolic tangent of a value of a kernel.")
sign = _function("sign", "-1, 0 or 1, the sign of a value of a kernel; NaN of NaN.")
floor = _function("floor", "The greatest whole number that is not greater than a value of a kernel.")
ceil = _function("ceil", "The least whole number that is not less than a value of a kernel.")
trunc = _function("trunc", "The whole number next to a value of a kernel towards zero.")
rsqrt = _function("rsqrt", "1 / sqrt(x) of a positive value, fast: relative error 2^-22 in fp32 and "
                           "2^-50 in fp64 at most; of zero or infinity it may be NaN, which x**-0.5 "
                           "is not.")


def hypot(a: Operand, b: Operand) -> Value:
    """sqrt(a*a + b*b), whose squares do not overflow."""
    return binary("hypot", a, b)


def clip(a: Operand, low: Optional[Operand] = None, high: Optional[Operand] = None) -> Value:
    """The value between `low` and `high` that is next to `a`; None: no limit there."""
    x = as_value(a)
    if low is not None:
        x = maximum(x, low)
    return x if high is None else minimum(x, high)


def _by_numpy(name: str, inputs: Any, options: Any,
              is_call: bool = True) -> Union[Value, Condition]:
    """What one of NumPy's functions is in a kernel."""
    from ._numpy import FUNCTIONS  # which is made of what is here

    known = FUNCTIONS.get(name)
    if known is None or not is_call:
        refuse(f"numpy.{name} of a value of the kernel; of NumPy's functions "
               f"{', '.join(sorted(FUNCTIONS))} are possible")
    try:
        return known(*inputs, **options)
    except TraceError:
        raise
    except TypeError:
        refuse(f"numpy.{name} in a kernel takes the values alone, without "
               f"{', '.join(options) or 'further arguments'}")
