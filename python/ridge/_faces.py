"""What lies beyond the faces of arrays over time, and its transpose: layers of wide arrays, in place."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from . import _arrays, _core

#: The farthest that one launch sets layers.
_DEEPEST = 8


@dataclass(frozen=True)
class Face:
    """One end of an axis: its condition, with the value or slope there."""

    kind: str
    value: float = 0.0

    @property
    def text(self) -> str:
        """As `ridge.sweeps` takes it."""
        return f"{self.kind}:{self.value!r}" if self.kind in ("dirichlet", "neumann") else self.kind

    def source(self, k: int, n: int) -> int:
        """The point, from the face, that point k outside of n points has its value of."""
        return {"mirror": k - 1, "periodic": n - k}.get(self.kind, k)

    def sign(self, is_field: bool) -> float:
        return -1.0 if self.kind == "dirichlet" and is_field else 1.0

    def more(self, k: int, spacing: float) -> float:
        """The part of a point k outside that comes from the face's number."""
        return {"dirichlet": 2 * self.value, "neumann": 2 * k * spacing * self.value}.get(self.kind, 0.0)


@dataclass
class _Layers:
    """Layers outside along an axis that are filled together: none has its values of another of them, and no two
    of one layer."""

    axis: int
    ghosts: list[int] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    signs: list[float] = field(default_factory=list)
    more: list[float] = field(default_factory=list)

    def takes(self, ghost: int, source: int) -> bool:
        return source not in self.ghosts and source not in self.sources and ghost not in self.sources


class _Placed:
    """Layers, by the library of an array."""

    def __init__(self, layers: _Layers, like: Any, is_field: bool) -> None:
        self.axis = layers.axis
        self.ghosts, self.sources = (_arrays.places(like, x) for x in (layers.ghosts, layers.sources))
        shape = tuple(-1 if d == self.axis else 1 for d in range(like.ndim))
        numbers = [x if is_field else [same] * len(x) for x, same in ((layers.signs, 1.0), (layers.more, 0.0))]
        self.factor, self.more = (None if set(x) == {same} else _arrays.numbers(like, x, shape)
                                  for x, same in zip(numbers, (1.0, 0.0)))

    def fill(self, array: Any) -> None:
        values = _arrays.taken(array, self.axis, self.sources)
        if self.factor is not None:
            values *= self.factor
        if self.more is not None:
            values += self.more
        _arrays.put(array, self.axis, self.ghosts, values)

    def fold(self, array: Any) -> None:
        """The transpose; layers outside keep what they have."""
        values = _arrays.taken(array, self.axis, self.ghosts)
        if self.factor is not None:
            values *= self.factor
        _arrays.add(array, self.axis, self.sources, values)


