"""Kernels in torch's graphs of gradients: results of tensors that require one do, and backward() works."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from . import _arrays, _core, _torch_func
from ._grad_sweeps import SweepsGradient
from ._torch_plan import planned


def requires_gradient(x: Any) -> bool:
    return getattr(x, "requires_grad", False) is True and _arrays.library_of(x) == "torch"


def is_asked(name: str, arrays: Sequence[Any], outs: Sequence[Any], numbers: Mapping[str, Any]) -> bool:
    """True where an argument of a call requires a gradient. Refuses what torch.func has wrapped."""
    _torch_func.refuse(name, *arrays, *outs, *numbers.values())
    return any(map(requires_gradient, (*arrays, *outs, *numbers.values())))


@functools.cache
def _increment() -> tuple[Any, Callable[[Any], None], Optional[Callable[[Sequence[Any]], None]]]:
    """Torch's type of tensors, what tells it that one was written to, and what tells it of several, where it has that."""
    torch: Any = sys.modules["torch"]
    known = getattr(torch.autograd.graph, "increment_version", None)
    several: Any = getattr(torch._C, "_increment_version", None)
    try:
        several((torch.empty(0),))
    except Exception:  # noqa: BLE001  # whatever versions that have none, or for one alone, raise
        several = None
    if several is not None:
        _core.tell_versions(torch.Tensor, several)
    return torch.Tensor, known or (lambda out: out.detach().reshape(-1)[:0].zero_()), several


def changed(outs: Sequence[Any]) -> None:
    """Says to torch that tensors were written to, as its graphs may have kept them for later."""
    tensor, increment, several = _increment()
    if several is not None and isinstance(outs[0], tensor):
        try:
            return several(outs)
        except (RuntimeError, TypeError):  # one has no versions, or is of another library
            pass
    for out in outs:
        if isinstance(out, tensor) and not out.is_inference():
            increment(out)


def recorded(kernel: Any, arrays: tuple[Any, ...], out: Any, schedule: str, device: Optional[str],
             numbers: Mapping[str, Any]) -> Any:
    """A call some of whose arguments require a gradient, as the kernel's own."""
    if kernel._form is None:
        raise _not_computed(kernel, _first_asked(kernel, arrays, out))
    if out is None and sys.modules["torch"].is_grad_enabled():
        made = planned(kernel, arrays, schedule, device, numbers)
        if made is not NotImplemented:
            return made
    outs = None if out is None else kernel._outputs_of(out)
    made = called(kernel, arrays, outs, {"schedule": schedule, "device": device}, dict(numbers))
    return out if out is not None else made if len(made) > 1 else made[0]


def _not_computed(kernel: Any, name: str) -> TypeError:
    return TypeError(f"{kernel.__name__}: {name} requires a gradient, which ridge does not compute; pass x.detach()")


def _first_asked(kernel: Any, arrays: tuple[Any, ...], out: Any) -> str:
    outs = () if out is None else kernel._outputs_of(out)
    names = (*kernel._array_names(len(arrays)), *kernel.outputs)
    return next((n for n, a in zip(names, (*arrays, *outs)) if requires_gradient(a)), "a number")


def called(kernel: Any, arrays: tuple[Any, ...], outs: Optional[tuple[Any, ...]], options: dict[str, Any],
           numbers: dict[str, Any]) -> Any:
    """A call of the kernel that torch records, where it records: the results, as a tuple."""
    torch: Any = sys.modules.get("torch")
    values = _values(numbers)
    names = kernel._array_names(len(arrays))
    records = torch is not None and torch.is_grad_enabled()
    for name, array in zip(names, arrays):
        asks = getattr(array, "requires_grad", False) is True and (torch is None or records)
        if asks and not requires_gradient(array):
            raise _not_computed(kernel, name)  # of another library than torch
    if not records:
        return _run(kernel, list(map(_arrays.plain, arrays)), outs, options, values)
    by = [n for n, a in zip(names, arrays) if requires_gradient(a)]
    by += [n for n, x in numbers.items() if requires_gradient(x)]
    if outs is not None and any(map(requires_gradient, outs)):
        by.append("out")
    gradient = _gradient_of(kernel, tuple(by))
    asked = [n for n, x in numbers.items() if requires_gradient(x)]
    found = _functions()[0].apply(kernel, gradient, options, values, asked, len(arrays), *arrays,
                              *(numbers[n] for n in asked), *(outs or ()))
    return found if isinstance(found, tuple) else (found,)


def _gradient_of(kernel: Any, by: tuple[str, ...]) -> Any:
    """Kept, as it is compiled when first used; refuses what has none."""
    known = kernel._gradients
    if by not in known:
        known[by] = kernel._gradient_by(by)
    return known[by]


