"""Gradients of functions of lattice fields equal central differences, torch's own, and what gamma_5 says."""

import numpy as np
import pytest

import ridge
from ridge import lattice

LATTICE = (4, 4, 4, 8)
#: Chiral gamma matrices along x, y, z and t: Hermitian, and their product's eigenvalues are 1 and -1.
SIGMA = np.array([[[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]])
GAMMA = [np.block([[np.zeros((2, 2)), -1j * s], [1j * s, np.zeros((2, 2))]]) for s in SIGMA]
GAMMA.append(np.block([[np.zeros((2, 2)), np.eye(2)], [np.eye(2), np.zeros((2, 2))]]))
GAMMA_5 = GAMMA[0] @ GAMMA[1] @ GAMMA[2] @ GAMMA[3]


def random(rng, *shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def special_unitary(rng, *shape):
    q, r = np.linalg.qr(random(rng, *shape, 3, 3))
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    q = q * (diagonal / abs(diagonal))[..., None, :]
    return q / np.linalg.det(q)[..., None, None] ** (1 / 3)


def fields(arrays, sites, device=None):
    return [lattice.field(a, s, device=device) for a, s in zip(arrays, sites)]


def shifted(a, axis, by, sign=1.0):
    """Of NumPy; `sign` where the shift passes the end."""
    found = np.roll(a, -by, axis)
    end = [slice(None)] * a.ndim
    end[axis] = slice(-by, None) if by > 0 else slice(0, -by)
    found[tuple(end)] *= sign
    return found


def hop(u, x):
    ahead = u @ x.shift(0, 1, "antiperiodic")
    back = (u.adj() @ x).shift(0, -1, "antiperiodic")
    return (ahead.spin(np.eye(4) - GAMMA[3]) + back.spin(np.eye(4) + GAMMA[3])).evaluate()


def hop_of(u, x):
    ahead = np.einsum("...ab,...sb->...sa", u, shifted(x, 0, 1, -1))
    back = shifted(np.einsum("...ba,...sb->...sa", u.conj(), x), 0, -1, -1)
    return np.einsum("st,...ta->...sa", np.eye(4) - GAMMA[3], ahead) + \
        np.einsum("st,...ta->...sa", np.eye(4) + GAMMA[3], back)


def test_dslash(rng):
    """Along time, as along all directions."""
    u, x, w = special_unitary(rng, *LATTICE), random(rng, *LATTICE, 4, 3), random(rng, *LATTICE, 4, 3)
    given = fields((u, x, w), ("colour_matrix", "spinor", "spinor"))
    np.testing.assert_allclose(hop(*given[:2]).numpy(), hop_of(u, x), atol=1e-13)
    found = ridge.grad(hop)(*given)
    assert found._fields == ("u", "x")
    # By the fermions it is the adjoint, which gamma_5 makes of the operator.
    right = np.einsum("st,...ta->...sa", GAMMA_5, hop_of(u, np.einsum("st,...ta->...sa", GAMMA_5, w)))
    np.testing.assert_allclose(found.x.numpy(), right, atol=1e-13)
    # By links, which change as any complex matrices do, L is of first order: differences are exact.
    change = random(rng, *LATTICE, 3, 3)
    difference = np.vdot(w, hop_of(u + change, x) - hop_of(u - change, x)).real / 2
    assert np.vdot(found.u.numpy(), change).real == pytest.approx(difference, rel=1e-12)
    squares = ridge.grad(lambda x: lattice.norm2(x) / 4)(given[1])
    np.testing.assert_allclose(squares.x.numpy(), x / 2, rtol=1e-14)


def loss(u, r, y):
    return (lattice.inner_product(y, (u @ u.shift(0, 1)).trace() * r) * (2 - 1j)).real


def loss_of(u, r, y, roll, trace):
    return ((y.conj() * trace(u @ roll(u, -1, 0)) * r).sum() * (2 - 1j)).real


@pytest.fixture
def small(rng):
    return special_unitary(rng, 4, 8), rng.standard_normal((4, 8)), random(rng, 4, 8)


KINDS = ("colour_matrix", "real", "complex")


def test_a_loss(small):
    gradient = ridge.grad(loss, by=("u", "r"))
    given = fields(small, KINDS)
    found = gradient(*given)
    assert found.r.dtype == np.float64 and found._fields == ("u", "r")
    rng = np.random.default_rng(2)
    numpys = (np.roll, lambda m: np.trace(m, axis1=-2, axis2=-1))
    for k, change in enumerate((random(rng, 4, 8, 3, 3), rng.standard_normal((4, 8)))):
        ways = [[a + h * change if i == k else a for i, a in enumerate(small)] for h in (1e-5, -1e-5)]
        difference = (loss_of(*ways[0], *numpys) - loss_of(*ways[1], *numpys)) / 2e-5
        assert np.vdot(found[k].numpy(), change).real == pytest.approx(difference, rel=1e-8)
    proof = gradient.test(*given)
    assert proof["ok"] and proof["slope"] == pytest.approx(2, abs=0.1)
    assert ridge.grad(loss, by="r").test(*given) == {"ok": True, "slope": None}


def test_tensors(small):
    torch = pytest.importorskip("torch")
    mine, theirs = ([torch.utils.dlpack.from_dlpack(a.copy()) for a in small] for _ in range(2))
    for tensor in (*mine[:2], *theirs[:2]):
        tensor.requires_grad_()
    value = loss(*fields(mine, KINDS))
    right = loss_of(*theirs, torch.roll, lambda m: m.diagonal(dim1=-2, dim2=-1).sum(-1))
    assert isinstance(value, torch.Tensor) and abs(value.item() - right.item()) < 1e-12 * abs(right.item())
    value.backward()
    right.backward()
    for a, b in zip(mine[:2], theirs):
        assert torch.allclose(a.grad, b.grad, rtol=1e-13, atol=1e-13)
    # A field is a tensor again, of which torch computes what it will.
    (lattice.field(mine[1], "real").torch() ** 2).sum().backward()
    assert torch.allclose(mine[1].grad, theirs[1].grad + 2 * theirs[1], rtol=1e-13, atol=1e-13)
    with torch.no_grad():
        assert isinstance(loss(*fields(mine, KINDS)), float)


def test_refusals(small):
    u, r, _ = fields(small, KINDS)
    cases = [
        (lambda: ridge.grad(loss, by="v"), TypeError, "'v' is no argument of loss; u, r, y are right"),
        (lambda: ridge.grad(loss)(u), TypeError, "takes its arguments .u, r, y., and the cotangent"),
        (lambda: ridge.grad(loss)(*small), TypeError, "gradients by lattice fields, and none was given"),
        (lambda: ridge.grad(lambda u: 2.0)(u), TypeError, "gives float; sums over a lattice"),
        (lambda: ridge.grad(lambda u: 2 * u)(u), TypeError, "takes the cotangent, a field"),
        (lambda: ridge.grad(lambda u: 2 * u)(u, r), ridge.UsageError, "the cotangent is of float64; matrix of 3"),
        (lambda: u.shift(0, 1, "open"), ridge.UsageError, "'periodic' or 'antiperiodic'"),
        (lambda: u.spin(np.eye(4)).evaluate(), ridge.UsageError, "of spinors and propagators, not of matrix"),
        (lambda: u.spin(np.eye(3)), TypeError, r"shape \(3, 3\); \(4, 4\) is right"),
    ]
    for make, error, says in cases:
        with pytest.raises(error, match=says):
            make()
