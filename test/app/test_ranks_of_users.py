"""Kernels of users over ranks: mpirun -n N ridge bench FILE.hpp:NAME"""

import json
import subprocess

import pytest

from over_ranks import ENVIRONMENT, MPICH, MPIRUN, lines_of_ridge, refused
from user_kernels import cache  # noqa: F401 -- a fixture


HEAT = """#include <ridge/stencil/kernel.hpp>
struct Heat {
  static constexpr auto footprint = ridge::stencil::star<1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + 0.1 * (u(-1, 0, 0) + u(1, 0, 0) - 2 * u(0, 0, 0));
  }
};
"""


@pytest.fixture(scope="module")
def heat(ridge, cache, tmp_path_factory):
    """A kernel of the user's, and the environment in which it is compiled already."""
    folder = tmp_path_factory.mktemp("heat")
    (folder / "heat.hpp").write_text(HEAT)
    environment = {**ENVIRONMENT, "RIDGE_CACHE": str(cache)}
    ridge.good("bench", folder / "heat.hpp:Heat", "--ranks", "1x1x1", "--device", "cpu", "--size",
               "64x64x22", "--repeat", 1, env=environment)
    return str(folder / "heat.hpp:Heat"), environment


def test_an_error_on_one_rank_ends_all_with_its_message(mpi, heat, tmp_path):
    """Rank 1 alone may not compile: its error ends all, which wait for it."""
    kernel, environment = heat
    wrapper = tmp_path / "start.sh"
    wrapper.write_text(
        "#!/bin/sh\n"
        'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then\n'
        '  export RIDGE_COMPILE=off RIDGE_CACHE="$RIDGE_CACHE-none"\n'
        'fi\n'
        'exec "$@"\n')
    wrapper.chmod(0o755)
    done = subprocess.run(
        [MPIRUN, "-n", "3", str(wrapper), mpi.program, "bench", kernel, "--device", "cpu",
         "--size", "64x64x64"],
        env=environment, capture_output=True, text=True, timeout=60, check=False)
    lines = lines_of_ridge(done.stderr)
    assert done.returncode == 1 or (done.returncode != 0 and MPICH)
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("ridge: rank 1: ") and "RIDGE_COMPILE" in lines[0]


def test_a_kernel_of_the_users(mpi, heat):
    kernel, environment = heat
    done = subprocess.run(
        [MPIRUN, "-n", "2", mpi.program, "bench", kernel, "--size", "33x31x29", "--repeat", "1",
         "--device", "cpu", "--json"],
        env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)
    assert record["check"]["ok"] and record["ranks"] == 2


CHAIN = """#include <ridge/chain/operation.hpp>
using namespace ridge::chain;
inline constexpr Slot<0> u;
inline constexpr ProfileSlot<1> weight;
inline constexpr Slot<2> flux;
inline constexpr Slot<3> v;
struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(u, {{-1, -1, 0}, {0, 2, 0}}), read(weight), write(flux)};
  static constexpr Domain domain{{}, {0, 1, 0}};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const bool wall = at.y() == 0 || at.y() == at.extent_y();
    at.set(flux, (wall ? 0.0 : 0.25) * at(weight) * (at(u, -1, -1) + at(u, 0, 2)));
  }
};
struct Move {
  static constexpr const char* name = "move";
  static constexpr std::array accesses{read(u), read(flux, along_y(0, 1)), write(v)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(v, at(u) - at(flux, 0, 1) + at(flux)); }
};
struct Winds {
  static constexpr const char* name = "winds";
  static constexpr std::array arrays{input("u"), profile("weight", {0, 1, 0}),
                                     temporary("flux", {0, 1, 0}), output("v")};
  static constexpr std::array dimensions{independent(1, Edge::periodic),
                                         independent(1, Edge::clamp)};
  std::tuple<Flux, Move> operations;
};
struct Around {
  static constexpr const char* name = "around";
  static constexpr std::array arrays{input("u", {0, 1, 0}), profile("weight", {0, 1, 0}),
                                     temporary("flux", {0, 1, 0}), output("v")};
  static constexpr std::array dimensions{independent(1, Edge::periodic),
                                         independent(1, Edge::periodic)};
  std::tuple<Flux, Move> operations;
};
"""


@pytest.fixture(scope="module")
def chains(ridge, cache, tmp_path_factory):
    """A file of chains, and the environment in which one is compiled already."""
    folder = tmp_path_factory.mktemp("winds")
    (folder / "winds.hpp").write_text(CHAIN)
    environment = {**ENVIRONMENT, "RIDGE_CACHE": str(cache)}
    (record,) = ridge.good(
        "bench", folder / "winds.hpp:Winds", "--ranks", "1x1", "--device", "cpu", "--size", "33x29",
        "--precision", "fp64", "--repeat", 1, "--json", env=environment, limit=300).records()
    assert record["check"]["ok"] and record["exchange_bytes"] == 0
    return str(folder / "winds.hpp"), environment


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks, grid, device, precision", [
    (3, "1x3", "cpu", "fp64"), (4, "2x2", "simt:32", "fp32")])
def test_a_chain_of_the_users(mpi, chains, ranks, grid, device, precision):
    file, environment = chains
    (record,) = mpi(ranks, "bench", f"{file}:Winds", "--size", "33x29", "--ranks", grid, "--device",
                    device, "--precision", precision, "--repeat", 1, "--json",
                    env=environment).records()
    assert record["check"]["ok"] and record["ranks"] == ranks
    assert record["rank_grid"] == f"{grid}x1" and record["size"] == [33, 29]
    assert record["carrier"] == "host" and record["exchange_bytes"] > 0
    assert record["items"] == 33 * 29 and record["kernel"] == "Winds"
    if grid == "1x3":  # flux reads a row before and two behind, and the next cell's flux one more
        assert record["exchange_bytes"] == 2 * (1 + 3) * 33 * 8


def test_chains_that_cannot_be_divided(ridge, mpi, chains):
    file, environment = chains
    words = ("bench", f"{file}:Around", "--device", "cpu", "--size", "33x29")
    refused(mpi(2, *words, "--ranks", "1x2", env=environment),
            "chain 'around' cannot be divided along y: it goes round")
    refused(mpi(2, *words, env=environment), "2 ranks are too many for chain 'around'")
    words = ("bench", f"{file}:Winds", "--device", "cpu")
    refused(mpi(3, *words, "--size", "33x8", "--ranks", "1x3", env=environment),
            "8 points along y are too few for 3 ranks: each must own at least 3")
    refused(mpi(2, *words, "--ranks", "1x3", env=environment), "grid of 3 ranks, and 2 were started")
    for wrong, says in (("--size", "9x9x9"), "Winds has 2 dimensions"), (("--precision", "half"), "unknown precision 'half'"):
        ridge.bad(*words, "--ranks", "1x1", *wrong, says=says, env=environment)
    refused(mpi(2, *words, "--schedule", "no=1", env=environment), "'no'")
