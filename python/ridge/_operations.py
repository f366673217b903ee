"""Operations of a chain, and their C++ text."""

from __future__ import annotations

from typing import Any

from ._emit import Writer, cpp_name, cpp_type, flops, reachable, share
from ._trace import Value
from ._traced import Traced, cpp_offset

Range = tuple[list[int], list[int]]


class Operation:
    """What computes one intermediate array, or a result."""

    def __init__(self, name: str, array: object, value: Value) -> None:
        self.name = name
        #: What others that read its array have for it.
        self.array = array
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


def places_of(traced: Traced, operations: list[Operation]) -> dict[str, list[str]]:
    """Where the operations keep each number."""
    places: dict[str, list[str]] = {p.name: [] for p in traced.numbers}
    for k, op in enumerate(operations):
        for v in op.values:
            if v.op == "number":
                places[v.data].append(f"std::get<{k}>(kernel.operations).{cpp_name(v.data)}")
    return {name: list(dict.fromkeys(p)) for name, p in places.items()}


def text_of(name: str, operations: list[Operation], arrays: dict[int, int], declared: list[str],
            dimensions: list[str], more: str = "", of_system: bool = False) -> str:
    """The chain's C++ text. `arrays` gives the slots of what operations read and write, by identity;
    `declared` are their declarations, `more` is what else the chain says. In that of a system @number@
    stands for the type of its numbers."""
    slots = [f"ridge::chain::Slot<{i}>{{}}" for i in range(len(declared))]
    parts = []
    for op in operations:
        to = slots[arrays[id(op.array)]]
        accesses = []
        for array in op.arrays():
            low, high = op.reach(array)
            reach = f"ridge::chain::Reach{{{_triple(low)}, {_triple(high)}}}"
            accesses.append(f"ridge::chain::read({slots[arrays[id(array)]]}, {reach})")
        accesses.append(f"ridge::chain::write({to})")
        writer = Writer(lambda v: _load(v, slots[arrays[id(v.data[0])]]))
        if of_system:
            writer.number = lambda n, plain: f"ridge::chain::now({n})"
        (value,) = writer.write([op.value])
        names = dict.fromkeys(v.data for v in op.values if v.op == "number")
        number = "@number@" if of_system else "double"
        members = "".join(f"  {number} {cpp_name(n)}{{0}};\n" for n in names)
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
            f"{body}    at.set({to}, {value});\n  }}\n}};\n")
    types = ", ".join(f"operation_{op.name}" for op in operations)
    header = "#include <ridge/chain/system/by_step.hpp>\n" if of_system else ""
    return (f"#pragma once\n\n#include <ridge/chain/operation.hpp>\n{header}"
            "#include <ridge/python/mathematics.hpp>\n\nnamespace NAMESPACE {\n\n"
            + "\n".join(parts)
            + f"\nstruct {cpp_type(name)} {{\n"
            f"  static constexpr const char* name = \"{name}\";\n"
            "  static constexpr std::array arrays{\n      " + ",\n      ".join(declared) + "};\n"
            f"  static constexpr std::array dimensions{{{', '.join(dimensions)}}};\n{more}"
            f"  std::tuple<{types}> operations;\n}};\n\n}} // namespace NAMESPACE\n")


def _triple(numbers: Any) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def _load(value: Value, slot: str) -> str:
    return f"at({slot}, {', '.join(map(str, cpp_offset(value.data[1])))})"
