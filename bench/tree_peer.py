#!/usr/bin/env python3
"""Gravity by Ridge's tree and by pytreegrav's, both against pytreegrav's sums over all pairs in double precision.

    pip install pytreegrav h5py
    python bench/tree_peer.py --ridge build/ridge --device cpu --size 20000

A Plummer sphere whose bodies have several masses, without softening, which the two do not have in common."""

import argparse
import pathlib
import subprocess
import tempfile
import time

import h5py
import numpy as np
import pytreegrav

LEAST = 1e-4  # that Ridge's tree, of the same theta and order, must not be off by more than pytreegrav's, or this


def sphere(count, seed=3):
    random = np.random.default_rng(seed)
    radius = 1 / np.sqrt((0.999 * random.random(count) + 1e-9) ** (-2 / 3) - 1)
    direction = random.normal(size=(count, 3))
    position = radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]
    mass = random.choice([1.0, 3.0, 10.0], count)
    return position, mass / mass.sum()


def by_ridge(words, position, mass, theta, order):
    with tempfile.TemporaryDirectory() as folder:
        start, out = pathlib.Path(folder, "in.h5"), pathlib.Path(folder, "out.h5")
        with h5py.File(start, "w") as h5:
            h5["position"], h5["mass"] = position, mass
            h5["velocity"] = np.zeros_like(position)
        # So small a step moves nothing; the forces after it are those that know accelerations, as all later ones do.
        subprocess.run([words.ridge, "nbody", start, "-o", out, "--forces", "tree", "--theta", str(theta), "--order",
                        str(order), "--precision", "fp64", "--dt", "1e-12", "--steps", "1", "--device", words.device],
                       check=True, stdout=subprocess.DEVNULL)
        with h5py.File(out) as h5:
            return h5["snapshots/0000000001/acceleration"][:]


def error(got, right):
    off = np.linalg.norm(got - right, axis=1) / np.linalg.norm(right, axis=1)
    return np.sqrt((off**2).mean()), np.quantile(off, 0.99)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", type=int, default=20000)
    words = parser.parse_args()
    position, mass = sphere(words.size)
    begin = time.perf_counter()
    right = pytreegrav.Accel(position, mass, method="bruteforce", parallel=True)
    print(f"{words.size} bodies, {words.device}; all pairs by pytreegrav: {time.perf_counter() - begin:.2f} s")
    print("| θ | order | Ridge: rms, 99th percentile | pytreegrav: rms, 99th percentile |\n|---|---|---|---|")
    for theta in (0.3, 0.5, 0.8):
        for order, quadrupole in ((1, False), (2, True)):
            ours = error(by_ridge(words, position, mass, theta, order), right)
            theirs = error(pytreegrav.Accel(position, mass, method="tree", theta=theta, quadrupole=quadrupole,
                                            parallel=True), right)
            print(f"| {theta} | {order} | {ours[0]:.1e}, {ours[1]:.1e} | {theirs[0]:.1e}, {theirs[1]:.1e} |")
            assert ours[0] <= max(4 * theirs[0], LEAST), "Ridge's sums are off"


if __name__ == "__main__":
    main()
