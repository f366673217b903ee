"""Steady flow of shallow-water over a hump: N. Goutal, F. Maurel, workshop on dam-break wave simulation (1997).

    python bench/validation/hump.py RIDGE [DEVICE] [--small]

Subcritical: 4.42 m2/s come in, 2 m deep go out; Bernoulli's theorem gives the depth.
"""

import numpy as np
from scipy.optimize import brentq

from common import Problem

GRAVITY, LENGTH, COMES, DEEP = 9.81, 25.0, 4.42, 2.0


def exact(bottom):
    head = DEEP + COMES**2 / (2 * GRAVITY * DEEP**2)
    critical = (COMES**2 / GRAVITY) ** (1 / 3)
    return np.array([brentq(lambda h: h + z + COMES**2 / (2 * GRAVITY * h * h) - head, critical, 3) for z in bottom])


def error(problem, n):
    x = (np.arange(n) + 0.5) * LENGTH / n
    bottom = np.where(np.abs(x - 10) < 2, 0.2 - 0.05 * (x - 10) ** 2, 0)
    steps = 100 * n
    problem.evolve("shallow-water", "--steps", steps, "--every", steps, "--spacing", LENGTH / n, "--boundary",
                   f"h.x-=neumann:0,hu.x-=dirichlet:{COMES},h.x+=dirichlet:{DEEP},hu.x+=neumann:0",
                   h=(DEEP - bottom)[None, :], hu=np.full((1, n), COMES), bottom=bottom[None, :])  # fmt: skip
    _, h, hu = problem.read("h", "hu")
    return np.abs(h[0] - exact(bottom)).max(), np.abs(hu[0] / COMES - 1).max(), h[0], exact(bottom)


def main():
    problem = Problem(__doc__)
    sizes = (100, 200) if problem.small else (100, 200, 400)
    found = [error(problem, n) for n in sizes]
    # The error is of order 1, its next term of order 2: what both depths extrapolate to is right to that.
    order = np.log2(found[-2][0] / found[-1][0])
    problem.compare("order", order, 1, 0.2)
    least = [one[2].min() - one[3].min() for one in found]
    problem.at_most("least depth, extrapolated by order 1, over the error on half the points",
                    abs(2 * least[-1] - least[-2]) / abs(least[-2]), 0.5)  # fmt: skip
    problem.end()


main()
