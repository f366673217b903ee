"""The module of C++ behind ridge.solve."""

from typing import Any, Optional

def solve_grid(arrays: tuple[Any, ...], boundary: str, spacing: tuple[float, float, float], shift: float, order: int,
               method: str, cycle: str, smoother: str, precision: str, schedule: str, tolerance: float, cycles: int,
               from_guess: bool, project: bool, has_coefficient: bool, has_mask: bool, own: str, settings: list[str],
               device: Optional[str]) -> dict[str, Any]: ...
def copy_rate(device: str) -> float: ...
