"""What ridge.gauge makes of arguments: arrays, words and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from . import _core
from ._options import device_of, number_of, whole_of, word_of

Array = np.ndarray[Any, Any]


def device_for(given: Any, of: str) -> str:
    return device_of(given, f"{of}: device") or _core.devices()[0]


def complex_of(given: Any, what: str) -> Array:
    """Complex numbers in order, of what NumPy makes an array of; the memory of one that is so already."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{what}: masked arrays are not taken; {what}.filled(value) is an array")
    try:
        array = np.asarray(given)
    except RuntimeError as e:  # torch's, of a tensor that requires a gradient
        raise TypeError(f"{what} has no gradient here, but psi and links of D @ psi: {e}") from None
    except ValueError as e:
        raise TypeError(f"{what}: {e}") from None
    if array.dtype.kind not in "fciu":
        raise TypeError(f"{what} is an array of {array.dtype}: complex128 is right")
    return np.ascontiguousarray(array, dtype=np.complex128)


def complex_array(given: Any, what: str, tail: tuple[int, ...]) -> Array:
    array = complex_of(given, what)
    if array.ndim != 4 + len(tail) or array.shape[4:] != tail or 0 in array.shape:
        right = ", ".join(["t", "z", "y", "x", *map(str, tail)])
        raise _core.UsageError(f"{what} has shape {array.shape}: expected ({right})")
    return array


def links_of(given: Any) -> Array:
    return complex_array(given, "links", (4, 3, 3))


def extents_of(array: Array) -> list[int]:
    return [int(n) for n in reversed(array.shape[:4])]


def address_of(array: Array) -> int:
    return int(array.ctypes.data)


def fermions_of(given: Any, what: str, shape: tuple[int, ...], site: tuple[int, ...] = (4, 3)) -> Array:
    array = complex_of(given, what)
    right = shape + site
    if array.shape != right and array.shape[1:] != right or 0 in array.shape:
        raise _core.UsageError(f"{what} has shape {array.shape}; the links are of {shape}: expected {right}, "
                               "or (n, ...) of these")
    return array


def each_side(out: Array, array: Array, one: tuple[int, ...]) -> list[tuple[Array, Array]]:
    """One right-hand side, of the shape `one`, or each of several."""
    if array.ndim == len(one):
        return [(out, array)]
    return list(zip(out, array))


def require_words(of: str, boundary: str, precision: str = "fp64") -> None:
    word_of(boundary, f"{of}: boundary", ("antiperiodic", "periodic"))
    word_of(precision, f"{of}: precision", ("mixed", "fp64"))


def limits_of(tol: float, iterations: int, of: str) -> tuple[float, int]:
    """The tolerance and the most iterations of a solve."""
    if not 0 < number_of(tol, f"{of}: tol") < 1:
        raise _core.UsageError(f"{of}: tol={tol}: expected a number between 0 and 1")
    return float(tol), whole_of(iterations, f"{of}: iterations")


def diagonal_and_hop(of: str, kappa: Optional[float], mass: Optional[float]) -> tuple[float, float]:
    if (kappa is None) == (mass is None):
        raise _core.UsageError(f"{of}: give either kappa or mass=" + (", not both" if kappa is not None else ""))
    if kappa is not None:
        return 1.0, -number_of(kappa, f"{of}: kappa")
    diagonal = number_of(mass, f"{of}: mass") + 4.0
    if diagonal == 0:
        raise _core.UsageError(f"{of}: mass=-4: another number is right")
    return diagonal, -0.5


def text_of(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def header_lines(header: Optional[Mapping[str, str]]) -> list[tuple[bytes, bytes]]:
    """Of a header, as a file has them."""
    if header is not None and not isinstance(header, Mapping):
        raise TypeError(f"write: header={header!r}: a dict of texts is right")
    for key, value in (header or {}).items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"write: header[{key!r}]={value!r}: texts are right")
    return [(key.encode("utf-8", "surrogateescape"), value.encode("utf-8", "surrogateescape"))
            for key, value in (header or {}).items()]
