"""Pion, rho and nucleon of quenched quarks at beta 6.0, 16x16x16x32, beside printed masses.

    python bench/validation/spectrum.py RIDGE DEVICE [--action wilson|clover] [--kappas K,K,...] [--number N]
        [--seconds S] [--folder F]

Sources and sinks are smeared by 40 Gaussian steps of 0.3. Masses: cosh over times 8 to 12 (pion) and 7 to 11 (rho), the
logarithm of C(6) / C(10) for the nucleon, of both directions; errors by jackknife. Printed: the pion of Wilson quarks
(hep-lat/9707021 and its sources). Other masses of that paper's tables were not found offline.
"""

from lattice_runs import Runs, cosh_mass, jackknife, ratio_mass, verdict

PIONS = {"0.1515": (0.503, 0.503), "0.1530": (0.422, 0.424), "0.1550": (0.297, 0.301)}
CLOVER = "0.1324,0.1333,0.1342"

run = Runs("spectrum", 16, [("--action", "wilson"), ("--kappas", "")])
clover = run.words.action == "clover"
kappas = (run.words.kappas or (CLOVER if clover else ",".join(PIONS))).split(",")
action = ["--csw", "1.769"] if clover else []
found = {kappa: [] for kappa in kappas}
for links in run.configurations("6.0"):
    for kappa in kappas:
        hadrons, record = run.solve("wilson", links, "--kappa", kappa, "--tol", "1e-8", *action, "--source-smear", "40,0.3",
                                    "--sink-smear", "40,0.3")  # fmt: skip
        found[kappa].append(hadrons)
        print(f"{links} kappa {kappa}: {record['iterations']:.0f} iterations, {record['seconds']:.3f} s", flush=True)


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
verdict(rows)
