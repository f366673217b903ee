"""`ridge doctor`: what it says of launches, by the model alone and on the cpu, and what it refuses."""

import json
import re

import pytest

GCD = ("--on", "mi250x-gcd")
FIELDS = {"cause", "evidence", "threshold", "predicted_gain", "proved_gain", "fix"}


def left_unknown(result):
    """True where no cause is known, exit code 1: other work may make what is timed longer than any cause does."""
    unknown = result.code == 1 and result.err.startswith("ridge: no cause is known of this launch")
    assert unknown or (result.code == 0 and result.err == ""), result.err
    return unknown


def diagnoses(ridge, *words):
    return checked(json.loads(ridge.good("doctor", *words, "--json").out))


def checked(found):
    for d in found:
        assert FIELDS <= d.keys()
        assert d["predicted_gain"] > 1.03
    gains = [d["predicted_gain"] for d in found]
    assert gains == sorted(gains, reverse=True)
    return found


@pytest.mark.parametrize("words, cause, fix", [
    (["laplacian", *GCD, "--schedule", "kernel1"], "cache-overflow", "schedule"),
    (["laplacian", *GCD, "--size", "1024x1024x1024", "--schedule", "kernel5"], "cache-overflow",
     "split=4"),
    (["lattice-sum", *GCD, "--schedule", "staged2"], "few-resident-warps", "groups="),
    (["chain", "--on", "h200", "--size", "10000", "--schedule", "fission"], "launch-overhead",
     "fuse=all"),
    (["chain", "--on", "h200", "--schedule", "fission"], "staged-passes", "fuse=all"),
])  # fmt: skip
def test_what_the_sources_say(ridge, words, cause, fix):
    found = diagnoses(ridge, *words)
    assert found[0]["cause"] == cause
    assert fix in found[0]["fix"]
    assert found[0]["proved_gain"] is None
    text = ridge.good("doctor", *words).out
    assert f"1. {cause}: " in text
    assert "evidence" in text and "predicted" in text


def test_a_healthy_launch(ridge):
    words = "laplacian", *GCD, "--schedule", "kernel5"
    assert diagnoses(ridge, *words) == []
    assert "none of the 25 causes holds" in ridge.good("doctor", *words).out


@pytest.mark.parametrize("kernel, precision", [("wave8", "fp64"), ("wave6", "fp32"), ("laplacian8", "fp32")])
def test_a_point_a_thread_of_many_neighbours(ridge, kernel, precision):
    words = kernel, "--on", "h200", "--size", "512x512x512", "--precision", precision
    assert "repeated-requests" in {d["cause"] for d in diagnoses(ridge, *words, "--schedule", "kernel1")}
    assert diagnoses(ridge, *words) == []


def test_causes(ridge):
    rows = json.loads(ridge.good("doctor", "--causes", "--json").out)
    assert len(rows) == 25
    assert sum(r["named_first"] == r["cause"] for r in rows) >= 24
    assert all(r["on_healthy"] == [] for r in rows)
    text = ridge.good("doctor", "--causes").out
    for r in rows:
        assert r["cause"] in text
        explained = ridge.good("doctor", "--explain", r["cause"]).out
        assert r["evidence_unit"] in explained and "source: " in explained


def test_the_checklist(ridge):
    words = "doctor", "lattice-sum", *GCD, "--checklist"
    starved = json.loads(ridge.good(*words, "--schedule", "staged2", "--json").out)
    assert [i["good"] for i in starved] == [False, False, False, False, True]
    assert "8 threads" in starved[0]["answer"]
    full = json.loads(ridge.good(*words, "--schedule", "fused64", "--json").out)
    assert all(i["good"] for i in full)
    assert "LOOK" in ridge.good(*words, "--schedule", "staged2").out
    ridge.bad("doctor", "laplacian", "--device", "cpu", "--checklist", says=["GPU", "--on"])


@pytest.mark.parametrize("kernel, size, schedule", [
    ("laplacian", "96x80x64", "plain"), ("chain", "100000", "fission"),
    ("lattice-axpy", "8x8x8x8", "plain"), ("lattice-residual", "8x8x8x8", "auto"), ("gravity", "1000", "auto")])  # fmt: skip
def test_on_the_cpu(ridge, kernel, size, schedule):
    words = "doctor", kernel, "--device", "cpu", "--size", size, "--schedule", schedule
    result = ridge(*words)
    assert "measured " in result.out and "modelled " in result.out
    assert left_unknown(result) == ("the doctor cannot explain why" in result.out)


