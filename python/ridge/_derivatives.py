"""Derivatives of traced values: how much each operand of an operation changes its result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ._emit import reachable
from ._trace import Value

#: A condition under which a value counts: its comparison, the two values, and whether it holds.
Guard = tuple[str, Value, Value, bool]

#: Operations whose result is the same on both sides of nearly every point.
_STEPS = frozenset(("floor", "ceil", "trunc", "sign", "floor_divide"))


def number(x: float) -> Value:
    return Value("literal", data=x)


def is_number(value: Value, x: float) -> bool:
    return value.op == "literal" and value.data == x


def product(a: Value, b: Value) -> Value:
    """a*b, without factors of 1 and -1."""
    for one, other in ((a, b), (b, a)):
        if is_number(one, 1.0):
            return other
        if is_number(one, -1.0):
            return negated(other)
    if a.op == b.op == "literal":
        return number(a.data * b.data)
    return Value("*", (a, b))


def negated(a: Value) -> Value:
    if a.op == "negate":
        return a.args[0]
    return number(-a.data) if a.op == "literal" else Value("negate", (a,))


def total(terms: Sequence[Value]) -> Value:
    """The sum, from the first to the last."""
    found = terms[0]
    for term in terms[1:]:
        found = Value("-", (found, term.args[0])) if term.op == "negate" else Value("+", (found, term))
    return found


def chosen(guard: Guard, value: Value) -> Value:
    """The value where the guard holds, else 0."""
    kind, left, right, holds = guard
    zero = number(0.0)
    return Value("select", (left, right, value, zero) if holds else (left, right, zero, value), kind)


#: Of a value and what its result changes by, for each operand that counts: which, under which
#: conditions, what it changes by.
Parts = Iterator[tuple[int, tuple[Guard, ...], Value]]
_Rule = Callable[[Value, Value], Parts]


def _of_one(rule: Callable[[Value, Value, Value], Value]) -> _Rule:
    """A rule of functions of one value: of what the result changes by, the operand and the result."""
    def parts(v: Value, g: Value) -> Parts:
        yield 0, (), rule(g, v.args[0], v)

    return parts


def _sum(v: Value, g: Value) -> Parts:
    yield 0, (), g
    yield 1, (), g if v.op == "+" else negated(g)


def _times(v: Value, g: Value) -> Parts:
    a, b = v.args
    yield 0, (), product(g, b)
    yield 1, (), product(g, a)


def _quotient(v: Value, g: Value) -> Parts:
    divisor = v.args[1]
    if divisor.plain:  # the same for all items: one division, and a factor that is taken out of sums
        share = product(_inverse(divisor), g)
    else:
        share = Value("/", (g, divisor))
    yield 0, (), share
    yield 1, (), negated(product(share, v))


def _inverse(of: Value) -> Value:
    if of.op == "literal" and of.data and math.isfinite(1.0 / of.data):
        return number(1.0 / of.data)
    return Value("/", (number(1.0), of))


def _extreme(v: Value, g: Value) -> Parts:
    """Half of it for each of two that are equal."""
    half = product(number(0.5), g)
    for i in range(2):
        mine, other = v.args[i], v.args[1 - i]
        left, right = (mine, other) if v.op == "minimum" else (other, mine)
        yield i, (("<=", left, right, True),), Value("select", (left, right, g, half), "<")


def _root_of_squares(v: Value, g: Value) -> Parts:
    share = Value("/", (g, v))
    for i in range(2):
        yield i, (("<", number(0.0), v, True),), product(share, v.args[i])


def _rest(v: Value, g: Value) -> Parts:
    yield 0, (), g
    yield 1, (), negated(product(g, Value("floor_divide", v.args)))


def _power(v: Value, g: Value) -> Parts:
    base, exponent = v.args
    if exponent.op == "literal":
        if exponent.data:
            slope = product(exponent, Value("pow", (base, number(exponent.data - 1))))
            yield 0, (), product(g, slope)
        return
    slope = product(exponent, Value("pow", (base, Value("-", (exponent, number(1.0))))))
    zero = number(0.0)
    either = Value("select", (exponent, zero, product(g, slope), Value(
        "select", (zero, exponent, product(g, slope), zero), "<")), "<")
    yield 0, (), either
    change = product(g, product(v, Value("log", (base,))))
    yield 1, (), Value("select", (zero, base, change, Value("select", (base, zero, change, zero), "<")), "<")


def _choice(v: Value, g: Value) -> Parts:
    left, right = v.args[:2]
    yield 2, ((v.data, left, right, True),), g
    yield 3, ((v.data, left, right, False),), g


def _cube(g: Value, _x: Value, y: Value) -> Value:
    return product(product(product(number(-0.5), g), y), product(y, y))


def _one_and_square(op: str) -> Callable[[Value, Value, Value], Value]:
    return lambda g, _x, y: product(g, Value(op, (number(1.0), product(y, y))))


_RULES: dict[str, _Rule] = {
    "+": _sum, "-": _sum, "*": _times, "/": _quotient,
    "negate": _of_one(lambda g, x, y: negated(g)),
    "absolute": _of_one(lambda g, x, y: product(g, Value("sign", (x,)))),
    "minimum": _extreme, "maximum": _extreme, "hypot": _root_of_squares, "remainder": _rest, "pow": _power,
    "select": _choice, "branch": _choice,
    "exp": _of_one(lambda g, x, y: product(g, y)),
    "log": _of_one(lambda g, x, y: Value("/", (g, x))),
    "sqrt": _of_one(lambda g, x, y: Value("/", (product(number(0.5), g), y))),
    "rsqrt": _of_one(_cube), "inverse_root": _of_one(_cube),
    "sin": _of_one(lambda g, x, y: product(g, Value("cos", (x,)))),
    "cos": _of_one(lambda g, x, y: negated(product(g, Value("sin", (x,))))),
    "tan": _of_one(_one_and_square("+")),
    "tanh": _of_one(_one_and_square("-")),
    "inside": lambda v, g: iter(((0, (), Value("inside", (g,), v.data)),)),
}
#: Which operands of an operation its result changes with, where not all do.
_COUNTING = {"select": (2, 3), "branch": (2, 3)}


def counting(value: Value) -> Sequence[int]:
    """Operands by which the result changes smoothly."""
    if value.op in _STEPS or value.op == "scan":
        return ()
    if value.op == "pow" and value.args[1].op == "literal" and value.args[1].data == 0:
        return ()
    return _COUNTING.get(value.op, range(len(value.args)))


def depends(roots: Sequence[Value], wanted: Callable[[Value], bool]) -> set[int]:
    """Numbers of the values that change smoothly with a leaf that is wanted."""
    found: set[int] = set()
    for v in reachable(roots):
        if wanted(v) if not v.args else any(v.args[i].number in found for i in counting(v)):
            found.add(v.number)
    return found


def backward(roots: Sequence[tuple[Value, Value]],
             wanted: Callable[[Value], bool]) -> list[tuple[Value, Value]]:
    """What the leaves that are wanted change the sum of all root*seed by: the transposed derivative.
    The part of a choice that was not taken adds 0, whatever its own derivative is."""
    tops = [root for root, _ in roots]
    values = reachable(tops)
    alive = depends(tops, wanted)
    homes: dict[int, tuple[Any, ...]] = {root.number: () for root in tops}
    terms: dict[int, list[Value]] = {}
    for root, seed in roots:
        terms.setdefault(root.number, []).append(seed)
    rules = {v.number: _RULES[v.op] for v in values if v.number in alive and v.args}
    one = number(1.0)
    for v in reversed(values):  # within which conditions alone a value is needed
        for i, guards, _ in rules[v.number](v, one) if v.number in rules else ():
            if v.args[i].number in alive and v.number in homes:
                path = homes[v.number] + tuple(map(_key, guards))
                known = homes.setdefault(v.args[i].number, path)
                homes[v.args[i].number] = _common(known, path)
    open_: dict[int, tuple[Guard, ...]] = {root.number: () for root in tops}
    leaves = []
    for v in reversed(values):
        if v.number not in alive or v.number not in terms:
            continue
        g = total(terms[v.number])
        path = open_[v.number]
        if not v.args:
            leaves.append((v, _closed(g, path, 0)))
            continue
        for i, guards, part in rules[v.number](v, g):
            a = v.args[i]
            if a.number in alive:
                whole = path + guards
                kept = len(homes[a.number])
                open_[a.number] = whole[:kept]
                terms.setdefault(a.number, []).append(_closed(part, whole, kept))
    return leaves


def _closed(value: Value, guards: tuple[Guard, ...], kept: int) -> Value:
    for guard in reversed(guards[kept:]):
        value = chosen(guard, value)
    return value


def _key(guard: Guard) -> tuple[Any, ...]:
    kind, left, right, holds = guard
    return kind, *(("literal", repr(x.data)) if x.op == "literal" else x.number for x in (left, right)), holds


def _common(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    return a[:same]


def linear(value: Value, known: dict[int, dict[int, tuple[Value, Value]]]) -> dict[int, tuple[Value, Value]]:
    """The value as a sum of numbers of the kernel times values: by the numbers of these."""
    for v in reachable([value]):
        if v.number not in known:
            known[v.number] = _as_sum(v, known)
    return known[value.number]


def _as_sum(v: Value, known: dict[int, dict[int, tuple[Value, Value]]]) -> dict[int, tuple[Value, Value]]:
    def scaled(of: Value, by: Value) -> dict[int, tuple[Value, Value]]:
        return {n: (product(by, factor), base) for n, (factor, base) in known[of.number].items()}

    if v.plain:
        return {}
    if v.op in ("+", "-") and not any(a.plain for a in v.args):
        found = dict(known[v.args[0].number])
        for n, (factor, base) in known[v.args[1].number].items():
            signed = factor if v.op == "+" else negated(factor)
            found[n] = (Value("+", (found[n][0], signed)), base) if n in found else (signed, base)
        return found
    if v.op == "negate":
        return scaled(v.args[0], number(-1.0))
    if v.op == "*" and v.args[0].plain != v.args[1].plain:
        plain, other = v.args if v.args[0].plain else v.args[::-1]
        return scaled(other, plain)
    if v.op == "/" and v.args[1].plain:
        return scaled(v.args[0], Value("/", (number(1.0), v.args[1])))
    return {v.number: (number(1.0), v)}
