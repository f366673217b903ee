"""Calls from Python beside a second OpenMP runtime, as torch brings one: figures of docs/design/python.md.

    python bench/python_threads.py [--size 160] [--batches 25] [--json FILE]

Calls and a loop of g++'s OpenMP follow each other at once, while the threads of the one before are
not asleep yet; beside it each alone. Which runtimes the process has is said: with a repaired wheel,
which brings its own, there are two. GOMP_SPINCOUNT in the environment is for both.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

import ridge

LOOP = """
extern "C" double loop(double* x, long n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += x[i] *= 1.0000001;
  return sum;
}
"""


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


def other_runtime(folder):
    source, library = pathlib.Path(folder, "loop.cpp"), pathlib.Path(folder, "libloop.so")
    source.write_text(LOOP)
    subprocess.run(["g++", "-O2", "-fopenmp", "-shared", "-fPIC", source, "-o", library], check=True)
    loop = ctypes.CDLL(str(library)).loop
    loop.restype = ctypes.c_double
    x = np.ones(1 << 20)
    return lambda: loop(x.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(x.size))


def runtimes():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sorted({os.path.basename(line.split()[-1]) for line in maps if "omp" in line.split()[-1]})


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--size", type=int, default=160)
    options.add_argument("--batches", type=int, default=25)
    options.add_argument("--json")
    given = options.parse_args()
    u = np.random.default_rng(1).random((given.size,) * 3)
    out = np.zeros_like(u)
    with tempfile.TemporaryDirectory() as folder:
        loop = other_runtime(folder)

    def call():
        heat(u, out=out, rate=0.1)

    def in_turn():
        loop()
        call()

    cases = {"a call": call, "a loop": loop, "a loop and a call, in turn": in_turn}
    seconds = {name: [] for name in cases}
    for _ in range(given.batches):
        for name, case in cases.items():
            time.sleep(0.03)  # threads of both sleep
            begin = time.perf_counter()
            for _ in range(20):
                case()
            seconds[name].append((time.perf_counter() - begin) / 20)
    results = {"runtimes": runtimes(), "size": [given.size] * 3, "schedule": heat.record.schedule}
    for name, taken in seconds.items():
        results[name] = {"median [s]": statistics.median(taken), "least [s]": min(taken)}
    for name, value in results.items():
        print(f"{name}: {value}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
