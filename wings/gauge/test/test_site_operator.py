"""Operators on lattice fields in a file of the user's own: FILE.hpp:Name."""

import math
import pathlib

import pytest

from over_ranks import ENVIRONMENT
from user_kernels import cache, env  # noqa: F401 -- fixtures

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples/site_operator/laplacian.hpp"
LAPLACIAN, HOPS = f"{EXAMPLE}:Laplacian", f"{EXAMPLE}:Hops"
SIZE = ("--size", "4x6x2x4")
SITES = 4 * 6 * 2 * 4
MASS = ("--set", "mass=0.7")  # everywhere: a description is compiled for the members that are set

# A factor of its own for each neighbour: a wrong one shows.
OWN = """
#include <ridge/lattice/site_operator.hpp>
struct Lopsided : ridge::lattice::SiteOperator {
  template <class T> using Site = ridge::lattice::Spinor<T>;
  static constexpr double flops = 1;
  template <class At> RIDGE_FN auto operator()(const At& at) const {
    auto sum = at.number(0.5) * at.here();
    double factor = 1;
    ridge::lattice::each_direction([&](auto mu) {
      sum += at.number(factor) * (at.link(mu) * at.ahead(mu)) - at.number(factor + 0.25) * (at.link_behind(mu) * at.behind(mu));
      factor = factor + 1;
    });
    return sum;
  }
};
struct Scalar : ridge::lattice::SiteOperator {
  template <class T> using Site = ridge::lattice::Complex<T>;
  static constexpr double flops = 18;
  static constexpr bool links = false;
  template <class At> RIDGE_FN auto operator()(const At& at) const {
    auto sum = at.number(-8) * at.here();
    ridge::lattice::each_direction([&](auto mu) { sum = sum + at.ahead(mu) + at.behind(mu); });
    return sum;
  }
};
struct NoFlops : ridge::lattice::SiteOperator {
  template <class T> using Site = ridge::lattice::ColourVector<T>;
  template <class At> RIDGE_FN auto operator()(const At& at) const { return at.here(); }
};
struct Real : ridge::lattice::SiteOperator {
  template <class T> using Site = T;
  static constexpr double flops = 1;
  template <class At> RIDGE_FN auto operator()(const At& at) const { return at.here(); }
};
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    file = tmp_path_factory.mktemp("own") / "own.hpp"
    file.write_text(OWN)
    return file


def bench(ridge, env, kernel, *words):
    return ridge.good("bench", kernel, *words, "--repeat", 1, "--no-roof", "--json", env=env).records()


@pytest.mark.in_turn
@pytest.mark.parametrize("device, precision, words, link", [
    ("cpu", "fp32", ["--site", "links12"], 12 * 4), ("simt:32", "fp64", ["--schedule", "width8"], 18 * 8)])
def test_it_is_checked_and_accounted(ridge, env, device, precision, words, link):
    (record,) = bench(ridge, env, LAPLACIAN, "--device", device, *SIZE, "--precision", precision, *MASS, *words)
    assert record["kernel"] == "Laplacian" and record["pattern"] == "lattice"
    assert record["check"]["ok"] is True and record["items"] == SITES
    assert "--schedule" not in words or record["schedule_name"] == "width8"
    real = 8 if precision == "fp64" else 4
    assert record["bytes_read"] == SITES * (4 * link + 6 * real)
    assert record["bytes_written"] == SITES * 6 * real
    assert record["flops"] == 582 * SITES and record["flops_per_second"] > 0


def test_from_odd_sites_to_even_ones(ridge, env):
    (record,) = bench(ridge, env, HOPS, "--device", "simt:32", *SIZE)
    assert record["check"]["ok"] is True and record["items"] == SITES // 2
    assert record["bytes_read"] == SITES // 2 * (8 * 18 + 6) * 8
    assert record["site"].endswith("even sites")


@pytest.mark.in_turn
@pytest.mark.parametrize("kernel, device, size, grid, reals", [
    ("Lopsided", "simt:32", "6x4x2x8", "1x2x1x2", 4 * 18 + 24), ("Scalar", "simt:64", "7x4x2x6", "2x1x1x2", 2),
    (HOPS, "simt:32", "8x6x2x4", "2x1x1x2", None)])
def test_every_neighbour_is_right_on_any_ranks(ridge, mpi, env, own, kernel, device, size, grid, reals):
    kernel = kernel if ":" in kernel else f"{own}:{kernel}"
    words = ("--device", device, "--size", size)
    (alone,) = bench(ridge, env, kernel, *words, "--ranks", "1x1x1x1")
    assert alone["check"]["ok"] is True
    if reals is not None:
        assert alone["bytes_read"] == math.prod(map(int, size.split("x"))) * reals * 8
    result = mpi(4, "bench", kernel, *words, "--ranks", grid, "--repeat", 1, "--no-roof", "--json",
                 env={**ENVIRONMENT, **env})
    assert result.code == 0, result.err
    (record,) = result.records()
    assert record["check"]["ok"] is True and record["ranks"] == 4 and record["exchange_bytes"] > 0
    assert record["result_bits"] == alone["result_bits"]


def test_schedules_tuning_model_and_doctor(ridge, env):
    assert "streaming" in ridge.good("schedules", HOPS, "--device", "cpu", env=env).out
    assert "Laplacian" in ridge.good("tune", LAPLACIAN, *MASS, "--device", "cpu", *SIZE, "--precision", "fp32", "--site",
                                     "links12", env=env).out
    modelled = ridge.good("model", LAPLACIAN, *MASS, "--on", "h200", "--size", "32x32x32x64", "--schedule", "all",
                          env=env).out
    assert "width8" in modelled
    told = ridge.good("doctor", LAPLACIAN, *MASS, "--on", "h100", "--size", "32x32x32x64", "--schedule",
                      "bounds=512 resident=2", env=env).out
    assert "spilled-registers" in told


@pytest.mark.parametrize("kernel, words, says", [
    (LAPLACIAN, [*MASS, "--size", "4x4x4"], ["four dimensions", "4x4x4 has 3"]),
    (LAPLACIAN, [*MASS, *SIZE, "--precision", "fixed16"], ["fixed16", "fp32 and fp64"]),
    (LAPLACIAN, [*MASS, *SIZE, "--site", "spinor"], ["links18 or links12"]),
    (HOPS, ["--size", "4x3x4x4"], ["all extents are even", "3 along y"]),
])
def test_bad_values_name_what_is_right(ridge, env, kernel, words, says):
    ridge.bad("bench", kernel, *words, "--device", "simt:32", says=says, env=env)


@pytest.mark.parametrize("name, says", [("Real", "complex numbers"), ("NoFlops", "operations a result")])
def test_what_is_no_operator_is_refused(ridge, env, own, name, says):
    ridge.bad("bench", f"{own}:{name}", *SIZE, "--device", "cpu", says=says, env=env)
