"""Gradients of sweeps: the adjoint of each step and of each face, from the last to the first.

The states that they need come from checkpoints: from each the steps up to the
next are taken once more, each into an array that is kept. All arrays are wide: they have what lies beyond the
faces, so that a step is one launch and copies of layers, and a step back is one launch, which adds to what
is known already, and sums of layers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _arrays, _core
from ._adjoint import Form, adjoint_of
from ._alike import BackAlike, alike_of
from ._chain import Chain, chain_of
from ._checkpoints import Plan, next_kept, planned
from ._emit import reachable
from ._extents import spacing_of, whole
from ._faces import Faces
from ._grad import Gradient, _form_of
from ._gradients import gradients_type
from ._rank_faces import RankFaces
from ._sums import sum_in_any_order
from ._sweeps import Sweeps, _boundary_text
from ._trace import Parameter, Value
from ._traced import Traced


@dataclass
class Kept:
    """What the steps backwards begin from: checkpoints, plain arrays, and the states after the last one, where they
    are kept: wide arrays, of the newest level, the first ones of the levels before."""

    saved: list[tuple[int, list[Any]]]  # with the part of the plan that begins there
    latest: Optional[list[Any]]
    plan: Plan
    coefficients: Optional[list[Any]] = None  # wide ones


class SweepsGradient:
    """The gradient of many sweeps. Made by `ridge.grad`."""

    def __init__(self, in_time: Sweeps, by: Optional[Sequence[str]], memory: Union[int, float, str, None]) -> None:
        self.in_time = in_time
        kernel = in_time.kernel
        self.levels = in_time._levels
        states = kernel.arrays[:self.levels]
        everything = Gradient(kernel, None, None).by
        asked = list(everything) if by is None else list(dict.fromkeys(by))
        #: Arrays and numbers that it is the gradient by: arrays before the first step.
        self.by = tuple(asked)
        if "out" in asked:
            raise TypeError(f"ridge.grad: 'out' is no argument of sweeps of {kernel.__name__}")
        self._step = Gradient(kernel, list(dict.fromkeys(
            [*(n for n in states if n in everything), *(n for n in asked if n not in states)])), None)
        self._faces = _faces_of(in_time)
        self._step_back = _StepBack(kernel, self.levels, self._step.by, self._faces)
        self._alike = alike_of(_form_of(kernel), self.levels, self._step.by, self._faces)
        given = in_time.memory if memory is None else memory
        self._memory = None if given is None else bytes_of(given)
        #: What the latest call kept: so many `checkpoints`, `apart` steps or more from each other, `states` between two
        #: of them, in `bytes` at most together; and how many steps it computed `again`.
        self.plan: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<ridge.grad of {self.in_time!r} by {', '.join(self.by)}>"

    def __call__(self, *arrays: Any, steps: int, schedule: str = "auto", device: Optional[str] = None,
                 **numbers: float) -> Any:
        """The gradients of the sum of cotangent*(arrays after so many steps): takes the arrays of a run,
        which it leaves as they are, and the cotangent; of two time levels a tuple of cotangents, one a
        level. `schedule` is of the runs from one checkpoint to the next, and looked at where there is none.
        Returns a named tuple by `by`. Raises UsageError where `memory` holds too few states."""
        kernel = self.in_time.kernel
        if len(arrays) != len(kernel.arrays) + 1:
            raise TypeError(f"the gradient of {kernel.__name__} takes {len(kernel.arrays) + 1} arrays "
                            f"({', '.join(kernel.arrays)} and the cotangent), not {len(arrays)}")
        given = tuple(map(_arrays.plain, arrays[:-1]))
        weights = arrays[-1] if isinstance(arrays[-1], (tuple, list)) else (arrays[-1],)
        if len(weights) != self.levels:
            raise TypeError(f"the gradient of {kernel.__name__}: the cotangent is a tuple of {self.levels} arrays")
        steps = whole(steps, "steps")
        values = dict(zip(*kernel._numbers(numbers)))
        options = {"schedule": schedule, "device": device}
        kernel._check_arrays(given)
        self._check((*kernel.arrays, *["the cotangent"] * self.levels), (*given, *weights))
        kept, _ = self._forward(given, steps, options, values, False)
        found = self._back_to_first(kept, given[self.levels:], list(map(_arrays.plain, weights)), options, values)
        return gradients_type(kernel.__name__, self.by)(**found)

    def _forward(self, given: Sequence[Any], steps: int, options: Mapping[str, Any], values: Mapping[str, Any],
                 is_result: bool) -> tuple[Kept, list[Any]]:
        """The state before the first step, others at even distances, and all after the last of these; or, with a
        result, the state after the last step, and these alone where nothing is then taken again."""
        self._check(self.in_time.kernel.arrays, given)
        # Gradients of 16 bits are wider: rows of both begin alike as they are.
        self._faces.in_lines = any(map(any, self._faces.pads)) and _arrays.item_bytes(given[0]) > 2
        plan = self._planned(steps, given[:self.levels])
        at, last, apart = 0, plan.parts - 1, plan.apart
        now = [_arrays.copy_of(a) if last else a for a in given[:self.levels]]
        saved: list[tuple[int, list[Any]]] = []
        while at < last:
            further = next_kept(last - at + 1, plan.slots - len(saved))
            saved.append((at, [_arrays.copy_of(a) for a in now]))
            self.in_time.run(*now, *given[self.levels:], steps=apart * further, **options, **values)
            at += further
        rest = steps - apart * last
        self.plan = {"checkpoints": plan.slots + 1, "states": min(apart, steps), "again": plan.again,
                     "bytes": plan.bytes, "apart": apart, "steps": steps}
        if not saved and options["schedule"] != "auto":  # no run takes it
            self.in_time.run(*map(_arrays.copy_of, now), *given[self.levels:], steps=1, **options, **values)
        if is_result and saved:
            self.plan["again"] += rest - 1
            if len(saved) < plan.slots or plan.slots == last:
                saved.append((last, [_arrays.copy_of(a) for a in now]))
            else:
                self.plan["again"] += apart * (last - saved[-1][0])
            self.in_time.run(*now, *given[self.levels:], steps=rest, **options, **values)
            return Kept(saved, None, plan), now
        states = [self._faces.wide(a, True) for a in reversed(now)]
        coefficients = self._wide_coefficients(given[self.levels:])
        self._steps(states, coefficients, rest - (not is_result), options["device"], values, [])
        found = [_arrays.copy_of(self._faces.inner(a)) for a in states[:-self.levels - 1:-1]] if is_result else []
        if is_result:  # long before the steps backwards
            return Kept(saved, states[:-1] if rest else states, plan), found
        return Kept(saved, states, plan, coefficients), found

    def _check(self, names: Sequence[str], arrays: Sequence[Any]) -> None:
        kernel, first = self.in_time.kernel, arrays[0]
        _arrays.require_one_type(f"the gradient of {kernel.__name__}", names, arrays)
        for name, array in zip(names, arrays):
            if len(array.shape) != kernel.rank or array.shape != first.shape:
                raise _core.UsageError(f"the gradient of {kernel.__name__}: {name} has the shape {tuple(array.shape)}; "
                                       f"all arrays have one shape, of {kernel.rank} axes, as {kernel.arrays[0]} has "
                                       f"{tuple(first.shape)}")
        self._faces.require_points(first.shape)
        owned = self._faces.owned
        if owned is not None and tuple(first.shape) != owned:
            raise _core.UsageError(f"the gradient of {kernel.__name__}: {names[0]} has the shape {tuple(first.shape)}; "
                                   f"this rank owns {owned} of {self._faces.points}")

    def _wide_coefficients(self, given: Sequence[Any]) -> list[Any]:
        return [self._faces.wide(a, False) for a in given]

    def _steps(self, states: list[Any], coefficients: Sequence[Any], count: int, device: Optional[str],
               values: Mapping[str, Any], free: list[Any]) -> None:
        """Takes so many steps from states, whose newest levels it adds to them."""
        faces = self._faces
        core, numbers = self.in_time.kernel._bind_numbers(values, len(self.in_time.kernel.arrays) + 1)
        for _ in range(count):
            now = states[:-self.levels - 1:-1]
            made = free.pop() if free else faces.new(now[0], now[0].shape)
            for old, new in zip(faces.untouched(now[0]), faces.untouched(made)):
                new[...] = old
            core.run((*now, *coefficients, made), numbers, "auto", device, True)
            faces.fill(made, True)
            states.append(made)

    def _back_to_first(self, kept: Kept, given: Sequence[Any], weights: list[Any], options: Mapping[str, Any],
                       values: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients by name, from what is kept, which is used up."""
        faces, levels, device = self._faces, self.levels, options["device"]
        plan = kept.plan
        steps = plan.steps
        found = {} if steps else {n: _arrays.copy_of(w) for n, w in zip(self.in_time.kernel.arrays, weights)}
        sums: dict[str, Any] = {}
        if steps:
            coefficients = kept.coefficients or self._wide_coefficients(given)
            is_narrow = _arrays.item_bytes((kept.latest or kept.saved[0][1])[0]) == 2
            back = self._back(coefficients, weights, device, values, faces, is_narrow)
            free: list[Any] = []
            saved = list(kept.saved)
            for part in reversed(range(plan.parts)):
                if kept.latest is None or part < plan.parts - 1:
                    state = self._state_at(part, saved, plan, given, options, values)
                    states = [faces.wide(a, True) for a in reversed(state)]
                    del state
                    count = min(plan.apart, steps - plan.apart * part)
                    self._steps(states, coefficients, count - 1, device, values, free)
                else:  # those of all steps may be asked for once more
                    states = kept.latest or [] if saved else list(kept.latest or ())
                for last in range(len(states), levels - 1, -1):
                    back.step(states[last - levels:last][::-1])
                    used = states.pop()
                    if kept.saved:
                        free.append(used)
            found.update(back.by_states())
            sums = back.by_others()
        return {n: found[n] if n in found else sums[n] if n in sums else self._nothing(n, given) for n in self.by}

    def _state_at(self, part: int, saved: list[tuple[int, list[Any]]], plan: Plan, given: Sequence[Any],
                  options: Mapping[str, Any], values: Mapping[str, Any]) -> list[Any]:
        """The state where a part begins, from the last one that is kept; others on the way there are kept as there is
        room."""
        while True:
            at, state = saved[-1]
            if at == part:
                return saved.pop()[1]
            further = next_kept(part - at + 1, plan.slots - len(saved) + 1)
            now = list(map(_arrays.copy_of, state))
            self.in_time.run(*now, *given, steps=plan.apart * further, **options, **values)
            if at + further == part:
                return now
            saved.append((at + further, now))

    def _back(self, coefficients: Sequence[Any], weights: Sequence[Any], device: Optional[str],
              values: Mapping[str, Any], faces: Faces, is_narrow: bool) -> Union[BackAlike, _Back]:
        weights = list(map(_arrays.wide, weights))
        if self._alike is not None and not is_narrow:
            alike = BackAlike(self._alike, self.in_time.kernel.arrays, self.levels, faces, coefficients, device, values)
            if alike.begin(weights):
                return alike
        wide = [faces.weights(w) for w in weights]
        for w in wide:
            faces.free(w)
            faces.share(w)
        return _Back(self._step_back, faces, coefficients, wide, device, values)

    def _nothing(self, name: str, coefficients: Sequence[Any]) -> Any:
        """The gradient by what no step has used."""
        arrays = self.in_time.kernel.arrays
        if name not in arrays:
            return 0.0
        return _arrays.zeros(coefficients[arrays.index(name) - self.levels], name)

    def _planned(self, steps: int, state: Sequence[Any]) -> Plan:
        """A checkpoint has all levels, a state between two of them adds its newest level, with what lies beyond
        faces."""
        each = sum(int(math.prod(a.shape)) * _arrays.item_bytes(a) for a in state)
        each, one = (int(self._faces.greatest(n)) for n in (each, self._faces.wide_bytes(state[0])))
        plan, least = planned(steps, self._memory, each, one, self.levels)
        if plan is None:
            raise _core.UsageError(f"the gradient of {self.in_time.kernel.__name__}: {steps} steps need {least} bytes "
                                   f"for their states; memory= is {self._memory}")
        return plan


