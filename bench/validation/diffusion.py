"""Diffusion, pressure and structure of the Lennard-Jones liquid beside those that NIST prints.

    python bench/validation/diffusion.py RIDGE DEVICE [--small]

Runs of 500 bodies at constant energy after a canonical start, cutoff 3 with tails, as those of
mmlapps.nist.gov/srs/LJ_PURE/md.htm, whose coefficients have two digits and no errors: half of the last digit and 3 %
are taken. Several runs give ours and its error. The classic state, density 0.8442 at temperature 0.722, is run too; a
printed coefficient of it was not found offline.
"""

import numpy as np
from bodies import Validation, liquid, mean_of_runs

# Temperature, density: energy, pressure, coefficient of diffusion.
PRINTED = [
    (0.851, 0.776, -5.517, 0.030, 0.061),
    (0.852, 0.820, -5.803, 0.573, 0.048),
    (0.849, 0.860, -6.027, 1.282, 0.035),
]
CLASSIC = (0.722, 0.8442)


def liquid_runs(v, temperature, density, runs, steps):
    """Means over runs and their errors."""
    found = []
    radial = ["--rdf", 120] if density == 0.776 else []
    words = ["--cutoff", 3, "--skin", 0.3, "--dt", 0.005, "--steps", steps, "--every", 50 if v.small else 200, "--tail"]
    words += ["--diffusion", "--window", 1000, "--sample", 20, *radial]
    for seed in range(1, runs + 1):
        start = liquid(v, density, temperature, 3, seed)
        record = v.run("md", start, "-o", v.folder / "run.h5", "--overwrite", *words)["md"]
        lines = record["snapshots"]
        one = {name: np.mean([line[name] for line in lines]) for name in ("temperature", "pressure")}
        one["energy"] = np.mean([line["potential_energy"] / 500 for line in lines])
        one["einstein"] = record["diffusion"]["by_displacement"]
        one["green_kubo"] = record["diffusion"]["by_velocity"]
        if radial:
            one["radial"] = record["radial_distribution"]["value"][43]
        found.append(one)
    return {name: mean_of_runs([one[name] for one in found]) for name in found[0]}


def main():
    with Validation(__doc__) as v:
        runs, steps = (3, 2000) if v.small else (4, 20000)
        source = "NIST molecular dynamics"
        for temperature, density, energy, pressure, diffusion in PRINTED[:1] if v.small else PRINTED:
            found = liquid_runs(v, temperature, density, runs, steps)
            what = f"density {density}: "
            v.row(what + "temperature", *found["temperature"], temperature, 0.001, source)
            v.row(what + "energy", *found["energy"], energy, 0.001, source)
            v.row(what + "pressure", *found["pressure"], pressure, 0.006, source)
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
