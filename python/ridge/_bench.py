"""The built-in kernels, as `ridge bench` runs them."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from ._command import built_in_words, run_command
from ._extents import whole
from ._options import text_of
from ._record import Records, records_of


def bench(kernel: str, *, size: Union[int, Sequence[int], None] = None, device: str = "auto",
          precision: Optional[str] = None, schedule: str = "auto",
          repeat: Optional[int] = None, store_as: Optional[str] = None) -> Records:
    """Runs a built-in kernel, checks it against the reference and returns the records.

    `size` is in the order of NumPy's shapes, x last; `schedule` may be `all`. `store_as` is `fp16` or
    `bf16`, or a list such as `vx=fp16,mu=fp16`. Raises UsageError that lists what is right. The other options are those of `ridge bench`."""
    text_of(kernel, "bench: kernel", "laplacian")
    text_of(schedule, f"{kernel}: schedule", "auto")
    words = ["bench", *built_in_words(kernel, size=size, device=device, precision=precision),
             "--json", "--schedule", schedule]
    if repeat is not None:
        words += ["--repeat", str(whole(repeat, f"{kernel}: repeat"))]
    if store_as is not None:
        words += ["--store-as", text_of(store_as, f"{kernel}: store_as", "fp16")]
    return records_of(run_command(words))
