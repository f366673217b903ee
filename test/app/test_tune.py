"""`ridge tune`, its wisdom, and what `--schedule auto` makes of it."""

import json
import os
import pty
import signal
import subprocess
import sys
import xml.etree.ElementTree

import h5py
import numpy as np
import pytest
from conftest import ROOT, left_in
from user_kernels import HEAT

SMALL = ("laplacian", "--device", "cpu", "--size", "40x32x24")


@pytest.fixture
def wisdom(folder, monkeypatch):
    """The file of wisdom, which is not there yet."""
    file = folder / "data" / "wisdom"
    monkeypatch.setenv("RIDGE_WISDOM", str(file))
    return file


@pytest.fixture(scope="module")
def tuned(ridge, tmp_path_factory):
    """The wisdom of two schedules of SMALL, found once."""
    file = tmp_path_factory.mktemp("tuned") / "wisdom"
    tune(ridge, *SMALL, "--most", 2, env={**os.environ, "RIDGE_WISDOM": str(file)})
    return file.read_text()


@pytest.fixture
def known(wisdom, tuned):
    """The file of wisdom, with that."""
    wisdom.parent.mkdir()
    wisdom.write_text(tuned)
    return wisdom


def tune(ridge, *words, **options):
    return json.loads(ridge.good("tune", *words, "--budget", "40s", "--json", **options).out)


def bench(ridge, *words):
    (record,) = ridge.good("bench", *words, "--repeat", 3, "--no-roof", "--json").records()
    return record


def auto(ridge, *words, kernel="laplacian", says=""):
    """The record of `apply`, which measures no roof, on a field as large as SMALL."""
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = np.random.default_rng(1).random((24, 32, 40))
    result = ridge("apply", kernel, "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu", "--check",
                   "--json", *words)
    (record,) = result.records()
    assert result.err.count("\n") == (1 if says else 0), result.err
    assert says in result.err
    return record


def entries(file):
    header, *lines = file.read_text().splitlines()
    assert header == "ridge wisdom 1"
    return [dict(word.split("=", 1) for word in line.split("\t")) for line in lines]


def test_what_is_found_is_what_auto_takes(ridge, wisdom):
    before = auto(ridge)
    assert before["schedule_from"] == "default" and before["schedule_name"] == "default"
    found = tune(ridge, *SMALL, "--most", 6)
    assert found["kernel"] == "laplacian" and found["size"] == [40, 32, 24]
    assert found["default"] == before["schedule"]
    assert 1 < found["measured"] <= 6 <= found["space"]
    assert 0 < found["seconds"] and found["gain"] > 0
    assert found["end"] in ("settled", "budget")
    measured = {t["schedule"] for t in found["trials"] if "seconds" in t}
    assert {found["schedule"], found["default"]} <= measured and len(measured) == found["measured"]
    assert found["kept"] and found["wisdom"] == str(wisdom)
    (entry,) = entries(wisdom)
    assert entry["schedule"] == found["schedule"] and entry["size"] == "40x32x24"
    assert left_in(wisdom.parent) == ["wisdom", "wisdom.lock"]

    for after in (auto(ridge), bench(ridge, *SMALL)):
        assert after["schedule_from"] == after["schedule_name"] == "wisdom"
        assert after["schedule"] == found["schedule"]
        assert after["check"]["ok"]
    # Names and fields are as ever, and other kernels know nothing of it.
    assert "schedule_from" not in auto(ridge, "--schedule", "plain")
    assert auto(ridge, kernel="laplacian4")["schedule_from"] == "default"


def test_it_says_how_sure_it_is(ridge, wisdom):
    out = ridge.good("tune", *SMALL, "--most", 3, "--budget", "30s").out
    assert "laplacian fp64 40x32x24 on " in out
    assert "measured 3 schedules" in out
    assert any(said in out for said in ("times as long", "the default is the best", "nothing but the default"))
    assert "better" in out
    assert f"kept in {wisdom}" in out
    assert "\nschedule: wisdom\n" in ridge.good("bench", *SMALL, "--repeat", 1).out


def test_a_second_search_begins_with_what_the_first_found(ridge, wisdom):
    tune(ridge, *SMALL, "--most", 6)
    text = wisdom.read_text()
    (entry,) = entries(wisdom)
    odd = "rows=3 planes=5 ahead=1 streams=1 depth=1 store=plain threads=0"
    wisdom.write_text(text.replace(entry["schedule"], odd))
    found = tune(ridge, *SMALL, "--most", 2)
    assert [t["schedule"] for t in found["trials"]][:2] == [found["default"], odd]
    assert len(entries(wisdom)) == 1


