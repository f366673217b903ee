"""Kernels in JAX's functions: jit, grad and vmap, equal to ridge's own."""

import numpy as np
import pytest

import ridge

jax = pytest.importorskip("jax")
SIMT = "simt:32"


@pytest.fixture(scope="module")
def step():
    @ridge.stencil
    def step(u, k, m, rate=0.1):
        return u[0, 0] + rate * k[0, 0] * u[0, 1] * u[1, 0] + ridge.floor(m[0, 0])

    return step


def test_jit_grad_and_vmap(rng, step):
    u, k, m, w = rng.random((4, 6, 7)).astype(np.float32)
    f = ridge.jax.call(step, device=SIMT)
    np.testing.assert_array_equal(jax.jit(f)(u, k, m), step(u, k, m, device=SIMT))

    def loss(u, k, rate):
        return (f(u, k, m, rate=rate) * w).sum()

    found = jax.jit(jax.grad(loss, (0, 1, 2)))(u, k, jax.numpy.float32(0.3))
    right = ridge.grad(step, by=("u", "k", "rate"))(u, k, m, w, rate=np.float32(0.3), device=SIMT)
    np.testing.assert_allclose(found[0], right.u, rtol=1e-6)
    np.testing.assert_allclose(found[1], right.k, rtol=1e-6)
    assert float(found[2]) == pytest.approx(right.rate, rel=1e-6)
    many = rng.random((3, 6, 7)).astype(np.float32)
    mapped = jax.vmap(jax.grad(loss), (0, None, None))(many, k, 0.3)
    for x, g in zip(many, mapped):
        np.testing.assert_allclose(g, ridge.grad(step, by="u")(x, k, m, w, rate=0.3, device=SIMT).u, rtol=1e-6)


def test_refused_when_the_gradient_is_asked_for(rng, step):
    u = rng.random((5, 6)).astype(np.float32)
    with pytest.raises(TypeError, match="no derivative by m"):
        jax.grad(lambda m: ridge.jax.call(step, device=SIMT)(u, u, m).sum())(u)
    with pytest.raises(TypeError, match="ridge.jax.call"):
        jax.jit(lambda m: step(u, u, m))(u)
