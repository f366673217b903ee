"""`ridge doctor -- PROGRAM` and `--from FILE`: kernels that are not Ridge's."""

import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys

import pytest

from foreign_reports import bare  # noqa: F401 -- a fixture
from foreign_reports import (DRAM, HEALTHY, ISSUE, L1, PLANTED, QUIET, STALL, fake_ncu, fake_perf, kernels, names, ncu_raw,
                             timeline, written)

def test_planted_causes(ridge, tmp_path):
    """Each fault is named first, and a launch without one is not accused of any."""
    launches = [(f"{cause}(double*)", changes) for cause, changes in PLANTED.items()]
    file = written(tmp_path / "ncu.csv", ncu_raw([*launches, ("healthy(double*)", {})]))
    found = kernels(ridge, "--from", file)
    assert len(found) == len(PLANTED) + 1
    for cause in PLANTED:
        assert names(found[f"{cause}(double*)"])[0] == cause
    assert names(found["healthy(double*)"]) == []
    assert found["healthy(double*)"]["busiest"] == "memory"
    assert found["healthy(double*)"]["flops"] == 185e6
    text = ridge.good("doctor", "--from", file, "--top", 99).out
    for part in text.split("\nkernel ")[1:]:
        assert len(part.splitlines()) <= 20 and max(map(len, part.splitlines())) <= 120
        assert "least bytes not known" in part


def test_least_bytes(ridge, tmp_path):
    file = written(tmp_path / "ncu.csv", ncu_raw([("f(int)", {"dram__bytes_read.sum": 4e9})]))
    assert names(kernels(ridge, "--from", file)["f(int)"]) == []
    (cause,) = kernels(ridge, "--from", file, "--bytes", "2.5e9")["f(int)"]["causes"]
    assert cause["cause"] == "cache-overflow" and cause["evidence"] == pytest.approx(1)
    assert cause["predicted_gain"] == pytest.approx(2) and cause["cache_bytes"] == 62_914_560
    assert "   fits       what is used again within 62.9 MB" in ridge.good("doctor", "--from", file, "--bytes", "2.5e9").out
    assert names(kernels(ridge, "--from", file, "--bytes", "5e9")["f(int)"]) == []


PIPE = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"


@pytest.mark.parametrize("barrier, passes, gain", [
    (41, 100_000_000, 2.05), (20, 100_000_000, None),  # of 110 cycles that a warp waits, by a tree of a block
    (41, 12_000_000, 1.12), (41, 1_000_000, None),  # shuffles have the pipe: little of it goes with the barriers
])  # fmt: skip
def test_barriers_around_shared_memory(ridge, tmp_path, barrier, passes, gain):
    """A tree of sums in shared memory keeps its pipe busy between barriers: both go with it."""
    changes = {**QUIET, PIPE: 88, L1: 88, ISSUE: 44, STALL.format("barrier"): barrier,
               "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": passes}
    changes[STALL.format("long_scoreboard")] = 5
    causes = kernels(ridge, "--from", written(tmp_path / "f.csv", ncu_raw([("f(int)", changes)])))["f(int)"]["causes"]
    if gain is None:
        assert causes == []
    else:
        assert [c["cause"] for c in causes] == ["barriers"]
        assert causes[0]["predicted_gain"] == pytest.approx(gain, rel=0.02)


def test_units_that_ncu_chooses(ridge, tmp_path):
    text = ncu_raw([("f(int)", PLANTED["bank-conflicts"])])
    other = text.replace('"nsecond"', '"usecond"').replace('"500000"', '"500.0"')
    other = other.replace('"1000000000"', '"1.0"').replace('"byte"', '"Gbyte"')
    a, b = (kernels(ridge, "--from", written(tmp_path / "f.csv", t))["f(int)"] for t in (text, other))
    assert a == b and a["seconds"] == 5e-4 and a["bytes"] == 2e9


