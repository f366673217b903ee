"""Many sweeps of a stencil, with boundaries."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from . import _arrays, _core
from ._chain import Chain, over_time
from ._extents import extents_of, spacing_of, whole
from ._kernel import Source, torch_module, unique
from ._options import text_of
from ._ranks import ranks
from ._record import Record, records_of
from ._stencil import Stencil

if TYPE_CHECKING:
    from ._of_systems import Systems  # type: ignore[import-not-found,unused-ignore]  # of a wing

_AXES = "xyz"


class Sweeps:
    """A stencil that is applied over and over. Made by `ridge.sweeps`."""

    def __init__(self, kernel: Stencil, boundary: Union[str, Mapping[str, str]],
                 levels: Optional[int], spacing: Union[float, Sequence[float]],
                 points: Optional[Sequence[int]], memory: Union[int, float, str, None] = None) -> None:
        self.kernel = kernel
        #: What lies beyond the faces, as `ridge evolve --boundary` has it.
        self.boundary = boundary
        self._spacing = spacing
        self._points = _checked_points(points, kernel.rank)
        self._source = _with_levels(kernel, levels)
        self._levels = 1 if levels is None else whole(levels, "levels")
        #: Bytes that gradients may keep states in; None: the least for one more run forwards.
        self.memory = memory
        self._gradients: dict[tuple[str, ...], Any] = {}
        self._made: dict[tuple[int, tuple[str, ...]], _core.Sweeps] = {}
        self._latest: Optional[_core.Sweeps] = None

    def __getstate__(self) -> dict[str, Any]:
        """What another process, or a copy, needs: not what this process has made."""
        return {n: v for n, v in self.__dict__.items() if n not in ("_made", "_latest", "_gradients")}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _made={}, _latest=None, _gradients={})

    def __repr__(self) -> str:
        return f"<ridge.sweeps of {self.kernel.__name__}, boundary {self.boundary}>"

    def run(self, *arrays: Any, steps: int, schedule: str = "auto", device: Optional[str] = None,
            **numbers: float) -> Any:
        """Takes so many steps from `arrays`, one for each that the kernel reads: time levels, the
        newest first, hold the result afterwards; coefficients, which follow, are only read. Returns
        the first array. Over ranks all of them call it, each with arrays of the points that are
        `mine`.

        On a GPU it returns when all is queued. Ctrl-C ends it between two steps; the arrays then
        hold what `steps_done` steps gave. Raises as a call of the kernel does, and UsageError for
        boundaries that do not fit."""
        expected = self.kernel.arrays
        if len(arrays) != len(expected):
            raise TypeError(f"{self.kernel.__name__} takes {len(expected)} arrays "
                            f"({', '.join(expected)}), not {len(arrays)}; numbers are given by name")
        names, values = self.kernel._numbers(numbers)
        rank = self.kernel.rank or len(getattr(arrays[0], "shape", (0, 0, 0)))
        self._latest = made = self._made_for(rank, names)
        made.run(arrays, values, schedule, device, steps)
        if "torch" in sys.modules:
            torch_module().changed(arrays[:self._levels])
        return arrays[0]

    def __call__(self, *arrays: Any, steps: int, schedule: str = "auto", device: Optional[str] = None,
                 **numbers: float) -> Any:
        """As run(), into new arrays: that after so many steps, or both of two time levels. Results require a
        gradient where torch's tensors among the arguments do; `memory` is for the states that this takes."""
        options: Any = {"schedule": schedule, "device": device}
        if "torch" in sys.modules and torch_module().is_asked(self.kernel.__name__, arrays, (), numbers):
            made = torch_module().swept(self, arrays, whole(steps, "steps"), options, numbers)
        else:
            made = tuple(map(_arrays.copy_of, arrays[:self._levels]))
            options.update(numbers)
            self.run(*made, *arrays[self._levels:], steps=steps, **options)
        return made if self._levels > 1 else made[0]

    @property
    def mine(self) -> tuple[slice, ...]:
        """Over ranks, what this one owns of the whole field: `whole[in_time.mine]`."""
        if not self._points:
            raise _core.UsageError(f"{self.kernel.__name__}: `mine` is of sweeps over ranks, made with "
                                   "points=, the shape of the field that they have together")
        first, end, _ = self._part()
        return tuple(slice(a, b) for a, b in zip(first, end))[len(self._points) - 1::-1]

    def _part(self) -> list[list[int]]:
        """The first point of the whole that this rank owns, the one behind the last, and the grid of ranks, x first."""
        return self._made_for(len(self._points), tuple(self.kernel.numbers or ())).part()

    @property
    def steps_done(self) -> int:
        """Of the latest run."""
        return 0 if self._latest is None else self._latest.steps()

    @property
    def record(self) -> Record:
        """Of a sweep of the latest run, or of a pass of several sweeps where the schedule has
        those. Timed on the host; not on a GPU, where a run is only queued."""
        if self._latest is None:
            raise _core.UsageError(f"{self.kernel.__name__} was not run yet")
        return records_of(self._latest.record())[0]

    def _made_for(self, rank: int, names: tuple[str, ...]) -> _core.Sweeps:
        made = self._made.get((rank, names))
        if made is None:
            made = self._made[rank, names] = self._make(rank, names)
        return made

    def _make(self, rank: int, names: tuple[str, ...]) -> _core.Sweeps:
        file = _core.keep_source(f"{self.kernel.__name__}.hpp", self._source.text)
        return _core.Sweeps(self.kernel.__name__, list(self.kernel.arrays), list(names),
                            self.kernel.rank, self._source.describe_sweeps(file, names), file,
                            _boundary_text(self.boundary, self.kernel.axes, rank), spacing_of(self._spacing, rank),
                            list(reversed(self._points)))


