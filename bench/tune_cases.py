#!/usr/bin/env python3
"""What bench/tune.sh measured: two files in a folder, written here from the output of `ridge tune`.

space.csv: a row a schedule, a column a case, microseconds of a launch, from the run over the whole space. A
row names only the fields in which it differs from the first row; nothing where it was not measured.

tuned.json: of each case the device, the best, the default's and the model's choice, and what the tuner did:
`trials` are pairs of a row of space.csv, counted from 0, and microseconds as the tuner saw them.

Usage: tune_cases.py FOLDER RAW_FOLDER       (adds what RAW_FOLDER has: CASE-all.json and CASE-guided.json)
"""

import csv
import json
import pathlib
import sys


def words_of(schedule):
    return dict(word.split("=", 1) for word in schedule.split())


class Schedules:
    """Schedules by row; rows are short texts."""

    def __init__(self):
        self.texts, self.rows = [], {}

    def row(self, schedule):
        if schedule not in self.rows:
            self.rows[schedule] = len(self.texts)
            self.texts.append(schedule)
        return self.rows[schedule]

    def short(self, row):
        if row == 0:
            return self.texts[0]
        first = words_of(self.texts[0])
        return " ".join(f"{k}={v}" for k, v in words_of(self.texts[row]).items() if first.get(k) != v)

    def add_short(self, text):
        if not self.texts:
            return self.row(text)
        return self.row(" ".join(f"{k}={v}" for k, v in {**words_of(self.texts[0]), **words_of(text)}.items()))


class Cases:
    """All cases of a folder: `tuned` by name, in the order of their files, and `seconds` by name and row."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.schedules, self.tuned, self.seconds = Schedules(), {}, {}
        if (self.folder / "tuned.json").exists():
            self.tuned = json.loads((self.folder / "tuned.json").read_text())
            with (self.folder / "space.csv").open(newline="") as file:
                for line in csv.DictReader(file):
                    row = self.schedules.add_short(line.pop("schedule"))
                    for name, microseconds in line.items():
                        if microseconds:
                            self.seconds.setdefault(name, {})[row] = float(microseconds) / 1e6

    def add(self, name, every, guided):
        """Both as `ridge tune --json` prints them."""
        row = self.schedules.row
        trials = [t for t in every["trials"] if "seconds" in t]
        self.seconds[name] = {row(t["schedule"]): t["seconds"] for t in trials}
        tuner = {key: guided[key] for key in ("gain", "gain_low", "gain_high", "left", "end", "measured",
                                              "spent_seconds") if key in guided}
        tuner["schedule"] = row(guided["schedule"])
        tuner["trials"] = [[row(t["schedule"]), digits(t["seconds"])] for t in guided["trials"] if "seconds" in t]
        self.tuned[name] = {**{key: every[key] for key in ("kernel", "device", "driver", "compiler", "space",
                                                           "measured", "end", "left", "spent_seconds")},
                            "best": row(every["schedule"]), "default": row(every["default"]),
                            "model_choice": row(every["model_choice"]) if "model_choice" in every else None,
                            "tuner": tuner}

    def write(self):
        names = list(self.tuned)
        with open(self.folder / "space.csv.part", "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["schedule", *names])
            for row in range(len(self.schedules.texts)):
                times = [self.seconds[name].get(row) for name in names]
                table.writerow([self.schedules.short(row), *("" if t is None else digits(t) for t in times)])
        entries = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in self.tuned.items())
        (self.folder / "tuned.json.part").write_text(f"{{{entries}}}\n")
        for name in ("space.csv", "tuned.json"):
            (self.folder / f"{name}.part").rename(self.folder / name)


def digits(seconds):
    """Microseconds, in as many digits as mean something."""
    return float(f"{seconds * 1e6:.5g}")


def main(folder, raw):
    cases = Cases(folder)
    for file in sorted(pathlib.Path(raw).glob("*-all.json"), key=lambda f: f.stat().st_mtime):
        name = file.name.removesuffix("-all.json")
        guided = file.with_name(f"{name}-guided.json")
        cases.add(name, json.loads(file.read_text()), json.loads(guided.read_text()))
    cases.write()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
