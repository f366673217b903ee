"""Derivatives of expressions of lattice fields: what a number changes by, one field by another.

The gradient of a real L by a complex z = x + iy is dL/dx + i dL/dy, as torch has it: twice the derivative by conj(z).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arrays, lattice
from ._sites import name_of, site_of, site_of_expression

if TYPE_CHECKING:
    from .lattice import Expression, Field

    #: A value, and a part of its gradient.
    Seed = tuple[Expression, Expression]

#: Products under each other that a gradient computes again where it reads them; more are stored.
_MOST = 2


class Variable:
    """A variable of gradients: a field of an argument of `ridge.grad`, or of a tensor of torch."""

    def __init__(self, tensor: Any = None) -> None:
        self.tensor = tensor


class Scalar:
    """A number of sums over the lattice, with what it changes by: sums of a*r + b*conj(r) for the changes r of sums."""

    def __init__(self, value: Any, parts: Sequence[tuple[Any, complex, complex]]) -> None:
        self.value, self.parts = value, list(parts)

    def __repr__(self) -> str:
        return f"<{self.value!r}, of which ridge.grad takes the gradient>"

    def _by(self, factor: complex, value: Any) -> Scalar:
        return Scalar(value, [(r, factor * a, factor * b) for r, a, b in self.parts])

    @staticmethod
    def _of(x: Any) -> Scalar:
        return x if isinstance(x, Scalar) else Scalar(x, [])

    def __add__(self, other: Any) -> Scalar:
        one = self._of(other)
        return Scalar(self.value + one.value, [*self.parts, *one.parts])

    __radd__ = __add__

    def __neg__(self) -> Scalar:
        return self._by(-1, -self.value)

    def __sub__(self, other: Any) -> Scalar:
        return self + -self._of(other)

    def __rsub__(self, other: Any) -> Scalar:
        return self._of(other) + -self

    def __mul__(self, other: Any) -> Scalar:
        one = self._of(other)
        return Scalar(self.value * one.value, [*self._by(one.value, 0).parts, *one._by(self.value, 0).parts])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Scalar:
        one = self._of(other)
        return self * one._by(-1 / one.value**2, 1 / one.value)

    def __rtruediv__(self, other: Any) -> Scalar:
        return self._of(other) / self

    def __pow__(self, power: float) -> Scalar:
        return self._by(power * self.value ** (power - 1), self.value**power)

    def conjugate(self) -> Scalar:
        return Scalar(np.conj(self.value).item(), [(r, np.conj(b), np.conj(a)) for r, a, b in self.parts])

    @property
    def real(self) -> Scalar:
        return (self + self.conjugate())._by(0.5, self.value.real)

    @property
    def imag(self) -> Scalar:
        return (self - self.conjugate())._by(-0.5j, self.value.imag)


# Called by lattice.py.

def made_of(made: Field, source: Any) -> Field:
    if _arrays.library_of(source) == "torch" and source.requires_grad and sys.modules["torch"].is_grad_enabled():
        made._watched = Variable(source)
    return made


def evaluated(x: Expression, made: Field) -> Field:
    if _is_recorded([x]):
        made._watched = x
    return made


def reduced(name: str, reproducible: bool, *operands: Expression) -> Any:
    value = lattice._reduced(name, reproducible, *operands)
    if not _is_recorded(operands):
        return value
    found = variables(operands)
    if all(f._watched.tensor is not None for f in found):
        from ._torch_lattice import recorded
        return recorded(value, found, lambda weight: seeds_of(name, operands, weight))
    if isinstance(value, np.ndarray):
        raise TypeError(f"ridge.grad: lattice.sum of a tensor of shape {value.shape} is no number; sums of traces and "
                        "of other numbers have gradients")
    return Scalar(value, [((name, operands), 1, 0)])


def tensor_of(x: Field) -> Any:
    from ._torch_lattice import of_field, recorded
    value = of_field(x)
    if not _is_recorded([x]):
        return value
    found = [f for f in variables([x]) if f._watched.tensor is not None]
    return recorded(value, found, lambda weight: [(x, field_like(x, weight))])


def _is_recorded(roots: Iterable[Expression]) -> bool:
    found = variables(roots)
    if not found or any(f._watched.tensor is None for f in found):
        return bool(found)
    return bool(sys.modules["torch"].is_grad_enabled())


# Gradients.

def variables(roots: Iterable[Expression]) -> list[Field]:
    """The fields that gradients are by, that expressions are made of."""
    return [x for x in _in_order(roots) if isinstance(x, lattice.Field) and isinstance(x._watched, Variable)]


def seeds_of(name: str, operands: Sequence[Expression], weight: Any) -> list[Seed]:
    """The weights that a sum hands on to its operands, where the gradient by the sum is `weight`."""
    x = operands[0]
    number = site_of_expression(x)
    assert number is not None
    if not number.is_complex:
        weight = np.real(weight)
    if name == "norm2":
        return [(x, 2 * float(np.real(weight)) * x)]
    if name == "sum":
        one = np.asarray(weight)
        like = x._some_field()
        one = one.astype(f"{'complex' if number.is_complex else 'float'}{number.bits * (1 + number.is_complex)}")
        given = np.broadcast_to(one, (*like.shape, *one.shape))
        return [(x, lattice.field(np.ascontiguousarray(given), _name_of(x), device=like.device))]
    y, factor = operands[1], _plain(weight)
    return [(x, _plain(np.conj(factor)) * y), (y, factor * x)]


def gradients(seeds: Iterable[Seed], by: Iterable[Field]) -> list[Optional[Field]]:
    """Gradients of the sum over seeds of <weight, value>, by fields; None where it does not depend on one."""
    terms: dict[int, list[Expression]] = {}
    given = list(seeds)
    for x, weight in given:
        terms.setdefault(id(x), []).append(weight)
    order = _in_order([x for x, _ in given])
    alive: dict[int, bool] = {}
    for x in order:
        alive[id(x)] = isinstance(x._watched, Variable) if isinstance(x, lattice.Field) and not _inputs(x) else any(
            alive[id(a)] for a in _inputs(x))
    wanted = {id(f) for f in by}
    found: dict[int, Field] = {}
    for x in reversed(order):
        if not alive[id(x)] or id(x) not in terms:
            continue
        weight = _total(terms.pop(id(x)))
        if id(x) in wanted:
            found[id(x)] = _plain_field(weight)
        elif isinstance(x, lattice.Field) and _inputs(x):
            terms.setdefault(id(x._watched), []).append(_plain_field(weight))
        elif not isinstance(x, lattice.Field):
            for to, change in _through(x, weight, lambda a: alive[id(a)]):
                terms.setdefault(id(to), []).append(change)
    return [found.get(id(f)) for f in by]


def _inputs(x: Expression) -> tuple[Expression, ...]:
    if isinstance(x, lattice.Field):
        return (x._watched,) if isinstance(x._watched, lattice.Expression) else ()
    return x._args


def _in_order(roots: Iterable[Expression]) -> list[Expression]:
    """All that expressions are made of, each before what is made of it."""
    known: set[int] = set()
    found: list[Expression] = []
    open_: list[tuple[Expression, bool]] = [(x, False) for x in roots]
    while open_:
        x, is_done = open_.pop()
        if is_done:
            found.append(x)
        elif id(x) not in known:
            known.add(id(x))
            open_.append((x, True))
            open_.extend((a, False) for a in _inputs(x))
    return found


def _through(x: Expression, w: Expression, counts: Callable[[Expression], bool]) -> list[Seed]:
    """The form in which x hands its gradient on to its operands."""
    a, b = (*x._args, None)[:2]
    assert a is not None
    if x._op == "+" or x._op == "-":
        assert b is not None
        return [(a, w), (b, w if x._op == "+" else -w)]
    if x._op == "*":
        assert b is not None
        return _through_product(a, b, w, counts)
    if x._op == "real":
        return [(a, lattice.Expression("*", (_number(1, True), w)))]
    if x._op == "trace":
        return [(a, lattice.Expression("by_trace", (a, w)))]
    if x._op == "shift":
        return [(a, w._call("shift", x._data[0], -x._data[1]))]
    if x._op == "spin":
        matrix = np.array([m._data[0] for m in x._args[1:]]).reshape(4, 4)
        return [(a, w.spin(matrix.conj().T))]
    assert x._op in ("adj", "conj", "transpose"), x._op
    return [(a, w._call(x._op))]


def _through_product(a: Expression, b: Expression, w: Expression, counts: Callable[[Expression], bool]) -> list[Seed]:
    if a._op == "number":
        z, is_complex = a._data
        change = lattice.Expression("*", (_number(complex(z).conjugate(), is_complex), w))
        site = site_of_expression(b)
        assert site is not None
        return [(b, change if site.is_complex or not is_complex else change.real())]
    weight = _held(w)
    found = []
    if counts(a):
        found.append((a, lattice.Expression("by_left", (a, _held(b), weight))))
    if counts(b):
        found.append((b, lattice.Expression("by_right", (_held(a), b, weight))))
    return found


def _number(z: complex, is_complex: bool) -> Expression:
    return lattice.Expression("number", data=(complex(z), is_complex))


def _products(x: Expression) -> int:
    """Products of fields under each other."""
    inner = x._args[1:] if x._op in ("by_left", "by_right") else x._args
    here = x._op in ("by_left", "by_right", "spin") or (x._op == "*" and x._args[0]._op != "number")
    return here + max(map(_products, inner), default=0)


def _held(x: Expression) -> Expression:
    """An operand that is read several times: a field of its values, where they take many products."""
    return x._evaluated() if _products(x) > _MOST else x


def _total(terms: Sequence[Expression]) -> Expression:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _plain_field(x: Expression) -> Field:
    return x if isinstance(x, lattice.Field) and x._watched is None else x._evaluated()


def _plain(weight: Any) -> Union[float, complex]:
    """A number of Python; a real one where it is."""
    z = np.asarray(weight).item()
    return z.real if z.imag == 0 else z  # type: ignore[no-any-return]


def _name_of(x: Expression) -> str:
    site = site_of_expression(x)
    name = None if site is None else name_of(site)
    if name is None:
        raise TypeError(f"the gradient by {site} at each site is asked for, of which there are no fields of arrays")
    return name


def field_like(x: Field, array: Any) -> Field:
    """A field of the values, of x's kind."""
    name = name_of(site_of(x))
    if name is None:
        raise TypeError(f"a field of {site_of(x)} has no gradient by arrays; evaluate other expressions")
    return lattice.field(np.ascontiguousarray(array, dtype=x.dtype), name, device=x.device)
