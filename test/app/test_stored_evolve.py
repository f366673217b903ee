"""`ridge evolve --store-as` of stencils: fields in 16 bits, against arithmetic in fp32 that is rounded once a value."""

import h5py
import numpy as np
import pytest

from test_stored import MEDIUM, ROUNDED

pytestmark = pytest.mark.usefixtures("folder")
OWN = """
#include <ridge/stencil.hpp>
struct Own {  // products are exact, so that contracted arithmetic has the bits of plain one
  static constexpr auto footprint = ridge::stencil::star<1, 2>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0) + 0.25 * (u(1, 0) + u(-1, 0) - 2 * u(0, 0));
  }
};
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """One file each, so that it is compiled once."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "own.hpp").write_text(OWN)
    (folder / "medium.hpp").write_text(MEDIUM.replace("FIRST", "point"))
    return folder


def write(u):
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = u


def read(output, step=-1):
    file, _, name = output.partition(":/")
    with h5py.File(file) as h5:
        group = h5["snapshots"][sorted(h5["snapshots"])[step]]
        return group[name or "u"][...]


def swept(u, steps, rounded):
    """OWN between x = 0.5, held, and a slope of 1/4 outward; y keeps its ends."""
    u = rounded(u)
    u[:, 0] = rounded(np.full(len(u), 0.5, "f4"))
    for _ in range(steps):
        beyond = rounded(u[:, -2:-1] + np.float32(0.5))
        wide = np.concatenate([u, beyond], axis=1)
        new = u.copy()
        inner = (wide[1:-1, 2:] + wide[1:-1, :-2]) - np.float32(2) * wide[1:-1, 1:-1]
        new[1:-1, 1:] = rounded(wide[1:-1, 1:-1] + np.float32(0.25) * inner)
        u = new
    return u


@pytest.mark.in_turn
@pytest.mark.parametrize("storage, device", [("bf16", "cpu"), ("bf16", "simt:32")])
def test_sweeps_have_the_bits_of_rounded_fp32(ridge, kernels, storage, device):
    start = np.random.default_rng(3).random((11, 37)).astype("f4")
    write(start)
    words = ("evolve", f"{kernels}/own.hpp:Own", "in.h5:/u", "--store-as", storage, "--device", device, "--boundary",
             "x-=dirichlet:0.5,x+=neumann:0.25", "--every", "7", "--overwrite")
    ran = ridge(*words, "--steps", "21", "-o", "whole.h5", "--json")
    assert ran.code == 0, ran.err  # which may say that it compiles
    (record,) = ran.records()
    assert record["precision"] == storage and record["arithmetic"] == "fp32"
    assert record["bytes_written"] % 2 == 0 and record["bytes_written"] < 4 * 9 * 36
    right = swept(start, 21, ROUNDED[storage])
    found = read("whole.h5")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[1:-1], right[1:-1])
    assert ridge(*words, "--steps", "7", "-o", "part.h5").code == 0
    assert ridge("evolve", "--restart", "part.h5", "--steps", "14", "--device", device).code == 0
    np.testing.assert_array_equal(read("part.h5"), found)


def test_passes_of_several_sweeps_round_each(ridge, kernels):
    write(np.random.default_rng(4).random((23, 75)).astype("f4"))
    words = ("evolve", f"{kernels}/own.hpp:Own", "in.h5:/u", "--store-as", "bf16", "--device", "cpu", "--boundary")
    for walls in ("x-=dirichlet:0.3,x+=neumann:0,y=periodic", "x=mirror,y=untouched"):
        more = (walls, "--steps", "11", "--overwrite", "--json", "-o")
        done = ridge(*words, *more, "single.h5")
        assert done.code == 0, done.err
        ran = ridge(*words, *more, "pass.h5", "--schedule", "sweeps=3 rows=4 planes=5")
        assert ran.code == 0, ran.err
        (record,) = ran.records()
        assert record["schedule"].startswith("sweeps=3") and record["precision"] == "bf16"
        np.testing.assert_array_equal(read("pass.h5"), read("single.h5"))
    done = ridge(*words, "x=neumann:0.1", "--schedule", "sweeps=3", "--steps", "3", "-o", "no.h5")
    assert done.code == 2 and "a face has a value or a slope other than 0" in done.err, done.err


