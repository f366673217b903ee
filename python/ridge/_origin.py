"""Which trace a value comes from: what one kernel reads, another must not."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, Optional, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: The farthest neighbour along an axis. What is computed of offsets in C++ stays far from the end
#: of 32 bits, and no field is read beside its points.
FARTHEST = 1 << 20


class Origin:
    """One trace of one function. A copy is the origin itself."""

    def __copy__(self) -> Origin:
        return self

    def __deepcopy__(self, _known: object) -> Origin:
        return self


class _Now(threading.local):
    origin: Optional[Origin] = None


_now = _Now()


def origin() -> Optional[Origin]:
    """Of values that are made now; None outside of a trace."""
    return _now.origin


def with_origin(function: F) -> F:
    """A function that traces: values that are made in a call of it belong together."""
    @functools.wraps(function)
    def tracing(*arguments: Any, **options: Any) -> Any:
        before, _now.origin = _now.origin, Origin()
        try:
            return function(*arguments, **options)
        finally:
            _now.origin = before

    return tracing  # type: ignore[return-value]
