"""`--store-as p=fp16,c=fp32` of systems: media that stay fp32 beside arrays of 16 bits, bit by bit."""

import numpy as np
import pytest

from system_runs import read, write
from test_stored import ROUNDED

pytestmark = pytest.mark.usefixtures("folder")

MEDIUM = """#include <ridge/chain/operation.hpp>
#include <ridge/chain/system/conditions.hpp>

inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> v;
inline constexpr ridge::chain::Slot<2> k;
inline constexpr ridge::chain::Slot<3> m;

struct Push {
  static constexpr const char* name = "push";
  static constexpr std::array accesses{read(u, ridge::chain::along_y(0, 1)), read(k, ridge::chain::along_y(0, 1)),
                                       read(v), write(v)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(v, at(v) + at(k) * at(u) - at(k, 0, 1) * at(u, 0, 1)); }
};
struct Pull {
  static constexpr const char* name = "pull";
  static constexpr std::array accesses{read(v, ridge::chain::along_x(-1, 1)), read(k, ridge::chain::along_x(-1, 1)),
                                       read(m), read(u), write(u)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(u, at(u) + at(m) * at(v) - at(k, -1) * at(v, -1) + at(k, 1) * at(v, 1));
  }
};
struct Medium {
  static constexpr const char* name = "medium";
  static constexpr std::array arrays{ridge::chain::update("u"), ridge::chain::update("v"), ridge::chain::input("k"),
                                     ridge::chain::input("m")};
  static constexpr std::array dimensions{ridge::chain::given(1), ridge::chain::given(1)};
  std::tuple<Push, Pull> operations;
};
"""


def coefficients(random, shape):
    """12 bits, more than arrays of 16 bits hold, and few enough that products with them are exact: however a compiler
    contracts sums, they are the same. Some are negative, or 0 with either sign, and low halves are of all kinds."""
    k = random.integers(-4096, 4096, shape).astype("f4") / np.float32(2**15)
    k.flat[::7] = -0.0
    return k


def right_values(u, v, k, m, steps, rounded, mode):
    def at(f, dx, dy):
        wide = np.pad(f, 1, mode="wrap" if mode == "periodic" else "symmetric")
        return wide[1 + dy:wide.shape[0] - 1 + dy, 1 + dx:wide.shape[1] - 1 + dx]
    for _ in range(steps):
        v = rounded(v + k * u - at(k, 0, 1) * at(u, 0, 1))
        u = rounded(u + m * v - at(k, -1, 0) * at(v, -1, 0) + at(k, 1, 0) * at(v, 1, 0))
    return u, v


def run(ridge, *words):
    ran = ridge("evolve", *words, "--json")
    assert ran.code == 0, ran.err  # which may say that it compiles
    return ran.records()[0]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """One file, so that it is compiled once."""
    file = tmp_path_factory.mktemp("kernel") / "medium.hpp"
    file.write_text(MEDIUM)
    return f"{file}:Medium"


@pytest.fixture
def medium(folder):
    random = np.random.default_rng(17)

    def make(shape):
        u, v = random.standard_normal((2, *shape)).astype("f4")
        k, m = coefficients(random, shape), coefficients(random, shape)
        write(u=u, v=v, k=k, m=m)
        return u, v, k, m
    return make


MIXED = "v=fp16,k=fp32,m=fp16"


@pytest.mark.in_turn
@pytest.mark.parametrize("storage, device", [(MIXED, "cpu"), ("u=bf16,k=fp32", "simt:32")])
def test_a_medium_in_fp32_has_its_bits(ridge, kernel, medium, storage, device):
    kind = "bf16" if "bf16" in storage else "fp16"
    rounded = ROUNDED[kind]
    for shape, mode in (((9, 40), "periodic"), ((11, 41), "mirror")):
        u, v, k, m = medium(shape)
        assert not np.array_equal(rounded(k), k)
        record = run(ridge, kernel, "in.h5", "-o", "out.h5", "--overwrite", "--steps", "6", "--boundary", f"x={mode},y={mode}",
                     "--store-as", storage, "--device", device)
        if "m=fp16" in storage:
            m = rounded(m)
        found = read("u", "v")
        right = right_values(rounded(u), rounded(v), k, m, 6, rounded, mode)
        np.testing.assert_array_equal(found[0], right[0])
        np.testing.assert_array_equal(found[1], right[1])
        assert np.isfinite(right[0]).all() and np.abs(right[0]).max() > 0.1
        points = shape[0] * shape[1]
        wide = 1 if "m=fp16" in storage else 2
        assert record["bytes_read"] == (2 * (4 - wide) + 4 * wide) * points and record["bytes_written"] == 4 * points
        assert record["precision"] == kind and record["storage"] == storage and record["arithmetic"] == "fp32"


