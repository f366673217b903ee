"""Accelerations by a tree against sums over all pairs, in double precision: at rest, moving, clustered 10^4 to 1.

    python bench/validation/trees.py RIDGE DEVICE [--small]

The error that is asked for (--error) is kept: relative to each acceleration, the root of the mean square over a sample.
"""

import math

import h5py
import numpy as np
from bodies import Validation


def plummer_of(random, count, scale):
    r = scale / np.sqrt(random.uniform(0, 0.99, count) ** (-2 / 3) - 1)
    direction = random.standard_normal((count, 3))
    return r[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]


def error_of(file, step, softening, random, sample):
    with h5py.File(file) as h5:
        group = h5[f"snapshots/{step:010}"]
        x, found, mass = group["position"][:], group["acceleration"][:], group["mass"][:]
    chosen = random.choice(len(x), sample, replace=False)
    errors = []
    for i in chosen:
        d = x - x[i]
        r = np.sqrt((d * d).sum(1) + softening**2)
        weight = mass / r**3
        weight[i] = 0
        exact = (weight[:, None] * d).sum(0)
        errors.append(np.linalg.norm(found[i] - exact) / np.linalg.norm(exact))
    return math.sqrt(np.mean(np.square(errors)))


def main():
    with Validation(__doc__) as v:
        count, sample = (8192, 200) if v.small else (131072, 300)
        random = np.random.default_rng(7)
        out = v.folder / "tree.h5"
        # Half of the bodies in a core of 1e-4 of the size of the others.
        core = np.concatenate(
            [plummer_of(random, count // 2, 1.0), plummer_of(random, count // 2, 1e-4) + [0.3, 0.2, 0.1]]
        )
        clustered = v.csv("clustered.csv", core, np.zeros_like(core), np.full(count, 1 / count))
        for asked in (1e-3,) if v.small else (1e-3, 1e-4):
            tree = [
                "-o",
                out,
                "--forces",
                "tree",
                "--error",
                asked,
                "--overwrite",
                "--precision",
                "fp64",
                "--dt",
                1 / 1024,
            ]
            for what, words, steps, softening in [
                ("at rest", ["--cold-collapse", count], 0, 0.01),
                ("moving", ["--plummer", count], 64, 0.01),
                ("clustered 10^4 to 1", [clustered], 0, 1e-6),
            ]:
                v.run("nbody", *words, *tree, "--softening", softening, "--steps", steps, "--every", max(1, steps))
                error = error_of(out, steps, softening, random, sample)
                # Few of a sample make most of its mean square.
                v.row(f"tree, {what}: error", error, 0, 0, 1.3 * asked, f"{asked:g} was asked for", 1)


main()
