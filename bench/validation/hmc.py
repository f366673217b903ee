"""Hybrid Monte Carlo: <exp(-dH)> = 1, and plaquettes.

Two flavours of clover fermions: 4x4x4x4, beta 5.6, kappa 0.138, csw 1.76, for which tmLQCD prints 0.5905(3)
(doc/sample-input/sample-hmc-cloverdet.input). Pure gauge: beta 5.7. Two flavours of Wilson fermions: beta 0
beside the hopping expansion, and beta 5.6, kappa 0.1575.

    python bench/validation/hmc.py RIDGE DEVICE [--small] [--trajectories N] [--folder F]

N are those of clover fermions after 20 or a tenth. Pure gauge: 16x16x16x32, 1000 trajectories after 200; --small:
4x4x4x4 with fermions alone. At beta 0 two flavours act as beta = 96 kappa^4, and a plaquette is that over 18; a twentieth
is allowed for what is of higher order. Errors by jackknife.
"""

from lattice_runs import SIZE, Runs, jackknife, mean, verdict

run = Runs("hmc", 1, [("--trajectories", 0)])
rows = []


def ensemble(name, size, count, warm, bin_of, plaquette, *words):
    out = run.file("hmc.nersc")
    record = run.record("gauge", "hmc", "--size", size, "--trajectories", count, "--warm-up", min(warm, 20), "--overwrite",
                        "-o", out, *words)  # fmt: skip
    out.unlink()
    values = [float(p) for p in record["plaquettes"].split()][warm:]
    bins = [mean(values[i : i + bin_of]) for i in range(0, len(values), bin_of)]
    rows.append((f"{name}: plaquette", *jackknife(bins, mean), plaquette))
    rows.append((f"{name}: <exp(-dH)>", record["exp_energy_change"], record["exp_energy_change_error"], (1, 1)))


small = run.words.small
kappa, count = 0.17, 70 if small else 500
hopping = 96 * kappa**4 / 18
ensemble(f"beta 0, kappa {kappa}", "4x4x4x4" if small else "8x8x8x8", count, 10, 6 if small else 10,
         (0.95 * hopping, 1.05 * hopping), "--beta", 0, "--kappa", kappa, "--steps", 4, "--gauge-steps", 1, "--start", "hot")
count = int(run.words.trajectories) or (100 if small else 2000)
first = max(20, count // 10)
ensemble("clover, 4x4x4x4", "4x4x4x4", count + first, first, max(1, count // 10), (0.5902, 0.5908), "--beta", 5.6, "--kappa",
         0.138, "--csw", 1.76, "--steps", 5, "--gauge-steps", 2, "--tol", 1e-7)
if not small:
    ensemble("beta 5.7", SIZE, 1200, 200, 50, (0.54915, 0.54925), "--beta", 5.7, "--steps", 20)
    ensemble("beta 5.6, kappa 0.1575", SIZE, 400, 100, 25, None, "--beta", 5.6, "--kappa", 0.1575, "--steps", 16)
verdict(rows)
