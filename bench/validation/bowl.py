"""Thacker's curved bowl: water that rises and falls in a paraboloid, with a shore that moves.

    python bench/validation/bowl.py RIDGE [DEVICE] [--small]

After a period of 2.24 s beside W. Thacker, J. Fluid Mech. 107 (1981), in the numbers of O. Delestre et al., Int. J. Numer.
Meth. Fluids 72 (2013). The scheme is monotone and of order 1, with a viscosity of at most s h / 2, s the fastest speed: along
each axis it spreads depths by sqrt(2 s h t / pi) times their variation at most (see dam.py), half an order at least.
"""

import numpy as np

from common import Problem

GRAVITY, WIDE, START, DEEP = 9.81, 1.0, 0.8, 0.1


def exact(r, t):
    a = (WIDE**4 - START**4) / (WIDE**4 + START**4)
    omega = np.sqrt(8 * GRAVITY * DEEP) / WIDE
    part = 1 - a * np.cos(omega * t)
    surface = DEEP * (np.sqrt(1 - a * a) / part - 1 - (r / WIDE) ** 2 * ((1 - a * a) / part**2 - 1))
    bottom = -DEEP * (1 - (r / WIDE) ** 2)
    return bottom, np.maximum(surface - bottom, 0), 2 * np.pi / omega


def fastest(h, period):
    """Waves over the deepest water, on a shore whose radius swings between START and its largest."""
    swing = (WIDE**2 / START - START) * np.pi / period
    return np.sqrt(GRAVITY * h.max()) + swing / 2


def error(problem, n):
    side = 4.0
    at = (np.arange(n) + 0.5) * side / n - side / 2
    r = np.hypot(at[:, None], at[None, :])
    bottom, h, period = exact(r, 0)
    steps = int(2.5 * period * n / side * 2 * 2 * 1.3)
    problem.evolve("shallow-water", "--steps", steps, "--every", max(steps // 40, 1), "--spacing", side / n,
                   h=h, bottom=bottom)  # fmt: skip
    times = [(abs(problem.read(step=s)[0] - period), s) for s in problem.steps()]
    t, after = problem.read("h", step=min(times)[1])
    right = exact(r, t)[1]
    spread = np.sqrt(2 * fastest(h, period) * side / n * t / np.pi)
    most = spread * sum(np.abs(np.diff(right, axis=a)).sum() for a in (0, 1)) / (right.sum() * side / n)
    return np.abs(after - right).sum() / right.sum(), abs(after.sum() / h.sum() - 1), t / period, most


def main():
    problem = Problem(__doc__)
    sizes = (50, 100) if problem.small else (100, 200, 400, 800)
    found = [error(problem, n) for n in sizes]
    problem.compare("time, periods", found[-1][2], 1, 0.05)
    problem.at_most(f"mean error over the mean depth, {sizes[-1]}^2", found[-1][0], found[-1][3])
    problem.compare("order", np.log2(found[-2][0] / found[-1][0]), (0.5, 1), 0)
    problem.at_most("change of the mass", found[-1][1], 1e-12)
    problem.end()


main()
