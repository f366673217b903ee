"""Pairs: sums over all sources for every target."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Callable, NoReturn, Optional, Sequence

from . import _arrays, _core
from ._adjoint_pairs import PairsForm
from ._emit import COSTLY, Writer, cpp_name, cpp_type, flops, reachable, share
from ._kernel import Kernel, call_with, doc_of, name_of, parameters_of
from ._options import whole_of
from ._origin import with_origin
from ._trace import Parameter, Value, as_value
from ._traced import check_used, fail, in_own_namespace, members_of


#: Numbers of lists, which the library takes after those of the interaction.
_LISTS = ("cutoff", "skin", "box_x", "box_y", "box_z")


def box_lengths(box: Any, what: str) -> tuple[float, float, float]:
    """Three periods from a box as users give it: None, a number, or three of either. 0: open."""
    lengths = tuple(box) if hasattr(box, "__len__") and not isinstance(box, str) else (box,) * 3
    if len(lengths) != 3:
        raise TypeError(f"{what}: box has {len(lengths)} lengths; three are right, along x, y and z, None "
                        "where bodies may be anywhere")
    if any(isinstance(n, (str, bytes)) for n in lengths):
        raise TypeError(f"{what}: box={box!r}: three lengths are right, such as (10, 10, 10)")
    try:
        x, y, z = (0.0 if n is None else float(n) for n in lengths)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what}: box={box!r}: three lengths are right, such as (10, 10, 10)") from None
    return x, y, z


class Pairs(Kernel):
    """An interaction that is called with targets and sources, or with bodies that act on each
    other, and numbers. Arrays are (components, bodies); a new output is of the sums.

    With `cutoff=` only pairs nearer than that are summed, by lists that are kept from call to call
    and built anew when a body has moved `skin / 2`: kernel(bodies, cutoff=2.5, skin=0.3,
    box=(L, L, L)). The first three components are positions, `box` has the periods from 0 (None:
    open). An interaction that has a number `cutoff` itself gets it, too, and `box=` asks for lists."""

    sums = 0
    components: tuple[int, int] = (0, 0)  #: of targets and of sources
    _array_parameters = (inspect.Parameter("bodies", inspect.Parameter.VAR_POSITIONAL),)

    def _call_arrays(self, given: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        if len(given) not in (1, 2):
            raise TypeError(f"{self.__name__} takes targets and sources, or bodies that act on each "
                            f"other, not {len(given)} arrays; numbers are given by name")
        return self._with_output(given, out)

    def _check_arrays(self, given: Sequence[Any]) -> None:
        super()._check_arrays(given)
        for name, array in zip(self._array_names(len(given)), given):
            strides = getattr(array, "strides", None)
            if (isinstance(strides, tuple) and len(strides) == 2 and strides[0] < strides[1]
                    and min(array.shape) > 1):
                raise TypeError(
                    f"{self.__name__}: {name} has the components of a body side by side in memory, as x.T "
                    "of (bodies, components); numpy.ascontiguousarray(x.T) makes a copy in order")

    def _result_shape(self, given: Sequence[Any]) -> tuple[int, ...]:
        return self.sums, given[0].shape[-1]

    def _bind_numbers(self, given: Mapping[str, Any],
                      arrays: int) -> tuple[_core.Kernel, tuple[float, ...]]:
        own = self.numbers or ()
        lists = {n: given[n] for n in ("cutoff", "skin", "box") if n in given and n not in own}
        if not lists:
            return super()._bind_numbers(given, arrays)
        cutoff = given.get("cutoff", self._defaults.get("cutoff"))
        if cutoff is None:
            raise TypeError(f"{self.__name__}: {' and '.join(lists)} without cutoff, the distance from which on "
                            "pairs are left out")
        if arrays != 2:
            raise TypeError(f"{self.__name__}: a cutoff is for bodies among themselves: one array, not "
                            f"{arrays - 1}")
        targets, sources = self.components
        if not 3 <= targets <= sources:
            raise TypeError(f"{self.__name__}: a cutoff needs positions, the first three components of "
                            f"targets and sources; there are {targets} and {sources}")
        names, values = self._numbers({n: v for n, v in given.items() if n not in lists})
        core = self._compiled.get((arrays, (*names, *_LISTS)))
        if core is None:
            near = self._source.as_pattern("near")
            file = _core.keep_source(f"{self.__name__}.hpp", near.text)
            core = _core.Kernel(self.__name__, "near", ["bodies", "out"], 1, [*names, *_LISTS], self.rank,
                                near.describe(file, names), file)
            self._compiled[arrays, (*names, *_LISTS)] = core
        self._latest = core, _LISTS, arrays - 1  # no call gives just these: each comes through here
        return core, (*values, cutoff, given.get("skin", 0.0),
                      *box_lengths(given.get("box"), self.__name__))

    def _explain(self, arrays: Sequence[Any], schedule: Any, device: Any,
                 given: Mapping[str, Any]) -> None:
        super()._explain(arrays, schedule, device, {n: v for n, v in given.items() if n != "box"})

    def _gradient_by(self, by: Sequence[str]) -> Any:
        from ._grad_pairs import PairsGradient  # which is made of what is here

        return PairsGradient(self, by)

    def _array_names(self, given: int) -> Sequence[str]:
        return ("bodies",) if given == 1 else ("targets", "sources")


class _Components:
    """The components of a target or of a source."""

    def __init__(self, name: str, count: int) -> None:
        self.values = [Value("load", data=(name, (i,))) for i in range(count)]
        self.name = name

    def __getitem__(self, i: Any) -> Any:
        try:
            return self.values[i]
        except IndexError:
            raise fail(f"{self.name}[{i}]: there are {len(self.values)} components") from None
        except TypeError:
            raise fail(f"the number of a component of {self.name} is a number of Python's") from None

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def _refuse(self, *_other: object, **_options: object) -> NoReturn:
        raise fail(f"the {self.name} has {len(self.values)} components, and no arithmetic of its own; "
                   "write it for each, as in [a - b for a, b in zip(s, t)]")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __neg__ = __abs__ = __array_ufunc__ = __array__ = _refuse


def pairs(function: Optional[Callable[..., Any]] = None, *, targets: int, sources: int,
          sums: int) -> Callable[[Callable[..., Any]], Pairs]:
    """An interaction: what one source adds to the sums of one target.

        @ridge.pairs(targets=3, sources=4, sums=3)
        def gravity(t, s, eps2):
            d = [s[i] - t[i] for i in range(3)]
            w = ridge.rsqrt(d[0]**2 + d[1]**2 + d[2]**2 + eps2)
            return [s[3]*w*w*w*x for x in d]

    The first parameter has the components of a target, the second those of a source, the others
    are numbers; it returns what is added to each sum. gravity(targets, sources, eps2=...) sums over
    all sources; gravity(bodies, eps2=...) over all others, where targets have the first components
    of sources. Arrays have the shape (components, bodies).

    Raises TraceError, at your line, for what cannot be a kernel."""
    if function is not None:
        raise TypeError("ridge.pairs takes the numbers of components: "
                        "@ridge.pairs(targets=3, sources=4, sums=3)")

    components = [whole_of(n, f"ridge.pairs: {what}", 1, 1000)
                  for what, n in (("targets", targets), ("sources", sources), ("sums", sums))]

    def made(f: Callable[..., Any]) -> Pairs:
        return _from_function(f, *components)

    return made


@with_origin
def _from_function(function: Callable[..., Any], targets: int, sources: int, sums: int) -> Pairs:
    name = name_of(function, "pairs")
    parameters, defaults = parameters_of(function, name)
    if len(parameters) < 2:
        raise fail(f"{name} takes a target and a source, and numbers behind them")
    numbers = parameters[2:]
    for p in parameters[:2]:
        if p.name in defaults:
            raise fail(f"{name}: {p.name} has a default; it has the components of a body")
    given = {p.name: p for p in numbers}
    bodies = (_Components("target", targets), _Components("source", sources))
    returned = call_with(function, name,
                         {**dict(zip((p.name for p in parameters), bodies)), **given})
    if not isinstance(returned, (list, tuple)) or len(returned) != sums:
        what = f"{len(returned)} values" if isinstance(returned, (list, tuple)) else \
            type(returned).__name__
        raise fail(f"{name} returns {what}; a list of {sums}, what is added to each sum, is right")
    results = share([as_value(r) for r in returned])
    check_used(name, numbers)
    return pairs_of(PairsForm(name, results, targets, sources, numbers, defaults), doc_of(function))


def pairs_of(form: PairsForm, doc: Optional[str] = None) -> Pairs:
    """The kernel of a traced interaction."""
    name, numbers = form.name, list(form.numbers)
    text = _text(name, (form.targets, form.sources, len(form.results)), numbers, list(form.results))
    made = Pairs(name, ("targets", "sources"), in_own_namespace(text, name, "pairs", members_of(numbers)),
                 [p.name for p in numbers], form.defaults, doc)
    made.sums = len(form.results)
    made.components = form.targets, form.sources
    made._form = form
    return made


def _operations(values: list[Value], results: list[Value]) -> tuple[int, int]:
    """Vector operations, with a product and the sum it goes into as one, and reciprocal roots; none
    where there are other functions."""
    if any(not v.plain and v.op in COSTLY for v in values):
        return 0, 0
    uses: dict[int, int] = {}
    for v in (*(a for v in values for a in v.args), *results):
        uses[v.number] = uses.get(v.number, 0) + 1

    def product(v: Value) -> bool:
        return v.op == "*" and not v.plain and uses[v.number] == 1

    counted = [v for v in values if not v.plain and v.op not in ("load", "rsqrt")]
    fused = sum(v.op in "+-" and any(product(a) for a in v.args) for v in counted)
    added = sum(not product(r) for r in results)
    return len(counted) - fused + added, sum(v.op == "rsqrt" for v in values)


def _text(name: str, components: tuple[int, int, int], numbers: list[Parameter],
          results: list[Value]) -> str:
    targets, sources, sums = components
    writer = Writer(lambda v: f"{v.data[0]}[{v.data[1][0]}]")
    writer.number = lambda n, plain: f"double{{{n}}}" if plain else f"{n}.template as<V>()"
    returned = writer.write(results)
    values = reachable(results)
    operations, rsqrts = _operations(values, results)
    limits = ""
    if operations > 0:
        limits = (f"  static constexpr double operations = {operations}, rsqrts = {rsqrts};\n"
                  "  static constexpr ridge::Grade grade = ridge::Grade::refined;\n")
    members = "".join(f"  ridge::Coefficient {cpp_name(p.name)} = 0;\n" for p in numbers)
    body = "".join(f"    {line}\n" for line in writer.lines)
    written = [f"V({r})" if v.plain else r for r, v in zip(returned, results)]
    body += "".join(f"    sum[{i}] += {r};\n" for i, r in enumerate(written))
    return (
        "#pragma once\n\n#include <ridge/core/coefficient.hpp>\n"
        "#include <ridge/pairs/interaction.hpp>\n#include <ridge/python/mathematics.hpp>\n\n"
        f"namespace NAMESPACE {{\n\nstruct {cpp_type(name)} {{\n"
        f"  static constexpr int targets = {targets}, sources = {sources}, sums = {sums};\n"
        f"  static constexpr double flops = {flops(values) + sums};\n{limits}{members}"
        "  template <class V>\n"
        "  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {\n"
        f"{body}  }}\n}};\n\n}} // namespace NAMESPACE\n")
