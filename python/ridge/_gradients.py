"""What gradients return: named tuples of a class for each kernel, which is made when it is known what is asked for."""

from __future__ import annotations

import collections
import functools
from typing import Any


@functools.cache
def gradients_type(name: str, fields: tuple[str, ...]) -> Any:
    """The class of gradients of `name`. Another process, which gets one pickled, makes it again."""
    make: Any = collections.namedtuple  # its class is known when a kernel is
    made = make("gradients_" + (name if name.isidentifier() else "lattice"), fields)
    made.__reduce__ = lambda self: (_made_again, (name, fields, tuple(self)))
    return made


def _made_again(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return gradients_type(name, fields)(*values)