WORDS = ["--boundary", "x=periodic", "--store-as", MIXED, "--device", "cpu", "--every", "50"]


def test_a_run_goes_on(ridge, kernel, medium):
    medium((10, 24))
    run(ridge, kernel, "in.h5", "-o", "whole.h5", "--steps", "7", *WORDS)
    run(ridge, kernel, "in.h5", "-o", "part.h5", "--steps", "3", *WORDS)
    record = run(ridge, "--restart", "part.h5", "--steps", "4")
    assert record["storage"] == MIXED
    for one, other in zip(read("u", "v", file="part.h5"), read("u", "v", file="whole.h5")):
        np.testing.assert_array_equal(one, other)


def test_ranks_have_the_bits_of_one(ridge, mpi, kernel, medium):
    medium((10, 24))
    run(ridge, kernel, "in.h5", "-o", "whole.h5", "--steps", "7", *WORDS)
    ran = mpi(2, "evolve", kernel, "in.h5", "-o", "ranks.h5", "--steps", "7", *WORDS, "--ranks", "1x2x1")
    assert ran.code == 0, ran.err
    for one, other in zip(read("u", "v", file="ranks.h5"), read("u", "v", file="whole.h5")):
        np.testing.assert_array_equal(one, other)


def test_a_medium_that_16_bits_hold_changes_no_bit(ridge):
    random = np.random.default_rng(18)
    shape = (9, 10, 12)
    write(p=random.standard_normal(shape).astype("f4"),
          **{name: 1 + random.integers(0, 64, shape).astype("f4") / 64 for name in ("c", "rho")})
    found = []
    for storage in ("fp16", "p=fp16"):  # the kernel of the benchmark below
        ran = ridge("evolve", "acoustic", "in.h5", "-o", "out.h5", "--steps", "3", "--dt", "0.1", "--boundary",
                    "z-=antimirror", "--store-as", storage, "--device", "cpu", "--overwrite")
        assert ran.code == 0, ran.err
        found.append(read("p").tobytes())
    assert found[1] == found[0]


@pytest.mark.in_turn
@pytest.mark.parametrize("storage, device", [("p=fp16", "cpu"), ("vx=bf16,c=bf16", "simt:32")])
def test_benchmarks_hold(ridge, storage, device):
    ran = ridge("bench", "acoustic", "--device", device, "--size", "34x10x7", "--schedule", "all", "--repeat", "1",
                "--json", "--store-as", storage)
    assert ran.code == 0, ran.err
    records = ran.records()
    assert len(records) >= 3 and all(r["check"]["ok"] for r in records)
    assert "rho=fp32" in records[0]["storage"]


@pytest.mark.parametrize("storage, says", [
    ("u=fp16,q=fp32", "no array 'q'; there are u, v, k, m"),
    ("u=fp32", "steps change 'u': such arrays are all in 16 bits"),
    ("k=fp16", "an array that steps change is named, which stands for all of them: u=fp16"),
    ("u=fp16,v=bf16", "arrays of 16 bits are all fp16 or all bf16"),
    ("u=int8", "'u' is stored as fp16, bf16 or fp32, not as 'int8'"),
    ("u=fp16,u=fp16", "'u' is given twice"),
    ("u=fp16,k", "'k' is no ARRAY=fp16, bf16 or fp32"),
])
def test_what_is_refused(ridge, kernel, medium, storage, says):
    medium((5, 6))
    for words in (("evolve", kernel, "in.h5", "-o", "out.h5", "--steps", "1"),
                  ("bench", kernel, "--size", "8x8")):
        ridge.bad(*words, "--device", "cpu", "--store-as", storage, says=f"--store-as {storage}: {says}")
