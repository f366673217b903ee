"""Options that users may give as anything: errors name the function, the option and what is right."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable, Sequence
from typing import Any, Optional

import numpy as np

from . import _core
from ._extents import whole


def whole_of(given: Any, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number from `least` to `most`."""
    number = whole(given, what)
    if number < least:
        raise _core.UsageError(f"{what}={number}: at least {least} is right")
    if number > most:
        raise _core.UsageError(f"{what}={number}: at most {most} is right")
    return number


def number_of(given: Any, what: str) -> float:
    """A finite number of Python's or NumPy's."""
    scalar = given.item() if getattr(given, "shape", None) == () and hasattr(given, "item") else given
    if isinstance(scalar, bool) or not isinstance(scalar, (numbers.Real, numbers.Rational)):
        raise TypeError(f"{what}={given!r} ({type(given).__name__}): a number is right")
    try:
        number = float(scalar)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _core.UsageError(f"{what}={given!r}: a finite number is right")
    return number


def flag_of(given: Any, what: str) -> bool:
    """Python's True or False or NumPy's, or 1 or 0: any text would be true."""
    if isinstance(given, (bool, np.bool_)) or (isinstance(given, int) and given in (0, 1)):
        return bool(given)
    raise TypeError(f"{what}={given!r} ({type(given).__name__}): True or False is right")


def numbers_of(given: Any, what: str) -> list[float]:
    """Finite numbers in a row."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable) or getattr(given, "shape", None) == ():
        raise TypeError(f"{what}={given!r} ({type(given).__name__}): numbers in a list are right")
    return [number_of(n, f"{what}[{i}]") for i, n in enumerate(given)]


def word_of(given: Any, what: str, right: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(given, str) or given not in right:
        error = _core.UsageError if isinstance(given, str) else TypeError
        raise error(f"{what}={given!r}: expected {' or '.join(map(repr, right))}")
    return given


def text_of(given: Any, what: str, right: str) -> str:
    """A text, such as `right`."""
    if not isinstance(given, str):
        raise TypeError(f"{what}={given!r} ({type(given).__name__}): a text is right, such as {right!r}")
    return given


def device_of(given: Any, what: str) -> Optional[str]:
    """The name of a device, or None where it is left to ridge."""
    if given is not None and not isinstance(given, str):
        raise TypeError(f"{what}={given!r}: the name of a device is right, such as 'cpu' or 'simt:32'")
    return None if given == "auto" else given


def path_of(given: Any, what: str) -> str:
    """The name of a file, as the system has it."""
    try:
        return os.fsdecode(given)
    except TypeError:
        raise TypeError(f"{what}={given!r} ({type(given).__name__}): the name of a file is right") from None
