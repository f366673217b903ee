"""Steps of a chain whose results are the next values of its arrays, with boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _core
from ._chain import Chain
from ._extents import spacing_of
from ._kernel import Source
from ._options import text_of
from ._record import Record, records_of

_AXES = "xyz"


class Systems:
    """A chain that is applied over and over. Made by `ridge.sweeps`."""

    def __init__(self, kernel: Chain, boundary: Union[str, Mapping[str, str]],
                 spacing: Union[float, Sequence[float]]) -> None:
        if not isinstance(kernel._system, Source):
            raise _core.UsageError(kernel._system)
        self.kernel = kernel
        #: What lies beyond the faces, as `ridge evolve --boundary` has it for systems.
        self.boundary = boundary
        self._source = kernel._system
        self._spacing = spacing_of(spacing, kernel.rank)
        self._walls = _walls(boundary, kernel.rank)
        self._made: dict[tuple[str, ...], _core.Systems] = {}
        self._latest: Optional[_core.Systems] = None
        self._made_for(tuple(kernel.numbers or ()))  # looks at the boundary

    def __getstate__(self) -> dict[str, Any]:
        """What another process, or a copy, needs: not what this process has made."""
        return {n: v for n, v in self.__dict__.items() if n not in ("_made", "_latest")}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _made={}, _latest=None)

    def __repr__(self) -> str:
        return f"<ridge.sweeps of {self.kernel.__name__}, boundary {self.boundary}>"

    def run(self, *arrays: Any, steps: int, schedule: str = "auto", device: Optional[str] = None,
            **numbers: float) -> Any:
        """Takes so many steps from `arrays`, one for each that the chain reads: the first, one a
        result, hold the result afterwards; coefficients, which follow, are only read. Returns the
        arrays that changed, one alone as itself.

        It waits for the device. Ctrl-C ends it between two steps; the arrays then hold what
        `steps_done` steps gave. Raises as a call of the chain does, and UsageError for boundaries
        that do not fit."""
        expected = self.kernel.arrays
        if len(arrays) != len(expected):
            raise TypeError(f"{self.kernel.__name__} takes {len(expected)} arrays "
                            f"({', '.join(expected)}), not {len(arrays)}; numbers are given by name")
        names, values = self.kernel._numbers(numbers)
        self._latest = made = self._made_for(names)
        with self.kernel._explaining(arrays, schedule, device, numbers):
            made.run(arrays, values, schedule, device, steps)
        states = len(self.kernel.outputs)
        return arrays[:states] if states > 1 else arrays[0]

    @property
    def steps_done(self) -> int:
        """Of the latest run."""
        return 0 if self._latest is None else self._latest.steps()

    @property
    def record(self) -> Record:
        """Of a step of the latest run, all its launches together, timed on the host."""
        if self._latest is None:
            raise _core.UsageError(f"{self.kernel.__name__} was not run yet")
        return records_of(self._latest.record())[0]

    def _made_for(self, names: tuple[str, ...]) -> _core.Systems:
        made = self._made.get(names)
        if made is None:
            name = self.kernel.__name__
            file = _core.keep_source(f"{name}.hpp", self._source.text)
            made = self._made[names] = _core.Systems(
                name, list(self.kernel.arrays), list(names), self.kernel.rank,
                len(self.kernel.outputs), self._source.describe_system(file, names, name), file,
                self._walls, self._spacing)
        return made


def _walls(boundary: Union[str, Mapping[str, str]], rank: int) -> str:
    """Faces that are not named are untouched."""
    axes = _AXES[:rank]
    if not isinstance(boundary, Mapping):
        text_of(boundary, "boundary", "periodic")
    if isinstance(boundary, Mapping):
        entries = [f"{face}={condition}" for face, condition in boundary.items()]
    elif "=" in boundary:
        entries = boundary.split(",")
    else:
        return ",".join(f"{axis}={boundary}" for axis in axes)
    named = {entry.partition("=")[0].strip() for entry in entries}
    for axis in axes:
        entries += [f"{axis}{side}=untouched" for side in "-+"
                    if axis not in named and f"{axis}{side}" not in named]
    return ",".join(entries)
