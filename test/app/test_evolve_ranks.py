"""`ridge evolve` over ranks: the bits and the files of one rank."""

import json
import os
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

from conftest import left_in
from over_ranks import ENVIRONMENT, MPICH, MPIRUN, lines_of_ridge, refused, running_ranks, runs

MIXED = "x=periodic,y=dirichlet:0.5,z-=neumann:1,z+=mirror"
ROUND = "x=periodic,y=periodic,z=periodic"


def write(shape, precision="f8", seed=1, **more):
    """in.h5 with the start u; `shape` is x first."""
    random = np.random.default_rng(seed)
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = random.standard_normal(shape[::-1]).astype(precision)
        for name, values in more.items():
            h5[name] = values.astype(precision)


def snapshots(file):
    """Every field of every snapshot."""
    with h5py.File(file) as h5:
        return {f"{step}/{name}": values[...] for step, group in h5["snapshots"].items()
                for name, values in group.items()}


def same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.dtype == other[name].dtype
        assert values.tobytes() == other[name].tobytes(), (name, np.abs(values - other[name]).max())


def evolve_both(ridge, mpi, ranks, kernel, *options, grid=None):
    """The same run on one rank and on several; returns the files' snapshots, which are the same."""
    words = ("evolve", kernel, "in.h5:/u", "--overwrite", *options)
    ridge.good(*words, "-o", "one.h5")
    over = mpi(ranks, *words, "-o", "several.h5", *(("--ranks", grid) if grid else ()))
    assert over.code == 0, over.err
    assert over.err == ""
    found = snapshots("one.h5")
    same(found, snapshots("several.h5"))
    return found, over


@pytest.mark.parametrize("device, shape, kernel, boundary, ranks, grid", [
    ("cpu", (301, 37, 29), "heat", MIXED, 8, "2x2x2"),
    ("cpu", (61, 53, 29), "heat8", ROUND, 3, "1x3x1"),
    ("cpu", (61, 53), "heat4", "x=mirror,y=periodic", 4, "2x2"),
    ("cpu", (1009,), "heat", "x=periodic", 3, None),
    ("simt:32", (37, 17, 13), "heat", MIXED, 2, "2x1x1"),
    ("simt:64", (23, 17, 13), "heat4", "untouched", 4, "1x2x2"),
])
def test_heat_has_the_bits_of_one_rank(ridge, mpi, folder, device, shape, kernel, boundary, ranks,
                                       grid):
    write(shape)
    spacing = "x".join(str(h) for h in (0.5, 0.75, 1.25)[:len(shape)])
    evolve_both(ridge, mpi, ranks, kernel, "--device", device, "--steps", 7, "--every", 3,
                "--spacing", spacing, "--boundary", boundary, grid=grid)


def test_waves_have_the_bits_of_one_rank(ridge, mpi, folder):
    shape = (31, 29, 23)
    write(shape, "f4", w=np.random.default_rng(3).standard_normal(shape[::-1]))
    found, _ = evolve_both(ridge, mpi, 4, "wave4", "--device", "cpu", "--steps", 9, "--before", "in.h5:/w",
                           "--absorb", "x,z+", "--absorb-width", 5, "--boundary", "y=mirror", grid="2x1x2")
    assert {name.split("/")[1] for name in found} == {"u", "u_before"}


def test_diffusion_with_fields_has_the_bits_of_one_rank(ridge, mpi, folder):
    shape = (31, 29, 23)
    random = np.random.default_rng(4)
    write(shape, k=random.random(shape[::-1]), wall=random.standard_normal(shape[:0:-1]),
          floor=random.standard_normal(shape[1::-1]))
    evolve_both(ridge, mpi, 8, "diffusion", "--device", "cpu", "--steps", 6, "--coefficient",
                "in.h5:/k", "--boundary",
                "x-=dirichlet:in.h5:/wall,z+=dirichlet:in.h5:/floor,y=periodic", grid="2x2x2")


