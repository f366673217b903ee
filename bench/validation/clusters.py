"""A Plummer sphere in equilibrium and a cold collapse beside what is known of them.

    python bench/validation/clusters.py RIDGE DEVICE [--small]

Plummer, in Henon's units (Aarseth, Henon and Wielen, Astron. Astrophys. 37, 183, 1974): energy -1/4, virial ratio
2 K / |W| = 1, and the radii that hold a tenth, a half and nine tenths of the mass, 3 pi / 16 (M^(-2/3) - 1)^(-1/2),
kept over a crossing time. A homogeneous sphere at rest, of mass and radius 1, has the energy -3/5, falls together at
pi / 2^(3/2), later by its graininess, and leaves bound bodies in virial equilibrium (Joyce, Marcos and Sylos Labini,
arXiv 0811.2752; their tables of what is ejected were not found offline).
"""

import math

import h5py
import numpy as np
from bodies import Validation, mean_of_runs


def radii_of(x, fractions):
    r = np.sort(np.linalg.norm(x - np.median(x, axis=0), axis=1))
    return [r[int(f * len(r))] for f in fractions]


def plummer(v, count, runs, dt):
    fractions, steps = (0.1, 0.5, 0.9), round(2 * math.sqrt(2) / dt)
    ratios, energies, radii = [], [], []
    for seed in range(1, runs + 1):
        out = v.folder / "plummer.h5"
        lines = v.run(
            "nbody",
            "--plummer",
            count,
            "--seed",
            seed,
            "--dt",
            dt,
            "--steps",
            steps,
            "--every",
            max(1, steps // 8),
            "--softening",
            0.01 if v.small else 0.002,
            "-o",
            out,
            "--overwrite",
        )["nbody"]["snapshots"]
        ratios.append(np.mean([2 * line["kinetic_energy"] / -line["potential_energy"] for line in lines]))
        energies.append(lines[-1]["energy"])
        with h5py.File(out) as h5:
            radii.append(radii_of(h5[f"snapshots/{steps:010}/position"][:], fractions))
    source = "Aarseth, Henon and Wielen"
    v.row("Plummer: energy", *mean_of_runs(energies), -0.25, 0, source, 4)
    v.row("Plummer: virial ratio", *mean_of_runs(ratios), 1, 0, source, 4)
    radius = lambda m: 3 * math.pi / 16 / math.sqrt((0.999 * m) ** (-2 / 3) - 1)  # 0.999 of the mass is kept
    for k, f in enumerate(fractions):
        slope = (radius(f * 1.001) - radius(f * 0.999)) / (0.002 * f)
        error = slope * math.sqrt(f * (1 - f) / count / runs)
        v.row(
            f"Plummer: radius of {f} of the mass", np.mean([one[k] for one in radii]), error, radius(f), 0, source, 4
        )


def virial_of(x, softening):
    """The sum of x . F of bodies of mass 1 under each other's softened gravity."""
    total = 0.0
    for part in np.array_split(x, max(1, len(x) // 128)):
        square = ((part[:, None, :] - x[None, :, :]) ** 2).sum(2)
        total -= (square / (square + softening**2) ** 1.5).sum() / 2
    return total


def collapse(v, count, runs, dt):
    steps, every, softening = round(4.4 / dt), max(1, round(0.02 / dt)), 0.01
    energies, times, ratios = [], [], []
    for seed in range(1, runs + 1):
        out = v.folder / "fall.h5"
        words = ["--dt", dt, "--steps", steps, "--every", every, "--softening", softening, "-o", out, "--overwrite"]
        lines = v.run("nbody", "--cold-collapse", count, "--seed", seed, *words)["nbody"]["snapshots"]
        energies.append(lines[0]["energy"])
        times.append(min(lines, key=lambda line: line["potential_energy"])["time"])
        with h5py.File(out) as h5:
            group = h5[f"snapshots/{steps:010}"]
            x, u, phi = (group[name][:] for name in ("position", "velocity", "potential"))
        bound = (u**2).sum(1) / 2 + phi < 0
        u = u[bound] - u[bound].mean(axis=0)
        # Softening takes 4 % of the virial, which is less than the potential energy.
        ratios.append(count * (u**2).sum() / -virial_of(x[bound], softening))
        deepest = min(line["potential_energy"] for line in lines)
        print(f"{'':42} seed {seed}: {1 - bound.mean():.3f} of the mass is ejected, W was {deepest:.3f}")
    v.row("collapse: energy at rest", *mean_of_runs(energies), -0.6, 0.6 * 0.01, "-3/5, softening 0.01", 4)
    lag = 0.02 + 0.5 / count ** (1 / 3)
    v.row("collapse: time", *mean_of_runs(times), math.pi / 2**1.5, lag, "free fall, and N^(-1/3)", 1)
    v.row("collapse: virial ratio of the bound", *mean_of_runs(ratios), 1, 0.02, "virial theorem", 2)


def main():
    with Validation(__doc__) as v:
        if v.small:
            plummer(v, 1024, 5, 1 / 64)
            collapse(v, 1024, 2, 1 / 256)
        else:
            plummer(v, 16384, 6, 1 / 512)
            collapse(v, 16384, 3, 1 / 2048)


main()
