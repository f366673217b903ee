"""C++ text of traced values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ._trace import Value

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "negate": 3}
_ATOM = 4
#: Of ridge/core/pack_math.hpp.
_FUNCTIONS = ("exp", "log", "sqrt", "sin", "cos", "pow")
#: Of ridge/python/mathematics.hpp: those that behave as NumPy's.
_OURS = ("absolute", "ceil", "floor", "floor_divide", "hypot", "inverse_root", "maximum", "minimum",
         "remainder", "sign", "tan", "tanh", "trunc")
#: What is no vector operation or two.
COSTLY = frozenset(("exp", "log", "sqrt", "sin", "cos", "pow", "/", "floor_divide", "hypot",
                    "inverse_root", "remainder", "tan", "tanh"))


#: Accesses of a kernel whose text is cut into blocks, and operations of a block. The time of g++
#: grows with the cube of the accesses of a block; cutting what has few costs time instead.
MANY_ACCESSES, BLOCK = 96, 40
#: Operations of a kernel whose text is cut into parts, and operations of one: what examines the
#: kernel is then compiled in a time that grows with its length, not with the square.
MANY_OPERATIONS, PART = 300, 80


def cpp_name(name: str) -> str:
    """What a name of the user's is in C++, where no keyword, macro or name of the text is so called."""
    return f"{name}_"


def cpp_type(name: str) -> str:
    """What the functor of a kernel of this name is in C++."""
    return f"{name}_kernel"


def reachable(results: Iterable[Value]) -> list[Value]:
    """All values that results are made of, operands first."""
    found: dict[int, Value] = {}
    open_ = [(r, False) for r in reversed(list(results))]
    while open_:
        value, operands_done = open_.pop()
        if operands_done:
            found.setdefault(value.number, value)
        elif value.number not in found:
            open_.append((value, True))
            open_.extend((a, False) for a in reversed(value.args))
    return list(found.values())


def share(results: list[Value]) -> list[Value]:
    """The results with equal values made one: Python computes again what is written again."""
    first: dict[tuple[object, ...], Value] = {}
    now: dict[int, Value] = {}
    for value in reachable(results):
        value.args = tuple(now[a.number] for a in value.args)
        data = value.data
        if value.op == "load":
            data = (id(data[0]), *data[1:])
        elif value.op == "literal":
            data = repr(data)
        key = (value.op, data, *(a.number for a in value.args))
        now[value.number] = first.setdefault(key, value)
    return [now[r.number] for r in results]


def flops(values: Iterable[Value]) -> int:
    """Operations of an item: every operation of a value counts one, a contraction as its sums do."""
    return sum(2 * len(v.data[2]) - 1 if v.op == "load" and len(v.data) > 2 else
               not v.plain and v.op not in ("load", "literal", "number", "carry", "scan", "inside") for v in values)


def _branches(values: list[Value], results: list[Value]) -> dict[int, tuple[int, ...]]:
    """Of each value the branches inside of which alone it is needed, the outermost first."""
    found: dict[int, tuple[int, ...]] = {r.number: () for r in results}
    for value in reversed(values):
        mine = found[value.number]
        for i, a in enumerate(value.args):
            inside = (*mine, value.number) if value.op == "branch" and i == 2 else mine
            known = found.setdefault(a.number, inside)
            found[a.number] = tuple(one for one, other in zip(known, inside) if one == other)
    return found


def literal(x: float) -> str:
    if math.isnan(x):
        return "std::numeric_limits<double>::quiet_NaN()"
    if math.isinf(x):
        return ("-" if x < 0 else "") + "std::numeric_limits<double>::infinity()"
    return repr(x)


