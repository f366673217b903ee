#!/usr/bin/env python3
"""Measures again what records say, under the defaults of this build, and prints the time over theirs.

Usage: against_records.py [--keep FOLDER] [--seconds N] RIDGE DEVICE RECORD_FILES...
A file's fastest record is compared, by time and by fraction of the roof. Rows slower by more than 2 % are measured once
more, and marked. On a card of another name fractions of the roof are compared, not times. The exit status is 1 where a
row is wrong or does not run; cards of one kind differ by some percent, so not where one is slower.

`--keep` leaves what was measured in FOLDER, under the files' names and with the schedules that they name: the files
that take their place. After N seconds no more rows begin; those left out are told."""

import argparse
import json
import pathlib
import subprocess
import sys
import time

SKIPPED = ("nbody", "atmosphere", "roof", "model")  # other commands than `ridge bench`


def words_of(record):
    """What follows `ridge bench` for the same work."""
    words = [record["kernel"], "--size", "x".join(map(str, record["size"])), "--precision", record["precision"]]
    if record.get("site"):
        site = record["site"].split(", width ")
        words += ["--site", site[0]] + (["--width", site[1]] if len(site) > 1 else [])
    if record.get("operations"):
        words += ["--operations", f'{record["operations"]:.0f}']
    if record.get("steps"):
        words += ["--steps", f'{record["steps"]:.0f}']
    if record.get("boundary") not in (None, "untouched"):
        words += ["--boundary", record["boundary"]]
    return words


def schedules_of(records):
    """What a file's records ran under, for `--schedule`: all that have names where several were compared."""
    names = [r.get("schedule_name") for r in records if "::" not in r["schedule"]]
    if len(names) < 2:
        return []
    if "default" in names:
        return ["--schedule", "all"]
    return ["--schedule", ";".join(r["schedule"] for r in records)]


def measured(command):
    """The records of a run; nothing but its last words where it fails."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0:
        return json.loads(run.stdout), ""
    return [], (run.stderr.strip().splitlines() or ["no word"])[-1]


def fraction(record):
    return f'{record["fraction"]:6.3f}' if record.get("fraction") else "     -"


def best_of(records):
    """The fastest, without a vendor's sum beside ours."""
    return min((r for r in records if "::" not in r["schedule"]), key=lambda r: r["seconds"])


def compare(command, then, keep):
    """Runs a row, once more where it is slower by more than 2 %. Returns the ratio and whether all is right."""
    best = None
    for _ in range(2):
        records, why = measured(command)
        if not records:
            print(f'{" ".join(command[2:]):66} FAILED: {why}', flush=True)
            return 0, False
        now = next((r for r in records if r.get("schedule_name") == "default"), None) or best_of(records)
        same = now["device_name"] == then["device_name"] or not now.get("fraction")
        ratio = now["seconds"] / then["seconds"] if same else then["fraction"] / now["fraction"]
        if best is None or ratio < best[0]:
            best = ratio, now, records
        if ratio <= 1.02:
            break
    ratio, now, records = best
    if keep:
        keep.parent.mkdir(parents=True, exist_ok=True)
        keep.write_text(json.dumps(records) + "\n")
    right = all(r["check"]["ok"] for r in records if r.get("check"))
    schedule = now["schedule"] if now["schedule"] != then["schedule"] else "same schedule"
    what = " ".join(words_of(now))
    print(f'{what:58} {then["seconds"] * 1e6:10.2f} {now["seconds"] * 1e6:10.2f} us {ratio:6.3f} {fraction(then)} '
          f'{fraction(now)} {"ok" if right else "WRONG"}  {schedule}{"  SLOWER" if ratio > 1.02 else ""}', flush=True)
    return ratio, right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("ridge")
    parser.add_argument("device")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    slower = failed = 0
    left_out = []
    end = time.monotonic() + args.seconds
    print(f'{"":58} {"then":>10} {"now":>10}    now/then, fractions of the roof then and now')
    for file in args.files:
        records = json.loads(file.read_text())
        if not isinstance(records, list) or not records or records[0].get("kernel") in (None, *SKIPPED):
            continue
        if time.monotonic() > end:
            left_out.append(file.name)
            continue
        then = best_of(records)
        more = schedules_of(records) if args.keep else []
        command = [args.ridge, "bench", *words_of(then), *more, "--device", args.device, "--json"]
        ratio, right = compare(command, then, args.keep and args.keep / file.name)
        slower += ratio > 1.02
        failed += not right
    print(f"{slower} slower by more than 2 %, {failed} wrong or not run")
    if left_out:
        print(f'no time left for {" ".join(left_out)}')
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