def test_sizes_are_kept_beside_each_other(ridge, known):
    tune(ridge, "laplacian", "--device", "cpu", "--size", "64x64", "--most", 2)
    assert sorted(e["size"] for e in entries(known)) == ["40x32x24", "64x64"]


@pytest.mark.parametrize("words", [
    ("gravity", "--size", "500", "--precision", "mixed"),
    ("lattice-axpy", "--size", "4x4x4x4", "--precision", "fp32"),
    ("lattice-residual", "--size", "4x4x4x4"),
    ("chain", "--size", "5000", "--operations", "3"),
    ("diffusion", "--size", "20x20x20"),
    ("heat", "--size", "64x48", "--precision", "fp32"),
])
def test_every_pattern_is_tuned(ridge, wisdom, words):
    found = tune(ridge, *words, "--device", "cpu", "--most", 2)
    assert found["measured"] == 2 and found["kept"] and found["space"] > 2


def test_many_sweeps_are_tuned_in_passes_too(ridge, wisdom):
    """And `auto` takes what was found."""
    wave = ("wave", "--device", "cpu", "--size", "40x32x24")
    found = tune(ridge, *wave, "--most", 8)
    tried = {t["schedule"] for t in found["trials"] if "seconds" in t}
    assert any(s.startswith("sweeps=1 ") for s in tried), tried
    assert any(not s.startswith("sweeps=1 ") for s in tried), tried
    record = bench(ridge, *wave)
    assert record["schedule_from"] == "wisdom" and record["schedule"] == found["schedule"]
    assert record["check"]["ok"]


def test_a_site_type_has_wisdom_of_its_own(ridge, wisdom):
    norm2 = ("lattice-norm2", "--device", "cpu", "--size", "4x4x4x4", "--site")
    tune(ridge, *norm2, "spinor", "--most", 2)
    assert bench(ridge, *norm2, "spinor")["schedule_from"] == "wisdom"
    assert bench(ridge, *norm2, "matrix")["schedule_from"] == "default"


def test_a_kernel_changes_with_what_its_file_includes(ridge, wisdom, folder):
    """However deep; and so does the kernel that was compiled. And with its own text. Not with the age of a file."""
    (folder / "heat.hpp").write_text('#include "rates/all.hpp"\n' + HEAT.replace("0.25", "rate_of_heat"))
    (folder / "rates").mkdir()
    (folder / "rates/all.hpp").write_text('#include "heat.inc"\n#if 0\n#include "note.inc"\n#endif\n')
    note = folder / "rates/note.inc"
    note.symlink_to(ROOT / "LICENSE")  # older than a minute
    rate = folder / "rates/heat.inc"
    rate.write_text("constexpr double rate_of_heat = 0.25;\n")
    mine = "./heat.hpp:Heat"
    found = tune(ridge, mine, "--device", "cpu", "--size", "40x32x24", "--most", 2)
    assert found["kernel"] == "Heat" and found["kept"]
    note.unlink()
    note.write_bytes((ROOT / "LICENSE").read_bytes())
    assert auto(ridge, kernel=mine)["schedule_from"] == "wisdom"
    with h5py.File("out.h5") as h5:
        before = h5["f"][()]
    rate.write_text("constexpr double rate_of_heat = 0.125;\n")
    changed = auto(ridge, kernel=mine, says="the kernel, or Ridge's headers, changed")
    assert changed["schedule_from"] == "default"
    with h5py.File("out.h5") as h5:
        assert np.abs(h5["f"][()] - before).max() > 0.01
    rate.write_text("constexpr double rate_of_heat = 0.25;\n")
    assert auto(ridge, kernel=mine)["schedule_from"] == "wisdom"
    (folder / "heat.hpp").write_text('#include "rates/all.hpp"\n' + HEAT.replace("0.25", "rate_of_heat / 2"))
    changed = auto(ridge, kernel=mine, says="the kernel, or Ridge's headers, changed")
    assert changed["schedule_from"] == "default"


def test_wisdom_of_another_machine_is_ignored_with_a_reason(ridge, known):
    text = known.read_text()
    (entry,) = entries(known)
    for part, was in ("driver", "550.54"), ("compiler", "g++-1"), ("device", "Abacus, 1 units"):
        known.write_text(text.replace(f"{part}={entry[part]}", f"{part}={was}"))
        record = auto(ridge, says=f"the {part} was {was} and is {entry[part]}")
        assert record["schedule_from"] == "default"
    tune(ridge, *SMALL, "--most", 2)
    assert len(entries(known)) == 2, "that of the other machine stays"
    assert auto(ridge)["schedule_from"] == "wisdom"


