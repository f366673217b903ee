"""Fills the tables of docs/results.md and docs/results/*.md from the records in docs/results. Blocks of these pages:

<!-- results: roof FOLDER -->             the ceilings
<!-- results: summary FILE... -->         a row a launch: the default schedule, or the only one
<!-- results: default FILE... -->         the same, with all that the records have
<!-- results: schedules FILE... -->       a row a schedule, a column a file
<!-- results: ranks FILE... -->           a row a launch over ranks

FILE is a pattern below docs/results, without `.json`.
"""

import json

from blocks import ROOT, main, table, words_of

FOLDER = ROOT / "docs/results"
PAGES = [ROOT / "docs/results.md", *sorted(FOLDER.glob("*.md"))]


def files_of(patterns):
    """The files of records that some of the patterns name."""
    found = []
    for pattern in patterns:
        files = sorted(FOLDER.glob(pattern + ".json"))
        if not files:
            raise SystemExit(f"no file of docs/results is a {pattern}.json")
        found += [f for f in files if f not in found]
    return found


def files_shown(texts):
    """All files of records that the pages show."""
    shown = set()
    for kind, *words in (words for text in texts for words in words_of(text, "results")):
        shown.update([FOLDER / words[0] / "roof.json"] if kind == "roof" else files_of(words))
    return shown


def with_unit(value, unit):
    """A number and its unit at three digits: 4.18 TB/s, 511 us, 2.64·10¹² interactions/s."""
    steps = [(1e12, "T", "·10¹²"), (1e9, "G", "·10⁹"), (1e6, "M", "·10⁶"), (1e3, "k", "·10³"), (1, "", ""),
             (1e-3, "m", ""), (1e-6, "u", ""), (1e-9, "n", ""), (1e-12, "p", "")]
    # What would be rounded up to 1000 belongs to the next step.
    step, prefix, power = next((s for s in steps if value >= 0.9995 * s[0]), steps[-1])
    scaled = value / step
    digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
    counted = unit in ("interactions/s", "op/s")
    return f"{scaled:.{digits}f}{power} {unit}" if counted else f"{scaled:.{digits}f} {prefix}{unit}"


def size(record):
    return "x".join(map(str, record["size"]))


def fraction(record):
    if record["fraction"] is None:
        return "in cache" if record.get("in_cache") else ""
    cached = ", in cache" if record.get("in_cache") else ""
    return f'{record["fraction"]:.3f} {record["roof_name"]}{cached}'


def error(record):
    if not record["check"]:
        return ""
    largest = record["check"]["max_error"]
    return ("0" if largest == 0 else f"{largest:.1e}") if record["check"]["ok"] else "**failed**"


def atmosphere(record):
    air = record.get("atmosphere")
    return [with_unit(air["seconds_per_cell_and_stage"], "s"), f'`{air["schedule_x"]}`',
            f'{air["mass_change"]:.1e}', f'{air["energy_change"]:.6e}'] if air else [""] * 4


def nbody(record):
    run = record.get("nbody")
    return [f'{run["integrator"]}, {run["dt"]:.6g}', f'{run["largest_energy_error"]:.1e}'] if run else [""] * 2


def default_of(records):
    """The record of the default schedule, or the only one."""
    found = records if len(records) == 1 else [r for r in records if r["schedule_name"] == "default"]
    if len(found) != 1:
        raise SystemExit(f"{title(records[0])}: of {len(records)} records {len(found)} are of the default schedule")
    return found[0]


def operations(record):
    """How many a chain has: the records of the mini-atmosphere are all of the same six."""
    return f'{record["operations"]:.0f}' if record["kernel"] == "chain" else ""


def defaults(patterns):
    titles = ["kernel", "site", "operations", "size", "precision", "time", "achieved", "fraction of",
              "largest error", "a cell and stage", "schedule along x", "mass change", "energy change",
              "integrator, dt", "largest energy error"]
    records = [default_of(json.loads(file.read_text())) for file in files_of(patterns)]
    # Kernels in the order in which the page names them, of each the small sizes first.
    kernels = list(dict.fromkeys(r["kernel"] for r in records))
    records.sort(key=lambda r: (kernels.index(r["kernel"]), r.get("operations", 0), r["precision"],
                                r.get("site") or "", r["items"]))
    return table(titles, [[r["kernel"], r.get("site") or "", operations(r), size(r), r["precision"],
                           with_unit(r["seconds"], "s"), with_unit(r["achieved"], r["achieved_unit"]),
                           fraction(r), error(r), *atmosphere(r), *nbody(r)] for r in records])


def summary(patterns):
    records = [default_of(json.loads(file.read_text())) for file in files_of(patterns)]
    return table(["device", "kernel", "size", "precision", "time", "achieved", "fraction of"],
                 [[r["device_name"], what(r), size(r), r["precision"], with_unit(r["seconds"], "s"),
                   with_unit(r["achieved"], r["achieved_unit"]), fraction(r)] for r in records])


def schedule_of(record):
    return record.get("schedule_name") or record["schedule"]


def schedules(patterns):
    files = [json.loads(file.read_text()) for file in files_of(patterns)]
    names = list(dict.fromkeys(schedule_of(r) for records in files for r in records))

    def cell(records, name):
        r = next((r for r in records if schedule_of(r) == name), None)
        return f'{with_unit(r["seconds"], "s")}, {fraction(r)}' if r else ""

    return table(["schedule", *(title(records[0]) for records in files)],
                 [[f"`{name}`", *(cell(records, name) for records in files)] for name in names])


def what(record):
    many = f"{operations(record)} operations" if operations(record) else ""
    return ", ".join(filter(None, [record["kernel"], record.get("site"), many]))


def title(record):
    return " ".join([what(record), size(record), record["precision"]])


def ranks(patterns):
    """Launches over ranks, measured with --scaling."""
    titles = ["kernel", "size", "precision", "ranks", "messages by", "step", "points alone", "exchange alone",
              "times one GPU", "of one GPU with its share", "fraction of"]
    records = [default_of(json.loads(file.read_text())) for file in files_of(patterns)]
    return table(titles, [[r["kernel"], size(r), r["precision"], r["rank_grid"], r["carrier"],
                           with_unit(r["seconds"], "s"), with_unit(r["compute_seconds"], "s"),
                           with_unit(r["exchange_seconds"], "s"), f'{r["strong_efficiency"] * r["ranks"]:.2f}',
                           f'{r["weak_efficiency"]:.3f}', fraction(r)] for r in records])


def roof(folders):
    ceilings = json.loads((FOLDER / folders[0] / "roof.json").read_text())["ceilings"]
    return table(["ceiling", "value", "how"],
                 [[c["name"], with_unit(c["value"], c["unit"]), c["how"]] for c in ceilings])


def make(words):
    makers = {"roof": roof, "summary": summary, "default": defaults, "schedules": schedules,
              "ranks": ranks}
    if not words or words[0] not in makers:
        raise SystemExit(f"docs/results: a block is one of {', '.join(makers)}, not {' '.join(words)}")
    return makers[words[0]](words[1:])


if __name__ == "__main__":
    main("Fills the tables of docs/results.md and docs/results/*.md from the records.", PAGES, "results", make)
