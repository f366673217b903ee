"""Chains as systems: their results are the next values of their first arrays."""

from __future__ import annotations

from typing import Optional, Union

from ._emit import reachable
from ._kernel import Source
from ._operations import Operation, places_of, text_of
from ._trace import Parameter, Value
from ._traced import Traced, in_own_namespace

#: Values of a step, at most: those that are read at several distances are computed at each.
_MOST = 20000


def as_system(traced: Traced) -> Union[tuple[Source, Source], str]:
    """The chain with given ends and an operation for each result, and the same with numbers that may
    differ from step to step; a text: why it is no system."""
    results = traced.results
    if len(results) > len(traced.arrays):
        return (f"{traced.name} has {len(results)} results and {len(traced.arrays)} arrays; result k of "
                "a system is the next value of array k")
    if len({r.number for r in results}) < len(results):
        return f"{traced.name} returns one value twice; each array of a system has its own next value"
    operations = []
    moved = _Moved(traced)
    for k, r in sorted(enumerate(results), key=lambda item: item[1].number):
        value = moved.root(r)
        if value is None:
            return (f"a step of {traced.name} has more than {_MOST} values, as what is indexed is "
                    "computed at each of its distances; return it as the next value of an array")
        operations.append(Operation(f"{traced.name}_{k}", r, value))
    number_of = {id(r): k for k, r in enumerate(results)}
    arrays = {id(p): i for i, p in enumerate(traced.arrays)}
    names = [p.name for p in traced.arrays]
    declared = [f"ridge::chain::input(\"{name}\")" for name in names]
    swaps = []
    for at, op in enumerate(operations):
        k = number_of[id(op.array)]
        if _in_place(traced.arrays[k], operations, at):
            arrays[id(op.array)] = k
            declared[k] = f"ridge::chain::update(\"{names[k]}\")"
            continue
        arrays[id(op.array)] = len(declared)
        swaps.append(f"{{{k}, {len(declared)}}}")
        following = f"{names[k]}_next"
        while following in names:
            following += "_"
        names.append(following)
        declared.append(f"ridge::chain::output(\"{following}\")")
    dimensions = [f"ridge::chain::given({_farthest(operations, d)})" for d in range(traced.rank)]
    more = ""
    if swaps:
        more = (f"  static constexpr std::array<std::array<int, 2>, {len(swaps)}> swaps{{{{"
                f"{', '.join(swaps)}}}}};\n")
    places = places_of(traced, operations)
    text = text_of(traced.name, operations, arrays, declared, dimensions, more + "@tables@",
                   "<ridge/chain/system/by_step.hpp>")

    def source(number: str, tables: str) -> Source:
        filled = text.replace("@number@", number).replace("@tables@", tables)
        return in_own_namespace(filled, traced.name, "system", places)

    return source("double", ""), source("ridge::chain::ByStep", _tables(places))


def _tables(places: dict[str, list[str]]) -> str:
    """What takes a table for each number."""
    names = ", ".join(f"\"{name}\"" for name in places)
    set_them = "".join(f"    numbers.set(\"{name}\", {place.replace('kernel.', '', 1)});\n"
                       for name, all_places in places.items() for place in all_places)
    return (f"  static constexpr std::array<const char*, {len(places)}> by_step{{{names}}};\n"
            "  template <class Numbers>\n  void set_numbers(const Numbers& numbers) {\n"
            f"{set_them}  }}\n") if places else ""


def _in_place(array: Parameter, operations: list[Operation], at: int) -> bool:
    """Whether the operation may write the array itself: nobody needs its values of before, it only at
    the item."""
    own = all(not any(low) and not any(high)
              for a in operations[at].arrays() if a is array
              for low, high in [operations[at].reach(array)])
    return own and all(a is not array for op in operations[at + 1:] for a in op.arrays())


def _farthest(operations: list[Operation], dimension: int) -> int:
    reaches = [op.reach(array) for op in operations for array in op.arrays()]
    return max([0, *(max(-low[dimension], high[dimension]) for low, high in reaches)])


class _Moved:
    """Results as values of arrays and of other results alone: what else is indexed is computed where
    it is read."""

    def __init__(self, traced: Traced) -> None:
        self.results = {id(r) for r in traced.results}
        self.known: dict[tuple[int, tuple[int, ...]], Value] = {}
        self.here = (0,) * traced.rank
        self.made = 0

    def root(self, value: Value) -> Optional[Value]:
        """The value of a result; none where that takes too many."""
        try:
            return self._at(value, self.here)
        except OverflowError:
            return None

    def _at(self, root: Value, by: tuple[int, ...]) -> Value:
        """A value, at that distance."""
        if (root.number, by) in self.known:
            return self.known[root.number, by]
        now: dict[int, Value] = {}
        for value in reachable([root]):
            self.made += 1
            if self.made > _MOST:
                raise OverflowError
            now[value.number] = self._one(value, by, now)
        self.known[root.number, by] = now[root.number]
        return now[root.number]

    def _one(self, value: Value, by: tuple[int, ...], now: dict[int, Value]) -> Value:
        if value.op == "load":
            array, offset = value.data
            there = tuple(a + b for a, b in zip(offset, by))
            if isinstance(array, Parameter) or id(array) in self.results:
                return Value("load", data=(array, there))
            return self._at(array, there)
        if value.plain:
            return value
        return Value(value.op, tuple(now[a.number] for a in value.args), value.data)
