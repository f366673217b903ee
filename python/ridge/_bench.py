"""The built-in kernels, as `ridge bench` runs them."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from ._command import run_command
from ._record import Records, records_of


def bench(kernel: str, *, size: Union[int, Sequence[int], None] = None, device: str = "auto",
          precision: Optional[str] = None, schedule: str = "auto",
          repeat: Optional[int] = None) -> Records:
    """Runs a built-in kernel, checks it against the reference and returns the records.

    `size` is in the order of NumPy's shapes, x last; `schedule` may be `all`. Raises UsageError that
    lists what is right. The other options are those of `ridge bench`."""
    words = ["bench", kernel, "--json", "--device", device, "--schedule", schedule]
    if size is not None:
        extents = (size,) if isinstance(size, int) else tuple(reversed(tuple(size)))
        words += ["--size", "x".join(str(int(n)) for n in extents)]
    if precision is not None:
        words += ["--precision", precision]
    if repeat is not None:
        words += ["--repeat", str(int(repeat))]
    return records_of(run_command(words))
