"""What must be asked of an array's own library: its current stream, and arrays like another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np

#: Libraries whose new arrays can be written to, by the first part of the name of their types' module.
_WRITABLE = ("numpy", "torch", "cupy")


def library_of(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def current_stream(array: Any, device: int) -> int:
    """The current stream of the array's library on a GPU, as a number; 0: the default stream."""
    library = library_of(array)
    if library == "torch":
        torch = sys.modules["torch"]
        return int(torch.cuda.current_stream(device).cuda_stream)
    if library == "cupy":
        cupy = sys.modules["cupy"]
        return int(cupy.cuda.get_current_stream().ptr)
    return 0


def device_number(array: Any) -> int:
    """Which GPU an array with a __cuda_array_interface__ is on."""
    device = getattr(array, "device", None)
    number = getattr(device, "index", getattr(device, "id", None))
    return int(number) if number is not None else 0


def why_no_array(x: Any) -> str:
    """Why something that is often given for an array is none, and what would be right; empty for
    arrays."""
    library = library_of(x)
    if library in ("jax", "jaxlib") and "Tracer" in type(x).__name__:
        return ("is a value that JAX traces, and has no memory yet; call kernels of ridge outside of "
                "jax.jit and the like, or by ridge.jax.call")
    if isinstance(x, (list, tuple, int, float, complex, range, type(None))) and library != "numpy":
        return f"is no array but {type(x).__name__}; numpy.asarray(...) makes one of a list"
    if library == "pandas":
        return f"is no array but {type(x).__name__} of pandas; pass x.to_numpy()"
    return ""


def as_numbers(array: Any, like: Any) -> Any:
    """An array of bool as one of `like`'s type; any other as it is."""
    if str(getattr(array, "dtype", "")) not in ("bool", "torch.bool"):
        return array
    return array.to(like.dtype) if library_of(array) == "torch" else array.astype(like.dtype)


def zeros(like: Any, what: str, shape: Optional[tuple[int, ...]] = None) -> Any:
    """A new array of zeros of `like`'s library, type and device, and of its shape or another."""
    library = library_of(like)
    if library in _WRITABLE:
        module = sys.modules[library]
        if library == "torch" and (shape is None or shape == like.shape):
            return module.zeros_like(like, memory_format=module.contiguous_format)
        shape = tuple(like.shape) if shape is None else shape
        if library == "torch":
            return module.zeros(shape, dtype=like.dtype, device=like.device)
        return module.zeros(shape, dtype=like.dtype)
    raise TypeError(f"{what}: pass out=, an array to write to; ridge makes none for arrays of type "
                    f"{type(like).__name__}")


def plain(array: Any) -> Any:
    """The same memory, of which torch records nothing."""
    return array.detach() if library_of(array) == "torch" and hasattr(array, "detach") else array


def wide(array: Any) -> Any:
    """An array of 16 bits as one of float32; any other as it is."""
    if str(getattr(array, "dtype", "")).rpartition(".")[2] not in ("float16", "bfloat16"):
        return array
    return array.float() if library_of(array) == "torch" else array.astype("float32")


def kind_of(array: Any) -> str:
    """The type of an array's elements, in which those of 16 bits are computed."""
    name = str(array.dtype).rpartition(".")[2]
    return "float32" if name in ("float16", "bfloat16") else name


def require_one_type(what: str, names: Sequence[str], arrays: Sequence[Any]) -> None:
    """Throws for what is no array, and for arrays of another library, type or device than the first."""
    def described(array: Any) -> str:
        where = f" on {array.device}" if library_of(array) == "torch" else ""
        return f"{kind_of(array)} of {library_of(array)}{where}"

    for name, array in zip(names, arrays):
        why = why_no_array(array)
        if why:
            raise TypeError(f"{what}: {name} {why}")
        if kind_of(array) not in ("float32", "float64"):
            raise TypeError(f"{what}: {name} has elements of type {kind_of(array)}; float32 and float64 are possible")
        if described(array) != described(arrays[0]):
            raise TypeError(f"{what}: {name} is {described(array)}, and {names[0]} {described(arrays[0])}; "
                            "all must be of one type")


