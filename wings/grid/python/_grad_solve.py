"""Gradients of solutions of elliptic problems: a solve of the transposed equation.

Points on neumann faces have half a volume along their axis. With these volumes V the matrix A of a problem is V^-1
times a symmetric one, so its transposed is V A V^-1: of the solution's weights w, A m = w / V with conditions of 0 gives
V m by f, and by k the product of the differences of m and u between neighbours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional

from . import _arrays, _core
from ._extents import spacing_of
from ._gradients import gradients_type
from ._options import number_of
from ._solve import Solution, solve
from ._stencil import Stencil
from ._sweeps import _boundary_text

_KNOWN = ("f", "coefficient", "shift")


class _Problem(NamedTuple):
    """What a solve was asked for, beside arrays."""

    operator: Any
    boundary: Any
    spacing: Any
    mask: Any
    shift: float
    words: Mapping[str, Any]  # as they are given to each solve

    def transposed(self, right: Any, coefficient: Any) -> Any:
        """The solution with conditions of 0, where no face fixes it of what is left without its mean."""
        rank = len(right.shape)
        faces = [entry.partition("=") for entry in _boundary_text(self.boundary, None, rank).split(",")]
        plain = {place.strip(): kind.partition(":")[0] for place, _, kind in faces}
        boundary = {place: kind + ":0" * (kind in ("dirichlet", "neumann")) for place, kind in plain.items()}
        is_own = isinstance(self.operator, Stencil) or ":" in self.operator
        words = {n: x for n, x in self.words.items() if n not in ("guess", "project")}
        if not is_own:
            words["project"] = True
        found = solve(self.operator, right, boundary=boundary, spacing=self.spacing, mask=self.mask, shift=self.shift,
                      coefficient=coefficient, **words)
        if not found.converged:
            raise _core.Failure(f"the gradient of a solve: the transposed one did not converge: {found!r}")
        return found.out

    def faces(self, rank: int) -> list[list[tuple[str, float]]]:
        """Of each axis in the arrays' order, the kinds and values of its two faces."""
        found = [[("", 0.0), ("", 0.0)] for _ in range(rank)]
        for entry in _boundary_text(self.boundary, None, rank).split(","):
            place, _, condition = entry.strip().partition("=")
            kind, _, value = condition.partition(":")
            axis = rank - 1 - "xyz".index(place[0])
            for side in (0, 1) if len(place) == 1 else ("-+".index(place[1]),):
                found[axis][side] = kind, float(value) if kind == "neumann" else 0.0
        return found


def gradients_of(problem: _Problem, by: Sequence[str], weights: Any, coefficient: Any, solution: Any) -> dict[str, Any]:
    """The gradients of the sum of solution*weights."""
    rank, like = len(weights.shape), weights
    faces = problem.faces(rank)
    whole = _volumes(like, faces, None)
    m = problem.transposed(_arrays.copy_of(weights / whole), coefficient)
    found: dict[str, Any] = {}
    if "f" in by:
        found["f"] = whole * m
    if "shift" in by:
        found["shift"] = _arrays.sum_of(whole * m * solution)
    if "coefficient" in by:
        x_first = spacing_of(problem.spacing, rank)
        spacing = [x_first[d] for d in reversed(range(rank))]
        found["coefficient"] = _by_coefficient(problem, m, coefficient, solution, faces, spacing)
    return found


def _volumes(like: Any, faces: Sequence[Sequence[tuple[str, float]]], without: Optional[int]) -> Any:
    """Of all points, or of the surfaces between those of an axis."""
    found = _arrays.zeros(like, "solve") + 1
    for d, ends in enumerate(faces):
        for side, (kind, _) in enumerate(ends):
            if kind == "neumann" and d != without and like.shape[d] > 1:
                found[_at(d, slice(-1, None) if side else slice(0, 1), like.ndim)] *= 0.5
    return found


def _at(axis: int, part: slice, rank: int) -> tuple[slice, ...]:
    return tuple(part if d == axis else slice(None) for d in range(rank))


def _neighbours(axis: int, shape: Sequence[int], is_periodic: bool) -> Iterator[tuple[Any, Any]]:
    rank = len(shape)
    if shape[axis] > 1:
        yield _at(axis, slice(None, -1), rank), _at(axis, slice(1, None), rank)
        if is_periodic:
            yield _at(axis, slice(-1, None), rank), _at(axis, slice(0, 1), rank)


def _by_coefficient(problem: _Problem, m: Any, k: Any, u: Any, faces: Sequence[Sequence[tuple[str, float]]],
                    spacing: Sequence[float]) -> Any:
    """Between points is the harmonic mean of k, and at a neumann face k of the face's own point."""
    found = _arrays.zeros(m, "solve")
    k = _arrays.copy_of(k)
    free = _arrays.zeros(m, "solve") + 1
    if problem.mask is not None:
        masked = problem.mask != 0
        k[masked], free[masked] = 1, 0
    for d, ends in enumerate(faces):
        volumes = _volumes(m, faces, d)
        for low, high in _neighbours(d, m.shape, ends[0][0] == "periodic"):
            change = (volumes[low] * free[low] * free[high] * (m[high] - m[low]) * (u[high] - u[low])
                      * (2 / spacing[d]**2) / (k[low] + k[high])**2)
            found[low] += change * k[high]**2
            found[high] += change * k[low]**2
        for side, (kind, value) in enumerate(ends):
            if kind == "neumann" and value != 0 and m.shape[d] > 1:
                face = _at(d, slice(-1, None) if side else slice(0, 1), m.ndim)
                found[face] -= volumes[face] * m[face] * (value / spacing[d])
    return found


