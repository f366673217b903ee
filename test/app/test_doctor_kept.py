"""Folders of `ridge doctor --keep`: what a run knew is known to `--from`, and what a file lacks is said."""

import csv
import io
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys

import pytest

from foreign_reports import bare  # noqa: F401 -- a fixture
from foreign_reports import (DRAM, PLANTED, QUIET, STALL, STAT, fake_ncu, fake_perf, kernels, names, ncu_raw, timeline,
                             written)

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


def test_launches_without_a_cause(ridge, tmp_path):
    """A unit that is the limit, a launch that is mostly its start, and one that nobody explains."""
    idle = {**QUIET, STALL.format("long_scoreboard"): 0}
    for time, changes, says in ((5e5, {}, "memory is the limit; whether it fetches"), (2e3, idle, "mostly its start"),
                                (5e5, idle, "cannot explain")):  # fmt: skip
        file = written(tmp_path / "f.csv", ncu_raw([("f(int)", {"gpu__time_duration.sum": int(time), **changes})]))
        assert says in ridge.good("doctor", "--from", file).out


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

# As rocprofv3 --kernel-trace writes them, and rocpd2csv in another case; names with AMD's suffix.
TRACE = '''"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","{lds}_Block_Size","Scratch_Size","{vgpr}_Count","Accum_{vgpr}_Count","{sgpr}_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,0,70,1,33,"flux(double*, int) [clone .kd]",1,1000,2001000,2048,0,64,0,80,64,4,1,1000,8,1
"KERNEL_DISPATCH","Agent 4",1,0,70,2,33,"flux(double*, int) [clone .kd]",2,3000000,4000000,2048,0,64,0,80,64,4,1,1000,8,1
'''
STATS = '''"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"sum(int)",10,1000000,100000.0,20.0,90000,110000,1.0
"flux(double*, int)",1000,4000000,4000.0,80.0,3900,4100,1.0
'''
# rocprof-compute keeps raw counters; 96 bytes of a request of 32 and one of 64, two of 128; 64 and 32 written.
RAW = '''Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,TCC_BUBBLE_sum,TCC_EA0_WRREQ_sum,TCC_EA0_WRREQ_64B_sum,TCC_HIT_sum,TCC_MISS_sum,SQ_THREAD_CYCLES_VALU,SQ_ACTIVE_INST_VALU
0,0,1048576,256,0,0,32,0,32,64,"flux(double*, int)",1000,2001000,4,1,2,2,1,30,10,1600,100
'''


def test_tables_of_amd(ridge, tmp_path):
    """Laid out as public files of these tools; no such GPU is here."""
    for columns in {"lds": "LDS", "vgpr": "VGPR", "sgpr": "SGPR"}, {"lds": "Lds", "vgpr": "Vgpr", "sgpr": "Sgpr"}:
        file = written(tmp_path / "kernel_trace.csv", TRACE.format(**columns))
        (flux,) = kernels(ridge, "--from", file).values()
        assert (flux["shape"], flux["launches"], flux["seconds"]) == ("(16,2,1) x (64,4,1)", 2, pytest.approx(1.5e-3))
        assert flux["counters"]["vgpr"] == 64 and flux["counters"]["lds"] == 2048
        assert "kernel   1 flux\n" in ridge.good("doctor", "--from", file).out
    found = kernels(ridge, "--from", written(tmp_path / "kernel_stats.csv", STATS))
    assert list(found) == ["flux(double*, int)", "sum(int)"] and found["sum(int)"]["seconds"] == pytest.approx(1e-4)
    api = written(tmp_path / "stats.csv", STATS.replace("sum(int)", "hipLaunchKernel"))
    ridge.bad("doctor", "--from", api, says=["of calls such as hipLaunchKernel", "kernel_stats.csv"])
    (flux,) = kernels(ridge, "--from", written(tmp_path / "pmc_perf.csv", RAW)).values()
    assert flux["bytes"] == (32 + 64 + 2 * 128) + (64 + 32)
    assert names(flux) == ["divergent-branches"] and flux["causes"][0]["evidence"] == pytest.approx(4)


def test_a_folder_of_amd(ridge, tmp_path):
    """Passes of rocprofv3 count the same launches: a folder each, of which the largest table is the program's."""
    lines = ROCPROFV3.format(scratch=0, lanes=25.0).splitlines(keepends=True)
    for number, counted in enumerate(lines[1:], 1):
        place = tmp_path / f"out/pass_{number}"
        place.mkdir(parents=True)
        written(place / "77_counter_collection.csv", lines[0] + counted)
        written(place / "78_counter_collection.csv", lines[0])
    (flux,) = kernels(ridge, "--from", tmp_path / "out").values()
    assert flux["bytes"] == 1_500_000 * 1024 and flux["launches"] == 1 and names(flux) == ["divergent-branches"]


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


def test_a_launch_without_a_time(ridge, tmp_path):
    """Times that are none are not printed as times."""
    for time in "nan", "inf", "-5", "n/a", "1e300":
        report = ncu_raw([("f(int)", {**PLANTED["bank-conflicts"], "gpu__time_duration.sum": time})])
        out = ridge.good("doctor", "--from", written(tmp_path / "a.csv", report)).out
        assert "time       not known; 1 launch; " in out and "1. bank-conflicts: " in out
        assert not any(word in out for word in ("nan", "inf", "-5", "0000"))


RECORDED = f"""import os, sys, time
place = os.environ.get('RIDGE_TIMELINE', '')
if place:
    open(place + '/timeline.1', 'w').write({timeline([("_Z4fluxPd", i, i + .5) for i in range(1000)])!r})
open(sys.argv[1], 'a').write('r' if place else '-')
"""


