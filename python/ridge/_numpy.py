"""Functions of NumPy that may be called on values of a kernel, by their names there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional, Union

from . import _trace as t
from ._choices import where
from ._trace import Condition, Operand, Value, as_condition, binary, compare


def _either(a: Condition, b: Condition) -> Condition:
    return as_condition(a) | as_condition(b)


def _both(a: Condition, b: Condition) -> Condition:
    return as_condition(a) & as_condition(b)


def _one_of(a: Condition, b: Condition) -> Condition:
    return as_condition(a) ^ as_condition(b)


def _clip(a: Operand, a_min: Optional[Operand] = None, a_max: Optional[Operand] = None, *,
          min: Optional[Operand] = None, max: Optional[Operand] = None) -> Value:  # noqa: A002
    return t.clip(a, a_min if min is None else min, a_max if max is None else max)


def _is_nan(x: Operand) -> Condition:
    return t.as_value(x) != x


def _is_finite(x: Operand) -> Condition:
    return t.as_value(x) - x == 0


def _is_infinite(x: Operand) -> Condition:
    return abs(t.as_value(x)) == float("inf")


FUNCTIONS: dict[str, Callable[..., Union[Value, Condition]]] = {
    "add": lambda a, b: binary("+", a, b),
    "subtract": lambda a, b: binary("-", a, b),
    "multiply": lambda a, b: binary("*", a, b),
    "divide": lambda a, b: binary("/", a, b),
    "floor_divide": lambda a, b: binary("floor_divide", a, b),
    "remainder": lambda a, b: binary("remainder", a, b),
    "negative": lambda a: -a,
    "positive": lambda a: +a,
    "absolute": lambda a: abs(a),
    "fabs": lambda a: abs(a),
    "reciprocal": lambda a: 1.0 / a,
    "square": lambda a: t.power(a, 2),
    "power": t.power,
    "exp": t.exp, "log": t.log, "sqrt": t.sqrt, "sin": t.sin, "cos": t.cos, "tan": t.tan,
    "tanh": t.tanh, "sign": t.sign, "floor": t.floor, "ceil": t.ceil, "trunc": t.trunc,
    "hypot": t.hypot, "minimum": t.minimum, "maximum": t.maximum, "clip": _clip, "where": where,
    "less": lambda a, b: compare("<", a, b),
    "less_equal": lambda a, b: compare("<=", a, b),
    "greater": lambda a, b: compare(">", a, b),
    "greater_equal": lambda a, b: compare(">=", a, b),
    "equal": lambda a, b: t.as_value(a) == b,
    "not_equal": lambda a, b: t.as_value(a) != b,
    "logical_and": _both, "bitwise_and": _both,
    "logical_or": _either, "bitwise_or": _either,
    "logical_xor": _one_of, "bitwise_xor": _one_of,
    "logical_not": lambda c: ~as_condition(c), "invert": lambda c: ~as_condition(c),
    "isnan": _is_nan, "isfinite": _is_finite, "isinf": _is_infinite,
}  # numpy.float64(2) < value calls one

