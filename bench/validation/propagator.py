"""The pion of quenched Wilson fermions at beta 6.0 beside a printed mass.

    python bench/validation/propagator.py RIDGE DEVICE [CONFIGURATIONS [FOLDER]]

makes configurations of 16x16x16x32 (400 + 60 n sweeps), solves kappa 0.1550 by the default and in fp64, and prints
iterations, seconds, and the effective mass of the pion with its error (jackknife) beside 0.297 to 0.301 (hep-lat/9707021).
"""

import json
import math
import pathlib
import subprocess
import sys

SIZE, BETA, KAPPA = "16x16x16x32", "6.0", "0.1550"
FIRST, LAST = 8, 12  # times of the plateau
PRINTED = (0.297, 0.301)


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout


def solve(ridge, device, links, out, *more):
    text = run(ridge, "solve", "wilson", links, "--kappa", KAPPA, "--tol", "1e-8", "--device", device,
               "--json", "--no-roof", "--overwrite", "-o", out, *more)  # fmt: skip
    record = json.loads(text)[0]
    return record["iterations"], record["seconds"], [float(c) for c in record["correlator"].split()]


def mass_of(correlators):
    """From cosh(m (t - T/2)), the mean over the plateau."""
    mean = [sum(c) / len(correlators) for c in zip(*correlators)]
    half = len(mean) // 2
    folded = [(mean[t] + mean[-t % len(mean)]) / 2 for t in range(half + 1)]
    masses = []
    for t in range(FIRST, LAST):
        ratio = folded[t] / folded[t + 1]
        low, high = 1e-6, 5.0
        for _ in range(80):
            m = (low + high) / 2
            if math.cosh(m * (t - half)) / math.cosh(m * (t + 1 - half)) < ratio:
                low = m
            else:
                high = m
        masses.append(low)
    return sum(masses) / len(masses)


def main():
    ridge, device = sys.argv[1:3]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    folder = pathlib.Path(sys.argv[4] if len(sys.argv) > 4 else ".")
    links, correlators = None, []
    for n in range(number):
        now = folder / f"lat{n}.nersc"
        begin = ["--start", links] if links else ["--size", SIZE, "--start", "hot", "--seed", 1]
        run(ridge, "gauge", "heatbath", "--beta", BETA, "--sweeps", 60 if links else 400, "--device", device,
            "--overwrite", "-o", now, *begin)  # fmt: skip
        links = now
        for words in ([], ["--precision", "fp64"]):
            iterations, seconds, correlator = solve(ridge, device, now, folder / "propagator.h5", *words)
            print(f"{n:3} {'fp64' if words else 'default':8} {iterations:.0f} iterations {seconds:.3f} s", flush=True)
            if not words:
                correlators.append(correlator)
    mass = mass_of(correlators)
    parts = [mass_of(correlators[:i] + correlators[i + 1 :]) for i in range(number)] if number > 1 else [mass]
    error = math.sqrt((number - 1) / number * sum((p - mass) ** 2 for p in parts))
    nearest = min(max(mass, PRINTED[0]), PRINTED[1])
    apart = abs(mass - nearest)
    print(f"pion mass {mass:.4f} +- {error:.4f}, printed {PRINTED[0]} to {PRINTED[1]}")
    print("agrees" if apart <= 2 * error else f"differs by {apart:.4f}")


main()
