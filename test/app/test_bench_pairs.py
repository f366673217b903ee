"""`ridge bench` of interactions between bodies."""

import pytest


def bench(ridge, *words, **options):
    return ridge.good("bench", *words, "--json", **options).records()


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
@pytest.mark.parametrize("precision", ["fp32", "fp64", "mixed"])
def test_gravity(ridge, device, precision):
    (record,) = bench(ridge, "gravity", "--device", device, "--size", 300, "--precision", precision,
                      "--repeat", 3)
    assert record["pattern"] == "pairs"
    assert record["precision"] == precision
    assert record["size"] == [300]
    assert record["items"] == 300 * 299
    assert record["flops"] == 23 * 300 * 299
    assert "23 operations an interaction" in record["convention"]
    stored, summed = (4, 4) if precision == "fp32" else (8, 8)
    assert record["bytes_read"] == 300 * 4 * stored
    assert record["bytes_written"] == 300 * 4 * summed
    assert record["achieved_unit"] == "interactions/s"
    assert record["achieved"] == pytest.approx(record["items"] / record["seconds"], rel=1e-6)
    assert record["check"]["ok"] is True
    assert record["check"]["max_error"] < (1e-11 if precision == "fp64" else 1e-4)
    if device == "cpu":
        assert record["roof_name"] == "issue" and record["fraction"] > 0
    else:
        assert record["roof"] is None


def test_single_precision_is_the_default(ridge):
    (record,) = bench(ridge, "gravity", "--device", "simt:32", "--size", 64, "--repeat", 1)
    assert record["precision"] == "fp32"


def test_the_three_approaches_have_names(ridge):
    records = bench(ridge, "gravity", "--device", "simt:32", "--size", 200, "--schedule", "all",
                    "--repeat", 1)
    assert [r["schedule_name"] for r in records] == ["shared", "shuffle", "both", "direct",
                                                     "symmetric", "default"]
    assert all(r["check"]["ok"] for r in records)


@pytest.mark.parametrize("kernel", ["coulomb", "lennard-jones", "gaussian", "biot-savart"])
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_other_interactions(ridge, kernel, precision):
    (record,) = bench(ridge, kernel, "--device", "simt:64", "--size", 150, "--precision", precision,
                      "--repeat", 1)
    assert record["kernel"] == kernel and record["check"]["ok"] is True


@pytest.mark.parametrize("device, schedule", [
    ("cpu", "tile=3"), ("simt:32", "shared tile=3 unroll=5"), ("simt:64", "symmetric tile=2 block=128"),
])
def test_any_possible_tile_is_compiled_on_demand(ridge, device, schedule):
    (record,) = bench(ridge, "gravity", "--device", device, "--size", 300, "--schedule", schedule,
                      "--repeat", 1, "--no-roof")
    assert record["check"]["ok"] is True and record["compiled"] in ("now", "cached")
    assert set(schedule.split()) - {"shared", "symmetric"} <= set(record["schedule"].split())


def test_large_sums_are_checked_at_some_targets(ridge):
    (record,) = bench(ridge, "gravity", "--device", "cpu", "--size", 20000, "--repeat", 3, "--no-roof")
    assert record["check"]["against"] == "reference at 10000 of 20000 targets"


def test_a_body_alone(ridge):
    (record,) = bench(ridge, "gravity", "--device", "simt:32", "--size", 1, "--repeat", 1)
    assert record["items"] == 0 and record["check"]["ok"] is True


@pytest.mark.parametrize("words, says", [
    (["--size", "10x10"], "takes a number of bodies"),
    (["--precision", "fp16"], "has fp32, fp64 and mixed"),
    (["--schedule", "fast"], "the names are auto, shared, shuffle, both, direct, symmetric"),
    (["--schedule", "tile=17"], "expected 1 to 16"),
    (["--schedule", "shared tile=8 block=256"], "blocks of at most 128 threads"),
    (["--schedule", "symmetric split=2"], "form=symmetric goes with"),
    (["--site", "spinor"], "--site is for lattice kernels"),
])
def test_bad_input(ridge, words, says):
    ridge.bad("bench", "gravity", "--device", "simt:32", *words, says=says)


def test_mixed_precision_is_of_what_bodies_give_each_other(ridge):
    (record,) = bench(ridge, "coulomb", "--device", "cpu", "--size", 300, "--precision", "mixed",
                      "--repeat", 1, "--no-roof")
    assert record["precision"] == "mixed" and record["check"]["ok"] is True
    ridge.bad("bench", "gaussian", "--device", "cpu", "--precision", "mixed",
              says="gaussian has fp32 and fp64")


@pytest.mark.parametrize("kernel", ["coulomb", "biot-savart"])
def test_each_pair_once(ridge, kernel):
    (record,) = bench(ridge, kernel, "--device", "simt:32", "--size", 1500, "--schedule",
                      "symmetric", "--repeat", 1)
    assert "form=symmetric" in record["schedule"] and record["check"]["ok"] is True
