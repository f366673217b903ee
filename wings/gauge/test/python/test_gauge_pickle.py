"""Copies and pickles of operators, results and errors of ridge.gauge."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from test_pickle import raised, require_same

import ridge
from ridge import gauge

AGAIN = [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))]


@pytest.mark.parametrize("again", AGAIN)
def test_no_convergence(again):
    error = raised(lambda: does_not_converge(0))
    other = again(error)
    assert type(other) is gauge.NotConverged and str(other) == str(error) and other.args == error.args
    np.testing.assert_array_equal(other.x, error.x)
    assert other.solved == error.solved and not other.solved.converged


def does_not_converge(_):
    u = gauge.cold(2, 2, 2, 2)
    b = np.random.default_rng(1).normal(size=(2, 2, 2, 2, 4, 3)) + 0j
    return gauge.cg(gauge.Wilson(u, 0.1, precision="fp64", device="cpu"), b, 1e-12, iterations=1)


def test_a_worker_that_raises_ends():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with pytest.raises(gauge.NotConverged, match="no convergence") as caught:
            pool.map_async(does_not_converge, [1]).get(timeout=60)
    assert caught.value.x.shape == (2, 2, 2, 2, 4, 3)


@pytest.mark.parametrize("again", AGAIN)
def test_what_is_returned(again, tmp_path):
    gauge.write(tmp_path / "lat", gauge.cold(2, 2, 2, 2), {"A": "b"})
    require_same(again(kept := gauge.read(tmp_path / "lat")), kept, "Configuration")
    require_same(again(kept := gauge.Solved(True, 3, 1e-9, 0.5, 8.0)), kept, "Solved")


@pytest.mark.parametrize("again", AGAIN)
def test_operators(again, rng):
    u = gauge.heatbath(gauge.cold(2, 2, 2, 2), 5.5)
    links = u.copy()
    b = rng.normal(size=(2, 2, 2, 2, 4, 3)) + 1j * rng.normal(size=(2, 2, 2, 2, 4, 3))
    five = np.stack([b] * 4)
    for d, psi in ((gauge.Wilson(u, 0.12, boundary="periodic", precision="fp64", device="cpu"), b),
                   (gauge.Wilson(u, mass=0.5), b), (gauge.DomainWall(u, 0.1, ls=4, b5=1.5, c5=0.5), five)):
        u[:] = 0  # the operator has its own
        other = again(d)
        u[:] = links
        assert type(other) is type(d) and other.shape == d.shape and repr(other) == repr(d)
        np.testing.assert_array_equal(other @ psi, d @ psi)
        x = gauge.cg(other, psi, tol=1e-8)
        assert other.solved.converged and d.solved is None
        np.testing.assert_array_equal(gauge.cg(d, psi, tol=1e-8), x)
        assert again(d).solved == d.solved


@pytest.mark.parametrize("again", AGAIN)
def test_what_an_operator_leaves(again, rng):
    b = rng.normal(size=(2, 2, 2, 2, 4, 3)) + 0j
    d = gauge.DomainWall(gauge.cold(2, 2, 2, 2), 0.1, ls=4)
    d.propagate(b, tol=1e-6)
    other = again(d)
    np.testing.assert_array_equal(other.midpoint, d.midpoint)
    gradients = ridge.grad(d, by=["psi", "links"])(np.stack([b] * 4), np.stack([b] * 4))
    for one, right in zip(again(gradients), gradients):
        np.testing.assert_array_equal(one, right)
