"""A column of diffusion in implicit steps beside SciPy's banded solver.

    python bench/validation/column.py RIDGE [DEVICE] [--small]
"""

import numpy as np
from scipy.linalg import solve_banded

from common import Problem


def scipy_column(u, k, dt, h, steps):
    """Backward Euler between neumann faces, where points count half; k between points is the harmonic mean."""
    n = len(u)
    between = 2 / (1 / k[1:] + 1 / k[:-1]) * dt / h**2
    volume = np.ones(n)
    volume[[0, -1]] = 0.5
    bands = np.zeros((3, n))
    bands[0, 1:], bands[2, :-1] = -between, -between
    bands[1] = volume
    bands[1, 1:] += between
    bands[1, :-1] += between
    for _ in range(steps):
        u = solve_banded((1, 1), bands, volume * u)
    return u


def main():
    problem = Problem(__doc__)
    n, steps = (200, 5) if problem.small else (2000, 40)
    random = np.random.default_rng(5)
    u, k = random.random(n), 10.0 ** random.uniform(-2, 2, n)
    h, dt = 1 / (n - 1), 1e-3
    problem.write("in.h5", u=u, k=k)
    problem.run("evolve", "diffusion", "in.h5:/u", "-o", "out.h5", "--coefficient", "in.h5:/k", "--implicit", "backward-euler",
                "--steps", steps, "--every", steps, "--dt", dt, "--spacing", repr(h), "--boundary", "x=neumann:0",
                "--tol", "1e-14", "--device", problem.options.device)  # fmt: skip
    _, found = problem.read("u")
    problem.at_most(f"largest difference from SciPy, {n} levels, {steps} steps",
                    np.abs(found - scipy_column(u, k, dt, h, steps)).max(), 1e-12)  # fmt: skip
    problem.end()


main()
