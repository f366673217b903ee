"""What scripts of this folder share: runs of `ridge`, files, and the line they end with."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py


class Problem:
    """Options RIDGE [DEVICE] --small --picture PNG --json FILE, a folder of its own, and rows that are compared."""

    def __init__(self, about, pictures=False):
        parser = argparse.ArgumentParser(description=about.strip().splitlines()[0])
        parser.add_argument("ridge")
        parser.add_argument("device", nargs="?", default="cpu")
        parser.add_argument("--small", action="store_true", help="seconds on a cpu")
        parser.add_argument("--json", help="append the rows to this file")
        if pictures:
            parser.add_argument("--picture", help="PNG")
        self.options = parser.parse_args()
        self.small = self.options.small
        self.folder = tempfile.TemporaryDirectory()
        self.here = pathlib.Path(self.folder.name)
        self.rows = []

    def run(self, *words):
        done = subprocess.run([str(pathlib.Path(self.options.ridge).resolve()), *map(str, words)], cwd=self.here,
                              capture_output=True, text=True, check=False)  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"ridge {' '.join(map(str, words))}: {done.stderr or done.stdout}")
        return done.stdout

    def evolve(self, system, *words, start="in.h5", out="out.h5", **fields):
        """Writes the fields, evolves them, and returns the record of the steps."""
        if fields:
            self.write(start, **fields)
        return json.loads(self.run("evolve", system, start, "-o", out, "--overwrite", "--device", self.options.device,
                                   "--json", *words))[0]  # fmt: skip

    def write(self, file, **fields):
        with h5py.File(self.here / file, "w") as h5:
            for name, values in fields.items():
                h5[name.rstrip("_")] = values

    def read(self, *names, step=-1, out="out.h5"):
        """Fields of a snapshot, behind its time."""
        with h5py.File(self.here / out) as h5:
            group = h5["snapshots"][sorted(h5["snapshots"])[step] if step < 0 else f"{step:010}"]
            return float(group.attrs.get("time", "nan")), *(group[name][...] for name in names)

    def steps(self, out="out.h5"):
        with h5py.File(self.here / out) as h5:
            return [int(step) for step in sorted(h5["snapshots"])]

    def traces(self, *names, out="out.traces.h5"):
        with h5py.File(self.here / out) as h5:
            return [h5[name][...] for name in names]

    def compare(self, what, ours, printed, tolerance, unit=""):
        """A row: `printed` is a number, or the least and the largest."""
        low, high = printed if isinstance(printed, (tuple, list)) else (printed, printed)
        apart = max(low - ours, ours - high, 0.0)
        beside = f"{low:g} to {high:g}" if low != high else f"{low:g}"
        print(f"{what}: {ours:.6g}{unit}, printed {beside}{unit}, within {tolerance:g}: "
              f"{'yes' if apart <= tolerance else 'no'}", flush=True)  # fmt: skip
        self.rows.append({"what": what, "ours": ours, "printed": [low, high], "tolerance": tolerance, "apart": apart})

    def at_most(self, what, ours, bound):
        print(f"{what}: {ours:.3g}, at most {bound:g}: {'yes' if ours <= bound else 'no'}", flush=True)
        self.rows.append({"what": what, "ours": ours, "printed": [0, bound], "tolerance": 0, "apart": max(ours - bound, 0)})

    def end(self):
        if self.options.json:
            with open(self.options.json, "a") as out:
                for row in self.rows:
                    out.write(json.dumps({"problem": pathlib.Path(sys.argv[0]).stem, "device": self.options.device,
                                          "small": self.small, **row}) + "\n")  # fmt: skip
        worst = max(self.rows, key=lambda row: row["apart"] - row["tolerance"])
        agrees = worst["apart"] <= worst["tolerance"]
        print("agrees" if agrees else f"differs by {worst['apart']:.3g}: {worst['what']}")
        sys.exit(0 if agrees else 1)
