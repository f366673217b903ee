"""The fastest schedule of a kernel here, found and kept: what `ridge tune` does."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from ._command import built_in_words, run_command
from ._extents import whole
from ._kernel import Kernel, require_kernel
from ._progress import Progress
from ._record import html_table, time_text


class Tuned(Mapping[str, Any]):
    """What tuning found: the fields of `ridge tune --json`, as a mapping, and the main ones as
    attributes. Times are in seconds."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Any:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @property
    def schedule(self) -> str:
        """The best: what `schedule="auto"` is from now on, for arrays of this size."""
        return str(self._fields["schedule"])

    @property
    def seconds(self) -> float:
        """Of a launch under it."""
        return float(self._fields["seconds"])

    @property
    def gain(self) -> float:
        """How many times as long the default takes, measured in turn."""
        return float(self._fields["gain"])

    @property
    def kept(self) -> bool:
        """Whether it was kept for later launches and processes."""
        return bool(self._fields["kept"])

    def __repr__(self) -> str:
        return (f"<Tuned {self._fields['kernel']}: {self.gain:.3f} times as fast as the default, "
                f"{self._fields['measured']} schedules measured, {self._fields['end']}; "
                f"{self.schedule}>")

    def _repr_html_(self) -> str:
        best = self.seconds
        rows = [(time_text(t["seconds"]), f"{best / t['seconds']:.3f}", t["schedule"])
                for t in sorted((t for t in self._fields["trials"] if "seconds" in t),
                                key=lambda t: float(t["seconds"]))]
        return (f"<p>{html.escape(repr(self)[1:-1])}</p>"
                + html_table(("time", "of the best", "schedule"), rows[:20]))


def tune(kernel: Union[Kernel, str], /, *arrays: Any, out: Any = None, seconds: float = 30,
         most: int = 0, device: Optional[str] = None,
         size: Union[int, Sequence[int], None] = None, precision: Optional[str] = None,
         **numbers: float) -> Tuned:
    """Searches the fastest schedule of a kernel on these arrays for so many seconds, compiling
    included, and keeps it in the file that `ridge tune` uses: calls with `schedule="auto"`, in this
    process and in others, take it from now on. `most` limits how many are measured.

    `out` holds afterwards what a call leaves in it. With the name of a built-in kernel there are no
    arrays, but `size`, in the order of NumPy's shapes, and `precision`.

    Ctrl-C ends it, after what was found until then is kept. Raises UsageError where nothing may be
    tuned (RIDGE_TUNE=off, an emulated GPU), Failure where the file cannot be written."""
    if isinstance(kernel, str):
        words = built_in_words(kernel, arrays, out, numbers, size=size, device=device,
                               precision=precision)
        words += ["--budget", f"{float(seconds)}s"]
        if most:
            words += ["--most", str(whole(most, f"{kernel}: most"))]
        return Tuned(json.loads(run_command(["tune", *words, "--json"])))
    require_kernel(kernel, "tune")
    if size is not None or precision is not None:
        raise TypeError("size and precision are those of the arrays; they are given for built-in "
                        "kernels")
    with Progress() as progress:
        found = kernel._tune(arrays, out, device, float(seconds), most,
                             lambda doing: progress(f"tuning {kernel.__name__}: {doing}"), numbers)
    return Tuned(json.loads(found))
