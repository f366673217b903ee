"""Operators of lattice gauge theory among the kernels: `ridge bench`, `model` and `doctor`."""

import json

import pytest
from test_bench import bench, require_contract
from test_doctor import test_what_the_sources_say as require_said
from test_model import by_name


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("precision, size", [("fp64", "8x4x2x6"), ("fp32", "4x4x4x4")])
def test_a_hopping_term(ridge, device, precision, size):
    (record,) = bench(ridge, "hopping", "--device", device, "--size", size, "--precision", precision,
                      "--repeat", 1)
    require_contract(record, roofed=device == "cpu")
    assert record["pattern"] == "lattice" and record["kernel"] == "hopping"
    assert record["site"].startswith("spinor") and record["compiled"] == "ahead"
    sites = record["items"]
    real = 8 if precision == "fp64" else 4
    assert sites == {"8x4x2x6": 384, "4x4x4x4": 256}[size]
    assert record["bytes_read"] == sites * (4 * 18 + 24) * real  # links and the neighbours, each once
    assert record["bytes_written"] == sites * 24 * real
    assert record["flops"] == 1320 * sites


def test_a_hopping_term_under_other_schedules(ridge):
    for words in (["--schedule", "groups=2 items=4"], ["--width", "64"], ["--width", "512"]):
        (record,) = bench(ridge, "hopping", "--device", "simt:32", "--size", "4x8x4x4", "--repeat", 1,
                          *words)
        assert record["check"]["ok"] is True, words


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("kernel, precision, words, link, spinor", [
    ("wilson", "fp64", [], 18 * 8, 24 * 8),
    ("wilson", "fp32", ["--site", "links12"], 12 * 4, 24 * 4),
    ("wilson-even-odd", "fp64", [], 12 * 8, 24 * 8),
    ("wilson-even-odd", "fixed16", [], 24, 52),
    ("dwf", "fp32", ["--ls", 16], 18 * 4, 24 * 4),
    ("wilson-columns", "fp32", ["--rhs", 16], 18 * 4, 24 * 4),
])
def test_operators_on_stored_fields(ridge, device, kernel, precision, words, link, spinor):
    (record,) = bench(ridge, kernel, "--device", device, "--size", "4x6x2x4", "--precision",
                      precision, "--repeat", 1, "--no-roof", *words)
    require_contract(record, roofed=False)
    assert record["pattern"] == "lattice" and record["kernel"] == kernel
    assert record["compiled"] == "ahead" and record["precision"] == precision
    half, ls = kernel != "wilson", 16 if kernel in ("dwf", "wilson-columns") else 1
    sites = 4 * 6 * 2 * 4 // (2 if half else 1)
    assert record["items"] == sites * ls and record["flops"] == 1320 * sites * ls
    assert record["bytes_read"] == sites * ((8 if half else 4) * link + ls * spinor)
    assert record["bytes_written"] == sites * ls * spinor
    assert record["flops_per_second"] > 0 and record["size"] == [4, 6, 2, 4]


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("kernel, precision, words, read, written, flops", [
    ("clover", "fp64", [], 8 * (8 * 12 + 48 + 72), 8 * 24, 1872),
    ("clover", "fp32", ["--site", "links18"], 4 * (8 * 18 + 48 + 72), 4 * 24, 1872),
    ("staggered", "fp64", [], 8 * (8 * 18 + 6), 8 * 6, 570),
    ("staggered", "fp32", [], 4 * (8 * 18 + 6), 4 * 6, 570),
])
def test_clover_and_staggered(ridge, device, kernel, precision, words, read, written, flops):
    (record,) = bench(ridge, kernel, "--device", device, "--size", "4x6x2x4", "--precision", precision, "--repeat", 1,
                      "--no-roof", *words)
    assert record["check"]["ok"] and record["compiled"] == "ahead"
    sites = 4 * 6 * 2 * 4 // 2
    assert (record["bytes_read"], record["bytes_written"], record["flops"]) == (
        sites * read, sites * written, sites * flops)


