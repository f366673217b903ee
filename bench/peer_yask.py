#!/usr/bin/env python3
"""Ridge beside YASK on a cpu, in turn: single sweeps of every order and of the box, and many sweeps.

YASK's kernels are built beforehand, one for each stencil, in a checkout of it (its kernels 3axis-rN
and cube-r1 compute as many points of the neighbourhood as Ridge's Laplacians and box27):

    make kernel stencil=3axis radius=1 arch=avx512 mpi=0 real_bytes=8 YK_STENCIL=3axis-r1-b8
    ...
    bench/peer_yask.py build/ridge FOLDER_OF_YASK --arch avx512 [--turns 3] [--sizes 512,511,256]

Both choose their own blocks: YASK by its tuner before each run, Ridge by its default. Of YASK's
temporal forms the best counts. Rates are points of the interior that are computed a second."""

import argparse
import json
import os
import re
import statistics
import subprocess

STENCILS = [("laplacian", "heat", "3axis-r1-b8", 1), ("laplacian4", "heat4", "3axis-r2-b8", 2),
            ("laplacian6", "heat6", "3axis-r3-b8", 3), ("laplacian8", "heat8", "3axis-r4-b8", 4),
            ("box27", None, "cube-r1-b8", 1)]
TEMPORAL = {"single": [], "tiles of 4": ["-Mbt", "4", "-bt", "4"], "waves of 8": ["-Mbt", "8"]}


def yask(folder, name, arch, side, seconds, options):
    """Points a second of the best of two trials."""
    program = f"{folder}/bin/yask_kernel.{name}.{arch}.exe"
    run = subprocess.run([program, "-g", str(side), "-num_trials", "2", "-trial_time", str(seconds),
                          "-auto_tune_trial_secs", "0.1", *options], capture_output=True, text=True, cwd=folder,
                         env={**os.environ, "LD_LIBRARY_PATH": f"{folder}/lib"})
    rate = re.search(r"best-throughput \(num-points/sec\):\s*([0-9.]+)([KMGT]?)", run.stdout)
    if not rate:
        raise SystemExit(f"{program} gave no rate:\n{run.stdout[-2000:]}{run.stderr[-1000:]}")
    return float(rate[1]) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[rate[2]]


def ridge(program, kernel, side, *options):
    """Points a second and schedule of each record."""
    out = subprocess.run([program, "bench", kernel, "--size", f"{side}x{side}x{side}", "--precision",
                          "fp64", "--device", "cpu", "--json", *options],
                         capture_output=True, text=True, check=True).stdout
    records = json.loads(out)
    assert all(r["check"]["ok"] for r in records)
    return [(r["items"] / r["seconds"], r["schedule"]) for r in records]


def main():
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    line.add_argument("ridge")
    line.add_argument("yask")
    line.add_argument("--arch", default="avx512")
    line.add_argument("--turns", type=int, default=3)
    line.add_argument("--sizes", default="512,511,256")
    line.add_argument("--steps", default="16,64", help="numbers of sweeps, at the first size")
    line.add_argument("--seconds", type=float, default=1)
    line.add_argument("--kernels", default=",".join(s[0] for s in STENCILS))
    args = line.parse_args()
    sizes = [int(s) for s in args.sizes.split(",")]
    stencils = [s for s in STENCILS if s[0] in args.kernels.split(",")]
    median = statistics.median

    def row(what, of_ridge, of_yask, form):
        print(f"{what:32} ridge {of_ridge / 1e6:8.0f}  yask {of_yask / 1e6:8.0f}  10^6 points/s  "
              f"{of_ridge / of_yask:5.2f}  {form}", flush=True)

    for side in sizes:
        for kernel, _, name, radius in stencils:
            ours, theirs = [], []
            for _ in range(args.turns):
                ours.append(ridge(args.ridge, kernel, side)[0][0])
                theirs.append(yask(args.yask, name, args.arch, side, args.seconds, []))
            row(f"{kernel} {side}^3", median(ours), median(theirs), "")
    for steps in filter(None, args.steps.split(",")):
        for _, kernel, name, radius in stencils:
            if kernel is None:
                continue
            ours, form = max(ridge(args.ridge, kernel, sizes[0], "--steps", steps, "--schedule", "all"))
            default = ridge(args.ridge, kernel, sizes[0], "--steps", steps)[0][0]
            theirs = {f: yask(args.yask, name, args.arch, sizes[0], args.seconds,
                              ["-trial_steps", steps, *o]) for f, o in TEMPORAL.items()}
            best = max(theirs, key=theirs.get)
            row(f"{kernel} {sizes[0]}^3, {steps} sweeps", default, theirs[best],
                f"yask: {best}; best of ours {ours / 1e6:.0f}: {form.split(' rows')[0]}")


if __name__ == "__main__":
    main()