@pytest.mark.beside
def test_fields_in_16_bits_have_the_bits_of_one_rank(ridge, mpi, folder):
    write((23, 17, 13), "f4")
    words = ("evolve", "heat", "in.h5:/u", "--device", "cpu", "--overwrite", "--boundary", MIXED, "--steps", "5",
             "--store-as", "fp16")
    done = ridge(*words, "-o", "one.h5")
    assert done.code == 0, done.err  # which may say that it compiles
    over = mpi(4, *words, "-o", "several.h5", "--ranks", "2x2x1")
    assert over.code == 0, over.err
    same(snapshots("one.h5"), snapshots("several.h5"))


@pytest.mark.parametrize("kernel, boundary, schedule, ranks, grid", [
    ("heat4", MIXED, "sweeps=3", 4, "1x2x2"),
    ("wave", "x=periodic,y=neumann:1,z=dirichlet:0", "sweeps=3", 4, "2x2x1"),
])
def test_passes_of_several_sweeps_have_the_bits_of_one_rank(ridge, mpi, folder, kernel, boundary,
                                                            schedule, ranks, grid):
    """Halos as many radii deep; what is left of the steps is a shorter pass or a single sweep."""
    write((47, 37, 29))
    _, over = evolve_both(ridge, mpi, ranks, kernel, "--device", "cpu", "--steps", 13, "--every",
                          13, "--boundary", boundary, "--schedule", schedule, "--json", grid=grid)
    (record,) = json.loads(over.out)
    assert record["schedule"].startswith(schedule) and record["ranks"] == ranks


def test_a_run_of_five_ranks_goes_on_with_three_and_with_one(ridge, mpi, folder):
    write((31, 29, 23))
    words = ("evolve", "wave", "in.h5:/u", "--device", "cpu", "--every", 10, "--boundary", MIXED)
    ridge.good(*words, "--steps", 30, "-o", "one.h5")
    steps = [(5, words + ("--steps", 10, "-o", "several.h5")),
             (3, ("evolve", "--restart", "several.h5", "--steps", 10)),
             (1, ("evolve", "--restart", "several.h5", "--steps", 10))]
    for ranks, command in steps:
        done = mpi(ranks, *command) if ranks > 1 else ridge(*command)
        assert done.code == 0, done.err
    same(snapshots("one.h5"), snapshots("several.h5"))
    assert left_in(folder) == sorted(
        ["in.h5"] + [name + end for name in ("one", "several")
                     for end in (".h5", ".xdmf", *(f".{10 * i:010}.h5" for i in range(4)))])


def test_one_table_of_all_ranks(ridge, mpi, folder):
    write((40, 30, 20))
    words = ("evolve", "heat", "in.h5:/u", "--device", "cpu", "--steps", 4)
    table = mpi(4, *words, "-o", "a.h5", "--ranks", "1x1x4", "--picture", "a.png")
    assert table.code == 0 and table.err == "", table.err
    assert table.out.count("heat 40x30x20") == 1 and "; 4 ranks as 1x1x4" in table.out
    (record,) = mpi(4, *words, "-o", "b.h5", "--ranks", "1x1x4", "--json").records()
    assert record["ranks"] == 4 and record["rank_grid"] == "1x1x4"
    # Of each of three cuts a plane both ways.
    assert record["exchange_bytes"] == 3 * 2 * 40 * 30 * 8
    (one,) = ridge.good(*words, "-o", "c.h5", "--picture", "c.png", "--json").records()
    for field in ("size", "items", "flops", "bytes_read", "bytes_written"):
        assert record[field] == one[field]
    with open("a.png", "rb") as several, open("c.png", "rb") as alone:
        assert several.read() == alone.read()


@pytest.mark.beside
def test_what_is_not_finite_is_said_once_and_where(mpi, folder):
    write((20, 20, 20))
    with h5py.File("in.h5", "r+") as h5:
        h5["u"][15, 2, 3] = np.nan
        h5["u"][4, 17, 1] = np.inf
    done = mpi(4, "evolve", "heat", "in.h5:/u", "-o", "a.h5", "--device", "cpu", "--steps", 1,
               "--ranks", "1x2x2")
    assert done.code == 0
    (line,) = lines_of_ridge(done.err)
    assert "1 NaN and 1 infinite values, the first at x=1 y=17 z=4" in line


