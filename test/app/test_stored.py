"""`--store-as`: fields in 16 bits, whose results are those of fp32, rounded once."""

import h5py
import numpy as np
import pytest

OWN = """
#include <ridge/stencil.hpp>
struct Mixed {
  static constexpr auto footprints = std::make_tuple(ridge::stencil::star<1>(), ridge::stencil::point());
  double rate = 0.25;
  template <class N, class M>
  RIDGE_FN auto operator()(const N& u, const M& k) const {
    return u(0, 0, 0) + rate * exp(k(0, 0, 0)) * (u(1, 0, 0) - 2 * u(0, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) -
                                                  u(0, 0, -1));
  }
};
"""


def bf16(values):
    """Rounded to the first 16 bits, ties to even."""
    bits = values.astype("<f4").view("<u4").astype(np.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16).astype("<u4").view("<f4")


ROUNDED = {"fp16": lambda v: v.astype("f2").astype("f4"), "bf16": bf16}


def write(file, values):
    with h5py.File(file, "w") as h5:
        h5["u"] = values


def read(file):
    with h5py.File(file) as h5:
        return h5["f"][...]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("storage, device", [("fp16", "cpu"), ("bf16", "cpu"), ("fp16", "simt:32")])
def test_apply_has_the_bits_of_rounded_fp32(ridge, folder, storage, device):
    values = ROUNDED[storage](np.random.default_rng(2).standard_normal((12, 19, 35)).astype("f4"))
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "wide.h5:/f", "--device", device)
    out = ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", device, "--store-as",
                     storage, "--check")
    assert storage in out.out and "check ok" in out.out
    found = read("out.h5")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, ROUNDED[storage](read("wide.h5")))


def test_values_beyond_the_range_are_said_once(ridge, folder):
    values = np.ones((9, 9, 9), "f4")
    values[4, 4, 4] = 7e4
    write("in.h5", values)
    words = ("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", "cpu", "--overwrite", "--store-as")
    done = ridge(*words, "fp16")
    assert done.code == 0
    assert done.err.count("\n") == 1 and "1 values of the input are beyond the range of fp16" in done.err
    assert np.isinf(read("out.h5")).sum() == 7
    values[4, 4, 4] = 3e4
    write("in.h5", values)
    done = ridge(*words, "fp16")
    assert done.err.count("\n") == 1 and "1 values of the result are beyond the range of fp16" in done.err
    ridge.good(*words, "bf16")


def test_bench_checks_a_kernel_of_two_inputs(ridge, folder):
    (folder / "own.hpp").write_text(OWN)
    for storage, device, schedule in (("fp16", "cpu", "auto"), ("bf16", "simt:32", "auto")):
        (record,) = ridge.good("bench", "./own.hpp:Mixed", "--size", "70x11x13", "--device", device, "--store-as",
                               storage, "--schedule", schedule, "--set", "rate=0.125", "--repeat", 1, "--no-roof",
                               "--json").records()
        assert record["check"]["ok"] and record["precision"] == storage
        assert record["bytes_written"] == 2 * 68 * 9 * 11


def test_what_is_refused(ridge, folder):
    write("in.h5", np.ones((9, 9, 9)))
    apply = ("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f")
    bench = ("bench", "laplacian", "--size", "20x20x20")
    for words, says in [((*apply, "--store-as", "fp16"), "computes in fp32; in.h5:/u is fp64"),
                        ((*apply, "--store-as", "int8"), "--store-as int8: fp16 or bf16 is right"),
                        ((*bench, "--store-as", "half"), "--store-as half: fp16 or bf16 is right"),
                        ((*bench, "--precision", "fp16"), "bench and apply take --store-as fp16"),
                        ((*bench, "--store-as", "bf16", "--precision", "fp64"), "computes in fp32, not fp64"),
                        (("bench", "gravity", "--store-as", "fp16"), "--store-as is for stencils and systems")]:
        done = ridge(*words)
        assert done.code == 2 and says in done.err, done.err
    assert not (folder / "out.h5").exists()


@pytest.mark.parametrize("storage, device", [("fp16", "cpu"), ("bf16", "simt:32")])
def test_steps_of_systems_are_right(ridge, folder, storage, device):
    (record,) = ridge.good("bench", "shallow-water", "--size", "70x33", "--device", device, "--store-as", storage,
                           "--repeat", 1, "--no-roof", "--json").records()
    assert record["check"]["ok"] and record["precision"] == storage
    assert record["bytes_written"] == 2 * 3 * 70 * 33
