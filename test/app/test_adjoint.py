"""`--adjoint`: adjoints of stencils, chains and pairs, compiled when they are asked for."""

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


# Interfaces between cells, one more than cells, and beyond the ends the last cell once more.
CHAIN = """
#include <ridge/chain/operation.hpp>
namespace mine {
using namespace ridge::chain;
inline constexpr Slot<0> u;
inline constexpr Slot<1> k;
inline constexpr Slot<2> flux;
inline constexpr Slot<3> v;
struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(u, Reach{{-2, 0, 0}, {1, 1, 0}}), read(k), write(flux)};
  static constexpr Domain domain{{}, {1, 0, 0}};
  double rate = 0.3;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(flux, rate * at(k) * (at(u) - at(u, -1) + 0.1 * at(u, 1, 1) * at(u, -2)));
  }
};
struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{read(u), read(flux, along_x(0, 1)), write(v)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(v, at(u) + (at(flux, 1) - exp(at(flux))));
  }
};
struct Heat {
  static constexpr const char* name = "heat";
  static constexpr std::array arrays{input("u"), input("k"), temporary("flux", {1, 0, 0}), output("v")};
  static constexpr std::array dimensions{independent(1, Edge::clamp), independent(0, Edge::periodic)};
  std::tuple<Flux, Update> operations;
};
}
"""

INTERACTIONS = """
#include <ridge/pairs/interaction.hpp>
namespace mine {
struct Springs {
  static constexpr int targets = 4, sources = 4, sums = 3, positions = 3, vector = 3;
  double softening_squared = 0.01;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    const V x = target[0] - source[0], y = target[1] - source[1], z = target[2] - source[2];
    const V near = ridge::rsqrt<ridge::Grade::exact>(x * x + y * y + z * z + softening_squared);
    const V pull = target[3] * exp(-source[3]) * (1 - source[3] * near);
    sum[0] += x * pull;
    sum[1] += y * pull;
    sum[2] += z * pull;
  }
};
struct Neighbours {
  static constexpr int targets = 1, sources = 1, sums = 1;
  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    sum[0] += select(target[0] < source[0], V(1), V(0));
  }
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


def test_a_chain_in_a_file(ridge, env, tmp_path):
    """By all inputs, at ends and interfaces, too: the proof has them, and the reference checks the launch."""
    file = tmp_path / "chain.hpp"
    file.write_text(CHAIN)
    (record,) = bench(ridge, env, f"{file}:mine::Heat", "37x11", "--set", "rate=0.4", "--device", "cpu")
    assert record["pattern"] == "chain" and record["kernel"].endswith("Heat-adjoint")


def test_chains_without_an_adjoint(ridge, env):
    ridge.bad("bench", "running-sum", "--adjoint", env=env, says=["running-sum has no adjoint here", "scan"])


def test_pairs_in_a_file(ridge, env, tmp_path):
    """One sum over the same near lists, by all components of bodies; the reference checks it."""
    file = tmp_path / "interactions.hpp"
    file.write_text(INTERACTIONS)
    (record,) = bench(ridge, env, f"{file}:mine::Springs", 211, "--set", "softening_squared=0.04", "--device", "cpu",
                      "--cutoff", 0.8)
    assert record["pattern"] == "pairs" and record["kernel"].endswith("Springs-adjoint")
    ridge.bad("bench", f"{file}:mine::Neighbours", "--adjoint", "--size", 100, env=env,
              says=["mine::Neighbours", "has no derivative"])


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
    ridge.bad("bench", "lattice-sum", "--adjoint", "--size", "4x4", env=env,
              says=["lattice-sum", "pattern lattice", "stencils, chains and pairs"])
    ridge.bad("bench", "diffusion", "--adjoint", "--size", "100x20", env=env,
              says="diffusion takes three dimensions, not 100x20")
