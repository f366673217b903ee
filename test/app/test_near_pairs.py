"""`ridge bench --cutoff`: interactions by lists of near pairs."""

import pytest


def bench(ridge, *words):
    return ridge.good("bench", *words, "--no-roof", "--repeat", 1, "--json").records()


@pytest.mark.parametrize("device, size", [("cpu", 4000), ("simt:32", 200), ("simt:64", 200)])
@pytest.mark.parametrize("box, precision", [("periodic", "fp32"), ("open", "fp64")])
def test_records_are_checked_and_say_what_was_computed(ridge, device, size, box, precision):
    records = bench(ridge, "lennard-jones", "--device", device, "--size", size, "--cutoff", 2, "--box", box,
                    "--precision", precision, "--schedule", "all")
    assert len(records) >= 2
    for r in records:
        assert r["check"]["ok"] and r["size"] == [size]
        assert r["items"] == r["asked"] <= r["computed"]
        assert r["flops"] == 26 * r["asked"]
        assert r["list_bytes"] > 0 and r["build_seconds"] > 0 and r["look_seconds"] > 0
        assert r["bodies_per_second"] == pytest.approx(size / r["seconds"])
    if box == "periodic":  # 4/3 pi 2^3 0.8442, all bodies having as many neighbours
        assert records[0]["asked"] / size == pytest.approx(28.3, rel=0.15)


def test_interactions_that_do_not_end_at_the_cutoff(ridge):
    result = ridge("bench", "coulomb", "--device", "cpu", "--size", 2000, "--cutoff", 1.5, "--density", 2,
                   "--no-roof", "--repeat", 1, "--json")  # compiled on demand
    assert result.records()[0]["check"]["ok"]



@pytest.mark.parametrize("words, said", [
    (["lennard-jones", "--cutoff", 0], "must be positive"),
    (["lennard-jones", "--cutoff", -2], "must be positive"),
    (["lennard-jones", "--cutoff", 9, "--size", 100], "more than half of the period"),
    (["lennard-jones", "--cutoff", 2, "--density", 0], "--density 0"),
    (["lennard-jones", "--cutoff", 2, "--skin", -1], "skin -1"),
    (["lennard-jones", "--cutoff", 2, "--box", "round"], "periodic or open"),
    (["lennard-jones", "--cutoff", 2, "--schedule", "share=3"], "share=3: expected 0, 2, 4, 8, 16"),
    (["lennard-jones", "--skin", 0.1], "go with --cutoff"),
    (["laplacian", "--cutoff", 2], "is for interactions"),
])
def test_bad_options(ridge, words, said):
    ridge.bad("bench", *words, "--device", "cpu", "--no-roof", says=said)
