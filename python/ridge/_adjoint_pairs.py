"""Adjoints of sums over pairs: sums over pairs again.

A body's adjoint is its derivative of all that it is a target or a source of, each times the weight of the target. Among
themselves both are one sum, over bodies that have their weights as further components: near lists, which name each pair
from both sides, serve it as they are. Targets apart from sources take two, the second with the roles exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ._adjoint import rebuilt
from ._derivatives import backward, depends, negated, number, product, total
from ._emit import flops, reachable
from ._origin import with_origin
from ._trace import Parameter, Value


@dataclass
class PairsForm:
    """What an interaction computes, as its adjoint needs it. Another process has none."""

    name: str = ""
    results: Sequence[Value] = ()
    targets: int = 0
    sources: int = 0
    numbers: Sequence[Parameter] = ()
    defaults: dict[str, float] = field(default_factory=dict)

    def __deepcopy__(self, _known: object) -> PairsForm:
        return self

    def __reduce__(self) -> Any:
        return PairsForm, ()

    def changes_with(self, name: str) -> bool:
        """Whether the sums change smoothly with targets, sources, bodies (as either) or a number."""
        ends = {"targets": ("target",), "sources": ("source",), "bodies": ("target", "source")}.get(name, ())
        return any(v.number in depends(self.results, lambda v: v.data[0] in ends if v.op == "load" else
                                       v.op == "number" and v.data == name) for v in self.results)


@dataclass
class Made:
    """An adjoint's trace: its targets have `targets` components, its sources `sources`; it adds to each target the
    gradient by its first `by_array` components, then those by numbers."""

    name: str
    targets: int
    sources: int
    results: list[Value]
    numbers: list[Parameter]
    defaults: dict[str, float]
    by_array: int
    by_numbers: list[str]


@with_origin
def adjoint_of(form: PairsForm, array: Optional[str], by_numbers: Sequence[str], is_of_bodies: bool) -> Made:
    """The adjoint by "targets", "sources" or "bodies", and by numbers, which are of targets or bodies; `array` None: by
    numbers alone. Weights are components behind those of targets, or of bodies, which are both ends."""
    sums = len(form.results)
    first: Callable[[int], Value] = _ends("target")
    second: Callable[[int], Value] = _ends("source")
    targets, sources, mine = form.targets + sums, form.sources, form.targets
    seeded: list[tuple[Value, Value]] = []
    weight = form.targets
    if is_of_bodies:
        targets = sources = form.sources + sums
        weight = mine = form.sources
    if array == "sources":
        targets, sources, mine = form.sources, form.targets + sums, form.sources
    if array != "sources":
        seeded += [(_with(r, first, second), first(weight + m)) for m, r in enumerate(form.results)]
    if array in ("bodies", "sources"):
        seeded += [(_with(r, second, first), second(weight + m)) for m, r in enumerate(form.results)]
    roots = tidy([r for r, _ in seeded])
    tried = [_derived(order, [g for _, g in seeded], mine if array else 0, by_numbers, array == "bodies")
             for order in (roots, tidy(_Sums(roots).in_order()))]
    results = min((r for found in tried for r in (tidy(found), tidy(_Sums(tidy(found)).in_order()))),
                  key=lambda values: flops(reachable(values)))
    used = {v.data for v in reachable(results) if v.op == "number"}
    return Made(f"{form.name}_adjoint", targets, sources, results, [p for p in form.numbers if p.name in used],
                {n: x for n, x in form.defaults.items() if n in used}, mine if array else 0, list(by_numbers))


def _ends(name: str) -> Callable[[int], Value]:
    made: dict[int, Value] = {}
    return lambda c: made.setdefault(c, Value("load", data=(name, (c,))))


def _with(root: Value, target: Callable[[int], Value], source: Callable[[int], Value]) -> Value:
    """The value of another target and source."""
    ends = {"target": target, "source": source}
    return rebuilt(root, lambda v: ends[v.data[0]](v.data[1][0]) if v.op == "load" else None)


def _derived(roots: Sequence[Value], weights: Sequence[Value], components: int, by_numbers: Sequence[str],
             is_twice: bool) -> list[Value]:
    """What the sum of roots times weights changes by with the target's components, and with numbers."""
    leaves = backward(list(zip(roots, weights)), lambda v: (
        v.data[0] == "target" and v.data[1][0] < components) if v.op == "load" else
        v.op == "number" and v.data in by_numbers)
    terms: dict[Any, list[Value]] = {}
    for leaf, value in leaves:
        terms.setdefault(leaf.data if leaf.op == "number" else leaf.data[1][0], []).append(value)
    found = [total(terms[c]) if c in terms else number(0.0) for c in range(components)]
    # Among themselves each pair comes twice, with the derivatives of both sums.
    share = number(0.5 if is_twice else 1.0)
    return found + [product(share, total(terms[n])) if n in terms else number(0.0) for n in by_numbers]


