"""Adjoints: the transposed derivative of a traced kernel, as a chain.

At each item the derivatives of an operation by its reads are multiplied by the weights of its results; the weight
of a value that is read is the sum of these products over all who read it, a gather. Items that a kernel
leaves untouched weigh nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ._columns import Scan
from ._derivatives import backward, depends, linear, number, product, total
from ._emit import COSTLY, flops, reachable
from ._operations import Operation
from ._origin import with_origin
from ._trace import Parameter, Value
from ._traced import Traced

Offset = tuple[int, ...]
#: Along each axis the first item that counts, and how many at the end do not. Below 0: from the other end.
Box = tuple[tuple[int, int], ...]

#: Operations of a value that is computed where it is gathered rather than kept, and of all of them.
_SHORT, _MOST = 8, 400


@dataclass
class Form:
    """What a kernel computes, as its adjoint needs it. Another process has none."""

    traced: Optional[Traced] = None
    operations: Sequence[Operation] = ()
    #: What stands for the array of each result.
    results: Sequence[object] = ()
    edge: str = "none"

    def __deepcopy__(self, _known: object) -> Form:
        return self

    def __reduce__(self) -> Any:
        return Form, ()

    def box(self, k: int) -> Box:
        """The items that result k has."""
        assert self.traced is not None
        return next(_box(op, self.traced.rank) for op in self.operations if op.array is self.results[k])


@dataclass
class Made:
    """An adjoint: its trace, its edge, and which of the kernel's arrays it reads."""

    traced: Traced
    edge: str
    reads: list[str]
    cotangents: list[int]
    by: list[str]  # arrays and numbers that the results change smoothly with, of those that were asked for


@with_origin
def adjoint_of(form: Form, wanted: Sequence[str], stored: Optional[bool] = None,
               is_bounded: bool = True) -> Made:
    """The chain of the gradients by `wanted`, arrays and numbers of the kernel, one result each: the
    sum of all items, where it is by a number. `stored`: whether what is gathered is kept, not
    computed where it is read; None: where that is much. Not `is_bounded`: cotangents of items
    that the one operation leaves are 0, and its derivatives there finite."""
    return _Adjoint(form, wanted, stored, is_bounded).made()


