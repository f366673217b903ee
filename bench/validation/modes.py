"""Modes of a box with walls of perfect conductors, of maxwell: frequencies beside the exact ones.

    python bench/validation/modes.py RIDGE [DEVICE] [--small]

TE101 and TE201 of a box of 1 x 0.75 x 0.5, light at 1: w = pi sqrt((m / a)^2 + (l / d)^2).
"""

import numpy as np

from common import Problem
from waves import places

BOX = np.array([1.0, 0.75, 0.5])


def frequency(problem, m, l, cells):
    """By 2 cos(w dt) = (e(t + dt) + e(t - dt)) / e(t), over all steps."""
    h = float(BOX[0] / cells)
    n = np.round(BOX / h).astype(int) + 1
    z, y, x = np.meshgrid(*(np.arange(k) * h for k in n[::-1]), indexing="ij")
    ey = np.sin(m * np.pi * x / BOX[0]) * np.sin(l * np.pi * z / BOX[2])
    places(problem, "r.csv", (round(n[0] / (2 * m)) * h, h * 1.5, round(n[2] / 2) * h, "ey"), columns="x,y,z,array")
    dt = 0.5 * h
    steps = int(3 / dt)
    problem.evolve("maxwell", "--steps", steps, "--every", steps, "--dt", repr(dt), "--spacing", repr(h), "--boundary",
                   "x=antimirror,y=antimirror,z=antimirror", "--receivers", "r.csv", ey=ey)  # fmt: skip
    e = problem.traces("traces")[0][0]
    return np.arccos((e[1:-1] * (e[2:] + e[:-2])).sum() / 2 / (e[1:-1] ** 2).sum()) / dt


def main():
    problem = Problem(__doc__)
    sizes = (8, 16) if problem.small else (16, 32, 64)
    for m, l in (1, 1), (2, 1):
        exact = np.pi * np.hypot(m / BOX[0], l / BOX[2])
        found = [frequency(problem, m, l, cells) for cells in sizes]
        problem.compare(f"TE{m}0{l}: frequency, {sizes[-1]} cells", found[-1], exact, exact**3 / sizes[-1] ** 2 / 24)
        errors = np.abs(np.array(found) - exact)
        problem.compare(f"TE{m}0{l}: order", np.log2(errors[-2] / errors[-1]), 2, 0.1)
    problem.end()


main()
