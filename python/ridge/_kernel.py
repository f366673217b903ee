"""Kernels of Python: traced or given as C++ text, compiled when first called."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import keyword
import numbers
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional

import numpy as np

from . import _arrays, _core, _torch_func
from ._compile import compiled, key_of
from ._record import Record, Records, records_of
from ._trace import Parameter, TraceError, users_line


#: Stands in a description for what arrays hold (src/python/kernel.cpp).
NUMBER = "@NUMBER@"


class Source:
    """C++ text of a functor: where it is kept, and how it is described to the library."""

    def __init__(self, text: str, type_name: str, pattern: str,
                 places: Optional[Mapping[str, Sequence[str]]] = None, given_name: str = "") -> None:
        self.text = text
        self.type_name = type_name
        self.pattern = pattern
        #: Where numbers are kept, where that is not a member of their name.
        self.places = places or {}
        #: The functor's name in text of the user's, who may read what the footprint does not declare.
        self.given_name = given_name

    def as_pattern(self, pattern: str) -> Source:
        """The same functor, described as one of another pattern."""
        return Source(self.text, self.type_name, pattern, self.places, self.given_name)

    def _kernel(self, numbers: Sequence[str]) -> str:
        """Statements that make the kernel and set `numbers`."""
        members = "".join(
            f"  {place} = arguments.numbers[{i}];\n" for i, name in enumerate(numbers)
            for place in self.places.get(name, (f"kernel.{name}",)))
        checked = f"  ridge::stencil::require_declared(\"{self.given_name}\", kernel);\n"
        return f"  {self.type_name} kernel{{}};\n{members}{checked if self.given_name else ''}"

    def _includes(self, file: str) -> str:
        checks = "#include <ridge/stencil/declared.hpp>\n" if self.given_name else ""
        return f"{checks}#include \"{file}\"\n"

    def describe(self, file: str, numbers: Sequence[str]) -> str:
        """The text that the library compiles to learn what the kernel is, and to set `numbers`; in place
        of NUMBER it writes what the arrays of a call hold."""
        folder, call = self.pattern, f"{self.pattern}::described_on_arrays"
        if self.pattern == "near":  # of pairs
            folder, call = "pairs/lists", "pairs::described_near"
        return (
            f"#include <ridge/{folder}/on_arrays.hpp>\n{self._includes(file)}"
            "namespace {\n"
            "std::unique_ptr<ridge::Case> make(ridge::Queue& queue, ridge::RoofSource& roof,\n"
            "                                  const ridge::Arguments& arguments) {\n"
            f"  (void)roof;\n{self._kernel(numbers)}"
            f"  return ridge::{call}<{NUMBER}>(queue, roof, kernel, arguments,\n"
            f"                                         \"{file}\");\n}}\n"
            "const ridge::Offer offered(ridge::DeviceKind::cpu, typeid(ridge::DescribeOnArrays*),\n"
            "                           &make);\n}\n")

    def describe_sweeps(self, file: str, numbers: Sequence[str]) -> str:
        """The same, to learn how many sweeps of a stencil are made."""
        return (
            f"#include <ridge/stencil/sweeps_on_arrays.hpp>\n{self._includes(file)}"
            "namespace {\n"
            "std::unique_ptr<ridge::stencil::Sweeps> make(\n"
            "    ridge::Queue& queue, const ridge::Arguments& arguments,\n"
            "    const ridge::stencil::ArrayStorage& storage, const ridge::stencil::RankPart& place,\n"
            "    const std::string& schedule) {\n"
            f"{self._kernel(numbers)}"
            "  return ridge::stencil::make_sweeps(queue, kernel, arguments, storage, place, schedule,\n"
            f"                                    \"{file}\");\n}}\n"
            "ridge::stencil::SweepsMaker describe() {\n"
            f"  return {{ridge::stencil::levels_of<{self.type_name}>(),\n"
            f"          ridge::stencil::traits_of<{self.type_name}, double>(), &make}};\n}}\n"
            "const ridge::Offer offered(ridge::DeviceKind::cpu,\n"
            "                           typeid(ridge::stencil::DescribeSweeps*), &describe);\n}\n")


def unique(text: str) -> str:
    """A part of a name that another text does not have: types of one name from two sources must not
    meet in a process."""
    return hashlib.blake2s(text.encode(), digest_size=8).hexdigest()


#: Names of parameters that calls take for themselves.
RESERVED = ("out", "schedule", "device", "repeat", "check", "seconds", "most", "prove", "steps",
            "size", "precision")


#: And those that the generated text needs.
_TAKEN = frozenset(
    "exp log sqrt sin cos pow select ridge std footprint footprints flops targets sources sums "
    "alignas alignof asm auto bool case catch char concept const consteval constexpr constinit "
    "const_cast decltype default delete do double dynamic_cast enum explicit export extern false "
    "float friend goto inline int long mutable namespace new noexcept nullptr operator private "
    "protected public register reinterpret_cast requires short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "union unsigned using virtual void volatile wchar_t and or not xor".split())


def check_name(name: str, what: str, in_cpp: bool = True) -> None:
    """Throws unless a name can be one in calls and, where the user's own C++ has it, there. Traced
    kernels have names of their own in C++."""
    if not name.isascii() or not name.isidentifier() or keyword.iskeyword(name):
        raise TraceError(f"{users_line()}: {what} '{name}' is no name that C++ could have")
    if name in RESERVED or name.startswith("_") or (in_cpp and name in _TAKEN):
        raise TraceError(f"{users_line()}: {what} '{name}' has another meaning there; rename it")


def name_of(function: Any, word: str) -> str:
    """Of what is to become a kernel: a function, a lambda, what functools.partial made of one, or an
    object that can be called."""
    if isinstance(function, Kernel):
        raise TypeError(f"ridge.{word}: {function.__name__} is a kernel already")
    if isinstance(function, functools.partial):
        return name_of(function.func, word)
    if not callable(function):
        raise TypeError(f"ridge.{word} takes a function, not {function!r} ({type(function).__name__})")
    name = str(getattr(function, "__name__", type(function).__name__))
    if name == "<lambda>":
        return f"lambda_{function.__code__.co_firstlineno}"
    check_name(name, f"the {word}", in_cpp=False)
    return name


def require_kernel(kernel: Any, word: str) -> None:
    """Raises TypeError for what is neither a kernel nor the name of one."""
    if isinstance(kernel, Kernel):
        return
    of = getattr(kernel, "kernel", None)
    instead = f"; give its kernel, {of.__name__}" if isinstance(of, Kernel) else ""
    raise TypeError(f"ridge.{word} takes a kernel, or the name of a built-in one, not {type(kernel).__name__}{instead}")


def doc_of(function: Any) -> Optional[str]:
    doc = (function.func if isinstance(function, functools.partial) else function).__doc__
    return doc if isinstance(doc, str) else None


def parameters_of(function: Callable[..., Any],
                  name: str) -> tuple[list[Parameter], dict[str, float]]:
    """The parameters of a function to be traced, and defaults of those that have one. What
    functools.partial gives by name and is no number is no parameter."""
    parameters = []
    defaults = {}
    for p in _signature(function, name):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise TraceError(f"{users_line()}: {name} takes *{p.name}; a kernel has a fixed list of "
                             "arrays and numbers")
        if _is_fixed(function, p):
            continue
        check_name(p.name, f"{name}: the parameter", in_cpp=False)
        parameters.append(Parameter(p.name))
        if p.default is not p.empty:
            if not _is_number(p.default):
                raise TraceError(f"{users_line()}: {name}: the default of {p.name} is {p.default!r} "
                                 f"({type(p.default).__name__}); a number is right")
            defaults[p.name] = float(p.default)
    return parameters, defaults


def call_with(function: Callable[..., Any], name: str, given: Mapping[str, Any]) -> Any:
    """Calls a function with values by the names of its parameters, whatever kind these are of."""
    parameters = [p for p in _signature(function, name) if p.name in given]
    by_place = [given[p.name] for p in parameters if p.kind is not p.KEYWORD_ONLY]
    return function(*by_place, **{p.name: given[p.name] for p in parameters
                                  if p.kind is p.KEYWORD_ONLY})


def _signature(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise TraceError(f"{users_line()}: {name} does not say which parameters it has; a function of "
                         "Python does") from None


def _is_fixed(function: Callable[..., Any], p: inspect.Parameter) -> bool:
    return (isinstance(function, functools.partial) and p.name in function.keywords
            and not _is_number(p.default))


def _is_number(x: object) -> bool:
    return isinstance(x, (numbers.Real, np.bool_)) or (getattr(x, "shape", None) == ()
                                                       and isinstance(x, np.ndarray)
                                                       and x.dtype.kind in "biuf")


@functools.cache
def torch_module() -> Any:
    """What is known of torch, where it is there."""
    from . import _torch as module  # which is made of what is here

    return module


class Kernel:
    """A kernel that is called with arrays and numbers. Numbers are given by name; other values of
    them compile nothing again."""

    #: Dimensions of the arrays; 0: any, the kernel's source says.
    rank = 0
    #: What a call writes.
    outputs: tuple[str, ...] = ("out",)

    def __init__(self, name: str, arrays: Sequence[str], source: Source,
                 numbers: Optional[Sequence[str]], defaults: Optional[Mapping[str, float]] = None,
                 doc: Optional[str] = None) -> None:
        self.__name__ = name
        self.__doc__ = doc
        #: Names of the arrays that are read, in the order of calls.
        self.arrays = tuple(arrays)
        #: Names of the numbers; None: those that a call gives, members of a functor in C++.
        self.numbers = None if numbers is None else tuple(numbers)
        self._defaults = dict(defaults or {})
        self._source = source
        self._compiled: dict[tuple[int, tuple[str, ...]], _core.Kernel] = {}
        #: Of the latest call: the kernel, the names of its numbers in order, how many arrays it reads.
        self._latest: Optional[tuple[_core.Kernel, tuple[str, ...], int]] = None
        #: What torch's graphs have asked for, by the arguments; by what they know the kernel.
        self._gradients: dict[tuple[str, ...], Any] = {}
        self._plans: dict[Any, Any] = {}
        self._key = key_of(self)

    def __getstate__(self) -> dict[str, Any]:
        """What another process, or a copy, needs: not what this process has compiled and loaded."""
        own = ("_compiled", "_latest", "_gradients", "_plans", "_key", "__wrapped__")
        return {name: value for name, value in self.__dict__.items() if name not in own}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _compiled={}, _latest=None, _gradients={}, _plans={})
        self._key = key_of(self)

    #: What its gradient is made of; None: it has none.
    _form: Any = None

    def _gradient_by(self, by: Sequence[str]) -> Any:
        """Its gradient by these arguments, for torch."""
        from ._grad import Gradient  # which is made of what is here

        return Gradient(self, by, None)

    #: How a signature shows arrays, where they are not those of `arrays`.
    _array_parameters: tuple[inspect.Parameter, ...] = ()

    @property
    def __signature__(self) -> inspect.Signature:
        """What inspect.signature() and notebooks show of a call."""
        p = inspect.Parameter
        shown = list(self._array_parameters) or [p(n, p.POSITIONAL_ONLY) for n in self.arrays]
        shown += [p(n, p.KEYWORD_ONLY, default=self._defaults.get(n, p.empty))
                  for n in self.numbers or ()]
        shown += [p("out", p.KEYWORD_ONLY, default=None), p("schedule", p.KEYWORD_ONLY, default="auto"),
                  p("device", p.KEYWORD_ONLY, default=None)]
        if self.numbers is None:
            shown.append(p("numbers", p.VAR_KEYWORD))
        return inspect.Signature(shown)

    @property
    def source(self) -> str:
        """The C++ text of the kernel."""
        return self._source.text

    def __repr__(self) -> str:
        given = ", ".join((*self.arrays, *(self.numbers or ())))
        return f"<ridge.{self._source.pattern} {self.__name__}({given})>"

    def _bind_numbers(self, given: Mapping[str, float],
                      arrays: int) -> tuple[_core.Kernel, tuple[float, ...]]:
        """The kernel of so many arrays with members of these names, and their values in its
        order."""
        names, values = self._numbers(given)
        core = self._compiled.get((arrays, names))
        if core is None:
            given_arrays = self._array_names(arrays - len(self.outputs))
            core = self._compiled[arrays, names] = self._core(names, given_arrays)
        self._latest = core, names, arrays - len(self.outputs)
        return core, values

    def _numbers(self, given: Mapping[str, float]) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """Names of the numbers, in order, and their values in a call that gives these."""
        names = self.numbers
        if names is None:
            names = tuple(sorted(given))
            for name in names:
                check_name(name, f"{self.__name__}: the number")
        elif len(given) != len(names) or not all(n in given for n in names):
            given = self._with_defaults(given, names)
        return names, tuple([given[n] for n in names])

    def _array_names(self, _given: int) -> Sequence[str]:
        return self.arrays

    def _core(self, numbers: tuple[str, ...], arrays: Sequence[str]) -> _core.Kernel:
        file = _core.keep_source(f"{self.__name__}.hpp", self._source.text)
        return _core.Kernel(self.__name__, self._source.pattern, [*arrays, *self.outputs],
                            len(self.outputs), list(numbers), self.rank,
                            self._source.describe(file, numbers), file)

    def _with_defaults(self, given: Mapping[str, float],
                       names: tuple[str, ...]) -> Mapping[str, float]:
        missing = [n for n in names if n not in given and n not in self._defaults]
        unknown = [n for n in given if n not in names]
        if missing or unknown:
            wrong = ("lacks " + ", ".join(missing)) if missing else ("has no " + ", ".join(unknown))
            raise TypeError(f"{self.__name__}: the call {wrong}; its numbers are "
                            f"{', '.join(names) or 'none'}, given by name")
        return {**self._defaults, **given}

    def _call_arrays(self, given: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        if len(given) != len(self.arrays):
            raise TypeError(f"{self.__name__} takes {len(self.arrays)} arrays "
                            f"({', '.join(self.arrays)}), not {len(given)}; numbers are given by "
                            "name")
        return self._with_output(given, out)

    def _with_output(self, given: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        if out is not None:
            return (*given, *self._outputs_of(out))
        self._check_arrays(given)
        return (*given, *(self._new(given) for _ in self.outputs))

    def _outputs_of(self, out: Any) -> tuple[Any, ...]:
        """The arrays that `out=` gives."""
        if len(self.outputs) == 1:
            return (out,)
        if not isinstance(out, (tuple, list)) or len(out) != len(self.outputs):
            raise TypeError(f"{self.__name__}: out= is a tuple of {len(self.outputs)} arrays, one a "
                            f"result, not {type(out).__name__}"
                            + (f" of {len(out)}" if isinstance(out, (tuple, list)) else ""))
        return tuple(out)

    def _check_arrays(self, given: Sequence[Any]) -> None:
        """Throws TypeError for what users take for an array, with what would be right."""
        for name, array in zip(self._array_names(len(given)), given):
            why = _arrays.why_no_array(array)
            if why:
                raise TypeError(f"{self.__name__}: {name} {why}")

    @contextlib.contextmanager
    def _explaining(self, arrays: Sequence[Any], schedule: Any, device: Any,
                    numbers: Mapping[str, Any]) -> Iterator[None]:
        """Says which argument is wrong where the library knows only that one is."""
        try:
            yield
        except (TypeError, RuntimeError):
            self._explain(arrays, schedule, device, numbers)
            raise

    def _explain(self, arrays: Sequence[Any], schedule: Any, device: Any,
                 given: Mapping[str, Any]) -> None:
        if not isinstance(schedule, str):
            raise TypeError(f"{self.__name__}: schedule={schedule!r}: a schedule's text or its name is "
                            "right, such as 'auto'") from None
        if device is not None and not isinstance(device, str):
            raise TypeError(f"{self.__name__}: device={device!r}: the name of a device is right, such as "
                            "'cpu' or 'simt:32'") from None
        for name, value in given.items():
            try:
                float(value)
            except Exception:  # noqa: BLE001  # whatever a library raises for what is no number yet
                raise TypeError(f"{self.__name__}: {name}={value!r} ({type(value).__name__}): a number "
                                "is right") from None
        self._check_arrays(arrays)

    def _new(self, given: tuple[Any, ...]) -> Any:
        """A new output, like the first array."""
        shape = self._result_shape(given) if hasattr(given[0], "shape") else None  # which is refused then
        return _arrays.zeros(given[0], self.__name__, shape)

    def _result_shape(self, given: Sequence[Any]) -> tuple[int, ...]:
        return tuple(given[0].shape)

    def __call__(self, *arrays: Any, out: Any = None, schedule: str = "auto",
                 device: Optional[str] = None, **numbers: float) -> Any:
        """Computes `out`, an array of the caller's or a new one of the first array's library, in
        which points that the kernel does not write are zero. Returns it. A chain of several results
        takes and returns a tuple of arrays.

        `schedule` is a line of text or a name; `device` says where arrays of the host are computed
        on: cpu, or simt:32 and simt:64, the emulated GPU. On a GPU the call returns before the
        kernel has run, in order with the current stream of the array's library.

        Raises TypeError for arrays that cannot be used in place, UsageError (a ValueError) for
        extents and schedules that do not fit, Failure (a RuntimeError) where the machine has not
        what is needed."""
        torch: Any = sys.modules.get("torch")
        if torch is not None:
            if hasattr(torch, "compiler") and torch.compiler.is_compiling():  # as torch.compile follows it
                return compiled(self, arrays, out, schedule, device, numbers)
            if (_torch_func.transforming or _torch_func.is_active)():
                made = _torch_func.transformed(self, arrays, out, {"schedule": schedule, "device": device}, numbers)
                if made is not NotImplemented:
                    return made
        latest = self._latest
        try:
            if latest is not None and out is not None:
                done = latest[0].run_as_before(arrays, out, numbers, schedule, device)
                if done:  # 2: and torch was told
                    if done == 1 and torch is not None:
                        torch_module().changed((out,) if len(self.outputs) == 1 else out)
                    return out
            for number in numbers.values():
                if type(number) is not float and getattr(number, "requires_grad", False):
                    return torch_module().recorded(self, arrays, out, schedule, device, numbers)
            if out is None and torch is not None:
                for array in arrays:
                    if getattr(array, "requires_grad", False) is True:
                        return torch_module().recorded(self, arrays, None, schedule, device, numbers)
            all_arrays = self._call_arrays(arrays, out)
            core, values = self._bind_numbers(numbers, len(all_arrays))
            if not core.run(all_arrays, values, schedule, device):
                return torch_module().recorded(self, arrays, out, schedule, device, numbers)
            if out is not None and torch is not None:
                torch_module().changed(self._outputs_of(out))
        except (TypeError, RuntimeError):
            self._explain(arrays, schedule, device, numbers)
            raise
        if len(self.outputs) == 1:
            return all_arrays[-1]
        return all_arrays[-len(self.outputs):] if out is None else out

    @property
    def record(self) -> Record:
        """The record of the latest call; not timed."""
        if self._latest is None:
            raise _core.UsageError(f"{self.__name__} was not called yet")
        return records_of(self._latest[0].record())[0]

    def measure(self, *arrays: Any, out: Any = None, schedule: str = "auto",
                device: Optional[str] = None, repeat: int = 15, check: bool = True,
                **numbers: float) -> Record:
        """Times launches, checks the result against the sequential reference, and returns the
        record. `out` holds afterwards what a call leaves in it; meanwhile, memory for a copy of it
        is needed."""
        found = self.measure_all(*arrays, out=out, schedule=schedule, device=device,
                                 repeat=repeat, check=check, **numbers)
        if len(found) != 1:
            raise _core.UsageError(f"'{schedule}' means {len(found)} schedules; measure_all() takes "
                                   "several")
        return found[0]

    def measure_all(self, *arrays: Any, out: Any = None, schedule: str = "all",
                    device: Optional[str] = None, repeat: int = 15, check: bool = True,
                    **numbers: float) -> Records:
        """As measure(), under each schedule that is asked for: `all` that have names and the
        default, or `space`, every one."""
        with self._explaining(arrays, schedule, device, numbers):
            all_arrays = self._call_arrays(arrays, out)
            core, values = self._bind_numbers(numbers, len(all_arrays))
            return records_of(core.measure(all_arrays, values, schedule, device, repeat, check))

    def _tune(self, arrays: tuple[Any, ...], out: Any, device: Optional[str], seconds: float,
              most: int, progress: Optional[Callable[[str], None]],
              numbers: Mapping[str, float]) -> str:
        with self._explaining(arrays, "auto", device, numbers):
            all_arrays = self._call_arrays(arrays, out)
            core, values = self._bind_numbers(numbers, len(all_arrays))
            return core.tune(all_arrays, values, device, seconds, most, progress)

    def _doctor(self, arrays: tuple[Any, ...], out: Any, schedule: str, device: Optional[str],
                prove: bool, numbers: Mapping[str, float]) -> str:
        with self._explaining(arrays, schedule, device, numbers):
            all_arrays = self._call_arrays(arrays, out)
            core, values = self._bind_numbers(numbers, len(all_arrays))
            return core.doctor(all_arrays, values, schedule, device, prove)
