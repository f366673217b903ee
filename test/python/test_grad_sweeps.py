"""Gradients over many sweeps, equal to differences of runs, for all boundaries and plans of memory."""

import numpy as np
import pytest

import ridge
from ridge import _grad_sweeps

SIMT = "simt:32"


@pytest.fixture(scope="module")
def burgers():
    @ridge.stencil
    def burgers(u, nu, c=0.1):
        return (u[0, 0] - c * u[0, 0] * (u[0, 1] - u[0, -1]) - c * (u[1, 0]**2 - u[-1, 0]**2)
                + nu[0, 0] * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0] - 4 * u[0, 0])
                + 0.02 * u[1, 1] * nu[-1, -1])

    return burgers


@pytest.fixture(scope="module")
def wave():
    @ridge.stencil
    def wave(u, before, c2):
        second = -2.5 * u[0] + 4 / 3 * (u[1] + u[-1]) - (u[2] + u[-2]) / 12
        return 2 * u[0] - before[0] + c2[0] * second

    return wave


def difference(loss, x, v):
    """The slope of the loss along v, by differences of fourth order."""
    one, two = (loss([a + h * d for a, d in zip(x, v)]) - loss([a - h * d for a, d in zip(x, v)])
                for h in (1e-4, 2e-4))
    return (8 * one - two) / 12e-4


BOUNDARIES = ["untouched", "periodic", "mirror", "dirichlet:0.7", "neumann:0.3",
              "x=periodic,y-=dirichlet:0.4", "x-=neumann:-0.5,x+=mirror,y+=dirichlet:1.2,y-=neumann:0.2"]


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_burgers_over_time(rng, burgers, boundary):
    in_time = ridge.sweeps(burgers, boundary=boundary, spacing=(0.5, 2.0))
    u, nu = rng.uniform(0.4, 0.9, (6, 9)), rng.uniform(0.05, 0.15, (6, 9))
    w = rng.standard_normal(u.shape)
    gradient = ridge.grad(in_time, by=("u", "nu", "c"))
    found = gradient(u, nu, w, steps=7)
    v = [*rng.standard_normal((2, *u.shape)), rng.standard_normal()]

    def loss(x):
        return (w * in_time(*x[:2], steps=7, c=x[2])).sum()

    right = difference(loss, [u, nu, 0.1], v)
    size = np.abs(found.u * v[0]).sum()
    assert abs((found.u * v[0]).sum() + (found.nu * v[1]).sum() + found.c * v[2] - right) < 1e-8 * size
    one = gradient(u, nu, w, steps=1)
    faces, step = gradient._faces, gradient._step
    wide = [faces.wide(a, is_field) for a, is_field in ((u, True), (nu, False))]
    inner = faces._inner(u.shape)
    by_hand = burgers(*wide, out=wide[0].copy())[inner]
    faces._set_faces(by_hand)
    np.testing.assert_allclose(in_time(u, nu, steps=1), by_hand, atol=1e-14)  # what lies beyond faces is the same
    assert step.by == ("u", "nu", "c") and np.isfinite(one.u).all()


@pytest.mark.parametrize("boundary", ["untouched", "periodic", "dirichlet:0", "x-=mirror,x+=neumann:0"])
def test_waves_over_time_and_their_checkpoints(rng, wave, boundary):
    in_time = ridge.sweeps(wave, boundary=boundary, levels=2)
    u, before, c2 = *rng.standard_normal((2, 23)), rng.uniform(0.1, 0.3, 23)
    w = rng.standard_normal((2, 23))
    right = None
    for memory in (10**6, 8 * 2 * 184, None):
        gradient = ridge.grad(in_time, memory=memory)
        found = gradient(u, before, c2, tuple(w), steps=13, device="cpu")
        plan = gradient.plan
        assert (plan["checkpoints"], plan["states"]) == {10**6: (1, 13), 8 * 2 * 184: (7, 2), None: (4, 4)}[memory]
        assert memory is None or plan["bytes"] <= memory
        for a, b in zip(found, right or found):
            np.testing.assert_allclose(a, b, atol=1e-12)
        right = found
    v = rng.standard_normal((3, 23))

    def loss(x):
        return sum((a * b).sum() for a, b in zip(w, in_time(*x, steps=13)))

    assert sum((g * d).sum() for g, d in zip(found, v)) == pytest.approx(difference(loss, [u, before, c2], v), rel=1e-7)
    with pytest.raises(ridge.UsageError, match="13 steps need the memory of 7 states of 368 bytes, 2576 in all"):
        ridge.grad(in_time, memory=2500)(u, before, c2, tuple(w), steps=13)


def test_no_steps_and_what_does_not_fit(burgers):
    in_time = ridge.sweeps(burgers, boundary="dirichlet:1", memory="1MB")
    u = np.ones((4, 4))
    found = ridge.grad(in_time)(u, u, u, steps=0)
    assert (found.u == 1).all() and (found.nu == 0).all()
    assert [_grad_sweeps.bytes_of(m) for m in ("8GB", "1.5 kB", 77, "12B")] == [8 * 10**9, 1500, 77, 12]
    for wrong in ("8 pounds", -1, True):
        with pytest.raises(TypeError, match="memory="):
            ridge.grad(in_time, memory=wrong)
    with pytest.raises(TypeError, match="takes 3 arrays"):
        ridge.grad(in_time)(u, u, steps=1)
