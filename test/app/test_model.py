"""`ridge model`: the model's figures, the published table, and bad input."""

import json

import pytest
from tables import rows_of
from user_kernels import HEAT, SMOOTH

FIELDS = {
    "pattern", "kernel", "device", "device_name", "precision", "size", "schedule", "modelled",
    "bytes_read", "bytes_written", "fetched_bytes", "written_bytes", "fetched_low", "fetched_high",
    "hit_rate", "cause", "seconds", "roof_name",
}  # fmt: skip
SHIPPED = ["rx6900xt", "rx7900xtx", "mi50", "mi100", "mi210", "mi250x-gcd", "mi250-gcd", "mi300a", "mi300x",
           "v100", "a100", "h100", "h200"]  # fmt: skip


def model(ridge, *words, size="512x512x512", on="mi250x-gcd"):
    return ridge.good(
        "model", "laplacian", "--on", on, "--size", size, *words, "--json"
    ).records()


def by_name(records):
    return {r["schedule_name"]: r for r in records}


def efficiency(record):
    return 100 * record["bytes_read"] / record["fetched_bytes"]


def test_published_table_holds(ridge):
    found = json.loads(ridge.good("model", "--published", "--json").out)
    assert found["ok"]
    assert len(found["cases"]) == 20
    errors = [abs(c["efficiency"] - c["efficiency_published"]) for c in found["cases"]]
    assert sum(errors) / 20 <= 3.5
    assert max(errors) <= 11
    assert sum(e <= 5 for e in errors) >= 15
    hits = [100 * abs(c["hit_rate"] - c["hit_rate_published"]) for c in found["cases"]]
    assert sum(hits) / 20 <= 2.5


def test_published_prints_a_table(ridge):
    text = ridge.good("model", "--published").out
    assert "kernel 7" in text and "registers spill" in text
    assert "15 of 20 within 5" in text or "within 5" in text


def test_all_schedules_of_the_series(ridge):
    records = by_name(model(ridge, "--schedule", "all"))
    assert list(records)[:7] == [f"kernel{k}" for k in range(1, 8)]
    for record in records.values():
        assert set(record) == FIELDS | {"schedule_name"}
        assert record["modelled"] is True
        assert record["device"] == "mi250x-gcd"
        assert record["fetched_low"] <= record["fetched_bytes"] <= record["fetched_high"]
        assert 0 < record["hit_rate"] < 1
    assert efficiency(records["kernel1"]) == pytest.approx(53.3, abs=11)
    assert efficiency(records["kernel3"]) == pytest.approx(99.4, abs=1)
    assert records["kernel1"]["cause"].startswith("planes: ")
    assert records["kernel3"]["cause"] == "none"


def test_the_cliff_and_its_cures(ridge):
    records = by_name(model(ridge, "--schedule", "all", size="1024x1024x1024"))
    assert efficiency(records["kernel5"]) == pytest.approx(33.1, abs=1)
    assert efficiency(records["kernel6"]) == pytest.approx(95.4, abs=1)
    assert efficiency(records["kernel7"]) == pytest.approx(99.6, abs=0.3)
    assert records["kernel6"]["cause"].startswith("columns: ")
    fastest = min(r["seconds"] for r in records.values())
    assert records["model"]["seconds"] <= 1.001 * fastest
    blocks = "block=128x1x8 tile=8 loads=ascending store=nontemporal"
    (record,) = model(ridge, "--schedule", blocks, size="1024x1024x1024")
    assert efficiency(record) == pytest.approx(79.8, abs=1)
    assert record["cause"].startswith("slab halos: ")


@pytest.mark.parametrize("on", SHIPPED)
def test_every_shipped_device(ridge, on):
    for record in model(ridge, "--schedule", "all", on=on):
        assert record["device"] == on
        assert record["fetched_bytes"] >= 0.99 * record["bytes_read"]
        assert record["seconds"] > 0


def test_the_cpu_here(ridge):
    records = by_name(model(ridge, "--schedule", "all", on="cpu"))
    assert set(records) == {"plain", "streaming", "default"}
    plain, streaming = records["plain"], records["streaming"]
    assert plain["fetched_bytes"] > 1.5 * streaming["fetched_bytes"]
    assert plain["cause"].startswith("line fills: ")


def test_fp32_moves_half(ridge):
    double = model(ridge, "--schedule", "kernel5")[0]
    (single,) = model(ridge, "--schedule", "kernel5", "--precision", "fp32")
    assert single["fetched_bytes"] == pytest.approx(double["fetched_bytes"] / 2, rel=0.01)