def test_which_kernels(ridge, tmp_path):
    file = written(tmp_path / "f.csv", ncu_raw([("flux(int)", {}), ("flux(int)", {}), ("sum(int)", {})]))
    text = ridge.good("doctor", "--from", file, "--kernel", "^flux", "--top", 1).out
    assert "kernel   1 flux\n" in text and "2 launches of 500 us" in text and "67 % of all kernels'" in text
    assert "sum" not in text
    ridge.bad("doctor", "--from", file, "--kernel", "none", says=["--kernel", "flux; sum"])


STEP = "cudaLaunchKernel_v7000"


def run_causes(ridge, folder, *lines):
    written(folder / "timeline.tsv", timeline(*lines))
    written(folder / "run.tsv", "seconds\t0.001\n")
    return names(json.loads(ridge.good("doctor", "--json", "--from", folder).out)["program"])


def test_gaps(ridge, tmp_path):
    """What the device waits for, and programs in which it does not wait."""
    def launched(count, busy, idle, every):
        kernels = [("f", i * (busy + idle), i * (busy + idle) + busy) for i in range(1, count)]
        return kernels, [every(s, e, e + idle) for _, s, e in kernels]

    waits = launched(40, 60, 20, lambda s, e, n: ("cudaDeviceSynchronize_v3020", s, n - 5))
    waits[1].extend((STEP, e + 15, e + 20) for _, s, e in waits[0])
    assert run_causes(ridge, tmp_path, *waits) == ["host-waits"]
    short = launched(40, 4, 6, lambda s, e, n: (STEP, s, n))
    assert run_causes(ridge, tmp_path, *short) == ["launches-too-short"]
    assert run_causes(ridge, tmp_path, *launched(40, 4000, 6, lambda s, e, n: (STEP, s, n))) == []
    allocates = launched(40, 60, 40, lambda s, e, n: ("cudaFree_v3020", e, n))
    assert run_causes(ridge, tmp_path, *allocates) == ["allocation"]
    computes = launched(40, 60, 40, lambda s, e, n: (STEP, e, e + 3))
    assert run_causes(ridge, tmp_path, *computes) == ["host-computes"]
    loads = launched(40, 60, 40, lambda s, e, n: ("cuModuleLoadData", e, n))
    assert run_causes(ridge, tmp_path, *loads) == ["kernels-loaded-late"]
    copied = launched(40, 60, 30, lambda s, e, n: (STEP, s, e))
    copies = [(e, e + 30, 1 << 20) for _, s, e in copied[0]]
    assert run_causes(ridge, tmp_path, *copied, copies) == ["copies"]
    text = ridge.good("doctor", "--from", tmp_path / "timeline.tsv").out
    assert "kernels 67 %, copies 33 %, idle 0.0 %" in text


PERF = """ Performance counter stats for './a.out':

          8,000.00 msec task-clock                #    3.9 CPUs utilized
     9,000,000,000      cycles:u
     8,000,000,000      instructions:u
     1,000,000,000      branches:u
       {misses}      branch-misses:u
       2.050000000 seconds time elapsed
"""


def test_perf(ridge, tmp_path):
    def causes(text):
        found = json.loads(ridge.good("doctor", "--json", "--from", written(tmp_path / "perf.txt", text)).out)
        return [c["cause"] for c in found["program"]["causes"]]

    assert causes(PERF.format(misses="100,000,000")) == ["branch-misses"]
    assert causes(PERF.format(misses="1,000,000")) == []


def test_a_program_on_the_cpu(ridge, tmp_path, bare):
    """Its own output comes through, before what the doctor says; without perf its times are what there is."""
    code = "print('its own'); sum(i * i for i in range(2_000_000))"
    words = ("--", sys.executable, "-c", "print('its own', end='')")
    result = ridge("doctor", "-o", tmp_path / "a.json", *words, env=bare)  # told, though there is no record to write
    assert result.out.startswith("its own\nprogram ") and "no record to write" in result.err
    out = ridge.good("doctor", "--", sys.executable, "-c", code, env=bare).out
    assert out.startswith("its own\n") and "install linux-perf" in out and "cores busy" in out
    assert len(out.splitlines()) <= 20
    result = ridge("doctor", "--json", "--", sys.executable, "-c", code, env=bare)
    assert result.code == 0 and result.err == "its own\n"
    assert json.loads(result.out)["program"]["cpu_seconds"] > 0


