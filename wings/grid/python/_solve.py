"""Elliptic problems on a grid of points."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _arrays, _core, _grid
from ._extents import spacing_of
from ._options import device_of, flag_of, number_of, text_of, whole_of
from ._stencil import Stencil
from ._sweeps import _boundary_text


class Solution:
    """How a solve went. Made by `ridge.solve`.

    `out` is the array with the solution. `residuals` has |f - A u| over the norm of the right-hand
    side: of the first guess, then after each of the `iterations`, computed from the solution.
    `seconds` are of all of them, `bytes` what they must at least move, an array a pass. `schedule` says how the
    method went, such as "multigrid W(2,2)"; `tiles` the tiles down and up of each level that is one pass each way on a
    GPU, "cells/large small/small".

    `criterion`: "residual", as small as `tol`; or "rounding", where the residual fell no further and is what rounding
    leaves of it. `backward_error` is known there: the residual's norm over that of |A| |u| + |f|; and `error`, about what
    is left of u's own, over u. None elsewhere. `in_fp64`: fp32 gained too little, and the solve went on in fp64; its
    residuals are those before the solution was rounded."""

    def __init__(self, out: Any, fields: Mapping[str, Any]) -> None:
        self.out = out
        self.converged: bool = fields["converged"]
        self.criterion: Optional[str] = fields["criterion"] if self.converged else None
        self.backward_error: Optional[float] = fields["backward_error"]
        self.error: Optional[float] = fields["error"]
        self.in_fp64: bool = fields["in_fp64"]
        self.iterations: int = fields["iterations"]
        self.residuals: list[float] = list(fields["residuals"])
        self.seconds: float = fields["seconds"]
        self.bytes: float = fields["bytes"]
        self.levels: int = fields["levels"]
        self.removed_mean: float = fields["removed_mean"]
        self.method: str = fields["method"]
        self.schedule: str = fields["schedule"]
        self.tiles: str = fields["tiles"]
        self.device: str = fields["device"]

    @property
    def residual(self) -> float:
        return self.residuals[-1]

    @property
    def fraction(self) -> Optional[float]:
        """Least bytes a second over those of a copy, which the first use measures; None on an
        emulated GPU and where nothing was to be done."""
        rate = _grid.copy_rate(self.device)
        return self.bytes / self.seconds / rate if rate > 0 and self.seconds > 0 else None

    def __repr__(self) -> str:
        how = "not converged" if not self.converged else "converged" if self.criterion == "residual" else "converged to rounding"
        return (f"<ridge.solve by {self.method}: {how}, residual "
                f"{self.residual:.1e} after {self.iterations} iteration{'' if self.iterations == 1 else 's'}>")


def _functor(operator: Union[str, Stencil], rank: int, numbers: Optional[Mapping[str, float]]) -> tuple[str, list[str]]:
    """FILE.hpp:Name of a functor and how its members are set; "" for an equation."""
    if numbers is not None and not isinstance(numbers, Mapping):
        raise TypeError(f"solve: numbers={numbers!r}: a dict of numbers is right")
    given = {name: number_of(value, f"solve: numbers[{name!r}]") for name, value in (numbers or {}).items()}
    if isinstance(operator, Stencil):
        if len(operator.arrays) != 1:
            raise _core.UsageError(f"solve: an operator reads one array; {operator.__name__} reads {', '.join(operator.arrays)}")
        if operator.rank and operator.rank != rank:
            raise _core.UsageError(f"solve: {operator.__name__} is of {operator.rank} dimension{'' if operator.rank == 1 else 's'}, "
                                   f"f has {rank}")
        names, values = operator._numbers(given)
        source = operator._source
        file = _core.keep_source(f"{operator.__name__}.hpp", source.text)
        return f"{file}:{source.type_name}", [f"{place.removeprefix('kernel.')}={value!r}"
                                              for name, value in zip(names, values)
                                              for place in source.places.get(name, (name,))]
    if isinstance(operator, str) and ":" in operator:
        return operator, [f"{name}={value!r}" for name, value in given.items()]
    return "", []


def solve(operator: Union[str, Stencil], f: Any, *, out: Any = None, boundary: Union[str, Mapping[str, str]],
          tol: Optional[float] = None, spacing: Union[float, Sequence[float]] = 1.0, coefficient: Any = None,
          mask: Any = None, shift: float = 0.0, order: int = 2, method: str = "auto", guess: bool = False, project: bool = False,
          iterations: Optional[int] = None, cycle: Optional[str] = None, smoother: Optional[str] = None,
          precision: str = "auto", schedule: str = "auto", numbers: Optional[Mapping[str, float]] = None,
          device: Optional[str] = None) -> Solution:
    """Solves div(k grad u) - shift u = f for `out`, or for a new array of f's library.

    Arrays are used where they lie, on the host or a GPU. `operator`: "poisson", "helmholtz" (with
    `shift`, at least 0), "diffusion" (with `coefficient` k, positive), or a functor that is linear and
    symmetric, by conjugate gradients alone: a kernel that `ridge.stencil` made, or "FILE.hpp:Name". `numbers` sets its
    members. `boundary` gives every face a
    condition, as `ridge.sweeps` takes them: "periodic", or {"x": "dirichlet:0", "y-": "neumann:1", ...}.
    `spacing` is between points: one number, or one an axis in the arrays' order. `method`: "auto",
    "fft", "multigrid" or "cg". `cycle` of multigrid: "v", "w" or, without "cg", "f"; `smoother`: "chebyshev" or
    "red-black"; "auto" takes no "fft" with these. `precision` of cycles on arrays in fp64: "fp64", "mixed" (cycles in
    fp32 for residuals in fp64) or "auto": "mixed" from a million points on, "fp64" where that gains too little. `schedule` lays out the passes of "chebyshev" on a GPU, such as
    "down=cells up=small"; "auto": what `ridge tune multigrid` found, else what is known to be good. Points where `mask`, of f's shape and of its type or bool, is not 0 are
    not solved for: nothing flows into them, and the solution is 0 there, on faces, too. `iterations`: most of them, 100,
    or 10000 of conjugate gradients. `guess`: `out` holds a first guess. `tol`: 1e-10, or 1e-5 in fp32; where rounding
    leaves more of the residual, a solution that is right but for it has converged, too.

    It has gradients by f, k and the shift, of torch and `ridge.grad`.

    Raises UsageError for problems without a solution, with the reason; a solve that does not reach
    `tol` returns with `converged` False, the best in `out`."""
    wanted = {"poisson": (False, False), "helmholtz": (True, False), "diffusion": (None, True)}
    why = _arrays.why_no_array(f)
    if why or not hasattr(f, "shape"):
        raise TypeError(f"solve: f {why or f'is no array but {type(f).__name__}'}")
    if not isinstance(operator, (str, Stencil)):
        raise TypeError(f"solve: operator={operator!r} ({type(operator).__name__}): a text is right, such as 'poisson', "
                        "or a kernel of ridge.stencil")
    guess, project = flag_of(guess, "solve: guess"), flag_of(project, "solve: project")
    text_of(method, "solve: method", "cg")
    text_of(precision, "solve: precision", "auto")
    text_of(schedule, "solve: schedule", "auto")
    if "torch" in sys.modules:
        from ._grad_solve import is_recorded, recorded  # which is made of what is here

        if is_recorded(f, coefficient, mask, shift, out, numbers):
            return recorded(operator, f, out, boundary, spacing, coefficient, mask, shift, {
                "tol": tol, "order": order, "method": method, "guess": guess, "project": project, "cycle": cycle,
                "iterations": iterations, "smoother": smoother, "precision": precision,
                "schedule": schedule, "numbers": numbers, "device": device})
        f, coefficient, mask, shift = map(_arrays.plain, (f, coefficient, mask, shift))
    own, settings = _functor(operator, len(f.shape), numbers)
    if not own and operator not in wanted:
        raise _core.UsageError(f"solve: unknown operator {operator!r}; there are {', '.join(wanted)}, a kernel of ridge.stencil "
                               "and FILE.hpp:Name")
    if own and (shift != 0 or order != 2 or coefficient is not None or mask is not None or project or cycle or smoother
                or precision != "auto" or method not in ("auto", "cg")):
        raise _core.UsageError("solve: a functor takes no shift, order, coefficient, mask, project, cycle, smoother "
                               "or precision, and no method but cg")
    if numbers and not own:
        raise _core.UsageError("solve: numbers are of a functor, a kernel of ridge.stencil or FILE.hpp:Name")
    shifted, varies = wanted.get(str(operator), (False, False))
    if shifted is False and shift != 0:
        raise _core.UsageError("solve: shift is for helmholtz and diffusion")
    if (coefficient is not None) != varies:
        raise _core.UsageError("solve: diffusion takes coefficient=k" if varies else "solve: coefficient is for diffusion")
    if out is None:
        if guess:
            raise _core.UsageError("solve: guess=True takes out, which holds it")
        out = _arrays.zeros(f, "solve")
    if tol is None:
        tol = 1e-5 if "float32" in str(f.dtype) else 1e-10
    if not 0 < number_of(tol, "solve: tol") < 1:
        raise _core.UsageError(f"solve: tol={tol!r}: it is between 0 and 1")
    most = -1 if iterations is None else whole_of(iterations, "solve: iterations", 0, 2**31 - 1)
    for what, word, right in (("cycle", cycle, "v"), ("smoother", smoother, "chebyshev")):
        if word is not None:
            text_of(word, f"solve: {what}", right)
    if mask is not None:
        mask = _arrays.as_numbers(mask, f)
    arrays = (f, _arrays.plain(out), *(a for a in (coefficient, mask) if a is not None))
    rank = len(f.shape)
    fields = _grid.solve_grid(
        arrays, _boundary_text(boundary, None, rank), spacing_of(spacing, rank), number_of(shift, "solve: shift"),
        whole_of(order, "solve: order", 1, 100), method, cycle or "",
        smoother or "", precision, schedule, float(tol), most, guess,
        project, coefficient is not None, mask is not None, own, settings, device_of(device, "solve: device"))
    if isinstance(operator, Stencil):  # rather than the name of its source
        fields["method"] = f"cg ({operator.__name__})"
    return Solution(out, fields)


def _gradient_by(names: Optional[Sequence[str]]) -> Any:
    from ._grad_solve import SolveGradient  # which is made of what is here

    return SolveGradient(names)


solve.gradient_by = _gradient_by  # type: ignore[attr-defined]  # where ridge.grad finds it
