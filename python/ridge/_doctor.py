"""Why a launch is slow, what would help, by how much: what `ridge doctor` says."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from ._command import built_in_words, run_command
from ._kernel import Kernel, require_kernel
from ._record import Record, html_table, records_of


class Diagnoses(list[Mapping[str, Any]]):
    """What is wrong with a launch, the worst first, each with `cause`, `evidence`,
    `evidence_unit`, `threshold`, `predicted_gain`, `proved_gain`, `fix` and, where a schedule cures
    it, `cured_schedule`. Empty: none of the known causes holds."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.get("diagnoses", []))
        #: Of the launch, with these diagnoses in it: `ridge.report` shows them.
        self.record = record

    def __repr__(self) -> str:
        lines = [f"{self.record!r}"]
        for d in self:
            proved = d.get("proved_gain")
            lines.append(f"  {d['cause']}: {d['predicted_gain']:.2f} times as fast predicted"
                         + ("" if proved is None else f", {proved:.2f} proved") + f"; {d['fix']}")
        if not self:
            lines.append("  none of the known causes holds")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(d["cause"], f"{d['evidence']:.3g} {d['evidence_unit']}",
                 f"{d['predicted_gain']:.2f}",
                 "" if d.get("proved_gain") is None else f"{d['proved_gain']:.2f}", d["fix"])
                for d in self]
        columns = ("cause", "evidence", "predicted gain", "proved gain", "fix")
        return self.record._repr_html_() + (
            html_table(columns, rows) if rows
            else html.escape("none of the known causes holds"))


def doctor(kernel: Union[Kernel, str], /, *arrays: Any, out: Any = None, schedule: str = "auto",
           prove: bool = False, device: Optional[str] = None,
           size: Union[int, Sequence[int], None] = None, precision: Optional[str] = None,
           **numbers: float) -> Diagnoses:
    """Runs a launch of a kernel on these arrays, and says why it takes as long as it does. With
    `prove` each cure is run in turn with it.

    `out` holds afterwards what a call leaves in it. With the name of a built-in kernel there are no
    arrays, but `size`, in the order of NumPy's shapes, and `precision`. Raises Failure where the
    results are wrong."""
    if isinstance(kernel, str):
        words = built_in_words(kernel, arrays, out, numbers, size=size, device=device,
                               precision=precision)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "record.json"
            words += ["--schedule", schedule, "--output", str(file), *["--prove"] * prove]
            run_command(["doctor", *words], may_fail_with=file)
            return Diagnoses(records_of(file.read_text(encoding="utf-8"))[0])
    require_kernel(kernel, "doctor")
    if size is not None or precision is not None:
        raise TypeError("size and precision are those of the arrays; they are given for built-in "
                        "kernels")
    text = kernel._doctor(arrays, out, schedule, device, prove, numbers)
    return Diagnoses(records_of(text)[0])