class _Part:
    """Statements that follow each other."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.made: list[str] = []  # names
        self.named: set[str] = set()
        self.handed: list[str] = []  # what later ones name
        self.size = 0

    def add(self, name: str, written: str, named: frozenset[str], size: int) -> None:
        self.lines.append(f"const auto {name} = {written};")
        self.made.append(name)
        self.named |= named
        self.size += size

    def as_function(self, name: str) -> list[str]:
        last = f"  return ridge::python::values({', '.join(self.handed)});"
        return [f"const auto {name} = ridge::python::part([&]() RIDGE_PART {{",
                *(f"  {line}" for line in self.lines), last, "});",
                *(f"const auto& {handed} = ridge::python::value<{i}>({name});"
                  for i, handed in enumerate(self.handed))]


class Writer:
    """Writes values as statements: a name for what is used more than once."""

    def __init__(self, load: Callable[[Value], str]) -> None:
        self.load = load
        self.lines: list[str] = []
        #: How a number is written, and how where it meets a value.
        self.number: Callable[[str, bool], str] = lambda name, plain: name
        #: How what a scan carries is written.
        self.carry: Callable[[Value], str] = lambda value: ""
        #: Whether loads, and values that count in some items alone, stand before what they go into. Compilers contract
        #: products with additions of one block: so items near ends, whose loads branch, have the bits of others.
        self.is_apart = False
        #: How a value is written that counts in some items alone.
        self.inside: Callable[[Value, str], str] = lambda value, text: ""

    def write(self, results: list[Value]) -> list[str]:
        """The expressions of the results; what they need before them is in `lines`."""
        values = reachable(results)
        if self.is_apart:
            values.sort(key=lambda v: v.op != "load")
        uses: dict[int, int] = {}
        for value in values:
            for a in value.args:
                uses[a.number] = uses.get(a.number, 0) + 1
        has_inside = any(v.op == "inside" for v in values)
        text: dict[int, tuple[str, int]] = {}
        branches = _branches(values, results)
        statements: dict[int, list[str]] = {}  # inside of a branch
        in_parts = flops(values) > MANY_OPERATIONS
        in_blocks = sum(v.op == "load" for v in values) > MANY_ACCESSES
        is_long = in_parts or in_blocks
        most = BLOCK if in_blocks else PART
        in_text: dict[int, int] = {}  # operations in the text of a value
        names: dict[int, frozenset[str]] = {}  # that it names
        parts = [_Part()]
        made = 0
        for value in values:
            written = self._expression(value, text, statements.get(value.number, []))
            inside = branches[value.number]
            size = in_text[value.number] = 1 + sum(in_text[a.number] for a in value.args)
            named = frozenset().union(*(names[a.number] for a in value.args))
            again = uses.get(value.number, 0) > 1 and value.op not in ("literal", "number")
            again = again or (self.is_apart and value.op in ("load", "inside"))
            if inside and again:
                name = f"t{made}"
                made += 1
                statements.setdefault(inside[-1], []).append(f"const auto {name} = {written[0]};")
                written = (name, _ATOM)
                named |= {name}
            elif again or (is_long and size > most and not inside):
                name = f"t{made}"
                made += 1
                if self.is_apart and has_inside and value.op == "*" and not value.plain:
                    written = (f"ridge::chain::rounded({written[0]})", _ATOM)
                parts[-1].add(name, written[0], named, size)
                written = (name, _ATOM)
                in_text[value.number] = 0
                named = frozenset((name,))
                if is_long and parts[-1].size > most:
                    parts.append(_Part())
            text[value.number] = written
            names[value.number] = named
        wanted = set().union(*(names[r.number] for r in results))
        for part in reversed(parts):
            needed = [name for name in part.made if name in wanted]
            wanted |= part.named
            part.handed = needed
        for number, part in enumerate(parts):
            self.lines += part.as_function(f"p{number}") if in_parts and part.made else part.lines
            if in_blocks and part is not parts[-1]:
                self.lines.append("ridge::python::begin_block();")
        return [self.number(text[r.number][0], False) if r.op == "number" else text[r.number][0]
                for r in results]

    def _expression(self, value: Value, text: dict[int, tuple[str, int]],
                    statements: list[str]) -> tuple[str, int]:
        def operand(i: int, least: int = 0, plain: bool = value.plain) -> str:
            written, precedence = text[value.args[i].number]
            if value.args[i].op == "number":
                written = self.number(written, plain)
            return written if precedence >= least else f"({written})"

        op = value.op
        if op == "literal":
            return literal(value.data), _ATOM if value.data >= 0 else 3
        if op == "number":
            return cpp_name(value.data), _ATOM
        if op == "load":
            return self.load(value), _ATOM
        if op == "carry":
            return self.carry(value), _ATOM
        if op == "inside":
            return self.inside(value, operand(0)), _ATOM
        if op == "negate":
            return "-" + operand(0, _ATOM), 3
        if op in _PRECEDENCE:
            mine = _PRECEDENCE[op]
            return f"{operand(0, mine)} {op} {operand(1, mine + 1)}", mine
        if op == "select":
            return self._select(value, operand), _ATOM
        if op == "branch":
            inside = " ".join([*statements, f"return {operand(2)};"])
            return (f"ridge::branch({operand(0, 1)} {value.data} {operand(1, 1)}, "
                    f"[&] {{ {inside} }}, {operand(3)})"), _ATOM
        if op == "rsqrt":
            if value.plain:
                return f"1.0 / ::sqrt({operand(0)})", 2
            return f"ridge::rsqrt<ridge::Grade::refined>({operand(0)})", _ATOM
        if op in _OURS:
            return self._ours(value, operand), _ATOM
        assert op in _FUNCTIONS, op
        if value.plain:
            return f"::{op}({', '.join(operand(i) for i in range(len(value.args)))})", _ATOM
        if op == "pow":
            return self._pow(value, operand), _ATOM
        return f"{op}({operand(0)})", _ATOM

    @staticmethod
    def _ours(value: Value, operand: Callable[..., str]) -> str:
        """A call with values of one type."""
        args = value.args
        if value.op in ("minimum", "maximum"):
            for i, limit in enumerate(args):
                if limit.op == "literal" and not math.isnan(limit.data):
                    function = "at_most" if value.op == "minimum" else "at_least"
                    return f"ridge::python::{function}({operand(1 - i)}, {operand(i)})"
        texts = [operand(i) for i in range(len(args))]
        if value.plain:
            texts = [f"double({t})" for t in texts]
        elif len(args) == 2 and args[0].plain != args[1].plain:
            plain = 0 if args[0].plain else 1
            texts[plain] = _like(texts[1 - plain], texts[plain])
        return f"ridge::python::{value.op}({', '.join(texts)})"

    @staticmethod
    def _pow(value: Value, operand: Callable[..., str]) -> str:
        base = value.args[0]
        return f"pow({_like(operand(1), operand(0)) if base.plain else operand(0)}, {operand(1)})"

    @staticmethod
    def _select(value: Value, operand: Callable[..., str]) -> str:
        left, right, a, b = value.args
        plain = left.plain and right.plain
        test = f"{operand(0, 1, plain)} {value.data} {operand(1, 1, plain)}"
        if not plain:
            if not (a.plain and b.plain):
                return f"select({test}, {operand(2)}, {operand(3)})"
            compared = operand(0 if right.plain else 1)
            return (f"select({test}, {_like(compared, operand(2))}, "
                    f"{_like(compared, operand(3))})")
        # One condition for all items: a choice between two values of one type.
        one, two = operand(2), operand(3)
        if a.plain and b.plain:
            one, two = f"double({one})", f"double({two})"
        elif a.plain:
            one = _like(two, one)
        elif b.plain:
            two = _like(one, two)
        return f"(({test}) ? {one} : {two})"


def _like(value: str, number: str) -> str:
    return f"ridge::python::like({value}, {number})"
