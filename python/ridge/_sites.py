"""The tensors of lattice expressions: which operands fit each other, before anything is compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from . import _core

if TYPE_CHECKING:
    from .lattice import Expression, Field


@dataclass(frozen=True)
class Site:
    """The tensor of a site: vectors and matrices, the outermost first, of numbers."""

    levels: tuple[tuple[str, int], ...]
    is_complex: bool
    bits: int  #: of a real number; 0: a factor, which takes the field's precision

    def __str__(self) -> str:
        number = f"complex{2 * self.bits}" if self.is_complex else f"float{self.bits}"
        return " of ".join([f"{kind} of {n}" for kind, n in self.levels] + [number])

    def __add__(self, other: Site) -> Site:
        return self._same(other, "added")

    def __sub__(self, other: Site) -> Site:
        return self._same(other, "subtracted")

    def __neg__(self) -> Site:
        return self

    def __mul__(self, other: Site) -> Site:
        if self.bits and other.bits and self.bits != other.bits:
            raise _Unequal(f"{self} and {other} are multiplied; operands of one precision are right")
        levels = _product(self.levels, other.levels)
        if levels is None:
            raise _Unequal(f"{self} and {other} cannot be multiplied; a matrix and a matrix or a vector "
                           "of as many can, and numbers with anything")
        return Site(levels, self.is_complex or other.is_complex, self.bits or other.bits)

    def __truediv__(self, other: Site) -> Site:
        return self * Site((), other.is_complex, other.bits)

    def _same(self, other: Site, done: str) -> Site:
        if self != other:
            raise _Unequal(f"only equal site tensors can be {done}, not {self} and {other}")
        return self


class _Unequal(Exception):
    """Why operands do not fit."""


Levels = tuple[tuple[str, int], ...]


def _product(a: Levels, b: Levels) -> Optional[Levels]:
    """As the library multiplies: the operand of fewer levels goes to each element of the other."""
    if not a and not b:
        return ()
    if len(a) < len(b):
        inner = _product(a, b[1:])
        return None if inner is None else (b[0], *inner)
    if len(a) > len(b):
        inner = _product(a[1:], b)
        return None if inner is None else (a[0], *inner)
    if a[0][0] != "matrix" or a[0][1] != b[0][1]:
        return None
    inner = _product(a[1:], b[1:])
    return None if inner is None else (b[0], *inner)


def _real(x: Site) -> Site:
    if x.levels or not x.is_complex:
        raise _Unequal(f"real() is of complex numbers, not of {x}")
    return Site((), False, x.bits)


def _trace(x: Site) -> Site:
    if any(kind != "matrix" for kind, _ in x.levels):
        raise _Unequal(f"trace() is of matrices, not of {x}")
    return Site((), x.is_complex, x.bits)


def _spin(x: Site) -> Site:
    if not x.is_complex or not x.levels or x.levels[0][1] != 4:
        raise _Unequal(f"spin() is of spinors and propagators, not of {x}")
    return x


_FUNCTIONS: dict[str, Callable[..., Site]] = {
    "adj": lambda x: x, "conj": lambda x: x, "transpose": lambda x: x, "real": _real, "trace": _trace,
    "shift": lambda x, _axis, _by: x, "spin": lambda x, *_numbers: _spin(x),
    "by_left": lambda a, _b, _w: a, "by_right": lambda _a, b, _w: b, "by_trace": lambda a, _w: a,
}


def site_of(field: Field) -> Site:
    """Of a field, from the type that C++ has for it."""
    extents = field._held.site()
    levels = []
    for kind in re.findall(r"\b(Vector|Matrix)<", field._held.type()):
        levels.append((kind.lower(), extents[0]))
        extents = extents[1 if kind == "Vector" else 2:]
    return Site(tuple(levels), field._held.is_complex(), 8 * field._held.real_bytes())


_NAMES: dict[Levels, str] = {
    (): "complex", (("vector", 3),): "colour_vector", (("matrix", 3),): "colour_matrix",
    (("vector", 4), ("vector", 3)): "spinor", (("matrix", 4), ("matrix", 3)): "propagator"}


def name_of(site: Site) -> Optional[str]:
    """What `lattice.field` calls such a site; None where it makes none."""
    if not site.is_complex:
        return None if site.levels else "real"
    return _NAMES.get(site.levels)


def check_operands(operands: Sequence[Expression]) -> None:
    """Raises UsageError for fields on different lattices or devices, and for operands that cannot be
    joined as the expressions have it, or not reduced together."""
    fields = [f for x in operands for f in x._parts()[1]]
    first = fields[0]
    for f in fields:
        if f.device != first.device:
            raise _core.UsageError(f"an expression of fields on {first.device} and on {f.device}; all must "
                                   "be on one device")
        if f.shape != first.shape:
            raise _core.UsageError(f"an expression of fields on the lattices {first.shape} and {f.shape}; "
                                   "all must be on one lattice")
    try:
        sites = [site_of_expression(x) for x in operands]
        if len(sites) == 2 and None not in sites and sites[0] != sites[1]:
            raise _Unequal(f"only equal site tensors are reduced together, not {sites[0]} and {sites[1]}")
    except _Unequal as e:
        raise _core.UsageError(str(e)) from None


def site_of_expression(x: Expression) -> Optional[Site]:
    """Follows the text of an expression; None where it calls what is not known here."""
    text, fields, _ = x._parts()
    known: dict[str, Any] = {"__builtins__": {}, **_FUNCTIONS, "N": Site((), False, 0),
                             "C": Site((), True, 0)}
    count = 0

    def named(_match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        known[f"f{count - 1}"] = site_of(fields[count - 1])
        return f"f{count - 1}"

    python = re.sub(r"\bF\b", named, text)
    if any(name not in known for name in re.findall(r"[A-Za-z_]\w*", python)):
        return None
    found = eval(python, known)  # noqa: S307: the text was written by lattice.py
    return found if isinstance(found, Site) else None
