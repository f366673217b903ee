"""Folders of `ridge doctor --keep`: what a run knew is known to `--from`, and what a file lacks is said."""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys

import pytest

from foreign_reports import bare  # noqa: F401 -- a fixture
from foreign_reports import DRAM, PLANTED, QUIET, STAT, fake_ncu, kernels, names, ncu_raw, timeline, written

ROOT = pathlib.Path(__file__).parents[2]
STORED = sorted(p for p in (ROOT / "test/doctor/reports").glob("*/*") if p.is_dir())


def examined(ridge, *words, **more):
    found = json.loads(ridge.good("doctor", "--json", *words, **more).out)
    found["program"].pop("doctor_seconds", None)
    return found


def test_what_was_kept(ridge, tmp_path):
    """A folder of --keep: times of the timeline, counts of ncu, and what was allocated as the bound of least bytes."""
    (tmp_path / "kept").mkdir()
    both = [("_Z1fPd", 0.001, 500), ("_Z1gPd", 600, 700)]
    written(tmp_path / "kept/timeline.tsv", timeline(both, held=1_500_000_000))
    written(tmp_path / "kept/ncu.csv", ncu_raw([("_Z1fPd", {"dram__bytes_read.sum": 6e9})]))
    found = kernels(ridge, "--from", tmp_path / "kept")
    assert names(found["f(double*)"]) == ["cache-overflow"] and found["g(double*)"]["counted_by"] == ""
    text = ridge.good("doctor", "--from", tmp_path / "kept").out
    assert "at most 1.50 GB: all that was allocated" in text and "what its units do was not counted" in text


# A copy at the start, 0.82 of the device's time, then kernels: as the control of the patient pageable.
ONE_COPY = dict(kernels=[("_Z5scalePflf", 9700 + 26 * i, 9725 + 26 * i) for i in range(60)],
                copies=[(1, 9600, 1 << 25)])  # fmt: skip


def test_gains_are_of_the_whole_program(ridge, tmp_path):
    """A gain by the program's own time: not by that of the device alone where a file lacks it."""
    file = written(tmp_path / "timeline.tsv", timeline(**ONE_COPY))
    for place in (file, tmp_path):
        (cause,) = examined(ridge, "--from", place)["program"]["causes"]
        assert cause["cause"] == "copies" and cause["evidence"] > 0.8 and cause["predicted_gain"] is None
        out = ridge.good("doctor", "--from", place).out
        assert "   predicted  not known: the program's own time is not in the file" in out
    written(tmp_path / "run.tsv", "seconds\t0.4\n")
    assert examined(ridge, "--from", tmp_path)["program"]["causes"] == []
    written(tmp_path / "run.tsv", "seconds\t0.02\n")
    (cause,) = examined(ridge, "--from", tmp_path)["program"]["causes"]
    assert cause["predicted_gain"] == pytest.approx(0.02 / (0.02 - 9.599e-3))


def without(report, counter):
    """A report of ncu without one of its columns."""
    first, text = report.split("\n", 1)
    rows = list(csv.reader(text.splitlines()))
    at = rows[0].index(counter)
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(r[:at] + r[at + 1:] for r in rows)
    return first + "\n" + out.getvalue()


@pytest.mark.parametrize("counter, says", [
    (DRAM, "how busy memory is"), ("lts__throughput.avg.pct_of_peak_sustained_elapsed", "how busy the caches are"),
    ("smsp__issue_active.avg.pct_of_peak_sustained_active", "how busy instruction issue is"),
])  # fmt: skip
def test_gains_take_what_was_counted(ridge, tmp_path, counter, says):
    """Nobody knows that no unit is busy where the busiest one may not have been counted."""
    report = ncu_raw([("f(int)", {**PLANTED["partial-warps"], **QUIET})])
    whole, less = written(tmp_path / "a.csv", report), written(tmp_path / "b.csv", without(report, counter))
    assert all(c["predicted_gain"] for c in kernels(ridge, "--from", whole)["f(int)"]["causes"])
    lacking = kernels(ridge, "--from", less)["f(int)"]
    assert "partial-warps" in names(lacking) and not any(c["predicted_gain"] for c in lacking["causes"])
    assert f"   predicted  not known: {says} was not counted" in ridge.good("doctor", "--from", less).out
    records = tmp_path / "b.json"
    ridge.good("doctor", "--from", less, "-o", records)
    ridge.good("report", records, "-o", tmp_path / "b.html")


