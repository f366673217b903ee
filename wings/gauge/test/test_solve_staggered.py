"""`ridge solve staggered` against a dense operator in numpy, and the free field."""

import gauge_files
import h5py
import numpy as np
import pytest
from conftest import left_in

SIZE = (2, 4, 2, 4)


def dense_staggered(links, mass, antiperiodic=True):
    """m + sum over mu of eta_mu (U shift - shift^+ U^+) / 2 as a matrix; sites x fastest, then colour."""
    extents = links.shape[3::-1]
    sites = int(np.prod(extents))
    d = mass * np.eye(sites * 3, dtype=complex).reshape(sites, 3, sites, 3)
    strides = np.cumprod((1, *extents[:3]))
    for t, z, y, x in np.ndindex(links.shape[:4]):
        here = np.array([x, y, z, t])
        for mu in range(4):
            there = here.copy()
            there[mu] = (here[mu] + 1) % extents[mu]
            sign = (-1) ** int(sum(here[:mu])) * (-1 if antiperiodic and mu == 3 and there[3] == 0 else 1)
            u = 0.5 * sign * links[t, z, y, x, mu]
            a, b = int(here @ strides), int(there @ strides)
            d[a, :, b, :] += u
            d[b, :, a, :] -= u.conj().T
    return d.reshape(sites * 3, sites * 3)


@pytest.mark.parametrize("device, at, boundary", [
    ("cpu", (0, 0, 0, 0), "antiperiodic"), ("simt:32", (1, 2, 0, 0), "periodic"), ("simt:64", (0, 3, 1, 2), "antiperiodic")])
def test_the_dense_solution(ridge, folder, device, at, boundary):
    links = gauge_files.random_links(SIZE, seed=5, spread=0.3)
    gauge_files.write_nersc(folder / "lat.nersc", links)
    (record,) = ridge.good("solve", "staggered", "lat.nersc", "--mass", 0.3, "--tol", 1e-11, "-o", "p.h5", "--source",
                           "point:" + ",".join(map(str, at)), "--boundary", boundary, "--device", device, "--json",
                           "--no-roof").records()
    with h5py.File("p.h5") as h5:
        data = h5["propagator"]
        assert data.shape == (3, *SIZE[::-1], 3, 2) and data.attrs["mass"] == 0.3
        found = data[...].view(complex).reshape(3, -1)
    place = at @ np.cumprod((1, *SIZE[:3]))
    right = np.linalg.inv(dense_staggered(links, 0.3, boundary == "antiperiodic"))[:, 3 * place:3 * place + 3].T
    assert np.abs(found - right).max() < 1e-9 * np.abs(right).max()
    assert record["kernel"] == "staggered" and record["check"]["ok"] and record["residual"] <= 1e-11
    slices = (np.abs(right) ** 2).reshape(3, SIZE[3], -1).sum((0, 2))
    assert np.allclose([float(c) for c in record["correlator"].split()], slices, rtol=1e-8)


@pytest.mark.parametrize("device", ["cpu", "simt:64"])
def test_shifts(ridge, folder, device):
    links = gauge_files.random_links(SIZE, seed=5, spread=0.3)
    gauge_files.write_nersc(folder / "lat.nersc", links)
    shifts = [0.7, 0, 0.05]
    (record,) = ridge.good("solve", "staggered", "lat.nersc", "--mass", 0.3, "--tol", 1e-11, "-o", "s.h5", "--source",
                           "point:1,2,0,2", "--shifts", "0.7,0,0.05", "--device", device, "--json", "--no-roof").records()
    d = dense_staggered(links, 0.3)
    with h5py.File("s.h5") as h5:
        data = h5["propagator"]
        assert data.shape == (9, *SIZE[::-1], 3, 2) and data.attrs["shifts"].tolist() == shifts
        found = data[...].view(complex).reshape(3, 3, -1)
        assert max(data.attrs["residuals"]) <= 1e-11 and min(data.attrs["iterations"]) > 3
    place = np.array((1, 2, 0, 2)) @ np.cumprod((1, *SIZE[:3]))
    for x, shift in zip(found, shifts):
        right = np.linalg.solve(d.conj().T @ d + shift * np.eye(len(d)), d.conj().T[:, 3 * place:3 * place + 3]).T
        assert np.abs(x - right).max() < 1e-9 * np.abs(right).max(), shift
    assert record["check"]["ok"] and record["residual"] <= 1e-11


def test_bad_words(ridge, folder):
    gauge_files.write_nersc(folder / "lat.nersc", gauge_files.random_links(SIZE, seed=5, spread=0.3))
    gauge_files.write_nersc(folder / "odd.nersc", gauge_files.random_links((2, 3, 2, 4), seed=5, spread=0.3))
    words = ("solve", "staggered", "lat.nersc", "-o", "p.h5")
    ridge.bad(*words, says="--mass is needed")
    ridge.bad(*words, "--mass", 0, says="other than 0")
    ridge.bad(*words, "--mass", 1, "--shifts", "0.1,", says="--shifts 0.1,: expected numbers of at least 0")
    ridge.bad(*words, "--mass", 1, "--shifts", "1,0", "--iterations", 2, "--device", "cpu", "--tol", 1e-12, code=1,
              says="6 of 6 columns did not converge")
    (folder / "p.h5").unlink()
    ridge.bad("solve", "staggered", "odd.nersc", "-o", "p.h5", "--mass", 1, says="all extents are even")
    ridge.bad(*words, "--mass", 0.5, "--iterations", 1, "--device", "cpu", code=1, says="3 of 3 columns did not converge")
    assert left_in(folder) == ["lat.nersc", "odd.nersc", "p.h5"]


def test_a_mass_beside_which_d_is_singular_is_named(ridge, folder):
    ridge.good("gauge", "heatbath", "--beta", 6, "--size", "4x4x4x4", "--start", "cold", "--sweeps", 0, "-o", "lat.nersc", "--device", "cpu")
    ridge.bad("solve", "staggered", "lat.nersc", "--mass", 1e-14, "--boundary", "periodic", "-o", "p.h5", "--device", "cpu", "--no-roof",
              code=1, says="mass 1e-14 is exceptional on this configuration")  # fmt: skip
    with h5py.File("p.h5") as h5:
        assert np.isfinite(h5["propagator"]).all() and h5["propagator"].attrs["residuals"].max() <= 1
