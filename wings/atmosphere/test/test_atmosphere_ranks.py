"""`mpirun -n N ridge atmosphere`: the file of one rank, byte by byte."""

import os
import signal
import time

import h5py
import numpy
import pytest
from conftest import left_in, run_files

from over_ranks import refused, running_ranks

SIZE = ("--size", "83x47", "--time", 8)
TALL = ("--size", "17x500", "--time", 1)  # so many rows a rank that halos serve two sweeps


@pytest.mark.parametrize("size, options, ranks", [
    (SIZE, ("--case", "thermal", "--device", "cpu"), 3),
    (SIZE, ("--case", "injection", "--device", "cpu", "--schedule", "tile=16x3"), 7),
    (SIZE, ("--case", "collision", "--device", "cpu", "--schedule", "fission"), 4),
    (TALL, ("--case", "gravity-waves", "--device", "simt:32"), 2)])
def test_files_are_those_of_one_rank(ridge, mpi, folder, size, options, ranks):
    words = ("atmosphere", *options, *size, "--snapshots", 2, "-o")
    one = ridge.good(*words, "one.h5", env={**os.environ, "OMP_NUM_THREADS": "1"})
    changes = [line for line in one.out.splitlines() if "energy change" in line]
    assert len(changes) == 1
    os.mkdir(str(ranks))
    result = mpi(ranks, *words, f"{ranks}/one.h5")  # the name that its files have for each other
    assert result.code == 0, result.err
    assert f", {ranks} ranks" in result.out
    assert result.out.count("energy change") == 1 and changes[0] in result.out
    names = left_in(str(ranks))
    assert {"one.h5", "one.png", "one.xdmf"} < set(names)
    for name in names:
        with open(name, "rb") as a, open(f"{ranks}/{name}", "rb") as b:
            assert a.read() == b.read(), f"{name} of {ranks} ranks"


def test_record(mpi, folder):
    (record,) = mpi(2, "atmosphere", *SIZE, "--device", "cpu", "-o", "out.h5", "--json").records()
    assert (record["ranks"], record["size"], record["kernel"]) == (2, [83, 47], "atmosphere")
    assert record["items"] == 6 * 83 * 47
    assert left_in(folder) == sorted(["out.png", *run_files("out", *range(11))])


def test_a_killed_rank_leaves_the_last_snapshot(mpi, folder):
    launcher, ranks = running_ranks(mpi, ("atmosphere", "--size", "200x100", "--time", 200000,
                                          "--snapshots", 9000, "--device", "cpu", "-o", "out.h5"))
    end = time.time() + 100
    while not os.path.exists("out.xdmf") and time.time() < end:
        time.sleep(0.1)
    os.kill(ranks[1], signal.SIGKILL)
    launcher.communicate(timeout=100)
    assert launcher.returncode != 0
    with h5py.File("out.h5") as file:
        first = file["0000/heat"][...]
        assert first.shape == (100, 200) and numpy.isfinite(first).all()


def test_bad_input(ridge, mpi, folder):
    words = ("atmosphere", "--device", "cpu", "-o", "out.h5")
    refused(mpi(3, *words, "--size", "40x17"),
            "17 rows of cells are too few for 3 ranks: each must own at least 6; start at most 2")
    refused(mpi(2, *words, "--case", "snow"), "unknown case 'snow'")
    refused(mpi(2, *words, "--time", "-1"), "--time -1")
    refused(mpi(2, "atmosphere", "--device", "cpu", "-o", "no/out.h5"), "no/out.h5")
    assert left_in(folder) == []
