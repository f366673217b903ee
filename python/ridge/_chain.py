"""Chains: operations one after the other, tile by tile or one launch each."""

from __future__ import annotations

from typing import Any, Callable, Optional, overload

from ._emit import Writer, cpp_name, cpp_type, flops, reachable, share
from ._kernel import Kernel
from ._trace import Parameter, Value, tracing_chain
from ._traced import Traced, cpp_offset, fail, in_own_namespace, trace

_EDGES = ("none", "periodic", "clamp")
Range = tuple[list[int], list[int]]


class Chain(Kernel):
    """A chain that is called with arrays and numbers."""


@overload
def chain(function: Callable[..., Any]) -> Chain: ...


@overload
def chain(*, edge: str = "none") -> Callable[[Callable[..., Any]], Chain]: ...


def chain(function: Optional[Callable[..., Any]] = None, *, edge: str = "none") -> Any:
    """Operations one after the other, from a function in which intermediate values are indexed.

        @ridge.chain
        def smooth(u):
            g = u[1] - u[-1]
            return u[0] + 0.1*(g[1] - g[-1])

    What is indexed, such as g, is an operation of its own; under which schedule it is kept in
    registers, in a tile of the cache or in memory is data. `edge` says what lies beyond the ends of
    every array, intermediate ones too: `none` (items that would need it are not written),
    `periodic` (the other end) or `clamp` (the last item once more).

    Raises TraceError, at your line, for what cannot be a kernel."""
    if edge not in _EDGES:
        raise fail(f"unknown edge '{edge}'; a chain has {', '.join(_EDGES)}")
    if function is not None:
        return _from_function(function, edge)
    return lambda f: _from_function(f, edge)


class _Operation:
    """What computes one intermediate array, or the result."""

    def __init__(self, name: str, value: Value) -> None:
        self.name = name
        (self.value,) = share([value])
        self.values = reachable([self.value])
        self.reads = [v for v in self.values if v.op == "load"]
        self.begin, self.end = [0, 0, 0], [0, 0, 0]

    def reach(self, array: object) -> Range:
        offsets = [cpp_offset(v.data[1]) for v in self.reads if v.data[0] is array]
        return [min(o[d] for o in offsets) for d in range(3)], \
            [max(o[d] for o in offsets) for d in range(3)]

    def arrays(self) -> list[Any]:
        found: list[Any] = []
        for v in self.reads:
            if all(v.data[0] is not a for a in found):
                found.append(v.data[0])
        return found


def _from_function(function: Callable[..., Any], edge: str) -> Chain:
    with tracing_chain():
        traced = trace(function, "chain")
    temporaries = _temporaries(traced)
    operations = _operations(traced, temporaries)
    arrays = {id(a): i for i, a in enumerate([*traced.arrays, *temporaries])}
    _set_domains(operations, temporaries, edge)
    places: dict[str, list[str]] = {p.name: [] for p in traced.numbers}
    for k, op in enumerate(operations):
        for v in op.values:
            if v.op == "number":
                places[v.data].append(f"std::get<{k}>(kernel.operations).{cpp_name(v.data)}")
    text = _text(traced, temporaries, operations, arrays, edge)
    source = in_own_namespace(text, traced.name, "chain",
                              {n: list(dict.fromkeys(p)) for n, p in places.items()})
    made = Chain(traced.name, [p.name for p in traced.arrays], source,
                 [p.name for p in traced.numbers], traced.defaults, traced.doc)
    made.rank = traced.rank
    return made


def _temporaries(traced: Traced) -> list[Value]:
    """The values that are indexed somewhere, in the order they were computed in."""
    found: dict[int, Value] = {}
    open_ = [traced.result]
    while open_:
        for v in reachable([open_.pop()]):
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
    return [found[n] for n in sorted(found)]


def _operations(traced: Traced, temporaries: list[Value]) -> list[_Operation]:
    here = (0,) * traced.rank
    whole = {t.number: Value("load", data=(t, here)) for t in temporaries}
    for root in (*temporaries, traced.result):
        for v in reachable([root]):
            # What another operation computes is read, not computed again.
            v.args = tuple(whole.get(a.number, a) for a in v.args)
    made = [_Operation(f"step{k}", t) for k, t in enumerate(temporaries)]
    last = whole.get(traced.result.number, traced.result)
    return [*made, _Operation(traced.name, last)]