class _StepBack:
    """The adjoint of one step, which adds what it finds to what is known: by a time level, to what it is weighted
    with as the next level of the step before; by others, to the sum over the steps after it."""

    def __init__(self, kernel: Any, levels: int, by: Sequence[str], faces: Faces) -> None:
        form = _form_of(kernel)
        #: Whether cotangents beyond faces are kept 0, so that no term asks whether there is who reads it.
        self.is_zero_outside = faces.is_zero_outside and _is_finite(form)
        made = adjoint_of(form, by, is_bounded=not self.is_zero_outside)
        traced = made.traced
        self.kernel, self.levels, self.by = kernel, levels, made.by
        self.states = kernel.arrays[:levels]
        here = (0,) * traced.rank
        taken = {p.name for p in (*traced.arrays, *traced.numbers)}
        self.reads = [kernel.arrays.index(n) for n in made.reads]
        self.is_weighted = bool(made.cotangents)
        #: Where the oldest level before a step is weighted with what the newest one after it is, as in waves, no launch
        #: writes it: the sign; else 0.
        self.handed = self._handed(traced)
        #: Gradients that begin from an array.
        self.onto = [n for n in self.by if n != self.states[-1]]
        for name in self.onto:
            p = Parameter(f"known_{name}")
            while p.name in taken:
                p.name += "_"
            taken.add(p.name)
            p.kind, p.rank = "array", traced.rank
            traced.arrays.append(p)
            k = self.by.index(name)
            sign = "-" if self.handed < 0 and name == self.states[-2] else "+"
            traced.results[k] = Value(sign, (traced.results[k], Value("load", data=(p, here))))
        if self.handed:
            del traced.results[self.by.index(self.states[-1])]
            self.by.remove(self.states[-1])
        self.chain: Chain = chain_of(traced, made.edge, [f"gradient_{n}" for n in self.by],
                                     says_interior=self.is_zero_outside)
        #: Arrays that are read at a distance: what lies beyond faces has a gradient, too.
        self.far = {v.data[0].name for op in form.operations for v in reachable([op.value])
                    if v.op == "load" and any(v.data[1])}

    def _handed(self, traced: Traced) -> int:
        newest, oldest = self.states[0], self.states[-1]
        if not self.is_zero_outside or len(self.states) != 2 or not {newest, oldest} <= set(self.by):
            return 0
        value = traced.results[self.by.index(oldest)]
        sign = 1
        while value.op == "negate":
            (value,), sign = value.args, -sign
        is_weight = value.op == "load" and value.data[0] is traced.arrays[-1] and not any(value.data[1])
        return sign if is_weight and self.is_weighted else 0


