"""Gradients of sweeps: the adjoint of each step and of each face, from the last to the first.

The states that they need come from checkpoints, taken at even distances: from each the steps up to the
next are run once more, and kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _arrays, _core
from ._extents import spacing_of, whole
from ._grad import Gradient
from ._gradients import gradients_type
from ._sweeps import Sweeps, _boundary_text


@dataclass(frozen=True)
class _Face:
    """One end of an axis: its condition, with the value or slope there."""

    kind: str
    value: float = 0.0

    def source(self, k: int, n: int) -> int:
        """The point, from the face, that point k outside of n points has its value of."""
        return {"mirror": k - 1, "periodic": n - k}.get(self.kind, k)

    def sign(self, is_field: bool) -> float:
        return -1.0 if self.kind == "dirichlet" and is_field else 1.0

    def more(self, k: int, spacing: float) -> float:
        """What point k outside has besides."""
        return {"dirichlet": 2 * self.value, "neumann": 2 * k * spacing * self.value}.get(self.kind, 0.0)


class _Faces:
    """What lies beyond the faces of arrays, and its transpose. Axes are in the order of shapes."""

    def __init__(self, text: str, reach: Sequence[int], spacing: Sequence[float], name: str) -> None:
        rank = len(reach)
        self.name, self.reach = name, reach
        self.spacing = [spacing[d] for d in reversed(range(rank))]
        self.ends = [[_Face("untouched"), _Face("untouched")] for _ in reach]
        for entry in filter(None, map(str.strip, text.split(","))):
            place, _, condition = entry.partition("=")
            if place == "untouched":
                continue
            axis = rank - 1 - "xyz".index(place[0])
            for side in (0, 1) if len(place) == 1 else ("-+".index(place[1]),):
                self.ends[axis][side] = _face(condition, name)
        self.pads = [[0 if end.kind == "untouched" else r for end in ends] for ends, r in zip(self.ends, reach)]

    def wide(self, array: Any, is_field: bool) -> Any:
        """The array with what lies beyond its faces."""
        inner = self._inner(array.shape)
        made = self._around(array)
        made[inner] = array
        if is_field:
            self._set_faces(made[inner])
        for d, k, ghost, source, end in reversed(list(self._ghosts(array.shape))):
            made[ghost] = end.sign(is_field) * made[source] + (end.more(k, self.spacing[d]) if is_field else 0.0)
        return made

    def _around(self, array: Any) -> Any:
        shape = tuple(n + sum(pads) for n, pads in zip(array.shape, self.pads))
        return _arrays.zeros(array, self.name, shape)

    def weights(self, array: Any) -> Any:
        """With nothing beyond its faces."""
        made = self._around(array)
        made[self._inner(array.shape)] = array
        return made

    def folded(self, given: Any, shape: Sequence[int], is_field: bool) -> Any:
        """The transpose of `wide`."""
        for _, _, ghost, source, end in self._ghosts(shape):
            given[source] += end.sign(is_field) * given[ghost]
        found = _arrays.copy_of(given[self._inner(shape)])
        return self.free(found) if is_field else found

    def free(self, array: Any) -> Any:
        """The array with 0 where a face gives the value."""
        for d, ends in enumerate(self.ends):
            for side, end in enumerate(ends):
                if end.kind == "dirichlet":
                    array[_at(d, -side, array.ndim)] = 0
        return array

    def untouched(self, array: Any) -> Any:
        """The array, with 0 where a step computes."""
        found = _arrays.copy_of(array)
        found[tuple(slice(r if ends[0].kind == "untouched" else 0, n - r if ends[1].kind == "untouched" else n)
                    for r, ends, n in zip(self.reach, self.ends, array.shape))] = 0
        return found

    def _set_faces(self, array: Any) -> None:
        for d in reversed(range(array.ndim)):
            for side, end in enumerate(self.ends[d]):
                if end.kind == "dirichlet":
                    array[_at(d, -side, array.ndim)] = end.value

    def _inner(self, shape: Sequence[int]) -> tuple[slice, ...]:
        return tuple(slice(low, low + n) for n, (low, _) in zip(shape, self.pads))

    def _ghosts(self, shape: Sequence[int]) -> Any:
        """Layers outside and what they come from, the first axes and the farthest first."""
        for d, n in enumerate(shape):
            low = self.pads[d][0]
            for side in (0, 1):
                end = self.ends[d][side]
                for k in range(self.pads[d][side], 0, -1):
                    source = end.source(k, n)
                    ghost, from_ = (low - k, low + source) if side == 0 else (low + n - 1 + k, low + n - 1 - source)
                    yield d, k, _at(d, ghost, len(shape)), _at(d, from_, len(shape)), end


def _at(axis: int, i: int, rank: int) -> tuple[Any, ...]:
    return tuple(i if d == axis else slice(None) for d in range(rank))


def _face(condition: str, name: str) -> _Face:
    kind, _, value = condition.partition(":")
    try:
        return _Face(kind, float(value) if value else 0.0)
    except ValueError:
        raise TypeError(f"ridge.grad: {name} has faces of {condition}; conditions with a number have gradients, "
                        "and those without") from None


class SweepsGradient:
    """The gradient of many sweeps. Made by `ridge.grad`."""

    def __init__(self, in_time: Sweeps, by: Optional[Sequence[str]], memory: Union[int, float, str, None]) -> None:
        self.in_time = in_time
        kernel = in_time.kernel
        if in_time._points:
            raise TypeError(f"ridge.grad: sweeps of {kernel.__name__} are over ranks (points=); those of one process "
                            "have gradients")
        self.levels = in_time._levels
        states = kernel.arrays[:self.levels]
        everything = Gradient(kernel, None, None).by
        asked = list(everything) if by is None else list(dict.fromkeys(by))
        #: Arrays and numbers that it is the gradient by: arrays before the first step.
        self.by = tuple(asked)
        self._step = Gradient(kernel, list(dict.fromkeys(
            [*(n for n in states if n in everything), *(n for n in asked if n not in states)])), None)
        reach = [low for low, _ in self._step._boxes[0]]
        self._faces = _Faces(_boundary_text(in_time.boundary, kernel.axes, kernel.rank), reach,
                             spacing_of(in_time._spacing, kernel.rank), kernel.__name__)
        given = in_time.memory if memory is None else memory
        self._memory = None if given is None else bytes_of(given)
        #: What the latest call kept: so many `checkpoints`, `apart` steps from each other, `states` between two
        #: of them, in `bytes` at most together; and how many steps it computed `again`.
        self.plan: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<ridge.grad of {self.in_time!r} by {', '.join(self.by)}>"

    def __call__(self, *arrays: Any, steps: int, schedule: str = "auto", device: Optional[str] = None,
                 **numbers: float) -> Any:
        """The gradients of the sum of cotangent*(arrays after so many steps): takes the arrays of a run,
        which it leaves as they are, and the cotangent; of two time levels a tuple of cotangents, one a
        level. Returns a named tuple by `by`. Raises UsageError where `memory` holds too few states."""
        kernel = self.in_time.kernel
        if len(arrays) != len(kernel.arrays) + 1:
            raise TypeError(f"the gradient of {kernel.__name__} takes {len(kernel.arrays) + 1} arrays "
                            f"({', '.join(kernel.arrays)} and the cotangent), not {len(arrays)}")
        given = tuple(map(_arrays.plain, arrays[:-1]))
        weights = arrays[-1] if isinstance(arrays[-1], (tuple, list)) else (arrays[-1],)
        if len(weights) != self.levels:
            raise TypeError(f"the gradient of {kernel.__name__}: the cotangent is a tuple of {self.levels} arrays")
        steps = whole(steps, "steps")
        values = dict(zip(*kernel._numbers(numbers)))
        options = {"schedule": schedule, "device": device}
        saved = self._checkpoints(given, steps, options, values)
        found = self._back_to_first(saved, given[self.levels:], list(map(_arrays.plain, weights)), steps, options,
                                    values)
        return gradients_type(kernel.__name__, self.by)(**found)

    def _checkpoints(self, given: Sequence[Any], steps: int, options: Mapping[str, Any],
                     values: Mapping[str, Any]) -> list[list[Any]]:
        """The state before the first step, and others at even distances."""
        each = sum(int(math.prod(a.shape)) * _item_bytes(a) for a in given[:self.levels])
        apart = self._apart(steps, each)
        saved = [[_arrays.copy_of(a) for a in given[:self.levels]]]
        for _ in range(apart, steps, apart):
            saved.append(self._after(saved[-1], given[self.levels:], apart, options, values))
        self.plan = {"checkpoints": len(saved), "states": min(apart, steps), "again": steps - len(saved),
                     "bytes": (len(saved) - 1 + min(apart, steps)) * each, "apart": apart}
        return saved

    def _back_to_first(self, saved: list[list[Any]], coefficients: Sequence[Any], weights: list[Any], steps: int,
                       options: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients by name, from the checkpoints, which are used up."""
        kernel, faces = self.in_time.kernel, self._faces
        apart = self.plan["apart"]
        if steps:
            weights = [faces.free(_arrays.copy_of(w)) for w in weights]
        found: dict[str, Any] = {}
        for first in reversed(range(0, steps, apart)):
            states = [saved.pop()]
            for _ in range(min(apart, steps - first) - 1):
                states.append(self._after(states[-1], coefficients, 1, options, values))
            while states:
                weights = self._back(states.pop(), coefficients, weights, options["device"], values, found)
        by_states = dict(zip(kernel.arrays, weights))
        return {n: by_states[n] if n in by_states else self._nothing(n, coefficients) if n not in found else found[n]
                for n in self.by}

    def _nothing(self, name: str, coefficients: Sequence[Any]) -> Any:
        """The gradient by what no step has used."""
        arrays = self.in_time.kernel.arrays
        if name not in arrays:
            return 0.0
        return _arrays.zeros(coefficients[arrays.index(name) - self.levels], name)

    def _apart(self, steps: int, each: int) -> int:
        """Steps from one checkpoint to the next."""
        if self._memory is None:
            return math.isqrt(max(0, steps - 1)) + 1
        if steps * each <= self._memory:
            return max(1, steps)
        slots = self._memory // each
        for apart in range(1, steps + 1):
            if -(-steps // apart) - 1 + apart <= slots:
                return apart
        least = min(-(-steps // a) - 1 + a for a in range(1, steps + 1))
        raise _core.UsageError(f"the gradient of {self.in_time.kernel.__name__}: {steps} steps need the memory of "
                               f"{least} states of {each} bytes, {least * each} in all; memory= is {self._memory}")

    def _after(self, state: Sequence[Any], coefficients: Sequence[Any], steps: int, options: Mapping[str, Any],
               values: Mapping[str, Any]) -> list[Any]:
        """The state so many steps later."""
        made = [_arrays.copy_of(a) for a in state]
        self.in_time.run(*made, *coefficients, steps=steps, **options, **values)
        return made

    def _back(self, state: Sequence[Any], coefficients: Sequence[Any], weights: list[Any], device: Optional[str],
              values: Mapping[str, Any], found: dict[str, Any]) -> list[Any]:
        """What the arrays before a step are weighted with, from those after it."""
        kernel, faces = self.in_time.kernel, self._faces
        shape = weights[0].shape
        wide: list[Any] = [None] * len(kernel.arrays)
        for i in self._step._reads:
            array = state[i] if i < self.levels else coefficients[i - self.levels]
            wide[i] = faces.wide(array, i < self.levels)
        changes = self._step._by_name(wide, [faces.weights(weights[0])], device, values)
        before = [faces.untouched(weights[0]), *(_arrays.zeros(w, kernel.__name__) for w in weights[1:])]
        for k in range(self.levels - 1):
            before[k] = before[k] + weights[k + 1]  # what the next step has for the one before
        for name, change in changes.items():
            if name in kernel.arrays:
                k = kernel.arrays.index(name)
                change = faces.folded(change, shape, k < self.levels)
                if k < self.levels:
                    before[k] = before[k] + change
                    continue
            found[name] = found[name] + change if name in found else change
        return [faces.free(b) for b in before]


def _item_bytes(array: Any) -> int:
    return int(array.element_size() if hasattr(array, "element_size") else array.itemsize)


def bytes_of(memory: Union[int, float, str]) -> int:
    """Bytes, from a number of them or a text such as "8GB" or "500MB"."""
    units = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "B": 1}
    if isinstance(memory, str):
        for unit, size in units.items():
            if memory.upper().endswith(unit):
                try:
                    return int(float(memory[:-len(unit)]) * size)
                except ValueError:
                    break
    elif not isinstance(memory, bool) and memory > 0:
        return int(memory)
    raise TypeError(f"memory={memory!r}: a number of bytes is right, or a text such as '8GB'")
