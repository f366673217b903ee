"""Diffusion, pressure and structure of the Lennard-Jones liquid beside those that NIST prints.

    python bench/validation/diffusion.py RIDGE DEVICE [--small]

Runs of 500 bodies at the energy that Monte Carlo gives, cutoff 3 with tails; coefficients of diffusion are those of
mmlapps.nist.gov/srs/LJ_PURE/md.htm, of two digits and no errors: half of the last digit and 3 % are taken. At constant
energy, begun with a temperature, runs have temperatures of their own, and pressures with them: 0.015 below came with
0.09 below. So velocities of the start are scaled to the energy. The classic state, density 0.8442 at temperature 0.722,
is run too, begun with that temperature; a printed coefficient of it was not found offline.
"""

import math

import h5py
import numpy as np
from bodies import Validation, liquid, mean_of, mean_of_runs

# Temperature, density: energy and pressure by Monte Carlo (mmlapps.nist.gov/srs/LJ_PURE/mc.htm), and the coefficient of
# diffusion, printed for temperatures within 0.002 of these.
PRINTED = [
    (0.85, 0.776, -5.5121, 0.0067714, 0.061),
    (0.85, 0.82, -5.7947, 0.55355, 0.048),
    (0.85, 0.86, -6.0305, 1.2660, 0.035),
]
CLASSIC = (0.722, 0.8442)


COUNT = 500


def at_energy(v, start, energy):
    """The start with velocities scaled to an energy a body."""
    words = ["--cutoff", 3, "--skin", 0.3, "--dt", 0.005, "--steps", 1, "--every", 1, "--tail", "--overwrite"]
    now = v.run("md", start, "-o", v.folder / "one.h5", *words)["md"]["snapshots"][0]
    left = COUNT * energy - now["potential_energy"]
    kinetic = 1.5 * (COUNT - 1) * now["temperature"]
    file, _, group = start.partition(":")
    with h5py.File(file, "r+") as h5:
        h5[group]["velocity"][...] *= math.sqrt(left / kinetic)
    return start


def liquid_runs(v, temperature, density, runs, steps, energy=None):
    """Means and their errors: of blocks of all runs, or of the runs' results; `energy`: of a body, potential."""
    found, lines = [], []
    radial = ["--rdf", 120] if density == 0.776 else []
    words = ["--cutoff", 3, "--skin", 0.3, "--dt", 0.005, "--steps", steps, "--every", 50 if v.small else 200, "--tail"]
    words += ["--diffusion", "--window", 1000, "--sample", 20, *radial]
    for seed in range(1, runs + 1):
        start = liquid(v, density, temperature, 3, seed, COUNT)
        if energy is not None:
            start = at_energy(v, start, energy + 1.5 * temperature * (COUNT - 1) / COUNT)
        record = v.run("md", start, "-o", v.folder / "run.h5", "--overwrite", *words)["md"]
        lines += record["snapshots"]
        one = {"einstein": record["diffusion"]["by_displacement"], "green_kubo": record["diffusion"]["by_velocity"]}
        if radial:
            one["radial"] = record["radial_distribution"]["value"][43]
        found.append(one)
    by_blocks = {name: mean_of([line[name] for line in lines], 10 * runs) for name in ("temperature", "pressure")}
    by_blocks["energy"] = mean_of([line["potential_energy"] / COUNT for line in lines], 10 * runs)
    return by_blocks | {name: mean_of_runs([one[name] for one in found]) for name in found[0]}


def main():
    with Validation(__doc__) as v:
        runs, steps = (3, 2000) if v.small else (4, 20000)
        source, exact = "NIST molecular dynamics", "NIST Monte Carlo"
        for temperature, density, energy, pressure, diffusion in PRINTED[:1] if v.small else PRINTED:
            found = liquid_runs(v, temperature, density, runs, steps, energy)
            what = f"density {density}: "
            v.row(what + "temperature", *found["temperature"], temperature, 0.001, exact)
            v.row(what + "energy", *found["energy"], energy, 0.001, exact)
            v.row(what + "pressure", *found["pressure"], pressure, 0.003, exact, sigmas=4 if v.small else 3)
            error = 0.0005 + 0.03 * diffusion
            v.row(what + "diffusion by displacements", *found["einstein"], diffusion, error, source)
            v.row(what + "diffusion by velocities", *found["green_kubo"], diffusion, error, source)
            if density == 0.776:  # the bin of 0.025 around 1.0875
                v.row(what + "g(1.0875)", *found["radial"], 2.65, 0.05, source)
        if v.small:
            return
        found = liquid_runs(v, *CLASSIC, runs, steps)
        for name, (value, error) in found.items():
            print(
                f"density 0.8442, temperature 0.722: {name:12} {value:.5g} ({error:.2g}); no printed one found offline"
            )


main()
