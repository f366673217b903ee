#!/usr/bin/env python3
"""How mass and energy drift with fields in 16 bits: ridge evolve in fp32, fp16 and bf16, printed as a table.

Usage: storage_drift.py RIDGE [--device D]. All axes are periodic, so that the exact scheme keeps what is printed: the sum
of heat, the energy of acoustic waves (that of leapfrog) and the mass of lattice Boltzmann. Its kinetic energy is beside
that of fp32."""

import argparse
import os
import subprocess
import tempfile

import h5py
import numpy as np

N = 32
WEIGHTS = 1225 / 1024, -245 / 3072, 49 / 5120, -5 / 7168
PERIODIC = "x=periodic,y=periodic,z=periodic"


def run(o, kernel, source, storage, steps, *words):
    """What fields are after so many steps, and the step."""
    subprocess.run([o.ridge, "evolve", kernel, source, "-o", "out.h5", "--overwrite", "--steps", str(steps),
                    "--every", str(steps), "--device", o.device, *words,
                    *(["--store-as", storage] if storage != "fp32" else [])],
                   check=True, capture_output=True)
    with h5py.File("out.h5") as h5:
        dt = float.fromhex(h5.attrs["dt"]) if isinstance(h5.attrs["dt"], str) else h5.attrs["dt"]
        last = h5["snapshots"][f"{steps:010}"]
        return {name: last[name][...].astype("f8") for name in last if isinstance(last[name], h5py.Dataset)}, dt


def energy(at, dt):
    """p(n)^2 + v(n - 1/2) v(n + 1/2), which leapfrog keeps where c and rho are 1."""
    total = np.sum(at["p"] ** 2)
    for axis, name in ((2, "vx"), (1, "vy"), (0, "vz")):
        gradient = sum(w * (np.roll(at["p"], -m - 1, axis) - np.roll(at["p"], m, axis)) for m, w in enumerate(WEIGHTS))
        total += np.sum(at[name] * (at[name] - dt * gradient))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ridge", type=os.path.abspath)
    parser.add_argument("--device", default="cpu")
    o = parser.parse_args()
    os.chdir(tempfile.mkdtemp())
    z, y, x = np.meshgrid(*[2 * np.pi * np.arange(N) / N] * 3, indexing="ij")
    start = {"heat": {"u": 1 + np.cos(x) * np.cos(2 * y) / 2},
             "acoustic": {"p": np.cos(x) * np.cos(y) * np.cos(2 * z), "c": np.ones_like(x)},
             "lbm": {"ux": -0.04 * np.cos(x) * np.sin(y), "uy": 0.04 * np.sin(x) * np.cos(y), "rho": np.ones_like(x)}}
    for kernel, fields in start.items():
        with h5py.File(f"{kernel}.h5", "w") as h5:
            for name, values in fields.items():
                h5[name] = values.astype("f4")
    print("| steps | storage | heat: sum | acoustic: energy | lbm-d3q19: mass | its kinetic energy, to fp32 |")
    print("|---|---|---|---|---|---|")
    for steps in (100, 1000):
        kinetic = None
        for storage in ("fp32", "fp16", "bf16"):
            heat, _ = run(o, "heat", "heat.h5:/u", storage, steps, "--boundary", PERIODIC)
            first, dt = run(o, "acoustic", "acoustic.h5", storage, 1, "--boundary", PERIODIC)
            waves, _ = run(o, "acoustic", "acoustic.h5", storage, steps, "--boundary", PERIODIC)
            flow, _ = run(o, "lbm-d3q19", "lbm.h5", storage, steps, "--set", "tau=0.51")
            moving = np.sum(flow["rho"] * (flow["ux"] ** 2 + flow["uy"] ** 2 + flow["uz"] ** 2))
            kinetic = kinetic or moving
            changes = [heat["u"].mean() - 1, energy(waves, dt) / energy(first, dt) - 1, flow["rho"].mean() - 1,
                       moving / kinetic - 1]
            print(f"| {steps} | `{storage}` | " + " | ".join(f"{change:.1e}" for change in changes) + " |", flush=True)


if __name__ == "__main__":
    main()
