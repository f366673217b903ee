"""Stencils: the value of a point from its neighbours."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, overload

from ._emit import Writer, flops, reachable
from ._kernel import Kernel, Source, check_name, parameters_of, unique
from ._trace import Parameter, TraceError, Value, as_value, refuse, users_line


class Stencil(Kernel):
    """A stencil that is called with arrays and numbers."""


@overload
def stencil(function: Callable[..., Any]) -> Stencil: ...


@overload
def stencil(*, source: str, name: str, arrays: Sequence[str] = ("u",),
            numbers: Optional[Sequence[str]] = None) -> Stencil: ...


def stencil(function: Optional[Callable[..., Any]] = None, *, source: Optional[str] = None,
            name: Optional[str] = None, arrays: Sequence[str] = ("u",),
            numbers: Optional[Sequence[str]] = None) -> Stencil:
    """A stencil from a function of Python, as a decorator, or from C++ text.

        @ridge.stencil
        def heat(u, rate):
            return u[0,0,0] + rate*(u[0,0,1] + u[0,0,-1] - 2*u[0,0,0])

    u[dz,dy,dx] is the neighbour at that distance, x last, as NumPy indexes; one and two dimensions
    likewise. Parameters that are indexed are arrays, the others are numbers. The points nearer to
    an edge than the stencil reaches are not written.

    `source` is the text of a header with the functor `name`; `arrays` names what it reads.
    Its members are set by the names that calls give, or by those of `numbers` alone.

    Raises TraceError, at your line, for what cannot be a kernel."""
    if function is not None:
        return _traced(function)
    if source is None or name is None:
        raise TypeError("ridge.stencil takes a function, or source= and name=")
    return _from_text(source, name, arrays, numbers)


def _traced(function: Callable[..., Any]) -> Stencil:
    name = function.__name__
    check_name(name, "the kernel")
    parameters, defaults = parameters_of(function)
    result = function(*parameters)
    if result is None or isinstance(result, (tuple, list)):
        raise TraceError(f"{users_line()}: {name} returns {type(result).__name__}; a stencil returns "
                         "one value, that of the point")
    result = as_value(result)
    values = reachable([result])
    arrays = [p for p in parameters if p.kind == "array"]
    numbers = [p for p in parameters if p.kind != "array"]
    if not arrays or result.plain:
        raise TraceError(f"{users_line()}: {name} reads no array; index one, as in "
                         f"{parameters[0].name if parameters else 'u'}[0,0,0]")
    for p in parameters:
        if p.kind == "":
            raise TraceError(f"{users_line()}: {name} does not use its parameter {p.name}")
    rank = arrays[0].rank
    for p in arrays:
        if p.rank != rank:
            raise TraceError(f"{users_line()}: {name}: {p.name} has {p.rank} dimensions and "
                             f"{arrays[0].name} {rank}; all arrays have as many")
    for n in defaults:
        if n not in (p.name for p in numbers):
            raise TraceError(f"{users_line()}: {name}: the array {n} has a default")
    text = _text(name, arrays, numbers, result, values)
    where = f"traced_{unique(text)}"
    text = text.replace("NAMESPACE", where)
    source = Source(text, f"{where}::{name}", "stencil")
    return Stencil(name, [p.name for p in arrays], source, [p.name for p in numbers], defaults,
                   function.__doc__)


def _cpp_offset(offset: tuple[int, ...]) -> tuple[int, int, int]:
    dx, dy, dz = (*reversed(offset), 0, 0)[:3]
    return dx, dy, dz


def _load(value: Value) -> str:
    parameter, offset = value.data
    return f"{parameter.name}({', '.join(map(str, _cpp_offset(offset)))})"


def _footprint(parameter: Parameter, values: list[Value]) -> str:
    read = [_cpp_offset(v.data[1]) for v in values if v.op == "load" and v.data[0] is parameter]
    offsets = sorted(read or [(0, 0, 0)], key=lambda o: (o[2], o[1], o[0]))
    points = ", ".join(f"ridge::stencil::Offset{{{x}, {y}, {z}}}" for x, y, z in offsets)
    return f"ridge::stencil::Footprint<{len(offsets)}>{{{{{points}}}}}"


def _text(name: str, arrays: list[Parameter], numbers: list[Parameter], result: Value,
          values: list[Value]) -> str:
    writer = Writer(_load, {p.name for p in (*arrays, *numbers)})
    (returned,) = writer.write([result])
    footprints = [_footprint(p, values) for p in arrays]
    if len(footprints) == 1:
        declared = f"  static constexpr auto footprint = {footprints[0]};\n"
    else:
        declared = ("  static constexpr auto footprints = std::make_tuple(\n      "
                    + ",\n      ".join(footprints) + ");\n")
    members = "".join(f"  double {p.name} = 0;\n" for p in numbers)
    body = "".join(f"    {line}\n" for line in writer.lines)
    types = ", ".join(f"class N{i}" for i in range(len(arrays)))
    parameters = ", ".join(f"const N{i}& {p.name}" for i, p in enumerate(arrays))
    return (
        "#pragma once\n\n#include <ridge/python/mathematics.hpp>\n"
        "#include <ridge/stencil/kernel.hpp>\n\nnamespace NAMESPACE {\n\n"
        f"struct {name} {{\n{declared}  static constexpr double flops = {flops(values)};\n{members}"
        f"  template <{types}>\n  RIDGE_FN auto operator()({parameters}) const {{\n{body}"
        f"    return {returned};\n  }}\n}};\n\n}} // namespace NAMESPACE\n")


def _from_text(text: str, name: str, arrays: Sequence[str],
               numbers: Optional[Sequence[str]]) -> Stencil:
    for n in (name.rpartition("::")[2], *arrays, *(numbers or ())):
        check_name(n, "the name")
    derived = f"given_{unique(text + name)}"
    # Of a type of its own: another text may have a functor of the same name.
    whole = f"{text}\nstruct {derived} : {name} {{}};\n"
    return Stencil(name.rpartition("::")[2], arrays, Source(whole, derived, "stencil"), numbers)


__all__ = ["Stencil", "stencil", "refuse"]
