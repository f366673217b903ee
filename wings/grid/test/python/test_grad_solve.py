"""Gradients of solutions: by f, the coefficient and the shift, equal to differences of dense solutions."""

import numpy as np
import pytest
from test_solve import oracle

import ridge

D, N, M, P = ("dirichlet", 0.7), ("neumann", -0.4), ("mirror", 0.0), ("periodic", 0.0)


def words_of(walls):
    """The boundary as ridge takes it."""
    found = {}
    for axis, ends in zip("xyz", walls[::-1]):
        for side, (kind, value) in zip("-+", ends):
            found[axis + side] = kind + (f":{value}" if kind in ("dirichlet", "neumann") else "")
    return {k[0] if v == "periodic" else k: v for k, v in found.items()}


def slopes(loss, a, where=None, h=1e-5):
    found = np.zeros_like(a)
    for i in range(a.size):
        if where is not None and not where.flat[i]:
            continue
        ends = []
        for step in (h, -h):
            moved = a.copy()
            moved.flat[i] += step
            ends.append(loss(moved))
        found.flat[i] = (ends[0] - ends[1]) / (2 * h)
    return found


@pytest.mark.parametrize("walls", [[(D, N), (N, N)], [(P, P), (D, D)], [(M, D), (N, M)], [(N, N), (M, N), (D, N)]])
@pytest.mark.parametrize("is_masked", [False, True])
def test_conditions_and_masks(rng, walls, is_masked):
    shape = (5, 7) if len(walls) == 2 else (3, 4, 5)
    f, w = rng.standard_normal((2, *shape))
    k, h, mask = 10**rng.uniform(-0.5, 0.5, shape), (0.5, 1.0, 2.0)[:len(shape)], np.zeros(shape)
    if is_masked:
        mask.flat[[9, 10, 17]] = 1

    def loss(f=f, k=k, shift=0.3):
        return (w * oracle(f, mask, k, walls, h, shift)).sum()

    gradient = ridge.grad(ridge.solve, by=("f", "coefficient", "shift"))
    call = dict(boundary=words_of(walls), spacing=h, shift=0.3, mask=mask if is_masked else None, tol=1e-13)
    found = gradient("diffusion", f, w, coefficient=np.where(mask != 0, np.nan, k), **call)
    np.testing.assert_allclose(found.f, slopes(lambda x: loss(f=x), f, h=1.0), atol=1e-10)
    np.testing.assert_allclose(found.coefficient, slopes(lambda x: loss(k=x), k, mask == 0), atol=1e-7)
    assert found.shift == pytest.approx((loss(shift=0.3001) - loss(shift=0.2999)) / 2e-4, rel=1e-6)


@pytest.mark.parametrize("order", [2, 4])
def test_what_no_face_fixes_and_higher_orders(rng, order):
    """Of mirrors and periodic faces, by f without its mean: as Fourier's transform says."""
    f, w = rng.standard_normal((2, 8, 10))
    call = dict(boundary={"x": "periodic", "y": "mirror"}, order=order, project=True)
    found = ridge.grad(ridge.solve)("poisson", f, w, **call)
    assert abs(found.f.sum()) < 1e-10

    def loss(f):
        return (w * ridge.solve("poisson", f, **call).out).sum()

    v = rng.standard_normal(f.shape)
    assert (found.f * v).sum() == pytest.approx(loss(f + v) - loss(f), rel=1e-9)
    single = ridge.grad(ridge.solve)("poisson", f.astype(np.float32), w.astype(np.float32), device="simt:32",
                                     **call).f
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, found.f, atol=1e-4)


def test_torch_records_solves(rng):
    torch = pytest.importorskip("torch")
    f, k = (torch.rand((5, 6), dtype=torch.float64, requires_grad=True) for _ in range(2))
    shift = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    call = dict(boundary={"x": "neumann:0.3", "y-": "dirichlet:1", "y+": "mirror"}, tol=1e-13)
    assert torch.autograd.gradcheck(
        lambda f, k, shift: ridge.solve("diffusion", f, coefficient=k + 0.5, shift=shift, **call).out, (f, k, shift))
    result = ridge.solve("poisson", f, boundary="dirichlet:0", out=torch.zeros_like(f))
    assert result.converged and result.out.requires_grad
    with torch.no_grad():
        assert not ridge.solve("poisson", f, boundary="dirichlet:0").out.requires_grad
    with pytest.raises(TypeError, match="no derivative by mask; by f, coefficient, shift"):
        ridge.solve("poisson", f, boundary="dirichlet:0", mask=k)
    k = k.detach() + 1
    y = ridge.solve("diffusion", f, coefficient=k, boundary="dirichlet:0").out
    k.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_refusals(rng):
    f = rng.standard_normal((5, 6))
    with pytest.raises(TypeError, match="no derivative by 'mask'; f, coefficient, shift"):
        ridge.grad(ridge.solve, by="mask")
    with pytest.raises(TypeError, match="give coefficient="):
        ridge.grad(ridge.solve, by="coefficient")("poisson", f, f, boundary="dirichlet:0")
    with pytest.raises(ridge.UsageError, match=r"the cotangent has the shape \(4, 6\)"):
        ridge.grad(ridge.solve)("poisson", f, f[1:], boundary="dirichlet:0")
    for words in ({"cotangent": f.astype("f4")}, {"cotangent": f, "solution": f.astype("f4")}):
        with pytest.raises(TypeError, match="is float32 of numpy, and f float64 of numpy; all must be of one type"):
            ridge.grad(ridge.solve)("poisson", f, **words, boundary="dirichlet:0")
    with pytest.raises(ridge.Failure, match="did not converge"):
        ridge.grad(ridge.solve)("poisson", f, f, boundary="dirichlet:0", method="cg", iterations=0)
