"""Gradients of stencils on large arrays of a GPU: away from the ends each is a stencil itself, which marches as
stencils do; then the adjoint computes the items near the ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from . import _arrays
from ._chain import Chain
from ._emit import reachable
from ._kernel import Source, unique
from ._operations import Operation, interior_of
from ._stencil import Stencil, stencil_of
from ._trace import Parameter, Value
from ._traced import Traced

#: Items from which on a launch more for the items near the ends is worth it.
LEAST_ITEMS = 1 << 26
#: Arrays that stencils may read and write together, for each one of the chain. A march through the chain's items, which
#: reads each once, comes to 0.7 of what stencils do.
_MOST_ARRAYS = 1.25


class Part(NamedTuple):
    """The stencil of a result, and which of the adjoint's arrays it reads."""

    stencil: Stencil
    reads: tuple[int, ...]


class Apart:
    """An adjoint whose results are stencils away from the ends."""

    def __init__(self, chain: Chain, parts: Sequence[Part], least: Sequence[int]) -> None:
        self.parts, self.shell = parts, _shell_of(chain)
        #: Extents that have items away from the ends.
        self.least = least

    def takes(self, array: Any, device: Optional[str]) -> bool:
        shape = array.shape
        return (math.prod(shape) >= LEAST_ITEMS and all(n >= least for n, least in zip(shape, self.least))
                and (_arrays.is_on_gpu(array) or str(device).startswith("simt")))

    def run(self, read: Sequence[Any], outs: Sequence[Any], device: Optional[str],
            numbers: Mapping[str, float]) -> None:
        for part, out in zip(self.parts, outs):
            mine: Any = {n: x for n, x in numbers.items() if n in (part.stencil.numbers or ())}
            part.stencil(*[read[i] for i in part.reads], out=out, device=device, **mine)
        of_shell: Any = numbers
        self.shell(*read, out=outs[0] if len(outs) == 1 else tuple(outs), device=device, **of_shell)


def apart_of(chain: Chain) -> Optional[Apart]:
    """None where a result is no stencil of the adjoint's arrays, or is one at items near the ends, too; and where one
    chain may be as fast."""
    form = chain._form
    traced = form.traced
    operations = {id(op.array): op for op in form.operations}
    if len(operations) != len(form.results) or traced.rank < 2:
        return None
    parts = []
    least = [0, 0, 0]
    for name, result in zip(chain.outputs, form.results):
        op = operations[id(result)]
        begin, end = interior_of(op)
        reach = [max(abs(v.data[1][-1 - d]) for v in op.reads) for d in range(traced.rank)]
        if not _is_plain(op) or any(r > min(begin[d], -end[d]) for d, r in enumerate(reach)):
            return None
        least = [max(n, begin[d] - end[d] + 1) for d, n in enumerate(least)]
        around = {id(v.data[0]) for v in op.reads if any(v.data[1])}
        if len(around) > 1 and max(reach) > 1:  # 1.09 ms for 0.75 on an H200, and a thick shell
            return None
        value = _away_from_ends(op.value)
        read = [v for v in reachable([value]) if v.op in ("load", "number")]
        reads = [i for i, p in enumerate(traced.arrays) if any(v.data[0] is p for v in read if v.op == "load")]
        numbers = [p for p in traced.numbers if any(v.data == p.name for v in read if v.op == "number")]
        arrays = [traced.arrays[i] for i in reads]
        parts.append(Part(stencil_of(Traced(f"{traced.name}_{name}", None, [value], arrays, numbers, {})),
                          tuple(reads)))
    if sum(len(part.reads) + 1 for part in parts) > _MOST_ARRAYS * (len(traced.arrays) + len(parts)):
        return None
    return Apart(chain, parts, list(reversed(least[:traced.rank])))


def _is_plain(op: Operation) -> bool:
    """Whether it reads arrays that are given, and bounds count from their own end."""
    return (not op.scans and not op.matrices and all(isinstance(v.data[0], Parameter) for v in op.reads)
            and all(n >= 0 for v in op.values if v.op == "inside" for pair in v.data for n in pair))


def _away_from_ends(root: Value) -> Value:
    """The value of items within all bounds."""
    now: dict[int, Value] = {}
    for v in reachable([root]):
        args = tuple(now[a.number] for a in v.args)
        now[v.number] = args[0] if v.op == "inside" else Value(v.op, args, v.data)
    return now[root.number]


def _shell_of(chain: Chain) -> Chain:
    """The chain for the items near the ends: others have what it computes."""
    source = chain._source
    name = f"shell_{unique(source.text)}"
    text = (f"{source.text}\nstruct {name} : {source.type_name} {{\n"
            "  static constexpr bool interior_done = true;\n};\n")
    made = Chain(chain.__name__, chain.arrays, Source(text, name, source.pattern, source.places), chain.numbers,
                 chain._defaults, chain.__doc__)
    made.rank, made.outputs, made._form = chain.rank, chain.outputs, chain._form
    return made