def _values(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of a call, without what torch records of them; lengths of a box stay as they are."""
    return {n: x if n == "box" else float(_arrays.plain(x)) for n, x in numbers.items()}


def _run(kernel: Any, arrays: Sequence[Any], outs: Optional[Sequence[Any]], options: Mapping[str, Any],
         values: Mapping[str, float]) -> tuple[Any, ...]:
    if outs is None:
        made = kernel(*arrays, **options, **values)
        return made if isinstance(made, tuple) else (made,)
    plain = tuple(map(_arrays.plain, outs))
    kernel(*arrays, out=plain[0] if len(plain) == 1 else plain, **options, **values)
    return tuple(outs)


def swept(in_time: Any, arrays: tuple[Any, ...], steps: int, options: dict[str, Any],
          numbers: dict[str, Any]) -> tuple[Any, ...]:
    """The arrays after so many sweeps, which torch records, where it records."""
    torch: Any = sys.modules["torch"]
    values = dict(zip(*in_time.kernel._numbers(_values(numbers))))  # backwards, too, those that are not given
    if not torch.is_grad_enabled():
        made = in_time(*map(_arrays.plain, arrays), steps=steps, **options, **values)
        return made if isinstance(made, tuple) else (made,)
    asked = [n for n, x in numbers.items() if requires_gradient(x)]
    by = tuple([n for n, a in zip(in_time.kernel.arrays, arrays) if requires_gradient(a)] + asked)
    if by not in in_time._gradients:
        in_time._gradients[by] = SweepsGradient(in_time, by, None)
    found = _functions()[1].apply(in_time._gradients[by], options, values, steps, asked, len(arrays), *arrays,
                                  *(numbers[n] for n in asked))
    return found if isinstance(found, tuple) else (found,)


@functools.cache
def _functions() -> tuple[Any, Any]:
    """The classes by which torch calls a kernel, or sweeps of it, and gradients; made when torch is there."""
    torch: Any = sys.modules["torch"]

    class Swept(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, gradient: SweepsGradient, options: dict[str, Any], values: dict[str, float], steps: int,
                    asked: list[str], count: int, *tensors: Any) -> Any:
            arrays = list(map(_arrays.plain, tensors[:count]))
            levels = gradient.levels
            ctx.save_for_backward(*tensors[levels:])
            ctx.kept, results = gradient._forward(arrays, steps, options, values, True)
            ctx.call = gradient, options, values, asked
            return results[0] if len(results) == 1 else tuple(results)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, *weights: Any) -> Any:
            gradient, options, values, asked = ctx.call
            others = list(map(_arrays.plain, ctx.saved_tensors))
            names = gradient.in_time.kernel.arrays
            count = len(names) - gradient.levels
            found = gradient._back_to_first(ctx.kept, others[:count], [w.contiguous() for w in weights], options,
                                            values)
            by_numbers = [torch.as_tensor(found[n], dtype=s.dtype, device=s.device).reshape(s.shape)
                          for n, s in zip(asked, others[count:])]
            return (None,) * 6 + (*(found.get(n) for n in names), *by_numbers)

    class Called(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, kernel: Any, gradient: Any, options: dict[str, Any],
                    values: dict[str, Any], asked: list[str], count: int, *tensors: Any) -> Any:
            arrays, scalars = tensors[:count], tensors[count:count + len(asked)]
            outs = tensors[count + len(asked):]
            if outs:
                ctx.mark_dirty(*outs)
            results = _run(kernel, list(map(_arrays.plain, arrays)), outs or None, options, values)
            ctx.save_for_backward(*(arrays[i] for i in gradient._reads_of(count)), *scalars)
            ctx.call = kernel, gradient, options.get("device"), values, asked, count, len(outs)
            ctx.types = [a.dtype for a in arrays]
            return results[0] if len(results) == 1 else results

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            kernel, gradient, device, values, asked, count, outs = ctx.call
            arrays: list[Any] = [None] * count
            reads = gradient._reads_of(count)
            for i, array in zip(reads, ctx.saved_tensors):
                arrays[i] = array
            scalars = ctx.saved_tensors[len(reads):]
            given = [w.contiguous() for w in weights]
            if torch.is_grad_enabled():  # whose own gradient will be asked for
                found = gradient._recorded(arrays, given, device, {**values, **dict(zip(asked, scalars))})
            else:
                found = gradient._by_name(arrays, given, device, values)
            by_arrays = [found[n].to(t) if n in found else None
                         for n, t in zip(kernel._array_names(count), ctx.types)]
            by_numbers = [torch.as_tensor(found[n], dtype=s.dtype, device=s.device).reshape(s.shape)
                          for n, s in zip(asked, scalars)]
            by_outs = found["out"] if "out" in found else None
            several = by_outs if isinstance(by_outs, tuple) else (by_outs,) * outs
            return (None,) * 6 + (*by_arrays, *by_numbers, *several)

    return Called, Swept
