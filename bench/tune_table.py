#!/usr/bin/env python3
"""Prints how far the tuner, random search, the default and the model alone are from the best of the whole
space, from the folder that bench/tune.sh filled. All times are those of the run that measured the space;
there the best, the tuner's choice and the default were measured again, in turn with one another. Random
search takes as many schedules of that run as the tuner measured: the median of a thousand, and how many in
a hundred come within the limit.

Usage: tune_table.py FOLDER
"""

import random
import statistics
import sys

import tune_cases

SEARCHES = 1000


def at_random(seconds, measured, best):
    """How many times the best's time the fastest of so many takes, of each of a thousand searches."""
    dice = random.Random(1)
    times = list(seconds.values())
    return [min(dice.sample(times, min(measured, len(times)))) / best for _ in range(SEARCHES)]


def main(folder):
    print("| size | precision | space | measured | in s | best | tuner | random | random, near | default | model |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    cases = tune_cases.Cases(folder)
    near = 0
    limit = 1.02
    for name, case in cases.tuned.items():
        if case["driver"] == "none":  # a cpu, whose times vary more
            limit = 1.05
        seconds, tuner = cases.seconds[name], case["tuner"]
        best = seconds[case["best"]]

        def quotient(row, seconds=seconds, best=best):
            return f"{seconds[row] / best:.3f}" if row in seconds else "-"

        chance = at_random(seconds, tuner["measured"], best)
        left_out = "" if case["measured"] + 10 >= case["space"] else f" of {case['space']}"
        size, precision = name.rsplit("-", 1)
        print(f"| {size} | {precision} | {case['measured']}{left_out} | {tuner['measured']} | "
              f"{tuner['spent_seconds']:.1f} | {best * 1e6:.1f} us | {quotient(tuner['schedule'])} | "
              f"{statistics.median(chance):.3f} | {100 * sum(c <= limit for c in chance) / SEARCHES:.0f} % | "
              f"{quotient(case['default'])} | {quotient(case['model_choice'])} |")
        near += seconds.get(tuner["schedule"], 2 * limit * best) <= limit * best
    print(f"\nthe tuner is within {100 * (limit - 1):.0f} % of the best in {near} of {len(cases.tuned)} cases")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
