#!/usr/bin/env python3
"""Ridge beside QUDA and Ryoanji on one GPU, in turn in one run.

    python3 bench/peers_gpu.py build/ridge cuda:0 --quda QUDA/tests --ryoanji ryoanji_demo

Programs are the user's own builds, of which Ridge holds nothing: QUDA's dslash_test and invert_test, and Ryoanji's
ryoanji_demo. A part without its program is left out. QUDA tunes its kernels in a first run of each and keeps that in
QUDA_RESOURCE_PATH. Each row has the least, the median and how many were taken."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("ridge")
parser.add_argument("device")
FILE = {"type": lambda name: pathlib.Path(name).resolve()}
parser.add_argument("--quda", **FILE, help="the folder of dslash_test and invert_test")
parser.add_argument("--ryoanji", **FILE, help="ryoanji_demo")
parser.add_argument("--parts", default="wilson,dwf,solves,trees", help="which of these")
parser.add_argument("--turns", type=int, default=3)
parser.add_argument("--seconds", type=float, default=1e9, help="no new measurement begins after this")
args = parser.parse_args()
END = time.monotonic() + args.seconds
ROWS = {}


def run(*words):
    """What the program prints; nothing, and its last words beside, where it fails."""
    if time.monotonic() > END:
        return ""
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if ran.returncode:
        print(f"{words[0]}: exit {ran.returncode}: {(ran.stdout + ran.stderr)[-400:]}", file=sys.stderr)
    return ran.stdout if ran.returncode == 0 else ""


def ridge(*words):
    out = run(args.ridge, *words, "--device", args.device, "--json")
    read = json.loads(out) if out else []
    return (read[0] if isinstance(read, list) and read else read) or {}


def keep(row, value):
    if value is not None:
        ROWS.setdefault(row, []).append(value)
        print(f"{row}: {value:.6g}", file=sys.stderr, flush=True)


def found(pattern, text):
    """The last number that follows the pattern."""
    hits = re.findall(pattern + r"\s*[:=]?\s*([-+.0-9eE]+)", text)
    return float(hits[-1]) if hits else None


def dslash(kind, size, quda, ridge_words):
    """One parity from the other: both count 1320 operations a site."""
    for precision, bits in (("double", "fp64"), ("single", "fp32"), ("half", "fixed16")):
        for numbers in (18, 12) if bits != "fixed16" else (12,):
            if kind == "dwf" and (numbers, bits) not in ((18, "fp64"), (18, "fp32")):
                continue
            row = f"{kind} even-odd, {bits}, {numbers} numbers a link"
            text = run(args.quda / "dslash_test", "--dim", *size.split("x"), *quda, "--prec", precision,
                       "--recon", numbers, "--test", "Dslash", "--niter", 1000, "--verify", "false")
            keep(f"{row}: QUDA, GF/s", found("GFLOPS", text))
            site = ["--precision", bits, *(["--site", f"links{numbers}"] if bits != "fixed16" else [])]
            rate = ridge("bench", *ridge_words, "--size", size, "--repeat", 9, *site).get("flops_per_second")
            keep(f"{row}: Ridge, GF/s", rate and rate / 1e9)


def solves(links, size):
    """Both on links of one, by conjugate gradients on D^+ D of even sites to 1e-10, iterations in fewer bits."""
    for sloppy, precision in (("single", "mixed"), ("half", "fixed16")):
        row, done = f"conjugate gradients, {precision}", {}
        for tolerance in (1e-4, 1e-10):  # QUDA's seconds have the copies from and to the host: the difference has not
            text = run(args.quda / "invert_test", "--dim", *size.split("x"), "--unit-gauge", "true",
                       "--dslash-type", "wilson", "--kappa", 0.1245, "--inv-type", "cg", "--solve-type", "normop-pc",
                       "--solution-type", "mat", "--tol", tolerance, "--prec", "double", "--prec-sloppy", sloppy,
                       "--recon", 18, "--recon-sloppy", 12, "--niter", 5000, "--nsrc", 4)
            ends = re.findall(r"Done: *(\d+) iter */ *([-.0-9e+]+) secs", text)[1:]  # the first tunes
            done[tolerance] = min(((int(i), float(took)) for i, took in ends), key=lambda end: end[1], default=None)
            if text and not ends:
                print(text[-1500:], file=sys.stderr)
        few, many = done.values()
        if few and many and many[0] > few[0]:
            keep(f"{row}: QUDA, us an iteration", 1e6 * (many[1] - few[1]) / (many[0] - few[0]))
            keep(f"{row}: QUDA, iterations", many[0])
            keep(f"{row}: QUDA, ms with copies", 1e3 * many[1])
        record = ridge("solve", "wilson", links, "-o", f"{links}.h5", "--overwrite", "--kappa", 0.1245, "--tol", 1e-10,
                       "--precision", precision, "--columns", 1, "--no-hadrons", "--no-roof")
        if record.get("iterations"):
            keep(f"{row}: Ridge, us an iteration", 1e6 * record["seconds"] / record["iterations"])
            keep(f"{row}: Ridge, iterations", record["iterations"] / 12)
            keep(f"{row}: Ridge, ms a column", 1e3 * record["seconds"] / 12)


def trees():
    """Ryoanji's time is that of its walk alone, Ridge's has both."""
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"
    for power in (20, 24):
        row = f"2^{power} bodies in a cube"
        text = run(args.ryoanji, power, int(power == 20), 0)
        keep(f"{row}: Ryoanji, walk, ms", (found("Total BH", text) or 0) * 1e3 or None)
        for name, words in (("99th percentile", "1st percentile"), ("P2P", "P2P mean list length"),
                            ("M2P", "M2P mean list length"), ("upward pass, s", "Upward pass")):
            keep(f"{row}: Ryoanji, {name}", found(words, text))
        for theta in (0.6, 0.75, 0.9):
            record = ridge("bench", "gravity-tree-cube", "--size", 2**power, "--precision", "fp32", "--theta", theta,
                           "--repeat", 5)
            for name, key, scale in (("walk, ms", "seconds_walk", 1e3), ("all, ms", "seconds", 1e3),
                                     ("99th percentile", "error_p99", 1), ("P2P", "p2p", 1), ("P2C", "p2c", 1)):
                keep(f"{row}: Ridge, theta {theta}, {name}", record.get(key) and record[key] * scale)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        links, size = folder / "one.nersc", "24x24x24x48"
        parts = args.parts.split(",")
        if args.quda and "solves" in parts:
            run(args.ridge, "gauge", "heatbath", "--size", size, "--beta", 6, "--sweeps", 0, "--seed", 1,
                "-o", links, "--device", args.device)
        for _ in range(args.turns):
            if args.quda and "wilson" in parts:
                dslash("wilson", "32x32x32x64", ["--dslash-type", "wilson"], ["wilson-even-odd"])
            if args.quda and "dwf" in parts:
                dslash("dwf", "32x32x32x32", ["--dslash-type", "domain-wall-4d", "--Lsdim", 16], ["dwf", "--ls", 16])
            if args.quda and "solves" in parts:
                solves(links, size)
            if args.ryoanji and "trees" in parts:
                trees()
    for row, values in ROWS.items():
        print(f"{row:75} {min(values):12.6g} {statistics.median(values):12.6g} {len(values):3d}")


if __name__ == "__main__":
    main()
