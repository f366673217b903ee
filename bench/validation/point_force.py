"""P and S waves of a force on a point of an elastic whole space beside Stokes's solution.

    python bench/validation/point_force.py RIDGE [DEVICE] [--small] [--picture PNG]

K. Aki, P. Richards, Quantitative Seismology, 2nd ed., eq. 4.23: near field, P and S; vz of a force along z.
"""

import numpy as np

from common import Problem
from waves import draw, places, ricker


def exact(t, aside, frequency, rho, alpha, beta, strength):
    """vz(t) of the force strength * Ricker(t) along z."""
    r = np.linalg.norm(aside)
    g = aside[2] / r
    tau = np.linspace(r / alpha, r / beta, 401)
    slopes = np.array([ricker(t - one, frequency)[1] for one in tau]) * tau[:, None]
    near = ((slopes[1:] + slopes[:-1]) / 2).sum(axis=0) * (tau[1] - tau[0])
    return strength / (4 * np.pi * rho) * (
        (3 * g * g - 1) / r**3 * near + g * g / (alpha**2 * r) * ricker(t - r / alpha, frequency)[1]
        - (g * g - 1) / (beta**2 * r) * ricker(t - r / beta, frequency)[1])  # fmt: skip


def traces(problem, wave):
    """With so many points a wavelength of S: times, vz and the exact one by receiver, and misfits by place."""
    rho, mu, lame = 1.3, 1.3, 1.3
    alpha, beta, dt = np.sqrt((lame + 2 * mu) / rho), np.sqrt(mu / rho), 0.2
    frequency, n = float(beta / wave), 6 * wave
    aside = np.array([(0, 0, wave), (wave, 0, 0), (wave * 2 // 3,) * 3, (0, wave, wave // 2)])
    middle = np.array([n // 2, n // 2, n // 2 + 0.5])  # where vz lies
    places(problem, "s.csv", (*middle, "vz"), columns="x,y,z,array")
    places(problem, "r.csv", *((*(middle + a), "vz") for a in aside), columns="x,y,z,array")
    steps = int((1.2 / frequency + 1.3 * wave / beta + 0.8 / frequency) / dt)
    shape = (n,) * 3
    problem.evolve("elastic", "--steps", steps, "--every", steps, "--dt", dt, "--source", "s.csv", "--wavelet",
                   f"ricker:{frequency!r}", "--receivers", "r.csv",
                   rho=np.full(shape, rho), mu=np.full(shape, mu), lambda_=np.full(shape, lame))  # fmt: skip
    found = problem.traces("traces")[0]
    t = (np.arange(steps) - 0.5) * dt  # what is added behind a step the next one takes up, half a step before its end
    right = np.array([exact(t, a, frequency, rho, alpha, beta, rho / dt) for a in aside])
    misfits = {tuple(map(int, a)): np.linalg.norm(ours - one) / np.linalg.norm(one) for a, ours, one in zip(aside, found, right)}
    return t, found, right, misfits


def main():
    problem = Problem(__doc__, pictures=True)
    waves = (7, 10) if problem.small else (14, 20)
    coarse = traces(problem, waves[0])[-1].values()
    t, found, right, misfits = traces(problem, waves[1])
    for (place, misfit), before in zip(misfits.items(), coarse):
        print(f"at {place}: misfit {misfit:.3g}, {waves[1]} points a wavelength")
        # The scheme is of order 2 in time and 4 in space.
        problem.compare(f"at {place}: order", np.log(before / misfit) / np.log(waves[1] / waves[0]), (2, 6), 0)
    if problem.options.picture:
        draw(problem.options.picture, t, found, right, "ridge evolve elastic", "vz of a force along z in a whole space")
    problem.end()


main()
