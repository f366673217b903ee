#!/usr/bin/env python3
"""What `ridge doctor` says of built-in kernels on a device: one line each, and which it cannot explain.

    bench/verdicts.py [--device cuda:0] [--seconds 600] [KERNEL[:PRECISION[:SIZE]] ...]

A launch is without a verdict where it takes more than 1.2 times as long as modelled, or as a schedule with a name, and
no cause is named. RIDGE names the command (build/ridge). Exits 1 where there is one.
"""

import argparse
import json
import os
import re
import subprocess
import time

KERNELS = """shallow-water:fp64 shallow-water:fp32 cloud-models:fp64 cloud-models-everywhere:fp64 acoustic:fp32
elastic:fp32 maxwell:fp32 lbm-walls:fp32 lbm-d3q19:fp32 elements elements6 elements8 running-sum tridiagonal
wilson wilson-even-odd dwf clover staggered wilson-columns laplacian8:fp64:16384x8192 laplacian8:fp32 laplacian6:fp32
laplacian4:fp32 laplacian:fp32 box27:fp64 diffusion:fp64 heat:fp32 wave8:fp64 lattice-residual
lattice-residual-reproducible lattice-slice-sum lattice-norm2-reproducible chain::1000000 gravity gaussian
lennard-jones biot-savart coulomb lbm-walls:fp64 acoustic:fp64 elastic:fp64 maxwell:fp64""".split()


def seconds_of(text, word):
    found = re.search(rf"\b{word} ([0-9.]+) (ns|us|ms|s)\b", text)
    return float(found[1]) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[found[2]] if found else None


def examined(ridge, device, kernel, precision, size):
    words = [ridge, "doctor", kernel, "--device", device]
    words += ["--precision", precision] if precision else []
    words += ["--size", size] if size else []
    run = subprocess.run(words, capture_output=True, text=True, timeout=90)
    if run.returncode not in (0, 1):
        return None, run.stderr.strip().splitlines()[-1:]
    measured, modelled = seconds_of(run.stdout, "measured"), seconds_of(run.stdout, "modelled")
    longer = measured / modelled if measured and modelled else 1
    named = re.search(r"predicted to be ([0-9.]+) times as fast", run.stderr)
    causes = re.findall(r"^\d+\. ([a-z-]+):[^\n]*\n[^\n]*\n   predicted  ([0-9.]+) times", run.stdout, re.M)
    counted = re.search(r"^counted .*\n(?: +by .*)?", run.stdout, re.M)
    says = [f"{longer:.2f} times the model" if modelled else "not modelled", *(f"{c} {gain}" for c, gain in causes)]
    says += [re.sub(r"\s+", " ", counted[0])] if counted else []
    unexplained = bool(named) or (longer > 1.2 and not causes)
    return unexplained, says + ([run.stderr.strip()] if named else [])


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--device", default="cuda:0")
    words.add_argument("--seconds", type=float, default=600, help="begins no kernel after these")
    words.add_argument("kernels", nargs="*", default=KERNELS)
    asked = words.parse_intermixed_args()
    ridge, begin, without, done = os.environ.get("RIDGE", "build/ridge"), time.time(), [], 0
    for row in asked.kernels:
        if time.time() - begin > asked.seconds:
            break
        try:
            unexplained, says = examined(ridge, asked.device, *(row.split(":") + ["", ""])[:3])
        except subprocess.TimeoutExpired:
            unexplained, says = None, ["no answer in 90 s"]
        done += 1
        mark = {True: "UNEXPLAINED", False: "", None: "not examined"}[unexplained]
        print(f"{row:<28} {mark} {'; '.join(says)}", flush=True)
        without += [row] if unexplained else []
    print(json.dumps({"examined": done, "of": len(asked.kernels), "unexplained": without}))
    return bool(without)


if __name__ == "__main__":
    raise SystemExit(main())