def test_table(ridge):
    words = "model", "box27", "--on", "h200", "--size", "300x200x100", "--schedule", "all"
    lines = rows_of(ridge.good(*words).out)
    assert lines[0] == "box27 300x200x100 fp64 modelled on NVIDIA H200"
    assert lines[1].split()[:2] == ["fetched", "written"]
    assert len(lines) == 3 + 8


@pytest.mark.parametrize("words, staged, fused, more", [
    (["lattice-sum", "--on", "mi250x-gcd"], "staged16", "fused64", 2),
    (["chain", "--on", "h200", "--size", "100000000"], "fission", "fused", 10),
])  # fmt: skip
def test_lattices_and_chains(ridge, words, staged, fused, more):
    records = json.loads(ridge.good("model", *words, "--schedule", "all", "--json").out)
    names = by_name(records)
    for r in records:
        assert r["fetched_low"] <= r["fetched_bytes"] == r["fetched_high"] and 0 <= r["hit_rate"] <= 1
    slow, quick = names[staged], names[fused]
    assert slow["fetched_bytes"] == pytest.approx(more * quick["fetched_bytes"], rel=0.01)
    assert slow["cause"].startswith("staged-passes: ") and quick["cause"] == "none"
    assert slow["seconds"] > 1.5 * quick["seconds"] and quick["roof_name"] == "memory"
    assert quick["fetched_bytes"] == quick["bytes_read"]
    lines = rows_of(ridge.good("model", *words, "--schedule", staged).out)
    assert lines[0].startswith(words[0]) and lines[1].split()[:2] == ["fetched", "written"]
    assert "staged-passes" in lines[3] and len(lines) == 4


def test_a_chain_of_other_length_and_a_site_of_another_type(ridge):
    (ten,) = json.loads(ridge.good("model", "chain", "--on", "h200", "--schedule", "fission", "--json").out)
    (two,) = json.loads(ridge.good("model", "chain", "--on", "h200", "--schedule", "fission", "--operations", "2",
                                   "--json").out)
    assert ten["fetched_bytes"] == pytest.approx(5 * two["fetched_bytes"], rel=0.01)
    words = "model", "lattice-axpy", "--on", "a100", "--size", "16x16x16x16", "--json"
    spinor, real = (json.loads(ridge.good(*words, "--site", s).out)[0] for s in ("spinor", "real"))
    assert spinor["fetched_bytes"] == 24 * real["fetched_bytes"] and real["fetched_low"] == 0  # fits the cache


def device_file(ridge, **changes):
    """Constants as a user would write them, with changes; None leaves one out."""
    constants = {
        "units": 100, "warp_width": 64, "schedulers": 4, "issues_per_cycle": 1,
        "warps_per_unit": 32, "blocks_per_unit": 16, "registers_per_unit": 131072,
        "registers_per_thread": 256, "register_step": 8, "shared_bytes_per_unit": 65536,
        "clock_hz": 1.7e9, "cache_bytes": 4194304, "cache_parts": 1, "cache_ways": 16,
        "sector_bytes": 64, "cache_latency_cycles": 300, "memory_latency_cycles": 700,
        "memory_bytes_per_second": 1e12, "copy_bytes_per_second": 0.8e12,
        "cache_bytes_per_second": 5e12, "fp32_flops": 2e13, "fp64_flops": 1e13,
        "launch_seconds": 5e-6,
    }  # fmt: skip
    constants.update(changes)
    constants = {k: v for k, v in constants.items() if v is not None}
    return json.dumps(
        {"name": "mine", "kind": "hip", "architecture": "gfx90a", "constants": constants}
    )


def test_a_file(ridge, folder):
    (folder / "mine.json").write_text(device_file(ridge))
    half = model(ridge, "--schedule", "kernel1", on="mine.json")[0]
    assert half["device_name"] == "mine" and half["device"] == "mine.json"
    assert half["fetched_bytes"] > model(ridge, "--schedule", "kernel1")[0]["fetched_bytes"]


def test_bad_files(ridge, folder):
    words = "model", "laplacian", "--on", "mine.json"
    ridge.bad(*words, says=["mine.json", "cannot be read"])
    (folder / "mine.json").write_text(device_file(ridge, cache_bytes=None))
    ridge.bad(*words, says=["mine.json", "'cache_bytes' is missing", "65536 to"])
    (folder / "mine.json").write_text(device_file(ridge, cache_ways=0))
    ridge.bad(*words, says=["'cache_ways' is 0", "1 to 128"])
    (folder / "mine.json").write_text(device_file(ridge, l2_size=5))
    ridge.bad(*words, says=["unknown constant 'l2_size'", "cache_bytes"])
    (folder / "mine.json").write_text("{")
    ridge.bad(*words, says=["mine.json", "not a JSON object"])
    (folder / "mine.json").write_bytes(b"\xff\x00\x1b")
    ridge.bad(*words, says=["mine.json", "not a JSON object"])