def test_launch_widths_of_operators_have_names(ridge):
    records = bench(ridge, "dwf", "--device", "simt:32", "--size", "4x4x4x4", "--repeat", 1,
                    "--schedule", "all")
    names = [r["schedule_name"] for r in records]
    assert names == ["width2", "width4", "width8", "width16", "width32", "slabs", "default"]
    assert all(r["check"]["ok"] for r in records)
    tiles = [r["schedule"].split()[0] for r in records[:5]]
    assert tiles[0] == "tile=1x1x1x1" and len(set(tiles)) == 5


@pytest.mark.parametrize("words, says", [
    (["hopping", "--size", "8x8x8"], ["four dimensions", "8x8x8 has 3"]),
    (["hopping", "--size", "8x8x8x8", "--precision", "fp16"], ["fp16", "fp32 and fp64"]),
    (["staggered", "--size", "4x4x4x4", "--site", "links12"], ["hold the phases"]),
    (["clover", "--size", "4x4x4x4", "--precision", "fixed16"], ["clover has fp32 and fp64"]),
    (["wilson-even-odd", "--size", "4x3x4x4"], ["4x3x4x4", "all extents are even", "3 along y"]),
    (["wilson", "--size", "4x4x4"], ["four dimensions", "4x4x4 has 3"]),
    (["wilson", "--size", "4x4x4x4", "--site", "spinor"], ["links18 or links12", "spinor"]),
    (["wilson", "--size", "4x4x4x4", "--precision", "mixed"], ["mixed", "fp32, fp64 and fixed16"]),
    (["wilson", "--size", "4x4x4x4", "--precision", "fixed16", "--site", "links18"], ["links12"]),
    (["dwf", "--size", "4x4x4x4", "--ls", "0"], ["1 to 128", "0 were asked for"]),
    (["wilson", "--size", "4x4x4x4", "--schedule", "tile=3x1x1x1"], ["powers of two"]),
    (["wilson", "--size", "4x4x4x4", "--schedule", "tile=8x8"], ["tile=8x8", "four extents"]),
    (["wilson", "--size", "8x8x8x8", "--schedule", "tile=8x8x8x1"], ["512 threads", "bounds=256"]),
])
def test_bad_values_name_what_is_right(ridge, words, says):
    ridge.bad("bench", *words, "--device", "simt:32", says=says)


def test_operators_of_lattice_gauge_theory(ridge):
    def modelled(kernel, *words):
        records = json.loads(ridge.good("model", kernel, "--on", "h200", *words, "--schedule", "all", "--json").out)
        assert all(r["seconds"] > 0 and r["fetched_bytes"] >= r["bytes_read"] for r in records)
        return by_name(records)

    wilson = modelled("wilson", "--size", "32x32x32x64")
    assert wilson["slabs"]["fetched_bytes"] < 0.9 * wilson["width32"]["fetched_bytes"]  # slices that the cache holds
    sites = 32**3 * 64
    assert wilson["width2"]["bytes_read"] == sites * 8 * (4 * 18 + 24)
    half = modelled("wilson-even-odd", "--size", "32x32x32x64", "--precision", "fp32")["default"]
    assert half["bytes_read"] == sites / 2 * 4 * (8 * 12 + 24)
    assert 120e-6 < half["seconds"] < 180e-6  # 149 us were measured
    twelve, sixteen = (modelled("dwf", "--size", "32x32x32x32", "--ls", ls)["slabs"] for ls in (12, 16))
    assert twelve["bytes_written"] / 12 == sixteen["bytes_written"] / 16
    for kernel in "clover", "staggered":
        assert set(modelled(kernel, "--size", "16x16x16x32")) >= {"width2", "width32", "slabs", "default"}
    ridge.bad("model", "wilson", "--on", "h200", "--size", "16x16x16", says="four dimensions")


@pytest.mark.parametrize("words, cause, fix", [
    (["dwf", "--on", "h100", "--size", "32x32x32x32", "--ls", "12", "--schedule", "bounds=512 resident=2"],
     "spilled-registers", "bounds="),
    (["clover", "--on", "a100", "--size", "16x16x16x32", "--precision", "fp32", "--schedule", "resident=4"],
     "spilled-registers", "resident="),
])
def test_what_the_sources_say_of_spills(ridge, words, cause, fix):
    require_said(ridge, words, cause, fix)