@pytest.mark.parametrize("code, runs, seconds, says", [
    ("", "r--", 0, "ms for timeline, "),
    ("time.sleep(2.2 if place else 0)", "r-", 0.104, "% of it to record its timeline"),
    ("sys.exit(5 if place else 0)", "r--", 0, "no timeline: while its timeline was recorded it ended with exit code 5"),
    ("sys.exit(0 if place else 3)", "r--", 0.104, "its run without its timeline ended with exit code 3"),
])  # fmt: skip
def test_time_and_timeline(ridge, tmp_path, code, runs, seconds, says):
    """One run tells both where recording takes a twentieth of it at most; a program here acts as the recorder."""
    if not (pathlib.Path(ridge.program).parent / "lib/ridge/ridge_timeline.so").exists():
        pytest.skip("Ridge was built without CUPTI's header: it records no timelines")
    env = {**os.environ, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", ncu_raw([("_Z4fluxPd", {})])))}
    words = ("doctor", "--keep", tmp_path / "kept", "--", sys.executable, "-c", RECORDED + code, tmp_path / "runs")
    result = ridge(*words, env=env)
    assert result.code == 0 and says in " ".join(result.out.split())
    assert (tmp_path / "runs").read_text() == runs
    kept = examined(ridge, "--from", tmp_path / "kept")["program"]
    assert kept["recording_seconds"] == pytest.approx(seconds)


SAVES = """import signal, time
try:
    print(f'ready {signal.getsignal(signal.SIGHUP) == signal.SIG_IGN}', flush=True)
    time.sleep(20)
except KeyboardInterrupt:
    time.sleep(.2)
    print('saved', flush=True)"""


@pytest.mark.parametrize("by_terminal", [True, False])
def test_a_program_that_saves_when_it_is_interrupted(ridge, by_terminal):
    """It ends in its own way, and hears of Ctrl-C once: of the terminal, or else of the doctor."""
    words = [ridge.program, "doctor", "--", sys.executable, "-c", SAVES]
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        os.execv(words[0], words)
    out = b""
    while b"saved" not in out or b"interrupted" not in out:
        begun = b"ready True" in out
        try:
            out += os.read(terminal, 1000)
        except OSError:
            break
        if b"ready True" in out and not begun:
            os.write(terminal, b"\x03") if by_terminal else os.kill(child, signal.SIGINT)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    assert out.count(b"saved") == 1 and b"ridge: interrupted" in out


def test_a_run_that_did_less_is_named(ridge, tmp_path, bare):  # noqa: F811
    """Input through a pipe is gone for the runs under profilers: what they count is of another run."""
    fake_perf(tmp_path / "bin")
    code = "import sys, time; end = time.process_time() + .3 * len(sys.stdin.read(1))\nwhile time.process_time() < end: pass"
    words = [ridge.program, "doctor", "--", sys.executable, "-c", code]
    for given, said in (b"x", True), (b"", False):
        out = subprocess.run(words, input=given, env=bare, capture_output=True, check=True).stdout.decode()
        assert ("its run under perf used the cores for " in out) == said


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
    code += "\nwhile time.process_time() < .1: pass"
    words = ("--", sys.executable, "-c", code)
    assert ("idle-cores" in names(examined(ridge, *words, env=bare)["program"])) == accused
    written(tmp_path / "stat", STAT.format(0))
    assert (" by others" in ridge.good("doctor", *words, env=bare).out) != accused


def test_a_program_that_sleeps(ridge, bare):  # noqa: F811
    """More threads bring nothing to a program that waits: it is not accused of idle cores."""
    (cause,) = examined(ridge, "--", shutil.which("sleep"), "0.4", env=bare)["program"]["causes"]
    assert cause["cause"] == "waits-outside" and cause["evidence"] < 0.05 and cause["predicted_gain"] == 10


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
    assert [k["kernel"] for k in found["kernels"]] == ["flux(double*)", "memcpy", "libgomp.so.1, stripped of names"]
    assert found["kernels"][0]["share"] == pytest.approx(0.8)
    assert "waits-for-memory" in [c["cause"] for c in found["program"]["causes"]]
    kept = examined(ridge, "--keep", tmp_path / "kept", *words, env=bare)
    assert examined(ridge, "--from", tmp_path / "kept") == kept


REPORT = """# Samples: 39  of event '{event}'
# Event count (approx.): 200000000
    75.00%  a.out  a.out  [.] flux(double*)
    25.00%  a.out  a.out  [.] void std::sort<Iterator<unsigned int*, std::vector<unsigned int> >, Less<int> >(int)
"""


@pytest.mark.parametrize("event, seconds", [("cpu-clock:pppH", 0.15), ("cycles:P", None)])
def test_times_of_samples(ridge, tmp_path, event, seconds):
    """Shares of samples are times where the clock was sampled; they were taken for those of a second."""
    file = written(tmp_path / "report.txt", REPORT.format(event=event))
    (flux, _) = examined(ridge, "--from", file)["kernels"]
    assert flux["share"] == pytest.approx(0.75) and flux["seconds"] == (seconds and pytest.approx(seconds))
    text = ridge.good("doctor", "--from", file).out
    assert "function 2 std::sort<...>\n" in text
    assert ("75 % of the samples, 150 ms" in text) == (seconds is not None) and "75 % of the samples" in text
    if seconds is None:
        ridge.bad("doctor", "--from", file, "-o", tmp_path / "a.json", code=1, says="no kernel has a time")


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