def test_corrupt_lines_are_ignored_and_named(ridge, known):
    known.write_bytes(known.read_bytes() + b"kernel=\xff\x00\n")
    record = auto(ridge, says=f"wisdom {known}, line 3 is ignored")
    assert record["schedule_from"] == "wisdom"


def test_another_schema_is_neither_read_nor_overwritten(ridge, wisdom):
    wisdom.parent.mkdir()
    wisdom.write_text("ridge wisdom 9\nsomething\n")
    assert auto(ridge, says="ridge wisdom 9")["schedule_from"] == "default"
    result = ridge("tune", *SMALL, "--most", 2, "--json")
    assert result.code == 1 and "no wisdom of this version" in result.err
    assert json.loads(result.out)["kept"] is False, "what was found is shown all the same"
    assert wisdom.read_text() == "ridge wisdom 9\nsomething\n"


def test_what_cannot_be_written_is_shown_and_exits_1(ridge, wisdom):
    wisdom.parent.write_text("a file where a folder should be")
    result = ridge("tune", *SMALL, "--most", 2)
    assert result.code == 1
    assert "measured 2 schedules" in result.out and "not kept" in result.out
    assert result.err.count("\n") == 1
    assert f"wisdom cannot be kept in {wisdom}" in result.err


def test_nothing_is_tuned_nor_written_where_it_is_off(ridge, wisdom, monkeypatch):
    monkeypatch.setenv("RIDGE_TUNE", "off")
    ridge.bad("tune", *SMALL, says="RIDGE_TUNE=off")
    auto(ridge)
    assert not wisdom.parent.exists()


def test_off_reads_what_there_is(ridge, known, monkeypatch):
    before = known.read_bytes()
    monkeypatch.setenv("RIDGE_TUNE", "off")
    assert auto(ridge)["schedule_from"] == "wisdom"
    assert known.read_bytes() == before


def test_the_file_is_where_the_environment_says(ridge, folder, monkeypatch):
    monkeypatch.delenv("RIDGE_WISDOM")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "share"))
    assert tune(ridge, *SMALL, "--most", 2)["wisdom"] == str(folder / "share/ridge/wisdom")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(folder / "home"))
    assert tune(ridge, *SMALL, "--most", 2)["wisdom"] == str(folder / "home/.local/share/ridge/wisdom")
    assert (folder / "home/.local/share/ridge/wisdom").exists()


def test_a_schedule_that_cannot_be_compiled_now_is_not_taken(ridge, known, folder, monkeypatch):
    (entry,) = entries(known)
    deep = "rows=0 planes=0 ahead=0 streams=1 depth=4 store=plain threads=0"
    known.write_text(known.read_text().replace(entry["schedule"], deep))
    monkeypatch.setenv("RIDGE_COMPILE", "off")
    monkeypatch.setenv("RIDGE_CACHE", str(folder / "empty"))
    record = auto(ridge, says="is not used: this kernel is not compiled")
    assert record["schedule_from"] == "default"


def test_ctrl_c_keeps_what_was_found(ridge, wisdom):
    ours, theirs = pty.openpty()  # progress is for terminals
    run = ridge.start("tune", "laplacian", "--device", "cpu", "--size", "160x160x160", "--budget",
                      "100s", "--most", "150", "--json", stderr=theirs)
    os.close(theirs)
    seen = b""
    while b"4 of at most" not in seen:
        seen += os.read(ours, 4096)
    run.send_signal(signal.SIGINT)
    out = run.stdout.read()
    assert run.wait(timeout=120) == 130
    found = json.loads(out)
    assert found["end"] == "stopped" and found["kept"]
    assert 3 <= found["measured"] < 150
    (entry,) = entries(wisdom)
    assert entry["schedule"] == found["schedule"]


def fill_case(folder, case, driver="550.54", chosen=4.1e-3):
    """As bench/tune.sh does: the tuner missed the best of the space."""
    raw = folder / "raw"
    raw.mkdir(exist_ok=True)
    every = [9e-3, 5e-3, 4e-3, chosen]
    searches = {"all": every, "guided": [8e-3, chosen, 6e-3]}
    for kind, seconds in searches.items():
        trials = [{"schedule": f"tile={s:g} x=1", "seconds": s} for s in seconds]
        best = min(trials, key=lambda trial: trial["seconds"])["schedule"]
        (raw / f"{case}-{kind}.json").write_text(json.dumps(
            {"kernel": "laplacian", "device": "a device", "driver": driver, "compiler": "none", "end": "settled",
             "left": 0, "gain": 1.1, "spent_seconds": 2.5, "schedule": best, "default": trials[0]["schedule"],
             "space": 3, "measured": len(trials), "trials": [*trials, {"schedule": "x", "problem": "no"}]}))
    assert bench_script("tune_cases.py", folder, raw).returncode == 0


