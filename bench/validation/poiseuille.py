"""Plane Poiseuille flow of lbm-walls between walls half-way between points, and beside walls anywhere.

    python bench/validation/poiseuille.py RIDGE [DEVICE] [--small]

With magic = 3/16 the parabola is exact at any viscosity (I. Ginzburg, D. d'Humieres, Phys. Rev. E 68, 2003), as is the
force on the walls. Walls between points that `distance` tells of are of second order.
"""

import numpy as np

from common import Problem


def profile(problem, n, tau, place=0.5, magic=0.1875):
    """The error over the largest speed, and the force on the walls over that on the fluid."""
    solid = np.zeros((n + 2, 1))
    solid[[0, -1]] = 1
    y = np.arange(n + 2) - place
    height = n + 1 - 2 * place
    distance = np.minimum(y, height - y)
    nu = (tau - 0.5) / 3
    force = 8 * nu * 0.02 / height**2
    steps = int(3 * height**2 / nu)
    problem.evolve("lbm-walls", "--steps", steps, "--every", steps, "--set", f"tau={tau}", "--set", f"magic={magic}",
                   "--set", f"force_x={force!r}", "--forces", "--schedule", "auto", solid=solid, distance=distance[:, None])  # fmt: skip
    _, ux = problem.read("ux")
    exact = force / (2 * nu) * y * (height - y)
    on_walls = problem.traces("forces")[0][0, 0, -1]
    return np.abs(ux[1:-1, 0] - exact[1:-1]).max() / exact.max(), on_walls / (n * force)


def main():
    problem = Problem(__doc__)
    for tau in (0.6, 1.5):
        error, force = profile(problem, 8, tau)
        problem.at_most(f"half-way, tau {tau}: error of the parabola", error, 1e-10)
        problem.compare(f"half-way, tau {tau}: force on the walls over that on the fluid", force, 1, 1e-10)
    sizes = (8, 16) if problem.small else (8, 16, 32)
    for place in (0.3, 0.8):
        errors = [profile(problem, n, 0.8, place)[0] for n in sizes]
        problem.compare(f"walls after {place} of a link: order", np.log2(errors[-2] / errors[-1]), (2, 3), 0.1)
    problem.end()


main()
