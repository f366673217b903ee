"""Values of a chain that go along the columns of its arrays, or along the points of an element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from ._trace import Operand, Value, as_value, is_of_chain, refuse


class Scan:
    """A value that goes from item to item of a column: its start at the first item, and its direction."""

    def __init__(self, begin: list[float], down: bool) -> None:
        self.begin = begin
        self.down = down


@overload
def scan(step: Callable[..., Operand], begin: float, *, down: bool = False) -> Value: ...


@overload
def scan(step: Callable[..., Sequence[Operand]], begin: Sequence[float], *,
         down: bool = False) -> tuple[Value, ...]: ...


def scan(step: Callable[..., Any], begin: Any, *, down: bool = False) -> Any:
    """Item by item along columns, which lie along the first axis that a chain indexes: `step` makes
    the next value of the one so far, which is `begin` before the first item. In a ridge.chain:

        mass = ridge.scan(lambda above: above + density[0, 0]*height[0, 0], 0.0, down=True)

    is the sum over an item and all after it, from the last to the first; without `down` it goes from
    the first to the last. The result is a value as any other, of the step's after each item. With a
    tuple as `begin` the step takes and returns as many values, and so does scan.

    Raises TraceError where there is no chain, or what is carried is used outside of its step."""
    if not is_of_chain():
        refuse("ridge.scan goes along the columns of a chain; use it in a ridge.chain")
    several = isinstance(begin, (tuple, list))
    first = [as_value(b) for b in (begin if several else [begin])]
    if not first or any(b.op != "literal" for b in first):
        refuse("what a scan begins with is a number that is known now, or several")
    one = Scan([b.data for b in first], bool(down))
    made = step(*(Value("carry", data=(one, k)) for k in range(len(first))))
    following = list(made) if several and isinstance(made, (tuple, list)) else [made]
    if len(following) != len(first):
        refuse(f"the step of a scan returns {len(following)} values; it carries {len(first)}")
    args = tuple(map(as_value, following))
    results = tuple(Value("scan", args, (one, k)) for k in range(len(args)))
    return results if several else results[0]


def tridiagonal(lower: Operand, diagonal: Operand, upper: Operand, right: Operand) -> Value:
    """The x of lower[k] x[k-1] + diagonal[k] x[k] + upper[k] x[k+1] = right[k] in each column, which
    lie along the first axis that a chain indexes. `lower` of the first item and `upper` of the last
    count for nothing where they are finite. In a ridge.chain, of its values and numbers.

    Without exchange of rows: stable where the diagonal dominates, or for symmetric positive definite
    matrices. A zero pivot gives infinities or NaN in its column. Raises TraceError outside of a chain."""
    below, on, above, given = map(as_value, (lower, diagonal, upper, right))

    def eliminate(ratio: Value, reduced: Value) -> tuple[Value, Value]:
        scale = 1.0 / (on - below * ratio)
        return above * scale, (given - below * reduced) * scale

    ratio, reduced = scan(eliminate, (0.0, 0.0))
    return scan(lambda x: reduced - ratio * x, 0.0, down=True)


#: Points of an element along an axis, at most.
_MOST_POINTS = 16


def contract(matrix: Any, value: Value, axis: int = -1) -> Value:
    """The sum over j of matrix[i][j] value[j] along an axis of elements, as derivatives of spectral
    elements are: i and j count the points of an element. In a ridge.chain, with `matrix` an array of
    (np, np) numbers, np of 2 to 16:

        slope = ridge.contract(derivative, u[0, 0, 0])         # u: (levels, np, np)
        across = ridge.contract(derivative, u[0, 0, 0], axis=-2)

    The last axis of the arrays, or the last two, have np points then, those of one element; others
    are independent. A chain that contracts along the last but one does so along the last, too. An axis counts as
    NumPy's do: of three axes 2 is -1.

    Raises TraceError for other matrices and axes, and outside of a chain."""
    if not is_of_chain():
        refuse("ridge.contract is for the elements of a chain; use it in a ridge.chain")
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        refuse(f"axis={axis!r} of ridge.contract: -1, the last axis of the arrays, or -2 is right")
    axis = axis.__index__()
    rows = tuple(tuple(as_value(x) for x in row) for row in matrix)
    n = len(rows)
    if not 2 <= n <= _MOST_POINTS or any(len(row) != n or any(x.op != "literal" for x in row) for row in rows):
        refuse(f"a matrix of ridge.contract has n x n numbers that are known now, n of 2 to {_MOST_POINTS}")
    of = as_value(value)
    loads = [v for v in _made_of(of) if v.op == "load"]
    if not loads:
        refuse("ridge.contract takes a value of each item, such as u[0, 0, 0]")
    here = (0,) * len(loads[0].data[1])
    rank = len(here)
    last = axis - rank if axis >= 0 else axis  # as NumPy counts
    if not -min(rank, 2) <= last <= -1:
        refuse(f"axis={axis} of ridge.contract: elements have points along the last axis, -1, and the one before, "
               f"-2; the arrays have {rank} ax{'is' if rank == 1 else 'es'}")
    is_array = of.op == "load" and of.data[1:] == (here,)
    return Value("load", data=(of.data[0] if is_array else of, here,
                               tuple(tuple(x.data for x in row) for row in rows), last))


def _made_of(value: Value) -> list[Value]:
    found = {value.number: value}
    open_ = [value]
    while open_:
        for a in open_.pop().args:
            if a.number not in found:
                found[a.number] = a
                open_.append(a)
    return list(found.values())
