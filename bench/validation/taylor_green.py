"""The decay of a Taylor-Green vortex of lbm-walls, which is known exactly in two dimensions.

    python bench/validation/taylor_green.py RIDGE [DEVICE] [--small]

The speed falls as exp(-2 nu k^2 t). With the speed of the flow halved as n is doubled errors fall by order 2.
"""

import numpy as np

from common import Problem


def error(problem, n, tau=0.8):
    k = 2 * np.pi / n
    speed = 0.02 * 16 / n
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    ux, uy = -np.cos(k * x) * np.sin(k * y), np.sin(k * x) * np.cos(k * y)
    rho = 1 - 3 * speed**2 / 4 * (np.cos(2 * k * x) + np.cos(2 * k * y))
    nu = (tau - 0.5) / 3
    steps = int(1 / (2 * nu * k * k))
    problem.evolve("lbm-walls", "--steps", steps, "--every", steps, "--set", f"tau={tau}", "--set", "magic=0.1875",
                   rho=rho, ux=speed * ux, uy=speed * uy)  # fmt: skip
    _, found = problem.read("uy")
    decayed = speed * np.exp(-2 * nu * k * k * steps)
    return np.abs(found / decayed - uy).max(), (found * uy).sum() / (decayed * (uy * uy).sum())


def main():
    problem = Problem(__doc__)
    sizes = (16, 32) if problem.small else (32, 64, 128)
    errors, decays = zip(*(error(problem, n) for n in sizes))
    lacks = np.abs(1 - np.array(decays))
    problem.compare(f"order of the decay, {sizes[-1]}^2", np.log2(lacks[-2] / lacks[-1]), 2, 0.1)
    for n, before, after in zip(sizes[1:], errors, errors[1:]):
        problem.compare(f"order of the error, {n}^2", np.log2(before / after), (1.9, 3), 0.05)
    problem.end()


main()
