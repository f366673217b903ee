"""`ridge nbody` over ranks: bodies go where they go on one, and a killed rank leaves the last snapshot."""

import os
import signal
import time

import h5py
import numpy
import pytest
from over_ranks import refused, running_ranks


def snapshot(file, step):
    with h5py.File(file) as f:
        bodies = f[f"snapshots/{step:010d}"]
        return {name: bodies[name][...] for name in ("position", "velocity", "potential")}


def test_bodies_over_ranks_go_where_they_go_on_one(mpi, ridge, tmp_path):
    start = ("nbody", "--plummer", 301, "--precision", "fp64", "--device", "cpu", "--every", 10)
    ridge.good(*start, "--steps", 20, "-o", tmp_path / "one.h5")
    result = mpi(3, *start, "--steps", 10, "-o", tmp_path / "three.h5", "--json")
    (record,) = result.records()
    assert record["ranks"] == 3 and record["items"] == 301 * 300
    # Another number of ranks goes on, and one.
    goes_on = mpi(2, "nbody", "--restart", tmp_path / "three.h5", "--steps", 10, "-o",
                  tmp_path / "two.h5")
    assert goes_on.code == 0, goes_on.err
    ridge.good("nbody", "--restart", tmp_path / "three.h5", "--steps", 10, "-o",
               tmp_path / "again.h5")
    one = snapshot(tmp_path / "one.h5", 20)
    for other in ("two", "again"):
        there = snapshot(tmp_path / f"{other}.h5", 20)
        for name, values in one.items():
            numpy.testing.assert_allclose(there[name], values, rtol=0, atol=1e-12)


# Rows of 64 bodies and more: of 1403 on two ranks each has eleven. Own bodies in the symmetric form
# meet those of the others each pair once, too: half of the ring with 5 ranks, with 2 and 4 the last
# stage divided between two.
SYMMETRIC = ("--schedule", "symmetric block=64 tile=4 unroll=2")


@pytest.mark.parametrize("ranks, bodies, options, form, tolerance", [
    (4, 203, ("--precision", "fp32", "--device", "simt:32"), "direct", 1e-5),
    (4, 203, ("--precision", "fp64", "--device", "simt:64", *SYMMETRIC), "symmetric", 1e-12),
    (2, 1403, ("--precision", "fp64", "--device", "simt:32", *SYMMETRIC), "symmetric", 1e-12),
    (5, 302, ("--precision", "mixed", "--device", "simt:64", *SYMMETRIC), "symmetric", 1e-5)])
def test_the_same_ring_gives_the_same_bits(mpi, ridge, tmp_path, ranks, bodies, options, form,
                                           tolerance):
    steps = 10 if bodies < 300 else 2
    start = ("nbody", "--plummer", bodies, *options, "--steps", steps)
    ridge.good(*start, "-o", tmp_path / "one.h5")
    for file in ("first", "second") if ranks == 4 else ("first",):
        result = mpi(ranks, *start, "-o", tmp_path / f"{file}.h5", "--json")
        (record,) = result.records()
        assert record["ranks"] == ranks and record["items"] == bodies * (bodies - 1)
        assert form in record["schedule_of_others"]
    one, first, again = (snapshot(tmp_path / f"{name}.h5", steps)
                         for name in ("one", "first", "second" if ranks == 4 else "first"))
    for name, values in first.items():
        assert values.tobytes() == again[name].tobytes()
        numpy.testing.assert_allclose(values, one[name], rtol=0, atol=tolerance)


@pytest.mark.beside
def test_more_ranks_than_bodies(mpi):
    refused(mpi(4, "nbody", "--plummer", 3, "--steps", 1, "--device", "cpu"),
            "4 ranks are too many for 3 bodies")


def test_a_killed_rank_leaves_the_last_snapshot(mpi, tmp_path):
    file = tmp_path / "run.h5"
    launcher, ranks = running_ranks(
        mpi, ("nbody", "--plummer", 500, "--steps", 100000000, "--every", 20, "--device", "cpu",
              "-o", file))
    end = time.time() + 100
    while not file.exists() and time.time() < end:
        time.sleep(0.1)
    time.sleep(0.5)
    os.kill(ranks[2], signal.SIGKILL)
    launcher.communicate(timeout=100)
    assert launcher.returncode != 0
    with h5py.File(file) as f:
        steps = sorted(f["snapshots"])
        last = f["snapshots"][steps[-1]]
        assert numpy.isfinite(last["position"][...]).all()
        assert last["position"].shape[0] == 500