class _Back:
    """Steps backwards."""

    def __init__(self, adjoint: _StepBack, faces: Faces, coefficients: Sequence[Any], weights: list[Any],
                 device: Optional[str], values: Mapping[str, Any]) -> None:
        self.adjoint, self.faces, self.device = adjoint, faces, device
        #: What the levels are weighted with, and sums by name of others; arrays to write to.
        self.weights = weights
        if adjoint.handed < 0:
            weights[-1] *= -1
        self.sums: dict[str, Any] = {n: self._nothing() for n in adjoint.by if n not in adjoint.states}
        self.free: list[Any] = []
        self.coefficients = [_arrays.wide(c) for c in coefficients]
        chain = adjoint.chain
        self.core, self.numbers = chain._bind_numbers({n: v for n, v in values.items() if n in (chain.numbers or ())},
                                                      len(chain.arrays) + len(chain.outputs))

    def _nothing(self) -> Any:
        return self.faces.around(self.faces.inner(self.weights[0]))

    def step(self, state: Sequence[Any]) -> None:
        """A step back; `state`: the levels before it, the newest first."""
        adjoint = self.adjoint
        levels, states = adjoint.levels, adjoint.states
        arrays = [*state, *self.coefficients]
        read = [_arrays.wide(arrays[i]) for i in adjoint.reads]
        after = dict(zip(states, self.weights[1:]))  # what the next step has for the one before
        read += [self.weights[0]] * adjoint.is_weighted
        read += [after[n] if n in states else self.sums[n] for n in adjoint.onto]
        outs = tuple(self.free.pop() if self.free else self.faces.new(self.weights[0], self.weights[0].shape)
                     for _ in adjoint.by)
        self.core.run((*read, *outs), self.numbers, "auto", self.device, True)
        made = dict(zip(adjoint.by, outs))
        used = [self.weights[0]]
        for name in self.sums:
            used.append(self.sums[name])
            self.sums[name] = made[name]
        before = []
        if adjoint.handed:
            made[states[-1]] = used.pop(0)
        for k, name in enumerate(states):
            weight = made[name] if name in made else after[name] if name in after else None
            if name in made and name in after:
                used.append(after[name])
            before.append(weight if k > 0 and adjoint.handed else self._weight(k, name, weight))
        self.weights, self.free = before, self.free + used

    def _weight(self, k: int, name: str, weight: Any) -> Any:
        """The cotangent of level k of the state before."""
        faces = self.faces
        if weight is None:
            weight = self._nothing()
        if k == 0:
            for mine, after in zip(faces.untouched(weight), faces.untouched(self.weights[0])):
                mine += after
        if name in self.adjoint.far:
            faces.fold(weight, True)
            if k > 0 or self.adjoint.is_zero_outside:
                faces.clear_outside(weight)
        faces.free(weight)
        faces.share(weight)
        return weight

    def by_states(self) -> dict[str, Any]:
        found = {n: self.faces.inner(w) for n, w in zip(self.adjoint.states, self.weights)}
        oldest = self.adjoint.states[-1]
        return {n: -w if n == oldest and self.adjoint.handed < 0 else _arrays.copy_of(w) for n, w in found.items()}

    def by_others(self) -> dict[str, Any]:
        found = {}
        for name, array in self.sums.items():
            if name not in self.adjoint.kernel.arrays:
                mine = self.faces.inner(array)
                count = math.prod(self.faces.points or mine.shape)
                found[name] = sum_in_any_order(mine, count, self.faces.greatest, self.faces.total)
                continue
            self.faces.fold(array, False)
            found[name] = _arrays.copy_of(self.faces.inner(array))
        return found


