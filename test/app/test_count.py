"""Counters: `ridge count`, `ridge bench --counters`, `ridge model --compare`, where there are some."""

import json
import os
import subprocess
import sys

import pytest

LAUNCH = ("laplacian", "--size", "96x80x64")


def test_count_or_why_not(ridge):
    result = ridge("count", *LAUNCH, "--device", "cpu", "--json")
    if result.code == 0:
        counted = json.loads(result.out)
        assert counted["source"] == "perf" and counted["bytes_read"] >= 0
    else:
        assert result.code == 1
        assert "perf_event" in result.err  # what to set, or that there is nothing to read


def test_bench_with_counters(ridge):
    result = ridge("bench", *LAUNCH, "--device", "cpu", "--schedule", "all", "--counters", "--no-roof",
                   "--json")
    assert result.code == 0, result.err
    records = json.loads(result.out)
    for record in records:
        counters = record["counters"]
        assert counters["source"] in ("perf", "modelled")
        assert counters["bytes_read"] >= 0
    modelled = records[0]["counters"]["source"] == "modelled"
    # Said once, however many schedules there are.
    assert result.err.count("counters are modelled: ") == int(modelled)
    if modelled:
        by_name = {r["schedule_name"]: r for r in records}
        assert by_name["plain"]["counters"]["bytes_read"] >= by_name["plain"]["bytes_read"]


def test_without_counters_nothing_is_said_of_them(ridge):
    (record,) = json.loads(ridge.good("bench", *LAUNCH, "--device", "cpu", "--no-roof", "--json").out)
    assert "counters" not in record


ROCPROF = """"Index","KernelName","FETCH_SIZE","WRITE_SIZE","L2CacheHit","DurationNs"
0,"void laplacian_kernel<double, 8>(double*, double const*)",4096.0,2048.0,60.0,2000
1,"fill(float*, int)",0.0,512.0,0.0,100
"""


def test_counters_of_a_profile(ridge, tmp_path):
    """docs/model.md: a profile of a kernel that is not Ridge's, and the least bytes of one that is."""
    file = tmp_path / "results.csv"
    file.write_text(ROCPROF)
    words = ("count", "--from", file, "--kernel", "laplacian", "--json")
    alone = json.loads(ridge.good(*words).out)
    assert alone["source"] == "rocprof" and alone["launches"] == 1
    assert alone["bytes_read"] == 4096 * 1024 and alone["hit_rate"] == pytest.approx(0.6)
    assert "fetch_efficiency" not in alone
    (least,) = json.loads(ridge.good("model", *LAUNCH, "--on", "mi210", "--json").out)
    beside = json.loads(ridge.good(*words, *LAUNCH).out)
    assert beside["fetch_efficiency"] == pytest.approx(least["bytes_read"] / (4096 * 1024))
    given = json.loads(ridge.good(*words, "--least-read", 2 << 20, "--least-written", 2 << 20).out)
    assert given["fetch_efficiency"] == 0.5
    assert given["achieved"] == pytest.approx((4 << 20) / 2e-6)
    assert "fetch efficiency 50.0 %" in ridge.good(*words[:-1], "--least-read", 2 << 20).out
    assert "FETCH_SIZE" in ridge.good("count", "--write-input").out
    assert given["causes"] == ["cache-overflow"]
    file.write_text(ROCPROF.replace('"KernelName"', '"KernelName","arch_vgpr","scr","VALUUtilization"')
                    .replace('const*)",', 'const*)",24,16,40,').replace('int)",', 'int)",8,0,100,'))
    used = json.loads(ridge.good(*words).out)
    assert used["registers"] == 24 and used["scratch_bytes"] == 16
    assert used["active_lanes"] == pytest.approx(0.4)
    assert used["causes"] == ["spilled-registers", "divergent-branches"]
    assert "24 registers, 16 B of scratch, 40.0 % of lanes active" in ridge.good(*words[:-1]).out
    file.write_text(ROCPROF)
    ridge.bad("count", "--from", file, says=["2 kernels", "fill(float*, int)"])
    ridge.bad("count", "--from", tmp_path / "none.csv", says="no such file")
    for kernel in ("chain", "lattice-norm2", "heat"):
        options = ["--size", "8x8x8x8"] if kernel == "lattice-norm2" else []
        (least,) = json.loads(ridge.good("model", kernel, *options, "--on", "h200", "--json").out)
        beside = json.loads(ridge.good(*words, kernel, *options).out)
        assert beside["least_read"] == pytest.approx(least["bytes_read"], rel=1e-9), kernel
    ridge.bad(*words, "gravity-tree", says=["gravity-tree", "--least-read"])
    file.write_text(ROCPROF[:-20])
    ridge.bad(*words, says="cut off")


def test_an_emulated_gpu_has_nothing_to_count(ridge):
    ridge.bad("count", *LAUNCH, "--device", "simt:32", says=["emulated", "cpu"])


def test_compare(ridge):
    result = ridge("model", *LAUNCH, "--on", "cpu", "--compare", "--json")
    if result.code == 0:
        (compared,) = json.loads(result.out)
        counted = compared["counters"]["bytes_read"]
        assert compared["fetched_error"] == pytest.approx(compared["fetched_bytes"] / counted - 1)
    else:
        assert result.code == 1 and "perf_event" in result.err


@pytest.mark.parametrize("words, says", [
    (["count"], "KERNEL"),
    (["count", "nothing"], "unknown kernel 'nothing'"),
    (["count", *LAUNCH, "--device", "cpu", "--schedule", "all"], ["all", "one launch is counted"]),
    (["count", *LAUNCH, "--device", "cuda:77"], "no device cuda:77"),
    (["model", *LAUNCH, "--on", "h200", "--compare"], ["--compare", "device here"]),
    (["model", *LAUNCH, "--on", "simt:32", "--compare"], "emulated"),
])  # fmt: skip
def test_bad_input(ridge, words, says):
    ridge.bad(*words, says=says)


def test_the_table_of_errors(tmp_path):
    """bench/model_errors.py: the figures that are reported, from files as `ridge model` writes them."""
    def record(n, schedule, fetched, counted):
        return {"size": [n, n, n], "schedule": schedule, "bytes_read": 100, "fetched_bytes": fetched,
                "counters": {"bytes_read": counted}}  # fmt: skip

    records = [record(512, f"s{i}", 100 + 10 * i, 100 + 11 * i) for i in range(10)]
    (tmp_path / "all.json").write_text(json.dumps(records))
    script = os.path.join(os.path.dirname(__file__), "../../bench/model_errors.py")
    done = subprocess.run([sys.executable, "-B", script, "errors", tmp_path / "all.json",
                           tmp_path / "all.json"], capture_output=True, text=True, check=True)  # fmt: skip
    assert "10 launches: median error 3.0 %" in done.stdout, done.stdout
    assert "largest 4.5 %" in done.stdout
    assert "rank correlation of bytes fetched over the least 1.00" in done.stdout