class _Adjoint:
    def __init__(self, form: Form, wanted: Sequence[str], stored: Optional[bool], is_bounded: bool) -> None:
        assert form.traced is not None
        self.is_bounded = is_bounded
        self.form, self.traced = form, form.traced
        self.rank = form.traced.rank
        self.here = (0,) * self.rank
        self.stored = stored
        self.wanted = list(wanted)
        self.parameters = {p.name: p for p in (*self.traced.arrays, *self.traced.numbers)}
        #: Terms of what each array is changed by, by its identity, and each number by its name.
        self.terms: dict[Any, list[Value]] = {}
        self.loads: dict[tuple[int, Offset], Value] = {}
        #: Names for what an item of a column has from the one before, and what they stand for.
        self.handed: dict[tuple[int, int], Value] = {}
        self.before: dict[int, Value] = {}
        self.nothing_outside: set[int] = set()
        self.moved = False
        #: Arrays by which something that is wanted comes in.
        self.alive = {id(self.parameters[n]) for n in wanted if self.parameters[n].kind == "array"}
        for op in form.operations:
            if depends(list(op.value.args) if op.scans else [op.value], self._counts):
                self.alive.add(id(op.array))
        taken = {self.traced.name, *self.parameters}
        several = len(form.results) > 1
        self.weights = [_parameter(f"cotangent{k}" if several else "cotangent", self.rank, taken)
                        for k in range(len(form.results))]

    def _counts(self, v: Value) -> bool:
        if v.op == "load":
            return id(v.data[0]) in self.alive
        return v.op == "number" and v.data in self.wanted

    def made(self) -> Made:
        for op in reversed(self.form.operations):
            seeds = [self.load(self.weights[k], self.here)
                     for k, r in enumerate(self.form.results) if r is op.array]
            terms = self.terms.get(id(op.array), [])
            if (seeds or terms) and id(op.array) in self.alive:
                self._through(op, self._weight(seeds, terms, _box(op, self.rank)))
        if self.moved and any(op.matrices for op in self.form.operations):
            raise TypeError(f"ridge.grad: {self.traced.name} has elements and reads neighbours; chains that do one of "
                            "both have gradients")
        by = [n for n in self.wanted if self._key(n) in self.terms]
        results = [total(self.terms[self._key(n)]) for n in by]
        read = _parameters_of(results)
        arrays = [p for p in (*self.traced.arrays, *self.weights) if id(p) in read]
        used = {v.data for v in _all_values(results) if v.op == "number"}
        numbers = [p for p in self.traced.numbers if p.name in used]
        defaults = {n: x for n, x in self.traced.defaults.items() if n in used}
        edge = "clamp" if self.form.edge == "none" and self.moved else self.form.edge
        name = f"{self.traced.name}_adjoint"
        traced = Traced(name, f"The adjoint of {self.traced.name}.", results, arrays, numbers, defaults)
        return Made(traced, edge, [p.name for p in self.traced.arrays if id(p) in read],
                    [k for k, w in enumerate(self.weights) if id(w) in read], by)

    def _key(self, name: str) -> Any:
        p = self.parameters[name]
        return id(p) if p.kind == "array" else name

    def _weight(self, seeds: list[Value], terms: list[Value], box: Box) -> Value:
        """What the array of an operation counts by; 0 where the operation has no items, unless it is
        what the user gives."""
        if not terms and len(seeds) == 1:
            return seeds[0]
        weight = total([*(self.inside(s, box) for s in seeds), *terms])
        if self.stored is False or weight.op == "load":
            return weight
        self.nothing_outside.add(weight.number)
        return self.load(weight, self.here)

    # One operation.

    def _through(self, op: Operation, g: Value) -> None:
        """Hands on what the array of an operation is weighted with to all that it reads."""
        box = _box(op, self.rank)
        if op.scans:
            leaves = self._through_scan(op, g, box)
        else:
            leaves = backward([(op.value, g)], self._counts)
        far: list[tuple[Value, Value]] = []
        for leaf, value in leaves:
            if leaf.op == "number":
                self._add(leaf.data, self.inside(value, box))
            elif len(leaf.data) > 2:
                self._add(id(leaf.data[0]), self._contracted(leaf, value))
            elif leaf.data[1] == self.here:
                self._add(id(leaf.data[0]), self.inside(value, box))
            else:
                far.append((leaf, value))
        self._gather(far, box)

    def _add(self, to: Any, term: Value) -> None:
        self.terms.setdefault(to, []).append(term)

    def _contracted(self, leaf: Value, value: Value) -> Value:
        """By the transposed matrix, of the element's own items."""
        array, here, rows, axis = leaf.data
        of = value.data[0] if value.op == "load" and value.data[1:] == (here,) else value
        return Value("load", data=(of, here, tuple(zip(*rows)), axis))

    def _gather(self, far: list[tuple[Value, Value]], box: Box) -> None:
        """Of what is read at a distance: what the readers hand on, found from the item that is read."""
        if not far:
            return
        known: dict[int, dict[int, tuple[Value, Value]]] = {}
        sums = [(leaf, linear(value, known)) for leaf, value in far]
        bases = {n: base for _, parts in sums for n, (_, base) in parts.items()}
        if len(bases) > len(far):
            sums = [(leaf, {value.number: (number(1.0), value)}) for leaf, value in far]
            bases = {value.number: value for _, value in far}
        work = {n: flops(reachable([base])) for n, base in bases.items()}
        few = sum(work[n] for _, parts in sums for n in parts) <= _MOST
        kept: dict[int, Value] = {}
        self.moved = True
        for leaf, parts in sums:
            array, offset = leaf.data
            for n, (factor, base) in parts.items():
                if self._is_read(base):
                    term = self._there(base, offset, box, base.data[0].number not in self.nothing_outside)
                elif self._is_again(base, few and work[n] <= _SHORT):
                    term = self._there(base, offset, box, True)
                else:
                    if n not in kept:
                        kept[n] = self.load(self.inside(base, box), self.here)
                    term = self._there(kept[n], offset, box, False)
                self._add(id(array), product(factor, term))

    def _is_read(self, base: Value) -> bool:
        """Whether it is in an array: what the user weights results by, or what was kept."""
        return base.op == "load" and base.data[1:] == (self.here,) and (
            any(base.data[0] is w for w in self.weights) or base.data[0].number in self.nothing_outside)

    def _is_again(self, base: Value, is_little: bool) -> bool:
        """Whether it is computed where it is gathered."""
        values = reachable([base])
        if self.stored or any(v.op in ("inside", "carry") or (
                v.op == "load" and (not isinstance(v.data[0], Parameter) or len(v.data) > 2)) for v in values):
            return False
        return self.stored is False or (is_little and not any(v.op in COSTLY and not v.plain for v in values))

    def _there(self, base: Value, offset: Offset, box: Box, again: bool) -> Value:
        """Where items read at `offset`, the sum of `base` over those that read this one. Where `again`,
        it is computed there, else read."""
        terms = []
        if self.form.edge == "periodic" or not self.is_bounded:
            return self._at(base, tuple(-k for k in offset))
        ways = [[(-k, (max(0, k), max(0, -k)))] for k in offset]
        if self.form.edge == "clamp":
            # Those beyond the end have read the last item, too.
            ways = [_folded(k) for k in offset]
        for way in itertools.product(*ways):
            by = tuple(d for d, _ in way)
            reach: Box = tuple(b for _, b in way)
            term = self._at(base, by)
            if self.form.edge == "none":
                reach = _limits(offset, box, again)
            terms.append(self.inside(term, reach))
            if self.form.edge == "clamp":  # items that there are
                terms[-1] = self.inside(terms[-1], tuple((max(0, -d), max(0, d)) for d in by))
        return total(terms)

    def _at(self, base: Value, by: Offset) -> Value:
        return rebuilt(base, lambda v: self.load(v.data[0], tuple(a + b for a, b in zip(v.data[1], by)))
                       if v.op == "load" else None)

    def load(self, array: Any, offset: Offset) -> Value:
        known = id(array), offset
        if known not in self.loads:
            self.loads[known] = Value("load", data=(array, offset))
        return self.loads[known]

    def inside(self, value: Value, box: Box) -> Value:
        return value if not self.is_bounded or all(pair == (0, 0) for pair in box) else Value("inside", (value,), box)

    # Scans.

    def _through_scan(self, op: Operation, g: Value, box: Box) -> list[tuple[Value, Value]]:
        """The other way along columns: what the items after one change by what it hands on."""
        one, which, needed = op.value.data
        names = [self._handed_on(op, j, box) for j in needed]
        step = [rebuilt(a, lambda v: names[needed.index(v.data[1])] if v.op == "carry" else None)
                for a in op.value.args]
        other = Scan([0.0] * (2 * len(needed)), not one.down)
        later = [Value("carry", data=(other, k)) for k in range(len(needed))]
        mine = [total([later[k], g]) if j == which else later[k] for k, j in enumerate(needed)]
        found = backward(list(zip(step, mine)), lambda v: any(v is n for n in names))
        change = {leaf.number: value for leaf, value in found}
        args = [self.inside(self._shown(change.get(n.number, number(0.0))), box) for n in names]
        args += [self.inside(m, box) for m in mine]
        weights = [Value("scan", tuple(args), (other, len(needed) + k)) for k in range(len(needed))]
        shown = [self.load(w, self.here) for w in weights]
        leaves = backward(list(zip(step, shown)), self._counts)
        return [(leaf, self._shown(value)) for leaf, value in leaves]

    def _handed_on(self, op: Operation, j: int, box: Box) -> Value:
        """A name for what value j of a scan was at the item before."""
        one = op.value.data[0]
        known = self.handed.get((id(one), j))
        if known is None:
            same = [o.array for o in self.form.operations if o.scans and o.value.data[:2] == (one, j)]
            scanned: Any = same[0] if same else Value("scan", op.array.args, (one, j))  # type: ignore[attr-defined]
            known = self.handed[id(one), j] = Value("load", data=(_Name(), self.here))
            self.before[known.number] = self._before(scanned, one, one.begin[j], box)
        return known

    def _before(self, scanned: Value, one: Scan, begin: float, box: Box) -> Value:
        (low, high), *rest = box
        across = ((0, 0),) * len(rest)
        self.moved = True
        after: Box = ((low, high + 1) if one.down else (low + 1, high), *across)
        before = Value("inside", (self.load(scanned, (1 if one.down else -1, *(0 for _ in rest))),), after)
        if begin == 0:
            return before
        first: Box = ((-1 - high, high) if one.down else (low, -1 - low), *across)
        return Value("+", (before, Value("inside", (number(begin),), first)))

    def _shown(self, value: Value) -> Value:
        """The value, with what the item before handed on in place of its names."""
        return rebuilt(value, lambda v: self.before.get(v.number))


