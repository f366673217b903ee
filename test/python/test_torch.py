"""Tensors of torch on the host: used where they are, results in tensors. On a GPU: test_gpu.py."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import heat_of

import ridge
from ridge import lattice

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore:Failed to initialize NumPy")  # a torch older than it


def values(tensor):
    """By its memory, as torch and NumPy need not know each other."""
    return np.from_dlpack(tensor.contiguous()).copy()


@pytest.fixture
def u():
    return torch.rand((6, 7, 8), dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_stencil_writes_into_the_tensor_that_is_given(heat, u, dtype):
    u = u.to(dtype)
    out = torch.zeros_like(u)
    place = out.data_ptr()
    assert heat(u, out=out, rate=0.2) is out and out.data_ptr() == place
    np.testing.assert_allclose(values(out), heat_of(values(u), 0.2, np.zeros(u.shape)),
                               atol=10 * torch.finfo(dtype).eps)


def test_results_are_new_tensors(heat, u):
    made = heat(u, rate=0.2)
    assert isinstance(made, torch.Tensor) and made.dtype == u.dtype and made.shape == u.shape
    inner = (slice(1, -1),) * 3
    np.testing.assert_allclose(values(made)[inner], heat_of(values(u), 0.2, values(u))[inner], atol=1e-14)


def test_parts_of_tensors_are_used_in_place(heat, u):
    wide = torch.full((6, 9, 11), 9.0, dtype=torch.float64)
    part = wide[:, :7, :8]
    part.zero_()
    heat(u, out=part, rate=0.2)
    np.testing.assert_allclose(values(part), heat_of(values(u), 0.2, np.zeros(u.shape)), atol=1e-14)
    part.fill_(9.0)
    assert bool((wide == 9.0).all())


@pytest.mark.parametrize("make, says", [
    (lambda u: u.to(torch.int64), "neither float32 nor float64"),
    (lambda u: u.half(), "out is float64, and u float16"),
    (lambda u: u.to(torch.bfloat16), "out is float64, and u bfloat16"),
    (lambda u: u.permute(2, 1, 0), "not contiguous along its last axis"),
    (lambda u: u[:, :, ::2], "not contiguous along its last axis"),
    (lambda u: u[0], "u has 2"),
])
def test_what_does_not_fit_is_refused_and_not_copied(heat, u, make, says):
    with pytest.raises((TypeError, ridge.UsageError), match=says):
        heat(make(u), out=torch.zeros_like(u))


def test_operations_of_torch_between_calls(heat, u):
    after = torch.empty_like(u)
    right = values(u)
    after.copy_(u)
    for _ in range(3):
        heat(u, out=after, rate=0.1)
        u.copy_(after).mul_(0.5)
        right = 0.5 * heat_of(right, 0.1, right)
        after.copy_(u)
    inner = (slice(3, -3),) * 3  # what no edge has reached
    np.testing.assert_allclose(values(u)[inner], right[inner], atol=1e-13)


def test_pairs_chains_and_sweeps_take_tensors(heat, u):
    @ridge.pairs(targets=1, sources=2, sums=1)
    def weighted(t, s):
        return [s[1] * (s[0] - t[0])]

    t, s = torch.rand((1, 9), dtype=torch.float64), torch.rand((2, 21), dtype=torch.float64)
    sums = weighted(t, s)
    assert isinstance(sums, torch.Tensor)
    right = (s[1] * (s[0] - t[0][:, None])).sum(1)
    assert torch.allclose(sums[0], right, atol=1e-13)

    @ridge.chain(edge="periodic")
    def difference(v):
        return v[1] - v[-1]

    v = torch.rand(50, dtype=torch.float64)
    assert torch.allclose(difference(v), torch.roll(v, -1) - torch.roll(v, 1), atol=1e-14)

    same = values(u)
    in_time = ridge.sweeps(heat, boundary="periodic")
    assert in_time.run(u, steps=5, rate=0.1) is u
    in_time.run(same, steps=5, rate=0.1)
    np.testing.assert_array_equal(values(u), same)


def test_lattices_take_tensors():
    a = torch.complex(torch.rand((2, 4, 8, 3), dtype=torch.float64),
                      torch.rand((2, 4, 8, 3), dtype=torch.float64))
    f = lattice.field(a, "colour_vector")
    np.testing.assert_array_equal(f.numpy(), values(a))
    assert lattice.norm2(f) == pytest.approx(float((a.abs() ** 2).sum()), rel=1e-13)


# Gradients.

@pytest.fixture(scope="module")
def diffusion():
    @ridge.stencil
    def diffusion(u, k, rate=0.1):
        return u[0, 0] + rate * (k[0, 1] * u[0, 1]**2 - ridge.exp(u[-1, 0]))

    return diffusion


@pytest.fixture
def uk():
    return [torch.rand((5, 7), dtype=torch.float64, requires_grad=True) for _ in range(2)]


def test_results_require_gradients_as_arguments_do(diffusion, uk):
    u, k = uk
    rate = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda *x: diffusion(*x[:2], rate=x[2]), (u, k, rate))
    assert torch.autograd.gradgradcheck(lambda *x: diffusion(*x[:2], rate=x[2]), (u, k, rate))
    y = diffusion(u, k, rate=rate)
    y.sum().backward()  # whose gradient has no memory of its own
    right = ridge.grad(diffusion, by=("u", "k", "rate"))(u, k, torch.ones_like(u), rate=0.3)
    assert torch.equal(u.grad, right.u) and torch.equal(k.grad, right.k)
    assert float(rate.grad) == pytest.approx(right.rate, rel=1e-14)
    assert not diffusion(u.detach(), k.detach()).requires_grad
    with torch.no_grad():
        assert torch.equal(diffusion(u, k, rate=rate), y) and not diffusion(u, k).requires_grad


def test_results_of_before_count_where_a_call_leaves_them(diffusion, uk):
    def into(u, k, before):
        out = before * 1.0
        assert diffusion(u, k, out=out) is out and out.requires_grad
        return out

    assert torch.autograd.gradcheck(into, (*uk, torch.rand_like(uk[0], requires_grad=True)))
    assert torch.autograd.gradcheck(lambda before: into(uk[0].detach(), uk[1].detach(), before),
                                    (torch.rand_like(uk[0], requires_grad=True),))


def test_calls_are_told_apart_that_have_a_kernel_in_common(diffusion):
    """Calls differ by who requires a gradient, type, shape, the order of numbers, and numbers that change later."""
    @ridge.stencil
    def two(u, k, a, b=2.0):
        return a * u[0, 1] * k[0, 0] + b * u[0, 0]**2

    def right(u, k, a, b):
        inner = torch.zeros_like(u)
        inner[:, 1:-1] = a * u[:, 2:] * k[:, 1:-1] + b * u[:, 1:-1]**2
        return inner

    for shape, kind, asked in ((5, 7), torch.float64, "u"), ((5, 7), torch.float64, "uk"), \
            ((4, 9), torch.float64, "k"), ((5, 7), torch.float32, "uk"), ((5, 7), torch.float64, "u"):
        mine = [torch.rand(shape, dtype=kind).requires_grad_(n in asked) for n in "uk"]
        theirs = [x.detach().clone().requires_grad_(x.requires_grad) for x in mine]
        a = torch.tensor(0.5, dtype=torch.float64)
        for numbers in {"a": a}, {"b": 3, "a": 0.5}, {"a": 0.5, "b": 3.0}:
            y, z = two(*mine, **numbers), right(*theirs, 0.5, numbers.get("b", 2.0))
            assert torch.allclose(y, z, rtol=1e-6) and not y[:, 0].any()
            a += 1  # the call has had its value
            w = torch.rand(shape[::-1], dtype=kind).T  # of no order of its own
            poison = [torch.full(shape, float("nan"), dtype=kind) for _ in range(9)]  # in new memory
            del poison
            for x, g, h in zip(mine, torch.autograd.grad(y, [x for x in mine if x.requires_grad], w),
                               torch.autograd.grad(z, [x for x in theirs if x.requires_grad], w)):
                assert g.dtype == kind and torch.allclose(g, h, rtol=1e-5)
            a -= 1
        assert two.record["precision"] == ("fp32" if kind == torch.float32 else "fp64")


def test_what_is_overwritten_before_backward_is_noticed(diffusion, heat, uk):
    u, k = uk
    for overwrite in (lambda a: a.add_(1), lambda a: diffusion(torch.zeros_like(a), torch.zeros_like(a), out=a)):
        for other in (lambda a: diffusion(u, a), lambda a: u * a):  # kept by ridge, and by torch
            a = k.detach().clone()
            y = other(a)
            overwrite(a)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()
    v = torch.rand((3, 4, 5), dtype=torch.float64, requires_grad=True)
    y = heat(v, rate=0.1)
    v.detach().zero_()  # the gradient of what is linear needs no values
    y.sum().backward()
    assert v.grad.abs().sum() > 0


def test_chains_of_several_results_and_a_second_call(uk):
    @ridge.chain(edge="periodic")
    def pair(u, v):
        g = u[0, 1] * v[0, 0]
        return g, g[1, 0] - ridge.sin(g[0, -1])

    def loss(u, v):
        a, b = pair(u, v)
        return (pair(b, a)[1]**2).sum() + (a * v).sum()

    assert torch.autograd.gradcheck(loss, tuple(uk))
    single = [x.detach().float().requires_grad_() for x in uk]
    loss(*single).backward()
    loss(*uk).backward()
    for a, b in zip(single, uk):
        assert a.grad.dtype == torch.float32 and torch.allclose(a.grad.double(), b.grad, atol=1e-4)


def test_refused_when_a_gradient_is_asked_for(uk):
    steps = ridge.stencil(lambda u, m: u[0, 0] * ridge.floor(m[0, 0]))
    u, m = uk
    assert steps(u, m.detach()).requires_grad
    with pytest.raises(TypeError, match="no derivative by m"):
        steps(u, m)
    with pytest.raises(TypeError, match="requires a gradient.*detach"):
        ridge.stencil(source="struct A {};", name="A")(u)


def test_gradients_over_time_take_numbers_by_default(uk):
    @ridge.stencil
    def smooth(u, k, rate=0.1):  # whose steps back are steps forward
        return u[0, 0] + rate * k[0, 0] * (u[0, 1] + u[0, -1] - 2 * u[0, 0])

    in_time = ridge.sweeps(smooth, boundary="mirror")
    default, said = (torch.autograd.grad(in_time(*uk, steps=3, **n).sum(), uk) for n in ({}, {"rate": 0.1}))
    assert all(map(torch.equal, default, said))


def test_gradients_by_numbers_need_not_read_all_arrays(uk):
    @ridge.stencil
    def forced(u, f, rate):
        return u[0, 0] + rate * (u[0, 1] - u[0, -1]) + f[0, 0]

    rate = torch.tensor(0.2, dtype=torch.float64, requires_grad=True)
    u, f = (x.detach() for x in uk)
    forced(u, f, rate=rate).sum().backward()
    assert torch.allclose(rate.grad, (u[:, 2:] - u[:, :-2]).sum())


def test_sweeps_over_time_have_gradients(uk):
    @ridge.stencil
    def spread(u, k, rate=0.1):
        return u[0, 0] + rate * k[0, 0] * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0] - 4 * u[0, 0]) * u[0, 0]

    in_time = ridge.sweeps(spread, boundary="mirror")
    rate = torch.tensor(0.2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda u, k, r: in_time(u, k, steps=5, rate=r), (*uk, rate))
    assert not in_time(*(x.detach() for x in uk), steps=5).requires_grad
    found = []
    for memory in None, "1MB":  # states that are taken again, and kept by the forward run
        again = ridge.sweeps(spread, boundary="mirror", memory=memory)
        start, k = (x.detach().clone().requires_grad_() for x in uk)
        y = again(start, k, steps=5, rate=rate)
        start.detach().zero_()  # which the run had a copy of
        for _ in range(2):
            found.append(torch.autograd.grad(y, (start, k, rate), torch.ones_like(y), retain_graph=True))
            y.detach().zero_()
    assert all(torch.allclose(a, b, atol=1e-13) for other in found for a, b in zip(found[0], other))
    assert torch.equal(found[0][0], found[1][0]) and torch.equal(found[2][1], found[3][1])
    k = uk[1].detach().clone()
    y = in_time(uk[0], k, steps=2)
    k.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_what_graphs_hold_at_the_end_is_not_reported():
    held = "ridge._core.Faces('x=mirror', (1, 0, 0), (1.0, 1.0, 1.0), False)"
    text = f"import ctypes, ridge, torch; ctypes.pythonapi.Py_IncRef(ctypes.py_object({held}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "leaked" not in done.stderr
