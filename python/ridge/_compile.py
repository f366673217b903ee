"""Kernels as operators of torch, which torch.compile keeps whole: ridge::call and ridge::gradient.

A call names its kernel by a text, which compiled graphs keep. Torch from 2.4 on has what this needs.
"""

from __future__ import annotations

import functools
import itertools
import sys
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from . import _arrays

_kernels: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_order = itertools.count()


def key_of(kernel: Any) -> str:
    """By which operators find a kernel of this process."""
    key = f"{kernel.__name__} {next(_order)}"
    _kernels[key] = kernel
    if "torch" in sys.modules:
        register()
    return key


def compiled(kernel: Any, arrays: Sequence[Any], out: Any, schedule: str, device: Optional[str],
             numbers: Mapping[str, Any]) -> Any:
    """A call that torch.compile looks at: nothing here but what it follows."""
    torch: Any = sys.modules["torch"]
    several = len(kernel.outputs) > 1
    outs = [] if out is None else list(out) if several else [out]
    names, values, tensors, scalars = [], [], [], []
    for name, x in numbers.items():
        if isinstance(x, torch.Tensor):
            tensors.append(name)
            scalars.append(x)
        elif name == "box":
            for axis, length in zip("xyz", x if isinstance(x, (tuple, list)) else (x, x, x)):
                names.append("box " + axis)
                values.append(0.0 if length is None else float(length))
        else:
            names.append(name)
            values.append(float(x))
    made = torch.ops.ridge.call(list(arrays), outs, scalars, values, kernel._key, ",".join(names + tensors), schedule,
                                device or "")
    for mine, result in zip(outs, made):
        mine.copy_(result)
    return out if out is not None else tuple(made) if several else made[0]


def _numbers_of(scalars: Sequence[Any], values: Sequence[float], names: str) -> dict[str, Any]:
    given = list(values) + [float(_arrays.plain(x)) for x in scalars]
    found: dict[str, Any] = dict(zip(filter(None, names.split(",")), given))
    box = [found.pop(f"box {axis}") for axis in "xyz" if f"box {axis}" in found]
    return {**found, "box": tuple(x or None for x in box)} if box else found


def _kernel_of(key: str) -> Any:
    found = _kernels.get(key)
    if found is None:
        raise RuntimeError(f"ridge: the kernel {key.rpartition(' ')[0]} that torch.compile saw is gone; keep it as "
                           "long as what was compiled")
    return found


@functools.cache
def register() -> bool:
    """Makes the operators, where torch can; whether it did."""
    torch: Any = sys.modules["torch"]
    if not hasattr(getattr(torch, "library", None), "register_autograd"):
        return False
    library = torch.library
    call = library.custom_op(
        "ridge::call", _call, mutates_args=(),
        schema="(Tensor[] arrays, Tensor[] befores, Tensor[] scalars, float[] values, str kernel, str names, "
               "str schedule, str device) -> Tensor[]")
    call.register_fake(_call_of_none)
    call.register_autograd(_backward, setup_context=_kept)
    gradient = library.custom_op(
        "ridge::gradient", _gradient, mutates_args=(),
        schema="(Tensor[] arrays, Tensor[] weights, Tensor[] scalars, float[] values, str kernel, str names, str by, "
               "int count, str device) -> Tensor[]")
    gradient.register_fake(_gradient_of_none)
    return True


def _call(arrays: Any, befores: Any, scalars: Any, values: Any, kernel: str, names: str, schedule: str,
          device: str) -> Any:
    outs = [b.clone() for b in befores]
    out = {} if not outs else {"out": outs[0] if len(outs) == 1 else tuple(outs)}
    made = _kernel_of(kernel)(*map(_arrays.plain, arrays), **out, schedule=schedule, device=device or None,
                              **_numbers_of(scalars, values, names))
    return list(made) if isinstance(made, tuple) else [made]


