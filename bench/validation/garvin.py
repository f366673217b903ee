"""An explosion on a line under a free surface of an elastic half space: velocities on the surface beside Garvin's solution.

    python bench/validation/garvin.py RIDGE [DEVICE] [--small] [--picture PNG]

W. Garvin, Proc. R. Soc. A 234, 1956, by Cagniard's way: P, and Rayleigh's wave, which a source at half a wavelength of S makes.
"""

import numpy as np

from common import Problem
from waves import draw, places, ricker

DEPTH, AWAY = 0.5, (1, 2, 3)  # wavelengths of S: of the source, and of receivers from the point above it
RHO, LAME, MU = 1.3, 1.3, 1.3
ALPHA, BETA = np.sqrt((LAME + 2 * MU) / RHO), np.sqrt(MU / RHO)


def exact(t, x, depth, frequency, strength):
    """Velocities along x and down of stresses xx and yy that grow by strength * Ricker(t) on the line."""
    direct = np.hypot(x, depth) / ALPHA
    found = np.zeros((2, len(t)))
    for i in np.flatnonzero(t > direct):
        until = np.arccosh(t[i] / direct)
        many = int(400 + 200 * frequency * t[i])
        theta = (np.arange(many) + 0.5) * until / many
        tau = direct * np.cosh(theta)
        p = (x * tau + 1j * depth * direct * np.sinh(theta)) / (x * x + depth * depth)
        of_p, of_s = np.sqrt(1 / ALPHA**2 - p * p), np.sqrt(1 / BETA**2 - p * p)
        gamma = 1 / BETA**2 - 2 * p * p
        rayleigh = BETA**2 * (gamma**2 + 4 * p * p * of_p * of_s)
        slope = ricker(t[i] - tau, frequency)[1] * until / many
        for k, motion in enumerate((-4 * p * of_s / rayleigh, 2 * gamma / rayleigh)):
            found[k, i] = strength / (2 * np.pi * RHO * ALPHA**2) * (slope * np.real(motion * of_p)).sum()
    return found


def traces(problem, wave):
    """Times, our traces of vx and vy, and the exact ones, for a number of points in a wavelength of S."""
    frequency, dt, depth = float(BETA / wave), float(0.45 / ALPHA), int(DEPTH * wave)
    ny, nx, at = 8 * wave, 18 * wave, 8 * wave  # nothing comes back from other faces
    places(problem, "s.csv", *((at, depth, name) for name in ("sxx", "syy")), columns="x,y,array")
    aside = [n * wave for n in AWAY]
    # vx lies on the surface; vy half a point below and on, from where it is continued.
    rows = [row for x in aside for row in ((at + x + 0.5, 0, "vx"), (at + x, 0.5, "vy"), (at + x, 1.5, "vy"))]
    places(problem, "r.csv", *rows, columns="x,y,array")
    steps = int((2.2 / frequency + 3.4 * wave / BETA) / dt)
    shape = ny, nx
    problem.evolve("elastic", "--steps", steps, "--every", steps, "--dt", dt, "--boundary", "y-=free", "--source", "s.csv",
                   "--wavelet", f"ricker:{frequency!r}", "--receivers", "r.csv",
                   rho=np.full(shape, RHO), mu=np.full(shape, MU), lambda_=np.full(shape, LAME))  # fmt: skip
    found = problem.traces("traces")[0].reshape(len(AWAY), 3, steps)
    t = np.arange(steps) * dt  # stresses take a value in the middle of a step, when velocities are there
    right = [(exact(t, x + 0.5, depth, frequency, 1 / dt)[0], exact(t, x, depth, frequency, 1 / dt)[1]) for x in aside]
    return t, np.stack([found[:, 0], 1.5 * found[:, 1] - 0.5 * found[:, 2]], axis=1), np.array(right)


def main():
    problem = Problem(__doc__, pictures=True)
    waves = (10, 20) if problem.small else (20, 40)
    misfits = []
    for wave in waves:
        t, found, right = traces(problem, wave)
        misfits.append(np.linalg.norm(found - right, axis=-1) / np.linalg.norm(right, axis=-1))
    for i, place in enumerate(AWAY):
        for k, name in enumerate(("vx", "vy")):
            before, misfit = misfits[0][i, k], misfits[1][i, k]
            print(f"{name} at {place} wavelengths: misfit {misfit:.3g}, {waves[1]} points a wavelength of S")
            # The scheme is of order 2 in time and at the surface; a face of order 1 would be another.
            problem.compare(f"{name} at {place} wavelengths: order", np.log2(before / misfit), (1.5, 4), 0)
    if problem.options.picture:
        draw(problem.options.picture, t, found.reshape(-1, len(t)), right.reshape(-1, len(t)), "ridge evolve elastic",
             "vx and vy on a free surface above an explosion")  # fmt: skip
    problem.end()


main()
