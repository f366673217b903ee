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
        assert r["step_seconds"] > r["seconds"]
        assert r["bodies_per_second"] == pytest.approx(size / r["seconds"])
    if box == "periodic":  # 4/3 pi 2^3 0.8442, all bodies having as many neighbours
        assert records[0]["asked"] / size == pytest.approx(28.3, rel=0.15)


def test_interactions_that_do_not_end_at_the_cutoff(ridge):
    result = ridge("bench", "coulomb", "--device", "cpu", "--size", 2000, "--cutoff", 1.5, "--density", 2,
                   "--no-roof", "--repeat", 1, "--json")  # compiled on demand
    assert result.records()[0]["check"]["ok"]


def test_a_cutoff_beyond_all_bodies(ridge):
    """Positions were rounded to a thousandth of it: bodies were at one place."""
    (r,) = bench(ridge, "lennard-jones", "--device", "cpu", "--size", 200, "--cutoff", 1e6, "--box", "open")
    assert r["check"]["ok"] and r["asked"] == 200 * 199


def test_an_interaction_of_the_users_own(ridge, folder):
    (folder / "my.hpp").write_text("""
struct Yukawa { // charges screened over a length; not cut off itself
  static constexpr int targets = 3, sources = 4, sums = 2, positions = 3;
  static constexpr double flops = 20;
  double length = 0.5;
  template <class V> RIDGE_FN void operator()(const V* t, const V* s, V* sum) const {
    const V x = t[0] - s[0], y = t[1] - s[1], z = t[2] - s[2];
    const V r = ridge::sqrt(x * x + y * y + z * z + V(1e-4));
    sum[0] += s[3] * ridge::exp(r * V(-1 / length)) / r;
    sum[1] += V(1);
  }
};
struct Line { static constexpr int targets = 1, sources = 1, sums = 1, positions = 1;
  template <class V> RIDGE_FN void operator()(const V* t, const V* s, V* sum) const { sum[0] += t[0] - s[0]; }
};
""")
    for box in ["periodic", "open"]:
        out = ridge("bench", "./my.hpp:Yukawa", "--device", "cpu", "--size", 1000, "--cutoff", 1, "--density", 5,
                    "--box", box, "--set", "length=0.7", "--precision", "fp64", "--no-roof", "--repeat", 1,
                    "--json")
        assert out.code == 0, out.err  # where compiling takes long it says so
        (record,) = out.records()
        assert record["check"]["ok"] and record["flops"] == 20 * record["asked"]
    refused = ridge("bench", "./my.hpp:Line", "--size", 100, "--cutoff", 1, "--no-roof", "--device", "cpu")
    assert refused.code == 2 and "has no cutoff" in refused.err


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


@pytest.mark.parametrize("kernel, device, size", [("coulomb", "cpu", 3000), ("biot-savart", "simt:32", 300)])
def test_far_bodies_by_proxies(ridge, kernel, device, size):
    errors = []
    for degree in (1, 3):
        out = ridge("bench", kernel, "--device", device, "--size", size, "--theta", 0.7, "--degree", degree,
                    "--precision", "fp64", "--no-roof", "--repeat", 1, "--json")  # compiled on demand
        (r,) = out.records()
        assert r["check"]["ok"] and r["theta"] == 0.7 and r["degree"] == degree
        errors.append(r["check"]["max_error"])
    assert errors[1] < errors[0] / 4


def test_few_proxies_of_what_is_not_smooth_fail(ridge, folder):
    """Single bodies may be off by more than their terms at degree 1 and theta 1, all together not."""
    (folder / "my.hpp").write_text("""
struct Ripples { // shorter than nodes
  static constexpr int targets = 3, sources = 4, sums = 1, positions = 3;
  template <class V> RIDGE_FN void operator()(const V* t, const V* s, V* sum) const {
    const V x = t[0] - s[0], y = t[1] - s[1], z = t[2] - s[2];
    sum[0] += s[3] * ridge::sin(V(60) * x) * ridge::sin(V(60) * y) * ridge::sin(V(60) * z);
  }
};
""")
    words = "bench", "./my.hpp:Ripples", "--device", "cpu", "--size", 1500, "--precision", "fp64", "--no-roof", "--repeat", 1
    failed = ridge(*words, "--theta", 1, "--degree", 1)
    assert failed.code == 1 and "5.0e-01 at most at this degree and theta" in failed.err + failed.out
    assert ridge(*words, "--theta", 0).code == 0


@pytest.mark.parametrize("kernel, device, size, error, degree", [
    ("coulomb", "cpu", 3000, 1e-2, None), ("coulomb", "cpu", 3000, 1e-6, None), ("biot-savart", "simt:32", 300, 1e-4, 3)])
def test_an_error_chooses_theta_and_degree(ridge, kernel, device, size, error, degree):
    (r,) = ridge("bench", kernel, "--device", device, "--size", size, "--error", error, "--precision", "fp64",
                 *(["--degree", degree] if degree else []), "--no-roof", "--repeat", 1, "--json").records()
    assert r["check"]["ok"] and r["error_asked"] == error and r["error_sample"] > 100
    assert r["error_rms"] <= error
    assert 0 <= r["theta"] <= 0.9 and (degree is None or r["degree"] == degree)


@pytest.mark.parametrize("words, said", [
    (["coulomb", "--theta", 1.2], "theta 1.2: of a far field by proxies it is from 0"),
    (["coulomb", "--theta", 0.5, "--degree", 9], "degree 9: polynomials have a degree from 1 to 8"),
    (["coulomb", "--degree", 3], "--degree goes with --theta"),
    (["gravity-tree", "--theta", 0.5, "--degree", 3], "--degree goes with --theta or --error of an interaction"),
    (["coulomb", "--theta", 0.5, "--error", 1e-3], "give one of them"),
    (["coulomb", "--error", 1e-7], "error 1e-07: by proxies in fp32 it can be from 1e-05 to 0.1"),
    (["coulomb", "--error", 1e-3, "--degree", 9], "degree 9: polynomials"),
    (["coulomb", "--error", 1e-3, "--cutoff", 1], "goes without --cutoff"),
    (["laplacian", "--error", 1e-3], "is for interactions and trees"),
    (["coulomb", "--theta", 0.5, "--cutoff", 1], "goes without --cutoff"),
    (["laplacian", "--theta", 0.5], "is for interactions and trees"),
])
def test_bad_far_fields(ridge, words, said):
    ridge.bad("bench", *words, "--device", "cpu", "--size", 200, "--no-roof", says=said)
