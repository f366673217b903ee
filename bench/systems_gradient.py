"""Time of a gradient of `acoustic` by the time of its run alone, on one device:

    bench/systems_gradient.py build/ridge [--device cuda:0] [--size 256] [--steps 1000] [--memory 30GB] [--turns 3]

Needs h5py. Prints for layers of friction and of CPML, by c alone and by c and rho, the medians of seconds in turn."""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import h5py
import numpy as np


def main():
    line = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    line.add_argument("ridge")
    line.add_argument("--device", default="cuda:0")
    line.add_argument("--size", type=int, default=256)
    line.add_argument("--steps", type=int, default=1000)
    line.add_argument("--memory", default="30GB")
    line.add_argument("--turns", type=int, default=3)
    o = line.parse_args()
    n, ridge = o.size, str(pathlib.Path(o.ridge).resolve())
    with tempfile.TemporaryDirectory() as folder:

        def run(*words):
            began = time.perf_counter()
            done = subprocess.run([ridge, "evolve", *map(str, words), "--device", o.device, "--overwrite", "--json"],
                                  cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(done.stderr)
            return json.loads(done.stdout[done.stdout.index("["):])[0], time.perf_counter() - began

        depth = np.arange(n)[:, None, None] / n
        speed = np.where(depth < 0.4, 1500, np.where(depth < 0.7, 2000, 2600))
        with h5py.File(f"{folder}/m.h5", "w") as h5:
            h5["c"] = np.broadcast_to(speed, (n, n, n)).astype("f4")
            h5["rho"] = np.broadcast_to(310 * speed**0.25, (n, n, n)).astype("f4")
        pathlib.Path(folder, "s.csv").write_text(f"x,y,z\n{5 * n},{5 * n},300\n", encoding="ascii")
        rows = "".join(f"{10 * x},{5 * n},300\n" for x in range(24, n - 24, 4))
        pathlib.Path(folder, "r.csv").write_text("x,y,z\n" + rows, encoding="ascii")
        found = {}
        for _ in range(o.turns):
            for layers in ("friction", "cpml:12"):
                words = ["acoustic", "m.h5", "--spacing", 10, "--source", "s.csv", "--wavelet", "ricker:12",
                         "--receivers", "r.csv", "--absorb", "all", "--absorb-as", layers]
                # The seconds of a step are those of steps alone.
                record, _ = run(*words, "-o", "o.h5", "--steps", o.steps, "--every", o.steps)
                found.setdefault((layers, "run"), []).append(record["seconds"] * record.get("steps", o.steps))
                for asked in (("c",), ("c", "rho")):
                    record, _ = run(*words, "--observed", "o.traces.h5", "--memory", o.memory,
                                    *[w for a in asked for w in ("--gradient", f"g.h5:/{a}")])
                    found.setdefault((layers, "by " + " and ".join(asked)), []).append(record["gradient_seconds"])
                    kept = record["states_kept"], record["steps_again"]
                    print(f"{layers}, by {asked}: {kept[0]:.0f} states kept, {kept[1]:.0f} steps again", flush=True)
    for (layers, what), seconds in found.items():
        middle = statistics.median(seconds)
        print(f"{layers:<9} {what:<13} {middle:8.3f} s  {middle / statistics.median(found[layers, 'run']):.2f} times")


if __name__ == "__main__":
    main()
