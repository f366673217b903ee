"""`ridge md` beside LAMMPS, where it is installed (Debian: lammps): one start, the same trajectory."""

import argparse
import importlib.util
import pathlib
import shutil

import h5py
import numpy as np
import pytest

BENCH = pathlib.Path(__file__).parents[3] / "bench" / "lammps_melt.py"


@pytest.mark.skipif(shutil.which("lmp") is None, reason="no lmp here (Debian: lammps)")
def test_trajectory_of_a_melt_is_that_of_lammps(ridge, folder):
    """Rounding grows in a melt: the last step's limit is wider."""
    spec = importlib.util.spec_from_file_location("lammps_melt", BENCH)
    melt = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(melt)
    ridge.good("md", "--lattice", 500, "-o", "melted.h5", "--steps", 200, "--precision", "fp64", "--device", "cpu")
    with h5py.File("melted.h5") as h5:
        group = h5["snapshots/0000000200"]
        position, velocity = group["position"][:], group["velocity"][:]
    a = argparse.Namespace(ridge=ridge.program, lmp="lmp", bodies=500, steps=60, every=10, precision="fp64",
                           box=float(np.cbrt(500 / 0.8442)))
    ours = melt.ridge_run(a, folder, "melted.h5:/snapshots/0000000200")
    theirs = melt.lammps_run(a, folder, position, velocity)
    for what in ("temperature", "pressure", "energy"):
        np.testing.assert_allclose(ours[what], theirs[what], rtol=1e-7, atol=1e-7, err_msg=what)
    assert len(ours["places"]) == len(theirs["places"]) == 7
    for x, y in zip(ours["places"], theirs["places"]):
        d = x - y
        assert np.abs(d - a.box * np.round(d / a.box)).max() < 1e-7
