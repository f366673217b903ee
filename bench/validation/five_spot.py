"""Flow of ridge solve poisson: a five-spot beside D. Peaceman, SPE J. 18 (1978), and channels with jumps of 10^4.

    python bench/validation/five_spot.py RIDGE [DEVICE] [--small]

A quarter of a five-spot on n x n points: the radius at which the pressure of the well's point holds is 0.1982 h by Peaceman's
figures, exp(-0.5772) / sqrt(8) h = 0.1985 h in the limit. Layers across and along the flow are exact between points.
"""

import h5py
import numpy as np

from common import Problem


def solve(problem, f, *words, **more):
    problem.write("f.h5", f=f, **more)
    problem.run("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--overwrite", "--device", problem.options.device,
                "--tol", "1e-12", *words)  # fmt: skip
    with h5py.File(problem.here / "u.h5") as h5:
        return h5["u"][...]


def radius(problem, n):
    f = np.zeros((n, n))
    f[0, 0], f[-1, -1] = -1.0, 1.0  # a well's quarter at a corner, whose volume is a quarter
    u = solve(problem, f, "--boundary", "x=neumann:0,y=neumann:0")
    # Muskat: the pressures of wells of radius r differ by q / (pi k) (ln(d / r) - 0.6190).
    return np.sqrt(2) * (n - 1) / np.exp((u[0, 0] - u[-1, -1]) * np.pi + 0.6190)


def channel(problem, n, across):
    """The flow through layers of 1 and 10^4 over the exact one."""
    k = np.where(np.arange(n) % 8 < 4, 1.0, 1e4)
    k = np.broadcast_to(k[None, :] if across else k[:, None], (n, n)).copy()
    words = "--coefficient", "f.h5:/k", "--spacing", repr(1 / (n - 1))
    u = solve(problem, np.zeros((n, n)), "--boundary", "x-=dirichlet:1,x+=dirichlet:0,y=periodic", *words, k=k)
    between = 2 / (1 / k[:, 1:] + 1 / k[:, :-1])
    flow = (between * (u[:, :-1] - u[:, 1:])).sum(axis=0) * (n - 1)
    exact = n * (n - 1) / (1 / between[0]).sum() if across else k[:, 0].sum()
    return np.abs(flow / exact - 1).max()


def main():
    problem = Problem(__doc__)
    n = 65 if problem.small else 257
    problem.compare(f"five-spot, {n}^2: equivalent radius, h", radius(problem, n), (0.1982, 0.1985), 0.0005)
    for across in (True, False):
        problem.at_most(f"layers {'across' if across else 'along'} the flow: error of the flow", channel(problem, n - 1, across), 1e-8)
    problem.end()


main()
