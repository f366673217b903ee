"""Energies, virials and pressures of the Lennard-Jones fluid beside those that NIST prints.

    python bench/validation/lennard_jones.py RIDGE DEVICE [--small] [--configurations FOLDER]

First NIST's reference calculations (www.nist.gov, Lennard-Jones Fluid Reference Calculations: Cuboid Cell): the fourth
configuration, 30 bodies, lies here in nist_lennard_jones_4.txt; with the others, as NIST gives them, in FOLDER, all
four. Then canonical runs of 32000 bodies (--small: 500) at NIST's state points of Monte Carlo
(mmlapps.nist.gov/srs/LJ_PURE/mc.htm; errors were found of 0.860 alone and are taken for all), by the canonical
rescaling; and the equation of state of Johnson, Zollweg and Gubbins (Mol. Phys. 78, 591, 1993) at density 0.85 and
temperature 1.0, whose own error at such densities, which was not found, is taken as 0.01 of energies and 0.05 of
pressures.
"""

import pathlib

import numpy as np
from bodies import Validation, liquid, mean_of

# Configuration, bodies, period, cutoff: energy, virial (sum of r . F), energy of the tail.
REFERENCE = [
    (1, 3, -4351.5, -568.67, -198.49),
    (1, 4, -4467.5, -1263.9, -83.769),
    (2, 3, -690.00, -568.46, -24.230),
    (2, 4, -704.60, -655.99, -10.226),
    (3, 3, -1146.7, -1164.9, -49.622),
    (3, 4, -1175.4, -1337.1, -20.942),
    (4, 3, -16.790, -46.249, -0.54517),
    (4, 4, -17.060, -47.869, -0.23008),
]
# Temperature, density: energy, pressure.
MONTE_CARLO = [(0.85, 0.776, -5.5121, 0.0067714), (0.85, 0.82, -5.7947, 0.55355), (0.85, 0.86, -6.0305, 1.2660)]
X = [
    0.8623085097507421,
    2.976218765822098,
    -8.402230115796038,
    0.1054136629203555,
    -0.8564583828174598,
    1.582759470107601,
    0.7639421948305453,
    1.753173414312048,
    2.798291772190376e3,
    -4.8394220260857657e-2,
    0.9963265197721935,
    -36.98000291272493,
    20.84012299434647,
    83.05402124717285,
    -957.4799715203068,
    -147.7746229234994,
    63.98607852471505,
    16.03993673294834,
    68.05916615864377,
    -2791.293578795945,
    -6.245128304568454,
    -8116.836104958410,
    14.88735559561229,
    -10593.46754655084,
    -113.1607632802822,
    -8867.771540418822,
    -39.86982844450543,
    -4689.270299917261,
    259.3535277438717,
    -2694.523589434903,
    -721.8487631550215,
    172.1802063863269,
]


def equation_of_state(density, t):
    """Energy a body and pressure, by equations (7) and (9) and tables 5 to 8 of the paper."""
    x = [0.0, *X]
    a = [
        x[1] * t + x[2] * t**0.5 + x[3] + x[4] / t + x[5] / t**2,
        x[6] * t + x[7] + x[8] / t + x[9] / t**2,
        x[10] * t + x[11] + x[12] / t,
        x[13],
        x[14] / t + x[15] / t**2,
        x[16] / t,
        x[17] / t + x[18] / t**2,
        x[19] / t**2,
    ]
    b = [
        x[20] / t**2 + x[21] / t**3,
        x[22] / t**2 + x[23] / t**4,
        x[24] / t**2 + x[25] / t**3,
        x[26] / t**2 + x[27] / t**4,
        x[28] / t**2 + x[29] / t**3,
        x[30] / t**2 + x[31] / t**3 + x[32] / t**4,
    ]
    c = [
        x[2] * t**0.5 / 2 + x[3] + 2 * x[4] / t + 3 * x[5] / t**2,
        x[7] + 2 * x[8] / t + 3 * x[9] / t**2,
        x[11] + 2 * x[12] / t,
        x[13],
        2 * x[14] / t + 3 * x[15] / t**2,
        2 * x[16] / t,
        2 * x[17] / t + 3 * x[18] / t**2,
        3 * x[19] / t**2,
    ]
    d = [
        3 * x[20] / t**2 + 4 * x[21] / t**3,
        3 * x[22] / t**2 + 5 * x[23] / t**4,
        3 * x[24] / t**2 + 4 * x[25] / t**3,
        3 * x[26] / t**2 + 5 * x[27] / t**4,
        3 * x[28] / t**2 + 4 * x[29] / t**3,
        3 * x[30] / t**2 + 4 * x[31] / t**3 + 5 * x[32] / t**4,
    ]
    gamma = 3.0
    f = np.exp(-gamma * density**2)
    g = [(1 - f) / (2 * gamma)]
    for i in range(1, 6):
        g.append(-(f * density ** (2 * i) - 2 * i * g[-1]) / (2 * gamma))
    pressure = density * t + sum(a[i] * density ** (i + 2) for i in range(8))
    pressure += f * sum(b[i] * density ** (2 * i + 3) for i in range(6))
    energy = sum(c[i] * density ** (i + 1) / (i + 1) for i in range(8)) + sum(d[i] * g[i] for i in range(6))
    return energy, pressure


