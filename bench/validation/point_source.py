"""Acoustic waves of a point in a whole space beside their solution, and reciprocity in a rough medium.

    python bench/validation/point_source.py RIDGE [DEVICE] [--small] [--picture PNG]

A value s(t) that is added to the pressure of one point in each step is a source of volume: p = h^3 s'(t - r / c) / (4 pi c^2
r dt). Between A and B in any medium, p / (rho c^2) is the same both ways.
"""

import numpy as np

from common import Problem
from waves import draw, places, ricker


def whole_space(problem, wave):
    """Traces and the exact ones, with `wave` points a wavelength."""
    n, c, rho, dt = 5 * wave, 1.5, 2.0, 0.125
    middle, frequency = n // 2, 1.5 / wave
    aside = [(wave, 0, 0), (0, -wave, 0), (wave * 2 // 3,) * 3, (0, wave // 2, -wave)]
    places(problem, "s.csv", (middle,) * 3)
    places(problem, "r.csv", *((middle + x, middle + y, middle + z) for x, y, z in aside))
    ends = 1.2 / frequency + 1.3 * wave / c + 1 / frequency
    problem.evolve("acoustic", "--steps", int(ends / dt), "--every", int(ends / dt), "--dt", dt, "--source", "s.csv",
                   "--wavelet", f"ricker:{frequency}", "--receivers", "r.csv",
                   c=np.full((n,) * 3, c), rho=np.full((n,) * 3, rho))  # fmt: skip
    found = problem.traces("traces")[0]
    t = (np.arange(found.shape[1]) + 0.5) * dt  # a value that is added in a step acts in its middle
    r = np.linalg.norm(aside, axis=1)[:, None]
    return t, found, ricker(t - r / c, frequency)[1] / (4 * np.pi * c**2 * r * dt)


def reciprocity(problem, n=20):
    random = np.random.default_rng(3)
    c, rho = 1 + random.random((n,) * 3), 1 + random.random((n,) * 3)
    ends = (4, 5, 6), (14, 12, 13)
    found = []
    for source, receiver in (ends, ends[::-1]):
        places(problem, "s.csv", source)
        places(problem, "r.csv", receiver)
        problem.evolve("acoustic", "--steps", 150, "--every", 150, "--source", "s.csv", "--wavelet", "ricker:0.15",
                       "--receivers", "r.csv", c=c, rho=rho)  # fmt: skip
        x, y, z = receiver
        found.append(problem.traces("traces")[0][0] / (rho * c**2)[z, y, x])
    return np.abs(found[0] - found[1]).max() / np.abs(found[0]).max()


def main():
    problem = Problem(__doc__, pictures=True)
    wave = 9 if problem.small else 24
    t, found, exact = whole_space(problem, wave)
    for i, (ours, right) in enumerate(zip(found, exact)):
        misfit = np.linalg.norm(ours - right) / np.linalg.norm(right)
        problem.at_most(f"receiver {i}: misfit, {wave} points a wavelength", misfit, 0.02 if problem.small else 0.004)
    problem.at_most("reciprocity in a rough medium", reciprocity(problem), 1e-11)
    if problem.options.picture:
        draw(problem.options.picture, t, found, exact, "ridge evolve acoustic", "a point source in a whole space")
    problem.end()


main()
