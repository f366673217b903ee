"""Kernels, sweeps and fields that are copied, or sent to another process."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import ridge
from ridge import gauge, lattice


@ridge.stencil
def heat_of_module(u):
    return u[0] + 0.1 * (u[1] + u[-1] - 2 * u[0])


def child(arguments):
    kernel, u = arguments
    return kernel(u)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_a_kernel_that_was_called(again, rng):
    u = rng.standard_normal(80)
    right = heat_of_module(u)
    other = again(heat_of_module)
    assert repr(other) == repr(heat_of_module) and other.source == heat_of_module.source
    np.testing.assert_array_equal(other(u), right)
    with pytest.raises(ridge.UsageError, match="not called yet"):
        again(heat_of_module).record  # noqa: B018

    @ridge.pairs(targets=1, sources=1, sums=1)
    def pull(t, s):
        return [s[0] - t[0]]

    q = rng.standard_normal((1, 7))
    np.testing.assert_array_equal(again(pull)(q), pull(q))
    in_time = ridge.sweeps(heat_of_module, boundary="periodic")
    mine, others = u.copy(), u.copy()
    in_time.run(mine, steps=3)
    again(in_time).run(others, steps=3)
    np.testing.assert_array_equal(mine, others)


def test_a_spawned_pool(rng):
    u = rng.standard_normal(80)
    right = heat_of_module(u)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(child, [(heat_of_module, u)])
    np.testing.assert_array_equal(found, [right])


@pytest.mark.parametrize("site", lattice.SITES)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_fields(again, site, rng):
    a = rng.standard_normal((4, 8, *lattice.SITES[site])) + (0 if site == "real" else 1j)
    f = lattice.field(a, site)
    other = again(f)
    assert other.device == f.device and other.dtype == f.dtype
    np.testing.assert_array_equal(other.numpy(), a)
    (field,) = again(2 * f)._parts()[1]
    np.testing.assert_array_equal(field.numpy(), a)


def raised(call):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


def exceptions():
    """One of each class that the package raises."""
    u = gauge.cold(2, 2, 2, 2)
    b = np.random.default_rng(1).normal(size=(2, 2, 2, 2, 4, 3)) + 0j
    found = [raised(lambda: gauge.cg(gauge.Wilson(u, 0.1, precision="fp64"), b, 1e-12, iterations=1)),
             raised(lambda: gauge.read("nowhere")), raised(lambda: heat_of_module(np.zeros((3, 3)))),
             raised(lambda: ridge.stencil(lambda u: u)), raised(lambda: ridge.bench("nothing")),
             raised(lambda: ridge.stencil(lambda u: u[0].nothing))]
    assert {type(e) for e in found} >= {gauge.NotConverged, ridge.Failure, ridge.UsageError, ridge.TraceError}
    return found


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_exceptions(again):
    for error in exceptions():
        other = again(error)
        assert type(other) is type(error) and str(other) == str(error) and other.args == error.args
        if isinstance(error, gauge.NotConverged):
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


def results(tmp_path):
    """What functions of the package return, of each class."""
    u = np.random.default_rng(1).standard_normal(300)
    heat_of_module(u)
    kept = gauge.cold(2, 2, 2, 2)
    gauge.write(tmp_path / "lat", kept, {"A": "b"})
    measured = heat_of_module.measure(u, repeat=1, check=False)
    return {
        "Record": measured, "Records": heat_of_module.measure_all(u, repeat=1, schedule="auto", check=False),
        "Report": ridge.report(measured), "Diagnoses": ridge.doctor(heat_of_module, u),
        "Ranks": ridge.ranks(), "Configuration": gauge.read(tmp_path / "lat"),
        "Solution": ridge.solve("poisson", np.ones((9, 9)), boundary="dirichlet:0"),
        "Solved": gauge.Solved(True, 3, 1e-9, 0.5, 8.0),
    }


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_what_is_returned(again, tmp_path):
    for name, one in results(tmp_path).items():
        other = again(one)
        assert type(other) is type(one) and type(one).__name__ == name
        mine, others = (list(vars(x).items()) for x in (one, other))
        assert repr(mine) == repr(others) and len(mine) == len(others)
        if isinstance(one, list):
            assert list(other) == list(one)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
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
