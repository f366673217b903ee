"""What ridge itself has of equations on grids."""

from ._solve import Solution, solve

__all__ = ["Solution", "solve"]
