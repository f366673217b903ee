"""A layered medium from its shots: the gradient of `ridge evolve`, and L-BFGS of SciPy. It needs scipy and h5py; with
matplotlib it draws inversion.png."""

import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize

COMMAND = [os.environ["RIDGE"]] if "RIDGE" in os.environ else [sys.executable, "-m", "ridge"]
ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 30
SHAPE, H, STEPS = (44, 72), 20.0, 420  # depth and length, in points of 20 m
SHOTS = [120.0, 430.0, 710.0, 990.0, 1300.0]  # along the surface, in metres
KNOWN = 5  # rows of water; the deepest one is known, too: it has the largest speed, which says how layers absorb


def layered():
    depth = np.arange(SHAPE[0])[:, None] + 3 * np.sin(np.arange(SHAPE[1]) / 12)[None, :]
    speed = np.select([depth < 16, depth < 27], [1850.0, 2150.0], 2500.0)
    speed[:KNOWN] = 1500
    speed[-1] = 2600
    return speed


def places(file, rows):
    with open(file, "w", newline="") as out:
        csv.writer(out).writerows([["x", "y"], *rows])


def options(shot):
    return ["--steps", STEPS, "--dt", 0.0035, "--spacing", H, "--boundary", "y-=antimirror", "--absorb", "x,y+",
            "--absorb-width", 12, "--source", f"shot{shot}.csv", "--wavelet", "ricker:7", "--receivers", "line.csv",
            "--device", "cpu", "--overwrite", "--json"]


def ridge(*words):
    """Each run has one thread: shots run side by side."""
    done = subprocess.run([*COMMAND, "evolve", "acoustic", *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)[0]


def observe(shot):
    ridge("true.h5", "-o", f"seen{shot}.h5", "--every", STEPS, *options(shot))


def differ(shot):
    record = ridge("model.h5", "--observed", f"seen{shot}.traces.h5", "--gradient", f"g{shot}.h5:/c", *options(shot))
    with h5py.File(f"g{shot}.h5") as file:
        return record["loss"], file["c"][...]


def write(file, speed):
    with h5py.File(file, "w") as out:
        out["c"] = speed


def main():
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        os.chdir(folder)
        true = layered()
        write("true.h5", true)
        places("line.csv", [[x, 2 * H] for x in np.arange(1, SHAPE[1] - 1, 2) * H])
        for shot, x in enumerate(SHOTS):
            places(f"shot{shot}.csv", [[x, 2 * H]])
        shots = range(len(SHOTS))
        list(pool.map(observe, shots))
        begin = gaussian_filter(true, 6)  # what travel times say
        begin[:KNOWN], begin[-1] = true[:KNOWN], true[-1]
        asked = np.zeros(SHAPE, bool)
        asked[KNOWN:-1] = True

        def loss(values):
            """In units of 100 m/s, and of the loss at the begin."""
            speed = begin.copy()
            speed[asked] = values * 100
            write("model.h5", speed)
            parts = list(pool.map(differ, shots))
            return sum(p[0] for p in parts), sum(p[1] for p in parts)[asked] * 100

        first, _ = loss(begin[asked] / 100)
        best = minimize(lambda v: [one / first for one in loss(v)], begin[asked] / 100, jac=True, method="L-BFGS-B",
                        bounds=[(14, 25.9)] * int(asked.sum()), options={"maxiter": ITERATIONS, "maxcor": 20})
        found = begin.copy()
        found[asked] = best.x * 100
        os.chdir(here)
    print(f"the loss fell by {1 / best.fun:.0f} in {best.nit} iterations; the mean error of the speed from "
          f"{np.abs(begin - true).mean():.0f} to {np.abs(found - true).mean():.0f} m/s")
    if ITERATIONS >= 30:
        assert best.fun < 0.01, best
    assert np.abs(found - true).mean() < np.abs(begin - true).mean()
    draw({"true": true, "begin": begin, "found": found})


def draw(speeds):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(1, len(speeds), figsize=(12, 3), sharey=True)
    for ax, (name, speed) in zip(axes, speeds.items()):
        shown = ax.imshow(speed, vmin=1400, vmax=2600, extent=(0, SHAPE[1] * H, SHAPE[0] * H, 0))
        ax.set_title(name)
    figure.colorbar(shown, ax=axes, label="m/s")
    figure.savefig("inversion.png")


if __name__ == "__main__":
    main()