@overload
def sweeps(kernel: Stencil, *, boundary: Union[str, Mapping[str, str]] = "untouched",
           levels: Optional[int] = None, spacing: Union[float, Sequence[float]] = 1.0,
           points: Optional[Sequence[int]] = None, memory: Union[int, float, str, None] = None) -> Sweeps: ...


@overload
def sweeps(kernel: Chain, *, boundary: Union[str, Mapping[str, str]] = "untouched",
           spacing: Union[float, Sequence[float]] = 1.0) -> Systems: ...


def sweeps(kernel: Any, *, boundary: Union[str, Mapping[str, str]] = "untouched",
           levels: Optional[int] = None, spacing: Union[float, Sequence[float]] = 1.0,
           points: Optional[Sequence[int]] = None, memory: Union[int, float, str, None] = None) -> Any:
    """Many sweeps of a stencil that gives the next value of its first array.

        heat_in_time = ridge.sweeps(heat, boundary="periodic")
        heat_in_time.run(a, steps=1000, rate=0.1)

    `boundary` is one condition for all faces (of the axes along which the kernel reads neighbours):
    untouched, periodic, mirror, dirichlet:VALUE or neumann:VALUE; or different ones, as `ridge evolve` takes them ("x=periodic,y-=dirichlet:0",
    with x the last axis of an array), or a dict of these. `levels` is the number of time levels
    that the kernel reads: with 2, as for waves, its arrays begin with the present values and those
    of the step before. `spacing` is the distance of points, that derivatives at faces are by: one
    number, or one an axis, in the order of NumPy's shapes.

    `points` is the shape of a field that all ranks have together, each its part: what `mine` of the
    result says. A run then exchanges what the kernel reads of other ranks' points, and has the bits
    of one rank.

        heat_in_time = ridge.sweeps(heat, boundary="periodic", points=whole.shape)
        a = whole[heat_in_time.mine].copy()
        heat_in_time.run(a, steps=1000, rate=0.1)

    `in_time(a, steps=1000)` gives new arrays, and has a gradient (`ridge.grad`), which keeps states in as
    many bytes as `memory` says ("8GB").

    Of a chain, result k is the next value of array k; arrays behind these are coefficients. A result
    is what those that follow read by its name: the new value.

        @ridge.chain
        def sound(p, v, rate):
            q = p[0] - rate*(v[0] - v[-1])
            return q, v[0] - rate*(q[1] - q[0])

        ridge.sweeps(sound, boundary="periodic").run(p, v, steps=1000, rate=0.5)

    Conditions are then those of systems (`ridge evolve`): also antimirror, and "p.x-=dirichlet:0" for
    one array; beyond untouched faces all values are 0."""
    if isinstance(kernel, Chain):
        if levels is not None or points is not None or memory is not None:
            raise TypeError("ridge.sweeps: levels=, points= and memory= are for stencils")
        if not over_time:
            raise _core.UsageError("ridge.sweeps of a chain: this ridge was built without what evolves chains "
                                   "(RIDGE_WINGS)")
        return over_time[0].evolve(kernel, boundary, spacing)
    if not isinstance(kernel, Stencil):
        raise TypeError(f"ridge.sweeps takes a stencil or a chain, not {type(kernel).__name__}")
    return Sweeps(kernel, boundary, levels, spacing, points, memory)


def _checked_points(points: Optional[Sequence[int]], rank: int) -> tuple[int, ...]:
    if points is None:
        return ()
    checked = extents_of(points, "points")
    if not all(n > 0 for n in checked) or len(checked) not in ({rank} if rank else {1, 2, 3}):
        raise _core.UsageError(f"points={points}: the shape of the field that all ranks have together is "
                               f"right, {rank or '1 to 3'} positive numbers")
    ranks()
    return checked


def _boundary_text(boundary: Union[str, Mapping[str, str]], axes: Optional[str], rank: int) -> str:
    """One condition is for the faces along which there are neighbours to read."""
    if isinstance(boundary, Mapping):
        for face, condition in boundary.items():
            text_of(face, f"boundary={boundary!r}: the face", "x-")
            text_of(condition, f"boundary[{face!r}]", "periodic")
        return ",".join(f"{face}={condition}" for face, condition in boundary.items()) or "untouched"
    text_of(boundary, "boundary", "periodic")
    if "=" in boundary or boundary == "untouched":
        return boundary
    axes = _AXES[:rank] if axes is None else axes
    return ",".join(f"{axis}={boundary}" for axis in axes) or "untouched"


def _with_levels(kernel: Stencil, levels: Optional[int]) -> Source:
    """The kernel's source, with a functor that says how many time levels there are."""
    source = kernel._source
    if levels is None:
        return source
    levels = whole(levels, "levels")
    if not 1 <= levels <= len(kernel.arrays):
        raise _core.UsageError(f"levels={levels}: {kernel.__name__} reads {len(kernel.arrays)} "
                               "arrays, the first ones of which are time levels")
    name = f"levels_{unique(f'{source.text} {levels}')}"
    text = (f"{source.text}\nstruct {name} : {source.type_name} {{\n"
            f"  static constexpr int levels = {levels};\n}};\n")
    return Source(text, name, source.pattern, source.places)
