"""Pion, rho and nucleon of quenched quarks at beta 6.0, 16x16x16x32, beside printed masses.

    python bench/validation/spectrum.py RIDGE DEVICE [--action wilson|clover] [--kappas K,K,...] [--number N]
        [--seconds S] [--folder F] [--json FILE] [--picture PNG]
    python bench/validation/spectrum.py - - --from FILE [--picture PNG]

Sources and sinks are smeared by 40 Gaussian steps of 0.3. Masses: cosh over times 8 to 12 (pion) and 7 to 11 (rho), the
logarithm of C(6) / C(10) for the nucleon, of both directions; errors by jackknife. Printed: the pion of Wilson quarks
(hep-lat/9707021 and its sources). Other masses of that paper's tables were not found offline. --json keeps the
correlators, from which --from draws effective masses and judges again.
"""

import json

from lattice_runs import Runs, cosh_mass, jackknife, ratio_mass, verdict

PIONS = {"0.1515": (0.503, 0.503), "0.1530": (0.422, 0.424), "0.1550": (0.297, 0.301)}
CLOVER = "0.1324,0.1333,0.1342"

run = Runs("spectrum", 16, [("--action", "wilson"), ("--kappas", ""), ("--json", ""), ("--from", ""), ("--picture", "")])
kept = json.load(open(vars(run.words)["from"])) if vars(run.words)["from"] else None
run.words.action = kept["action"] if kept else run.words.action
clover = run.words.action == "clover"
kappas = (run.words.kappas or (CLOVER if clover else ",".join(PIONS))).split(",")
action = ["--csw", "1.769"] if clover else []
found = kept["correlators"] if kept else {kappa: [] for kappa in kappas}
for links in [] if kept else run.configurations("6.0"):
    for kappa in kappas:
        hadrons, record = run.solve("wilson", links, "--kappa", kappa, "--tol", "1e-8", *action, "--source-smear", "40,0.3",
                                    "--sink-smear", "40,0.3")  # fmt: skip
        found[kappa].append(hadrons)
        print(f"{links} kappa {kappa}: {record['iterations']:.0f} iterations, {record['seconds']:.3f} s", flush=True)
if run.words.json:
    with open(run.words.json, "w") as out:
        json.dump({"action": run.words.action, "correlators": found}, out)


def draw(file):
    """Effective masses of pion and rho by time, with errors; printed masses as bands."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axis = plt.subplots(figsize=(7, 4), constrained_layout=True)
    for i, (kappa, all_of) in enumerate(found.items()):
        for name, label, mark in (("pseudoscalar", "pion", "o"), ("vector", "rho", "s")):
            half = len(all_of[0][name]) // 2
            samples = [hadrons[name] for hadrons in all_of]
            points = [jackknife(samples, lambda c, t=t: cosh_mass(c, t, t + 1)) for t in range(1, half - 1)]
            # Beyond these nothing but noise is seen.
            seen = [(t + 0.5 + 0.06 * i, *p) for t, p in enumerate(points, 1) if p[1] < 0.3 * p[0]]
            x, y, errors = zip(*seen)
            axis.errorbar(x, y, errors, fmt=f"C{i}{mark}", markersize=4, capsize=2, mfc="none" if mark == "s" else None,
                          label=f"{label}, kappa {kappa}")  # fmt: skip
        if not clover and kappa in PIONS:
            axis.axhspan(*PIONS[kappa], color=f"C{i}", alpha=0.4, lw=1)
    axis.set(xlabel="t", ylabel="effective mass", ylim=(0.2, 1.0), title=f"{run.words.action}, beta 6.0, {len(all_of)} configurations")
    axis.legend(fontsize=8, ncol=2)
    plt.savefig(file, dpi=80)


def both_ways(hadrons):
    """The nucleon forwards, and backwards where the other projection has it."""
    forwards, backwards = hadrons["nucleon"], hadrons["nucleon_negative"]
    return [(forwards[t] - backwards[-t]) / 2 for t in range(1, len(forwards) // 2)]


rows = []
for kappa, all_of in found.items():
    of = lambda name: [hadrons[name] for hadrons in all_of]
    label = f"{run.words.action} {kappa}"
    printed = None if clover else PIONS.get(kappa)
    rows.append((f"{label} pion", *jackknife(of("pseudoscalar"), lambda c: cosh_mass(c, 8, 12)), printed))
    rows.append((f"{label} rho", *jackknife(of("vector"), lambda c: cosh_mass(c, 7, 11)), None))
    rows.append((f"{label} nucleon", *jackknife([both_ways(h) for h in all_of], lambda c: ratio_mass(c, 5, 9)), None))
print(f"{len(all_of)} configurations")
if run.words.picture:
    draw(run.words.picture)
verdict(rows)
