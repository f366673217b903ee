"""Adjoints of sums over pairs: sums over pairs again.

A body's adjoint is its derivative of all that it is a target or a source of, each times the weight of the target. Among
themselves both are one sum, over bodies that have their weights as further components: near lists, which name each pair
from both sides, serve it as they are. Of targets apart from sources they are two, the second with the roles exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ._adjoint import rebuilt
from ._derivatives import backward, depends, negated, number, product, total
from ._emit import reachable
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
def adjoint_of(form: PairsForm, array: Optional[str], by_numbers: Sequence[str]) -> Made:
    """The adjoint by "targets", "sources" or "bodies", and by numbers, which are of targets or bodies; `array` None: by
    numbers alone, of targets and sources. Weights are components behind those of targets, or of bodies."""
    sums = len(form.results)
    first: Callable[[int], Value] = _ends("target")
    second: Callable[[int], Value] = _ends("source")
    targets, sources, mine = form.targets + sums, form.sources, form.targets
    seeded: list[tuple[Value, Value]] = []
    weight = form.targets
    if array == "bodies":
        targets = sources = form.sources + sums
        weight = mine = form.sources
    if array == "sources":
        targets, sources, mine = form.sources, form.targets + sums, form.sources
    if array != "sources":
        seeded += [(_with(r, first, second), first(weight + m)) for m, r in enumerate(form.results)]
    if array in ("bodies", "sources"):
        seeded += [(_with(r, second, first), second(weight + m)) for m, r in enumerate(form.results)]
    roots = tidy([r for r, _ in seeded])
    wanted = set(by_numbers)
    leaves = backward([(r, g) for r, (_, g) in zip(roots, seeded)], lambda v: (
        array is not None and v.data[0] == "target" and v.data[1][0] < mine) if v.op == "load" else
        v.op == "number" and v.data in wanted)
    terms: dict[Any, list[Value]] = {}
    for leaf, value in leaves:
        terms.setdefault(leaf.data if leaf.op == "number" else leaf.data[1][0], []).append(value)
    found = [total(terms[c]) if c in terms else number(0.0) for c in range(mine if array else 0)]
    # Among themselves each pair comes twice, with the derivatives of both sums.
    share = number(0.5 if array == "bodies" else 1.0)
    found += [product(share, total(terms[n])) if n in terms else number(0.0) for n in by_numbers]
    results = tidy(found)
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
