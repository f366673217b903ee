"""Twins of `ridge doctor --prove`: what is like a launch or a program, with and without a cause; which causes have one."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from foreign_reports import bare  # noqa: F401 -- a fixture
from foreign_reports import PLANTED, fake_ncu, fake_perf, ncu_raw, timeline, written

ROOT = pathlib.Path(__file__).parents[2]
SHARED = {k: v for k, v in PLANTED["bank-conflicts"].items() if k.endswith("_shared.sum")}


def twins_of(ridge, tmp_path, report, *words):
    """Causes with what a twin said of each, and the folder of the twins' sources; none runs."""
    env = {**os.environ, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", report)), "RIDGE_NVRTC": "off"}
    words = ("doctor", "--prove", "--json", *words, "--keep", tmp_path / "kept", "--", sys.executable, "-c", "")
    (kernel,) = json.loads(ridge(*words, env=env).out)["kernels"]
    return kernel, tmp_path / "kept"


def done_by(source):
    """What a twin's blocks do, by a run of its kernel on the host."""
    program = source.with_suffix("")
    subprocess.run(["c++", "-O1", "-std=c++17", "-x", "c++", source, "-o", program], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: int(number) for name, number in map(str.split, lines)}


REREAD = {"dram__bytes_read.sum": 4_000_000_000, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 125_000_000,
          "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 15_625_000}  # fmt: skip
# Causes of kernels, and what is in the source of a twin without one; None: its twin is not of a launch.
TWINS = [
    ("small-blocks", {"launch__block_size": 32}, " x 256 threads"),
    ("partial-warps", {}, "#define THREADS 128\n"),
    ("few-warps", {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active": 6}, " 1152 x 64 threads"),
    ("dependent-latency", {}, "#define TOGETHER 2\n"),
    ("uncoalesced", {}, "#define STRIDE 1\n"),
    ("few-blocks", {}, " 1080 x 256 threads"),
    ("registers-limit-warps", {}, " 127 registers"),
    ("bank-conflicts", {"launch__shared_mem_per_block_static": 33_000}, "#define WAYS 1\n"),
    ("shared-memory-limits-warps", SHARED, "#define SHARED_WORDS 1024\n"),
    ("spilled-registers", {}, "#define LOCAL 0\n"),
    ("divergent-branches", {}, "#define PARTS 1\n"),
    ("atomics-on-few-addresses", {}, "#define PLACES 0\n"),
    ("double-by-accident", {}, "#define FP64 0\n"),
    ("cache-overflow", REREAD, "#define DISTINCT 2\n"),
    ("remote-memory", {}, "#define FAR 0\n"),
    ("tail-of-blocks", {}, "#define LONGEST 1\n"),
    ("barriers", {}, "#define BARRIERS 0\n"),
    ("slow-instructions", {}, "#define SPECIAL 0\n"),
    ("clocks-fell", {}, None),
]  # fmt: skip


@pytest.mark.parametrize("cause, changes, change", TWINS)
def test_twins(ridge, tmp_path, cause, changes, change):
    """Each cause of kernels has a twin, and its changed twin does not have the cause."""
    changes = {**PLANTED.get(cause, {}), **changes}
    more = ("--bytes", 2e9) if cause == "cache-overflow" else ()
    kernel, kept = twins_of(ridge, tmp_path, ncu_raw([("_Z4fluxPd", changes)]), *more)
    assert next(c["twin"] for c in kernel["causes"] if c["cause"] == cause)["missing"]
    if change is None:
        return
    source, changed = ((kept / name).read_text() for name in ("twin-1.cu", f"twin-1-{cause}.cu"))
    assert f"#define THREADS {changes.get('launch__block_size', 256)}\n" in source
    assert change in changed and change not in source
    assert cause != "remote-memory" or ", 32 of 32 blocks at memory of the host" in source
    if cause == "uncoalesced":
        asked = [done_by(kept / name) for name in ("twin-1.cu", "twin-1-uncoalesced.cu")]
        assert [a["sectors"] / a["requests"] for a in asked] == [32, 8] and asked[0]["lane_bytes"] == 8
    if (nvcc := shutil.which("nvcc")) and cause == "registers-limit-warps":
        words = [nvcc, "-cubin", "-arch=sm_90", "-Xptxas", "-v", "kept/twin-1.cu", "-o", "twin.cubin"]
        said = subprocess.run(words, check=True, capture_output=True, text=True, cwd=tmp_path).stderr
        assert int(re.search(r"Used (\d+) registers", said)[1]) >= 248 and " 0 bytes spill stores" in said


@pytest.mark.in_turn
@pytest.mark.parametrize("patient", ["spills", "divergence", "doubles", "bank_conflicts", "barrier_tree"])
def test_twins_do_what_was_counted(ridge, tmp_path, patient):
    """Stored counts of launches on an H200 beside what their twins do: they were a hundredth of it once."""
    report = (ROOT / f"test/doctor/reports/h200/{patient}-sick/ncu.csv").read_text()
    kernel, kept = twins_of(ridge, tmp_path, "==PROF==\n" + report, "--top", 1)
    assert "twin" in kernel["causes"][0]
    did, counted = done_by(kept / "twin-1.cu"), kernel["counters"]
    all_threads = counted["launch__grid_size"] * counted["launch__block_size"]
    once = {k: v * all_threads / did["threads"] for k, v in did.items()}
    in_all = sum(once.get(k, 0) for k in ("fp32", "fp64", "special", "integer", "conversions", "local", "shared"))
    op = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
    for mine, name in ((in_all, "smsp__thread_inst_executed.sum"), (once["fp64"], op.format("fp64")),
                       (once["conversions"], op.format("conversion")),
                       (once.get("local", 0) / 8, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"),
                       (once.get("shared", 0) / 32 * did["ways"], "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
                       (once["requests"], "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")):  # fmt: skip
        theirs = counted.get(name, 0)
        of_doubles = "conversion" not in name or once["fp64"] > 0  # others are integers' work
        if theirs > 0.02 * counted["smsp__inst_executed.sum"] and of_doubles:
            assert mine == pytest.approx(theirs, rel=0.1), name


def test_causes_have_experiments(ridge):
    """Each cause has an experiment that --prove runs, a twin, or a reason why neither can be."""
    rows = re.findall("^(a kernel|the timeline|a cpu) +([a-z-]+) +(.*)$", ridge.good("doctor", "--causes").out, re.M)
    source = "".join(p.read_text() for p in (ROOT / "src/doctor/foreign").glob("*_causes.cpp"))
    names = re.findall(r'(?:c\.name =|few_warps\(|of_p\w+\()\s*"([a-z-]+)"', source)
    assert sorted(name for _, name, _ in rows) == sorted(names)
    for _, name, proof in rows:
        assert re.match("runs the program with .|a twin on an NVIDIA GPU, then .|none: .", proof), name
    ours = {name for of, name, proof in rows if of == "a kernel" and "twin" in proof}
    assert ours == {name for name, _, _ in TWINS} == {name for of, name, _ in rows if of == "a kernel"}
    assert {name for _, name, proof in rows if proof.startswith("none")} == {
        "waits-outside", "waits-for-memory", "branch-misses"}  # fmt: skip


@pytest.mark.parametrize("seconds, changed, says", [
    (5e-4, 1e-4, "5.00 times as fast: confirmed, by 0.60 of what is predicted"),
    (5e-4, 6e-5, "8.33 times as fast: confirmed fix"), (5e-4, 4.9e-4, "1.02 times as fast: NOT confirmed"),
    (1e-5, 1e-6, "10.00 times as fast; not much like it (0.02 of its time)"),
])  # fmt: skip
def test_what_twins_said(ridge, tmp_path, seconds, changed, says):
    report = ncu_raw([("_Z1fPd", PLANTED["bank-conflicts"])])
    written(tmp_path / "ncu.csv", report)
    written(tmp_path / "run.tsv", f"twin\t_Z1fPd\tbank-conflicts\tit\ta bank for each lane\t{seconds}\t{changed}\t\n")
    assert says in " ".join(ridge.good("doctor", "--from", tmp_path).out.split())


@pytest.mark.parametrize("gain, likeness, missing, says", [
    (1.9, 1.1, "", "a twin (9 copies) takes 2.00 s, locked 1.00 s: the program 1.90 times as fast: confirmed"),
    (1.9, 0.1, "", "the program 1.90 times as fast; not much like it (0.10 of its time)"),
    (1.0, 0, "", "the program 1.00 times as fast: NOT confirmed"), (0, 0, "no driver", "none ran: no driver"),
])  # fmt: skip
def test_what_twins_of_programs_said(ridge, tmp_path, gain, likeness, missing, says):
    written(tmp_path / "timeline.tsv", timeline([("_Z1fPd", 9700, 9725)], copies=[(1, 9600, 1 << 25)]))
    twin = f"twin\t*\tcopies\t9 copies\tlocked\t2\t1\t{missing}\t{gain}\t{likeness}\n"
    written(tmp_path / "run.tsv", "seconds\t0.02\n" + twin)
    assert says in " ".join(ridge.good("doctor", "--from", tmp_path).out.split())
    (cause,) = json.loads(ridge.good("doctor", "--json", "--from", tmp_path).out)["program"]["causes"]
    assert cause["twin"].get("gain") == (None if missing else gain)


def test_an_experiment_under_a_command(ridge, tmp_path, bare):  # noqa: F811
    """Data at another node's memory: the program under numactl, where that is here. One made here halves its time."""
    perf = fake_perf(tmp_path / "bin")
    cycles = "cycles,1,100.00,,\\n"
    counted = cycles + "1000,,node-loads,1,100.00,,\\n900,,node-load-misses,1,100.00,,\\n"
    written(perf, perf.read_text().replace(cycles, counted))
    code = "import os, time; time.sleep(.1 if 'SPREAD' in os.environ else .6)"
    words = ("doctor", "--prove", "--", sys.executable, "-c", code)
    assert "remote-node was not tried: numactl is not here" in ridge(*words, env=bare).out
    numactl = f"#!{sys.executable}\nimport os, sys\nassert sys.argv[1] == '--interleave=all'\n"
    numactl += "os.execve(sys.argv[2], sys.argv[2:], {**os.environ, 'SPREAD': '1'})\n"
    written(tmp_path / "bin/numactl", numactl, program=True)
    out = ridge(*words, env=bare).out
    part = out.split(" remote-node: ")[1].split(" fix ")[0]
    assert float(re.search(r"proof +([\d.]+) times as fast with it: confirmed", part)[1]) > 1.5


def test_an_experiment_by_the_timeline(ridge, tmp_path):
    """Kernels that are loaded late: the device's span with all loaded at the start. The program acts as the recorder."""
    if not (pathlib.Path(ridge.program).parent / "lib/ridge/ridge_timeline.so").exists():
        pytest.skip("Ridge was built without CUPTI's header: it records no timelines")
    late = timeline([("_Z1fPd", 0.001, 10), ("_Z1fPd", 8e6, 8e6 + 10)], calls=[("cuModuleLoadData", 10, 8e6)])
    early = timeline([("_Z1fPd", 0.001, 10), ("_Z1fPd", 2e6, 2e6 + 10)])
    code = f"""import os
place, early = os.environ.get("RIDGE_TIMELINE", ""), os.environ.get("CUDA_MODULE_LOADING") == "EAGER"
if place:
    open(place + "/timeline.1", "w").write({early!r} if early else {late!r})
"""
    env = {**os.environ, "RIDGE_NCU": str(fake_ncu(tmp_path / "ncu", ncu_raw([("_Z1fPd", {})])))}
    env.pop("CUDA_MODULE_LOADING", None)
    out = ridge("doctor", "--prove", "--quick", "--", sys.executable, "-c", code, env=env).out
    assert "1. kernels-loaded-late: " in out and "4.00 times as fast with it: confirmed" in out
