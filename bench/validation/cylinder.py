"""Drag and lift of a cylinder in a channel beside M. Schaefer, S. Turek, Notes Numer. Fluid Mech. 52 (1996).

    python bench/validation/cylinder.py RIDGE [DEVICE] [--small]

2D-1 (Reynolds number 20) and 2D-2 (100), lbm-walls with n points a diameter: a wall that moves is the inlet, an open face
the outlet, walls of the cylinder lie where `distance` is 0. --small: 2D-1 with ten points. The lift of 2D-2 grows with
the points a diameter: 30, 40 and 60 give 0.952, 0.975 and 0.9875 (drag 3.236, 3.238, 3.238), so it takes 60.
"""

import numpy as np

from common import Problem


def channel(n, mean):
    """The start: the cylinder has number 3, at (0.2, 0.2) of 2.2 x 0.41 with diameter 0.1."""
    width, height = 22 * n, 41 * n // 10
    y, x = np.meshgrid(np.arange(height + 2) - 0.5, np.arange(width + 2) - 0.5, indexing="ij")
    solid = np.zeros(x.shape)
    solid[:, 0], solid[:, -1] = 2, -1
    solid[[0, -1]] = 1
    distance = np.hypot(x - 2 * n, y - 2 * n) - n / 2
    solid[distance <= 0] = 3
    profile = 6 * mean * y * (height - y) / height**2
    return {"solid": solid, "distance": distance, "ux": np.where(solid == 0, profile, 0),
            "wall_ux": np.where((solid == 2) & (y > 0) & (y < height), profile, 0)}  # fmt: skip


def forces(problem, reynolds, n, mean, turns, heard):
    """Drag and lift coefficients by step of the last `heard` turns, and their times, in units of D / U."""
    steps, last = int((turns - heard) * n / mean), int(heard * n / mean)
    numbers = ("--set", f"tau={0.5 + 3 * mean * n / reynolds!r}", "--set", "magic=0.1875")
    problem.evolve("lbm-walls", "--steps", steps, "--every", steps, *numbers, **channel(n, mean))
    problem.evolve("lbm-walls", "--steps", last, "--every", last, "--forces", *numbers, start=f"out.h5:/snapshots/{steps:010}",
                   out="late.h5")  # fmt: skip
    found, bodies = problem.traces("forces", "body", out="late.traces.h5")
    drag, lift = found[list(bodies).index(3)] * 2 / (mean**2 * n)
    return drag, lift, np.arange(1, last + 1) * mean / n


def main():
    problem = Problem(__doc__)
    n, mean, turns = (10, 0.06, 25) if problem.small else (40, 0.03, 80)
    drag, lift, _ = forces(problem, 20, n, mean, turns, 2)
    problem.compare("2D-1: drag", drag.mean(), (5.57, 5.59), 0.1 if problem.small else 0.03)
    problem.compare("2D-1: lift", lift.mean(), (0.0104, 0.0110), 0.004 if problem.small else 0.001)
    if not problem.small:
        drag, lift, time = forces(problem, 100, 60, 0.03, 100, 14)  # four periods
        up = np.flatnonzero((lift[:-1] < 0) & (lift[1:] >= 0))
        print(f"2D-2: {len(up) - 1} periods")
        problem.compare("2D-2: largest drag", drag.max(), (3.22, 3.24), 0.03)
        problem.compare("2D-2: largest lift", lift.max(), (0.99, 1.01), 0.03)
        problem.compare("2D-2: Strouhal number", (len(up) - 1) / (time[up[-1]] - time[up[0]]), (0.295, 0.305), 0.003)
    problem.end()


main()
