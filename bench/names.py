#!/usr/bin/env python3
"""Defaults beside other schedules of the same work: no default may be slower than what has a name.

Usage: names.py [--only GROUP,...] [--kernels NAME,...] [--sizes N,...] [--seconds N] [--keep FILE] RIDGE DEVICE
Each row is a kernel, a size and a precision: the time of its default, then those of the others that are faster by more
than 2 %, measured once more together with it. `built-in` rows run all schedules with names. `stencils` are kernels of
stencils.hpp, as users write them, in fields that a GPU's cache holds or nearly does, `large` in larger ones, under
schedules that defaults choose among. What is not compiled ahead is compiled first, several at a time. `--keep` writes
all times. The exit status is 1 where a result is wrong or a row does not run."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent


def cube(n):
    return f"{n}x{n}x{n}"


def few_idle(n):
    """The widest block of 256 threads that leaves the fewest lanes idle in rows of n points."""
    width = min((256, 128, 64, 32), key=lambda w: -(-n // w) * w)
    return f"block={width}x{256 // width}x1"


def points(n):
    """One point a lane, four and eight rows, and the window of the AMD series' fifth kernel."""
    none = "stage=none split=1"
    one = f"{none} loads=stencil bounds=1024 store=plain"
    window = f"{none} loads=ascending bounds=256 store=nontemporal tile=8"
    return [f"{one} tile=1 {few_idle(n)}", f"{one} tile=4 {few_idle(n)}", f"{one} tile=4 block=128x2x1",
            f"{one} tile=8 block=128x2x1", f"{one} tile=8 block=256x1x1", f"{window} block=128x2x1",
            f"{window} block=256x1x1"]


def stencils(kernels, sizes, precisions=("fp32", "fp64", "bf16")):
    """Rows of kernels of stencils.hpp under points and marches; planes come as tiles where rows begin at 16 bytes."""
    for kernel in kernels.split():
        name = kernel if kernel in ("diffusion", "box27") else f"{HERE}/stencils.hpp:{kernel}"
        for precision in precisions:
            for size in sizes:
                aligned = size * {"fp64": 8, "fp32": 4}.get(precision, 2) % 16 == 0
                marches = ["stage=bulk"] if size > 100 else []
                if aligned and marches and not (precision == "bf16" and "star2" in kernel):
                    marches.append("stage=tiles")
                small = f"{136 if aligned else 129}x120x120" if marches else cube(size)
                yield name, cube(size), precision, ["auto"] + points(size) + marches, small


def built_in():
    """Rows under all schedules with names, at three sizes where fields work."""
    def rows(kernels, sizes, precisions=("fp32", "fp64"), words=""):
        for kernel in kernels.split():
            for size in sizes.split():
                for precision in precisions:
                    yield f"{kernel} {words}".strip(), size, precision, ["all"], sizes.split()[0]
    cubes = "128x128x128 256x256x256 500x500x500"
    yield from rows("laplacian laplacian4 laplacian6 laplacian8 diffusion box27", cubes)
    yield from rows("laplacian laplacian4", cubes, ("bf16",))
    yield from rows("heat wave", cubes, words="--steps 24")
    yield from rows("gravity coulomb biot-savart gaussian lennard-jones", "4096 65536 200000")
    yield from rows("lattice-axpy lattice-norm2 lattice-inner lattice-axpy-norm lattice-sum-reproducible",
                    "65536 1048576 16777216")
    yield from rows("hopping wilson wilson-even-odd dwf wilson-columns clover staggered",
                    "16x16x16x32 24x24x24x48 32x32x32x64")
    yield from rows("chain", "10000 1000000 100000000")
    yield from rows("cloud-models", "20000 1000000 10000000")
    yield from rows("running-sum tridiagonal", "128x4096 128x100000 64x1000000")
    yield from rows("acoustic elastic maxwell lbm-d3q19", "100x100x100 200x200x200 320x320x320")
    yield from rows("shallow-water", "1000x1000 4096x4096 8192x8192")


def of_numbers(precision):
    return ["--store-as", precision] if precision in ("fp16", "bf16") else ["--precision", precision]


