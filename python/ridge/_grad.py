"""Gradients of stencils and chains: their adjoints, as kernels that are called, measured and tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Optional, Union, overload

import numpy as np

from . import _arrays, _core
from ._adjoint import Box, Form, adjoint_of
from ._chain import Chain, chain_of
from ._grad_apart import Apart, apart_of
from ._gradients import gradients_type
from ._kernel import Kernel
from ._record import Record, Records
from ._tangent import tangent_of
from ._traced import Traced

if TYPE_CHECKING:
    from ._grad_pairs import PairsGradient
    from ._grad_sweeps import SweepsGradient
    from ._pairs import Pairs
    from ._stencil import Stencil
    from ._sweeps import Sweeps

#: What the test of an adjoint may be off by: dot products in double, and the slope of differences.
_DOT, _SLOPES = 1e-12, (1.6, 2.3)
#: Points that the test looks at, at most: arrays that are larger are cut.
_MOST_POINTS = 1 << 15
#: Results that were there before a call: what it leaves untouched.
_OUT = "out"


class Gradient:
    """The gradient of a kernel. Made by `ridge.grad`."""

    def __init__(self, kernel: Kernel, by: Optional[Sequence[str]], stored: Optional[bool]) -> None:
        form = _form_of(kernel)
        traced = form.traced
        assert traced is not None
        #: The kernel whose gradient it is.
        self.kernel = kernel
        asked = [p.name for p in traced.arrays] if by is None else list(dict.fromkeys(by))
        _check_names(kernel, traced, asked)
        made = adjoint_of(form, [n for n in asked if n != _OUT], stored)
        missing = [n for n in asked if n not in (*made.by, _OUT)]
        if missing and (by is not None or not made.by):
            raise TypeError(f"{kernel.__name__} has no derivative by {', '.join(missing)}: its results depend "
                            "on it by comparisons and whole numbers (where, sign, floor and the like) alone")
        #: Arrays and numbers that it is the gradient by, in order; "out": what calls leave untouched.
        self.by = tuple(n for n in asked if n not in missing)
        self._made = tuple(made.by)
        self._reads = tuple(kernel.arrays.index(n) for n in made.reads)
        self._weights = tuple(made.cotangents)
        self._boxes = [form.box(k) for k in range(len(kernel.outputs))]
        arrays = {p.name for p in traced.arrays}
        self._is_array = {n: n in arrays or n == _OUT for n in self.by}
        #: The adjoint, a chain: it takes what it reads of the kernel's arrays, then the cotangents.
        self.adjoint: Optional[Chain] = None
        #: As stencils, and a chain for the items near the ends.
        self._apart: Optional[Apart] = None
        #: What the latest call ran first.
        self._ran: Optional[Kernel] = None
        if made.by:
            outer = getattr(kernel, "outer", 0)
            chain = chain_of(made.traced, made.edge, [f"gradient_{n}" for n in made.by])
            chain._system = f"{chain.__name__} is an adjoint; systems are made of a chain itself"
            self.adjoint = chain._with_outer(outer) if outer else chain
            if form.edge == "none" and made.edge == "clamp" and len(form.operations) == 1 and not outer:
                self._apart = apart_of(chain)

    def __repr__(self) -> str:
        return f"<ridge.grad of {self.kernel.__name__} by {', '.join(self.by)}>"

    def __call__(self, *arrays: Any, out: Any = None, schedule: str = "auto", device: Optional[str] = None,
                 **numbers: float) -> Any:
        """The gradients of the sum of result*cotangent: takes the arrays and numbers of the kernel and,
        as its last array, the cotangent, of the result's shape (a tuple of them, where it has several
        results). Returns a named tuple, one a name of `by`: arrays, and numbers as float.

        Arrays of 16 bits give gradients in float32. `out` is a tuple of arrays to write those by arrays
        into. Raises as a call of the kernel does."""
        given, weights = self._split(arrays)
        self.kernel._check_arrays(given)
        self._check_unread(given, weights[0])
        found = self._by_name(given, weights, device, numbers, schedule, out)
        return gradients_type(self.kernel.__name__, self.by)(**found)

    def _reads_of(self, _count: int) -> tuple[int, ...]:
        return self._reads

    def _by_name(self, given: Sequence[Any], weights: Sequence[Any], device: Optional[str],
                 numbers: Mapping[str, Any], schedule: str = "auto", out: Any = None) -> dict[str, Any]:
        """The gradients; of `given` those count alone that the adjoint reads."""
        found = self._untouched(weights)
        if self.adjoint is not None:
            read = self._read(given, weights)
            outs = self._outs(read, out)
            self._run(read, outs, schedule, device, self._numbers(numbers))
            for name, array in zip(self._made, outs):
                found[name] = array if self._is_array[name] else _arrays.sum_of(array)
        return found

    def _run(self, read: Sequence[Any], outs: Sequence[Any], schedule: str, device: Optional[str],
             numbers: Mapping[str, float]) -> None:
        """Computes all that the adjoint does, of its arrays and numbers."""
        if self._apart is not None and schedule == "auto" and self._apart.takes(outs[0], device):
            self._apart.run(read, outs, device, numbers)
            self._ran = self._apart.parts[0].stencil
        else:
            self._chain()(*read, out=outs[0] if len(outs) == 1 else tuple(outs), schedule=schedule, device=device,
                          **numbers)
            self._ran = self.adjoint

    def _recorded(self, given: Sequence[Any], weights: Sequence[Any], device: Optional[str],
                  numbers: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients, as torch records them."""
        found = self._untouched(weights)
        if self.adjoint is not None:
            mine = {n: x for n, x in numbers.items() if n in (self.adjoint.numbers or ())}
            made = self.adjoint(*self._read(given, weights), device=device, **mine)
            for name, array in zip(self._made, made if isinstance(made, tuple) else (made,)):
                found[name] = array if self._is_array[name] else array.sum()
        return found

    @property
    def record(self) -> Record:
        """The record of the adjoint's latest call, of its first stencil where it ran as several; not timed."""
        return (self._ran or self._chain()).record

    def measure(self, *arrays: Any, schedule: str = "auto", device: Optional[str] = None, repeat: int = 15,
                check: bool = True, **numbers: float) -> Record:
        """Times launches of the adjoint, as `measure` of any kernel does; without a cotangent it is of
        ones. With `check` the record has `adjoint`: what `test` found."""
        found = self.measure_all(*arrays, schedule=schedule, device=device, repeat=repeat, check=check,
                                 **numbers)
        if len(found) != 1:
            raise _core.UsageError(f"'{schedule}' means {len(found)} schedules; measure_all() takes several")
        return found[0]

    def measure_all(self, *arrays: Any, schedule: str = "all", device: Optional[str] = None,
                    repeat: int = 15, check: bool = True, **numbers: float) -> Records:
        """As measure(), under each schedule that is asked for."""
        if len(arrays) == len(self.kernel.arrays):
            ones = tuple(_arrays.zeros(arrays[0], self.kernel.__name__) + 1 for _ in self.kernel.outputs)
            arrays = (*arrays, ones[0] if len(ones) == 1 else ones)
        given, weights = self._split(arrays)
        self._check_unread(given, weights[0])
        read = self._read(given, weights)
        outs = self._outs(read, None)
        found = self._chain().measure_all(*read, out=outs[0] if len(outs) == 1 else outs, schedule=schedule,
                                          device=device, repeat=repeat, check=check, **self._numbers(numbers))
        if not check:
            return found
        tested = self.test(*given, device=device, **numbers)
        return Records(Record({**r, "adjoint": tested}) for r in found)

    def test(self, *arrays: Any, device: Optional[str] = None, **numbers: float) -> dict[str, Any]:
        """Whether the gradient is one, in double on the host: `dot_error`, of <J v, w> = <v, J^T w> on
        random vectors, relative to the sum of the magnitudes, with J v by NumPy; `slope`, the power of the
        step with which the error of the loss's linear prediction falls: 2 (None where the kernel is
        linear: there is no error); `size`, of the part of the arrays that was looked at; and `ok`."""
        form = _form_of(self.kernel)
        x = [_arrays.on_host(a)[_part(np.shape(a), form)].astype(np.float64) for a in arrays]
        names, values = self.kernel._numbers(numbers)
        return _Test(self, form, x, dict(zip(names, map(float, values))), device).found()

    # Parts of calls.

    def _chain(self) -> Chain:
        if self.adjoint is None:
            raise _core.UsageError(f"{self!r} launches no kernel: it is what the cotangent is there")
        return self.adjoint

    def _split(self, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The kernel's arrays, and a cotangent a result."""
        kernel = self.kernel
        if len(arrays) != len(kernel.arrays) + 1:
            raise TypeError(f"the gradient of {kernel.__name__} takes {len(kernel.arrays) + 1} arrays "
                            f"({', '.join(kernel.arrays)} and the cotangent), not {len(arrays)}; numbers are "
                            "given by name")
        weights = arrays[-1] if len(kernel.outputs) > 1 else (arrays[-1],)
        if not isinstance(weights, (tuple, list)) or len(weights) != len(kernel.outputs):
            raise TypeError(f"the gradient of {kernel.__name__}: the cotangent is a tuple of "
                            f"{len(kernel.outputs)} arrays, one a result")
        return tuple(map(_arrays.plain, arrays[:-1])), tuple(map(_arrays.plain, weights))

    def _read(self, given: Sequence[Any], weights: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays of the adjoint."""
        read = tuple(given[i] for i in self._reads)
        return tuple(map(_arrays.wide, (*read, *(weights[k] for k in self._weights))))

    def _check_unread(self, given: Sequence[Any], weight: Any) -> None:
        """Throws for arrays that the kernel would not take, and that the adjoint does not read."""
        kernel = self.kernel
        if _arrays.why_no_array(weight):
            return  # said by the adjoint
        shape, kind = tuple(weight.shape), _arrays.kind_of(weight)
        for i, name in enumerate(kernel.arrays):
            if i in self._reads:
                continue
            mine = _arrays.kind_of(given[i])
            if mine not in ("float32", "float64"):
                raise TypeError(f"the gradient of {kernel.__name__}: {name} has elements of type {mine}; float32 and "
                                "float64 are possible")
            if kind in ("float32", "float64") and mine != kind:
                raise TypeError(f"the gradient of {kernel.__name__}: the cotangent is {kind}, and {name} {mine}; all "
                                "must be of one type")
            if tuple(given[i].shape) != shape:
                raise _core.UsageError(f"the gradient of {kernel.__name__}: {name} has the shape "
                                       f"{tuple(given[i].shape)} and the cotangent {shape}; all arrays must have one")

    def _outs(self, read: Sequence[Any], out: Any) -> tuple[Any, ...]:
        names = [n for n in self._made if self._is_array[n]]
        if out is not None and (not isinstance(out, (tuple, list)) or len(out) != len(names)):
            raise TypeError(f"the gradient of {self.kernel.__name__}: out= is a tuple of {len(names)} arrays, "
                            f"for the gradients by {', '.join(names) or 'none'}")
        mine = dict(zip(names, out or ()))
        return tuple(mine[n] if n in mine else _arrays.zeros(read[0], self.kernel.__name__)
                     for n in self._made)

    def _numbers(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those that the adjoint has, of the kernel's."""
        names, values = self.kernel._numbers(given)
        mine = self._chain().numbers or ()
        return {n: float(v) for n, v in zip(names, values) if n in mine}

    def _untouched(self, weights: Sequence[Any]) -> dict[str, Any]:
        if _OUT not in self.by:
            return {}
        kept = []
        for weight, box in zip(weights, self._boxes):
            rest = _arrays.copy_of(_arrays.wide(weight))
            rest[(..., *(slice(low, n - high if n > high else 0)
                         for (low, high), n in zip(box, rest.shape[-len(box):])))] = 0
            kept.append(rest)
        return {_OUT: kept[0] if len(kept) == 1 else tuple(kept)}


class _Test:
    """A test of a gradient at x."""

    def __init__(self, gradient: Gradient, form: Form, x: Sequence[Any], numbers: Mapping[str, float],
                 device: Optional[str]) -> None:
        self.gradient, self.form, self.x, self.numbers = gradient, form, x, numbers
        #: What calls take by name; Any, as numbers are among it.
        self.options: Any = {"device": device}
        rng = np.random.default_rng(1)
        self.v = [rng.standard_normal(a.shape) if n in gradient.by else np.zeros(a.shape)
                  for n, a in zip(gradient.kernel.arrays, x)]
        self.change = {n: rng.standard_normal() if n in gradient.by else 0.0 for n in numbers}
        shape = x[0].shape
        self.before = [rng.standard_normal(shape) for _ in gradient.kernel.outputs]
        self.v_out = [rng.standard_normal(shape) * (_OUT in gradient.by) for _ in gradient.kernel.outputs]
        self.w = [rng.standard_normal(shape) for _ in gradient.kernel.outputs]

    def found(self) -> dict[str, Any]:
        w = self.w[0] if len(self.w) == 1 else tuple(self.w)
        options: Any = {**self.options, **self.numbers}
        gradients = self.gradient(*self.x, w, **options)
        right = self._along(gradients)
        left, size = self._tangent()
        error = abs(left - right) / size if size > 0 else abs(left - right)
        step = 1e-3 * max([1e-3, *(float(np.sqrt(np.mean(a * a))) for a in self.x)])
        errors = [abs(self._loss(h) - h * right) for h in (step, step / 2)]
        is_linear = not errors[0] > 1e-11 * step * size
        slope = None if is_linear else float(np.log2(errors[0] / errors[1])) if errors[1] > 0 else float("inf")
        ok = bool(error <= _DOT and (slope is None or _SLOPES[0] <= slope <= _SLOPES[1]))
        return {"ok": ok, "dot_error": float(error), "slope": slope, "size": list(self.x[0].shape)}

    def _along(self, gradients: Any) -> float:
        """<v, J^T w>."""
        total = 0.0
        for name in self.gradient.by:
            g = getattr(gradients, name)
            if name == _OUT:
                several = g if isinstance(g, tuple) else (g,)
                total += sum(float(np.sum(a * v)) for a, v in zip(several, self.v_out))
            elif name in self.change:
                total += float(g) * self.change[name]
            else:
                total += float(np.sum(g * self.v[self.gradient.kernel.arrays.index(name)]))
        return total

    def _tangent(self) -> tuple[float, float]:
        """<J v, w>, and the sum of the magnitudes."""
        given: dict[str, tuple[Any, Any]] = dict(zip(self.gradient.kernel.arrays, zip(self.x, self.v)))
        given.update({n: (x, self.change[n]) for n, x in self.numbers.items()})
        shape = self.x[0].shape
        changes = [d for _, d in tangent_of(self.form, given, shape)]
        for d, v, box in zip(changes, self.v_out, self.gradient._boxes):
            inner: Any = (..., *(slice(low, max(low, n - high)) for (low, high), n in zip(box, shape[-len(box):])))
            touched = np.zeros(shape, bool)
            touched[inner] = True
            d[~touched] = v[~touched]
        return (float(sum(np.sum(d * w) for d, w in zip(changes, self.w))),
                float(sum(np.sum(np.abs(d * w)) for d, w in zip(changes, self.w))))

    def _loss(self, h: float) -> float:
        """How much the loss changes by a step."""
        results = []
        for by in (0.0, h):
            outs = tuple(b + by * v for b, v in zip(self.before, self.v_out))
            options: Any = {**self.options, **{n: x + by * self.change[n] for n, x in self.numbers.items()}}
            self.gradient.kernel(*(a + by * v for a, v in zip(self.x, self.v)),
                                 out=outs[0] if len(outs) == 1 else outs, **options)
            results.append(outs)
        return float(sum(np.sum(w * (b - a)) for w, a, b in zip(self.w, *results)))


def _part(shape: Sequence[int], form: Form) -> tuple[slice, ...]:
    """A part of arrays that is small enough to be looked at."""
    extents = list(shape)
    while np.prod(extents) > _MOST_POINTS and max(extents) > 24:
        extents[int(np.argmax(extents))] //= 2
    return tuple(slice(0, n) for n in extents)


def _form_of(kernel: Any) -> Form:
    form = getattr(kernel, "_form", None)
    if form is None or form.traced is None:
        name = getattr(kernel, "__name__", type(kernel).__name__)
        raise TypeError(f"ridge.grad: {name} {_why_not(kernel, form)}; stencils, chains and pairs of Python's "
                        "functions have gradients")
    return form  # type: ignore[no-any-return]


def _why_not(kernel: Any, form: Optional[Form]) -> str:
    if isinstance(getattr(kernel, "kernel", None), Chain):
        return (f"is {kernel!r}: sweeps of a stencil have gradients, systems of chains have none: "
                "`ridge evolve acoustic|elastic|maxwell --gradient` has those of waves")
    if not isinstance(kernel, Kernel):
        return "is no kernel"
    if form is not None:
        return "came from another process without what it was traced from: take ridge.grad there, and send that"
    return "is given as C++ text"


def _check_names(kernel: Kernel, traced: Traced, names: Sequence[str]) -> None:
    known = [p.name for p in (*traced.arrays, *traced.numbers)] + [_OUT]
    unknown = [n for n in names if n not in known]
    if unknown or not names:
        what = f"'{unknown[0]}' is no argument" if unknown else "by= is empty"
        raise TypeError(f"ridge.grad: {what} of {kernel.__name__}; {', '.join(known)} are right")


@overload
def grad(kernel: Union[Stencil, Chain], *, by: Union[str, Sequence[str], None] = None,
         store: Optional[bool] = None) -> Gradient: ...


@overload
def grad(kernel: Pairs, *, by: Union[str, Sequence[str], None] = None) -> PairsGradient: ...


@overload
def grad(kernel: FunctionType, *, by: Union[str, Sequence[str], None] = None) -> Any: ...


@overload
def grad(kernel: Sweeps, *, by: Union[str, Sequence[str], None] = None,
         memory: Union[int, float, str, None] = None) -> SweepsGradient: ...


def grad(kernel: Any, *, by: Union[str, Sequence[str], None] = None, store: Optional[bool] = None,
         memory: Union[int, float, str, None] = None) -> Any:
    """The gradient of a stencil, a chain, or pairs, by its transposed derivative: a chain, compiled and launched
    under schedules as any other.

        gradient = ridge.grad(step)
        p_bar, c2_bar = gradient(p, c2, cotangent, rate=0.1)   # also gradient(...).c2
        record = gradient.measure(p, c2, cotangent, rate=0.1)

    `by` names arrays and numbers, the arrays that results change smoothly with by default; "out" are
    results before the call, whose untouched points stay. `store` says whether what is gathered from
    neighbours is an operation of its own, which the schedule keeps or not, or computed where it is read;
    by default short ones are computed again.

    Of `ridge.sweeps` of a stencil it is the gradient by the arrays before the first step, by coefficients
    and numbers, `gradient(u, c2, cotangent, steps=1000)`. States are kept at even distances, or as many as
    `memory` holds ("8GB", or bytes), and the others computed once more, or as often as few checkpoints need.

    Of `ridge.pairs` it is by bodies, or by targets and sources, `gradient(bodies, cotangent, cutoff=2.5)`; of
    `ridge.gravity` by bodies, `gradient(bodies, cotangent, theta=0)`; of `ridge.solve` by f, the coefficient and the
    shift, `gradient("poisson", f, cotangent, boundary=...)`.

    Of a function of lattice fields it is by its fields: `ridge.grad(lambda u, x: lattice.norm2(u @ x))(u, x)`,
    dL/dRe + i dL/dIm; of one that gives an expression y it takes a cotangent w, L = Re inner_product(w, y).

    Choices take the branch taken; of `abs` the slope at 0 is 0, of two equal ones `minimum`, `maximum` and
    `clip` take half each; `floor`, `ceil`, `trunc`, `sign` and `//` have slope 0. Raises TypeError, by name,
    for kernels and arguments without a derivative."""
    from ._bodies import gravity
    from ._grad_bodies import GravityGradient
    from ._grad_pairs import PairsGradient
    from ._grad_sweeps import SweepsGradient  # which is made of what is here
    from ._pairs import Pairs
    from ._sweeps import Sweeps

    names = [by] if isinstance(by, str) else by
    if isinstance(kernel, Sweeps):
        return SweepsGradient(kernel, names, memory)
    if (of_wing := getattr(kernel, "gradient_by", None)) is not None:
        return of_wing(names)
    if kernel is gravity:
        return GravityGradient(names)
    if isinstance(kernel, Pairs):
        return PairsGradient(kernel, names)
    if isinstance(kernel, FunctionType):
        from ._grad_lattice import LatticeGradient
        return LatticeGradient(kernel, names)
    return Gradient(kernel, names, store)
