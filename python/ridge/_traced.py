"""Functions that are traced: their parameters and what they return, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

from ._emit import cpp_name, cpp_type, flops, reachable, share
from ._kernel import Source, call_with, doc_of, name_of, parameters_of, unique
from ._origin import with_origin
from ._trace import Parameter, TraceError, Value, as_value, users_line


def fail(what: str) -> TraceError:
    """An error at the user's line, to be raised."""
    return TraceError(f"{users_line()}: {what}")


@dataclass
class Traced:
    """A function of arrays and numbers that returns the value of an item, or several."""

    name: str
    doc: str | None
    results: list[Value]
    arrays: list[Parameter]
    numbers: list[Parameter]
    defaults: dict[str, float]
    #: What stands for the arrays of results that are returned again.
    copies: dict[int, object] = field(default_factory=dict)

    @property
    def result(self) -> Value:
        return self.results[0]

    @property
    def rank(self) -> int:
        return self.arrays[0].rank


@with_origin
def trace(function: Callable[..., Any], word: str, several: bool = False) -> Traced:
    """Calls a function with symbols: indexed parameters are arrays, the others numbers. `word` is
    what it will be, for errors. With `several` it may return a tuple of values."""
    name = name_of(function, word)
    parameters, defaults = parameters_of(function, name)
    result = call_with(function, name, {p.name: p for p in parameters})
    is_list = isinstance(result, (tuple, list))
    if result is None or (is_list and not (several and result)):
        raise fail(f"{name} returns {type(result).__name__}; a {word} returns one value, that of the "
                   "item" + (", or a tuple of values" if several else ""))
    values = [as_value(r) for r in (result if is_list else [result])]
    if not several:  # the values of chains are looked for among those that are indexed
        values = share(values)
    arrays = [p for p in parameters if p.kind == "array"]
    numbers = [p for p in parameters if p.kind != "array"]
    if not arrays or any(value.plain for value in values):
        raise fail(f"{name} reads no array; index one, as in "
                   f"{parameters[0].name if parameters else 'u'}[0,0,0]")
    check_used(name, parameters)
    for p in arrays:
        if p.rank != arrays[0].rank:
            raise fail(f"{name}: {p.name} has {p.rank} dimensions and {arrays[0].name} "
                       f"{arrays[0].rank}; all arrays have as many")
        if p.name in defaults:
            raise fail(f"{name}: the array {p.name} has a default")
    return Traced(name, doc_of(function), values, arrays, numbers, defaults)


def check_used(name: str, parameters: list[Parameter]) -> None:
    for p in parameters:
        if p.kind == "":
            raise fail(f"{name} does not use its parameter {p.name}")


def in_own_namespace(text: str, name: str, pattern: str,
                     places: dict[str, list[str]] | None = None) -> Source:
    """A source in whose text NAMESPACE stands for a namespace that no other text has."""
    where = f"traced_{unique(text)}"
    return Source(text.replace("NAMESPACE", where), f"{where}::{cpp_type(name)}", pattern, places)


def members_of(parameters: Iterable[Parameter]) -> dict[str, list[str]]:
    """Where numbers are kept, if they are members of the kernel."""
    return {p.name: [f"kernel.{cpp_name(p.name)}"] for p in parameters}


def cpp_offset(offset: tuple[int, ...]) -> tuple[int, int, int]:
    """An offset of Python's, x last, as one of C++'s, x first."""
    dx, dy, dz = (*reversed(offset), 0, 0)[:3]
    return dx, dy, dz


__all__ = ["Traced", "check_used", "cpp_offset", "fail", "flops", "in_own_namespace", "members_of",
           "reachable",
           "trace"]
