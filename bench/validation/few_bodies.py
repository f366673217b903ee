"""Kepler's ellipse, the figure of eight and the Pythagorean three bodies beside what is known of them.

    python bench/validation/few_bodies.py RIDGE DEVICE [--small]

Kepler: eccentricity 0.9, period 2 pi (a^3 / M)^(1/2); the phase of both integrators has its order. The figure of eight
has the period 6.32591398 (Simo's data, in Chenciner and Montgomery, Ann. Math. 152, 881, 2000); its start has eight
digits, and an integrator of variable steps (SciPy, DOP853, 1e-13) says what they leave. The Pythagorean problem (Burrau
1913; Szebehely and Peters, Astron. J. 72, 876, 1967) ends with an ejection after close approaches, which steps of one
length do not resolve: places are compared with those of variable steps before the closest.
"""

import math

import h5py
import numpy as np
from bodies import Validation
from scipy.integrate import solve_ivp


def last_of(v, start, time, steps, integrator):
    """Places and speeds after a time."""
    out = v.folder / "run.h5"
    record = v.run(
        "nbody",
        start,
        "-o",
        out,
        "--dt",
        repr(time / steps),
        "--steps",
        steps,
        "--every",
        steps,
        "--integrator",
        integrator,
        "--precision",
        "fp64",
        "--overwrite",
    )
    with h5py.File(out) as h5:
        group = h5[f"snapshots/{steps:010}"]
        return group["position"][:], group["velocity"][:], record["nbody"]["largest_energy_error"]


def kepler(v, eccentricity=0.9):
    """From the farthest point, half of the mass each; the phase that is lacking after whole periods."""
    apart, speed = 1 + eccentricity, math.sqrt((1 - eccentricity) / (1 + eccentricity))
    start = v.csv(
        "kepler.csv", [[apart / 2, 0, 0], [-apart / 2, 0, 0]], [[0, speed / 2, 0], [0, -speed / 2, 0]], [0.5, 0.5]
    )
    period = 2 * math.pi
    for integrator, order, steps in ("leapfrog", 2, 20000), ("yoshida4", 4, 8000):
        late = []
        for many in steps, 2 * steps:
            x, u, energy = last_of(v, start, period, many, integrator)
            d, w = x[0] - x[1], u[0] - u[1]
            # Near the farthest point the time that is lacking is the place's along the orbit over the speed.
            late.append(d[1] / w[1])
        what = f"Kepler e = 0.9, {integrator}: "
        v.row(what + "period", period - late[1], abs(late[0] - late[1]) / (2**order - 1), period, 1e-12, "2 pi", 1.3)
        v.row(what + "order of the phase", math.log2(abs(late[0] / late[1])), 0.1, order, 0, "order", 1)
        half = np.linalg.norm(d) / (1 + eccentricity)
        v.row(what + "half axis", half, 4 * abs(1 - half) + 1e-12, 1, 0, "start", 1)


def exactly(x, u, mass, time):
    """Places and speeds by steps of any length."""

    def slope(_, y):
        x = y[:9].reshape(3, 3)
        d = x[None, :, :] - x[:, None, :]
        r = np.sqrt((d * d).sum(2)) + np.eye(3)
        return np.concatenate([y[9:], (np.array(mass)[None, :, None] * d / r[:, :, None] ** 3).sum(1).ravel()])

    y = solve_ivp(
        slope, (0, time), np.concatenate([x.ravel(), u.ravel()]), method="DOP853", rtol=1e-13, atol=1e-14
    ).y[:, -1]
    return y[:9].reshape(3, 3), y[9:].reshape(3, 3)


def figure_of_eight(v):
    first, third = np.array([0.97000436, -0.24308753, 0]), np.array([-0.93240737, -0.86473146, 0])
    x0, u0 = np.array([first, -first, 0 * first]), np.array([-third / 2, -third / 2, third])
    period = 6.32591398
    x, u, _ = last_of(v, v.csv("eight.csv", x0, u0, [1, 1, 1]), period, 20000, "yoshida4")
    late, exact = (
        -((at - x0) * speed).sum() / (speed * speed).sum()
        for at, speed in ((x, u), exactly(x0, u0, [1.0, 1, 1], period))
    )
    v.row(
        "figure of eight: period", period + late, 1e-9, period, abs(exact) + 1e-8, "Simo; a start of eight digits", 1
    )
    v.row("figure of eight: period", period + late, 1e-10, period + exact, 1e-10, "DOP853 at 1e-13, the same start")


def pythagorean(v):
    x0, mass = np.array([[1.0, 3, 0], [-2, -1, 0], [1, -1, 0]]), np.array([3.0, 4, 5])

    time = 1.5 if v.small else 8.0
    exact, _ = exactly(x0, 0 * x0, mass, time)
    start = v.csv("burrau.csv", x0, 0 * x0, mass)
    x, _, energy = last_of(v, start, time, 100000 if v.small else 4000000, "yoshida4")
    apart = np.abs(x - exact).max()
    v.row(f"Pythagorean bodies: places at t = {time:g}", apart, 1e-7, 0, 1e-7, "DOP853 at 1e-13", 1)
    print(f"{'':42} energy error {energy:.1e}; equal steps do not reach the ejection of the lightest")


def main():
    with Validation(__doc__) as v:
        kepler(v)
        figure_of_eight(v)
        pythagorean(v)


main()
