"""Water of shallow-water that stays at rest over a step, round islands and beside dry land.

    python bench/validation/lake.py RIDGE [DEVICE] [--small]

Nothing moves beyond rounding (E. Audusse et al., SIAM J. Sci. Comput. 25, 2004), with steps that follow the flow.
"""

import numpy as np

from common import Problem


def main():
    problem = Problem(__doc__)
    n = 64 if problem.small else 512
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    step = np.where(x < n // 2, 0.0, 1.5) + 0.3 * (y > n // 3)
    rough = 2.5 * np.random.default_rng(7).random((n, n))
    for name, bottom in {"over a step": step, "round islands of rough ground": rough}.items():
        h = np.maximum(2.0 - bottom, 0)
        problem.evolve("shallow-water", "--steps", 400, "--every", 400, h=h, bottom=bottom)
        _, after, hu, hv = problem.read("h", "hu", "hv")
        problem.at_most(f"{name}: largest discharge, m2/s", max(np.abs(hu).max(), np.abs(hv).max()), 1e-13)
        problem.at_most(f"{name}: largest change of the depth, m", np.abs(after - h).max(), 1e-14)
    problem.end()


main()
