"""`--adjoint`: adjoints of stencils, compiled when they are asked for."""

import pytest

from user_kernels import cache, env  # noqa: F401 -- fixtures

# Terms of which a result of two inputs may be made; the second is read where the result is alone.
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
struct Counts {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const { return select(u(1, 0, 0) > u(0, 0, 0), 1, 0) + floor(u(-1, 0, 0)); }
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
def test_a_linear_step_is_a_stencil_of_its_cotangent_alone(ridge, env, device):
    (record,) = bench(ridge, env, "heat", "35x19x11", "--device", device)
    assert record["pattern"] == "stencil" and record["kernel"] == "heat-adjoint"
    inside = 33 * 17 * 9
    assert record["items"] == inside and record["flops"] == 13 * inside
    assert record["bytes_written"] == 8 * inside
    assert record["bytes_read"] == 8 * (inside + 2 * (33 * 17 + 33 * 9 + 17 * 9))  # those of the step


def test_all_gradients_of_a_kernel_in_a_file_take_one_pass(ridge, env, kernels):
    records = bench(ridge, env, f"{kernels}:mine::Growth", "67x21", "--set", "rate=0.75", "--device", "cpu",
                    "--schedule", "all")
    assert len(records) > 1
    for record in records:
        assert record["pattern"] == "chain"
        assert record["bytes_written"] == 2 * 8 * 67 * 21  # as chains count: whole arrays
        assert record["bytes_read"] == 3 * 8 * 67 * 21


def test_tuner_model_and_doctor_take_them(ridge, env, tmp_path):
    kernel = ("heat", "--adjoint", "--size", "35x19x11")
    tuned = ridge.good("tune", *kernel, "--device", "cpu", "--most", 1, "--budget", "20s", "--json",
                       env={**env, "RIDGE_WISDOM": str(tmp_path / "wisdom")})
    assert "heat-adjoint" in tuned.out
    for command in ("model", "doctor"):
        assert "heat-adjoint" in ridge.good(command, *kernel, "--on", "h200", env=env).out


def test_what_has_no_derivative_is_refused(ridge, env, kernels):
    ridge.bad("bench", f"{kernels}:mine::Counts", "--adjoint", "--size", 100, env=env,
              says=["mine::Counts", "has no derivative"])
    ridge.bad("bench", "gravity", "--adjoint", "--size", 100, env=env, says=["gravity", "pairs", "stencils"])
    ridge.bad("bench", "diffusion", "--adjoint", "--size", "100x20", env=env,
              says="diffusion takes three dimensions, not 100x20")
