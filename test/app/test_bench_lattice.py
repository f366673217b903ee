"""`ridge bench` of reductions and maps of lattice fields."""

import pytest

from test_bench import bench, require_contract

NUMBERS = {"propagator": 288, "spinor": 24, "matrix": 18, "vector": 6, "complex": 2, "real": 1}
READ_AND_WRITTEN = {"sum": (1, 0), "norm2": (1, 0), "inner": (2, 0), "axpy-norm": (2, 1),
                    "axpy": (2, 1), "scale": (1, 1)}


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("kernel, site, precision", [
    ("sum", "matrix", "fp64"), ("sum", "propagator", "fp32"), ("norm2", "real", "fp32"),
    ("inner", "spinor", "fp64"), ("axpy-norm", "complex", "fp64"), ("axpy", "vector", "fp64"),
    ("scale", "matrix", "fp32"), ("slice-sum", "vector", "fp64"),
    ("slice-norm2", "complex", "fp64"), ("slice-inner", "real", "fp64"),
    ("sum-reproducible", "vector", "fp64"), ("norm2-reproducible", "real", "fp64"),
    ("inner-reproducible", "complex", "fp32"),
])
def test_record(ridge, device, kernel, site, precision):
    (record,) = bench(ridge, f"lattice-{kernel}", "--device", device, "--site", site, "--size",
                      "8x6x4x8", "--precision", precision, "--repeat", 3)
    require_contract(record, roofed=device == "cpu")
    assert record["pattern"] == "lattice"
    assert record["kernel"] == f"lattice-{kernel}"
    assert record["site"] == site and record["precision"] == precision
    assert record["device"] == device
    assert record["size"] == [8, 6, 4, 8]
    assert record["schedule_name"] == "default"
    sites = 8 * 6 * 4 * 8
    assert record["items"] == sites
    field = sites * NUMBERS[site] * (8 if precision == "fp64" else 4)
    read, written = READ_AND_WRITTEN[kernel.removeprefix("slice-").removesuffix("-reproducible")]
    assert record["bytes_read"] == read * field
    assert record["bytes_written"] == written * field
    assert "read once" in record["convention"]
    if device == "cpu":
        roof = "read" if written == 0 else "copy" if read == 1 else "triad"
        assert record["roof_name"] == roof


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
def test_staged_and_fused_sums_have_names(ridge, device):
    records = bench(ridge, "lattice-sum", "--device", device, "--size", "4x4x4x4", "--schedule",
                    "all", "--repeat", 1, limit=300)
    widths = [2, 4, 8, 16, 32, 64]
    assert [r["schedule_name"] for r in records] == (
        [f"staged{w}" for w in widths] + [f"fused{w}" for w in widths] + ["once", "default"]
    )
    for record in records:
        require_contract(record, roofed=False)
        name, fields = record["schedule_name"], record["schedule"].split()
        if name != "default":
            passes = name.rstrip("0123456789")
            assert f"reduce={passes}" in fields
            assert passes == "once" or f"groups={name.removeprefix(passes)}" in fields


def test_all_schedules_of_the_cpu(ridge):
    records = bench(ridge, "lattice-axpy", "--device", "cpu", "--site", "vector", "--size",
                    "8x8x8x8", "--schedule", "all", "--repeat", 3)
    assert [r["schedule_name"] for r in records] == ["plain", "streaming", "default"]
    for record in records:
        require_contract(record, roofed=True)


def test_wider_vectors(ridge):
    for kernel, size in ("lattice-norm2", "8x8x4x4"), ("lattice-residual", "8x8x4x4"):
        for width in 64, 512:
            (record,) = bench(ridge, kernel, "--device", "simt:32", "--site", "vector", "--size", size,
                              "--width", width, "--repeat", 1)
            assert record["check"]["ok"] is True
            assert record["site"].endswith(", width 512") == (width == 512)


def test_a_residual_takes_the_width_of_its_device(ridge):
    for device, says in ("cpu", ""), ("simt:32", "width 256"):
        (record,) = bench(ridge, "lattice-residual", "--device", device, "--size", "8x8x4x4",
                          "--repeat", 1, "--no-roof")
        assert says in record["site"]


def test_a_reproducible_sum_is_the_same_everywhere(ridge):
    """The check's error is that of the result, so equal bits have equal errors."""
    errors = set()
    for device in ["cpu", "simt:32", "simt:64"]:
        for schedule in ["auto", "threads=1"] if device == "cpu" else ["auto", "groups=2"]:
            (record,) = bench(ridge, "lattice-sum-reproducible", "--device", device, "--site",
                              "real", "--size", "16x16x16", "--schedule", schedule,
                              "--repeat", 1, "--no-roof")
            errors.add(record["check"]["max_error"])
    assert len(errors) == 1


@pytest.mark.parametrize("words, says", [
    (["lattice-sum", "--size", "3x5x7"], ["3x5x7", "4x5x7", "3x8x7"]),
    (["lattice-sum", "--size", "8x8", "--site", "spin"], ["spin", "propagator", "complex"]),
    (["lattice-sum", "--size", "8x8", "--precision", "mixed"], ["mixed", "fp32 and fp64"]),
    (["laplacian", "--site", "spinor"], ["--site", "lattice"]),
    (["laplacian", "--width", "128"], ["--width", "lattice"]),
    (["lattice-sum", "--size", "8x8", "--width", "100"], ["100", "64, 128, 256, 512 or 1024"]),
    (["lattice-sum", "--size", "8x8", "--width", "-64"], ["--width", "64", "1024"]),
    (["lattice-sum", "--size", "8x8", "--width", "0"], ["--width", "64", "1024"]),
    (["lattice-sum", "--size", "4x4", "--width", "1024"], ["4x4", "1024"]),
    (["lattice-sum", "--size", "8x8", "--schedule", "fused3"], ["fused3", "fused2", "staged64"]),
    (["lattice-norm2", "--size", "8x8", "--schedule", "groups=0"], ["groups=0"]),
    (["lattice-axpy", "--size", "8x8", "--schedule", "items=33"], ["items=33", "1 to 32"]),
])
def test_bad_values_name_what_is_right(ridge, words, says):
    defaults = [] if "--size" in words else ["--size", "8x8"]
    ridge.bad("bench", *words, "--device", "simt:32", *defaults, says=says)