@pytest.mark.parametrize("busy_seconds, accused", [(0, True), (1000, False)])
def test_cores_that_other_programs_have(ridge, tmp_path, bare, busy_seconds, accused):  # noqa: F811
    """Cores are idle where nobody works on them: what others take is not the program's to mend."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    busy = STAT.format(round(busy_seconds * os.sysconf("SC_CLK_TCK")))
    code = f"import time; time.sleep(.4); open({str(tmp_path / 'stat')!r}, 'w').write({busy!r})"
    words = ("--", sys.executable, "-c", code)
    assert ("idle-cores" in names(examined(ridge, *words, env=bare)["program"])) == accused
    written(tmp_path / "stat", STAT.format(0))
    assert (" by others" in ridge.good("doctor", *words, env=bare).out) != accused


def test_all_of_a_run_is_kept(ridge, tmp_path):
    """What --from says of the folder is what the run said, with its time, cores and notes."""
    env = {**os.environ, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", ncu_raw([("_Z4fluxPd", {})])))}
    code = "import time; time.sleep(.2)"
    live = examined(ridge, "--keep", tmp_path / "kept", "--", sys.executable, "-c", code, env=env)
    assert live["program"]["seconds"] > 0.2
    assert examined(ridge, "--from", tmp_path / "kept") == live


def test_perf_where_it_is(ridge, tmp_path, bare):  # noqa: F811
    """A perf that counts: functions by their share, and what the processor counted."""
    written(tmp_path / "bin/perf", f"""#!{sys.executable}
import sys
if sys.argv[1] == "stat":
    open(sys.argv[sys.argv.index("-o") + 1], "w").write("1000.0,msec,task-clock,1,100.00,,\\n"
        "2000000000,,cycles,1,100.00,,\\n1000000000,,instructions,1,100.00,,\\n50000000,,cache-misses,1,100.00,,\\n")
elif sys.argv[1] == "record":
    open(sys.argv[sys.argv.index("-o") + 1], "w").write("PERFILE2")
else:
    print("# Overhead  Command  Shared Object  Symbol\\n\\n  80.00%  a.out  a.out  [.] flux(double*)\\n"
          "  15.00%  a.out  libc.so.6  [.] memcpy\\n   5.00%  a.out  libgomp.so.1  [.] 0x00001f7d")
""", program=True)
    words = ("--", sys.executable, "-c", "import time; time.sleep(.1)")
    found = json.loads(ridge("doctor", "--json", *words, env=bare).out)
    assert [k["kernel"] for k in found["kernels"]] == ["flux(double*)", "memcpy", "libgomp.so.1 0x00001f7d"]
    assert found["kernels"][0]["share"] == pytest.approx(0.8)
    assert "waits-for-memory" in [c["cause"] for c in found["program"]["causes"]]
    kept = examined(ridge, "--keep", tmp_path / "kept", *words, env=bare)
    assert examined(ridge, "--from", tmp_path / "kept") == kept


@pytest.mark.parametrize("folder", STORED, ids=lambda p: p.name)
def test_stored_reports(ridge, folder):
    """Profilers' files of the patients, as a GPU's machine left them (bench/patients.sh)."""
    found = json.loads(ridge.good("doctor", "--json", "--top", 1, "--from", folder).out)
    causes = found["program"]["causes"] + [c for k in found["kernels"] for c in k["causes"]]
    causes = [c["cause"] for c in sorted(causes, key=lambda c: -(c["predicted_gain"] or 0))]
    planted = (folder / "planted").read_text().strip()
    if folder.name.endswith("-sick"):
        assert planted in causes[:2]
    else:
        assert planted not in causes


def test_what_is_stored_of_a_kept_folder(ridge, tmp_path):
    """bench/patients.sh store: 400 kernels of the timeline, and a program's time without those it leaves out."""
    kept = tmp_path / "kept/patient-sick"
    kept.mkdir(parents=True)
    written(kept / "planted", "host-waits\n")
    written(kept / "timeline.tsv", timeline([("f", 10 * i, 10 * i + 4) for i in range(1, 1001)]))
    written(kept / "ncu.csv", ncu_raw([("f", {})]))
    written(kept / "run.tsv", "seconds\t0.5\ncores\t2\n")
    subprocess.run(["bash", ROOT / "bench/patients.sh", "store", tmp_path / "kept", tmp_path / "to"], check=True)
    program = examined(ridge, "--from", tmp_path / "to/patient-sick")["program"]
    assert program["timeline"]["launches"] == 0 and program["timeline"]["seconds"] == pytest.approx(3.994e-3)
    assert program["seconds"] == pytest.approx(0.5 - 6e-3) and program["cores"] == 2
