"""Kernels in functions that JAX compiles, differentiates and maps: arrays go by the host."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from ._kernel import Kernel, require_kernel


def call(kernel: Kernel, *, schedule: str = "auto", device: Optional[str] = None) -> Callable[..., Any]:
    """The kernel as a function of JAX: `ridge.jax.call(step)(p, q, c2, dt=0.1)`.

    It takes what the kernel takes and returns new arrays, a tuple of several results, within `jax.jit`, `jax.grad`
    and `jax.vmap`, too, by `jax.pure_callback`. Numbers may be scalars of JAX, which have gradients, too. `device` is
    the host's, cpu or simt. Raises ImportError without JAX, TypeError, by name, where a gradient is asked for by what
    has none."""
    require_kernel(kernel, "jax.call")
    jax = importlib.import_module("jax")

    def called(*arrays: Any, **numbers: Any) -> Any:
        traced = {n: jax.numpy.asarray(x) for n, x in numbers.items() if isinstance(x, jax.Array)}
        fixed = {n: x for n, x in numbers.items() if n not in traced}
        options = {"schedule": schedule, "device": device}
        return _function(jax, kernel, fixed, options, tuple(traced))(
            tuple(map(jax.numpy.asarray, arrays)), tuple(traced.values()))

    called.__name__ = called.__qualname__ = kernel.__name__
    called.__doc__ = kernel.__doc__
    return called


def _function(jax: Any, kernel: Any, fixed: dict[str, Any], options: dict[str, Any], names: Sequence[str]) -> Any:
    """Of arrays and scalars so named, with its derivative."""

    def given(scalars: Sequence[Any]) -> dict[str, Any]:
        return {**fixed, **{n: float(np.asarray(x)) for n, x in zip(names, scalars)}}

    def forward(arrays: Any, scalars: Any) -> Any:
        def on_host(arrays: Any, scalars: Any) -> Any:
            return kernel(*map(np.asarray, arrays), **options, **given(scalars))

        like = jax.ShapeDtypeStruct(kernel._result_shape(arrays), arrays[0].dtype)
        shapes = like if len(kernel.outputs) == 1 else (like,) * len(kernel.outputs)
        return jax.pure_callback(on_host, shapes, arrays, scalars, vmap_method="sequential")

    def kept(arrays: Any, scalars: Any) -> Any:
        """Asks for the gradient, which refuses what has none; what it is by stands in the keys of a dict."""
        ends = kernel._array_names(len(arrays))
        by = tuple(n for n, x in zip((*ends, *names), (*arrays, *scalars)) if x.perturbed)
        arrays, scalars = (tuple(x.value for x in several) for several in (arrays, scalars))
        if by:
            _gradient_of(kernel, by)
        return forward(arrays, scalars), (arrays, scalars, dict.fromkeys(by))

    def backward(saved: Any, weights: Any) -> Any:
        arrays, scalars, named = saved
        ends, by = kernel._array_names(len(arrays)), tuple(n for n in (*kernel._array_names(len(arrays)), *names)
                                                           if n in named)
        if not by:
            return (None,) * len(arrays), (None,) * len(scalars)
        several = weights if isinstance(weights, (tuple, list)) else (weights,)
        weights = tuple(jax.numpy.zeros(w.shape, w.dtype) if isinstance(w, jax.custom_derivatives.SymbolicZero) else w
                        for w in several)

        def on_host(arrays: Any, scalars: Any, weights: Any) -> Any:
            found = _gradient_of(kernel, by)._by_name(list(map(np.asarray, arrays)), list(map(np.asarray, weights)),
                                                      options["device"], given(scalars))
            return tuple(np.asarray(found[n]).astype(like[n].dtype) for n in by)

        like = {n: jax.ShapeDtypeStruct(x.shape, x.dtype) for n, x in zip((*ends, *names), (*arrays, *scalars))}
        found = dict(zip(by, jax.pure_callback(on_host, tuple(like[n] for n in by), arrays, scalars, weights,
                                               vmap_method="sequential")))
        return tuple(found.get(n) for n in ends), tuple(found.get(n) for n in names)

    function = jax.custom_vjp(forward)
    function.defvjp(kept, backward, symbolic_zeros=True)
    return function


def _gradient_of(kernel: Any, by: tuple[str, ...]) -> Any:
    from ._torch import _gradient_of  # which keeps them for any library

    return _gradient_of(kernel, by)


__all__ = ["call"]
