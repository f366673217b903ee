#!/usr/bin/env python3
"""What rows and planes a power of two apart cost stencils on this cpu: docs/design/stencils_on_cpus.md.

Usage: cliff.py [--rounds N] [--march ARCH]... [--kernel NAME]... [--misses L1_BYTES,WAYS] [--json FILE]

Compiles bench/cliff.cpp for each kernel and processor (-march) and runs packed fields and spread ones in
turn under each depth, on one thread. Prints the median processor time a point and the median over rounds of
its ratio to the first row. --misses counts instead: reads that miss an L1 of that shape, a line of results,
by valgrind's cachegrind, which takes no AVX-512: use --march x86-64-v3.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPACING = "stencil::Spacing{0.5, 0.75, 1.25}"
KERNELS = {f"laplacian{order if order > 2 else ''}": f"stencil::Laplacian<{order}, 3>({SPACING})"
           for order in (2, 4, 6, 8)} | {"box27": "stencil::Box27(0.5)"}
RADIUS = {"laplacian": 1, "laplacian4": 2, "laplacian6": 3, "laplacian8": 4, "box27": 1}
SPREAD = "536:274456"  # of rows of 505 to 536 doubles and 512 rows, as ridge::stencil::spread has them
SIZES = [("512x512x64", SPREAD), ("512x512x64", "0:0"), ("511x511x64", SPREAD), ("511x511x64", "0:0"),
         ("520x512x64", "0:0"), ("500x500x64", "0:0"), ("299x400x64", "0:0")]
SCHEDULES = ["depth=1,rows=16", "depth=2,rows=16", "depth=4,rows=40,ahead=4"]


def build(folder, kernel, march):
    made = pathlib.Path(folder) / f"{kernel}-{march}"
    wide = ["-mprefer-vector-width=512"] if march in ("native", "x86-64-v4") else []
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O3", "-DNDEBUG", "-DRIDGE_TARGET_CPU",
                    f"-march={march}", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", *wide,
                    f"-DKERNEL={KERNELS[kernel]}", f"-I{ROOT / 'include'}", str(ROOT / "bench/cliff.cpp"),
                    str(ROOT / "src/core/text.cpp"), "-lfmt", "-o", str(made)], check=True)
    return made


def time(program, rounds, cases):
    said = subprocess.run([program, str(rounds), *cases], check=True, capture_output=True, text=True).stdout
    records = json.loads(said)
    first = records[0]["nanoseconds"]
    for record in records:
        record["median"] = statistics.median(record["nanoseconds"])
        record["ratio"] = statistics.median(a / b for a, b in zip(record["nanoseconds"], first))
    return records


def misses(program, shape, radius, cases):
    """Reads of one round that miss; the program reads little else."""
    records = []
    for case in cases:
        said = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--D1={shape},64", "--LL=524288,8,64",
             "--cachegrind-out-file=/dev/null", program, "1", case],
            check=True, capture_output=True, text=True).stderr
        missed = int(re.search(r"D1  misses:.*\(\s*([\d,]+) rd", said)[1].replace(",", ""))
        x, y, z = (int(n) - 2 * radius for n in case.split(":")[0].split("x"))
        records.append({"case": case, "misses": missed / (x * y * z / 8)})
    return records


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--march", action="append")
    options.add_argument("--kernel", action="append", choices=list(KERNELS))
    options.add_argument("--misses", metavar="L1_BYTES,WAYS")
    options.add_argument("--json", metavar="FILE")
    asked = options.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for march in asked.march or ["native"]:
            for kernel in asked.kernel or KERNELS:
                program = build(folder, kernel, march)
                if asked.misses:
                    cases = [f"{n.replace('x64', 'x16')}:{strides}:depth=1,rows=16" for n, strides in SIZES]
                    records = misses(program, asked.misses, RADIUS[kernel], cases)
                else:
                    cases = [f"{n}:{strides}:{s}" for n, strides in SIZES for s in SCHEDULES]
                    records = time(program, asked.rounds, cases)
                for record in records:
                    what = f"{kernel:12}{march:12}{record['case']:52}"
                    print(what + (f"{record['misses']:6.1f} misses a line" if asked.misses else
                                  f"{record['median']:7.3f} ns a point {record['ratio']:6.2f}"), flush=True)
                    found.append({"kernel": kernel, "march": march, **record})
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
