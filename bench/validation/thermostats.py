"""Both thermostats beside what is known exactly: the canonical distribution, and Einstein's relation.

    python bench/validation/thermostats.py RIDGE DEVICE [--small]

The kinetic energy of n degrees of freedom at temperature T has the gamma distribution of shape n / 2 and scale T: mean
n T / 2, variance n T^2 / 2, and a chi-square of 20 bins that hold as much each (n is 3 N for Langevin's thermostat,
whose noise moves the centre of mass, and 3 N - 3 for the rescaling). Bodies that never meet diffuse under Langevin's
thermostat with T / m dt / 2 coth(dt / (2 relaxation)), of steps dt; T relaxation / m for short ones.
"""

import math

import numpy as np
from bodies import Validation, mean_of_runs
from scipy import stats


def repeats(values):
    """How many samples are as good as one, from correlations up to the first that is not positive."""
    d = values - values.mean()
    total = 1.0
    for k in range(1, len(d) // 4):
        correlation = (d[k:] * d[:-k]).mean() / (d * d).mean()
        if correlation <= 0:
            break
        total += 2 * correlation
    return total


def distribution(v, kind, bodies, temperature, steps):
    every = 40
    record = v.run(
        "md",
        "--lattice",
        bodies,
        "--density",
        0.8442,
        "--temperature",
        temperature,
        "--cutoff",
        2.5,
        "--skin",
        0.3,
        "--thermostat",
        kind,
        "--relaxation",
        0.04,
        "--steps",
        steps,
        "--every",
        every,
        "--dt",
        0.004,
    )
    kinetic = np.array([line["kinetic_energy"] for line in record["md"]["snapshots"][25:]])
    freedom = 3 * bodies - (3 if kind == "rescale" else 0)
    mean, variance = freedom * temperature / 2, freedom * temperature**2 / 2
    count, what = len(kinetic) / repeats(kinetic), f"{kind}: "
    v.row(what + "mean of kinetic energies", kinetic.mean(), math.sqrt(variance / count), mean, 0, "canonical", 4)
    v.row(
        what + "variance of kinetic energies",
        kinetic.var(ddof=1),
        kinetic.var(ddof=1) * math.sqrt(2 / count),
        variance,
        0,
        "canonical",
        4,
    )
    edges = stats.gamma(freedom / 2, scale=temperature).ppf(np.linspace(0, 1, 21))
    seen = np.histogram(kinetic, edges)[0]
    even = len(kinetic) / 20
    chi = ((seen - even) ** 2 / even).sum() / repeats(kinetic)
    v.row(what + "chi-square of 20 bins", chi, math.sqrt(2 * 19), 19, 0, "canonical", 4)


def einstein(v, dt, relaxation, bodies, runs):
    temperature, found = 0.7, []
    for seed in range(1, runs + 1):
        record = v.run(
            "md",
            "--lattice",
            bodies,
            "--density",
            1e-6,
            "--temperature",
            temperature,
            "--cutoff",
            0.01,
            "--skin",
            20,
            "--thermostat",
            "langevin",
            "--relaxation",
            relaxation,
            "--dt",
            dt,
            "--steps",
            2000,
            "--diffusion",
            "--sample",
            20,
            "--seed",
            seed,
        )["md"]["diffusion"]
        found.append((record["by_displacement"], record["by_velocity"]))
    exact = temperature * dt / 2 / math.tanh(dt / 2 / relaxation)
    v.row(
        f"diffusion, dt {dt}, relaxation {relaxation}",
        *mean_of_runs([one[0] for one in found]),
        exact,
        0,
        "Einstein",
        4,
    )


def main():
    with Validation(__doc__) as v:
        for kind in "langevin", "rescale":
            distribution(v, kind, 256, 1.1, 5000 if v.small else 100000)
        for dt, relaxation in [(0.02, 0.2)] if v.small else [(0.02, 0.2), (0.05, 0.05)]:
            einstein(v, dt, relaxation, 2048 if v.small else 32000, 4 if v.small else 5)


main()
