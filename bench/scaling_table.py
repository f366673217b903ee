#!/usr/bin/env python3
"""Weak and strong efficiencies of what bench/scaling.sh left in a folder, beside what was predicted.

bench/scaling_table.py RESULTS [PREDICTED.json]     a table; the file has seconds by name and ranks, as
bench/scaling_predict.py writes them
"""

import json
import pathlib
import sys


def read(folder):
    """Seconds of a step and whether it was checked, by name and ranks."""
    found = {}
    for file in sorted(pathlib.Path(folder).glob("*-[0-9].json")):
        name, ranks = file.stem.rsplit("-", 1)
        records = json.loads(file.read_text())
        if isinstance(records, list) and records and "seconds" in records[0]:
            found.setdefault(name, {})[int(ranks)] = records[0]
    return found


def efficiency(name, records, ranks):
    """Of one rank with its share (weak), or of one rank with all, by ranks (strong)."""
    if 1 not in records:
        return None
    ratio = records[1]["seconds"] / records[ranks]["seconds"]
    return ratio if name.startswith("weak") else ratio / ranks


def main():
    found = read(sys.argv[1])
    predicted = json.loads(pathlib.Path(sys.argv[2]).read_text())["seconds"] if len(sys.argv) > 2 else {}
    bad = []
    print(f"{'what':34} {'GPUs':>4} {'grid':>7} {'step, us':>10} {'efficiency':>10} {'predicted, us':>13} {'off':>6}")
    for name, records in found.items():
        if name == "bits":
            continue
        for ranks, r in sorted(records.items()):
            if r.get("check") and not r["check"]["ok"]:
                bad.append(f"{name} on {ranks}")
            share = efficiency(name, records, ranks)
            guess = predicted.get(name, {}).get(str(ranks))
            print(f"{name:34} {ranks:4} {r.get('rank_grid', ''):>7} {r['seconds'] * 1e6:10.1f} "
                  + (f"{share:10.3f}" if share else " " * 10)
                  + (f" {guess * 1e6:13.1f} {100 * (guess / r['seconds'] - 1):+5.1f}%" if guess else ""))
    if bad:
        sys.exit("checks failed: " + ", ".join(bad))


if __name__ == "__main__":
    main()