def _set_domains(operations: list[_Operation], temporaries: list[Value], edge: str) -> None:
    """Without edges, which items each operation can compute."""
    if edge != "none":
        return
    of = {id(t): op for t, op in zip(temporaries, operations)}
    for op in operations:
        for array in op.arrays():
            low, high = op.reach(array)
            source = of.get(id(array))
            for d in range(3):
                begin = source.begin[d] if source else 0
                end = source.end[d] if source else 0
                op.begin[d] = max(op.begin[d], begin - low[d])
                op.end[d] = min(op.end[d], end - high[d])


def _halos(operations: list[_Operation], temporaries: list[Value]) -> list[int]:
    """How far, over all operations, items of the result need what others computed."""
    needs = {id(t): ([0] * 3, [0] * 3) for t in temporaries}
    of = {id(op): t for op, t in zip(operations, temporaries)}
    halo = [0, 0, 0]
    for op in reversed(operations):
        mine = needs[id(of[id(op)])] if id(op) in of else ([0] * 3, [0] * 3)
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


def _triple(numbers: Any) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def _text(traced: Traced, temporaries: list[Value], operations: list[_Operation],
          arrays: dict[int, int], edge: str) -> str:
    out = len(arrays)
    slots = [f"ridge::chain::Slot<{i}>{{}}" for i in range(out + 1)]
    written = [arrays[id(t)] for t in temporaries] + [out]
    parts = []
    for op, to in zip(operations, written):
        accesses = []
        for array in op.arrays():
            low, high = op.reach(array)
            reach = f"ridge::chain::Reach{{{_triple(low)}, {_triple(high)}}}"
            accesses.append(f"ridge::chain::read({slots[arrays[id(array)]]}, {reach})")
        accesses.append(f"ridge::chain::write({slots[to]})")
        writer = Writer(lambda v: _load(v, slots[arrays[id(v.data[0])]]))
        (value,) = writer.write([op.value])
        names = dict.fromkeys(v.data for v in op.values if v.op == "number")
        members = "".join(f"  double {cpp_name(n)} = 0;\n" for n in names)
        body = "".join(f"    {line}\n" for line in writer.lines)
        domain = f"{{{_triple(op.begin)}, {_triple(op.end)}}}"
        parts.append(
            f"struct operation_{op.name} {{\n"
            f"  static constexpr const char* name = \"{op.name}\";\n"
            "  static constexpr std::array accesses{\n      "
            + ",\n      ".join(accesses) + "};\n"
            f"  static constexpr ridge::chain::Domain domain{domain};\n"
            f"  static constexpr double flops = {flops(op.values)};\n{members}"
            "  template <class At>\n  RIDGE_FN void operator()(const At& at) const {\n"
            f"{body}    at.set({slots[to]}, {value});\n  }}\n}};\n")
    declared = [f"ridge::chain::input(\"{p.name}\")" for p in traced.arrays]
    declared += [f"ridge::chain::temporary(\"{op.name}\")" for op in operations[:-1]]
    declared.append("ridge::chain::output(\"out\")")
    halos = _halos(operations, temporaries)
    dimensions = ", ".join(
        f"ridge::chain::independent({halos[d]}, ridge::chain::Edge::{edge})"
        for d in range(traced.rank))
    types = ", ".join(f"operation_{op.name}" for op in operations)
    return ("#pragma once\n\n#include <ridge/chain/operation.hpp>\n"
            "#include <ridge/python/mathematics.hpp>\n\nnamespace NAMESPACE {\n\n"
            + "\n".join(parts)
            + f"\nstruct {cpp_type(traced.name)} {{\n"
            f"  static constexpr const char* name = \"{traced.name}\";\n"
            "  static constexpr std::array arrays{\n      " + ",\n      ".join(declared) + "};\n"
            f"  static constexpr std::array dimensions{{{dimensions}}};\n"
            f"  std::tuple<{types}> operations;\n}};\n\n}} // namespace NAMESPACE\n")


def _load(value: Value, slot: str) -> str:
    return f"at({slot}, {', '.join(map(str, cpp_offset(value.data[1])))})"
