"""Steps back that are steps forward: where a step is u' = a u + D L u + s before, with numbers a and s, D of
coefficients at the point, and L the same in both directions, its adjoint takes mu = D times the weight to
mu' = a mu + D L mu + s mu_next. Beyond faces mu is reflected as the state is, so that no face is summed to. Sums by
other arguments are divided by D once, at the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _arrays
from ._adjoint import Form, Offset, _parameter
from ._derivatives import backward, linear, number, product, total
from ._emit import reachable, share
from ._faces import Faces
from ._origin import with_origin
from ._stencil import Stencil, stencil_of
from ._sums import sum_in_any_order
from ._trace import Parameter, Value
from ._traced import Traced

#: Magnitudes that D may have.
_LEAST, _MOST = 1e-12, 1e12


class Part(NamedTuple):
    """A stencil, and the names of what it reads."""

    stencil: Stencil
    reads: tuple[str, ...]


class Alike(NamedTuple):
    """What a step back takes: `factor` gives D (a text: that coefficient; None: 1), `step` the next mu, `sums` what is
    added up for each other argument."""

    factor: Union[Part, str, None]
    step: Part
    sums: dict[str, Part]
    sign: int  # s, where there are two levels


@with_origin
def alike_of(form: Form, levels: int, by: Sequence[str], faces: Faces) -> Optional[Alike]:
    """None where the step back is no such step, or faces reflect otherwise."""
    traced = form.traced
    assert traced is not None
    states = [p.name for p in traced.arrays[:levels]]
    if levels > 2 or len(form.operations) != 1 or not set(states) <= set(by):
        return None
    return _Finder(form, states, by).found(faces)


class _Finder:
    def __init__(self, form: Form, states: Sequence[str], by: Sequence[str]) -> None:
        assert form.traced is not None
        self.form, self.traced, self.states, self.by = form, form.traced, states, by
        self.here = (0,) * form.traced.rank
        taken = {p.name for p in (*self.traced.arrays, *self.traced.numbers)}
        self.weight, self.known = (_parameter(n, self.traced.rank, taken) for n in ("weight", "known"))
        self.mine = self.at(self.weight, self.here)

    def at(self, array: Parameter, offset: Offset) -> Value:
        return Value("load", data=(array, offset))

    def found(self, faces: Faces) -> Optional[Alike]:
        one = self.form.operations[0]
        names = set(self.by)
        terms: dict[Offset, list[Value]] = {}
        others: dict[str, list[Value]] = {}
        for leaf, value in backward([(one.value, self.mine)], lambda v: (
                v.data[0].name if v.op == "load" else v.data if v.op == "number" else None) in names):
            name, offset = (leaf.data, self.here) if leaf.op == "number" else (leaf.data[0].name, leaf.data[1])
            if name == self.states[0]:
                terms.setdefault(offset, []).append(value)
            elif any(offset):
                return None
            else:
                others.setdefault(name, []).append(value)
        sign = self._sign(others.pop(self.states[1], [])) if len(self.states) > 1 else 0
        parts = self._parts(terms)
        if parts is None or (len(self.states) > 1 and not sign):
            return None
        own, far, factor = parts
        if not self._is_reflected(far, faces):
            return None
        by_itself: Union[Part, str, None] = None
        if factor is not None:
            by_itself = factor.data[0].name if factor.op == "load" else self.part("factor", factor, ())
        return Alike(by_itself, self._step(own, far, factor, sign),
                     {n: self._sum(n, total(v)) for n, v in others.items()}, sign)

    def _sign(self, values: Sequence[Value]) -> int:
        """1 or -1 where the oldest level is weighted with the newest one's weight, or less it; else 0."""
        if len(values) != 1:
            return 0
        sign, value = 1, values[0]
        while value.op == "negate":
            (value,), sign = value.args, -sign
        return sign if value is self.mine else 0

    def _parts(self, terms: Mapping[Offset, Sequence[Value]]
               ) -> Optional[tuple[list[Value], dict[Offset, Value], Optional[Value]]]:
        """a, the numbers of L by distance, and D (None: 1, with all in L)."""
        known: dict[int, dict[int, tuple[Value, Value]]] = {}
        own: list[Value] = []
        far: dict[Offset, Value] = {}
        base: Optional[Value] = None
        plain: dict[Offset, Value] = {}
        for offset, values in terms.items():
            for factor, of in linear(total(values), known).values():
                to = plain if of is self.mine else far
                if to is far and base is not None and of is not base:
                    return None
                base = base if to is plain else of
                to[offset] = Value("+", (to[offset], factor)) if offset in to else factor
        if base is None:
            return own, plain, None
        divided = self._divided(base)
        if divided is None or any(map(any, plain)) or not self._is_of_coefficients(divided):
            return None
        return list(plain.values()), far, divided

    def _divided(self, value: Value) -> Optional[Value]:
        """The factor of a product with the weight; None: it is none."""
        if value is self.mine:
            return number(1.0)
        if value.op == "negate":
            inner = self._divided(value.args[0])
            return inner and product(number(-1.0), inner)
        if value.op not in ("*", "/"):
            return None
        a, b = value.args
        inner = self._divided(a)
        if inner is not None:
            return product(inner, b) if value.op == "*" else Value("/", (inner, b))
        inner = self._divided(b) if value.op == "*" else None
        return inner and product(a, inner)

    def _is_of_coefficients(self, value: Value) -> bool:
        return all(v.data[0] is not self.weight and v.data[0].name not in self.states and not any(v.data[1])
                   for v in reachable([value]) if v.op == "load")

    def _is_reflected(self, far: Mapping[Offset, Value], faces: Faces) -> bool:
        """Whether L gives what faces reflect the same weight from both sides."""
        for d, ends in enumerate(faces.conditions):
            kinds = {end.kind for end in ends}
            if faces.reach[d] == 0 or kinds == {"periodic"}:
                continue
            if not kinds <= {"mirror", "dirichlet"}:
                return False
            for offset, factor in far.items():
                other = far.get(tuple(-k if i == d else k for i, k in enumerate(offset)))
                if other is None or not _same(factor, other):
                    return False
        return True

    def _step(self, own: Sequence[Value], far: Mapping[Offset, Value], factor: Optional[Value], sign: int) -> Part:
        terms = [product(f, self.mine) for f in own]
        around = total([product(f, self.at(self.weight, tuple(-k for k in o))) for o, f in far.items()])
        value = total([*terms, around if factor is None else product(factor, around)])
        if sign:
            value = Value("+" if sign > 0 else "-", (value, self.at(self.known, self.here)))
        return self.part("weight", value, (self.weight, self.known))

    def _sum(self, name: str, change: Value) -> Part:
        """What one step adds for another argument: where it reads a state around, that comes first."""
        value = Value("+", (change, self.at(self.known, self.here)))
        around = [p for p in self.traced.arrays
                  if any(v.data[0] is p and any(v.data[1]) for v in reachable([value]) if v.op == "load")]
        return self.part(name, value, (*around, self.weight, self.known))

    def part(self, name: str, value: Value, first: Sequence[Parameter]) -> Part:
        (value,) = share([value])
        read = [v for v in reachable([value]) if v.op in ("load", "number")]
        all_ = list(dict.fromkeys((*first, *self.traced.arrays)))
        arrays = [p for p in all_ if any(v.op == "load" and v.data[0] is p for v in read)]
        numbers = [p for p in self.traced.numbers if any(v.op == "number" and v.data == p.name for v in read)]
        made = stencil_of(Traced(f"{self.traced.name}_back_{name}", None, [value], arrays, numbers, {}))
        return Part(made, tuple("weight" if p is self.weight else "known" if p is self.known else p.name
                                for p in arrays))


