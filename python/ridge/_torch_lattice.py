"""Fields of torch's tensors that require a gradient: sums and fields of them are recorded, and backward() works."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _torch_func
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


def array_of(tensor: Any) -> Any:
    """Its values, as an array of NumPy."""
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


def applied(operator: Any, psi: Any, links: Any = None) -> Any:
    """operator.apply(psi), which torch records by psi and by the links, the tensor that the operator was made of."""
    _torch_func.refuse(type(operator).__name__, psi, links)
    torch: Any = sys.modules["torch"]
    return _functions()[1].apply(operator, psi if isinstance(psi, torch.Tensor) else _tensor(np.array(psi)), links)


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
            found = gradients(seeds(array_of(weight)), by)
            return (None,) * 3 + tuple(None if f is None else _tensor(f.numpy()).to(device=where, dtype=kind)
                                       for f, (kind, where) in zip(found, ctx.like))

    class Applied(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, operator: Any, psi: Any, links: Any) -> Any:
            ctx.operator = operator
            ctx.like = [None if t is None else (t.dtype, t.device) for t in (psi, links)]
            if links is not None:
                ctx.save_for_backward(psi)
            return _tensor(operator.apply(array_of(psi))).to(device=psi.device)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, weight: Any) -> Any:
            w = np.ascontiguousarray(array_of(weight), dtype=np.complex128)
            found: list[Any] = [None, None]
            if ctx.needs_input_grad[1]:
                found[0] = ctx.operator.apply(w, dagger=True)
            if ctx.needs_input_grad[2]:
                psi = ctx.operator._fermion(array_of(ctx.saved_tensors[0]), "psi")
                found[1] = ctx.operator._by_links(psi, w)
            return None, *(None if f is None else _tensor(f).to(dtype=like[0], device=like[1])
                           for f, like in zip(found, ctx.like))

    return Lattice, Applied
