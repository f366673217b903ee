"""Kernels, sweeps and fields that are copied, or sent to another process."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import ridge
from ridge import lattice


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
    found = [ridge.Failure("no device"), raised(lambda: heat_of_module(np.zeros((3, 3)))),
             raised(lambda: ridge.stencil(lambda u: u)), raised(lambda: ridge.bench("nothing")),
             raised(lambda: ridge.stencil(lambda u: u[0].nothing))]
    assert {type(e) for e in found} >= {ridge.Failure, ridge.UsageError, ridge.TraceError}
    return found


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_exceptions(again):
    for error in exceptions():
        other = again(error)
        assert type(other) is type(error) and str(other) == str(error) and other.args == error.args


def results():
    """What functions of the package return, of each class."""
    u = np.random.default_rng(1).standard_normal(300)
    heat_of_module(u)
    measured = heat_of_module.measure(u, repeat=1, check=False)
    return {
        "Record": measured, "Records": heat_of_module.measure_all(u, repeat=1, schedule="auto", check=False),
        "Report": ridge.report(measured), "Diagnoses": ridge.doctor(heat_of_module, u),
        "Ranks": ridge.ranks(),
    }


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_gradients(again, rng):
    """Of all patterns: the gradient itself, and the named tuple that it gives."""

    @ridge.pairs(targets=1, sources=1, sums=1)
    def pull(t, s):
        return [s[0] - t[0]]

    def total(x):
        return lattice.norm2(2.0 * x)

    u, q = rng.standard_normal(80), rng.standard_normal((1, 7))
    f = lattice.field(rng.standard_normal((2, 2, 2, 2)), "real")
    in_time = ridge.sweeps(heat_of_module, boundary="periodic")
    for gradient, arrays, options in [(ridge.grad(heat_of_module), (u, u), {}), (ridge.grad(pull), (q, q), {}),
                                      (ridge.grad(in_time), (u, u), {"steps": 3})]:
        right = gradient(*arrays, **options)
        for other in (again(right), again(gradient)(*arrays, **options)):
            assert type(other) is type(right) and other._fields == right._fields
            np.testing.assert_allclose(other[0], right[0], rtol=1e-13)
    right = ridge.grad(total)(f)
    np.testing.assert_array_equal(again(right).x.numpy(), right.x.numpy())


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda k: pickle.loads(pickle.dumps(k))])
def test_what_is_returned(again):
    for name, one in results().items():
        require_same(again(one), one, name)


def require_same(other, one, name):
    assert type(other) is type(one) and type(one).__name__ == name
    mine, others = (list(vars(x).items()) for x in (one, other))
    assert repr(mine) == repr(others) and len(mine) == len(others)
    if isinstance(one, list):
        assert list(other) == list(one)
