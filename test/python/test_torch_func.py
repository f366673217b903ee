"""Kernels under torch.func: derivatives equal to those of backward() and of torch's own operations."""

import pytest

import ridge
from ridge import lattice

torch = pytest.importorskip("torch")
if not hasattr(torch, "func"):
    pytest.skip(f"torch {torch.__version__} has no torch.func; from 2.0 on it has", allow_module_level=True)


@pytest.fixture(scope="module")
def step():
    @ridge.stencil
    def step(u, k, rate=0.1):
        return u[0, 0] + rate * k[0, 0] * u[0, 1] * u[-1, 0]

    return step


def by_torch(u, k, rate):
    inner = u[1:-1, 1:-1] + rate * k[1:-1, 1:-1] * u[1:-1, 2:] * u[:-2, 1:-1]
    return torch.nn.functional.pad(inner, (1, 1, 1, 1))


def some(*shape):
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(4))


def losses(step):
    return [lambda u, k, rate, f=f: (f(u, k, rate=rate) ** 2).sum() for f in (step, by_torch)]


def equal(a, b):
    return all(torch.allclose(x, y, atol=1e-13) for x, y in zip(a, b, strict=True))


def test_gradients_and_gradients_of_gradients(step):
    given = some(5, 6), some(5, 6), torch.tensor(0.3, dtype=torch.float64)
    mine, theirs = (torch.func.grad(loss, argnums=(0, 1, 2))(*given) for loss in losses(step))
    assert equal(mine, theirs) and mine[0].abs().sum() > 1
    twice = [torch.func.grad(lambda u, loss=loss: (torch.func.grad(loss)(u, *given[1:]) ** 3).sum())(given[0])
             for loss in losses(step)]
    assert equal(twice[:1], twice[1:])
    y, pull = torch.func.vjp(lambda u: step(u, given[1], rate=0.3), given[0])
    right = ridge.grad(step, by="u")(*given[:2], torch.ones_like(y), rate=0.3).u
    assert torch.equal(pull(torch.ones_like(y))[0], right) and torch.equal(y, step(*given[:2], rate=0.3))
    jacobian = torch.func.jacrev(lambda u: step(u, given[1], rate=0.3))(given[0])
    assert torch.allclose(jacobian.sum((0, 1)), right, atol=1e-14)


def test_batches_of_arrays_and_of_numbers(step):
    u, k, rates = some(3, 5, 6), some(5, 6), torch.tensor([0.1, 0.5, 2.0], dtype=torch.float64)
    made = torch.func.vmap(lambda u, r: step(u, k, rate=r), in_dims=(0, 0))(u, rates)
    assert equal(made, [step(x, k, rate=float(r)) for x, r in zip(u, rates)])
    along = torch.func.vmap(lambda u: step(u, k, rate=0.2), in_dims=2, out_dims=1)(u.movedim(0, 2))
    assert torch.equal(along, torch.stack([step(x, k, rate=0.2) for x in u], 1))
    each = [torch.func.vmap(torch.func.grad(loss), in_dims=(0, None, 0))(u, k, rates) for loss in losses(step)]
    assert equal(each[:1], each[1:])


def test_chains_of_several_results_and_pairs():
    @ridge.chain(edge="periodic")
    def pair(u):
        g = u[1] * u[0]
        return g, g[1] - ridge.sin(g[-1])

    def loss(u, f):
        a, b = f(u)
        return (a * b).sum()

    def rolled(u):
        g = torch.roll(u, -1) * u
        return g, torch.roll(g, -1) - torch.sin(torch.roll(g, 1))

    u = some(2, 7)
    one = torch.func.grad(loss)
    assert equal(torch.func.vmap(lambda u: one(u, pair))(u), torch.func.vmap(lambda u: one(u, rolled))(u))

    @ridge.pairs(targets=1, sources=2, sums=1)
    def weighted(t, s, a=1.0):
        return [a * s[1] * (s[0] - t[0]) ** 2]

    t, s = some(1, 4), some(2, 5)
    mine = torch.func.grad(lambda s: weighted(t, s, a=2.0).sum())(s)
    right = torch.func.grad(lambda s: (2 * s[1] * (s[0] - t[0][:, None]) ** 2).sum())(s)
    assert torch.allclose(mine, right, atol=1e-13)


def test_what_is_not_there_is_refused_by_name(step):
    u, k = some(5, 6), some(5, 6)

    def inside(f, says, *given):
        with pytest.raises(TypeError, match=says):
            torch.func.grad(lambda x: f(x).sum())(*given)

    with pytest.raises(TypeError, match="step: forward mode .* is not there; grad, vjp, jacrev and vmap"):
        torch.func.jvp(lambda u: step(u, k), (u,), (u,))
    inside(lambda u: step(u, k, out=torch.zeros_like(u)), "step: out= is written in place", u)
    inside(ridge.stencil(source="struct A {};", name="A"), "A is given as C\\+\\+ text", u)
    by_kernels_alone = "{}: torch.func transforms calls of kernels alone .*; backward\\(\\) gives this gradient"
    inside(lambda u: ridge.sweeps(step, boundary="mirror")(u, k, steps=1), by_kernels_alone.format("step"), u)
    inside(lambda x: ridge.gravity(x, theta=0), by_kernels_alone.format("gravity"), some(4, 5))
    inside(lambda x: lattice.norm2(lattice.field(x, "real")), by_kernels_alone.format("lattice.field"),
           some(4, 4, 4, 4))
    if hasattr(ridge, "solve"):
        inside(lambda f: ridge.solve("poisson", f, boundary="dirichlet:0"), by_kernels_alone.format("ridge.solve"), u)
    taken = torch.func.grad(lambda u: (u * step(k, k)).sum())(u)  # of a call that no transform follows
    assert torch.equal(taken, step(k, k))
