"""Fields of torch's tensors that require a gradient: sums and fields of them are recorded, and backward() works."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._watched import gradients

if TYPE_CHECKING:
    from ._watched import Seed
    from .lattice import Field


def recorded(value: Any, by: Sequence[Field], seeds: Callable[[Any], list[Seed]]) -> Any:
    """A tensor of a value that is made of fields; `seeds` are what it hands on of its gradient, an array of NumPy."""
    return _functions()[0].apply(value, by, seeds, *(f._watched.tensor for f in by))


def of_field(x: Field) -> Any:
    """A tensor of its values."""
    return _tensor(x.numpy())


def _array(tensor: Any) -> Any:
    return _arrays.on_host(tensor.resolve_conj().resolve_neg())


def _tensor(value: Any) -> Any:
    if "torch" not in sys.modules:
        raise TypeError("torch() gives a tensor of torch, which is not imported here; numpy() gives an array")
    torch: Any = sys.modules["torch"]
    if isinstance(value, np.ndarray):
        return torch.from_dlpack(value)
    if isinstance(value, torch.Tensor):
        return value.clone()
    return torch.tensor(value, dtype=torch.complex128 if isinstance(value, complex) else torch.float64)


def applied(operator: Any, psi: Any) -> Any:
    """operator.apply(psi), which torch records."""
    return _functions()[1].apply(operator, psi)


@functools.cache
def _functions() -> tuple[Any, Any]:
    torch: Any = sys.modules["torch"]

    class Lattice(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, value: Any, by: Sequence[Field], seeds: Any, *tensors: Any) -> Any:
            ctx.call = by, seeds
            ctx.like = [(t.dtype, t.device) for t in tensors]
            return _tensor(value)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, weight: Any) -> Any:
            by, seeds = ctx.call
            found = gradients(seeds(_array(weight)), by)
            return (None,) * 3 + tuple(None if f is None else _tensor(f.numpy()).to(device=where, dtype=kind)
                                       for f, (kind, where) in zip(found, ctx.like))

    class Applied(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, operator: Any, psi: Any) -> Any:
            ctx.call = operator, psi.dtype, psi.device
            return _tensor(operator.apply(_array(psi))).to(device=psi.device)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, weight: Any) -> Any:
            operator, kind, where = ctx.call
            return None, _tensor(operator.apply(_array(weight), dagger=True)).to(device=where, dtype=kind)

    return Lattice, Applied
