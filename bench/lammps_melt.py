#!/usr/bin/env python3
"""`ridge md` beside LAMMPS: the melt of its benchmark, both from one equilibrated state.

    python bench/lammps_melt.py --ridge build/ridge --lmp lmp [--bodies 4000] [--steps 4000]

Ridge melts the lattice and writes a snapshot; both go on from it for as many steps at constant energy. The script
compares the means of temperature and pressure (with errors from blocks), the drift of the energy, the radial
distribution of the same number of snapshots, and seconds a step on one core. It exits with 1 where they differ by
more than their errors allow. Needs numpy, h5py and lmp (Debian: lammps)."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

CUTOFF, SKIN, DT = 2.5, 0.3, 0.005


def run(words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def radial(position, box, bins):
    """g(r) of one snapshot."""
    n = len(position)
    counts = np.zeros(len(bins) - 1)
    for i in range(n - 1):
        d = position[i + 1:] - position[i]
        d -= box * np.round(d / box)
        counts += np.histogram(np.sqrt((d**2).sum(1)), bins)[0]
    shells = 4 / 3 * np.pi * np.diff(bins**3)
    return counts * 2 / n / (shells * n / box**3)


def blocks(values, count=10):
    """The mean and its error, from means of blocks."""
    means = np.array([b.mean() for b in np.array_split(np.asarray(values), count)])
    return means.mean(), means.std(ddof=1) / np.sqrt(count)


def ridge_run(a, folder, start):
    out = run([a.ridge, "md", f"{start}", "-o", folder / "ridge.h5", "--steps", a.steps, "--every", a.every, "--dt", DT,
               "--cutoff", CUTOFF, "--skin", SKIN, "--box", "x".join([f"{a.box!r}"] * 3), "--precision", a.precision,
               "--device", "cpu", "--schedule", "threads=1", "--json"])
    md = json.loads(out)[0]["md"]
    with h5py.File(folder / "ridge.h5") as h5:
        places = [h5[f"snapshots/{n}/position"][:] for n in sorted(h5["snapshots"])]
    lines = md["snapshots"]
    pressure = []
    with h5py.File(folder / "ridge.h5") as h5:
        pressure = [float(h5[f"snapshots/{n}"].attrs["pressure"]) for n in sorted(h5["snapshots"])]
    return {"temperature": [line["temperature"] for line in lines], "pressure": pressure,
            "energy": [line["energy"] / a.bodies for line in lines], "places": places,
            "seconds": md["seconds"] / a.steps}


def lammps_run(a, folder, position, velocity):
    n = len(position)
    data = [f"melt\n\n{n} atoms\n1 atom types\n"]
    data += [f"0 {a.box!r} {x}lo {x}hi" for x in "xyz"]
    data += ["\nMasses\n\n1 1.0\n\nAtoms # atomic\n"]
    data += [f"{i + 1} 1 {p[0]!r} {p[1]!r} {p[2]!r}" for i, p in enumerate((position % a.box).tolist())]
    data += ["\nVelocities\n"]
    data += [f"{i + 1} {v[0]!r} {v[1]!r} {v[2]!r}" for i, v in enumerate(velocity.tolist())]
    (folder / "melt.data").write_text("\n".join(data) + "\n")
    (folder / "melt.in").write_text(f"""units lj
atom_style atomic
read_data melt.data
pair_style lj/cut {CUTOFF}
pair_coeff 1 1 1.0 1.0 {CUTOFF}
neighbor {SKIN} bin
neigh_modify every 1 delay 0 check yes
fix 1 all nve
timestep {DT}
thermo {a.every}
thermo_style custom step temp press etotal
thermo_modify norm yes format float %.12g
dump 1 all custom {a.every} melt.dump id x y z
dump_modify 1 sort id format float %.10g
run {a.steps}
""")
    run([a.lmp, "-in", "melt.in", "-log", "melt.log", "-screen", "none"], cwd=folder)
    rows, seconds, reading = [], 0.0, False
    for line in (folder / "melt.log").read_text().splitlines():
        if line.split()[:2] == ["Step", "Temp"]:
            reading = True
        elif line.startswith("Loop time"):
            reading, seconds = False, float(line.split()[3])
        elif reading:
            rows.append([float(x) for x in line.split()])
    places, table = [], []
    for line in (folder / "melt.dump").read_text().splitlines():
        words = line.split()
        if len(words) == 4 and words[0].isdigit():
            table.append([float(x) for x in words[1:]])
        if len(table) == n:
            places.append(np.array(table))
            table = []
    _, temperature, pressure, energy = zip(*rows)
    return {"temperature": temperature, "pressure": pressure, "energy": energy, "places": places,
            "seconds": seconds / a.steps}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ridge", required=True)
    p.add_argument("--lmp", default="lmp")
    p.add_argument("--bodies", type=int, default=4000)
    p.add_argument("--steps", type=int, default=4000)
    p.add_argument("--every", type=int, default=20)
    p.add_argument("--precision", default="fp64")
    a = p.parse_args()
    a.box = float(np.cbrt(a.bodies / 0.8442))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run([a.ridge, "md", "--lattice", a.bodies, "-o", folder / "melted.h5", "--steps", 1000, "--precision", "fp64",
             "--device", "cpu"])
        start = f"{folder / 'melted.h5'}:/snapshots/0000001000"
        with h5py.File(folder / "melted.h5") as h5:
            group = h5["snapshots/0000001000"]
            position, velocity = group["position"][:], group["velocity"][:]
        both = {"ridge": ridge_run(a, folder, start), "lammps": lammps_run(a, folder, position, velocity)}
        bins = np.linspace(0.8, min(a.box / 2, 4.0), 81)
        for found in both.values():
            every = max(1, len(found["places"]) // 10)
            found["g"] = np.mean([radial(x, a.box, bins) for x in found["places"][::every]], axis=0)
    good = True
    print(f"{a.bodies} bodies, {a.steps} steps of {DT} at constant energy, {a.precision}; means with errors of blocks")
    for what in ("temperature", "pressure"):
        (r, dr), (l, dl) = (blocks(both[who][what][1:]) for who in ("ridge", "lammps"))
        sigmas = abs(r - l) / np.hypot(dr, dl)
        good &= sigmas < 4
        print(f"{what:>12}: ridge {r:.5f} ± {dr:.5f}, LAMMPS {l:.5f} ± {dl:.5f}, {sigmas:.1f} sigma apart")
        first = both["ridge"][what][0] / both["lammps"][what][0] - 1
        good &= abs(first) < (1e-6 if a.precision == "fp64" else 1e-4)
        print(f"{'':>12}  at the first step {first:+.1e} of each other")
    for who, found in both.items():
        drift = np.polyfit(np.arange(len(found["energy"])) * a.every * DT, found["energy"], 1)[0]
        print(f"{who:>12}: energy a body {found['energy'][0]:.6f}, drift {drift:+.1e} in a unit of time, largest change "
              f"{np.ptp(found['energy']):.1e}; {found['seconds'] * 1e3:.3f} ms a step on one core")
        good &= abs(drift) < 1e-4
    g = {who: found["g"] for who, found in both.items()}
    off = np.abs(g["ridge"] - g["lammps"]).max()
    middle = (bins[1:] + bins[:-1]) / 2
    for who in g:
        print(f"{who:>12}: first peak of g(r) {g[who].max():.4f} at {middle[g[who].argmax()]:.2f}")
    print(f"g(r) differs by {off:.4f} at most")
    good &= off < 0.08
    print("they agree" if good else "they DIFFER")
    return not good


if __name__ == "__main__":
    sys.exit(main())
