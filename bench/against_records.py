#!/usr/bin/env python3
"""Measures again what records say, under the defaults of this build, and prints the time over theirs.

Usage: against_records.py RIDGE DEVICE RECORD_FILES...     on the device that they name
A file's fastest record is compared. Rows slower by more than 2 % are measured once more, and marked. On a card of
another name fractions of the roof are compared, not times. The exit status is 1 where a row is wrong or does not run;
cards of one kind differ by some percent, so not where one is slower."""

import json
import subprocess
import sys

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


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    ridge, device, *files = sys.argv[1:]
    slower = failed = 0
    for file in files:
        with open(file) as text:
            records = json.load(text)
        if not isinstance(records, list) or not records or records[0].get("kernel") in (None, *SKIPPED):
            continue
        own = [r for r in records if "::" not in r["schedule"]]  # not a vendor's sum beside ours
        then = min(own, key=lambda r: r["seconds"])
        command = [ridge, "bench", *words_of(then), "--device", device, "--json"]
        times, ratios = [], []
        while len(times) < 2 and (not times or ratios[0] > 1.02):
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                break
            (now,) = json.loads(run.stdout)
            times.append(now["seconds"])
            same = now["device_name"] == then["device_name"] or not now.get("fraction")
            ratios.append(now["seconds"] / then["seconds"] if same else then["fraction"] / now["fraction"])
        what = " ".join(command[2:-3])
        if not times or run.returncode != 0:
            print(f"{what:66} FAILED: {run.stderr.strip().splitlines()[-1:]}", flush=True)
            failed += 1
            continue
        ratio = min(ratios)
        mark = "" if ratio <= 1.02 else "  SLOWER"
        slower += ratio > 1.02
        failed += not now["check"]["ok"]
        check = "ok" if now["check"]["ok"] else "WRONG"
        print(f'{what:66} {then["seconds"] * 1e6:10.2f} {min(times) * 1e6:10.2f} us {ratio:6.3f} {check}'
              f'  {now["schedule"] if now["schedule"] != then["schedule"] else "same schedule"}{mark}', flush=True)
    print(f"{slower} slower by more than 2 %, {failed} wrong or not run")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
