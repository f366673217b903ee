"""Gradients of sums over pairs: sums over the same pairs, launched by the same executors."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _arrays, _core
from ._adjoint_pairs import Made, PairsForm, adjoint_of
from ._gradients import gradients_type
from ._pairs import Pairs, box_lengths, pairs_of
from ._record import Record, Records
from ._tangent import pairs_tangent_of

#: As of stencils: dot products in double, the slope of differences, and how many pairs a test looks at.
_DOT, _SLOPES, _MOST_PAIRS = 1e-12, (1.6, 2.3), 1 << 15
#: What calls take beside an interaction's own numbers.
_LISTS = ("cutoff", "skin", "box")


class _Part:
    """One sum that gradients are made of: by an array, with its weights if it is that of targets, and numbers."""

    def __init__(self, made: Made, array: Optional[str], numbers: Sequence[str]) -> None:
        form = PairsForm(made.name, made.results, made.targets, made.sources, made.numbers, made.defaults)
        self.kernel = pairs_of(form, f"The adjoint of {made.name.removesuffix('_adjoint')}.")
        self.array, self.numbers, self.rows = array, tuple(numbers), made.by_array

    def arrays(self, given: Sequence[Any], weighted: Any) -> tuple[Any, ...]:
        """What the kernel takes; `weighted` are targets or bodies with their weights."""
        if len(given) == 1:
            return (weighted,)
        return (given[1], weighted) if self.array == "sources" else (weighted, given[1])


class PairsGradient:
    """The gradient of a sum over pairs. Made by `ridge.grad`."""

    def __init__(self, kernel: Pairs, by: Optional[Sequence[str]]) -> None:
        form: PairsForm = kernel._form
        self.kernel = kernel
        if not form.results:
            raise TypeError(f"ridge.grad: {kernel.__name__} came from another process without what it was traced from: "
                            "take ridge.grad there, and send that")
        known = ["bodies", "targets", "sources", *(kernel.numbers or ())]
        asked = None if by is None else [n for n in dict.fromkeys(by) if n != "out"]  # which a call overwrites
        for name in asked or ():
            if name in _LISTS and name not in known:
                raise TypeError(f"{kernel.__name__} has no derivative by {name}: sums end there at once")
            if name not in known:
                raise TypeError(f"ridge.grad: '{name}' is no argument of {kernel.__name__}; {', '.join(known)} are "
                                "right")
        if by is not None and not by:
            raise TypeError(f"ridge.grad: by= is empty of {kernel.__name__}; {', '.join(known)} are right")
        wrong = [n for n in (("bodies",) if asked is None else asked) if not form.changes_with(n)]
        if wrong:
            raise TypeError(f"{kernel.__name__} has no derivative by {', '.join(wrong)}: its sums depend on it by "
                            "comparisons and whole numbers (where, sign, floor and the like) alone")
        #: Arrays and numbers that it is the gradient by; None: the arrays of a call.
        self.by = None if asked is None else tuple(asked)
        self._parts = {1: self._parts_of(form, ("bodies",)), 2: self._parts_of(form, ("targets", "sources"))}
        self._local = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        return {n: v for n, v in self.__dict__.items() if n != "_local"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _local=threading.local())

    def _parts_of(self, form: PairsForm, arrays: Sequence[str]) -> list[_Part]:
        is_of_bodies = arrays == ("bodies",)
        if is_of_bodies and form.targets > form.sources:
            return []
        by_arrays = [n for n in arrays if form.changes_with(n) and (self.by is None or n in self.by)]
        numbers = [n for n in self.by or () if n in (self.kernel.numbers or ())]
        parts = []
        for name in by_arrays:
            mine = numbers if name != "sources" else []
            parts.append(_Part(adjoint_of(form, name, mine, is_of_bodies), name, mine))
        if numbers and not any(p.numbers for p in parts):
            parts.append(_Part(adjoint_of(form, None, numbers, is_of_bodies), None, numbers))
        return parts

    def __repr__(self) -> str:
        return f"<ridge.grad of {self.kernel.__name__} by {', '.join(self.by or ('its arrays',))}>"

    def __call__(self, *arrays: Any, out: Any = None, schedule: str = "auto", device: Optional[str] = None,
                 **numbers: Any) -> Any:
        """The gradients of the sum of sums*cotangent: takes bodies, or targets and sources, and the cotangent, of
        shape (sums, targets); numbers, `cutoff`, `skin` and `box` as a call. Returns a named tuple by `by`: arrays of
        the shapes of those given, and numbers as float. `out` is a tuple of arrays to write those by arrays into."""
        given, weights = self._split(arrays)
        found = self._by_name(given, (weights,), device, numbers, schedule, out)
        return gradients_type(self.kernel.__name__, tuple(self._names(len(given))))(**found)

    def _names(self, count: int) -> list[str]:
        """Of what a call gives, in order."""
        found = {n for p in self._parts[count] for n in (p.array, *p.numbers)}
        if self.by is None:
            return [n for n in ("bodies", "targets", "sources") if n in found]
        missing = [n for n in self.by if n not in found]
        if missing:
            raise TypeError(f"the gradient of {self.kernel.__name__} is by {', '.join(missing)}, and the call gives "
                            f"{'bodies' if count == 1 else 'targets and sources'}")
        return list(self.by)

    def _split(self, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        """The kernel's arrays, and the cotangent."""
        name, (targets, _) = self.kernel.__name__, self.kernel.components
        if len(arrays) not in (2, 3):
            raise TypeError(f"the gradient of {name} takes bodies, or targets and sources, and the cotangent, not "
                            f"{len(arrays)} arrays; numbers are given by name")
        self.kernel._check_arrays(arrays[:-1])
        why = _arrays.why_no_array(arrays[-1])
        if why:
            raise TypeError(f"the gradient of {name}: the cotangent {why}")
        given = tuple(map(_arrays.plain, arrays[:-1]))
        if len(given) == 1 and not self._parts[1] and targets > self.kernel.components[1]:
            raise TypeError(f"the gradient of {name}: targets have more components than sources, so bodies do not act "
                            "on each other")
        return given, _arrays.plain(arrays[-1])

    def _reads_of(self, count: int) -> tuple[int, ...]:
        return tuple(range(count))

    def _by_name(self, given: Sequence[Any], weights: Sequence[Any], device: Optional[str], numbers: Mapping[str, Any],
                 schedule: str = "auto", out: Any = None) -> dict[str, Any]:
        """The gradients."""
        names = self._names(len(given))
        outs = self._outs([n for n in names if n in ("bodies", "targets", "sources")], out)
        weighted = self._weighted(given[0], weights[0])
        found = {}
        for part in self._parts[len(given)]:
            to = outs.get(part.array or "")
            made = part.kernel(*part.arrays(given, weighted), out=None if part.numbers else to, schedule=schedule,
                               device=device, **self._numbers(part, numbers))
            if part.array is not None:
                if to is not None and part.numbers:
                    to[...] = made[:part.rows]
                found[part.array] = made[:part.rows] if to is None and part.numbers else made if to is None else to
            found.update((n, _arrays.sum_of(made[part.rows + k])) for k, n in enumerate(part.numbers))
        return {n: found[n] for n in names}

    def _recorded(self, given: Sequence[Any], weights: Sequence[Any], device: Optional[str],
                  numbers: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients, as torch records them."""
        torch: Any = sys.modules["torch"]
        weighted = torch.cat((given[0], weights[0]))
        found = {}
        for part in self._parts[len(given)]:
            made = part.kernel(*part.arrays(given, weighted), device=device, **self._numbers(part, numbers))
            if part.array is not None:
                found[part.array] = made[:part.rows]
            found.update((n, made[part.rows + k].sum()) for k, n in enumerate(part.numbers))
        return found

    def _outs(self, names: Sequence[str], out: Any) -> dict[str, Any]:
        if out is not None and (not isinstance(out, (tuple, list)) or len(out) != len(names)):
            raise TypeError(f"the gradient of {self.kernel.__name__}: out= is a tuple of {len(names)} arrays, for the "
                            f"gradients by {', '.join(names) or 'none'}")
        return dict(zip(names, out or ()))

    def _weighted(self, bodies: Any, weights: Any) -> Any:
        """Targets or bodies, and behind their components their weights. In the same memory from call to call, by which
        lists of near pairs know them."""
        rows, shape = len(self.kernel._form.results) or self.kernel.sums, tuple(weights.shape)
        if len(bodies.shape) != 2 or shape != (rows, bodies.shape[1]) or weights.dtype != bodies.dtype:
            raise _core.UsageError(
                f"the gradient of {self.kernel.__name__}: the cotangent is {weights.dtype} of shape {shape}; "
                f"{bodies.dtype} of shape ({rows}, {bodies.shape[-1]}) is right")
        wanted = len(bodies) + rows, bodies.shape[1]
        where = str(getattr(bodies, "device", ""))
        key = (_arrays.library_of(bodies), wanted, str(bodies.dtype), where,
               _arrays.current_stream(bodies, _arrays.device_number(bodies)) if "cuda" in where.lower() else 0)
        if getattr(self._local, "key", None) != key:
            self._local.array = _arrays.zeros(bodies, self.kernel.__name__, wanted)
            self._local.key = key
        found = self._local.array
        found[:len(bodies)] = bodies
        found[len(bodies):] = weights
        return found

    def _numbers(self, part: _Part, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those that the adjoint has, of the kernel's, and those of lists, where the call is by lists."""
        kernel = self.kernel
        own = kernel.numbers or ()
        lists = {n: given[n] for n in _LISTS if n in given and n not in own}
        names, values = kernel._numbers({n: x for n, x in given.items() if n not in lists})
        mine = {n: x for n, x in zip(names, values) if n in (part.kernel.numbers or ())}
        if lists:
            mine.update(lists)
            if "cutoff" in own:
                mine["cutoff"] = given.get("cutoff", kernel._defaults.get("cutoff"))
        return mine

    # As of any kernel.

    @property
    def adjoint(self) -> Pairs:
        """The adjoint of bodies among themselves; its components are theirs, then their weights."""
        return self._one(1).kernel

    def _one(self, count: int) -> _Part:
        if len(self._parts[count]) != 1:
            raise _core.UsageError(f"{self!r} is {len(self._parts[count])} sums; ridge.grad(..., by='sources') names "
                                   "one")
        return self._parts[count][0]

    def measure(self, *arrays: Any, schedule: str = "auto", device: Optional[str] = None, repeat: int = 15,
                check: bool = True, **numbers: Any) -> Record:
        """Times launches of the adjoint, as `measure` of any kernel does; with `check` the record has `adjoint`: what
        `test` found."""
        found = self.measure_all(*arrays, schedule=schedule, device=device, repeat=repeat, check=check, **numbers)
        if len(found) != 1:
            raise _core.UsageError(f"'{schedule}' means {len(found)} records; measure_all() takes several sums and "
                                   "schedules")
        return found[0]

    def measure_all(self, *arrays: Any, schedule: str = "all", device: Optional[str] = None, repeat: int = 15,
                    check: bool = True, **numbers: Any) -> Records:
        """As measure(), of each sum under each schedule that is asked for."""
        given, weights = self._split(arrays)
        self._names(len(given))
        weighted = self._weighted(given[0], weights)
        tested = {"adjoint": PairsGradient.test(self, *given, device=device, **numbers)} if check else {}
        return Records(Record({**r, **tested}) for part in self._parts[len(given)]
                       for r in part.kernel.measure_all(*part.arrays(given, weighted), schedule=schedule, device=device,
                                                        repeat=repeat, check=check, **self._numbers(part, numbers)))

    def test(self, *arrays: Any, device: Optional[str] = None, **numbers: Any) -> dict[str, Any]:
        """Whether the gradient is one, in double on the host, with up to 32768 pairs: as `Gradient.test` says. Bodies
        with a pair at the cutoff stay where they are."""
        if not self.kernel._form.results:
            raise _core.UsageError(f"{self!r} came from another process: test it there")
        most = int(_MOST_PAIRS**0.5)
        x = [_arrays.on_host(a)[:, :most].astype(np.float64) for a in arrays]
        return _Test(self, x, device, numbers).found()


class _Test:
    """A test of a gradient at x."""

    def __init__(self, gradient: PairsGradient, x: list[Any], device: Optional[str], given: Mapping[str, Any]) -> None:
        self.gradient, self.x, self.device, self.given = gradient, x, device, given
        kernel = gradient.kernel
        own = kernel.numbers or ()
        names, values = kernel._numbers({n: v for n, v in given.items() if n in own or n not in _LISTS})
        self.numbers = dict(zip(names, map(float, values)))
        self.is_near = any(n in given and n not in own for n in _LISTS)
        self.cutoff = float(given.get("cutoff", self.numbers.get("cutoff", np.inf))) if self.is_near else np.inf
        self.box = box_lengths(given.get("box"), kernel.__name__) if self.is_near else (0.0, 0.0, 0.0)
        rng = np.random.default_rng(1)
        self.by = gradient._names(len(x))
        ends = ("bodies",) if len(x) == 1 else ("targets", "sources")
        self.v = [rng.standard_normal(a.shape) * (n in self.by) for n, a in zip(ends, x)]
        self.change = {n: rng.standard_normal() * (n in self.by) for n in names}
        self.ends = ends
        self.w = rng.standard_normal((kernel.sums, x[0].shape[1]))
        #: Small beside distances of bodies that are near each other.
        self.step = 1e-5 * max(1e-3, *(float(np.sqrt(np.mean(a * a))) for a in x))
        if self.is_near:
            r = np.sqrt((self._differences()**2).sum(0))
            at_cutoff = np.abs(r - self.cutoff) < 4 * self.step * np.abs(self.v[0]).max()
            self.v[0][:3, at_cutoff.any(0)] = 0

    def _differences(self) -> Any:
        d = self.x[0][:3, :, None] - self.x[-1][:3, None, :]
        for a, length in enumerate(self.box):
            if length:
                d[a] -= length * np.round(d[a] / length)
        return d

    def found(self) -> dict[str, Any]:
        gradients = PairsGradient.__call__(self.gradient, *self.x, self.w, device=self.device, **self.given)
        right = sum(float(np.sum(getattr(gradients, n) * v)) for n, v in zip(self.ends, self.v) if n in self.by)
        right += sum(float(getattr(gradients, n)) * d for n, d in self.change.items() if n in self.by)
        left, size = self._tangent()
        error = abs(left - right) / size if size > 0 else abs(left - right)
        errors = [abs(self._loss(h) - h * right) for h in (self.step, self.step / 2)]
        is_linear = not errors[0] > 1e-11 * self.step * size
        slope = None if is_linear else float(np.log2(errors[0] / errors[1])) if errors[1] > 0 else float("inf")
        ok = bool(error <= _DOT and (slope is None or _SLOPES[0] <= slope <= _SLOPES[1]))
        return {"ok": ok, "dot_error": float(error), "slope": slope, "size": [a.shape[1] for a in self.x]}

    def _tangent(self) -> tuple[float, float]:
        """<J v, w>, and the sum of the magnitudes of its terms."""
        form = self.gradient.kernel._form
        loads: dict[tuple[str, int], tuple[Any, Any]] = {}
        for c in range(form.targets):
            loads["target", c] = self.x[0][c][:, None], self.v[0][c][:, None]
        for c in range(form.sources):
            loads["source", c] = self.x[-1][c][None], self.v[-1][c][None]
        if self.is_near:  # from the nearest image
            d = self._differences()
            for c in range(3):
                loads["source", c] = self.x[0][c][:, None] - d[c], self.v[-1][c][None]
        counts = np.ones((self.x[0].shape[1], self.x[-1].shape[1]), bool)
        if len(self.x) == 1:
            np.fill_diagonal(counts, False)
        if self.is_near:
            counts &= (self._differences()**2).sum(0) < self.cutoff**2
        numbers = {n: (x, self.change[n]) for n, x in self.numbers.items()}
        changes = [np.where(counts, np.broadcast_to(d, counts.shape), 0.0) * w[:, None]
                   for (_, d), w in zip(pairs_tangent_of(form.results, loads, numbers), self.w)]
        return float(sum(c.sum() for c in changes)), float(sum(np.abs(c).sum() for c in changes))

    def _loss(self, h: float) -> float:
        """How much the loss changes by a step."""
        results = []
        for by in (0.0, h):
            moved: dict[str, Any] = {n: x + by * self.change[n] for n, x in self.numbers.items()}
            if self.is_near and "cutoff" in self.given:
                moved["cutoff"] = self.given["cutoff"]
            others = {n: x for n, x in self.given.items() if n in _LISTS and n not in moved}
            results.append(self.gradient.kernel(*(a + by * v for a, v in zip(self.x, self.v)), device=self.device,
                                                **moved, **others))
        return float(np.sum(self.w * (results[1] - results[0])))
