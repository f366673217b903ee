"""Which states of a run are kept to go back from: checkpoints at even distances, or, where memory holds fewer, as
`revolve` has them (A. Griewank, A. Walther, ACM Trans. Math. Softw. 26 (2000) 19), over parts of as many steps as there
are states between two of them."""

from __future__ import annotations

import math
from typing import NamedTuple, Optional


class Plan(NamedTuple):
    """`slots` checkpoints at most, `apart` steps or more from each other; of the last `apart` steps all states."""

    steps: int
    apart: int
    slots: int
    bytes: int

    @property
    def parts(self) -> int:
        return max(1, -(-self.steps // self.apart))

    @property
    def again(self) -> int:
        """Steps that are taken once more, all in all."""
        return self.apart * advances(self.parts, self.slots) - self.parts + 1


def _reach(slots: int, times: int) -> int:
    """Parts that so many checkpoints take back, each advanced over so many times at most."""
    return math.comb(slots + times, slots) if times >= 0 else 0


def _times(parts: int, slots: int) -> int:
    if slots == 1:
        return parts - 1
    times = 0
    while _reach(slots, times) < parts:
        times += 1
    return times


def advances(parts: int, slots: int) -> int:
    """The fewest advances over a part with which so many checkpoints, the first state among them, take them back."""
    if parts <= 1:
        return 0
    slots = min(slots, parts - 1)
    times = _times(parts, slots)
    return times * parts - math.comb(slots + times, times - 1)


def next_kept(parts: int, slots: int) -> int:
    """The state of the first of `parts` is kept, and takes one of so many checkpoints: how many parts further the next
    one is, or, with one alone, the last part."""
    if slots == 1 or parts <= 1:
        return parts - 1
    slots = min(slots, parts - 1)
    times = _times(parts, slots)
    return max(1, min(_reach(slots, times - 1), parts - _reach(slots - 1, times - 1)))


def planned(steps: int, memory: Optional[int], each: int, one: int, levels: int) -> tuple[Optional[Plan], int]:
    """The plan that takes the least time, and the least memory of all plans: of the steps that are taken again, and of
    the copies where a part begins, which take about a step. A checkpoint takes `each` bytes, a state between two of
    them `one`, beside the first's older levels. Without `memory`: a plan of few bytes that takes no step more than once
    again."""
    every = max(1, steps)
    found: list[Plan] = []
    least = None
    for parts in {-(-every // k) for k in range(1, every + 1)}:
        apart = -(-every // parts)
        parts = -(-every // apart)
        rest = (apart + levels - 1) * one
        fewest = min(1, parts - 1)
        least = rest + fewest * each if least is None else min(least, rest + fewest * each)
        slots = parts - 1 if memory is None or each == 0 else min(parts - 1, (memory - rest) // each)
        if slots >= fewest:
            found.append(Plan(steps, apart, slots, rest + slots * each))
    assert least is not None
    if memory is None:
        apart = math.isqrt(max(0, steps - 1)) + 1
        slots = -(-every // apart) - 1
        return Plan(steps, apart, slots, (min(apart, every) + levels - 1) * one + slots * each), least
    fitting = [p for p in found if p.bytes <= memory]
    return min(fitting, key=lambda p: (p.again + p.parts, p.slots), default=None), least