def bench_script(name, *words):
    return subprocess.run([sys.executable, str(ROOT / "bench" / name), *map(str, words)],
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize("driver, near", [("550.54", "2 % of the best in 0 of 1"),
                                          ("none", "5 % of the best in 1 of 1")])
def test_the_table_of_cases(folder, driver, near):
    fill_case(folder, "64x64x64-fp64", driver)
    table = bench_script("tune_table.py", folder).stdout
    assert f"the tuner is within {near} cases" in table
    _, size, precision, space, measured, _, best, tuner, random, _, default, model, _ = map(
        str.strip, table.splitlines()[2].split("|"))
    assert (size, precision, space, measured) == ("64x64x64", "fp64", "4", "3")
    assert (best, tuner, random, default, model) == ("4000.0 us", "1.025", "1.000", "2.250", "-")


def test_cases_are_kept_in_short(folder):
    fill_case(folder, "64x64x64-fp64")
    fill_case(folder, "64x64x64-fp32", chosen=7e-3)  # beside the one that is there
    rows = (folder / "space.csv").read_text().splitlines()
    assert rows[:3] == ["schedule,64x64x64-fp64,64x64x64-fp32", "tile=0.009 x=1,9000.0,9000.0", "tile=0.005,5000.0,5000.0"]
    assert "tile=0.008,," in rows and "tile=0.007,,7000.0" in rows
    tuned = json.loads((folder / "tuned.json").read_text())
    assert list(tuned) == ["64x64x64-fp64", "64x64x64-fp32"]
    of_row = [row.split(",")[0] for row in rows[1:]]
    assert [of_row[row] for row, _ in tuned["64x64x64-fp64"]["tuner"]["trials"]] == ["tile=0.008", "tile=0.0041",
                                                                                    "tile=0.006"]
    assert of_row[tuned["64x64x64-fp64"]["best"]] == "tile=0.004"


def test_tuning_curves_are_where_the_measurements_say(folder):
    for case in ("64x64x64-fp64", "<b>-fp32"):
        fill_case(folder, case)
    svg = xml.etree.ElementTree.fromstring(bench_script("tune_curves.py", folder).stdout)
    curves = {kind: [[tuple(map(float, point.split())) for point in path.get("d")[1:].split("L")]
                     for path in svg.iter("{http://www.w3.org/2000/svg}path") if path.get("class") == kind]
              for kind in ("guided", "random")}
    assert [len(c) for c in curves["guided"]] == [3, 3] and [len(c) for c in curves["random"]] == [3, 3]
    bottom, top = 170 - 26, 26  # the best; half as long again and more
    height = pytest.approx(bottom - (bottom - top) * (4.1 / 4 - 1) / 0.5, abs=0.06)
    assert [y for _, y in curves["guided"][0]] == [top, height, height]
    assert curves["guided"][0][0][0] == 40 and curves["guided"][0][-1][0] == 250
    assert curves["random"][0][-1][1] == bottom  # of four, three nearly always have it
    empty = bench_script("tune_curves.py", folder / "none")
    assert empty.returncode == 1 and "bench/tune.sh" in empty.stderr


@pytest.mark.parametrize("words, says", [
    (("nothing",), "unknown kernel 'nothing'"),
    (("laplacian", "--budget", "0"), "--budget 0"),
    (("laplacian", "--budget", "0s"), "such as 30s"),
    (("laplacian", "--budget", "-3s"), "--budget -3s"),
    (("laplacian", "--budget", "3 weeks"), "--budget 3 weeks"),
    (("laplacian", "--budget", "nan"), "--budget nan"),
    (("laplacian", "--budget", "1e9s"), "up to a day"),
    (("laplacian", "--size", "0x3"), "below 1"),
    (("laplacian", "--size", "2x2x2", "--device", "cpu"), "interior"),
    (("laplacian", "--precision", "fp16", "--device", "cpu"), "fp16"),
    (("laplacian", "--device", "abacus"), "abacus"),
    (("laplacian", "--device", "simt:32"), "emulated"),
    (("laplacian", "--site", "spinor"), "--site is for lattice kernels"),
    (("laplacian", "--set", "a=1"), "--set is for kernels in files"),
    (("laplacian", "--most", "0"), "--most"),
    (("laplacian", "--search", "lucky"), "guided, random or all"),
    (("./none.hpp:None",), "none.hpp"),
])
def test_bad_input(ridge, wisdom, words, says):
    ridge.bad("tune", *words, says=says)
    assert not wisdom.parent.exists()
