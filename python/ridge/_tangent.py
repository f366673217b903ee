"""What a traced kernel gives, and what it changes by when its arguments change, by NumPy in double: the
other side of the test of an adjoint. It shares no rule with it and compiles nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._adjoint import Box, Form
from ._emit import reachable
from ._operations import Operation
from ._trace import Value

#: A value and its change, of all items.
Pair = tuple[Any, Any]

_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


def _ties(y: Any, a: Any, b: Any, da: Any, db: Any) -> Any:
    """The change of the one that was taken, or the mean of both."""
    return np.where(a == b, 0.5 * (da + db), np.where(y == a, da, db))


def _power(y: Any, a: Any, b: Any, da: Any, db: Any) -> Any:
    by_base = np.where(b == 0, 0.0, da * b * a ** (b - np.where(b == 0, 0.0, 1.0)))
    return by_base + np.where(db == 0, 0.0, np.where(a == 0, 0.0, y * np.log(a) * db))


#: Of an operation its value by operands, and its change by the value, operands and their changes.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "+": (np.add, lambda y, a, b, da, db: da + db),
    "-": (np.subtract, lambda y, a, b, da, db: da - db),
    "*": (np.multiply, lambda y, a, b, da, db: da * b + a * db),
    "/": (np.divide, lambda y, a, b, da, db: (da * b - a * db) / (b * b)),
    "negate": (np.negative, lambda y, a, da: -da),
    "absolute": (np.abs, lambda y, a, da: np.where(a < 0, -da, np.where(a > 0, da, 0.0))),
    "minimum": (np.minimum, _ties), "maximum": (np.maximum, _ties),
    "hypot": (np.hypot, lambda y, a, b, da, db: np.where(y == 0, 0.0, (a * da + b * db) / y)),
    "remainder": (np.remainder, lambda y, a, b, da, db: da - np.floor_divide(a, b) * db),
    "pow": (np.power, _power),
    "exp": (np.exp, lambda y, a, da: np.exp(a) * da),
    "log": (np.log, lambda y, a, da: da / a),
    "sqrt": (np.sqrt, lambda y, a, da: da / (2 * np.sqrt(a))),
    "rsqrt": (lambda a: 1 / np.sqrt(a), lambda y, a, da: -da / (2 * a * np.sqrt(a))),
    "inverse_root": (lambda a: 1 / np.sqrt(a), lambda y, a, da: -da / (2 * a * np.sqrt(a))),
    "sin": (np.sin, lambda y, a, da: np.cos(a) * da),
    "cos": (np.cos, lambda y, a, da: -np.sin(a) * da),
    "tan": (np.tan, lambda y, a, da: da / np.cos(a) ** 2),
    "tanh": (np.tanh, lambda y, a, da: da / np.cosh(a) ** 2),
    "floor": (np.floor, lambda y, a, da: 0.0), "ceil": (np.ceil, lambda y, a, da: 0.0),
    "trunc": (np.trunc, lambda y, a, da: 0.0), "sign": (np.sign, lambda y, a, da: 0.0),
    "floor_divide": (np.floor_divide, lambda y, a, b, da, db: 0.0),
}


def tangent_of(form: Form, given: Mapping[str, Pair], shape: tuple[int, ...]) -> list[Pair]:
    """The results of the kernel and their changes, 0 where it leaves items untouched: of arrays and
    numbers and their changes, by name."""
    with np.errstate(all="ignore"):
        return _Tangent(form, given, shape).results()


def pairs_tangent_of(results: Sequence[Value], loads: Mapping[tuple[str, int], Pair],
                     numbers: Mapping[str, Pair]) -> list[Pair]:
    """The same of what a source adds to a target, of components and numbers and their changes."""
    known: dict[int, Pair] = {}
    with np.errstate(all="ignore"):
        for v in reachable(results):
            known[v.number] = loads[v.data[0], v.data[1][0]] if v.op == "load" else _one(v, known, numbers)
    return [known[r.number] for r in results]


def _one(v: Value, known: Mapping[int, Pair], numbers: Mapping[str, Pair]) -> Pair:
    """Of an operation, a number or a literal."""
    if v.op == "literal":
        return v.data, 0.0
    if v.op == "number":
        return numbers[v.data]
    operands = [known[a.number] for a in v.args]
    if v.op in ("select", "branch"):
        (left, _), (right, _), *parts = operands
        holds = _TESTS[v.data](left, right)
        return np.where(holds, parts[0][0], parts[1][0]), np.where(holds, parts[0][1], parts[1][1])
    value, change = _FUNCTIONS[v.op]
    x, d = [o[0] for o in operands], [o[1] for o in operands]
    y = value(*x)
    return y, change(y, *x, *d)


class _Tangent:
    def __init__(self, form: Form, given: Mapping[str, Pair], shape: tuple[int, ...]) -> None:
        assert form.traced is not None
        self.form, self.given, self.shape = form, given, shape
        self.rank = form.traced.rank
        self.arrays: dict[int, Pair] = {id(p): given[p.name] for p in form.traced.arrays}

    def results(self) -> list[Pair]:
        for op in self.form.operations:
            found = self._scanned(op) if op.scans else self._computed(op)
            box = tuple((op.begin[d], -op.end[d]) for d in reversed(range(self.rank)))
            self.arrays[id(op.array)] = tuple(  # type: ignore[assignment]
                np.where(self._where(box), np.broadcast_to(x, self.shape), 0.0) for x in found)
        return [self.arrays[id(r)] for r in self.form.results]

    def _where(self, box: Box) -> Any:
        found = np.ones(self.shape, bool)
        for d, (low, high) in enumerate(box, len(self.shape) - self.rank):
            n = self.shape[d]
            at = np.arange(n).reshape([-1 if k == d else 1 for k in range(len(self.shape))])
            found = found & (at >= (low if low >= 0 else n + low)) & (at < (n - high if high >= 0 else -high))
        return found

    def _computed(self, op: Operation) -> Pair:
        known: dict[int, Pair] = {}
        for v in reachable([op.value]):
            known[v.number] = self._one(v, known, {})
        return known[op.value.number]

    def _one(self, v: Value, known: Mapping[int, Pair], carry: Mapping[int, Pair]) -> Pair:
        if v.op == "carry":
            return carry[v.data[1]]
        if v.op == "load":
            x, d = self.arrays[id(v.data[0])]
            return self._read(v, x), self._read(v, d)
        if v.op == "inside":
            here = self._where(v.data)
            x, d = known[v.args[0].number]
            return np.where(here, x, 0.0), np.where(here, d, 0.0)
        return _one(v, known, self.given)

    def _read(self, v: Value, x: Any) -> Any:
        """An array at a distance, or what a matrix makes of it."""
        first = len(self.shape) - self.rank
        for d, by in enumerate(v.data[1], first):
            at = np.arange(self.shape[d]) + by
            if by:
                n = self.shape[d]
                x = np.take(x, at % n if self.form.edge == "periodic" else at.clip(0, n - 1), axis=d)
        if len(v.data) > 2:
            matrix, axis = np.array(v.data[2]), v.data[3]
            x = np.moveaxis(np.tensordot(matrix, x, axes=(1, axis)), 0, axis)
        return x

    def _scanned(self, op: Operation) -> Pair:
        """Item by item along columns."""
        one, which, needed = op.value.data
        axis = len(self.shape) - self.rank
        d = self.rank - 1
        items: Sequence[int] = range(op.begin[d], self.shape[axis] + op.end[d])
        value, change = np.zeros(self.shape), np.zeros(self.shape)
        column = value.shape[:axis] + value.shape[axis + 1:]
        carry = {k: (np.full(column, one.begin[k]), np.zeros(column)) for k in needed}
        values = reachable(op.value.args)
        whole: dict[int, Pair] = {}  # what no item has from another
        for v in values:
            if v.op != "carry" and all(a.number in whole for a in v.args):
                x, dx = self._one(v, whole, {})
                whole[v.number] = (np.broadcast_to(x, self.shape), np.broadcast_to(dx, self.shape))
        insides = {v.number: self._where(v.data) for v in values if v.op == "inside"}
        for i in reversed(items) if one.down else items:
            known = {n: (x.take(i, axis), dx.take(i, axis)) for n, (x, dx) in whole.items()}
            for v in values:
                if v.number in known:
                    continue
                if v.op == "inside":
                    holds = insides[v.number].take(i, axis)
                    x, dx = known[v.args[0].number]
                    known[v.number] = np.where(holds, x, 0.0), np.where(holds, dx, 0.0)
                else:
                    known[v.number] = self._one(v, known, carry)
            carry = {k: known[a.number] for k, a in zip(needed, op.value.args)}
            at = (slice(None),) * axis + (i,)
            value[at], change[at] = carry[which]
        return value, change
