#!/usr/bin/env python3
"""Prints how far the tuner, random search, the default and the model alone are from the best of the whole
space, from the folder that bench/tune.sh filled. Times are those of the run that measured the space.

Usage: tune_table.py FOLDER
"""

import json
import pathlib
import sys


def quotient(seconds, schedule):
    """Times the best's; nothing where the run over the space did not measure the schedule."""
    return f"{seconds[schedule] / min(seconds.values()):.3f}" if schedule in seconds else "-"


def main(folder):
    print("| size | precision | space | measured | best | tuner | random | default | model |")
    print("|---|---|---|---|---|---|---|---|---|")
    cases = near = 0
    limit = 1.02
    for file in sorted(pathlib.Path(folder).glob("*-all.json")):
        case = file.name.removesuffix("-all.json")
        every = json.loads(file.read_text())
        if every["driver"] == "none":  # a cpu, whose times vary more
            limit = 1.05
        guided = json.loads(file.with_name(f"{case}-guided.json").read_text())
        chance = json.loads(file.with_name(f"{case}-random.json").read_text())
        seconds = {t["schedule"]: t["seconds"] for t in every["trials"] if "seconds" in t}
        left_out = "" if every["measured"] + 10 >= every["space"] else f" of {every['space']}"
        size, precision = case.rsplit("-", 1)
        tuned = quotient(seconds, guided["schedule"])
        print(f"| {size} | {precision} | {every['measured']}{left_out} | {guided['measured']} | "
              f"{min(seconds.values()) * 1e6:.1f} us | {tuned} | "
              f"{quotient(seconds, chance['schedule'])} | {quotient(seconds, every['default'])} | "
              f"{quotient(seconds, every.get('model_choice'))} |")
        cases += 1
        near += tuned != "-" and float(tuned) <= limit
    print(f"\nthe tuner is within {100 * (limit - 1):.0f} % of the best in {near} of {cases} cases")


if __name__ == "__main__":
    main(*sys.argv[1:])
