"""Predictions of traffic beside counters: `errors PREDICTED.json COUNTED.json` prints a table.

`join FOLDER` prints the arrays in a folder's files as one.
"""

import json
import math
import pathlib
import statistics
import sys


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def join(folder):
    records = [r for file in sorted(pathlib.Path(folder).iterdir()) for r in load(file)]
    print(json.dumps(records, indent=1))


def key(record):
    return tuple(record["size"]), record["schedule"]


def ranks(values):
    """Places of values in ascending order; equal ones share the mean of theirs."""
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def rank_correlation(a, b):
    return statistics.correlation(ranks(a), ranks(b))


def percentile(values, share):
    """The least value that so large a share of all does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def errors(predicted, counted):
    measured = {key(r): r["counters"] for r in load(counted)}
    rows = []
    for record in load(predicted):
        if key(record) not in measured:
            sys.exit(f"{counted}: no counters for {key(record)}")
        counters = measured[key(record)]
        rows.append((record, counters, record["fetched_bytes"] / counters["bytes_read"] - 1))
    print("| size | schedule | least, GB | predicted | counted | error |\n|---|---|---|---|---|---|")
    for record, counters, error in rows:
        name = record.get("schedule_name") or record["schedule"]
        size = "x".join(map(str, record["size"]))
        print(f"| {size} | {name} | {record['bytes_read'] / 1e9:.3f} | "
              f"{record['fetched_bytes'] / 1e9:.3f} | {counters['bytes_read'] / 1e9:.3f} | "
              f"{100 * error:+.1f} % |")
    sizes = [abs(error) for _, _, error in rows]
    excess = [(r["fetched_bytes"] / r["bytes_read"], c["bytes_read"] / r["bytes_read"])
              for r, c, _ in rows]
    print(f"\n{len(rows)} launches: median error {100 * statistics.median(sizes):.1f} %, nine in ten "
          f"within {100 * percentile(sizes, 0.9):.1f} %, largest {100 * max(sizes):.1f} %; rank "
          f"correlation of bytes fetched over the least "
          f"{rank_correlation([p for p, _ in excess], [c for _, c in excess]):.2f}")


if __name__ == "__main__":
    commands = {"join": join, "errors": errors}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