def test_programs_that_print_much_and_fork(ridge, bare):
    code = """import os, sys
child = os.fork()
if child: os.waitpid(child, 0)
sys.stdout.write('x' * 3_000_000 + '\\n')"""
    out = ridge.good("doctor", "--", sys.executable, "-c", code, env=bare).out
    assert out.count("x" * 3_000_000) == 2 and out.count("\nprogram ") == 1


def test_every_run_reads_the_same_input(ridge, tmp_path, bare):
    """Input from a file is there for each run, from where the doctor found it; --quick takes one run fewer."""
    fake_perf(tmp_path / "bin")
    code = f"import sys; open({str(tmp_path / 'read')!r}, 'a').write(sys.stdin.readline())"
    written(tmp_path / "input", "first\nsecond\n")
    for quick, runs in ((), 3), (("--quick",), 2):
        with open(tmp_path / "input", encoding="ascii") as file:
            os.lseek(file.fileno(), 6, os.SEEK_SET)
            ridge.good("doctor", *quick, "--", sys.executable, "-c", code, env=bare, stdin=file)
        assert (tmp_path / "read").read_text() == "second\n" * runs
        (tmp_path / "read").unlink()


def test_a_program_that_fails_under_a_profiler(ridge, tmp_path, bare):
    """One that needs a terminal, say: perf and the driver are not blamed."""
    fake_perf(tmp_path / "bin")
    ran = str(tmp_path / "ran")
    once = f"import os, sys; sys.exit(3 if os.path.exists({ran!r}) else open({ran!r}, 'w').close())"
    out = " ".join(ridge.good("doctor", "--", sys.executable, "-c", once, env=bare).out.split())
    assert "its run under perf ended with exit code 3: such a run has no terminal" in out and "perf may not" not in out


def test_functions_without_names(ridge, tmp_path, bare):
    """Addresses of a stripped program are one function; what a compiler made while it ran is told apart."""
    fake_perf(tmp_path / "bin")
    found = json.loads(ridge("doctor", "--json", "--top", 9, "--", sys.executable, "-c", "", env=bare).out)
    assert {k["kernel"]: round(k["share"], 3) for k in found["kernels"]} == {
        "flux(double*)": 0.8, "a.out, stripped of names": 0.1, "the system's clear_page": 0.02,
        "code that was made while it ran, without names": 0.08}  # fmt: skip
    words = ("--bytes", 1e7, "-o", tmp_path / "a.json", "--", sys.executable, "-c", "import time; time.sleep(.3)")
    out = ridge.good("doctor", "--top", 1, *words, env=bare).out
    assert json.loads((tmp_path / "a.json").read_text())[0]["seconds"] > 0.8 * 0.3  # that pass, not of the cores
    assert "B/s, " in out and " of a copy here; least bytes 10.0 MB (given) in " in out


def test_programs_that_cannot_be_started(ridge, tmp_path):
    file = written(tmp_path / "a.sh", "#!/no/such/interpreter\n")
    ridge.bad("doctor", "--", file, says=["a.sh", "may not be run", "chmod +x"])
    file.chmod(0o755)
    ridge.bad("doctor", "--", file, says=["a.sh: it cannot be started", "interpreter"])
    ridge.bad("doctor", "--", written(tmp_path / "b", "no format", program=True), says=["Exec format error", "-- sh FILE"])
    ridge.bad("doctor", "--", tmp_path, says="this is a folder; give a program")


