"""`ridge evolve` of systems: datasets of INPUT, links to them, and files that a run goes on with."""

import subprocess

import h5py
import numpy as np
import pytest

from system_runs import evolve, read, write

pytestmark = pytest.mark.usefixtures("folder")


def test_datasets_that_no_system_takes(ridge):
    start = ["in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "1"]
    cube = np.ones((5, 6, 7))
    write(vx=cube, rho=cube, lamda=cube)  # a misspelt array would count as 1 everywhere
    ridge.bad("evolve", "elastic", *start, says=["in.h5: elastic takes no dataset /lamda", "lambda (1)", "rename"])
    write(**{"a/h": np.ones((5, 6)), "a/bed": np.ones((5, 6))})
    ridge.bad("evolve", "shallow-water", "in.h5:/a", *start[1:],
              says=["shallow-water takes no dataset /a/bed; it takes h, hu, hv, bottom", "bottom (0)"])
    # All arrays are there, or what else is there can be none of them.
    full = {name: cube for name in "vx vy vz sxx syy szz sxy sxz syz rho lambda mu porosity".split()}
    write(**full)
    evolve(ridge, "elastic", "--steps", "1")
    write(vx=cube, times=np.ones(3), note="made by hand", **{"more/lamda": cube})
    evolve(ridge, "elastic", "--steps", "1")


@pytest.mark.parametrize("link", ["hard", "soft", "external"])
def test_arrays_that_links_lead_to_are_read(ridge, link):
    random = np.random.default_rng(11)
    p, c = random.standard_normal((6, 7, 8)), 1 + random.random((6, 7, 8))
    write(p=p, c=c, rho=c)
    evolve(ridge, "acoustic", "--steps", "5", "--dt", "0.1")
    right = read("p")
    with h5py.File("in.h5", "a") as h5:
        del h5["rho"]
        h5["rho"] = {"hard": h5["c"], "soft": h5py.SoftLink("/c"), "external": h5py.ExternalLink("c.h5", "/c")}[link]
    write("c.h5", c=c)
    evolve(ridge, "acoustic", "--steps", "5", "--dt", "0.1")
    np.testing.assert_array_equal(read("p"), right)
    with h5py.File("in.h5", "a") as h5:
        del h5["rho"]
        h5["rho"] = h5py.SoftLink("/gone")
    ridge.bad("evolve", "acoustic", "in.h5", "-o", "o.h5", "--device", "cpu", says="there is no dataset /rho")


def test_restarts_at_once_lose_no_step(ridge):
    random = np.random.default_rng(12)
    write(p=random.standard_normal((40, 40, 40)))
    evolve(ridge, "acoustic", "--steps", "2")
    words = [ridge.program, "evolve", "--restart", "out.h5", "--steps", "50", "--every", "50"]
    runs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ends = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    assert all(code == 2 and ("out.h5 is being written by another run" in err or
                              "another run went on with out.h5" in err)
               for _, err, code in ends if code != 0), ends
    done = [code for _, _, code in ends].count(0)
    with h5py.File("out.h5") as h5:
        assert done > 0 and int(sorted(h5["snapshots"])[-1]) == 2 + 50 * done


def test_a_run_that_lacks_an_attribute(ridge):
    write(p=np.ones((6, 7, 8)))
    evolve(ridge, "acoustic", "--steps", "2")
    with h5py.File("out.h5", "a") as h5:
        del h5.attrs["boundary"]
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "2",
              says="out.h5 is damaged: it lacks the attribute boundary")


@pytest.mark.parametrize("small_disk", ["400k"], indirect=True)
def test_a_full_disk_leaves_the_last_snapshot_readable(ridge, small_disk):
    write(p=np.random.default_rng(5).random((20, 20, 20)))
    result = ridge("evolve", "acoustic", "in.h5", "-o", "disk/out.h5", "--device", "cpu", "--steps", 100, "--every", 10)
    assert result.code == 1
    (line,) = result.err.splitlines()
    assert "stopped at step 10; disk/out.h5 leads to the snapshots up to step 0" in line
    assert read("p", file="disk/out.h5").shape == (20, 20, 20)
    ridge.good("evolve", "--restart", "disk/out.h5", "-o", "further.h5", "--steps", "3")
    evolve(ridge, "acoustic", "--steps", "3")
    np.testing.assert_array_equal(read("p", file="further.h5"), read("p"))
