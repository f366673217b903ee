"""Steps of a chain whose results are the next values of its arrays, with boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _core
from ._chain import Chain, OverTime, over_time
from ._extents import spacing_of
from ._kernel import Source
from ._options import numbers_of, text_of
from ._record import Record, records_of
from ._system import as_system
from ._systems import Systems as _Made

__all__ = ["Systems"]

_AXES = "xyz"


class Systems:
    """A chain that is applied over and over. Made by `ridge.sweeps`."""

    def __init__(self, kernel: Chain, boundary: Union[str, Mapping[str, str]],
                 spacing: Union[float, Sequence[float]]) -> None:
        if isinstance(kernel._system, str):
            raise _core.UsageError(kernel._system)
        self.kernel = kernel
        #: What lies beyond the faces, as `ridge evolve --boundary` has it for systems.
        self.boundary = boundary
        self._sources = kernel._system
        self._spacing = spacing_of(spacing, kernel.rank)
        self._walls = _walls(boundary, kernel.rank)
        self._made: dict[tuple[tuple[str, ...], bool], _Made] = {}
        self._latest: Optional[_Made] = None
        self._made_for(tuple(kernel.numbers or ()))  # looks at the boundary

    def __getstate__(self) -> dict[str, Any]:
        """What another process, or a copy, needs: not what this process has made."""
        return {n: v for n, v in self.__dict__.items() if n not in ("_made", "_latest")}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _made={}, _latest=None)

    def __repr__(self) -> str:
        return f"<ridge.sweeps of {self.kernel.__name__}, boundary {self.boundary}>"

    def run(self, *arrays: Any, steps: int, schedule: str = "auto", device: Optional[str] = None,
            **numbers: Union[float, Sequence[float]]) -> Any:
        """Takes so many steps from `arrays`, one for each that the chain reads: the first, one a
        result, hold the result afterwards; coefficients, which follow, are only read. Returns the
        arrays that changed, one alone as itself.

        A number may have a value for each step: a list, or an array of one dimension. The last one
        holds after its end. Each run begins with the first.

        It waits for the device. Ctrl-C ends it between two steps; the arrays then hold what
        `steps_done` steps gave. Raises as a call of the chain does, and UsageError for boundaries
        that do not fit and for lists that are empty or have a value that is not finite."""
        expected = self.kernel.arrays
        if len(arrays) != len(expected):
            raise TypeError(f"{self.kernel.__name__} takes {len(expected)} arrays "
                            f"({', '.join(expected)}), not {len(arrays)}; numbers are given by name")
        tables = {n: _table(v, f"{self.kernel.__name__}: {n}") for n, v in numbers.items() if _is_table(v)}
        plain: dict[str, Any] = {n: tables[n][0] if n in tables else v for n, v in numbers.items()}
        names, values = self.kernel._numbers(plain)
        self._latest = made = self._made_for(names, bool(tables))
        with self.kernel._explaining(arrays, schedule, device, plain):
            made.run(arrays, values, schedule, device, steps, list(tables.items()))
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

    def _made_for(self, names: tuple[str, ...], by_step: bool = False) -> _Made:
        made = self._made.get((names, by_step))
        if made is None:
            name = self.kernel.__name__
            source = self._sources[by_step]
            file = _core.keep_source(f"{name}.hpp", source.text)
            made = self._made[names, by_step] = _Made(
                name, list(self.kernel.arrays), list(names), self.kernel.rank,
                len(self.kernel.outputs), _description(source, file, names, name), file,
                self._walls, self._spacing)
        return made


def _description(source: Source, file: str, numbers: Sequence[str], name: str) -> str:
    """The text that the library compiles to learn what a system is."""
    return (
        f"#include <ridge/chain/system/on_arrays.hpp>\n#include \"{file}\"\n"
        "namespace {\n"
        "ridge::chain::SystemKernel describe(std::span<const double> numbers) {\n"
        "  struct { std::span<const double> numbers; } arguments{numbers};\n"
        f"  (void)arguments;\n{source._kernel(numbers)}"
        f"  return ridge::chain::described_system(\"{name}\", kernel, \"{file}\");\n}}\n"
        "const ridge::Offer offered(ridge::DeviceKind::cpu,\n"
        "                           typeid(ridge::chain::DescribeSystem*), &describe);\n}\n")


def _is_table(number: Any) -> bool:
    return (hasattr(number, "__len__") and not isinstance(number, (str, bytes))
            and getattr(number, "shape", None) != ())


def _table(values: Any, what: str) -> list[float]:
    """The values of a number, one a step."""
    if len(getattr(values, "shape", (0,))) != 1:
        raise TypeError(f"{what} is an array of shape {tuple(values.shape)}; a number is right, or one "
                        "for each step, an array of one dimension")
    table = numbers_of(values, what)
    if not table:
        raise _core.UsageError(f"{what} is an empty list; a number is right, or one for each step")
    return table


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


over_time.append(OverTime(as_system, Systems))
