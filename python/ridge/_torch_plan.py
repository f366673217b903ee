"""Calls of stencils and chains that torch records, again and again: what they have in common is found once."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from . import _arrays
from ._grad import Gradient


class Plan:
    """A kernel and its adjoint, bound for arrays of which the same ones require a gradient."""

    def __init__(self, kernel: Any, gradient: Gradient, count: int, numbers: Mapping[str, Any]) -> None:
        self.kernel, self.gradient = kernel, gradient
        self.core, values = kernel._bind_numbers(numbers, count + len(kernel.outputs))
        self.latest = kernel._latest
        self.names = self.latest[1]
        #: Whether calls give numbers in the kernel's order, and all of them.
        self.is_in_order = tuple(numbers) == self.names
        chain, reads, weights = gradient.adjoint, gradient._reads, gradient._weights
        assert chain is not None
        own = {n: v for n, v in zip(self.names, values) if n in (chain.numbers or ())}
        made = len(gradient._made)
        self.adjoint, _ = chain._bind_numbers(own, len(reads) + len(weights) + made)
        #: Numbers of the adjoint among the kernel's; arrays and cotangents that it reads.
        self.adjoint_numbers = chain.numbers or ()
        self.picked = tuple(self.names.index(n) for n in self.adjoint_numbers)
        self.apart = gradient._apart
        self.reads, self.weights, self.made = reads, weights, made
        #: Which of the adjoint's results is the gradient by each array.
        self.places = tuple(gradient._made.index(n) if n in gradient._made else None for n in kernel.arrays)
        #: Whether the kernel, and its adjoint, write all items of their results; others are zero.
        self.is_whole = _is_whole(kernel)
        self.is_adjoint_whole = _is_whole(chain)

    def values(self, numbers: Mapping[str, Any]) -> tuple[float, ...]:
        given = numbers.values() if self.is_in_order else self.kernel._numbers(numbers)[1]
        return tuple(map(float, given))


def _is_whole(kernel: Any) -> bool:
    boxes = map(kernel._form.box, range(len(kernel.outputs)))
    return all(pair == (0, 0) for box in boxes for pair in box)


def planned(kernel: Any, arrays: Sequence[Any], schedule: str, device: Optional[str], numbers: Mapping[str, Any]) -> Any:
    """The results of a call without `out=`, which torch records; NotImplemented where the call takes the long way, which
    all calls can."""
    for x in numbers.values():
        if type(x) is not float and getattr(x, "requires_grad", False):
            return NotImplemented
    try:
        key = arrays[0].dtype, tuple([a.requires_grad for a in arrays]), tuple(numbers)
    except AttributeError:  # of no tensor
        return NotImplemented
    plan = kernel._plans.get(key, NotImplemented)
    if plan is NotImplemented:
        plan = kernel._plans[key] = _made(kernel, arrays, numbers)
    if plan is None:
        return NotImplemented
    made = _function().apply(plan, (plan.values(numbers), schedule, device), *arrays)
    kernel._latest = plan.latest
    return made


def _made(kernel: Any, arrays: Sequence[Any], numbers: Mapping[str, Any]) -> Optional[Plan]:
    from ._torch import _gradient_of

    torch: Any = sys.modules["torch"]
    if len(arrays) != len(kernel.arrays) or arrays[0].dtype not in (torch.float32, torch.float64):
        return None
    gradient = _gradient_of(kernel, tuple(n for n, a in zip(kernel.arrays, arrays) if a.requires_grad))
    if not isinstance(gradient, Gradient) or gradient.adjoint is None:
        return None
    return Plan(kernel, gradient, len(arrays), numbers)


@functools.cache
def _function() -> Any:
    torch: Any = sys.modules["torch"]
    empty_like, zeros_like, is_grad_enabled = torch.empty_like, torch.zeros_like, torch.is_grad_enabled

    class Planned(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, plan: Plan, call: Any, *arrays: Any) -> Any:
            new = empty_like if plan.is_whole else zeros_like
            outs = tuple([new(arrays[0]) for _ in plan.kernel.outputs])
            plan.core.run((*arrays, *outs), *call, True)
            if plan.reads:
                ctx.save_for_backward(*[arrays[i] for i in plan.reads])
            ctx.plan, ctx.call = plan, call
            return outs[0] if len(outs) == 1 else outs

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            plan, (values, _, device) = ctx.plan, ctx.call
            saved = ctx.saved_tensors if plan.reads else ()
            given = [w.contiguous() for w in weights]
            if is_grad_enabled():  # whose own gradient will be asked for
                found = _again(plan, saved, given, values, device)
            else:
                new = empty_like if plan.is_adjoint_whole else zeros_like
                found = tuple([new(given[0]) for _ in range(plan.made)])
                read = (*saved, *[given[k] for k in plan.weights])
                own = tuple([values[i] for i in plan.picked])
                if plan.apart is not None and plan.apart.takes(given[0], device):
                    plan.apart.run(read, found, device, dict(zip(plan.adjoint_numbers, own)))
                else:
                    plan.adjoint.run((*read, *found), own, "auto", device, True)
            return (None, None, *[None if k is None else found[k] for k in plan.places])

    return Planned


def _again(plan: Plan, saved: Sequence[Any], weights: Sequence[Any], values: Sequence[float],
           device: Optional[str]) -> tuple[Any, ...]:
    """The gradients as torch records them."""
    arrays: list[Any] = [None] * len(plan.kernel.arrays)
    for i, array in zip(plan.reads, saved):
        arrays[i] = array
    found = plan.gradient._recorded(arrays, weights, device, dict(zip(plan.names, values)))
    return tuple(found[n] for n in plan.gradient._made)
