"""What lies beyond the ends of a rank's part of arrays: at faces of the whole that of one rank, towards other ranks
copies of their points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _arrays, _core
from ._faces import Face, Faces, at_axis
from ._ranks import ranks


class RankFaces(Faces):
    """Copies are as deep as a step back reads: what its readers read. Where an axis that is divided goes round, the
    rank at one end has layers beyond it, as one rank has, and gets them from the rank at the other end.

    `part`: the first point of the whole that this rank owns, the one behind the last, and the grid of ranks, x
    first."""

    def __init__(self, text: str, reach: Sequence[int], spacing: Sequence[float], name: str, points: Sequence[int],
                 part: Sequence[Sequence[int]]) -> None:
        super().__init__(text, reach, spacing, name)
        axes = range(len(reach))
        first, end, grid = ([numbers[d] for d in reversed(axes)] for numbers in part)
        self.owned = self._owned = tuple(b - a for a, b in zip(first, end))
        self.points = tuple(points)
        self._goes_round = [n > 1 and ends[0].kind == "periodic" for n, ends in zip(grid, self.ends)]
        #: Along each axis, at each end: the rank there, and the one to which a face that goes round leads; or -1.
        self._next, self._round = [[-1, -1] for _ in axes], [[-1, -1] for _ in axes]
        apart = 1  # of neighbours' numbers
        for d in reversed(axes):
            if grid[d] > 1:
                self._meet(d, ranks().rank // apart % grid[d], grid[d], apart)
            apart *= grid[d]
        self._messages: dict[Any, _Messages] = {}

    def _meet(self, d: int, place: int, parts: int, apart: int) -> None:
        deep, least = 2 * self.reach[d], self.points[d] // parts
        if least < deep:
            raise _core.UsageError(f"the gradient of {self.name}: along axis {d} a rank owns {least} points, and a "
                                   f"step back reads {deep} of a neighbour's; take fewer ranks")
        for side, by in enumerate((-1, 1)):
            if 0 <= place + by < parts:
                self._next[d][side] = ranks().rank + by * apart
                self.ends[d][side], self.pads[d][side] = Face("rank"), deep
            elif self._goes_round[d]:
                self._round[d][side] = ranks().rank - by * apart * (parts - 1)

    def is_local(self, d: int, side: int) -> bool:
        return self.ends[d][side].kind != "rank" and not self._goes_round[d]

    def share(self, wide: Any) -> None:
        """Gets the copies of other ranks' points."""
        for d in range(wide.ndim):
            if self._owned[d] < self.points[d]:
                self._swap(wide, d, 2 * self.reach[d], self._next[d])

    def fill_round(self, wide: Any, d: int) -> None:
        if self._goes_round[d]:
            self._swap(wide, d, self.reach[d], self._round[d])

    def fold_round(self, wide: Any, d: int) -> None:
        if self._goes_round[d]:
            self._swap(wide, d, self.reach[d], self._round[d], is_back=True)

    def _swap(self, wide: Any, d: int, deep: int, peers: Sequence[int], is_back: bool = False) -> None:
        if deep == 0:
            return
        stream = _arrays.current_stream(wide, _arrays.device_number(wide)) if _arrays.is_on_gpu(wide) else 0
        key = d, deep, tuple(wide.shape), str(wide.dtype), str(getattr(wide, "device", "")), stream
        if key not in self._messages:
            self._messages[key] = _Messages(wide, d, deep, peers)
        low, high = self.pads[d]
        end = wide.shape[d] - high
        own = [at_axis(d, slice(low, low + deep), wide.ndim), at_axis(d, slice(end - deep, end), wide.ndim)]
        beyond = [at_axis(d, slice(low - deep, low), wide.ndim), at_axis(d, slice(end, end + deep), wide.ndim)]
        self._messages[key].swap(wide, *((beyond, own) if is_back else (own, beyond)), is_back)

    # Numbers of all ranks.

    def greatest(self, mine: float) -> float:
        return _core.greatest_of_ranks(mine)

    def total(self, mine: float) -> float:
        return _core.sum_of_ranks(mine)


class _Messages:
    """Layers that ranks along an axis swap; `peers`: those before and behind, or -1."""

    def __init__(self, like: Any, axis: int, deep: int, peers: Sequence[int]) -> None:
        shape = (*like.shape[:axis], deep, *like.shape[axis + 1:])
        self._sides = [side for side in (0, 1) if peers[side] >= 0]
        self._layers = tuple(_arrays.empty(like, shape) for _ in range(4))
        self._core = _core.Messages(self._layers, *peers)

    def swap(self, array: Any, sent: Sequence[Any], received: Sequence[Any], adds: bool) -> None:
        for side in self._sides:
            self._layers[side][...] = array[sent[side]]
        self._core.run()
        for side in self._sides:
            if adds:
                array[received[side]] += self._layers[2 + side]
            else:
                array[received[side]] = self._layers[2 + side]