def tidy(results: Sequence[Value]) -> list[Value]:
    """The same values with equal ones made one, also those that differ by a sign: what two bodies give each other has
    most in common. Signs move outwards; rounding stays as it is."""
    known: dict[Any, Value] = {}
    now: dict[int, tuple[bool, Value]] = {}

    def one(op: str, args: tuple[Value, ...], data: Any) -> Value:
        name = repr(data) if op == "literal" else data
        key = op, name, *(a.number for a in args)
        if key not in known:
            known[key] = Value(op, args, data)
        return known[key]

    def plus(a: tuple[bool, Value], b: tuple[bool, Value]) -> tuple[bool, Value]:
        if a[0] and b[0]:
            return True, plus((False, a[1]), (False, b[1]))[1]
        x, y = sorted((a[1], b[1]), key=lambda v: v.number)
        if a[0] == b[0]:
            return False, one("+", (x, y), None)
        return (b[1] if a[0] else a[1]) is not x, one("-", (x, y), None)

    for v in reachable(results):
        args = [now[a.number] for a in v.args]
        if v.op == "negate":
            now[v.number] = not args[0][0], args[0][1]
        elif v.op in ("+", "-"):
            now[v.number] = plus(args[0], args[1] if v.op == "+" else (not args[1][0], args[1][1]))
        elif v.op in ("*", "/"):
            order = [a for _, a in args]
            if v.op == "*":
                order.sort(key=lambda a: a.number)
            now[v.number] = args[0][0] != args[1][0], one(v.op, tuple(order), None)
        else:
            signed = tuple(one("negate", (a,), None) if minus and a.op != "literal" else negated(a) if minus else a
                           for minus, a in args)
            now[v.number] = False, one(v.op, signed, v.data)
    return [one("negate", (a,), None) if minus else a for minus, a in (now[r.number] for r in results)]


class _Sums:
    """Products as powers of factors and sums as multiples of products, in an order by which most share what they are
    made of. Derivatives of w*w*w come as three terms; so they are one."""

    def __init__(self, results: Sequence[Value]) -> None:
        self.results, self.values = results, reachable(results)
        self.uses: dict[int, int] = {}
        for v in (*(a for v in self.values for a in v.args), *results):
            self.uses[v.number] = self.uses.get(v.number, 0) + 1
        #: Of products a number and the powers of their factors; of sums how often they have which products.
        self.factors: dict[int, tuple[float, dict[int, int]]] = {}
        self.terms: dict[int, dict[tuple[tuple[int, int], ...], float]] = {}
        for v in self.values:
            if v.op in ("*", "negate") and not v.plain:
                self.factors[v.number] = self._product(v)
            elif v.op in ("+", "-") and not v.plain:
                self.terms[v.number] = self._sum(v)
        #: In how many products a factor is.
        self.often: dict[int, int] = {}
        for of in (*(dict(key) for several in self.terms.values() for key in several),
                   *(of for _, of in self.factors.values())):
            for n in of:
                self.often[n] = self.often.get(n, 0) + 1
        self.now: dict[int, Value] = {}

    def _as_product(self, a: Value) -> tuple[float, dict[int, int]]:
        if a.op == "literal":
            return a.data, {}
        return self.factors.get(a.number, (1.0, {a.number: 1}))

    def _product(self, v: Value) -> tuple[float, dict[int, int]]:
        scale = -1.0 if v.op == "negate" else 1.0
        of: dict[int, int] = {}
        for a in v.args:
            more, others = self._as_product(a)
            scale *= more
            for n, count in others.items():
                of[n] = of.get(n, 0) + count
        return scale, of

    def _sum(self, v: Value) -> dict[tuple[tuple[int, int], ...], float]:
        found: dict[tuple[tuple[int, int], ...], float] = {}
        for sign, a in zip((1.0, 1.0 if v.op == "+" else -1.0), v.args):
            scale, of = self._as_product(a)
            inner = self.terms[a.number] if a.number in self.terms and self.uses[a.number] == 1 else {
                tuple(sorted(of.items())): scale}
            for key, count in inner.items():
                found[key] = found.get(key, 0.0) + sign * count
        return found

    def _power(self, v: Value, n: int) -> Value:
        if n == 1:
            return v
        half = self._power(v, n // 2)
        return product(product(half, half), v) if n % 2 else product(half, half)

    def _built(self, scale: float, of: dict[int, int]) -> Value:
        ones = [self._power(self.now[n], count) for n, count in
                sorted(of.items(), key=lambda pair: (-pair[1], -self.often.get(pair[0], 0), pair[0]))]
        found = number(scale)
        if ones:
            found = ones[0]
            for one in ones[1:]:
                found = product(found, one)
            found = product(number(scale), found)
        return found

    def in_order(self) -> list[Value]:
        for v in self.values:
            if v.number in self.factors:
                self.now[v.number] = self._built(*self.factors[v.number])
            elif v.number in self.terms:
                self.now[v.number] = total([self._built(scale, dict(key))
                                            for key, scale in self.terms[v.number].items()])
            else:
                args = tuple(self.now[a.number] for a in v.args)
                same = all(a is b for a, b in zip(args, v.args))
                self.now[v.number] = v if same else Value(v.op, args, v.data)
        return [self.now[r.number] for r in self.results]
