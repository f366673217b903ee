"""What the validations of md, nbody and trees share: runs of the command, errors of means, and the verdict."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


class Validation:
    """Rows of ours beside printed numbers; `with` it, results go to a folder that is removed."""

    def __init__(self, description, *options):
        parser = argparse.ArgumentParser(
            description=description, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("ridge")
        parser.add_argument("device")
        parser.add_argument("--small", action="store_true", help="seconds on two cores, with larger errors")
        for option in options:
            parser.add_argument(option)
        self.given = parser.parse_args()
        self.small = self.given.small
        self.worst = None
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.temporary.cleanup()
        if kind is None:
            print("agrees" if self.worst is None else f"differs by {self.worst[1]}")
            sys.exit(self.worst is not None)

    def run(self, *words):
        """The record of a command on the device."""
        words = [self.given.ridge, *map(str, words), "--device", self.given.device, "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: {done.stderr}")
        return json.loads(done.stdout)[0]

    def row(self, what, ours, error, printed, printed_error, source, sigmas=3):
        """Agrees where both are within `sigmas` of their errors; an error of 0 is none that is known."""
        apart = abs(ours - printed)
        limit = sigmas * math.hypot(error, printed_error)
        good = apart <= limit
        print(
            f"{what:42} {ours:13.10g} ({error:.2g})  printed {printed:.10g} ({printed_error:.2g}), {source}"
            + ("" if good else f"  DIFFERS by {apart:.3g}"),
            flush=True,
        )
        if not good and (self.worst is None or apart / limit > self.worst[0]):
            self.worst = (apart / limit, f"{apart:.3g}: {what}")

    def csv(self, name, position, velocity, mass):
        """A start, with all digits."""
        file = self.folder / name
        lines = ["x,y,z,vx,vy,vz,m"]
        for x, v, m in zip(np.asarray(position, float), np.asarray(velocity, float), mass):
            lines.append(",".join(repr(float(value)) for value in [*x, *v, m]))
        file.write_text("\n".join(lines) + "\n")
        return file


def mean_of(values, blocks=10):
    """The mean of a series and its error, from means of blocks."""
    means = np.array([b.mean() for b in np.array_split(np.asarray(values, float), blocks)])
    return means.mean(), means.std(ddof=1) / math.sqrt(blocks)


def mean_of_runs(values):
    values = np.asarray(values, float)
    return values.mean(), values.std(ddof=1) / math.sqrt(len(values))


def liquid(v, density, temperature, cutoff, seed, count=500):
    """A snapshot of a melted lattice, brought to a temperature: at rest as a whole, as after no noise."""
    steps = 1200 if v.small else 4000
    common = ["--dt", 0.005, "--skin", 0.3, "--overwrite", "--precision", "mixed", "--seed", seed]
    hot, calm = v.folder / "hot.h5", v.folder / "calm.h5"
    v.run(
        "md",
        "--lattice",
        count,
        "--density",
        density,
        "--temperature",
        3,
        "--thermostat",
        "rescale",
        "--relaxation",
        0.2,
        "--cutoff",
        2.5,
        "--steps",
        steps // 2,
        "--every",
        steps // 2,
        "-o",
        hot,
        *common,
    )
    v.run(
        "md",
        f"{hot}:/snapshots/{steps // 2:010}",
        "-o",
        calm,
        "--thermostat",
        "rescale",
        "--temperature",
        temperature,
        "--relaxation",
        0.2,
        "--cutoff",
        cutoff,
        "--steps",
        steps,
        "--every",
        steps,
        *common,
    )
    return f"{calm}:/snapshots/{steps:010}"