class _Name:
    """What stands for what an item of a column got of the one before."""


def rebuilt(root: Value, instead: Callable[[Value], Optional[Value]]) -> Value:
    """A value with others in place of some that it is made of."""
    now: dict[int, Value] = {}
    for v in reachable([root]):
        other = instead(v)
        if other is None:
            args = tuple(now[a.number] for a in v.args)
            same = all(a is b for a, b in zip(args, v.args))
            other = v if same else Value(v.op, args, v.data)
        now[v.number] = other
    return now[root.number]


def _parameter(name: str, rank: int, taken: set[str]) -> Parameter:
    while name in taken:
        name += "_"
    taken.add(name)
    made = Parameter(name)
    made.kind, made.rank = "array", rank
    return made


def _box(op: Operation, rank: int) -> Box:
    """Items that an operation computes, in Python's order of axes."""
    return tuple((op.begin[d], -op.end[d]) for d in reversed(range(rank)))


def _limits(offset: Offset, box: Box, again: bool) -> Box:
    """The items whose reader at `-offset` is in the box. Where the ends of what is read hold 0 already,
    which come again beyond them, all are."""
    if again:
        return tuple((max(0, low + k), max(0, high - k)) for k, (low, high) in zip(offset, box))
    return tuple((0 if low or k <= 0 else k, 0 if high or k >= 0 else -k)
                 for k, (low, high) in zip(offset, box))


def _folded(k: int) -> list[tuple[int, tuple[int, int]]]:
    """Along an axis whose last items are read again beyond it: at which distances readers at `k` lie, and
    of which items."""
    at_end = (-1, 0) if k > 0 else (0, -1)
    near = [(-j if k > 0 else j, at_end) for j in range(abs(k))]
    return [*near, (-k, (0, 0))]


def _all_values(results: Iterable[Value]) -> list[Value]:
    """What results are made of, by way of what is indexed, too."""
    found: dict[int, Value] = {}
    open_ = list(results)
    while open_:
        for v in reachable([open_.pop()]):
            if v.number in found:
                continue
            found[v.number] = v
            if v.op == "load" and not isinstance(v.data[0], Parameter):
                open_.append(v.data[0])
    return list(found.values())


def _parameters_of(results: Iterable[Value]) -> set[int]:
    return {id(v.data[0]) for v in _all_values(results) if v.op == "load"}
