"""The residual mass of domain walls at beta 6.0, M5 1.8, Ls 16, beside 0.00124(5) (hep-lat/0007038).

    python bench/validation/residual_mass.py RIDGE DEVICE [--mass M] [--number N] [--seconds S] [--folder F]

16x16x16x32, quarks of mass 0.02: the ratio of the midpoint's correlator to the pion's, of sums over times 6 to 26 and all
configurations, with its jackknife error. The printed mass is of quarks of mass 0 and of another number of configurations.
"""

from lattice_runs import Runs, jackknife, mean_of, verdict

TIMES = range(6, 27)

run = Runs("residual mass", 4, [("--mass", "0.02")])
found = []
for links in run.configurations("6.0"):
    hadrons, record = run.solve("dwf", links, "--mass", run.words.mass, "--ls", 16, "--m5", 1.8, "--tol", "1e-7")
    found.append((hadrons["midpoint"], hadrons["pseudoscalar"]))
    print(f"{links}: {record['iterations']:.0f} iterations, {record['seconds']:.1f} s, {record['residual_mass']:.6f}",
          flush=True)  # fmt: skip


def residual(pairs):
    middle, pion = (mean_of(values) for values in zip(*pairs))
    return sum(middle[t] / pion[t] for t in TIMES) / len(TIMES)


print(f"{len(found)} configurations")
verdict([(f"residual mass at {run.words.mass}", *jackknife(found, residual), (0.00119, 0.00129))])