def test_kernels_in_a_file(ridge, folder):
    """A stencil is modelled as the built-in one of its footprint; a chain by its passes."""
    (folder / "mine.hpp").write_text(HEAT + SMOOTH)
    for words in (["--schedule", "all"], ["--schedule", "tile=4", "--precision", "fp32"]):
        mine = ridge.good("model", "./mine.hpp:Heat", "--on", "mi250x-gcd", *words, "--set",
                          "rate=0.125", "--json").records()  # fmt: skip
        known = ridge.good("model", "laplacian", "--on", "mi250x-gcd", *words, "--json").records()
        for a, b in zip(mine, known, strict=True):
            assert a["kernel"] == "./mine.hpp:Heat" and a["size"] == [512, 512, 512]
            for name in ("schedule", "fetched_bytes", "fetched_high", "written_bytes", "cause"):
                assert a[name] == b[name], name
    (pair,) = ridge.good("model", "./mine.hpp:Smooth", "--on", "h200", "--size", "1000000",
                         "--schedule", "fission", "--json").records()  # fmt: skip
    assert pair["pattern"] == "chain" and pair["fetched_bytes"] >= pair["bytes_read"]
    words = "model", "./mine.hpp:Heat", "--on", "h200", "--set", "rate=0.125"
    ridge.bad(*words, "--precision", "fp16", says="fp32 and fp64")
    ridge.bad(*words, "--size", "64x64", says="writes no point")
    ridge.bad("model", "laplacian", "--on", "h200", "--set", "rate=1", says="--set")


@pytest.mark.parametrize("words, says", [
    ([], "takes a KERNEL"),
    (["laplacian", "--on", "mi999"], ["unknown device 'mi999'", *SHIPPED, "cpu", "FILE.json"]),
    (["laplacian", "--on", ""], "--on: '' is empty"),
    (["laplacian", "--on", "simt:32"], ["emulated", "h200"]),
    (["laplacian", "--on", "cuda:77"], "no device cuda:77"),
    (["laplacian", "--on", "h200", "--size", "2x2x2"], ["writes no point", "1x1x1"]),
    (["laplacian", "--on", "h200", "--size", "5x"], "--size '5x'"),
    (["laplacian", "--on", "h200", "--size", "0x5x5"], "extent 0"),
    (["laplacian", "--on", "h200", "--size", "2x3x4x5"], "one to three dimensions"),
    (["box27", "--on", "h200", "--size", "512x512"], "takes three dimensions"),
    (["gravity", "--on", "h200"], ["stencils, lattices and chains", "pairs"]),
    (["laplacian", "--on", "h200", "--site", "spinor"], "--site is for lattice kernels"),
    (["chain", "--on", "h200", "--operations", "33"], "32"),
    (["lattice-sum", "--on", "mi999"], "unknown device 'mi999'"),
    (["lattice-sum", "--on", "h200", "--schedule", "tile=3"], "the fields are"),
    (["nothing", "--on", "h200"], "unknown kernel 'nothing'"),
    (["laplacian", "--on", "h200", "--precision", "fp16"], "fp32 and fp64"),
    (["laplacian", "--on", "h200", "--schedule", "kernel9"], ["kernel9", "kernel7"]),
    (["laplacian", "--on", "h200", "--schedule", "tile=33"], "expected 1 to 32"),
    (["laplacian", "--on", "h200", "--schedule", "rows=3"], "the fields are block"),
    (["laplacian", "--on", "a100", "--schedule", "stage=bulk block=128x2x1 tile=4"], "bulk copy"),
    (["laplacian", "--published"], "takes no KERNEL"),
    (["laplacian", "--on", "h200", "--figure", "x.csv"], "goes with --published"),
    (["--published", "--figure", "/nonexistent.csv"], "cannot be read"),
])  # fmt: skip
def test_bad_input(ridge, words, says):
    ridge.bad("model", *words, says=says)


def test_a_figure(ridge, folder):
    lines = ["nx,ny,nz,kernel,block,fom_gb_s", "512,512,512,5,256x1x1,1165",
             "1024,1024,1024,5,256x1x1,555.389"]  # fmt: skip
    (folder / "figure.csv").write_text("\n".join(lines) + "\n")
    words = "model", "--published", "--figure", "figure.csv"
    figure = json.loads(ridge.good(*words, "--json").out)["figure"]
    assert figure["points"] == 2
    assert figure["mean_percent"] < 5
    assert "figure of merit of kernel 5 at 2 sizes" in ridge.good(*words).out
    (folder / "figure.csv").write_text(lines[0] + "\n512,x,512,5,256x1x1,1165\n")
    ridge.bad(*words, says=["line 2", "'x' is not a number"])
