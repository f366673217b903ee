"""Chains: operations one after the other, tile by tile or one launch each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional, Union, overload

from . import _core
from ._adjoint import Form
from ._emit import reachable
from ._extents import whole
from ._kernel import Kernel, Source
from ._operations import Operation, places_of, text_of
from ._trace import Parameter, Value, tracing_chain
from ._traced import Traced, fail, in_own_namespace, trace

_EDGES = ("none", "periodic", "clamp")
#: Outer dimensions, at most.
_MOST_OUTER = 3


class OverTime(NamedTuple):
    """How chains evolve, which a wing says."""

    #: What is kept of a trace: `Chain._system`.
    prepare: Callable[[Traced], Union[tuple[Source, Source], str]]
    #: `ridge.sweeps` of a chain, a boundary and a spacing.
    evolve: Callable[..., Any]


#: One, where this build has that wing.
over_time: list[OverTime] = []


class Chain(Kernel):
    """A chain that is called with arrays and numbers."""

    #: As a system, which `ridge.sweeps` evolves, with plain numbers and with some for each step; a
    #: text: why it is none.
    _system: Union[tuple[Source, Source], str] = ""
    #: Axes of the arrays before those that are indexed.
    outer = 0

    def batch(self) -> Chain:
        """The chain for many at once: arrays have one axis more, the first, and nothing is read across
        it. `smooth.batch()(u)` of u (n, 1000) is [smooth(v) for v in u] in one launch. Items along it
        follow each other in memory without gaps.

        Raises UsageError beyond three such axes, those of `outer=` included."""
        return self._with_outer(1)

    def _with_outer(self, more: int) -> Chain:
        outer = self.outer + more
        if outer > _MOST_OUTER:
            raise _core.UsageError(f"{self.__name__}: {outer} axes before those that are indexed; "
                                   f"{_MOST_OUTER} at most")
        type_name = self._source.type_name
        for _ in range(more):
            type_name = f"ridge::chain::Batch<{type_name}>"
        source = Source(self._source.text, type_name, "chain", self._source.places)
        made = Chain(self.__name__, self.arrays, source, self.numbers, self._defaults, self.__doc__)
        made.rank = self.rank + more
        made.outputs = self.outputs
        made.outer = outer
        made._form = self._form
        made._system = (f"{self.__name__} has axes before those that are indexed; arrays of a system "
                        "have none")
        return made


@overload
def chain(function: Callable[..., Any]) -> Chain: ...


@overload
def chain(*, edge: str = "none", outer: int = 0) -> Callable[[Callable[..., Any]], Chain]: ...


def chain(function: Optional[Callable[..., Any]] = None, *, edge: str = "none",
          outer: int = 0) -> Any:
    """Operations one after the other, from a function in which intermediate values are indexed.

        @ridge.chain
        def smooth(u):
            g = u[1] - u[-1]
            return u[0] + 0.1*(g[1] - g[-1])

    What is indexed, such as g, is an operation of its own; under which schedule it is kept in
    registers, in a tile of the cache or in memory is data. `edge` says what lies beyond the ends of
    every array, intermediate ones too: `none` (items that would need it are not written),
    `periodic` (the other end) or `clamp` (the last item once more).

    A function that returns a tuple of values makes as many arrays: `a, b = pair(u)`, or
    `pair(u, out=(a, b))`. A result may be read, and indexed, by those that follow.

    `outer` is how many axes, 0 to 3, arrays have before those that are indexed: elements around
    their points, models around their cells. The chain is repeated along them, and reads nothing
    across. With outer=1 the arrays of `smooth` are (n, points). `smooth.batch()` has one more.

    Raises TraceError, at your line, for what cannot be a kernel."""
    if not isinstance(edge, str) or edge not in _EDGES:
        raise fail(f"unknown edge '{edge}'; a chain has {', '.join(_EDGES)}")
    more = whole(outer, "outer")
    if not 0 <= more <= _MOST_OUTER:
        raise fail(f"outer={outer}: 0 to {_MOST_OUTER} axes are possible")

    def made(f: Callable[..., Any]) -> Chain:
        traced = _from_function(f, edge)
        return traced._with_outer(more) if more else traced

    return made if function is None else made(function)


def _from_function(function: Callable[..., Any], edge: str) -> Chain:
    with tracing_chain():
        traced = trace(function, "chain", several=True)
    made = chain_of(traced, edge)
    if over_time:
        made._system = made._system or over_time[0].prepare(traced)
    return made


def chain_of(traced: Traced, edge: str, outputs: Sequence[str] = (), says_interior: bool = False) -> Chain:
    """The chain of a trace; with names of its results, where they are not `out`. Operations say which items are
    interior where they have bounds, or all where `says_interior`."""
    temporaries = _temporaries(traced)
    operations = _operations(traced, temporaries)
    if any(op.leaks() for op in operations):
        raise fail(f"{traced.name}: what a scan carries is known in its step alone, and has no neighbours")
    scans = any(op.scans for op in operations)
    if scans and traced.rank < 2:
        raise fail(f"{traced.name}: columns lie along the first of two or three axes; its arrays have one")
    _set_domains(operations, edge)
    results = [_array_of_result(traced, k) for k in range(len(traced.results))]
    if not outputs:
        outputs = ["out"] if len(results) == 1 else [f"out{k}" for k in range(len(results))]
    arrays = {id(a): i for i, a in enumerate([*traced.arrays, *temporaries, *results])}
    declared = [f"ridge::chain::input(\"{p.name}\")" for p in traced.arrays]
    declared += [f"ridge::chain::temporary(\"{op.name}\")" for op in operations
                 if any(op.array is t for t in temporaries)]
    declared += [f"ridge::chain::output(\"{name}\")" for name in outputs]
    halos = _halos(operations)
    dimensions = [f"ridge::chain::independent({halos[d]}, ridge::chain::Edge::{edge})"
                  for d in range(traced.rank)]
    if scans:  # along the last dimension of C++: tiles have whole columns
        dimensions[-1] = f"ridge::chain::internal(ridge::chain::Edge::{edge})"
    points = _points(traced, operations, edge)
    for d, count in enumerate(points):
        dimensions[d] = f"ridge::chain::points({count})"
    text = text_of(traced.name, operations, arrays, declared, dimensions, says_interior=says_interior)
    source = in_own_namespace(text, traced.name, "chain", places_of(traced, operations))
    made = Chain(traced.name, [p.name for p in traced.arrays], source,
                 [p.name for p in traced.numbers], traced.defaults, traced.doc)
    made.rank = traced.rank
    made.outputs = tuple(outputs)
    if scans or points:
        made._system = f"{traced.name} scans columns or has elements; systems do not"
    made._form = Form(traced, operations, results, edge)
    return made


def _points(traced: Traced, operations: list[Operation], edge: str) -> list[int]:
    """How many points elements have along x, or x and y; none: there are no elements."""
    found: dict[int, int] = {}
    for op in operations:
        for v in op.reads:
            if len(v.data) > 2 and found.setdefault(-1 - v.data[3], len(v.data[2])) != len(v.data[2]):
                raise fail(f"{traced.name}: matrices of {found[-1 - v.data[3]]} and {len(v.data[2])} points "
                           "along one axis; elements have as many everywhere")
    if found and 0 not in found:
        raise fail(f"{traced.name}: it contracts along axis -2 alone, and elements have points along the last axis, or "
                   "the last two: contract along axis=-1, too, or make -2 the last axis of the arrays, as "
                   "np.moveaxis(u, -2, -1).copy() does")
    if found and (edge != "none" or any(op.scans for op in operations)):
        what = "scans or tridiagonal systems" if edge == "none" else f"edge={edge!r}"
        raise fail(f"{traced.name}: it contracts elements and has {what}; a chain of elements has no edge and no scan")
    return [found[d] for d in sorted(found)]


class _Copy:
    """The array of a result that is returned a second time."""


def _array_of_result(traced: Traced, k: int) -> object:
    """What stands for the array of result k in the operations that read it."""
    value = traced.results[k]
    if any(value is r for r in traced.results[:k]):
        return traced.copies.setdefault(k, _Copy())
    return value


def _temporaries(traced: Traced) -> list[Value]:
    """The values that are indexed somewhere and are no results, in the order they were computed in."""
    found: dict[int, Value] = {}
    open_ = list(traced.results)
    while open_:
        for v in reachable([open_.pop()]):
            if v.op == "scan":  # an operation of its own
                found[v.number] = v
            if v.op == "load" and not isinstance(v.data[0], Parameter):
                of = v.data[0]
                if len(v.data[1]) != traced.rank:
                    raise fail(f"{traced.name}: a value is indexed by {len(v.data[1])} offsets; the "
                               f"arrays have {traced.rank} dimensions")
                if of.plain:
                    raise fail(f"{traced.name}: what is indexed is the same for all items")
                if of.number not in found:
                    found[of.number] = of
                    open_.append(of)
    return [found[n] for n in sorted(found) if all(found[n] is not r for r in traced.results)]


def _operations(traced: Traced, temporaries: list[Value]) -> list[Operation]:
    """In the order they were computed in, each with what it reads of the others as loads."""
    here = (0,) * traced.rank
    results = list({r.number: r for r in traced.results}.values())
    whole = {v.number: Value("load", data=(v, here)) for v in [*temporaries, *results]
             if v.op != "load" or any(v is t for t in temporaries)}
    for root in (*temporaries, *results):
        for v in reachable([root]):
            # What another operation computes is read, not computed again.
            v.args = tuple(whole.get(a.number, a) for a in v.args)
    several = len(traced.results) > 1
    names = [f"{traced.name}_{k}" if several else traced.name for k in range(len(traced.results))]
    taken = {traced.name, *names, *(p.name for p in traced.arrays), *(p.name for p in traced.numbers)}
    free = (name for name in map("step{}".format, itertools.count()) if name not in taken)
    made: list[tuple[int, str, object, Value]] = [(t.number, next(free), t, t) for t in temporaries]
    for name, (k, r) in zip(names, enumerate(traced.results)):
        array = _array_of_result(traced, k)
        value = r if array is r else Value("load", data=(r, here))
        made.append((r.number, name, array, value))
    made.sort(key=lambda m: m[0])
    return [Operation(name, array, value) for _, name, array, value in made]


def _set_domains(operations: list[Operation], edge: str) -> None:
    """Without edges, which items each operation can compute."""
    if edge != "none":
        return
    of = {id(op.array): op for op in operations}
    for op in operations:
        for array in op.arrays():
            low, high = op.reach(array)
            source = of.get(id(array))
            for d in range(3):
                begin = source.begin[d] if source else 0
                end = source.end[d] if source else 0
                op.begin[d] = max(op.begin[d], begin - low[d])
                op.end[d] = min(op.end[d], end - high[d])


def _halos(operations: list[Operation]) -> list[int]:
    """How far, over all operations, items of the results need what others computed."""
    needs = {id(op.array): ([0] * 3, [0] * 3) for op in operations}
    halo = [0, 0, 0]
    for op in reversed(operations):
        mine = needs[id(op.array)]
        for array in op.arrays():
            if id(array) not in needs:
                continue
            low, high = op.reach(array)
            need = needs[id(array)]
            for d in range(3):
                need[0][d] = min(need[0][d], mine[0][d] + low[d])
                need[1][d] = max(need[1][d], mine[1][d] + high[d])
                halo[d] = max(halo[d], -need[0][d], need[1][d], need[1][d] - need[0][d])
    return halo