def _call_of_none(arrays: Any, befores: Any, scalars: Any, values: Any, kernel: str, names: str, schedule: str,
                  device: str) -> Any:
    one = _kernel_of(kernel)
    shape = one._result_shape(arrays)
    return [arrays[0].new_empty(shape) for _ in one.outputs]


def _kept(ctx: Any, inputs: Any, output: Any) -> None:
    """Refuses what has no derivative, and keeps what the gradient reads."""
    from . import _torch

    arrays, befores, scalars, values, key, names, _, device = inputs
    kernel = _kernel_of(key)
    ends = kernel._array_names(len(arrays))
    tensors = names.split(",")[len(values):]
    by = [n for n, a in zip((*ends, *tensors), (*arrays, *scalars)) if a.requires_grad]
    by += ["out"] * any(b.requires_grad for b in befores)
    gradient = _torch._gradient_of(kernel, tuple(by))
    reads = gradient._reads_of(len(arrays))
    ctx.save_for_backward(*(arrays[i] for i in reads), *scalars)
    ctx.call = values, key, names, ",".join(by), device, len(reads), ends, tensors
    ctx.types = [a.dtype for a in arrays], [(x.dtype, x.device, x.shape) for x in scalars], len(befores)


def _backward(ctx: Any, weights: Any) -> Any:
    torch: Any = sys.modules["torch"]
    values, key, names, by, device, reads, ends, tensors = ctx.call
    types, scalars, befores = ctx.types
    found = torch.ops.ridge.gradient(list(ctx.saved_tensors[:reads]), [w.contiguous() for w in weights],
                                     list(ctx.saved_tensors[reads:]), values, key, names, by, len(ends), device)
    asked = by.split(",")
    mine = dict(zip((n for n in asked if n != "out"), found))
    by_outs = found[len(mine):] if "out" in asked else [None] * befores
    return ([mine[n].to(t) if n in mine else None for n, t in zip(ends, types)], list(by_outs),
            [mine[n].to(t).to(d).reshape(s) if n in mine else None for n, (t, d, s) in zip(tensors, scalars)],
            None if values else [], None, None, None, None)


def _gradient(arrays: Any, weights: Any, scalars: Any, values: Any, kernel: str, names: str, by: str, count: int,
              device: str) -> Any:
    from . import _torch

    torch: Any = sys.modules["torch"]
    asked = by.split(",")
    gradient = _torch._gradient_of(_kernel_of(kernel), tuple(asked))
    given: list[Any] = [None] * count
    for i, array in zip(gradient._reads_of(count), arrays):
        given[i] = _arrays.plain(array)
    found = gradient._by_name(given, list(map(_arrays.plain, weights)), device or None,
                              _numbers_of(scalars, values, names))
    results = [torch.as_tensor(found[n], dtype=torch.float64).cpu() if isinstance(found[n], float) else found[n].clone()
               for n in asked if n != "out"]
    outs = found.get("out", torch.zeros_like(weights[0]))
    return results + (list(outs) if isinstance(outs, tuple) else [outs]) * ("out" in asked)


def _gradient_of_none(arrays: Any, weights: Any, scalars: Any, values: Any, kernel: str, names: str, by: str,
                      count: int, device: str) -> Any:
    from . import _torch

    torch: Any = sys.modules["torch"]
    one = _kernel_of(kernel)
    asked = by.split(",")
    ends = one._array_names(count)
    reads = _torch._gradient_of(one, tuple(asked))._reads_of(count)
    given = {ends[i]: a for i, a in zip(reads, arrays)}
    wide = torch.float32 if weights[0].dtype in (torch.float16, torch.bfloat16) else weights[0].dtype
    found = [torch.empty((), dtype=torch.float64) if n not in ends else
             weights[0].new_empty(given[n].shape if n in given else weights[0].shape, dtype=wide)
             for n in asked if n != "out"]
    return found + [w.new_empty(w.shape, dtype=wide) for w in weights] * ("out" in asked)
