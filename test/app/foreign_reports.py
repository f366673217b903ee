"""Profilers' files of launches, made by hand: as ncu 2025's raw page and AMD's tables are laid out, with counts of an
H200 that a launch with one fault would have. No machine wrote them; those that one wrote are in test/doctor/reports."""

import json
import os
import stat
import sys

import pytest

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"

# A launch that is at memory's roof: 2 GB in 500 us, 256 threads a block, neighbouring lanes read neighbouring numbers.
HEALTHY = {
    "gpu__time_duration.sum": (500_000, "nsecond"),
    "launch__grid_size": (262_144, ""),
    "launch__block_size": (256, ""),
    "launch__registers_per_thread": (32, "register/thread"),
    "launch__shared_mem_per_block_static": (0, "byte/block"),
    "launch__shared_mem_per_block_dynamic": (0, "byte/block"),
    "launch__occupancy_limit_registers": (8, "block"),
    "launch__occupancy_limit_shared_mem": (32, "block"),
    "launch__occupancy_limit_blocks": (32, "block"),
    "launch__occupancy_limit_warps": (8, "block"),
    "device__attribute_multiprocessor_count": (132, ""),
    "device__attribute_clock_rate": (1_980_000, ""),
    "smsp__cycles_elapsed.max.per_second": (1.965e9, "hz"),
    "sm__warps_active.avg.pct_of_peak_sustained_active": (88, "%"),
    "sm__cycles_active.avg": (960_000, "cycle"),
    "sm__cycles_active.max": (975_000, "cycle"),
    "sm__cycles_elapsed.max": (982_000, "cycle"),
    "dram__bytes_read.sum": (1_000_000_000, "byte"),
    "dram__bytes_write.sum": (1_000_000_000, "byte"),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": (86, "%"),
    "lts__throughput.avg.pct_of_peak_sustained_elapsed": (45, "%"),
    "l1tex__throughput.avg.pct_of_peak_sustained_active": (30, "%"),
    "device__attribute_l2_cache_size": (62_914_560, ""),
    "lts__t_sectors.sum": (66_000_000, "sector"),
    "lts__t_sectors_lookup_hit.sum": (33_000_000, "sector"),
    "lts__t_sectors_srcunit_tex.sum": (62_500_000, "sector"),
    "lts__t_sectors_srcunit_tex_aperture_sysmem.sum": (0, "sector"),
    "lts__t_sectors_srcunit_tex_aperture_peer.sum": (0, "sector"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": (31_250_000, "sector"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": (3_906_250, "request"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": (31_250_000, "sector"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": (3_906_250, "request"),
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": (100, "%"),
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct": (100, "%"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": (0, "sector"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": (0, "sector"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": (0, "request"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": (0, "request"),
    "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed": (0, "%"),
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": (0, "sector"),
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": (0, "sector"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": (0, ""),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": (0, ""),
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": (20, "%"),
    "smsp__inst_executed.sum": (60_000_000, "inst"),
    "smsp__thread_inst_executed.sum": (1_900_000_000, "inst"),
    "smsp__issue_active.avg.pct_of_peak_sustained_active": (12, "%"),
    "smsp__warps_eligible.avg.per_cycle_active": (0.2, "warp"),
    "smsp__thread_inst_executed_per_inst_executed.ratio": (32, ""),
    "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active": (5, "%"),
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": (2, "%"),
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active": (6, "%"),
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": (0, "%"),
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active": (0, "%"),
    "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum": (125_000_000, "inst"),
    "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum": (0, "inst"),
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum": (60_000_000, "inst"),
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": (0, "inst"),
    "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum": (0, "inst"),
    "smsp__average_warp_latency_per_inst_issued.ratio": (110, "cycle"),
    STALL.format("long_scoreboard"): (100, "inst"),
    STALL.format("short_scoreboard"): (0, "inst"),
    STALL.format("wait"): (3, "inst"),
    STALL.format("barrier"): (0, "inst"),
    STALL.format("mio_throttle"): (0, "inst"),
    STALL.format("lg_throttle"): (1, "inst"),
}

DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
L2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
L1 = "l1tex__throughput.avg.pct_of_peak_sustained_active"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
# No unit is busy.
QUIET = {DRAM: 20, L2: 15, L1: 10, ISSUE: 10}

# Counters that a planted fault changes, and its control: the same without what makes it one.
PLANTED = {
    "uncoalesced": {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 125_000_000,
                    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": 25, L2: 80, L1: 70,
                    "dram__bytes_read.sum": 4_000_000_000, "gpu__time_duration.sum": 1_200_000,
                    "lts__t_sectors_lookup_hit.sum": 20_000_000},
    "spilled-registers": {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": 60_000_000,
                          "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": 60_000_000, L1: 92, L2: 70, DRAM: 40},
    "bank-conflicts": {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 320_000_000,
                       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 310_000_000,
                       "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": 97, DRAM: 2, L2: 2, L1: 97,
                       STALL.format("mio_throttle"): 60, STALL.format("short_scoreboard"): 30},
    "remote-memory": {"lts__t_sectors_srcunit_tex_aperture_sysmem.sum": 31_250_000, **QUIET,
                      "gpu__time_duration.sum": 18_000_000},
    "atomics-on-few-addresses": {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": 2_000_000,
                                 "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": 2_000_000,
                                 "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed": 33.3, **QUIET},
    "registers-limit-warps": {"launch__occupancy_limit_registers": 1, "launch__registers_per_thread": 255, **QUIET},
    "shared-memory-limits-warps": {"launch__occupancy_limit_shared_mem": 2,
                                   "launch__shared_mem_per_block_dynamic": 102_400, **QUIET},
    "small-blocks": {"launch__block_size": 32, "launch__occupancy_limit_warps": 64,
                     "launch__occupancy_limit_registers": 64, **QUIET},
    "few-blocks": {"launch__grid_size": 40, "sm__cycles_active.avg": 290_000, **QUIET},
    # As a product of matrices of cuBLAS: 128 blocks of two warps, of which units would hold 12.
    "few-warps": {"launch__grid_size": 128, "launch__block_size": 64, "launch__registers_per_thread": 80,
                  "launch__occupancy_limit_registers": 12, "launch__occupancy_limit_warps": 32, **QUIET},
    "tail-of-blocks": {"sm__cycles_active.avg": 480_000, **QUIET},
    "barriers": {STALL.format("barrier"): 60, STALL.format("long_scoreboard"): 30, **QUIET},
    "dependent-latency": dict(QUIET),
    "divergent-branches": {"smsp__thread_inst_executed_per_inst_executed.ratio": 5, DRAM: 3, L2: 3, L1: 5, ISSUE: 80},
    "partial-warps": {"launch__block_size": 33, "smsp__thread_inst_executed_per_inst_executed.ratio": 16.5, **QUIET},
    "double-by-accident": {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum": 120_000_000, DRAM: 4, L2: 4,
                           "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": 95, L1: 3, ISSUE: 40},
    "slow-instructions": {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": 93, DRAM: 10, L2: 8, ISSUE: 45,
                          "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum": 0},
    "clocks-fell": {"smsp__cycles_elapsed.max.per_second": 1.2e9, ISSUE: 95, DRAM: 10, L2: 10},
}


def ncu_raw(launches, quoted=True):
    """The text of `ncu --csv --page raw`: launches are pairs of a kernel's name and changes of HEALTHY."""
    names = list(HEALTHY)
    identity = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
                "Grid Size", "Device", "CC"]
    rows = [identity + names, [""] * len(identity) + [HEALTHY[n][1] for n in names]]
    for number, (kernel, changes) in enumerate(launches):
        assert changes.keys() <= HEALTHY.keys()
        values = {n: changes.get(n, HEALTHY[n][0]) for n in names}
        block, grid = (values[f"launch__{n}_size"] for n in ("block", "grid"))
        rows.append([number, 4242, "a.out", "127.0.0.1", kernel, 1, 7, f"({block}, 1, 1)", f"({grid}, 1, 1)", 0, "9.0"]
                    + [values[n] for n in names])
    line = (lambda row: ",".join(f'"{cell}"' for cell in row)) if quoted else (lambda row: ",".join(map(str, row)))
    return "==PROF== Connected to process 4242 (a.out)\n" + "\n".join(line(row) for row in rows) + "\n"


def timeline(kernels, calls=(), copies=(), held=0):
    """Lines as the library that the driver loads writes them; times in microseconds."""
    lines = [f"K\t{int(s * 1e3)}\t{int(e * 1e3)}\t0\t7\t100\t1\t1\t256\t1\t1\t32\t0\t{name}" for name, s, e in kernels]
    lines += [f"A\t{int(s * 1e3)}\t{int(e * 1e3)}\t{name}" for name, s, e in calls]
    lines += [f"C\t{int(s * 1e3)}\t{int(e * 1e3)}\t1\t1\t3\t{count}" for s, e, count in copies]
    return "\n".join(lines + ([f"M\t{held}"] if held else [])) + "\n"


def written(path, text, program=False):
    path.write_text(text)
    if program:
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def kernels(ridge, *words):
    return {k["kernel"]: k for k in json.loads(ridge.good("doctor", "--json", "--top", 99, *words).out)["kernels"]}


def names(found):
    """The causes of a kernel or program, in order: those whose gain is not known come last."""
    gains = [c["predicted_gain"] or 0 for c in found["causes"]]
    assert gains == sorted(gains, reverse=True) and all(g == 0 or g > 1.03 for g in gains)
    return [c["cause"] for c in found["causes"]]


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


def fake_perf(folder):
    """A perf that runs the program, and writes what it counts and samples."""
    return written(folder / "perf", f"""#!{sys.executable}
import subprocess, sys
words = sys.argv[1:]
to = words[words.index("-o") + 1] if "-o" in words else ""
if words[0] == "stat":
    open(to, "w").write("1000.0,msec,task-clock,1,100.00,,\\n2000000000,,cycles,1,100.00,,\\n")
elif words[0] == "record":
    open(to, "w").write("PERFILE2")
else:
    print("  80.00%  a.out  a.out  [.] flux(double*)\\n   9.00%  a.out  a.out  [.] 0x00001f7d\\n"
          "   8.00%  a.out  [JIT] tid 7  [.] 0x00007f00\\n   2.00%  a.out  [kernel.kallsyms]  [k] clear_page\\n"
          "   1.00%  a.out  a.out  [.] 0x00001f81")
    sys.exit()
sys.exit(subprocess.run(words[words.index("--") + 1:]).returncode)
""", program=True)  # fmt: skip


# The system's table of its cores, of which each has worked for so many ticks.
STAT = "cpu  1 2 3 4\n" + "".join(f"cpu{i} {{0}} 0 0 1000 0 0 0 0 0 0\n" for i in range(os.cpu_count())) + "ctxt 1\n"


@pytest.fixture
def bare(tmp_path):
    """An environment without profilers, on cores that no other program uses."""
    (tmp_path / "bin").mkdir()
    stat = written(tmp_path / "stat", STAT.format(0))
    return {**os.environ, "PATH": str(tmp_path / "bin"), "CUDA_HOME": str(tmp_path), "RIDGE_PROC_STAT": str(stat)}