class SolveGradient:
    """The gradient of `ridge.solve`. Made by `ridge.grad`."""

    def __init__(self, by: Optional[Sequence[str]]) -> None:
        #: By f, the coefficient or the shift.
        self.by = ("f",) if by is None else tuple(dict.fromkeys(by))
        for name in self.by:
            if name not in _KNOWN:
                raise TypeError(f"ridge.grad: solve has no derivative by '{name}'; {', '.join(_KNOWN)} are right")
        if not self.by:
            raise TypeError(f"ridge.grad: by= is empty of solve; {', '.join(_KNOWN)} are right")

    def __repr__(self) -> str:
        return f"<ridge.grad of solve by {', '.join(self.by)}>"

    def __call__(self, operator: Any, f: Any, cotangent: Any, *, boundary: Any, spacing: Any = 1.0,
                 coefficient: Any = None, mask: Any = None, shift: float = 0.0, solution: Any = None,
                 **words: Any) -> Any:
        """The gradients of the sum of ridge.solve(...).out*cotangent; takes the words of `ridge.solve`. `solution` is
        that of the problem, which by the coefficient and the shift is solved once more if it is not given."""
        if "coefficient" in self.by and coefficient is None:
            raise TypeError("the gradient of solve is by the coefficient: give coefficient=")
        f, k, w = map(_arrays.plain, (f, coefficient, cotangent))
        given = {"f": f, "the cotangent": w, "coefficient": k, "solution": _arrays.plain(solution)}
        given = {n: a for n, a in given.items() if a is not None}
        _arrays.require_one_type("the gradient of solve", list(given), list(given.values()))
        for name, array in given.items():
            if tuple(array.shape) != tuple(f.shape):
                raise _core.UsageError(f"the gradient of solve: {name} has the shape {tuple(array.shape)}; "
                                       f"{tuple(f.shape)}, that of f, is right")
        mask = None if mask is None else _arrays.as_numbers(_arrays.plain(mask), f)
        problem = _Problem(operator, boundary, spacing, mask, number_of(shift, "solve: shift"), words)
        u = None if solution is None else _arrays.plain(solution)
        if u is None and self.by != ("f",):
            u = solve(operator, f, boundary=boundary, spacing=spacing, coefficient=k, mask=mask, shift=problem.shift,
                      **words).out
        return gradients_type("solve", self.by)(**gradients_of(problem, self.by, w, k, u))


# torch.

def is_recorded(f: Any, coefficient: Any, mask: Any, shift: Any, out: Any,
                numbers: Optional[Mapping[str, Any]]) -> bool:
    """Whether torch records a solve; raises for what has no derivative."""
    from . import _torch

    named = {"mask": mask, **(numbers if isinstance(numbers, Mapping) else {})}
    if not _torch.is_asked("ridge.solve", (f, coefficient), (out,), {"shift": shift, **named}):
        return False
    if not sys.modules["torch"].is_grad_enabled():
        return False
    wrong = [n for n, x in named.items() if _torch.requires_gradient(x)]
    if wrong:
        raise TypeError(f"ridge.solve has no derivative by {', '.join(wrong)}; by {', '.join(_KNOWN)} it has one")
    return True


def recorded(operator: Any, f: Any, out: Any, boundary: Any, spacing: Any, coefficient: Any, mask: Any, shift: Any,
             words: Mapping[str, Any]) -> Solution:
    """A solve that torch records."""
    torch: Any = sys.modules["torch"]
    from . import _torch

    mask = None if mask is None else _arrays.as_numbers(_arrays.plain(mask), _arrays.plain(f))
    problem = _Problem(operator, boundary, spacing, mask, float(_arrays.plain(shift)), words)
    by = tuple(n for n, x in zip(_KNOWN, (f, coefficient, shift)) if _torch.requires_gradient(x))
    kept: list[Solution] = []

    class Solved(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, f: Any, k: Any, shift: Any, out: Any) -> Any:
            if out is not None:
                ctx.mark_dirty(out)
            kept.append(solve(operator, _arrays.plain(f), out=_arrays.plain(out), boundary=boundary, spacing=spacing,
                              coefficient=_arrays.plain(k), mask=mask, shift=problem.shift, **words))
            made = kept[0].out if out is None else out
            ctx.save_for_backward(*([k] if k is not None else []), *([made] if by != ("f",) else []))
            ctx.has_k = k is not None
            ctx.like = shift
            return made

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, weights: Any) -> Any:
            saved = list(map(_arrays.plain, ctx.saved_tensors))
            k = saved.pop(0) if ctx.has_k else None
            found = gradients_of(problem, by, weights.contiguous(), k, saved[0] if saved else None)
            by_shift = torch.as_tensor(found["shift"], dtype=ctx.like.dtype, device=ctx.like.device).reshape(
                ctx.like.shape) if "shift" in found else None
            return found.get("f"), found.get("coefficient"), by_shift, None

    made = Solved.apply(f, coefficient, shift, out)
    kept[0].out = made
    return kept[0]
