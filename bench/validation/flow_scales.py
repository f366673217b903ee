"""t0 and w0 of the Wilson action by the gradient flow, beside the printed parametrisation of t0.

    python bench/validation/flow_scales.py RIDGE DEVICE [--beta B] [--number N] [--seconds S] [--folder F]

16x16x16x32, E by the four leaves, steps of 0.02. Printed: ln(sqrt(t0) / a) of arXiv:1503.05652 with the coefficients that
the AnalysisToolbox of LatticeQCD has for it, of lattices above 24; taken to 1 %, which is more than its error. No w0 of
beta 6.0 was found offline.
"""

import math

from lattice_runs import Runs, jackknife, mean, verdict


def printed_t0(beta):
    b0, b1 = 11 / (4 * math.pi) ** 2, 102 / (4 * math.pi) ** 4
    scaling = beta / (12 * b0) + b1 / (2 * b0**2) * math.log(6 * b0 / beta)
    return math.exp(2 * scaling * (1 - 9.945 / beta + 24.191 / beta**2) / (1 - 5.334 / beta + 1.452 / beta**2))


run = Runs("scales of the flow", 16, [("--beta", "6.0")])
t0 = printed_t0(float(run.words.beta))
points = []
for links in run.configurations(run.words.beta):
    record = run.record("gauge", "observables", links, "--flow", f"{1.35 * t0:.2f}", "--step", "0.02")
    points.append(tuple([float(x) for x in record[name].split()] for name in ("flow_time", "energy_clover")))
    charge = float(record["charge"].split()[-1])
    print(f"{links}: t0 {record.get('t0', math.nan):.4f}, charge {charge:.3f}, {record['seconds']:.2f} s", flush=True)


def crossing(times, curve):
    for i in range(1, len(curve)):
        if curve[i - 1] < 0.3 <= curve[i]:
            return times[i - 1] + (times[i] - times[i - 1]) * (0.3 - curve[i - 1]) / (curve[i] - curve[i - 1])
    return math.nan


def curve_of(samples):
    times = samples[0][0]
    return times, [t * t * mean([energy[i] for _, energy in samples]) for i, t in enumerate(times)]


def w0_of(samples):
    times, curve = curve_of(samples)
    middle = [(a + b) / 2 for a, b in zip(times, times[1:])]
    slope = [m * (curve[i + 1] - curve[i]) / (times[i + 1] - times[i]) for i, m in enumerate(middle)]
    return math.sqrt(crossing(middle, slope))


print(f"{len(points)} configurations")
verdict([(f"t0 / a^2 at beta {run.words.beta}", *jackknife(points, lambda s: crossing(*curve_of(s))), (0.99 * t0, 1.01 * t0)),
         (f"w0 / a at beta {run.words.beta}", *jackknife(points, w0_of), None)])  # fmt: skip
