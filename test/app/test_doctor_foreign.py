"""`ridge doctor -- PROGRAM` and `--from FILE`: kernels that are not Ridge's."""

import json
import os
import pathlib
import signal
import stat
import sys

import pytest

from foreign_reports import HEALTHY, PLANTED, ncu_raw, timeline

STORED = sorted(p for p in (pathlib.Path(__file__).parents[1] / "doctor/reports").glob("*/*") if p.is_dir())


def written(path, text, program=False):
    path.write_text(text)
    if program:
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def kernels(ridge, *words):
    return {k["kernel"]: k for k in json.loads(ridge.good("doctor", "--json", "--top", 99, *words).out)["kernels"]}


def names(found):
    gains = [c["predicted_gain"] for c in found["causes"]]
    assert gains == sorted(gains, reverse=True) and all(g > 1.03 for g in gains)
    return [c["cause"] for c in found["causes"]]


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
        assert len(part.splitlines()) <= 20
        assert "least bytes not known" in part


def test_least_bytes(ridge, tmp_path):
    file = written(tmp_path / "ncu.csv", ncu_raw([("f(int)", {"dram__bytes_read.sum": 4e9})]))
    assert names(kernels(ridge, "--from", file)["f(int)"]) == []
    (cause,) = kernels(ridge, "--from", file, "--bytes", "2.5e9")["f(int)"]["causes"]
    assert cause["cause"] == "cache-overflow" and cause["evidence"] == pytest.approx(1)
    assert cause["predicted_gain"] == pytest.approx(2)
    assert names(kernels(ridge, "--from", file, "--bytes", "5e9")["f(int)"]) == []


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
    text = ridge.good("doctor", "--json", "--from", written(folder / "timeline.tsv", timeline(*lines))).out
    return [c["cause"] for c in json.loads(text)["program"]["causes"]]


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


ROCPROFV3 = '''"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"
1,1,4,1,77,77,1048576,16,"flux(double*, int)",256,0,{scratch},64,32,"FETCH_SIZE",1000000.0,1000,2001000
1,1,4,1,77,77,1048576,16,"flux(double*, int)",256,0,{scratch},64,32,"WRITE_SIZE",500000.0,1000,2001000
1,1,4,1,77,77,1048576,16,"flux(double*, int)",256,0,{scratch},64,32,"VALUUtilization",{lanes},1000,2001000
'''
# rocprof-compute's pmc_perf.csv: a line a dispatch, a column a counter.
ROCPROF_COMPUTE = '''Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_LDS_BANK_CONFLICT,SQ_LDS_IDX_ACTIVE
0,0,0,7,7,1048576,256,4096,0,32,0,32,64,"flux(double*, int)",1000,2001000,1,900000,1000000
'''


def test_amd(ridge, tmp_path):
    """Tables of AMD's profilers, made by hand: no such GPU is here."""
    file = tmp_path / "counter_collection.csv"
    written(file, ROCPROFV3.format(scratch=0, lanes=100.0))
    flux = kernels(ridge, "--from", file)["flux(double*, int)"]
    assert flux["seconds"] == 2e-3 and flux["bytes"] == 1_500_000 * 1024 and names(flux) == []
    written(file, ROCPROFV3.format(scratch=128, lanes=25.0))
    flux = kernels(ridge, "--from", file)["flux(double*, int)"]
    assert set(names(flux)) == {"spilled-registers", "divergent-branches"}
    flux = kernels(ridge, "--from", written(file, ROCPROF_COMPUTE))["flux(double*, int)"]
    assert flux["counters"]["SQ_LDS_BANK_CONFLICT"] == 900000


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


@pytest.fixture
def bare(tmp_path):
    """An environment without profilers."""
    (tmp_path / "bin").mkdir()
    return {**os.environ, "PATH": str(tmp_path / "bin"), "CUDA_HOME": str(tmp_path)}


def test_a_program_on_the_cpu(ridge, bare):
    """Its own output comes through, before what the doctor says; without perf its times are what there is."""
    code = "print('its own'); sum(i * i for i in range(2_000_000))"
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


def test_a_program_that_is_interrupted(ridge):
    """The wish to stop reaches the program; nothing is examined."""
    code = "import time; print('ready', flush=True); time.sleep(60)"
    running = ridge.start("doctor", "--", sys.executable, "-c", code)
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert running.returncode == 130 and out == "" and "interrupted" in err


def test_perf_where_it_is(ridge, tmp_path, bare):
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
          "  20.00%  a.out  libc.so.6  [.] memcpy")
""", program=True)
    words = ("--", sys.executable, "-c", "import time; time.sleep(.1)")
    found = json.loads(ridge("doctor", "--json", *words, env=bare).out)
    assert [k["kernel"] for k in found["kernels"]] == ["flux(double*)", "memcpy"]
    assert found["kernels"][0]["share"] == pytest.approx(0.8)
    assert "waits-for-memory" in [c["cause"] for c in found["program"]["causes"]]


def test_an_experiment_that_is_run(ridge, bare):
    """Cores that are idle: with one thread it takes no longer, where one thread does the work, and longer where the
    variable that is set halves the speed."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    slow = "import os, time; time.sleep(0.5 if 'OMP_NUM_THREADS' in os.environ else 0.2)"
    env = {k: v for k, v in bare.items() if k != "OMP_NUM_THREADS"}
    out = ridge.good("doctor", "--prove", "--", sys.executable, "-c", "import time; time.sleep(0.4)", env=env).out
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


def fake_ncu(path, report):
    """A profiler that runs the program and writes this report."""
    return written(path, f"""#!{sys.executable}
import subprocess, sys
words = sys.argv[1:]
log = words[words.index("--log-file") + 1]
assert "dram__bytes_read.sum" in words[words.index("--metrics") + 1]
open(log, "w").write({report!r})
sys.exit(subprocess.run(words[words.index({sys.executable!r}):]).returncode)
""", program=True)


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


def test_bad_files(ridge, tmp_path):
    text = ncu_raw([("f(int)", {})])
    file = tmp_path / "f.csv"
    for bad, says in ((text[:-30], "cut off"), (text.rsplit("\n", 2)[0], "no launch"),
                      ('"ID","Kernel Name"\n"0","f"\n', "--page raw"), ("", "no line")):  # fmt: skip
        ridge.bad("doctor", "--from", written(file, bad), says=says)
    ridge.bad("doctor", "--from", tmp_path, says="timeline.tsv")


@pytest.mark.parametrize("folder", STORED, ids=lambda p: p.name)
def test_stored_reports(ridge, folder):
    """Profilers' files of the patients, as a GPU's machine left them (bench/patients.sh)."""
    found = json.loads(ridge.good("doctor", "--json", "--top", 1, "--from", folder).out)
    causes = found["program"]["causes"] + [c for k in found["kernels"] for c in k["causes"]]
    causes = [c["cause"] for c in sorted(causes, key=lambda c: -c["predicted_gain"])]
    planted = (folder / "planted").read_text().strip()
    if folder.name.endswith("-sick"):
        assert planted in causes[:2]
    else:
        assert planted not in causes


def test_hand_made_reports_name_what_is_counted():
    """Every metric of the hand-made reports is one that the doctor asks ncu for."""
    source = (pathlib.Path(__file__).parents[2] / "src/doctor/foreign/counts.cpp").read_text()
    missing = [name for name in HEALTHY if f'"{name}"' not in source and name != "gpu__time_duration.sum"]
    assert missing == []
