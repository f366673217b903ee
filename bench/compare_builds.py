#!/usr/bin/env python3
"""Times two builds of `ridge` in turn, row by row, and prints the second's time over the first's.

Usage: compare_builds.py BEFORE AFTER DEVICE [--rounds N] [--rows FILE] [--json FILE]
A row is what follows `ridge bench`: "laplacian --size 512x512x512 --precision fp32".
"""

import argparse
import json
import statistics
import subprocess
import sys

GPU_ROWS = """
laplacian --size 512x512x512
laplacian --size 512x512x512 --precision fp32
laplacian --size 1024x1024x1024
laplacian --size 2048x2048x256
laplacian --size 4096x4096x64 --precision fp32
laplacian --size 256x256x256 --precision fp32
laplacian --size 500x500x500 --precision fp32
laplacian --size 333x217x129 --precision fp32
laplacian --size 16384x8192
laplacian --size 16384x8192 --precision fp32
laplacian4 --size 512x512x512
laplacian6 --size 512x512x512 --precision fp32
laplacian8 --size 512x512x512
box27 --size 512x512x512
diffusion --size 512x512x512
laplacian8 --size 32x32x32
gravity --size 4096
gravity --size 65536
gravity --size 262144
gravity --size 65536 --precision fp64
gravity --size 65536 --precision mixed
coulomb --size 65536
lattice-sum --size 32x32x32x32
lattice-norm2 --size 64x64x64x64 --site complex
lattice-inner --size 64x64x64x64 --site vector
lattice-axpy --size 32x32x32x32
lattice-norm2-reproducible --size 64x64x64x64 --site complex
lattice-slice-sum --size 32x32x32x32
lattice-residual --size 64x64x32x32
chain --size 100000000
chain --size 100000000 --operations 2 --precision fp32
chain --size 100000
"""
CPU_ROWS = """
laplacian --size 384x384x384
laplacian --size 384x384x384 --precision fp32
laplacian8 --size 384x384x384
box27 --size 384x384x384
diffusion --size 320x320x320
laplacian --size 8192x8192
gravity --size 16384
gravity --size 16384 --precision fp64
lattice-sum --size 16x16x16x16
lattice-norm2 --size 32x32x32x32 --site complex
lattice-axpy --size 16x16x16x16
lattice-norm2-reproducible --size 32x32x32x32 --site complex
lattice-residual --size 32x32x16x16
chain --size 20000000
chain --size 20000000 --operations 2
"""


def seconds(program, row, device, repeat):
    done = subprocess.run([program, "bench", *row.split(), "--device", device, "--repeat", str(repeat),
                           "--no-roof", "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    record = json.loads(done.stdout)[0]
    return record["seconds"], record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("device")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--rows", help="a file with a row a line")
    parser.add_argument("--json", help="also write the figures to this file")
    asked = parser.parse_args()
    rows = GPU_ROWS if asked.device.startswith(("cuda", "hip")) else CPU_ROWS
    if asked.rows:
        rows = open(asked.rows).read()
    figures = []
    print(f"{'before':>11} {'after':>11} {'ratio':>7} {'host':>8}  row")
    for row in filter(None, map(str.strip, rows.splitlines())):
        ratios, before, after, host = [], [], [], None
        for _ in range(asked.rounds):
            b, why_b = seconds(asked.before, row, asked.device, asked.repeat)
            a, why_a = seconds(asked.after, row, asked.device, asked.repeat)
            if a is None or b is None:
                print(f"{row}: {why_b if b is None else why_a}")
                break
            host = why_a.get("host_seconds")
            before.append(b)
            after.append(a)
            ratios.append(a / b)
        if ratios:
            ratio = statistics.median(ratios)
            told = f"{host * 1e6:6.2f}us" if host else "-"
            print(f"{min(before) * 1e6:9.1f}us {min(after) * 1e6:9.1f}us {ratio:7.3f} {told:>8}  {row}"
                  + ("   SLOWER" if ratio > 1.02 else ""), flush=True)
            figures.append({"row": row, "before": before, "after": after, "ratio": ratio, "host": host})
    if asked.json:
        json.dump(figures, open(asked.json, "w"), indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