@pytest.mark.in_turn
@pytest.mark.parametrize("storage, device, schedule", [("bf16", "cpu", "sweeps=3 rows=5"), ("bf16", "simt:32", "auto")])
def test_coefficients_stay_fp32(ridge, kernels, storage, device, schedule):
    draws = np.random.default_rng(5)
    u = ROUNDED[storage](draws.random((21, 45)).astype("f4"))
    c = (0.1 + 0.2 * draws.random(u.shape)).astype("f4")
    c[3, 4], c[5, 6] = -0.0, 3e-41
    d = (0.1 * draws.random(u.shape)).astype("f4")

    def run(start, file, d, steps, *words):
        write(start)
        with h5py.File("in.h5", "a") as h5:
            h5["medium/c"], h5["d"] = c, d
        done = ridge("evolve", f"{kernels}/medium.hpp:Medium", "in.h5:/u", "-o", file, "--coefficient", "in.h5:/medium/c",
                     "--coefficient", "in.h5:/d", "--boundary", "x=mirror,y=periodic", "--device", device, "--steps",
                     steps, "--overwrite", "--json", *words)
        assert done.code == 0, done.err
        return done.records()[0], read(file)

    record, found = run(u, "mixed.h5", d, 4, "--store-as", f"u={storage},d={storage}", "--schedule", schedule)
    assert record["precision"] == storage and record["storage"] == f"u={storage},d={storage}"
    assert record["bytes_read"] + record["bytes_written"] >= 21 * 45 * (2 + 4 + 2 + 2)
    right = u
    for _ in range(4):
        right = ROUNDED[storage](run(right, "wide.h5", ROUNDED[storage](d), 1)[1])
    np.testing.assert_array_equal(found, right)
    run(u, "part.h5:/w", d, 1, "--store-as", f"u={storage},d={storage}") # by the names of the inputs, afterwards, too
    assert ridge("evolve", "--restart", "part.h5", "--steps", 3, "--device", device).code == 0
    np.testing.assert_array_equal(read("part.h5:/w"), found)


def test_passes_on_gpus_round_each(ridge):
    write(np.random.default_rng(6).random((9, 12, 37)).astype("f4"))
    words = ("evolve", "heat", "in.h5:/u", "--store-as", "fp16", "--device", "simt:32", "--overwrite", "--json",
             "--steps", "8", "--every", "8", "--boundary")
    walls = "x=periodic,y=mirror,z-=dirichlet:0.3,z+=neumann:0"
    for file, schedule in (("single.h5", "auto"), ("pass.h5", "sweeps=2")):
        done = ridge(*words, walls, "-o", file, "--schedule", schedule)
        assert done.code == 0, done.err
    (record,) = done.records()
    assert record["schedule"].startswith("sweeps=2") and record["precision"] == "fp16"
    np.testing.assert_array_equal(read("pass.h5"), read("single.h5"))
    done = ridge(*words, "x=neumann:0.1", "-o", "no.h5", "--schedule", "sweeps=2")
    assert done.code == 2 and "a face has a value or a slope other than 0" in done.err, done.err


def test_lists_of_fields_that_are_refused(ridge):
    with open("own.hpp", "w") as out:
        out.write(MEDIUM.replace("FIRST", "star<1, 2>"))
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = h5["c"] = h5["d"] = np.ones((9, 9), "f4")
    words = ("evolve", "./own.hpp:Medium", "in.h5:/u", "-o", "out.h5", "--coefficient", "in.h5:/c", "--coefficient",
             "in.h5:/d", "--device", "cpu", "--store-as")
    for given, says in (("u=fp16,k=fp32", "no field 'k'; there are u, c, d"),
                        ("u=fp16,u=fp16", "'u' is given twice"),
                        ("u=fp16,c=fp8", "'c' is stored as fp16, bf16 or fp32, not as 'fp8'"),
                        ("u=fp16,c=bf16", "all fp16 or all bf16"),
                        ("u=fp16,", "'' is no FIELD=fp16, bf16 or fp32"),
                        ("c=fp16", "'u', the first, is in 16 bits where any field is: u=fp16"),
                        ("u=fp16,c=fp16", "Medium reads neighbours of 'd', so give it fp16 or bf16")):
        ridge.bad(*words, given, says=says)


def test_waves_and_diffusion_are_near_fp32(ridge):
    n = 20
    z, y, x = np.meshgrid(*[np.arange(n)] * 3, indexing="ij")
    u = np.sin(2 * np.pi * x / n) * np.cos(2 * np.pi * y / n)
    write(u.astype("f4"))
    walls = "x=periodic,y=periodic,z=periodic"
    for kernel, bound in (("heat", 1e-3), ("wave", 2e-2)):
        found = {}
        for storage in ((), ("--store-as", "fp16")):
            ran = ridge("evolve", kernel, "in.h5:/u", "-o", "out.h5", "--boundary", walls, "--steps", "12", "--device",
                        "cpu", "--overwrite", "--json", *storage)
            assert ran.code == 0, ran.err
            found[storage] = read("out.h5")
            (record,) = ran.records()
        np.testing.assert_allclose(found["--store-as", "fp16"], found[()], atol=bound)
        assert np.abs(found["--store-as", "fp16"] - found[()]).max() > 0
        assert abs(record["sum_drift"]) < 1e-3 and "squares_drift" in record


def test_what_is_said_and_refused(ridge):
    u = np.ones((9, 9, 9), "f4")
    u[4, 4, 4] = 7e4
    write(u)
    words = ("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--steps", "1", "--device", "cpu", "--overwrite",
             "--store-as")
    ridge(*words, "fp16")  # compiled
    done = ridge(*words, "fp16")
    assert done.code == 0
    assert "ridge: 1 values of the start are beyond the range of fp16 and count as infinite\n" == done.err
    ridge.bad(*words, "half", says="--store-as half: fp16 or bf16 is right")
    ridge.bad(*words, "u=fp16,c=fp32", says="no field 'c'; there are u")
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "1", "--store-as", "fp16", says="--store-as cannot be given")
    write(u.astype("f8"))
    ridge.bad(*words, "fp16", says="computes in fp32; in.h5:/u is fp64")