def test_a_program_that_is_interrupted(ridge):
    """The wish to stop reaches the program; nothing is examined."""
    code = "import time; print('ready', flush=True); time.sleep(600)"
    running = ridge.start("doctor", "--", sys.executable, "-c", code)
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=100)
    assert running.returncode == 130 and out == "" and "interrupted" in err


def test_an_experiment_that_is_run(ridge, bare):
    """Cores that are idle: with one thread it takes no longer, where one thread does the work, and longer where the
    variable that is set halves the speed."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    works = "\nwhile time.process_time() < .06: pass"
    slow = "import os, time; time.sleep(1.6 if 'OMP_NUM_THREADS' in os.environ else 0.6)" + works
    env = {k: v for k, v in bare.items() if k != "OMP_NUM_THREADS"}
    even = "import time; time.sleep(0.6)" + works
    out = ridge.good("doctor", "--prove", "--", sys.executable, "-c", even, env=env).out
    assert "1. idle-cores: " in out and "times as fast with it: confirmed" in out
    result = ridge("doctor", "--prove", "--", sys.executable, "-c", slow, env=env)
    assert result.code == 1 and "idle-cores" in result.err and "NOT confirmed" in result.out


@pytest.mark.parametrize("code, status, says", [
    ("import sys; print('its own'); sys.exit(7)", 7, "exit code 7"),
    ("import os; print('its own', flush=True); os.kill(os.getpid(), 11)", 139, "signal 11 (Segmentation fault)"),
])  # fmt: skip
def test_programs_that_fail(ridge, code, status, says):
    result = ridge("doctor", "--", sys.executable, "-c", code)
    assert (result.code, result.out) == (status, "its own\n")
    assert says in result.err and len(result.err.splitlines()) == 1


def test_under_ncu(ridge, tmp_path):
    report = ncu_raw([("_Z4fluxPd", PLANTED["bank-conflicts"])])
    env = {**os.environ, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", report))}
    words = ("doctor", "--keep", tmp_path / "kept", "-o", tmp_path / "a.json", "--", sys.executable, "-c", "print(1)")
    text = ridge.good(*words, env=env).out
    assert text.startswith("1\n") and "1. bank-conflicts: " in text and "flux" in text
    assert (tmp_path / "kept/ncu.csv").read_text() == report
    assert kernels(ridge, "--from", tmp_path / "kept").keys() == {"flux(double*)"}
    (record,) = json.loads((tmp_path / "a.json").read_text())
    assert record["pattern"] == "foreign" and record["diagnoses"][0]["cause"] == "bank-conflicts"
    ridge.good("report", tmp_path / "a.json", "-o", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "bank-conflicts" in page and "flux" in page
    slower = dict(record, seconds=2 * record["seconds"], seconds_min=2 * record["seconds"])
    written(tmp_path / "b.json", json.dumps([slower]))
    assert "slower" in ridge.good("compare", tmp_path / "a.json", tmp_path / "b.json").out
    ridge.bad(*words, env=env, says="a.json")


@pytest.mark.parametrize("report, says", [
    ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "NVreg_RestrictProfilingToAdminUsers=0"),
    ("==ERROR== The application returned an error code (1)", "The application returned an error code"),
    ("", "ncu counted nothing"),
])  # fmt: skip
def test_counters_that_are_refused(ridge, tmp_path, bare, report, says):
    env = {**bare, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", report))}
    out = ridge.good("doctor", "--", sys.executable, "-c", "print(1)", env=env).out
    assert says in out and "cores busy" in out


def test_a_report_of_ncu(ridge, tmp_path):
    report = ncu_raw([("flux(double*)", PLANTED["tail-of-blocks"])])
    ncu = written(tmp_path / "ncu", f"#!{sys.executable}\nimport sys\nassert '--import' in sys.argv\nprint({report!r})\n",
                  program=True)
    file = written(tmp_path / "a.ncu-rep", "NVR\0 and more")
    found = json.loads(ridge.good("doctor", "--json", "--from", file, env={**os.environ, "RIDGE_NCU": str(ncu)}).out)
    assert found["kernels"][0]["causes"][0]["cause"] == "tail-of-blocks"
    env = {**os.environ, "PATH": str(tmp_path / "none"), "CUDA_HOME": str(tmp_path)}
    ridge.bad("doctor", "--from", file, code=1, env=env, says="--import")


@pytest.mark.parametrize("words, says", [
    (["--"], "followed by no program"),
    (["--", "no-such-program-here"], "no such program"),
    (["--", "ls | wc -l"], "ridge doctor -- sh -c '...'"),
    (["--", "THREADS=1", "sh"], "ridge doctor -- env NAME=VALUE PROGRAM"),
    (["--quick", "--top", "1", "sh", "a.sh", "--size", "3"], "sh is a program: give ridge doctor -- sh ..."),
    ([sys.executable], f"give ridge doctor -- {sys.executable}"),
    (["sh", "a.sh"], "sh is a program: give ridge doctor -- sh ..."),
    (["laplacian", "--", "true"], "take no KERNEL"),
    (["--device", "cpu", "--", "true"], "none of its options"),
    (["--from", "none.csv"], "no such file"),
    (["--from", os.path.join(os.path.dirname(__file__), "tables.py")], "no line has a column"),
    (["--top", "0", "--", "true"], "--top"),
    (["--bytes", "-1", "--", "true"], "--bytes"),
    (["--kernel", "(", "--", "true"], "regular expression"),
    (["laplacian", "--bytes", "5"], "go with -- PROGRAM"),
    (["--keep", "here", "--from", "x"], "--keep"),
    (["--prove", "--from", "x"], "--prove"),
    (["--quick", "--from", "x"], "--quick"),
])  # fmt: skip
def test_bad_words(ridge, words, says):
    ridge.bad("doctor", *words, says=says)


def test_causes_are_explained(ridge):
    source = pathlib.Path(__file__).parents[2] / "src/doctor/foreign"
    for cause in ("bank-conflicts", "host-waits", "idle-cores"):
        said = ridge.good("doctor", "--explain", cause).out
        assert said.startswith(f"{cause}: ") and "what confirms it: " in said and "what to do: " in said
    named = "".join(p.read_text() for p in source.glob("*_causes.cpp"))
    page = (source.parents[2] / "docs/doctor.md").read_text()
    for cause in PLANTED:
        assert f'"{cause}"' in named and f"`{cause}`" in page


CARD = """samples\t100\nwatts\t650\nmost_watts\t702\nlimit_watts\t700\nclock_hz\t1.5e9\nbest_clock_hz\t1.98e9
celsius\t70\nby_power\t{power}\nby_heat\t{heat}\nby_setting\t0\n"""


@pytest.mark.parametrize("power, heat, busy, cause", [
    (0.9, 0, {DRAM: 10, ISSUE: 90}, "power-cap"), (0, 0.6, {DRAM: 10, ISSUE: 90}, "clocks-held-down"),
    (0.1, 0.1, {DRAM: 10, ISSUE: 90}, None), (0.9, 0, {}, None),
])  # fmt: skip
def test_watts_and_clocks(ridge, tmp_path, power, heat, busy, cause):
    """The driver's reasons are causes where units' clocks matter: not for a launch that memory bounds."""
    written(tmp_path / "timeline.tsv", timeline([("_Z1fPd", 1, 500_000)]))
    written(tmp_path / "ncu.csv", ncu_raw([("_Z1fPd", busy)]))
    written(tmp_path / "card.tsv", CARD.format(power=power, heat=heat))
    written(tmp_path / "run.tsv", "seconds\t0.4\n")
    program = json.loads(ridge.good("doctor", "--json", "--from", tmp_path).out)["program"]
    assert program["card"]["most_watts"] == 702
    assert [c["cause"] for c in program["causes"]] == ([cause] if cause else [])
    if cause:
        assert program["causes"][0]["predicted_gain"] == pytest.approx(1.98 / 1.5, rel=1e-3)
    assert "650 W at work, 702 W most, of 700 W; 1.50 of 1.98 GHz, 70 C" in ridge.good("doctor", "--from", tmp_path).out
    (tmp_path / "ncu.csv").unlink()  # whether memory bounds the launch is not known then
    program = json.loads(ridge.good("doctor", "--json", "--from", tmp_path).out)["program"]
    assert all(c["predicted_gain"] is None for c in program["causes"])


NVML = """
#define TAKE(name, value) int name(void* card, unsigned* to) { (void)card; *to = value; return 0; }
#define TAKE_OF(name, value) int name(void* card, int of, unsigned* to) { (void)card; (void)of; *to = value; return 0; }
static int asked;
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** card) { *card = (char*)0 + i; return 0; }
TAKE(nvmlDeviceGetPowerUsage, 500000 + 100000 * (card != 0))
TAKE(nvmlDeviceGetEnforcedPowerLimit, 700000)
TAKE_OF(nvmlDeviceGetClockInfo, of == 1 ? 1400 : 2600)
TAKE_OF(nvmlDeviceGetMaxClockInfo, of == 1 ? 1980 : 2600)
TAKE_OF(nvmlDeviceGetTemperature, 61)
int nvmlDeviceGetCurrentClocksThrottleReasons(void* card, unsigned long long* why) {
  (void)card;
  *why = asked++ % 2 ? 4 : 1; /* idle, then at the limit of its power */
  return 0;
}
"""


def test_the_card_is_watched(ridge, tmp_path):
    """The driver's library, as one made here: of two cards that which takes most, of its samples those at work."""
    source = written(tmp_path / "nvml.c", NVML)
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tmp_path / "nvml.so"], check=True)
    report = ncu_raw([("_Z4fluxPd", {})])
    env = {**os.environ, "RIDGE_NVML": str(tmp_path / "nvml.so"), "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", report))}
    words = ("doctor", "--json", "--keep", tmp_path / "kept", "--")
    program = json.loads(ridge(*words, sys.executable, "-c", "import time; time.sleep(.4)", env=env).out)["program"]
    card = program["card"]
    assert card["watts"] == card["most_watts"] == 600 and card["limit_watts"] == 700 and card["samples"] >= 5
    assert (card["clock_hz"], card["best_clock_hz"], card["held_by_power"]) == (1.4e9, 1.98e9, 1)
    assert set(program["doctor_seconds"]) == {"counters"}
    assert "by_power\t1\n" in (tmp_path / "kept/card.tsv").read_text()
    env["RIDGE_NCU"] = str(fake_ncu(tmp_path / "ncu", "==WARNING== No kernels were profiled"))
    found = json.loads(ridge(*words[:2], "--", sys.executable, "-c", "import time; time.sleep(.2)", env=env).out)
    assert "card" not in found["program"]  # what the card does beside a program on the cpu
    env["RIDGE_NCU"] = str(fake_ncu(tmp_path / "ncu", report))
    env["RIDGE_NVML"] = str(source)  # no library
    found = json.loads(ridge(*words[:2], "--", sys.executable, "-c", "", env=env).out)
    assert "card" not in found["program"]


