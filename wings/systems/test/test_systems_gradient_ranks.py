"""`ridge evolve --gradient` over ranks: the bits of one rank."""

import re

import h5py
import numpy as np
import pytest

from over_ranks import refused
from system_runs import write
from test_systems_ranks import MEDIA, STATES, start

pytestmark = pytest.mark.usefixtures("folder")
STEPS = 9


class Asked:
    """A run in in.h5, s.csv, r.csv and seen.h5, and the derivatives by all its arrays."""

    def __init__(self, system, shape, device, *more, kind="f8"):
        start(system, shape, kind)
        self.names = f"{STATES[system]} {MEDIA[system]}".split()[::-1]
        states = STATES[system].split()
        used = [n for n in shape if n > 1]
        middle = [n / 2 - 0.6 for n in used]  # between points of two ranks
        corner, end = [0] * len(used), [n - 1 for n in used]
        third = [n / 3 + 0.25 for n in used]
        columns = ",".join("xyz"[:len(used)])
        for file, rows in (("s.csv", [(middle, states[0]), (third, states[-1]), (corner, states[1])]),
                           ("r.csv", [(third, states[0]), (middle, states[1]), (end, states[0]), (corner, states[-1]),
                                      ([n - 1.3 for n in used], states[2 % len(states)])])):
            with open(file, "w", encoding="ascii") as out:
                out.write(f"{columns},array\n" + "".join(",".join(map(str, [*at, name])) + "\n" for at, name in rows))
        write("seen.h5", traces=0.1 * np.random.default_rng(3).standard_normal((5, STEPS)))
        self.words = ("evolve", system, "in.h5", "--device", device, "--source", "s.csv", "--wavelet", "ricker:0.1",
                      "--receivers", "r.csv", "--observed", "seen.h5", "--json", *more)

    def asked(self, file):
        return [word for name in self.names for word in ("--gradient", f"{file}.h5:/{name}")]

    def found(self, file):
        with h5py.File(f"{file}.h5") as h5:
            return {**{name: h5[name][...] for name in self.names}, "loss": h5.attrs["loss"]}

    def same(self, file, right):
        found = self.found(file)
        for name, values in right.items():
            assert found[name].dtype == values.dtype
            np.testing.assert_array_equal(found[name], values, err_msg=name)
            assert np.isfinite(values).all(), name
        assert all(right[name].any() for name in self.names[:4])


CPML = ("--absorb-width", "5", "--absorb-as", "cpml:0.1")


@pytest.mark.parametrize("system, device, shape, ranks, grid, more", [
    ("acoustic", "cpu", (31, 29, 23), 4, "2x1x2",
     ("--absorb", "x,z+", "--absorb-width", "5", "--boundary", "y-=antimirror,y+=dirichlet:0.3,z-=neumann:0.2")),
    # Ranks along a periodic axis, and beside one.
    ("acoustic", "simt:32", (14, 11, 13), 2, "2x1x1", ("--boundary", "x=periodic,y=antimirror")),
    ("elastic", "cpu", (17, 22), 4, "2x2", ("--boundary", "x=periodic,y-=antimirror")),
    ("elastic", "simt:32", (13, 9, 8), 2, "1x2x1", ("--boundary", "x=periodic,z=antimirror,y+=untouched")),
    # Layers within a rank, across cuts, and across several.
    ("acoustic", "cpu", (31, 27, 23), 4, "2x1x2", ("--absorb", "x,z+", *CPML, "--boundary", "y-=antimirror")),
    ("acoustic", "cpu", (40,), 4, "4", ("--absorb", "x", "--absorb-width", "12", "--absorb-as", "cpml:0.1")),
    ("elastic", "simt:32", (13, 17, 9), 2, "1x2x1", ("--absorb", "y-,z+", *CPML, "--boundary", "x=periodic")),
    ("elastic", "cpu", (26, 25), 4, "2x2", ("--absorb", "all", *CPML)),
    ("maxwell", "cpu", (12, 11, 9), 4, "2x2x1", ("--absorb", "x,y", *CPML, "--boundary", "z=periodic")),
])
def test_the_gradient_has_the_bits_of_one_rank(ridge, mpi, system, device, shape, ranks, grid, more):
    run = Asked(system, shape, device, *more)
    record, = ridge(*run.words, *run.asked("one")).records()
    over = mpi(ranks, *run.words, *run.asked("several"), "--ranks", grid)
    assert over.code == 0, over.err
    several, = over.records()
    assert several["ranks"] == ranks and several["size"] == record["size"] == list(shape)
    assert several["loss"] == record["loss"]
    run.same("several", run.found("one"))


def test_memory_and_checks_over_ranks(ridge, mpi):
    """In fp32, with as few states as fit on each rank."""
    run = Asked("acoustic", (19, 23), "cpu", "--absorb", "x-,y+", *CPML, "--boundary", "x+=antimirror", kind="f4")
    record, = ridge(*run.words, *run.asked("one"), "--check").records()
    right = run.found("one")
    over = ("--ranks", "2x2")
    few = mpi(4, *run.words, *run.asked("few"), *over, "--memory", "1kB")
    assert few.code == 2 and few.err.count("is the least that does on each rank: ") == 1
    arrays, state = (float(v) * {"kB": 1e3, "MB": 1e6}[u]
                     for v, u in re.findall(r"([\d.]+) (kB|MB)", few.err.split("1kB:")[1])[1:])
    found, = mpi(4, *run.words, *run.asked("few"), *over, "--memory", f"{arrays + 2.5 * state:.0f}").records()
    assert 2 <= found["states_kept"] <= 3 and found["steps_again"] > STEPS
    run.same("few", right)
    # In fp64 it needs more, and dot products are of what all ranks have.
    proved, = mpi(2, *run.words, *run.asked("two"), "--check").records()
    run.same("two", right)
    assert proved["adjoint"]["dot_error"] < 1e-12
    assert proved["adjoint"]["slope"] == pytest.approx(record["adjoint"]["slope"], rel=1e-6)
    assert found["loss"] == proved["loss"] == record["loss"]


@pytest.mark.beside
def test_refusals_over_ranks_are_said_once(mpi):
    run = Asked("acoustic", (19, 23), "cpu")
    ridge_words = (*run.words, "--gradient", "g.h5:/c")
    assert mpi(2, *ridge_words).code == 0
    refused(mpi(2, *ridge_words), "g.h5", "--overwrite")
    refused(mpi(2, *run.words, "--gradient", "g.h5:/speed"), "NAME is one of p, vx, vy, vz, c, rho")
    run = Asked("elastic", (9, 8), "cpu", "--boundary", "y-=free")
    refused(mpi(2, *run.words, "--gradient", "free.h5:/mu"), "y-=free runs on one rank; start one")
