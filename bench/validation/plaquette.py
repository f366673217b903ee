"""The plaquette of the Wilson action at beta 5.7, 6.0 and 6.2 beside printed values.

    python bench/validation/plaquette.py RIDGE DEVICE [--small] [--folder F]

16x16x16x32, 200 sweeps and 800 that are measured, each with four overrelaxations; --small: 8x8x8x8 at beta 5.7, 50 and 350
sweeps with one. Errors by jackknife over bins of 50 sweeps. Printed: 0.5492, 0.5937, 0.6136, to half of the last digit.
"""

from lattice_runs import SIZE, Runs, jackknife, mean, verdict

BIN = 50  # sweeps: at beta 5.7 some tens of them know of each other
PRINTED = {"5.7": 0.5492, "6.0": 0.5937, "6.2": 0.6136}

run = Runs("plaquette", 1)
rows = []
for beta in ["5.7"] if run.words.small else PRINTED:
    size, sweeps, warm, relaxations = ("8x8x8x8", 400, 50, 1) if run.words.small else (SIZE, 1000, 200, 4)
    text = run("gauge", "heatbath", "--size", size, "--beta", beta, "--sweeps", sweeps, "--relaxations", relaxations,
               "--every", 1, "--seed", 3, "--overwrite", "-o", run.file("plaquette.nersc"))  # fmt: skip
    lines = [line.split() for line in text.splitlines()]
    values = [float(words[1]) for words in lines if len(words) == 2 and words[0].isdigit() and int(words[0]) > warm]
    bins = [mean(values[i : i + BIN]) for i in range(0, len(values), BIN)]
    rows.append((f"{size} beta {beta}", *jackknife(bins, mean), (PRINTED[beta] - 5e-5, PRINTED[beta] + 5e-5)))
run.file("plaquette.nersc").unlink()
verdict(rows)
