"""Kernels under torch.func: grad, vjp, jacrev and vmap take calls of kernels; forward mode is refused by name."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Optional

from . import _arrays


#: Torch's own is_active, once it was asked for.
transforming: Optional[Callable[[], bool]] = None


def is_active() -> bool:
    """True while a transform of torch.func is at work."""
    global transforming
    if "torch" not in sys.modules:
        return False
    transforming = _asks()[0]
    return transforming()


@functools.cache
def _asks() -> tuple[Callable[[], bool], Callable[[Any], bool]]:
    """Functions that say that transforms are active, and that one has wrapped a tensor; torch from 2.0 on has them."""
    torch: Any = sys.modules["torch"]
    active = getattr(torch._C, "_are_functorch_transforms_active", None)
    if active is None:
        return (lambda: False), (lambda _tensor: False)
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return active, lambda x: isinstance(x, torch.Tensor) and wrapped(x)


def _is_wrapped(things: Iterable[Any]) -> bool:
    return any(map(_asks()[1], things))


def refuse(name: str, *things: Any) -> None:
    """Raises TypeError, by name, for what transforms have wrapped."""
    if is_active() and _is_wrapped(things):
        raise TypeError(f"{name}: torch.func transforms calls of kernels alone (grad, vjp, jacrev, vmap); "
                        "backward() gives this gradient")


def transformed(kernel: Any, arrays: tuple[Any, ...], out: Any, options: Mapping[str, Any],
                numbers: Mapping[str, Any]) -> Any:
    """The result of a call inside a transform; NotImplemented where it is written to what no transform has."""
    torch: Any = sys.modules["torch"]
    outs = () if out is None else kernel._outputs_of(out)
    given = (*arrays, *outs, *numbers.values())
    is_followed = _is_wrapped(given) or any(getattr(x, "requires_grad", False) is True for x in given)
    if out is not None:
        if not is_followed:
            return NotImplemented
        raise TypeError(f"{kernel.__name__}: out= is written in place, which torch.func's transforms do not follow; "
                        "take the result of the call")
    if kernel._form is None and is_followed:
        raise TypeError(f"{kernel.__name__} is given as C++ text, which torch.func's transforms do not follow; kernels "
                        "of Python's functions have gradients")
    asked = [n for n, x in numbers.items() if isinstance(x, torch.Tensor)]
    values = {n: x for n, x in numbers.items() if n not in asked}
    return _function().apply(kernel, dict(options), values, asked, len(arrays), *arrays, *(numbers[n] for n in asked))


@functools.cache
def _function() -> Any:
    torch: Any = sys.modules["torch"]

    class Transformed(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(kernel: Any, options: dict[str, Any], values: dict[str, Any], asked: Sequence[str], count: int,
                    *tensors: Any) -> Any:
            scalars = dict(zip(asked, (float(_arrays.plain(x)) for x in tensors[count:])))
            return kernel(*(_arrays.plain(x).contiguous() for x in tensors[:count]), **options, **values, **scalars)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            kernel, options, values, asked, count, *tensors = inputs
            ctx.save_for_backward(*tensors)
            ctx.call = kernel, options.get("device"), values, asked, count

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            from ._torch import _gradient_of

            kernel, device, values, asked, count = ctx.call
            names = (*kernel._array_names(count), *asked)
            by = tuple(n for n, needed in zip(names, ctx.needs_input_grad[5:]) if needed)
            tensors = ctx.saved_tensors
            found = _gradient_of(kernel, by)._recorded(list(tensors[:count]), weights, device,
                                                       {**values, **dict(zip(asked, tensors[count:]))})
            return (None,) * 5 + tuple(found[n].to(x.dtype).reshape(x.shape) if n in by else None
                                       for n, x in zip(names, tensors))

        @staticmethod
        def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
            fixed, tensors, dims = inputs[:5], inputs[5:], in_dims[5:]
            made = [Transformed.apply(*fixed, *(x if d is None else x.select(d, i) for x, d in zip(tensors, dims)))
                    for i in range(info.batch_size)]
            if isinstance(made[0], tuple):
                return tuple(map(torch.stack, zip(*made))), (0,) * len(made[0])
            return torch.stack(made), 0

        @staticmethod
        def jvp(ctx: Any, *_changes: Any) -> Any:
            raise _forward_mode(ctx.call[0])

    return Transformed


def _forward_mode(kernel: Any) -> TypeError:
    return TypeError(f"{kernel.__name__}: forward mode (torch.func.jvp, jacfwd, hessian) is not there; grad, vjp, "
                     "jacrev and vmap of torch.func are")


__all__ = ["is_active", "refuse", "transformed", "transforming"]