def _same(a: Value, b: Value) -> bool:
    return a is b or (a.op == b.op and a.data == b.data and len(a.args) == len(b.args)
                      and all(map(_same, a.args, b.args)))


class BackAlike:
    """Such steps backwards."""

    def __init__(self, alike: Alike, names: Sequence[str], levels: int, faces: Faces, coefficients: Sequence[Any],
                 device: Optional[str], values: Mapping[str, float]) -> None:
        self.alike, self.faces, self.device, self.values = alike, faces, device, values
        self.states = names[:levels]
        self.arrays = dict(zip(names[levels:], coefficients))
        self.linear = faces.linear()
        self.free: list[Any] = []
        self.factor: Any = None

    def begin(self, weights: Sequence[Any]) -> bool:
        """False where D is 0 somewhere, or far from 1: another way is to be taken."""
        faces = self.faces
        if self.alike.factor is not None:
            part = self.alike.factor
            # A coefficient as it is, or what is made of several.
            made = self.arrays[part] if isinstance(part, str) else self._run(part, {}, self._new(weights[0]))
            self.factor = faces.inner(made)
            low, high = _arrays.least_and_greatest(self.factor)
            low, high = -faces.greatest(-low), faces.greatest(high)
            if not (_LEAST <= low <= high <= _MOST or _LEAST <= -high <= -low <= _MOST):
                return False
        self.weights = [self._new(w) for w in weights]
        for made, w in zip(self.weights, weights):
            _arrays.multiply(w, self.factor, faces.inner(made))
        if self.alike.sign < 0:
            self.weights[1] *= -1
        self.linear.fill(self.weights[0], True)
        self.sums = {n: [_arrays.zeroed(self._new(weights[0])), self._new(weights[0])] for n in self.alike.sums}
        return True

    def _new(self, like: Any) -> Any:
        return self.faces.new(like, self.faces.wide_shape(like.shape))

    def _run(self, part: Part, more: Mapping[str, Any], out: Any) -> Any:
        stencil = part.stencil
        core, numbers = stencil._bind_numbers({n: self.values[n] for n in stencil.numbers or ()}, len(part.reads) + 1)
        arrays = {**self.arrays, **more}
        core.run((*(arrays[n] for n in part.reads), out), numbers, "auto", self.device, True)
        return out

    def step(self, state: Sequence[Any]) -> None:
        """A step back; `state`: the levels before it, the newest first."""
        old = dict(zip(self.states, state))
        for name, both in self.sums.items():
            self._run(self.alike.sums[name], {**old, "weight": self.weights[0], "known": both[0]}, both[1])
            both.reverse()
        known = self.weights[-1]
        made = self.free.pop() if self.free else self.faces.new(known, known.shape)
        self._run(self.alike.step, {"weight": self.weights[0], "known": known}, made)
        self.linear.fill(made, True)
        self.free.append(known)
        self.weights = [made, self.weights[0]][:len(self.weights)]

    def _divided(self, array: Any) -> Any:
        inner = self.faces.inner(array)
        return _arrays.copy_of(inner) if self.factor is None else inner / self.factor

    def by_states(self) -> dict[str, Any]:
        found = {n: self._divided(w) for n, w in zip(self.states, self.weights)}
        if self.alike.sign < 0:
            found[self.states[1]] *= -1
        return found

    def by_others(self) -> dict[str, Any]:
        faces = self.faces
        found = {n: self._divided(both[0]) for n, both in self.sums.items()}
        for name in found:
            if name not in self.arrays:
                count = math.prod(faces.points or found[name].shape)
                found[name] = sum_in_any_order(found[name], count, faces.greatest, faces.total)
        return found