class Faces:
    """What lies beyond the faces of arrays, and its transpose. Axes are in the order of shapes; wide arrays have
    layers beyond all faces but untouched ones."""

    def __init__(self, text: str, reach: Sequence[int], spacing: Sequence[float], name: str) -> None:
        rank = len(reach)
        self.name, self.reach = name, reach
        self.spacing = [spacing[d] for d in reversed(range(rank))]
        self.ends = [[Face("untouched"), Face("untouched")] for _ in reach]
        for entry in filter(None, map(str.strip, text.split(","))):
            place, _, condition = entry.partition("=")
            if place == "untouched":
                continue
            axis = rank - 1 - "xyz".index(place[0])
            if condition != "untouched" and (axis < 0 or not reach[axis]):
                raise _core.UsageError(f"boundary {place}: {name} reads no neighbours along {place[0]}")
            for side in (0, 1) if len(place) == 1 else ("-+".index(place[1]),):
                self.ends[axis][side] = _face(condition, name)
        #: At the ends of the whole, over ranks, too.
        self.conditions = [list(ends) for ends in self.ends]
        self.pads = [[0 if end.kind == "untouched" else r for end in ends] for ends, r in zip(self.ends, reach)]
        #: Whether all that steps leave lies beyond faces.
        self.is_zero_outside = all(pads == [r, r] for pads, r in zip(self.pads, reach))
        #: Over ranks: the points of this one, and those of all.
        self.owned: Optional[tuple[int, ...]] = None
        self.points: tuple[int, ...] = ()
        self._known: dict[Any, list[list[_Placed]]] = {}
        self._cores: dict[bool, Any] = {}
        #: Whether rows within the faces begin at lines of a GPU's memory.
        self.in_lines = False

    def around(self, array: Any) -> Any:
        """A wide array of zeros for one."""
        return self.new(array, self.wide_shape(array.shape), _zeros)

    def new(self, like: Any, shape: Sequence[int], make: Callable[..., Any] = _arrays.empty) -> Any:
        """A wide array."""
        if not self.in_lines:
            return make(like, shape=tuple(shape))
        return _arrays.in_lines(like, tuple(shape), -self.pads[-1][0], make)

    def wide_bytes(self, array: Any) -> int:
        """What a wide array for one takes."""
        *rows, row = self.wide_shape(array.shape)
        if self.in_lines:
            row = _arrays.row_in_lines(array, row, -self.pads[-1][0])[1]
        return math.prod(rows) * row * _arrays.item_bytes(array)

    def require_points(self, shape: Sequence[int]) -> None:
        """Throws where no point is computed, or where both faces would lie at one."""
        for d, (n, ends) in enumerate(zip(self.points or shape, self.conditions)):
            kept = sum({"untouched": self.reach[d], "dirichlet": 1}.get(end.kind, 0) for end in ends)
            least = max(1 + kept, 2 if {end.kind for end in ends} <= {"dirichlet", "neumann"} else 1)
            if n < least:
                axis = "xyz"[len(self.reach) - 1 - d]
                raise _core.UsageError(f"the gradient of {self.name}: {n} points along {axis} leave none to compute; "
                                       f"these boundaries need at least {least}")

    def wide_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return tuple(n + sum(pads) for n, pads in zip(shape, self.pads))

    def inner(self, wide: Any) -> Any:
        """The part of a wide array that is within the faces."""
        return wide[tuple(slice(low, n - high) for n, (low, high) in zip(wide.shape, self.pads))]

    def wide(self, array: Any, is_field: bool) -> Any:
        """The array with what lies beyond its faces; where nothing does, coefficients are what they are."""
        if not (is_field or any(map(any, self.pads))):
            return array
        made = self._around_all(array)
        self.fill(made, is_field)
        return made

    def weights(self, array: Any) -> Any:
        """With nothing beyond its faces."""
        made = self._around_all(array)
        if _arrays.is_on_gpu(array):
            self.clear_outside(made)
        return made

    def _around_all(self, array: Any) -> Any:
        """A wide array with the array in it; GPUs leave what lies beyond its faces as it was."""
        make = _arrays.empty if _arrays.is_on_gpu(array) else _zeros
        made = self.new(array, self.wide_shape(array.shape), make)
        self.inner(made)[...] = array
        return made

    def fill(self, wide: Any, is_field: bool) -> None:
        """Sets what lies beyond faces, and what they fix."""
        if _arrays.is_on_gpu(wide) and self._takes_one_launch(wide.shape):
            self._in_one_launch(is_field).fill(wide)
            return
        if is_field:
            inner = self.inner(wide)
            for d in reversed(range(wide.ndim)):
                for side, end in enumerate(self.ends[d]):
                    if end.kind == "dirichlet":
                        inner[at_axis(d, -side, wide.ndim)] = end.value
        self.share(wide)
        for d, placed in reversed(list(enumerate(self._placed(wide, is_field)))):
            for layers in placed:
                layers.fill(wide)
            self.fill_round(wide, d)

    def _takes_one_launch(self, shape: Sequence[int]) -> bool:
        return self.owned is None and max(self.reach) <= _DEEPEST and all(
            n > 2 * (r + 1) + sum(pads) for n, r, pads in zip(shape, self.reach, self.pads) if r)

    def _in_one_launch(self, is_field: bool) -> Any:
        if is_field not in self._cores:
            letters = "xyz"[len(self.ends) - 1::-1]
            text = [f"{x}=periodic" if ends[0].kind == "periodic" else
                    ",".join(f"{x}{'-+'[side]}={end.text}" for side, end in enumerate(ends))
                    for x, ends in zip(letters, self.ends) if {end.kind for end in ends} != {"untouched"}]
            rx, ry, rz = (*reversed(self.reach), 0, 0)[:3]
            hx, hy, hz = (*reversed(self.spacing), 1.0, 1.0)[:3]
            self._cores[is_field] = _core.Faces(",".join(text) or "untouched", (rx, ry, rz), (hx, hy, hz), not is_field)
        return self._cores[is_field]

    def linear(self) -> Faces:
        """The same faces with numbers of 0."""
        made = copy.copy(self)
        made.ends = [[replace(end, value=0.0) for end in ends] for ends in self.ends]
        made._known, made._cores = {}, {}
        return made

    def fold(self, wide: Any, is_field: bool) -> None:
        """The transpose of `fill`, but for what faces fix."""
        for d, placed in enumerate(self._placed(wide, is_field)):
            self.fold_round(wide, d)
            for layers in reversed(placed):
                layers.fold(wide)

    def free(self, wide: Any) -> None:
        """Sets 0 where a face gives the value."""
        inner = self.inner(wide)
        for d, ends in enumerate(self.ends):
            for side, end in enumerate(ends):
                if end.kind == "dirichlet":
                    inner[at_axis(d, -side, wide.ndim)] = 0

    def clear_outside(self, wide: Any) -> None:
        for d, (low, high) in enumerate(self.pads):
            if low:
                wide[at_axis(d, slice(0, low), wide.ndim)] = 0
            if high:
                wide[at_axis(d, slice(-high, None), wide.ndim)] = 0

    def untouched(self, wide: Any) -> Iterator[Any]:
        """The points that steps leave, as parts of the array that do not overlap."""
        rest = self.inner(wide)
        for d, (ends, r) in enumerate(zip(self.ends, self.reach)):
            n = rest.shape[d]
            low, high = (r if end.kind == "untouched" else 0 for end in ends)
            low = min(low, n)
            high = min(high, n - low)
            for part in (slice(0, low), slice(n - high, n)):
                if part.start < part.stop:
                    yield rest[at_axis(d, part, wide.ndim)]
            rest = rest[at_axis(d, slice(low, n - high), wide.ndim)]

    # What is another's over ranks.

    def is_local(self, _d: int, _side: int) -> bool:
        """Whether what lies beyond an end comes of this array's own points."""
        return True

    def share(self, wide: Any) -> None:
        """Sets copies of other ranks' points."""

    def fill_round(self, wide: Any, d: int) -> None:
        """Sets what lies beyond the ends of an axis, where another rank has it."""

    def fold_round(self, wide: Any, d: int) -> None:
        """The transpose."""

    def greatest(self, mine: float) -> float:
        return mine

    def total(self, mine: float) -> float:
        return mine

    # Layers.

    def _placed(self, wide: Any, is_field: bool) -> list[list[_Placed]]:
        key = tuple(wide.shape), str(wide.dtype), str(getattr(wide, "device", "")), is_field
        if key not in self._known:
            self._known[key] = [[_Placed(layers, wide, is_field) for layers in self._layers(wide.shape, d)]
                                for d in range(wide.ndim)]
        return self._known[key]

    def _layers(self, wide: Sequence[int], d: int) -> list[_Layers]:
        """The nearest layers first."""
        found: list[_Layers] = []
        n = wide[d] - sum(self.pads[d])
        low = self.pads[d][0]
        open_ = _Layers(d)
        sides = [side for side in (1, 0) if self.is_local(d, side)]
        # Layers further out than an axis has points come from the nearer ones beyond both ends.
        for k, side in itertools.product(range(1, max(self.pads[d]) + 1), sides):
            if k > self.pads[d][side]:
                continue
            end = self.ends[d][side]
            source = end.source(k, n)
            ghost, from_ = (low - k, low + source) if side == 0 else (low + n - 1 + k, low + n - 1 - source)
            if not open_.takes(ghost, from_):
                found.append(open_)
                open_ = _Layers(d)
            open_.ghosts.append(ghost)
            open_.sources.append(from_)
            open_.signs.append(end.sign(True))
            open_.more.append(end.more(k, self.spacing[d]))
        found.append(open_)
        return [layers for layers in found if layers.ghosts]


def _zeros(like: Any, shape: tuple[int, ...]) -> Any:
    return _arrays.zeros(like, "ridge.grad", shape)


def at_axis(axis: int, i: Any, rank: int) -> tuple[Any, ...]:
    return tuple(i if d == axis else slice(None) for d in range(rank))


def _face(condition: str, name: str) -> Face:
    kind, _, value = condition.partition(":")
    try:
        return Face(kind, float(value) if value else 0.0)
    except ValueError:
        raise TypeError(f"ridge.grad: {name} has faces of {condition}; conditions with a number have gradients, "
                        "and those without") from None