def run(ridge, device, kernel, size, precision, schedules, *more):
    """Records of a run; what it said last where it fails."""
    name, *words = kernel.split()
    command = [ridge, "bench", name, *words, "--device", device, "--size", size, *of_numbers(precision), "--no-roof",
               "--json", "--schedule", "; ".join(schedules), *more]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        return [], (ran.stderr.strip().splitlines() or ["no word"])[-1]
    return json.loads(ran.stdout), ""


def compile_all(ridge, device, rows):
    """Each schedule once, on small fields that lie alike."""
    wanted = sorted({(kernel, small, precision, schedule) for kernel, _, precision, schedules, small in rows
                     for schedule in schedules if schedule != "auto"})
    wanted += [(kernel, size, precision, "auto") for kernel, size, precision, schedules, _ in rows if "auto" in schedules]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda w: run(ridge, device, *w[:3], [w[3]], "--repeat", "1"), wanted):
            pass


def beside(records):
    """The default's record and the fastest of the others."""
    default = next((r for r in records if r.get("schedule_name") in ("default", "auto")), records[0])
    others = [r for r in records if r["schedule"] != default["schedule"]]
    return default, min(others, key=lambda r: r["seconds"], default=None)


def main():
    parse = argparse.ArgumentParser(usage=__doc__)
    parse.add_argument("--only", default="built-in,stencils,large")
    parse.add_argument("--kernels", default="")
    parse.add_argument("--sizes", default="")
    parse.add_argument("--seconds", type=float, default=1e9)
    parse.add_argument("--keep")
    parse.add_argument("ridge")
    parse.add_argument("device")
    asked = parse.parse_args()
    sizes = [int(n) for n in asked.sizes.split(",") if n]
    users = "star2 star2of3 star2of4 diffusion star4 star4of4 star6 star8 box27"
    groups = {
        "built-in": built_in,
        "stencils": lambda: stencils(users, sizes or (48, 64, 96, 128, 129, 160, 192, 193, 224)),
        "large": lambda: stencils(users, sizes or (257, 320, 351, 512)),
    }
    end = time.monotonic() + asked.seconds
    kernels = [name for name in asked.kernels.split(",") if name]
    rows = [row for name in asked.only.split(",") for row in groups[name]()
            if not kernels or row[0].rpartition(":")[2].split()[0] in kernels]
    compile_all(asked.ridge, asked.device, rows)
    print(f"compiled, {end - time.monotonic():.0f} s are left", flush=True)
    wrong, slower, left, kept = 0, 0, 0, []
    for kernel, size, precision, schedules, _ in rows:
        if time.monotonic() > end:
            left += 1
            continue
        records, why = run(asked.ridge, asked.device, kernel, size, precision, schedules)
        name = kernel.rpartition(":")[2]
        if not records:
            print(f"{name:24} {size:13} {precision:5} does not run: {why}", flush=True)
            wrong += 1
            continue
        bad = [r["schedule"] for r in records if r.get("check") and not r["check"]["ok"]]
        default, other = beside(records)
        if other and other["seconds"] < default["seconds"] / 1.02:  # once more, both
            again, _ = run(asked.ridge, asked.device, kernel, size, precision, [default["schedule"], other["schedule"]])
            if again:
                default["seconds"] = min(default["seconds"], again[0]["seconds"])
                other["seconds"] = max(other["seconds"], again[-1]["seconds"])
        is_slower = other is not None and other["seconds"] < default["seconds"] / 1.02
        slower += is_slower
        wrong += bool(bad)
        kept.append({"kernel": name, "size": size, "precision": precision,
                     "seconds": {r["schedule"]: r["seconds"] for r in records}, "default": default["schedule"]})
        line = f'{name:24} {size:13} {precision:5} {default["seconds"] * 1e6:10.1f} us'
        if is_slower:
            line += f'  {other["seconds"] / default["seconds"]:.3f} under {other["schedule"]}  (default: {default["schedule"]})'
        print(line + (f"  WRONG: {bad}" if bad else ""), flush=True)
    if asked.keep:
        pathlib.Path(asked.keep).write_text(json.dumps(kept))
    print(f"{len(rows)} rows, {slower} slower than another schedule, {wrong} wrong or not run, {left} left out for time")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
