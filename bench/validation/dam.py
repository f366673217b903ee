"""Dams that break: Ritter's on dry ground (1892) and Stoker's on water (1957), beside their solutions.

    python bench/validation/dam.py RIDGE [DEVICE] [--small]

The scheme is monotone and of order 1. Its viscosity is at most half the fastest wave's speed s times the spacing h; a jump
or kink of total variation v is spread by that to a mean error of v sqrt(2 s h t / pi) at most (N. Kuznetsov, USSR Comput.
Math. Math. Phys. 16, 1976), so that errors fall by half an order at least, and by one at most.
"""

import numpy as np
from scipy.optimize import brentq

from common import Problem

GRAVITY, LENGTH, HIGH = 9.81, 100.0, 2.0


def ritter(x, t):
    c = np.sqrt(GRAVITY * HIGH)
    s = np.clip(x / t, -c, 2 * c)
    return (2 * c - s) ** 2 / (9 * GRAVITY), np.where(s > -c, 2 * (c + s) / 3, 0) * (s < 2 * c)


def stoker_middle(low):
    """Depth and speed between fan and shock, and the shock's speed."""
    c = np.sqrt(GRAVITY * HIGH)

    def lacks(h):
        behind_fan = 2 * (c - np.sqrt(GRAVITY * h))
        return behind_fan - (h - low) * np.sqrt(GRAVITY * (h + low) / (2 * h * low))

    h = brentq(lacks, low, HIGH)
    u = 2 * (c - np.sqrt(GRAVITY * h))
    return h, u, h * u / (h - low)


def stoker(x, t, low):
    c = np.sqrt(GRAVITY * HIGH)
    h, u, shock = stoker_middle(low)
    s = x / t
    in_fan = (2 * c - s) ** 2 / (9 * GRAVITY)
    depth = np.where(s < -c, HIGH, np.where(s < u - np.sqrt(GRAVITY * h), in_fan, np.where(s < shock, h, low)))
    return depth


def broken(problem, n, low):
    """x, depth, discharge and time about two seconds after the break, in the middle."""
    x = (np.arange(n) + 0.5) * LENGTH / n - LENGTH / 2
    h = np.where(x < 0, HIGH, low)[None, :]
    steps = int(16 * n / LENGTH * 2 * np.sqrt(GRAVITY * HIGH))  # more than two seconds take
    problem.evolve("shallow-water", "--steps", steps, "--every", steps // 32, "--spacing", LENGTH / n, h=h)
    for step in problem.steps():
        t, depth, discharge = problem.read("h", "hu", step=step)
        if t > 2:
            return x, depth[0], discharge[0], t
    raise SystemExit("two seconds were not reached")


def main():
    problem = Problem(__doc__)
    sizes = (200, 400) if problem.small else (500, 1000, 2000, 4000)
    errors = {"Ritter": [], "Stoker": []}
    for n in sizes:
        x, depth, _, t = broken(problem, n, 0.0)
        errors["Ritter"].append(np.abs(depth - ritter(x, t)[0]).mean() / HIGH)
        x, depth, discharge, t = broken(problem, n, 0.2)
        errors["Stoker"].append(np.abs(depth - stoker(x, t, 0.2)).mean() / HIGH)
    h, u, shock = stoker_middle(0.2)
    at = np.searchsorted(x, shock * t * 0.55)
    fastest = 2 * np.sqrt(GRAVITY * HIGH)  # of the front on dry ground
    spread = np.sqrt(2 * fastest * LENGTH / sizes[-1] * t / np.pi)  # m
    # Behind the fan's tail depths are off by what its slope, (high - h) over its width, changes on the spread.
    part = spread / (t * (np.sqrt(GRAVITY * HIGH) + u - np.sqrt(GRAVITY * h)))
    problem.compare("Stoker: depth behind the shock, m", depth[at], h, (HIGH - h) * part)
    problem.compare("Stoker: speed behind the shock, m/s", discharge[at] / depth[at], u, u * part)
    front = x[np.flatnonzero(depth > (h + 0.2) / 2)[-1]] + LENGTH / n / 2
    problem.compare("Stoker: speed of the shock, m/s", front / t, shock, spread / t)
    for name, found in errors.items():
        problem.at_most(f"{name}: mean error of the depth over 2 m, {sizes[-1]} points", found[-1], spread / LENGTH)
        problem.compare(f"{name}: order", np.log2(found[-2] / found[-1]), (0.5, 1), 0)
    problem.end()


main()
