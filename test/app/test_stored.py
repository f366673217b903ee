"""`--store-as`: fields in 16 bits, whose results are those of fp32, rounded once."""

import h5py
import numpy as np
import pytest

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


@pytest.mark.in_turn
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("storage, device, row, schedule", [
    ("fp16", "cpu", 35, "auto"), ("bf16", "cpu", 35, "auto"), ("fp16", "simt:32", 35, "auto"),
    ("fp16", "simt:32", 304, "stage=tiles block=32x2x1 tile=2")])  # of 272 numbers in a row
def test_apply_has_the_bits_of_rounded_fp32(ridge, folder, storage, device, row, schedule):
    values = ROUNDED[storage](np.random.default_rng(2).standard_normal((12, 19, row)).astype("f4"))
    write("in.h5", values)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "wide.h5:/f", "--device", device)
    out = ridge.good("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--device", device, "--store-as",
                     storage, "--check", "--schedule", schedule)
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


MEDIUM = """
#include <ridge/stencil.hpp>
struct Medium {
  static constexpr auto footprints =
      std::make_tuple(ridge::stencil::star<1, 2>(), ridge::stencil::point(), ridge::stencil::FIRST());
  double rate = 0.5;
  template <class N, class C, class D>
  RIDGE_FN auto operator()(const N& u, const C& c, const D& d) const {
    return u(0, 0) + rate * c(0, 0) * (u(1, 0) + u(-1, 0) - 2 * u(0, 0)) + d(0, 0) * (u(0, 1) - u(0, 0));
  }
};
"""


@pytest.fixture(scope="module")
def medium(tmp_path_factory):
    """One file, so that it is compiled once. A member is always set: a description is compiled for those that are."""
    file = tmp_path_factory.mktemp("kernel") / "medium.hpp"
    file.write_text(MEDIUM.replace("FIRST", "point"))
    return f"{file}:Medium", "--set", "rate=0.25"


def test_bench_checks_inputs_that_stay_fp32(ridge, medium):
    def bench(device, stored):
        (record,) = ridge.good("bench", *medium, "--size", "70x143", "--device", device, "--repeat", 1, "--no-roof",
                               "--json", "--store-as", stored).records()
        assert record["check"]["ok"] and record["bytes_written"] == 2 * 68 * 141
        return record

    narrow = bench("cpu", "fp16")
    assert narrow["precision"] == "fp16" and "storage" not in narrow
    for storage, device in (("fp16", "cpu"), ("fp16", "simt:32")):  # evolve takes bf16
        stored = f"1={storage},2=fp32,3={storage}"
        wide = bench(device, stored)
        assert wide["precision"] == storage and wide["storage"] == stored
        assert wide["bytes_read"] - narrow["bytes_read"] == 2 * 68 * 141


def test_apply_keeps_coefficients_in_fp32(ridge, folder, medium):
    storage = "fp16"
    draws = np.random.default_rng(6)
    u = ROUNDED[storage](draws.standard_normal((21, 45)).astype("f4"))
    c = draws.random(u.shape).astype("f4")
    c[3, 4], c[5, 6] = -0.0, 3e-41
    d = draws.random(u.shape).astype("f4")

    def run(d, file, *words):
        with h5py.File("in.h5", "w") as h5:
            h5["u"], h5["medium/c"], h5["d"] = u, c, d
        done = ridge("apply", *medium, "in.h5:/u", "--coefficient", "in.h5:/medium/c", "--coefficient",
                     "in.h5:/d", "-o", f"{file}:/f", "--device", "simt:32", "--check", "--json", *words)
        assert done.code == 0, done.err
        return done.records()[0], read(file)

    record, found = run(d, "mixed.h5", "--store-as", f"u={storage},d={storage}")
    assert record["precision"] == storage and record["storage"] == f"u={storage},d={storage}"
    assert record["check"]["ok"] and record["arithmetic"] == "fp32"
    np.testing.assert_array_equal(found, ROUNDED[storage](run(ROUNDED[storage](d), "wide.h5")[1]))
    assert (found != ROUNDED[storage](run(d, "other.h5")[1])).any()  # d was rounded


def test_coefficients_that_are_refused(ridge, folder):
    (folder / "own.hpp").write_text(MEDIUM.replace("FIRST", "star<1, 2>"))
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = h5["c"] = h5["d"] = np.ones((9, 9), "f4")
        h5["small"], h5["wide"] = np.ones((9, 8), "f4"), np.ones((9, 9))
    words = ("apply", "./own.hpp:Medium", "in.h5:/u", "-o", "out.h5:/f", "--coefficient", "in.h5:/c", "--coefficient")
    for more, says in ((("in.h5:/d", "--store-as", "u=fp16,k=fp32"), "no field 'k'; there are u, c, d"),
                       (("in.h5:/d", "--store-as", "c=fp16"), "'u', the first, is in 16 bits"),
                       (("in.h5:/d", "--store-as", "u=fp16"), "Medium reads neighbours of 'd'"),
                       (("in.h5:/small",), "in.h5:/small 8x9 in fp32 is not like in.h5:/u 9x9 in fp32"),
                       (("in.h5:/wide",), "in.h5:/wide 9x9 in fp64 is not like"),
                       (("in.h5:/d", "--coefficient", "in.h5:/d"), "INPUT and 2 --coefficient, not 3")):
        done = ridge(*words, *more)
        assert done.code == 2 and says in done.err, done.err
    done = ridge("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--coefficient", "in.h5:/c")
    assert done.code == 2 and "--coefficient is for kernels in files" in done.err
    bench = ("bench", "./own.hpp:Medium", "--size", "20x20", "--store-as")
    for given, says in (("1=fp16", "Medium reads neighbours of '3'"),
                        ("1=fp32,2=fp16", "'1', the first, is in 16 bits"),
                        ("u=fp16", "no field 'u'; there are 1, 2, 3")):
        done = ridge(*bench, given)
        assert done.code == 2 and says in done.err, done.err
    assert not (folder / "out.h5").exists()


def test_what_is_refused(ridge, folder):
    write("in.h5", np.ones((9, 9, 9)))
    apply = ("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f")
    bench = ("bench", "laplacian", "--size", "20x20x20")
    for words, says in [((*apply, "--store-as", "fp16"), "computes in fp32; in.h5:/u is fp64"),
                        ((*apply, "--store-as", "int8"), "--store-as int8: fp16 or bf16 is right"),
                        ((*bench, "--store-as", "half"), "--store-as half: fp16 or bf16 is right"),
                        ((*bench, "--precision", "fp16"), "bench and apply take --store-as fp16"),
                        ((*bench, "--store-as", "bf16", "--precision", "fp64"), "computes in fp32, not fp64"),
                        (("bench", "gravity", "--store-as", "fp16"), "--store-as is for stencils and systems; gravity is of")]:
        done = ridge(*words)
        assert done.code == 2 and says in done.err, done.err
    assert not (folder / "out.h5").exists()


def test_sweeps_are_compared_with_single_ones(ridge):
    records = ridge.good("bench", "heat", "--size", "41x20x15", "--steps", 5, "--store-as", "fp16", "--device",
                         "simt:32", "--boundary", "x=periodic,y=mirror", "--schedule", "sweeps=1;sweeps=3", "--repeat",
                         1, "--no-roof", "--json").records()
    assert [r["schedule"].split()[0] for r in records] == ["sweeps=1", "sweeps=3"]
    for record in records:
        assert record["check"]["ok"] and record["check"]["against"] == "single sweeps, 5 steps"
        assert record["precision"] == "fp16" and record["arithmetic"] == "fp32"
