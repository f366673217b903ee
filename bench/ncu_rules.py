#!/usr/bin/env python3
"""The doctor's causes beside ncu's own rules, on the same reports: which of the two names the planted fault.

    bench/ncu_rules.py FOLDER [--seconds 600] [PATIENT ...]

Patients are those of bench/patients.sh, compiled in FOLDER/bin (its `run` and `held` do so; what is missing is
compiled). One launch of each is counted with ncu's sections and the doctor's counters together, once. Then `ridge
doctor --from` and ncu's rules read that report. A rule names a fault where its name or its text has the words of WORDS;
its rank is that by estimated speedup, of the whole launch before that of a part. Faults of whole programs are left out:
ncu looks at launches. RIDGE, RIDGE_NCU name the commands.
"""

import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
RIDGE, NCU = os.environ.get("RIDGE", "build/ridge"), os.environ.get("RIDGE_NCU", "ncu")
OF_PROGRAMS = {"launches-too-short", "host-waits", "allocation", "copies"}
# Sections of the full set, without samples over time, links and rooflines of caches: ncu takes less time.
SECTIONS = [word for name in """SpeedOfLight SpeedOfLight_RooflineChart ComputeWorkloadAnalysis MemoryWorkloadAnalysis
MemoryWorkloadAnalysis_Chart MemoryWorkloadAnalysis_Tables SchedulerStats WarpStateStats InstructionStats LaunchStats
Occupancy SourceCounters WorkloadDistribution""".split() for word in ("--section", name)]
WORDS = {
    "tail-of-blocks": "tail|imbalance", "shared-memory-limits-warps": "limited by the required amount of shared memory",
    "spilled-registers": "spill|local memory|local (load|store)", "uncoalesced": "uncoalesced|stride between threads",
    "cache-overflow": r"l2.{0,40}(hit rate|cache hit)|evict", "bank-conflicts": "bank conflict",
    "divergent-branches": "divergen|active threads per (cycle|warp|instruction)", "atomics-on-few-addresses": "atomic",
    "dependent-latency": "l1tex.*stalled|long.?scoreboard", "double-by-accident": "double|fp64|conversion",
    "remote-memory": "sysmem|system memory|peer|nvlink|pcie", "small-blocks": "number of blocks that can fit|block size",
    "few-blocks": "grid|fewer blocks|number of blocks", "barriers": "barrier",
    "few-warps": "achieved occupancy|grid|number of blocks|waves",
    "partial-warps": "multiple of 32|partial warp|active threads per",
}  # fmt: skip


def patients():
    text = (ROOT / "bench/patients.sh").read_text()
    return [(n, c) for n, c in re.findall(r'"(\w+) ([a-z-]+)"', text) if c not in OF_PROGRAMS]


def output_of(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60, check=False).stdout


def metrics():
    rows = re.findall(r'{"(\w+__\w+(?:\.\w+)*)"', (ROOT / "src/doctor/foreign/counts.cpp").read_text())
    return ",".join(["gpu__time_duration.sum", *rows])


def compile_patient(folder, name):
    program = folder / "bin" / name
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        output_of("nvcc", "-O3", "-std=c++17", "-arch=native", "-lineinfo", ROOT / f"test/doctor/patients/{name}.cu",
                  "-o", program)  # fmt: skip


def count(folder, name):
    program, report = folder / "bin" / name, folder / f"{name}.ncu-rep"
    for sections in SECTIONS, ["--set", "full"]:
        said = output_of(NCU, *sections, "--metrics", metrics(), "--clock-control", "none", "--launch-skip", 2,
                         "--launch-count", 1, "-f", "-o", report.with_suffix(""), program, "sick")  # fmt: skip
        if report.exists():
            return report
    return said[-200:]


def rules_of(report):
    """Rules that fired: name, text, percent that a cure saves. Estimates of the whole launch come before those of a
    part, the largest first."""
    text = output_of(NCU, "--import", report, "--csv", "--page", "details")
    lines = [line for line in text.splitlines() if not line.startswith("==")]
    found = []
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        if row.get("Rule Name") and row.get("Rule Type") in ("OPT", "WRN"):
            of_part = row.get("Estimated Speedup Type") != "global"
            found.append((of_part, -float(row.get("Estimated Speedup") or 0), row["Rule Name"], row["Rule Description"]))
    return [(name, text, -estimate) for _, estimate, name, text in sorted(found)]


def causes_of(report):
    found = json.loads(output_of(RIDGE, "doctor", "--json", "--top", 1, "--from", report))
    return [(c["cause"], c["predicted_gain"] or 0) for k in found["kernels"] for c in k["causes"]]


def place(number):
    return {0: "not", 1: "first", 2: "second"}.get(number, f"{number}th")


def compared(name, cause, report):
    try:
        ours, rules = causes_of(report), rules_of(report)
    except (ValueError, KeyError, subprocess.TimeoutExpired) as error:
        return None, f"{name} {cause}: {error!r}"
    mine = next((i for i, (c, _) in enumerate(ours, 1) if c == cause), 0)
    words = re.compile(WORDS[cause], re.I)
    theirs = next((i for i, (rule, text, _) in enumerate(rules, 1) if words.search(rule + " " + text)), 0)
    told = ", ".join(f"{c} {gain:.2f}" for c, gain in ours[:2]) or "none"
    said = ", ".join(f"{rule} {estimate:.0f} %" for rule, _, estimate in rules[:3]) or "none"
    more = f"; {place(theirs)}: {rules[theirs - 1][0]}" if theirs > 3 else ""
    line = f"{name:<16} {cause:<27} doctor {place(mine):<6} ({told}) | ncu {place(theirs):<6} of {len(rules)} ({said}{more})"
    return (mine, theirs), line


def main():
    words = argparse.ArgumentParser()
    words.add_argument("folder", type=pathlib.Path)
    words.add_argument("--seconds", type=float, default=600, help="counts no patient after these")
    words.add_argument("patients", nargs="*")
    asked = words.parse_intermixed_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    places = []
    with concurrent.futures.ThreadPoolExecutor(6) as readers:
        names = asked.patients or dict(patients())
        list(readers.map(lambda name: compile_patient(asked.folder.resolve(), name), names))
        begin = time.time()
        reading, causes = [], dict(patients())
        for name in asked.patients or causes:
            if time.time() - begin > asked.seconds:
                break
            cause = causes[name]
            try:
                report = count(asked.folder.resolve(), name)
            except subprocess.TimeoutExpired:
                report = "no answer in 60 s"
            if isinstance(report, str):
                print(f"{name} {cause}: not counted: {report}", flush=True)
            else:
                reading.append(readers.submit(compared, name, cause, report))
        for one in reading:
            both, line = one.result()
            print(line, flush=True)
            places += [both] if both else []
    for who, at in (("doctor", 0), ("ncu's rules", 1)):
        counts = [sum(p[at] == n for p in places) for n in (1, 2, 0)]
        print(f"{who}: first {counts[0]}, second {counts[1]}, not {counts[2]}, of {len(places)}")


if __name__ == "__main__":
    main()
