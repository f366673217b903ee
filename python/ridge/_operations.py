"""Operations of a chain, and their C++ text."""

from __future__ import annotations

from typing import Any

from ._emit import Writer, cpp_name, cpp_type, flops, literal, reachable, share
from ._trace import Value
from ._traced import Traced, cpp_offset

Range = tuple[list[int], list[int]]


class Operation:
    """What computes one intermediate array, or a result."""

    def __init__(self, name: str, array: object, value: Value) -> None:
        self.name = name
        #: What others that read its array have for it.
        self.array = array
        (self.value,) = share([_needed_of_scan(value) if value.op == "scan" else value])
        self.values = reachable([self.value])
        self.reads = [v for v in self.values if v.op == "load"]
        #: Matrices of contractions, whose numbers are members of the operation.
        self.matrices = list(dict.fromkeys(v.data[2] for v in self.reads if len(v.data) > 2))
        self.begin, self.end = [0, 0, 0], [0, 0, 0]

    @property
    def scans(self) -> bool:
        return self.value.op == "scan"

    def leaks(self) -> bool:
        """Whether it uses what another operation carries from item to item."""
        own = self.value.data[0] if self.scans else None
        return any(v.op == "carry" and v.data[0] is not own for v in self.values)

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


def _needed_of_scan(value: Value) -> Value:
    """One of the values of a scan, with those alone that it needs to be carried."""
    one, which = value.data[:2]
    needed = [which]
    for k in needed:
        needed += [v.data[1] for v in reachable([value.args[k]])
                   if v.op == "carry" and v.data[0] is one and v.data[1] not in needed]
    needed = list(dict.fromkeys(needed))
    return Value("scan", tuple(value.args[k] for k in needed), (one, which, tuple(needed)))


def places_of(traced: Traced, operations: list[Operation]) -> dict[str, list[str]]:
    """Where the operations keep each number."""
    places: dict[str, list[str]] = {p.name: [] for p in traced.numbers}
    for k, op in enumerate(operations):
        for v in op.values:
            if v.op == "number":
                places[v.data].append(f"std::get<{k}>(kernel.operations).{cpp_name(v.data)}")
    return {name: list(dict.fromkeys(p)) for name, p in places.items()}