SASS = pathlib.Path(__file__).parents[1] / "doctor/local_index.sass"


def test_lines_that_spill(ridge, tmp_path, bare):
    """nvdisasm's text of a patient, of which the lines are left that matter: nvcc 13, -lineinfo."""
    report = ncu_raw([("_Z9in_memoryPiPKiii", PLANTED["spilled-registers"])])
    env = {**bare, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", report))}
    words = ("doctor", "--keep", tmp_path / "kept", "--", sys.executable, "-c", "")
    assert "cuobjdump and nvdisasm of the CUDA toolkit are not both here" in ridge.good(*words, env=env).out
    shutil.rmtree(tmp_path / "kept")
    dump = f"#!{sys.executable}\nimport sys\nassert sys.argv[1:3] == ['-xelf', 'all'] and sys.argv[3][0] == '/'\n"
    env["RIDGE_CUOBJDUMP"] = str(written(tmp_path / "dump", dump + "open('a.cubin', 'w')\n", program=True))
    text = f"#!{sys.executable}\nimport sys\nprint(open({str(SASS)!r}).read(){{}})\n"
    env["RIDGE_NVDISASM"] = str(written(tmp_path / "dis", text.format(""), program=True))
    out = ridge.good(*words, env=env).out
    where = next(line for line in out.splitlines() if line.startswith("   where "))
    sass = SASS.read_text()
    count = len(re.findall(" (?:STL|LDL)", sass))
    assert f"of {count} such stores and loads" in where and "local_index.cu:12 " in where
    (kernel,) = json.loads(ridge.good("doctor", "--json", "--from", tmp_path / "kept").out)["kernels"]
    lines = kernel["causes"][0]["lines"]
    assert sum(line["stores"] for line in lines) == len(re.findall(" STL", sass))
    assert sum(line["loads"] for line in lines) == len(re.findall(" LDL", sass))
    written(tmp_path / "dis", text.format(".replace('//## File', '')"), program=True)
    shutil.rmtree(tmp_path / "kept")
    assert "   where      compile with -lineinfo" in ridge.good(*words, env=env).out


def test_quick(ridge, tmp_path):
    """Two runs, of which ncu ends the second."""
    report = ncu_raw([("_Z4fluxPd", {})])
    ncu = fake_ncu(tmp_path / "ncu", report)
    note = f"open({str(tmp_path / 'words')!r}, 'w').write(' '.join(words))\nlog ="
    ncu.write_text(ncu.read_text().replace("log =", note))
    env = {**os.environ, "RIDGE_NCU": str(ncu)}
    code = f"open({str(tmp_path / 'runs')!r}, 'a').write('x')"
    for quick, runs in (("--quick", {2}), ("--top=1", {2, 3})):  # two where Ridge was built without CUPTI
        out = ridge.good("doctor", quick, "--", sys.executable, "-c", code, env=env).out
        assert "flux" in out and len((tmp_path / "runs").read_text()) in runs
        assert f"--kill {'yes' if quick == '--quick' else 'no'} " in (tmp_path / "words").read_text()
        (tmp_path / "runs").unlink()


def test_bad_files(ridge, tmp_path):
    text = ncu_raw([("f(int)", {})])
    file = tmp_path / "f.csv"
    for bad, says in ((text[:-30], "cut off"), (text.rsplit("\n", 2)[0], "no launch"),
                      ('"ID","Kernel Name"\n"0","f"\n', "--page raw"), ("", "no line")):  # fmt: skip
        ridge.bad("doctor", "--from", written(file, bad), says=says)
    ridge.bad("doctor", "--from", tmp_path, says="timeline.tsv")


def test_patients_are_known():
    """Each planted program is in bench/patients.sh, with a cause that the page has."""
    root = pathlib.Path(__file__).parents[2]
    rows = dict(re.findall(r'"(\w+) ([a-z-]+)"', (root / "bench/patients.sh").read_text()))
    assert sorted(rows) == sorted(p.stem for p in (root / "test/doctor/patients").glob("*.cu"))
    page, rules = ((root / name).read_text() for name in ("docs/doctor.md", "bench/ncu_rules.py"))
    assert [cause for cause in rows.values() if f"`{cause}`" not in page or f'"{cause}"' not in rules] == []


def test_hand_made_reports_name_what_is_counted():
    """Every metric of the hand-made reports is one that the doctor asks ncu for."""
    source = (pathlib.Path(__file__).parents[2] / "src/doctor/foreign/counts.cpp").read_text()
    missing = [name for name in HEALTHY if f'"{name}"' not in source and name != "gpu__time_duration.sum"]
    assert missing == []
