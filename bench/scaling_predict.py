#!/usr/bin/env python3
"""What `ridge model` says of bench/scaling.sh's stencils on a described GPU, before it runs.

bench/scaling_predict.py RIDGE DEVICE NETWORK.json [GRIDS...] > PREDICTED.json
NETWORK.json is what `mpirun -n 2 ridge roof --json` printed, here or on such a machine.
"""

import json
import subprocess
import sys

RIDGE, DEVICE, NETWORK = sys.argv[1:4]
N = 512


def steps(kernel, size, precision, ranks):
    words = [RIDGE, "model", kernel, "--on", DEVICE, "--size", size, "--precision", precision,
             "--ranks", str(ranks), "--network", NETWORK, "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main():
    seconds, grids = {}, {}
    for ranks in (1, 2, 4, 8):
        weak, strong, large = f"{N}x{N}x{N * ranks}", f"{N}x{N}x{N}", f"{2 * N}x{2 * N}x{2 * N}"
        cases = {f"{kind}-laplacian-{p}": ("laplacian", weak if kind == "weak" else strong, p)
                 for kind in ("weak", "strong") for p in ("fp64", "fp32")}
        cases |= {f"weak-{k}-fp64": (k, weak, "fp64") for k in ("laplacian8", "diffusion")}
        cases["strong-large-fp64"] = ("laplacian", large, "fp64")
        if ranks >= 4:
            cases["grid-chosen"] = ("laplacian", f"{2 * N}x{2 * N}x{N * ranks // 4}", "fp64")
        for name, (kernel, size, precision) in cases.items():
            last = steps(kernel, size, precision, ranks)[-1]
            seconds.setdefault(name, {})[str(ranks)] = last["seconds"]
            grids.setdefault(name, {})[str(ranks)] = last["rank_grid"]
    network = json.load(open(NETWORK))
    print(json.dumps({"device": DEVICE, "network": network, "seconds": seconds, "rank_grids": grids}, indent=1))


if __name__ == "__main__":
    main()
