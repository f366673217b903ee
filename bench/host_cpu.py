#!/usr/bin/env python3
"""What a launch costs the host on the cpu: every pattern's smallest fields, by one thread.

    bench/host_cpu.py [RIDGE]

There a launch is its own work, so this is host time and that of a few items. Exits 1 where a launch
takes a microsecond or more.
"""

import json
import os
import subprocess
import sys

LIMIT = 1e-6
# Kernel, size, launches in one (sweeps of a record), other options.
CASES = (
    ("laplacian", "3x3x3", 1, ()),
    ("laplacian8", "9x9x9", 1, ()),
    ("box27", "3x3x3", 1, ()),
    ("diffusion", "3x3x3", 1, ()),
    ("heat", "3x3x3", 16, ()),
    ("gravity", "2", 1, ()),
    ("biot-savart", "2", 1, ()),
    ("lattice-sum", "8x1", 1, ("--site", "real")),
    ("lattice-slice-norm2", "8x1", 1, ("--site", "real")),
    ("lattice-norm2-reproducible", "8x1", 1, ("--site", "real")),
    ("lattice-axpy-norm", "8x1", 1, ("--site", "real")),
    ("lattice-axpy", "8x1", 1, ("--site", "real")),
    ("lattice-residual", "2x2x2", 1, ()),
    ("chain", "2", 1, ()),
)


def seconds(ridge, kernel, size, launches, options):
    """Of one launch: the least of many."""
    done = subprocess.run(
        [ridge, "bench", kernel, "--size", size, *options, "--device", "cpu", "--repeat", "200", "--no-roof",
         "--json"],
        capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return json.loads(done.stdout)[0]["seconds_min"] / launches


def main():
    ridge = sys.argv[1] if len(sys.argv) > 1 else "build/ridge"
    slow = False
    for case in CASES:
        took = seconds(ridge, *case)
        slow = slow or took >= LIMIT
        print(f"{case[0]:28} {case[1]:8} {took * 1e9:6.0f} ns{' *' if took >= LIMIT else ''}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
