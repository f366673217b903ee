"""Stencils: the value of a point from its neighbours."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, overload

from ._adjoint import Form
from ._emit import Writer, cpp_name, cpp_type, flops, reachable
from ._kernel import Kernel, Source, check_name, unique
from ._operations import Operation
from ._trace import Parameter, Value
from ._traced import Traced, cpp_offset, in_own_namespace, members_of, trace


class Stencil(Kernel):
    """A stencil that is called with arrays and numbers."""

    #: Those along which it reads neighbours, of "xyz"; None: the kernel's source says.
    axes: Optional[str] = None


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
    likewise. Parameters that are indexed are arrays, the others are numbers. Points nearer to an
    edge than the stencil reaches are not written: along each axis as many at both ends, the most
    that it reaches to either side. u[2] - u[0] writes neither the last two nor the first two.

    `source` is the text of a header with the functor `name`; `arrays` names what it reads. Its
    members are set by the names that calls give, or by those of `numbers` alone.

    Raises TraceError, at your line, for what cannot be a kernel."""
    if function is not None:
        return _from_function(function)
    if source is None or name is None:
        raise TypeError("ridge.stencil takes a function, or source= and name=")
    return _from_text(source, name, arrays, numbers)


def _from_function(function: Callable[..., Any]) -> Stencil:
    return stencil_of(trace(function, "stencil"))


def stencil_of(traced: Traced) -> Stencil:
    """The stencil of a trace with one result."""
    source = in_own_namespace(_text(traced), traced.name, "stencil", members_of(traced.numbers))
    made = Stencil(traced.name, [p.name for p in traced.arrays], source,
                   [p.name for p in traced.numbers], traced.defaults, traced.doc)
    made.rank = traced.rank
    read = {cpp_offset(v.data[1]) for v in reachable([traced.result]) if v.op == "load"}
    made.axes = _axes(read)
    made._form = _form(traced, read)
    return made


def _form(traced: Traced, read: set[tuple[int, int, int]]) -> Form:
    """As one operation, which leaves as many items at either end as it reads to either side."""
    one = Operation(traced.name, traced.result, traced.result)
    one.begin = [max(abs(o[d]) for o in read) for d in range(3)]
    one.end = [-n for n in one.begin]
    return Form(traced, [one], [traced.result])


def _axes(offsets: set[tuple[int, int, int]]) -> str:
    return "".join("xyz"[d] for d in range(3) if any(o[d] for o in offsets))


def _load(value: Value) -> str:
    parameter, offset = value.data
    return f"{cpp_name(parameter.name)}({', '.join(map(str, cpp_offset(offset)))})"


def _footprint(parameter: Parameter, values: list[Value]) -> str:
    read = [cpp_offset(v.data[1]) for v in values if v.op == "load" and v.data[0] is parameter]
    offsets = sorted(read or [(0, 0, 0)], key=lambda o: (o[2], o[1], o[0]))
    points = ",\n          ".join(f"ridge::stencil::Offset{{{x}, {y}, {z}}}" for x, y, z in offsets)
    return f"ridge::stencil::Footprint<{len(offsets)}>{{{{\n          {points}}}}}"


def _text(traced: Traced) -> str:
    writer = Writer(_load)
    values = reachable([traced.result])
    (returned,) = writer.write([traced.result])
    footprints = [_footprint(p, values) for p in traced.arrays]
    if len(footprints) == 1:
        declared = f"  static constexpr auto footprint = {footprints[0]};\n"
    else:
        declared = ("  static constexpr auto footprints = std::make_tuple(\n      "
                    + ",\n      ".join(footprints) + ");\n")
    members = "".join(f"  double {cpp_name(p.name)} = 0;\n" for p in traced.numbers)
    body = "".join(f"    {line}\n" for line in writer.lines)
    types = ", ".join(f"class N{i}" for i in range(len(traced.arrays)))
    parameters = ", ".join(f"const N{i}& {cpp_name(p.name)}" for i, p in enumerate(traced.arrays))
    return (
        "#pragma once\n\n#include <ridge/python/mathematics.hpp>\n"
        "#include <ridge/stencil/kernel.hpp>\n\nnamespace NAMESPACE {\n\n"
        f"struct {cpp_type(traced.name)} {{\n{declared}"
        f"  static constexpr double flops = {flops(values)};\n{members}"
        f"  template <{types}>\n  RIDGE_FN auto operator()({parameters}) const {{\n{body}"
        f"    return {returned};\n  }}\n}};\n\n}} // namespace NAMESPACE\n")


def _from_text(text: str, name: str, arrays: Sequence[str],
               numbers: Optional[Sequence[str]]) -> Stencil:
    short = name.rpartition("::")[2]
    for n in (short, *arrays, *(numbers or ())):
        check_name(n, "the name")
    # Of a type of its own: another text may have a functor of the same name.
    derived = f"given_{unique(text + name)}"
    source = Source(f"{text}\nstruct {derived} : {name} {{}};\n", derived, "stencil", given_name=short)
    return Stencil(short, arrays, source, numbers)