def start_in(folder, mpi, elsewhere, ranks, words):
    """Rank 1 works in another folder than the others, as if on a disk of its own."""
    wrapper = folder / "start.sh"
    wrapper.write_text('#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && '
                       f'cd {elsewhere}\nexec "$@"\n')
    wrapper.chmod(0o755)
    return subprocess.run([MPIRUN, "-n", str(ranks), str(wrapper), mpi.program, *map(str, words)],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)


def test_the_output_may_be_on_a_disk_that_rank_0_alone_sees(ridge, mpi, folder):
    write((20, 19, 18))
    (folder / "elsewhere").mkdir()
    words = ("evolve", "heat", folder / "in.h5:/u", "--device", "cpu", "--steps", 5)
    done = start_in(folder, mpi, "elsewhere", 3, (*words, "-o", "out.h5"))
    assert done.returncode == 0, done.stderr
    assert left_in(folder / "elsewhere") == []
    ridge.good(*words, "-o", "one.h5")
    same(snapshots("one.h5"), snapshots("out.h5"))


def test_an_error_on_one_rank_ends_all_with_its_message(mpi, folder):
    """Rank 1 does not find the input, which the others wait for."""
    write((20, 19, 18))
    (folder / "elsewhere").mkdir()
    done = start_in(folder, mpi, "elsewhere", 3,
                    ("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu"))
    assert done.returncode == 2 or (done.returncode != 0 and MPICH)
    assert lines_of_ridge(done.stderr) == ["ridge: rank 1: there is no file in.h5"]
    assert left_in(folder) == ["elsewhere", "in.h5", "start.sh"]


def test_ranks_that_see_other_input(mpi, folder):
    write((20, 19, 18))
    (folder / "elsewhere").mkdir()
    os.chdir("elsewhere")
    write((20, 19, 17))
    os.chdir("..")
    done = start_in(folder, mpi, "elsewhere", 2,
                    ("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu"))
    (line,) = lines_of_ridge(done.stderr)
    assert "rank 1 sees in.h5:/u with 20x19x17" in line and "rank 0 in.h5:/u with 20x19x18" in line


def test_a_killed_rank_leaves_the_last_snapshot(ridge, mpi, folder):
    write((20, 19, 18))
    launcher, ranks = running_ranks(
        mpi, ("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--steps", 100000000, "--every", 50,
              "--device", "cpu", "--boundary", ROUND))
    end = time.time() + 100
    while not os.path.exists("out.0000000100.h5") and time.time() < end:
        time.sleep(0.1)
    end = time.time() + 100
    os.kill(ranks[2], signal.SIGKILL)
    launcher.communicate(timeout=100)
    assert launcher.returncode != 0
    while any(runs(rank) for rank in ranks):
        assert time.time() < end
        time.sleep(0.1)
    with h5py.File("out.h5") as h5:
        last = sorted(h5["snapshots"])[-1]
    # It goes on from there, on one rank, to what one rank makes of it all.
    stop = int(last) + 50
    ridge.good("evolve", "--restart", "out.h5", "--steps", 50, "-o", "on.h5")
    ridge.good("evolve", "heat", "in.h5:/u", "-o", "one.h5", "--steps", stop, "--every", stop,
               "--device", "cpu", "--boundary", ROUND)
    name = f"{stop:010}/u"
    assert snapshots("on.h5")[name].tobytes() == snapshots("one.h5")[name].tobytes()


def test_bad_input(ridge, mpi, folder):
    write((9, 8, 7))
    words = ("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu")
    refused(mpi(2, *words, "--ranks", "1x1x3"),
            "--ranks 1x1x3 is a grid of 3 ranks, and 2 were started")
    refused(mpi(4, *words, "--ranks", "1x1x4"),
            "7 points along z are too few for 4 ranks: each must own at least 2")
    refused(mpi(3, "evolve", "heat8", *words[2:], "--boundary", ROUND),
            "3 ranks are too many for 9x8x7 points")
    refused(mpi(2, *words, "--ranks", "1x1x2", "--schedule", "sweeps=4"),
            "7 points along z are too few for 2 ranks: each must own at least 4")
    refused(mpi(2, *words, "--boundary", "x-=periodic"), "periodic needs both faces")
    refused(mpi(2, *words, "--picture", "no/such.png"), "no")
    ridge.bad(*words, "--ranks", "1x1x2", says="2 ranks, and 1 was started")
    assert left_in(folder) == ["in.h5"]