def test_many_sweeps_are_advised_where_memory_is_what_a_sweep_waits_for(ridge):
    words = "doctor", "heat", "--on", "h200", "--size"
    text = ridge.good(*words, "512x512x512").out
    assert "none of the 25 causes" in text
    assert "4 sweeps in one pass over memory move 0.25" in text and "schedule sweeps=4" in text
    assert "advice" not in ridge.good(*words, "64x64x64").out # in the cache
    assert "advice" not in ridge.good("doctor", "box27", "--on", "h200").out


def staged_chain(ridge):
    """A chain whose passes find nothing of the one before in the last-level cache, which may be 260 MiB."""
    cpu = next(d for d in json.loads(ridge.good("devices", "--json").out) if d["device"] == "cpu")
    size = max(3_000_000, 3 * cpu["last_level_cache_bytes"] // 32)  # two arrays of one and a half such caches
    return "doctor", "chain", "--device", "cpu", "--size", size, "--schedule", "fission"


def test_a_proof_and_its_record_in_a_report(ridge, folder):
    words = staged_chain(ridge)
    result = ridge(*words, "--prove", "--json", "-o", "out.json")
    found = json.loads(result.out)
    staged = next(d for d in found if d["cause"] == "staged-passes")
    # Ten passes instead of one cannot be hidden by a machine's noise; how much they cost can.
    assert staged["proved_gain"] > 1.3
    assert staged["proved_low"] <= staged["proved_gain"] <= staged["proved_high"]
    held = [d["holds"] for d in found if d["proved_gain"] is not None]
    assert result.code == (0 if all(held) else 1)
    assert all(held) or "the prediction did not hold" in result.err
    (record,) = json.loads((folder / "out.json").read_text())
    causes = [d["cause"] for d in record["diagnoses"]]  # their order depends on roofs that other work moves
    assert "staged-passes" in causes
    assert record["check"]["ok"]
    ridge.good("report", "out.json", "-o", "out.html")
    assert "staged-passes" in (folder / "out.html").read_text()
    ridge.bad("doctor", *GCD, "laplacian", "-o", "x.json", says="--device")
    ridge.bad(*words, "-o", "none/x.json", says="none")


LISTS = ["lennard-jones", "--device", "cpu", "--size", 4000, "--cutoff", 2.5]


@pytest.mark.parametrize("words, cause, fix", [
    ([*LISTS, "--skin", 1.5], "loose-lists", "--skin "),
    ([*LISTS, "--skin", 0.01], "tight-lists", "--skin "),
    (["gravity", "--device", "cpu", "--size", 6000, "--theta", 0.6, "--schedule", "leaf=1"], "small-leaves",
     "schedule leaf="),
    (["gravity-tree-cube", "--device", "cpu", "--size", 6000, "--schedule", "leaf=2000"], "large-leaves",
     "schedule leaf="),
])  # fmt: skip
def test_lists_and_trees(ridge, words, cause, fix):
    found = diagnoses(ridge, *words)
    first = found[0]
    assert first["cause"] == cause and fix in first["fix"]
    assert first["modelled_seconds"] is None and first["seconds"] > 0
    if cause in ("tight-lists", "large-leaves"):  # one of each kind is told in words, too
        text = ridge.good("doctor", *words).out
        assert f"{cause}: " in text and "modelled" not in text


def test_healthy_lists_and_trees(ridge):
    for words in (LISTS, ["gravity-tree", "--device", "cpu", "--size", 6000]):
        named = {d["cause"] for d in diagnoses(ridge, *words)}
        assert not named & {"loose-lists", "tight-lists", "small-leaves", "large-leaves"}


def test_the_proof_of_a_leaf(ridge):
    result = ridge("doctor", "gravity-tree-cube", "--device", "cpu", "--size", 10000, "--schedule", "leaf=4096",
                   "--prove", "--json")  # fmt: skip
    leaves = next(d for d in json.loads(result.out) if d["cause"] == "large-leaves")
    assert leaves["proved_gain"] > 1.2  # four times the pairs


def test_blocks_that_start_one_behind_the_other(ridge):
    """A schedule that was behind a named one without a cause."""
    words = "lattice-residual-reproducible", "--on", "h200", "--precision", "fp32", "--size", "32x32x32x32"
    (found,) = diagnoses(ridge, *words, "--schedule", "fused2")
    assert found["cause"] == "short-blocks" and found["predicted_gain"] > 1.2
    assert diagnoses(ridge, *words, "--schedule", "fused4") == []


def test_a_kernel_in_a_file(ridge, folder):
    (folder / "heat.hpp").write_text(
        "#include <ridge/stencil/kernel.hpp>\n"
        "struct Heat {\n"
        "  static constexpr auto footprint = ridge::stencil::star<1>();\n"
        "  template <class N> RIDGE_FN auto operator()(const N& u) const {\n"
        "    return u(0, 0, -1) + u(0, 0, 1) + u(0, -1, 0) + u(0, 1, 0) + u(-1, 0, 0) + u(1, 0, 0);\n"
        "  }\n};\n")  # fmt: skip
    found = diagnoses(ridge, "./heat.hpp:Heat", *GCD, "--schedule", "kernel1")
    assert found[0]["cause"] == "cache-overflow"


def test_the_best_cure_that_is_known_is_named(ridge):
    """A march of single rows was prescribed, 1.49 times as fast, and proved 1.03; the default is 1.69."""
    words = "laplacian", "--on", "h200", "--size", "1024x1024x512", "--schedule"
    found = diagnoses(ridge, *words, "kernel1")
    assert "tile=8" in found[0]["fix"] and "stage=bulk" in found[0]["fix"]
    assert 1.6 < found[0]["predicted_gain"] < 1.85
    march = "block=256x1x1 tile=1 stage=bulk"
    slow, narrow = (r["seconds"] for s in ("kernel1", march) for r in ridge.good(
        "model", *words, s, "--json").records())  # fmt: skip
    assert 1 < slow / narrow < 1.15


def test_small_passes_on_a_cpu_have_causes(ridge):
    """Ten launches of a thousand items: what the cache serves again, and the launches. Other work makes them longer, and
    may hide them as the cause; the cure stays."""
    result = ridge("doctor", "chain", "--device", "cpu", "--size", "1000", "--schedule", "fission", "--json")
    found = checked(json.loads(result.out))
    if left_unknown(result):
        gain = re.search(r"predicted to be ([\d.]+) times as fast: schedule .*fuse=all", result.err)
        assert found == [] and gain and float(gain[1]) > 2, result.err
    else:
        assert {"repeated-requests", "launch-overhead", "staged-passes"} & {d["cause"] for d in found}
        assert "fuse=all" in found[0]["fix"] and found[0]["predicted_gain"] > 2


@pytest.mark.parametrize("words, says", [
    ([], ["KERNEL", "--explain", "--causes"]),
    (["nothing", *GCD], "unknown kernel 'nothing'"),
    (["laplacian", "--on", "mi999"], ["unknown device 'mi999'", "mi250x-gcd"]),
    (["laplacian", "--device", "cpu", *GCD], ["--device", "--on"]),
    (["laplacian", *GCD, "--prove"], ["--prove", "--device"]),
    (["laplacian", "--device", "simt:32"], "emulated"),
    (["laplacian", "--device", "cuda:77"], "no device cuda:77"),
    (["laplacian", *GCD, "--size", "2x2x2"], "writes no point"),
    (["laplacian", *GCD, "--size", "5x"], "--size '5x'"),
    (["laplacian", *GCD, "--schedule", "kernel9"], ["kernel9", "kernel7"]),
    (["laplacian", *GCD, "--schedule", "tile=33"], "expected 1 to 32"),
    (["laplacian", *GCD, "--precision", "fp16"], "fp32 and fp64"),
    (["laplacian", *GCD, "--site", "real"], "--site is for lattice kernels"),
    (["laplacian", *GCD, "--set", "rate=1"], "--set is for kernels in files"),
    (["heat", *GCD, "--schedule", "sweeps=4"], "examines single sweeps"),
    (["lattice-residual", *GCD, "--precision", "fp16"], "lattice-residual has fp32 and fp64"),
    (["chain", *GCD, "--operations", "77"], "1 to 32"),
    ([*LISTS[:1], "--on", "h200", "--cutoff", 2.5], ["once they have run", "--device"]),
    (["gravity-tree", "--device", "cpu", "--checklist"], ["once they have run", "--checklist"]),
    ([*LISTS[:3], "--skin", 0.3], "go with --cutoff"),
    ([*LISTS, "--theta", 0.5], "--theta is for gravity"),
    (["laplacian", "--device", "cpu", "--cutoff", 2], "--cutoff is for interactions"),
    (["gravity", "--device", "cpu", "--theta", 1.7], "theta 1.7"),
    (["--explain", "bad-luck"], ["unknown cause 'bad-luck'", "cache-overflow"]),
    (["./none.hpp:None", *GCD], "none.hpp"),
])  # fmt: skip
def test_bad_input(ridge, words, says):
    ridge.bad("doctor", *words, says=says)
