"""Gradients of functions of lattice fields: of sums over the lattice, and of expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core, lattice
from ._gradients import gradients_type
from ._sites import site_of, site_of_expression
from ._watched import Scalar, Variable, field_like, gradients, seeds_of
from .lattice import Expression, Field

if TYPE_CHECKING:
    from ._watched import Seed

_SLOPES = (1.6, 2.3)


class LatticeGradient:
    """The gradient of a function of lattice fields. Made by `ridge.grad`."""

    def __init__(self, function: Callable[..., Any], by: Optional[Sequence[str]]) -> None:
        self.function = function
        names = [p.name for p in inspect.signature(function).parameters.values()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        unknown = [n for n in by or () if n not in names]
        if unknown or (by is not None and not by):
            what = f"'{unknown[0]}' is no argument" if unknown else "by= is empty"
            raise TypeError(f"ridge.grad: {what} of {self._name}; {', '.join(names) or 'none'} are right")
        self.arguments = tuple(names)
        #: Arguments that it is the gradient by; None: all fields of a call.
        self.by = None if by is None else tuple(dict.fromkeys(by))

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", "the function")

    def __repr__(self) -> str:
        return f"<ridge.grad of {self._name} by {', '.join(self.by or ('its fields',))}>"

    def __call__(self, *fields: Any) -> Any:
        """The gradients dL/dRe + i dL/dIm of the number L that the function gives, or, with a field more, the
        cotangent w, of L = Re inner_product(w, y) of the expression y that it gives. Takes the function's arguments;
        returns a named tuple of fields, one a name of `by`. Raises TypeError for functions that give neither."""
        names, given, seeds = self._seeds(fields)
        found = [f if f is not None else 0.0 * x for f, x in zip(gradients(seeds, given), given)]
        return gradients_type(self._name, tuple(names))(*(f if isinstance(f, Field) else f.evaluate() for f in found))

    def _seeds(self, fields: Sequence[Any]) -> tuple[list[str], list[Field], list[Seed]]:
        count = len(self.arguments)
        if len(fields) not in (count, count + 1):
            raise TypeError(f"the gradient of {self._name} takes its arguments ({', '.join(self.arguments)}), and the "
                            f"cotangent where it gives an expression, not {len(fields)} arguments")
        names = [n for n, x in zip(self.arguments, fields)
                 if isinstance(x, Field) and (self.by is None or n in self.by)]
        missing = [n for n in self.by or () if n not in names]
        if missing or not names:
            raise TypeError(f"ridge.grad: {self._name} has gradients by lattice fields"
                            + (f", and {missing[0]} is none" if missing else f", and none was given; {_OTHERS}"))
        own = [_watched(x) if n in names else x for n, x in zip(self.arguments, fields)]
        given = [x for n, x in zip(self.arguments, own) if n in names]
        return names, given, self._seeds_of(self.function(*own), fields[count:])

    def _seeds_of(self, found: Any, cotangent: Sequence[Any]) -> list[Seed]:
        if isinstance(found, Scalar):
            if cotangent:
                raise TypeError(f"the gradient of {self._name}, which gives a number, takes no cotangent")
            if isinstance(found.value, complex):
                raise TypeError(f"ridge.grad: {self._name} gives a complex number; its .real is a loss")
            return [s for (name, operands), a, b in found.parts for s in seeds_of(name, operands, np.conj(a) + b)]
        if not isinstance(found, Expression):
            raise TypeError(f"ridge.grad: {self._name} gives {type(found).__name__}; sums over a lattice and "
                            "expressions of its fields have gradients")
        if not cotangent or not isinstance(cotangent[0], Field):
            raise TypeError(f"the gradient of {self._name}, which gives an expression, takes the cotangent, a field")
        if site_of(cotangent[0]) != site_of_expression(found):
            raise _core.UsageError(f"the gradient of {self._name}: the cotangent is of {site_of(cotangent[0])}; "
                                   f"{site_of_expression(found)} is right")
        return [(found, cotangent[0])]

    def test(self, *fields: Any) -> dict[str, Any]:
        """The proof of the gradient: `slope`, the power of the step with which the error of the linear prediction of
        the loss falls along random changes, 2 (None where there is no error), and `ok`."""
        names, given, seeds = self._seeds(fields)
        rng = np.random.default_rng(1)
        changes = [_random(rng, x) for x in given]
        found = gradients(seeds, given)
        right = sum(_along(g, v) for g, v in zip(found, changes) if g is not None)
        count = len(self.arguments)
        size = max(float(np.sqrt(np.mean(abs(x.numpy()) ** 2))) for x in given)
        step = 1e-3 * max(size, 1e-3)
        begin = self._loss(fields)

        def error(h: float) -> float:
            moved = iter([field_like(x, x.numpy() + h * v) for x, v in zip(given, changes)])
            there = [next(moved) if n in names else x for n, x in zip(self.arguments, fields)]
            return abs(self._loss([*there, *fields[count:]]) - begin - h * right)

        errors = error(step), error(step / 2)
        # Rounding of the losses is no error of the prediction.
        is_linear = errors[0] <= 1e-10 * (abs(begin) + abs(step * right))
        slope = None if is_linear else float(np.log2(errors[0] / errors[1])) if errors[1] > 0 else float("inf")
        return {"ok": slope is None or _SLOPES[0] <= slope <= _SLOPES[1], "slope": slope}

    def _loss(self, fields: Sequence[Any]) -> float:
        count = len(self.arguments)
        found = self.function(*fields[:count])
        if isinstance(found, Expression):
            return float(np.real(lattice.inner_product(fields[count], found)))
        return float(found)


_OTHERS = "stencils, chains and pairs of Python's functions are made by ridge.stencil and so on"


def _watched(x: Field) -> Field:
    made = Field(x._held)
    made._watched = Variable()
    return made


def _random(rng: np.random.Generator, x: Field) -> Any:
    shape = (*x.shape, *x._held.site())
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if x.dtype.kind == "c" else real


def _along(g: Field, v: Any) -> float:
    return float(np.sum(np.real(np.conj(g.numpy()) * v)))
