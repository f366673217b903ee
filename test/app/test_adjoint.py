"""`--adjoint`: adjoints of stencils, compiled when they are asked for."""

import pytest

from user_kernels import cache, env, sources  # noqa: F401 -- fixtures

# What a result of two inputs may be made of; the second is read where the result is alone.
KERNELS = """
#include <ridge/stencil/kernel.hpp>
namespace mine {
struct Growth {
  static constexpr auto footprints = std::make_tuple(ridge::stencil::star<1, 2>(), ridge::stencil::point());
  double rate = 0.5;
  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& v) const {
    const auto mean = 0.25 * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0));
    return rate * max(mean, -0.5) * exp(-v(0, 0, 0)) + u(0, 0, 0) / (2 + v(0, 0, 0) * v(0, 0, 0));
  }
};
struct Power {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const { return u(1, 0, 0) * u(0, 0, 0) * u(-1, 0, 0); }
};
struct Counts {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const { return select(u(1, 0, 0) > u(0, 0, 0), 1, 0) + floor(u(-1, 0, 0)); }
};
struct Roots {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return by_lane([](auto v) { return v * v * v; }, u(1, 0, 0));
  }
};
// Its derivative says something else than its value.
template <class T, int N, class A>
RIDGE_FN ridge::Pack<T, N, A> twice(const ridge::Pack<T, N, A>& x) { return 2 * x; }
}
#include <ridge/core/dual.hpp>
namespace mine {
template <class T, int N, class A>
RIDGE_FN ridge::Pack<T, N, ridge::abi::Dual<A>> twice(const ridge::Pack<T, N, ridge::abi::Dual<A>>& x) {
  return {2 * x.value, 3 * x.derivative, x.active};
}
struct Wrong {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const { return u(1, 0, 0) + twice(u(0, 0, 0)); }
};
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    file = tmp_path_factory.mktemp("adjoint") / "kernels.hpp"
    file.write_text(KERNELS)
    return file


def bench(ridge, env, kernel, size, *more):
    records = ridge.good("bench", kernel, "--adjoint", "--size", size, "--repeat", 1, "--no-roof", "--json", *more,
                         env=env).records()
    for record in records:
        assert record["check"]["ok"] is True, record
        assert record["adjoint"]["dot_error"] < 1e-12
        assert abs(record["adjoint"]["slope"] - 2) < 0.1
    return records


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_a_linear_stencil_is_one_of_its_cotangent_alone(ridge, env, device):
    (record,) = bench(ridge, env, "laplacian", "35x19x11", "--device", device)
    assert record["pattern"] == "stencil" and record["kernel"] == "laplacian-adjoint"
    inside = 33 * 17 * 9
    assert record["items"] == inside and record["flops"] == 13 * inside
    (forward,) = ridge.good("bench", "laplacian", "--size", "35x19x11", "--repeat", 1, "--no-roof", "--device", device,
                            "--json", env=env).records()
    assert record["bytes_read"] == forward["bytes_read"] and record["bytes_written"] == forward["bytes_written"]


def test_both_gradients_of_diffusion_take_one_pass(ridge, env):
    records = bench(ridge, env, "diffusion", "21x13x10", "--device", "cpu", "--schedule", "all", "--precision", "fp32")
    assert len(records) > 1
    inside = 19 * 11 * 8
    star = inside + 2 * (19 * 11 + 19 * 8 + 11 * 8)
    for record in records:
        assert record["pattern"] == "chain"
        assert record["bytes_written"] == 2 * 4 * inside
        assert 3 * 4 * star <= record["bytes_read"] <= 3 * 4 * 21 * 13 * 10


def test_a_step_of_a_wave_gives_both_levels(ridge, env):
    (record,) = bench(ridge, env, "wave", "150x9", "--device", "simt:64")
    assert record["bytes_written"] == 2 * 8 * record["items"]
    assert record["bytes_read"] <= 8 * 150 * 9  # the cotangent alone


def test_kernels_in_files(ridge, env, kernels):
    (record,) = bench(ridge, env, f"{kernels}:mine::Growth", "67x21", "--set", "rate=0.75", "--device", "cpu")
    assert record["pattern"] == "chain"
    (record,) = bench(ridge, env, f"{kernels}:mine::Power", "1001", "--device", "cpu")
    assert record["pattern"] == "stencil"


def test_tuner_and_model_take_them(ridge, env, kernels, tmp_path):
    kernel = ("laplacian", "--adjoint", "--size", "64x32x16")
    tuned = ridge.good("tune", *kernel, "--device", "cpu", "--most", 2, "--budget", "20s", "--json",
                       env={**env, "RIDGE_WISDOM": str(tmp_path)})
    assert "laplacian-adjoint" in tuned.out
    assert "laplacian" in ridge.good("model", *kernel, "--on", "h200", env=env).out


def test_what_has_no_derivative_is_refused(ridge, env, kernels):
    ridge.bad("bench", f"{kernels}:mine::Counts", "--adjoint", "--size", 100, env=env,
              says=["mine::Counts", "has no derivative"])
    ridge.bad("bench", f"{kernels}:mine::Roots", "--adjoint", "--size", 100, env=env,
              says=["kernels.hpp:", "by_lane has no derivative"])
    ridge.bad("bench", "gravity", "--adjoint", "--size", 100, env=env, says=["gravity", "pairs", "stencils"])


def test_a_wrong_derivative_fails_the_check(ridge, env, kernels):
    result = ridge("bench", f"{kernels}:mine::Wrong", "--adjoint", "--size", 100, "--device", "cpu", "--no-roof",
                   "--repeat", 1, env=env)
    assert result.code == 1
    assert "central differences" in result.err