def reference(v, number, cutoff, energy, virial, tail):
    folder = pathlib.Path(v.given.configurations) if v.given.configurations else None
    here = pathlib.Path(__file__).parent / "nist_lennard_jones_4.txt"
    lines = (here if folder is None else folder / f"lj_sample_config_periodic{number}.txt").read_text().split("\n")
    periods = [float(word) for word in lines[0].split()[-3:]]
    at = np.array([[float(word) for word in line.split()[1:4]] for line in lines[2:] if line.split()])
    start = v.csv("nist.csv", at, np.zeros_like(at), np.ones(len(at)))
    found = []
    for words in [], ["--tail"]:
        record = v.run(
            "md",
            start,
            "-o",
            v.folder / "nist.h5",
            "--box",
            "x".join(map(repr, periods)),
            "--cutoff",
            cutoff,
            "--skin",
            0,
            "--steps",
            0,
            "--precision",
            "fp64",
            "--overwrite",
            *words,
        )
        found.append(record["md"]["snapshots"][0])
    what = f"configuration {number}, cutoff {cutoff}: "
    digit = lambda value: 0.51 * 10.0 ** (np.floor(np.log10(abs(value))) - 4)  # five are printed
    source = "NIST reference calculations"
    v.row(what + "energy", found[0]["potential_energy"], 0, energy, digit(energy), source, 1)
    v.row(what + "virial", 3 * np.prod(periods) * found[0]["pressure"], 0, virial, digit(virial), source, 1)
    v.row(what + "tail", found[1]["potential_energy"] - found[0]["potential_energy"], 0, tail, digit(tail), source, 1)


def canonical(v, density, temperature, cutoff, count, steps, seed=1):
    """Energy a body and pressure with tails, and their errors."""
    start = liquid(v, density, temperature, cutoff, seed, count)
    words = ["--dt", 0.004, "--cutoff", cutoff, "--skin", 0.3, "--tail", "--thermostat", "rescale", "--relaxation", 0.2]
    words += ["--temperature", temperature, "--steps", steps, "--every", 50 if v.small else 100, "--seed", seed]
    lines = v.run("md", start, "-o", v.folder / "run.h5", "--overwrite", *words)["md"]["snapshots"]
    lines = lines[len(lines) // 10 :]
    energy = mean_of([line["potential_energy"] / count for line in lines])
    return energy, mean_of([line["pressure"] for line in lines])


def main():
    with Validation(__doc__, "--configurations") as v:
        for number, *values in REFERENCE:
            if number == 4 or v.given.configurations:
                reference(v, number, *values)
        for temperature, density, energy, pressure in MONTE_CARLO[2:] if v.small else MONTE_CARLO:
            (u, du), (p, dp) = canonical(v, density, temperature, 3, *((500, 4000) if v.small else (32000, 10000)))
            v.row(f"energy, T {temperature}, density {density}", u, du, energy, 0.0024, "NIST Monte Carlo")
            v.row(f"pressure, T {temperature}, density {density}", p, dp, pressure, 0.0136, "NIST Monte Carlo")
        if v.small:
            return
        energy, pressure = equation_of_state(0.85, 1.0)
        (u, du), (p, dp) = canonical(v, 0.85, 1.0, 4, 864, 40000)
        v.row("energy, T 1.0, density 0.85", u, du, energy, 0.01, "Johnson, Zollweg and Gubbins", 1)
        v.row("pressure, T 1.0, density 0.85", p, dp, pressure, 0.05, "Johnson, Zollweg and Gubbins", 1)


main()