def text_of(name: str, operations: list[Operation], arrays: dict[int, int], declared: list[str],
            dimensions: list[str], more: str = "", by_step: str = "", says_interior: bool = False) -> str:
    """The chain's C++ text. `arrays` gives the slots of what operations read and write, by identity;
    `declared` are their declarations, `more` is what else the chain says. With `by_step`, a
    header that has ridge::chain::now, @number@ stands for the type of its numbers. Operations with bounds say
    which items are interior, or all where `says_interior`."""
    slots = [f"ridge::chain::Slot<{i}>{{}}" for i in range(len(declared))]
    is_inside = any(v.op == "inside" for op in operations for v in op.values)
    is_bounded = (is_inside or says_interior) and not any(op.scans or op.matrices for op in operations)
    parts = []
    for op in operations:
        to = slots[arrays[id(op.array)]]
        accesses = []
        for array in op.arrays():
            low, high = op.reach(array)
            reach = f"ridge::chain::Reach{{{_triple(low)}, {_triple(high)}}}"
            accesses.append(f"ridge::chain::read({slots[arrays[id(array)]]}, {reach})")
        accesses.append(f"ridge::chain::write({to})")
        matrices = op.matrices
        writer = Writer(lambda v: _load(v, slots[arrays[id(v.data[0])]], matrices))
        if by_step:
            writer.number = lambda n, plain: f"ridge::chain::now({n})"
        order = {k: i for i, k in enumerate(op.value.data[2])} if op.scans else {}
        writer.carry = lambda v: f"carry[{order[v.data[1]]}]"
        writer.inside = _inside
        writer.is_apart = is_bounded
        value, *others = writer.write(list(op.value.args) if op.scans else [op.value])
        names = dict.fromkeys(v.data for v in op.values if v.op == "number")
        number = "@number@" if by_step else "double"
        members = "".join(f"  {number} {cpp_name(n)}{{0}};\n" for n in names)
        members += "".join(_matrix(f"matrix{i}", rows) for i, rows in enumerate(op.matrices))
        body = "".join(f"    {line}\n" for line in writer.lines)
        scan, carried = _scan(op) if op.scans else ("", "")
        if op.scans:
            body += "".join(f"    const typename At::Value next{i}({text});\n"
                            for i, text in enumerate([value, *others]))
            body += "".join(f"    carry[{i}] = next{i};\n" for i in order.values())
            value = "next0"
        domain = f"{{{_triple(op.begin)}, {_triple(op.end)}}}"
        near = ", ".join(map(_triple, interior_of(op)))
        near = f"  static constexpr ridge::chain::Domain interior{{{near}}};\n" if is_bounded else ""
        parts.append(
            f"struct operation_{op.name} {{\n"
            f"  static constexpr const char* name = \"{op.name}\";\n"
            "  static constexpr std::array accesses{\n      "
            + ",\n      ".join(accesses) + "};\n"
            f"  static constexpr ridge::chain::Domain domain{domain};\n{near}"
            f"  static constexpr double flops = {flops(op.values)};\n{scan}{members}"
            f"  template <class At>\n  RIDGE_FN void operator()(const At& at{carried}) const {{\n"
            f"{body}    at.set({to}, {value});\n  }}\n}};\n")
    types = ", ".join(f"operation_{op.name}" for op in operations)
    header = f"#include {by_step}\n" if by_step else ""
    if any(op.matrices for op in operations):
        header += "#include <ridge/chain/elements.hpp>\n"
    if is_inside:
        header += "#include <ridge/chain/inside.hpp>\n"
    return (f"#pragma once\n\n{header}#include <ridge/chain/operation.hpp>\n"
            "#include <ridge/python/mathematics.hpp>\n\nnamespace NAMESPACE {\n\n"
            + "\n".join(parts)
            + f"\nstruct {cpp_type(name)} {{\n"
            f"  static constexpr const char* name = \"{name}\";\n"
            "  static constexpr std::array arrays{\n      " + ",\n      ".join(declared) + "};\n"
            f"  static constexpr std::array dimensions{{{', '.join(dimensions)}}};\n{more}"
            f"  std::tuple<{types}> operations;\n}};\n\n}} // namespace NAMESPACE\n")


def _scan(op: Operation) -> tuple[str, str]:
    """What an operation that scans declares, and its second parameter."""
    one, _, needed = op.value.data
    begin = ", ".join(literal(one.begin[k]) for k in needed)
    way = "down" if one.down else "up"
    return (f"  static constexpr ridge::chain::Scan scan = ridge::chain::Scan::{way};\n"
            f"  static constexpr std::array<double, {len(needed)}> carried{{{begin}}};\n",
            f", typename At::Value (&carry)[{len(needed)}]")


def _triple(numbers: Any) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def _matrix(name: str, rows: Any) -> str:
    """A member that is a matrix."""
    of = f"ridge::chain::Matrix<{len(rows)}>"
    sets = " ".join(f"m.set({i}, {j}, {literal(x)});" for i, row in enumerate(rows) for j, x in enumerate(row))
    return f"  {of} {name} = [] {{ {of} m; {sets} return m; }}();\n"


def interior_of(op: Operation) -> Range:
    """The items that have all neighbours that it reads, and are within no bound that counts from the other
    end and within all others."""
    begin, end = [0, 0, 0], [0, 0, 0]
    for v in op.values:
        if v.op == "inside":
            for d, (low, high) in enumerate(reversed(v.data)):
                begin[d] = max(begin[d], low, -high)
                end[d] = max(end[d], high, -low)
        elif v.op == "load":
            for d, distance in enumerate(cpp_offset(v.data[1])):
                begin[d] = max(begin[d], -distance)
                end[d] = max(end[d], distance)
    return begin, [-n for n in end]


def _inside(value: Value, text: str) -> str:
    """A value of the items of a box alone."""
    box = (*reversed(value.data), (0, 0), (0, 0))[:3]
    return f"ridge::chain::inside<{', '.join(str(bound) for pair in box for bound in pair)}>(at, {text})"


def _load(value: Value, slot: str, matrices: list[Any]) -> str:
    if len(value.data) > 2:
        rows, axis = value.data[2:]
        return f"at.contract_{'x' if axis == -1 else 'y'}(matrix{matrices.index(rows)}, {slot})"
    return f"at({slot}, {', '.join(map(str, cpp_offset(value.data[1])))})"