def _faces_of(in_time: Sweeps) -> Faces:
    kernel = in_time.kernel
    in_time._made_for(kernel.rank, tuple(kernel.numbers or ()))  # refuses what is no condition
    given = (_boundary_text(in_time.boundary, kernel.axes, kernel.rank), [low for low, _ in _form_of(kernel).box(0)],
             spacing_of(in_time._spacing, kernel.rank), kernel.__name__)
    return RankFaces(*given, in_time._points, in_time._part()) if in_time._points else Faces(*given)


def _is_finite(form: Form) -> bool:
    """Whether derivatives of finite numbers are finite: sums and products, and divisions by constants, alone."""
    sums = ("load", "number", "literal", "negate", "+", "-", "*")
    return all(v.op in sums or (v.op == "/" and v.args[1].op == "literal")
               for op in form.operations for v in reachable([op.value]))


def bytes_of(memory: Union[int, float, str]) -> int:
    """Bytes, from a number of them or a text such as "8GB" or "500MB"."""
    units = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "B": 1}
    if isinstance(memory, str):
        for unit, size in units.items():
            if memory.upper().endswith(unit):
                try:
                    return int(float(memory[:-len(unit)]) * size)
                except ValueError:
                    break
    elif not isinstance(memory, bool) and memory > 0:
        return int(memory)
    raise TypeError(f"memory={memory!r}: a number of bytes is right, or a text such as '8GB'")
