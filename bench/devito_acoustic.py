#!/usr/bin/env python3
"""Ridge beside Devito on a cpu, in turn: acoustic waves in c and density, order 8, staggered, fp32.

    python3 -m venv peer && peer/bin/pip install devito h5py
    peer/bin/python bench/devito_acoustic.py build/ridge [--side 256] [--steps 40] [--turns 3] [--threads 2] [--json FILE]

Both step dp/dt = -rho c^2 div v and dv/dt = -grad p / rho, the velocities first, from the same pressure, with
the same step. Devito compiles and tunes its loops before its time is taken; Ridge runs `evolve` under its default
schedule, walls included. Pressures in the middle, which no wall has reached, are compared. Rates are points of the
grid a second; Devito's is by the wall time of the call that runs all steps. `load` is what waited for the cores
before each turn, by the system's mean over a minute."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np


def start(side):
    """A pressure in the middle, and a medium."""
    x = np.arange(side, dtype="f4") - side / 2
    r2 = x[:, None, None] ** 2 + x[None, :, None] ** 2 + x[None, None, :] ** 2
    p = np.exp(-r2 / 18).astype("f4")
    c = (1 + 0.2 * np.sin(2 * np.pi * x / 40)[:, None, None] + np.zeros_like(r2)).astype("f4")
    return p, c, np.ones_like(c)


def devito_of(side, p0, c0, rho0):
    """A function that takes steps and gives seconds and the pressure."""
    from devito import Eq, Function, Grid, Operator, TimeFunction, VectorTimeFunction, div, grad, solve
    grid = Grid(shape=(side,) * 3, extent=(side - 1.0,) * 3, dtype=np.float32)
    p = TimeFunction(name="p", grid=grid, space_order=8, time_order=1)
    v = VectorTimeFunction(name="v", grid=grid, space_order=8, time_order=1)
    c = Function(name="c", grid=grid, space_order=8)
    rho = Function(name="rho", grid=grid, space_order=8)
    c.data[:], rho.data[:] = c0, rho0
    first = Eq(v.forward, solve(v.dt + grad(p) / rho, v.forward))
    second = Eq(p.forward, solve(p.dt + rho * c * c * div(v.forward), p.forward))
    operator = Operator([first, second])

    def run(steps, dt, tune=False):
        p.data[:] = 0
        p.data[0] = p0
        for component in v:
            component.data[:] = 0
        begin = time.perf_counter()
        operator.apply(time_m=0, time_M=steps - 1, dt=np.float32(dt),
                       autotune=("aggressive", "runtime") if tune else False)
        return time.perf_counter() - begin, np.array(p.data[steps % 2])

    return run


CORES = os.sched_getaffinity(0)  # before OpenMP binds this thread, and what it starts, to one of them


def ridge_run(program, folder, steps, dt, name):
    out = subprocess.run([program, "evolve", "acoustic", folder / "start.h5", "-o", folder / f"{name}.h5", "--steps",
                          str(steps), "--every", str(steps), "--dt", repr(dt), "--device", "cpu", "--overwrite", "--json"],
                         capture_output=True, text=True, check=True,
                         preexec_fn=lambda: os.sched_setaffinity(0, CORES)).stdout
    (record,) = json.loads(out)
    return record["seconds"] * steps, record["schedule"]


def main():
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    line.add_argument("ridge")
    line.add_argument("--side", type=int, default=256)
    line.add_argument("--steps", type=int, default=40)
    line.add_argument("--turns", type=int, default=3)
    line.add_argument("--threads", type=int, default=2)
    line.add_argument("--json", type=pathlib.Path, help="a record of all turns")
    args = line.parse_args()
    os.environ.update(DEVITO_LANGUAGE="openmp", DEVITO_LOGGING="ERROR", OMP_NUM_THREADS=str(args.threads),
                      OMP_PROC_BIND="close", DEVITO_SAFE_MATH="0")
    import h5py
    p, c, rho = start(args.side)
    dt = 0.25
    devito = devito_of(args.side, p, c, rho)
    devito(args.steps, dt, tune=True)
    points = args.side ** 3 * args.steps
    rates = {"devito": [], "ridge": []}
    loads = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with h5py.File(folder / "start.h5", "w") as h5:
            h5["p"], h5["c"], h5["rho"] = p, c, rho
        for turn in range(args.turns):
            loads.append(os.getloadavg()[0])
            seconds, theirs = devito(args.steps, dt)
            rates["devito"].append(points / seconds)
            seconds, schedule = ridge_run(args.ridge, folder, args.steps, dt, f"turn{turn}")
            rates["ridge"].append(points / seconds)
        with h5py.File(max(folder.glob("turn0.*.h5"))) as h5:
            ours = h5["p"][...]
    inner = (slice(args.side // 4, -(args.side // 4)),) * 3
    apart = float(np.abs(ours - theirs)[inner].max() / np.abs(theirs).max())
    for name, all_rates in rates.items():
        print(f"{name:7} {statistics.median(all_rates) / 1e6:8.1f} M points/s   "
              + " ".join(f"{r / 1e6:.1f}" for r in all_rates))
    ratio = statistics.median(a / b for a, b in zip(rates["ridge"], rates["devito"]))
    print(f"ridge over devito {ratio:.2f}; pressures in the middle differ by {apart:.1e} of the largest; {schedule}")
    if not args.json:
        return
    import importlib.metadata
    import platform
    cpu = [row.split(":")[1].strip() for row in open("/proc/cpuinfo", encoding="ascii") if row.startswith("model name")]
    common = {"work": "acoustic, order 8, fp32", "side": args.side, "steps": args.steps, "threads": args.threads,
              "processor": cpu[0] if cpu else platform.processor(), "cores": len(CORES), "load": loads, "apart": apart}
    rows = [{"program": name, "points_per_second": statistics.median(all_rates), "turns": all_rates, **common}
            for name, all_rates in rates.items()]
    rows[0]["version"] = importlib.metadata.version("devito")
    rows[1]["schedule"] = schedule
    args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
