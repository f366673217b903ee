"""The gradient of gravity, over all pairs: as that of an interaction."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn, Optional

from . import _trace
from ._bodies import gravity
from ._grad_pairs import PairsGradient
from ._pairs import Pairs, pairs
from ._record import Records


@functools.cache
def _interaction() -> Pairs:
    """What one body adds to the acceleration and the potential of another."""

    def gravity(t: Any, s: Any, softening: float = 0.0) -> list[Any]:  # noqa: F811  # the name records have
        d = [s[i] - t[i] for i in range(3)]
        w = _trace.rsqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening)
        field = s[3] * w * (w * w)
        return [*(field * x for x in d), -s[3] * w]

    return pairs(targets=3, sources=4, sums=4)(gravity)


def refuse_tree() -> NoReturn:
    raise TypeError("gravity: sums by a tree have no derivative; theta=0 sums over all pairs, and has one")


class GravityGradient(PairsGradient):
    """The gradient of `ridge.gravity` over all pairs. Made by `ridge.grad`."""

    def __init__(self, by: Optional[Sequence[str]]) -> None:
        super().__init__(_interaction(), ("bodies",) if by is None else by)

    def __call__(self, bodies: Any, cotangent: Any, *, theta: Optional[float] = None,  # type: ignore[override]
                 softening: float = 0.0, out: Any = None, device: Optional[str] = None) -> Any:
        """The gradients of the sum of gravity(bodies, theta=0)*cotangent, whose shape is (4, bodies)."""
        _check(theta)
        return super().__call__(bodies, cotangent, out=out, device=device, softening=softening)

    def measure_all(self, bodies: Any, cotangent: Any, *, theta: Optional[float] = None,  # type: ignore[override]
                    schedule: str = "all", device: Optional[str] = None, repeat: int = 15, check: bool = True,
                    softening: float = 0.0) -> Records:
        """Times launches of the adjoint, as `measure_all` of any kernel does."""
        _check(theta)
        return super().measure_all(bodies, cotangent, schedule=schedule, device=device, repeat=repeat, check=check,
                                   softening=softening)

    def test(self, bodies: Any, *, theta: float = 0, device: Optional[str] = None,  # type: ignore[override]
             softening: float = 0.0) -> dict[str, Any]:
        """Whether the gradient is one."""
        _check(theta)
        return super().test(bodies, device=device, softening=softening)


def _check(theta: Optional[float]) -> None:
    if theta != 0:
        refuse_tree()


class Gravity:
    """Gravity over all pairs, as torch calls a kernel and its gradient."""

    __name__ = "gravity"

    def __init__(self) -> None:
        self._gradients: dict[tuple[str, ...], Any] = {}

    def _array_names(self, _count: int) -> tuple[str, ...]:
        return ("bodies",)

    def _gradient_by(self, by: Sequence[str]) -> PairsGradient:
        return PairsGradient(_interaction(), by)

    def __call__(self, bodies: Any, *, out: Any = None, schedule: str = "auto", device: Optional[str] = None,
                 softening: float = 0.0) -> Any:
        return gravity(bodies, theta=0, softening=softening, out=out, device=device)


all_pairs = Gravity()


def recorded(bodies: Any, theta: Optional[float], error: Optional[float], softening: Any, out: Any,
             device: Optional[str]) -> Any:
    """A call that torch records."""
    from . import _torch

    if theta != 0 or error is not None:
        refuse_tree()
    outs = None if out is None else (out,)
    return _torch.called(all_pairs, (bodies,), outs, {"device": device}, {"softening": softening})[0]


__all__ = ["GravityGradient", "all_pairs", "recorded"]