def copy_of(array: Any) -> Any:
    return array.clone() if library_of(array) == "torch" else array.copy()


def empty(like: Any, shape: tuple[int, ...]) -> Any:
    """A new array of `like`'s library, type and device, whatever it holds."""
    module = sys.modules[library_of(like)]
    if library_of(like) == "torch":
        return module.empty(shape, dtype=like.dtype, device=like.device)
    return module.empty(shape, dtype=like.dtype)


def in_lines(like: Any, shape: tuple[int, ...], behind: int, make: Callable[..., Any]) -> Any:
    """An array of `make(like, shape=...)`, whose rows on a GPU begin so many items behind the begin of a line of
    memory."""
    if not is_on_gpu(like):
        return make(like, shape=shape)
    first, row = row_in_lines(like, shape[-1], behind)
    return make(like, shape=(*shape[:-1], row))[..., first:first + shape[-1]]


def row_in_lines(like: Any, items: int, behind: int) -> tuple[int, int]:
    """Where such a row begins, and how many items it takes."""
    line = 128 // item_bytes(like)
    first = behind % line if is_on_gpu(like) else 0
    return first, -(-(first + items) // line) * line if is_on_gpu(like) else items


def is_on_gpu(array: Any) -> bool:
    return library_of(array) == "cupy" or bool(getattr(getattr(array, "device", None), "type", "") == "cuda")


def item_bytes(array: Any) -> int:
    return int(array.element_size() if hasattr(array, "element_size") else array.itemsize)


def places(like: Any, along: Sequence[int]) -> Any:
    """Places along an axis, for `taken`, `put` and `add`."""
    module = sys.modules[library_of(like)]
    return module.tensor(along, device=like.device) if library_of(like) == "torch" else module.asarray(along)


def numbers(like: Any, values: Sequence[float], shape: tuple[int, ...]) -> Any:
    """An array of these values, of `like`'s library, type and device."""
    module = sys.modules[library_of(like)]
    if library_of(like) == "torch":
        return module.tensor(values, dtype=like.dtype, device=like.device).reshape(shape)
    return module.asarray(values, dtype=like.dtype).reshape(shape)


def taken(array: Any, axis: int, along: Any) -> Any:
    """A copy of what an array has at places along an axis."""
    return array.index_select(axis, along) if library_of(array) == "torch" else array.take(along, axis)


def put(array: Any, axis: int, along: Any, values: Any) -> None:
    if library_of(array) == "torch":
        array.index_copy_(axis, along, values)
    else:
        array[(slice(None),) * axis + (along,)] = values


def add(array: Any, axis: int, along: Any, values: Any) -> None:
    """Adds values at places along an axis, each of which comes once."""
    if library_of(array) == "torch":
        array.index_add_(axis, along, values)
    else:
        array[(slice(None),) * axis + (along,)] += values


def multiply(a: Any, b: Any, out: Any) -> None:
    """Sets `out` to a product, or to `a` where `b` is None."""
    if b is None:
        out[...] = a
    else:
        sys.modules[library_of(a)].multiply(a, b, out=out)


def least_and_greatest(array: Any) -> tuple[float, float]:
    if library_of(array) == "torch":
        low, high = array.aminmax()
        return float(low), float(high)
    return float(array.min()), float(array.max())


def zeroed(array: Any) -> Any:
    array[...] = 0
    return array


def as_double(array: Any) -> Any:
    return array.double() if library_of(array) == "torch" else array.astype("float64")


def sum_of(array: Any) -> float:
    """The sum of all items, in double."""
    if library_of(array) == "torch":
        return float(array.sum(dtype=sys.modules["torch"].float64))
    return float(array.sum(dtype="float64"))


def on_host(array: Any) -> Any:
    """An array of NumPy with the same numbers."""
    given = wide(plain(array))
    if library_of(given) == "torch":
        return np.from_dlpack(given.cpu().contiguous())
    return given.get() if library_of(given) == "cupy" else np.asarray(given)
