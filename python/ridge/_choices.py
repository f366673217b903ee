"""Values of a kernel that a condition chooses."""

from __future__ import annotations

from ._trace import Condition, Operand, Value, as_condition, as_value


def where(condition: Condition, a: Operand, b: Operand) -> Value:
    """`a` where the condition holds, else `b`; both are computed. Conditions are comparisons, joined
    by & | ~."""
    # Of two parts the second is chosen by first. Those that wait are in a list, as thousands may be joined.
    waiting: list[tuple[str, Condition, Operand, Operand]] = []
    c = as_condition(condition)
    while True:
        if c.kind in ("and", "or"):
            waiting.append((c.kind, c.parts[0], a, b))
            c = c.parts[1]
            continue
        if c.kind == "not":
            c, a, b = c.parts[0], b, a
            continue
        chosen = Value("select", (*map(as_value, c.values), as_value(a), as_value(b)), c.kind)
        if not waiting:
            return chosen
        kind, c, a, b = waiting.pop()
        if kind == "and":
            a = chosen
        else:
            b = chosen


def branch(condition: Condition, inside: Operand, otherwise: Operand) -> Value:
    """where(condition, inside, otherwise) to the bit, but what `inside` alone needs is computed only
    where the condition holds for one of the items computed together: a vector of a cpu, a warp of a
    GPU. It pays where few items are inside, next to each other, and much is computed there.

    A condition of numbers alone is chosen by as `where` does. What a chain indexes is an operation of
    its own, for all items. Records count operations as if all items were inside. Raises TraceError
    for what is no condition."""
    c = as_condition(condition)
    if c.kind in ("and", "or", "not"):
        c = where(c, 1, 0) > 0.5
    left, right, a, b = map(as_value, (*c.values, inside, otherwise))
    if a.plain or (left.plain and right.plain):
        return where(c, a, b)
    return Value("branch", (left, right, a, b), c.kind)
