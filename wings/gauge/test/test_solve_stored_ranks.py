"""`mpirun -n N ridge solve` of lattice fermions: the solutions of one rank, with --reproducible bit for bit."""

import gauge_files
import h5py
import numpy as np
import pytest
from conftest import left_in
from over_ranks import refused

SIZE = (4, 2, 4, 6)


@pytest.fixture
def lattice(folder):
    gauge_files.write_nersc(folder / "lat.nersc", gauge_files.random_links(SIZE, seed=9, spread=0.3))
    return folder


def propagator(name):
    with h5py.File(name) as h5:
        return h5["propagator"][...].view(complex)


# Halves divided along x, values of a fifth dimension, both precisions, boundary factors where ranks meet and where
# a rank goes around.
@pytest.mark.parametrize("words, ranks, grid", [
    (("wilson", "--kappa", 0.1, "--csw", 0.7, "--boundary", "periodic"), 2, ("--ranks", "2x1x1x1")),
    (("staggered", "--mass", 0.4), 4, ("--ranks", "1x1x2x2")),
    (("mobius", "--mass", 0.2, "--ls", 2, "--precision", "fp64"), 2, ("--ranks", "1x1x2x1"))])
def test_the_solutions_of_one_rank(ridge, mpi, lattice, words, ranks, grid):
    words = ("solve", words[0], "lat.nersc", *words[1:], "--source", "point:1,0,3,5", "--tol", 1e-7, "--device", "cpu",
             "--no-roof")
    ridge.good(*words, "-o", "one.h5")
    result = mpi(ranks, *words, *grid, "-o", "two.h5", "--json", limit=180)
    assert result.code == 0, result.err
    (record,) = result.records()
    assert record["ranks"] == ranks and record["check"]["ok"] and record["residual"] <= 1e-7
    one, two = propagator("one.h5"), propagator("two.h5")
    assert np.abs(one).max() > 0.01 and np.abs(one - two).max() < 1e-5 * np.abs(one).max()
    assert left_in(lattice) == ["lat.nersc", "one.h5", "two.h5"]


@pytest.mark.parametrize("words, ranks, grid", [
    (("wilson", "--kappa", 0.1, "--precision", "fp64"), 2, ("--ranks", "2x1x1x1")),
    (("wilson", "--kappa", 0.1, "--columns", 6, "--precision", "fp64"), 4, ("--ranks", "2x1x2x1")),
    (("wilson", "--kappa", 0.08, "--csw", 1.1), 2, ("--ranks", "1x1x2x1")),
    (("staggered", "--mass", 0.5), 3, ("--ranks", "1x1x1x3")),
    (("dwf", "--mass", 0.5, "--ls", 3), 2, ())])
def test_the_bits_of_one_rank(ridge, mpi, lattice, words, ranks, grid):
    words = ("solve", words[0], "lat.nersc", *words[1:], "--source", "point:3,1,0,2", "--tol", 1e-5, "--reproducible",
             "--device", "cpu", "--no-roof")
    ridge.good(*words, "-o", "one.h5")
    result = mpi(ranks, *words, *grid, "-o", "two.h5", limit=180)
    assert result.code == 0, result.err
    one, two = propagator("one.h5"), propagator("two.h5")
    assert np.abs(one).max() > 0.01 and (one == two).all(), np.abs(one - two).max()


def test_on_emulated_gpus(ridge, mpi, lattice):
    words = ("solve", "wilson", "lat.nersc", "--kappa", 0.1, "--columns", 6, "--tol", 1e-4, "--no-roof")
    ridge.good(*words, "-o", "one.h5", "--device", "cpu")
    assert mpi(2, *words, "-o", "two.h5", "--device", "simt:32", limit=180).code == 0
    one, two = propagator("one.h5"), propagator("two.h5")
    assert np.abs(one - two).max() < 1e-2 * np.abs(one).max()


def test_what_it_refuses(mpi, lattice):
    words = ("solve", "staggered", "lat.nersc", "--mass", 1, "-o", "p.h5", "--device", "cpu")
    refused(mpi(2, *words, "--ranks", "1x1x1x3"), "product is 2")
    refused(mpi(3, *words, "--ranks", "3x1x1x1"), "too few sites along x for 3 ranks: each must own at least 2, so at most 2")
    gauge_files.write_nersc(lattice / "odd.nersc", gauge_files.random_links((2, 3, 2, 4), seed=5, spread=0.3))
    refused(mpi(2, "solve", "dwf", "odd.nersc", "--mass", 1, "-o", "p.h5", "--device", "cpu"), "all extents are even")
    gauge_files.write_nersc(lattice / "small.nersc", gauge_files.random_links((2, 2, 2, 2), seed=5, spread=0.3))
    refused(mpi(3, "solve", "wilson", "small.nersc", "--kappa", 0.1, "-o", "p.h5", "--device", "cpu"),
            "3 ranks are too many for lattice 2x2x2x2: each must own at least 1, and 2 along x,")
    assert left_in(lattice) == ["lat.nersc", "odd.nersc", "small.nersc"]
