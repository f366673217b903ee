"""`ridge evolve --restart` of systems: the bits of one run, with all that it was asked for."""

import h5py
import numpy as np
import pytest

from system_runs import evolve, places, read, write

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("system, step, options", [
    ("acoustic", 5, ""),
    ("acoustic", 4, "--spacing 0.7 --dt 0.1234567890123 --boundary z-=antimirror,z+=dirichlet:0.2,x+=neumann:0.3"),
    ("acoustic", 3, "--absorb x,y+ --absorb-width 3 --source s.csv --wavelet ricker:0.2"),
    ("acoustic", 4, "--source s.csv --wavelet w.txt"),
    ("lbm-d3q19", 5, ""),
    ("lbm-d3q19", 4, "--set tau=0.6 --set force_y=1e-3"),
    ("shallow-water", 4, "--set gravity=3 --set dry=0.01 --boundary x=periodic"),
])
def test_a_run_goes_on_bit_by_bit(ridge, system, step, options):
    random = np.random.default_rng(5)
    shape = (9, 10) if system == "shallow-water" else (8, 9, 10)
    if system == "shallow-water":
        write(h=1 + 0.2 * random.random(shape), hu=0.1 * random.random(shape))
        names = ["h", "hu", "hv"]
    elif system == "acoustic":
        write(p=random.random(shape).astype("f4"), c=(1 + random.random(shape)).astype("f4"))
        names = ["p", "vx", "vy", "vz"]
    else:
        write(ux=0.05 * random.random(shape))
        names = [f"f{i}" for i in range(19)] + ["ux", "uy"]
    places("s.csv", (3.3, 4, 5.1))
    np.savetxt("w.txt", random.random(11))
    evolve(ridge, system, "--steps", "11", "--every", "20", *options.split(), out="whole.h5")
    right = read(*names, file="whole.h5")
    evolve(ridge, system, "--steps", str(step), "--every", "20", *options.split())
    ridge.good("evolve", "--restart", "out.h5", "--steps", str(11 - step), "--device", "cpu")
    for one, other in zip(read(*names), right):
        np.testing.assert_array_equal(one, other)


def test_a_gather_needs_receivers(ridge):
    write(c=np.ones((8, 9, 10)))
    evolve(ridge, "acoustic", "--steps", "3")
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "1", "--device", "cpu", "--gather", "gather.png",
              says="--gather is a picture of receivers, and the run in out.h5 has none")
    ridge.good("evolve", "--restart", "out.h5", "--steps", "1", "--device", "cpu")


def test_traces_go_on_with_the_run(ridge):
    write(c=np.ones((8, 10, 12)))
    places("s.csv", (3, 4, 5))
    places("r.csv", (8, 4, 3), (9.5, 2.25, 3), columns="x,y,z")
    options = ["--source", "s.csv", "--wavelet", "ricker:0.3:2", "--receivers", "r.csv"]
    evolve(ridge, "acoustic", "--steps", "30", "--every", "7", "--gather", "gather.png", *options,
           out="whole.h5")
    with h5py.File("whole.traces.h5") as h5:
        right = h5["traces"][...]
        assert right.shape == (2, 30) and np.abs(right).max() > 0
    evolve(ridge, "acoustic", "--steps", "12", "--every", "7", *options)
    ridge.good("evolve", "--restart", "out.h5", "--steps", "18", "--device", "cpu")
    with h5py.File("out.traces.h5") as h5:
        # Ricker's wavelet is as long as the run.
        np.testing.assert_array_equal(h5["traces"][...], right)


def test_wavelets_of_single_sources_go_on_with_the_run(ridge):
    """One wavelet of a file beside one of a formula, whichever of the two --wavelet names."""
    write(c=np.ones((8, 10, 12)))
    np.savetxt("w.txt", np.random.default_rng(9).random(25))
    for one, other in (("w.txt", "ricker:0.3"), ("ricker:0.3", "w.txt")):
        places("s.csv", (3, 4, 5, ""), (8, 4, 3, other), columns="x,y,z,wavelet")
        options = ["--source", "s.csv", "--wavelet", one, "--every", "50"]
        evolve(ridge, "acoustic", "--steps", "20", *options, out="whole.h5")
        right = read("p", file="whole.h5")
        assert np.abs(right).max() > 0
        evolve(ridge, "acoustic", "--steps", "9", *options)
        ridge.good("evolve", "--restart", "out.h5", "--steps", "11", "--device", "cpu")
        np.testing.assert_array_equal(read("p"), right)
        again = ["evolve", "--restart", "out.h5", "--steps", "1", "--device", "cpu"]
        changed = "the medium, sources, receivers or tables of the run in out.h5 were changed since"
        places("s.csv", (3, 4, 5, ""), (8, 4, 3, "ricker:0.4"), columns="x,y,z,wavelet")
        ridge.bad(*again, says=changed)
        places("s.csv", (3, 4, 5, ""), (8, 4, 3, other), columns="x,y,z,wavelet")
        np.savetxt("w.txt", np.random.default_rng(10).random(25))
        ridge.bad(*again, says=changed)
        np.savetxt("w.txt", np.random.default_rng(9).random(25))
        ridge.good(*again)
