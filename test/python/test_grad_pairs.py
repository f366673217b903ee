"""Gradients of sums over pairs: of interactions, near lists and gravity, equal to differences and to NumPy."""

import pickle

import numpy as np
import pytest

import ridge

SIMT = "simt:32"


@pytest.fixture(scope="module")
def yukawa():
    @ridge.pairs(targets=3, sources=4, sums=2)
    def yukawa(t, s, kappa=0.7, eps2=0.04):
        d = [s[i] - t[i] for i in range(3)]
        w = ridge.rsqrt(d[0]**2 + d[1]**2 + d[2]**2 + eps2)
        v = s[3] * w * ridge.exp(-kappa / w)
        return [v, ridge.where(d[0] < 0, v * d[1], 2 * s[3] * d[0])]

    return yukawa


def sums(t, s, kappa, eps2, counts):
    """The same by NumPy: both sums of all targets."""
    d = s[:3, None, :] - t[:3, :, None]
    r = np.sqrt((d**2).sum(0) + eps2)
    v = s[3] / r * np.exp(-kappa * r)
    return np.stack([np.where(counts, x, 0).sum(1) for x in (v, np.where(d[0] < 0, v * d[1], 2 * s[3] * d[0]))])


def differences(loss, a, h=1e-5):
    """By each number of an array."""
    found = np.empty_like(a)
    for i in range(a.size):
        ends = []
        for step in (h, -h):
            moved = a.copy()
            moved.flat[i] += step
            ends.append(loss(moved))
        found.flat[i] = (ends[0] - ends[1]) / (2 * h)
    return found


def wrapped(x, box):
    d = x[:3, :, None] - x[:3, None, :]
    for a, length in enumerate(box):
        if length:
            d[a] -= length * np.round(d[a] / length)
    return np.sqrt((d**2).sum(0))


@pytest.mark.parametrize("bodies", [1, 2, 37])
def test_bodies_among_themselves(rng, yukawa, bodies):
    x, w = rng.standard_normal((4, bodies)), rng.standard_normal((2, bodies))
    x[:3, -1] = x[:3, 0]  # two at one place; among themselves no body meets itself
    others = ~np.eye(bodies, dtype=bool)

    def loss(x, kappa=0.5):
        return (w * sums(x, x, kappa, 0.04, others)).sum()

    out = np.full((4, bodies), np.nan)
    found = ridge.grad(yukawa, by=("bodies", "kappa"))(x, w, kappa=0.5, out=(out,), device=SIMT)
    assert found.bodies is out and found._fields == ("bodies", "kappa")
    smooth = np.ones((4, bodies), bool)
    smooth[0, [0, -1]] = bodies == 1  # the choice is at the place of both
    np.testing.assert_allclose(out[smooth], differences(loss, x)[smooth], atol=2e-8)
    assert found.kappa == pytest.approx((loss(x, 0.5 + 1e-5) - loss(x, 0.5 - 1e-5)) / 2e-5, abs=1e-8)
    alone = ridge.grad(yukawa, by=("kappa",))(x, w, kappa=0.5, device=SIMT)
    assert alone.kappa == pytest.approx(found.kappa, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (5, 70), (67, 3)])
def test_targets_and_sources(rng, yukawa, shape):
    t, s = rng.standard_normal((3, shape[0])), rng.standard_normal((4, shape[1]))
    w = rng.standard_normal((2, shape[0]))
    counts = np.ones(shape, bool)
    found = ridge.grad(yukawa)(t, s, w, device=SIMT)
    assert found._fields == ("targets", "sources")
    by_targets = differences(lambda x: (w * sums(x, s, 0.7, 0.04, counts)).sum(), t)
    np.testing.assert_allclose(found.targets, by_targets, atol=2e-8)
    by_sources = differences(lambda x: (w * sums(t, x, 0.7, 0.04, counts)).sum(), s)
    np.testing.assert_allclose(found.sources, by_sources, atol=2e-8)


@pytest.mark.in_turn
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_near_lists(rng, yukawa, dtype):
    box = (4.0, None, 5.0)
    x = np.concatenate([rng.uniform(0, 4, (3, 83)), rng.random((1, 83))]).astype(dtype)
    w = rng.standard_normal((2, 83)).astype(dtype)
    gradient = ridge.grad(yukawa, by=("bodies", "kappa"))
    given = {"cutoff": 1.3, "skin": 0.2, "box": box, "device": SIMT}
    x[:3, 5] = x[:3, 6]
    for _ in range(2):  # by the lists of before, and by new ones
        found = gradient(x, w, **given).bodies
        counts = wrapped(x.astype(float), [4, 0, 5]) < 1.3
        np.fill_diagonal(counts, False)

        def loss(moved, counts=counts, x=x.astype(float)):
            d = moved[:3, :, None] - moved[:3, None, :]
            at = moved[:3, :, None] - (d - np.array([4, 0, 5])[:, None, None] * np.round(
                (x[:3, :, None] - x[:3, None, :]) / np.array([4, np.inf, 5])[:, None, None]))
            away = at - moved[:3, :, None]
            r = np.sqrt((away**2).sum(0) + 0.04)
            v = moved[3] / r * np.exp(-0.7 * r)
            second = np.where(away[0] < 0, v * away[1], 2 * moved[3] * away[0])
            return sum((u * np.where(counts, y, 0).sum(1)).sum() for u, y in zip(w, (v, second)))

        right = differences(loss, x.astype(float))
        smooth = np.ones(x.shape, bool)
        smooth[0, 5:7] = False
        np.testing.assert_allclose(found[smooth], right[smooth], atol=1e-7 if dtype == np.float64 else 5e-5)
        x[:3] += rng.uniform(-0.3, 0.3, (3, 83)).astype(dtype)
    if dtype == np.float64:
        record = gradient.measure(x, w, repeat=1, **given)
        assert record.ok and record.kernel == "yukawa_adjoint" and record.adjoint["ok"], record.adjoint


def test_records_prove_the_gradient_of_gravity(rng):
    x, w = rng.random((4, 131)), rng.standard_normal((4, 131))
    gradient = ridge.grad(ridge.gravity, by=("bodies", "softening"))
    record = gradient.measure(x, w, theta=0, softening=0.1, repeat=1, device=SIMT)
    assert record.ok and record.adjoint["ok"] and record.adjoint["dot_error"] < 1e-14, record.adjoint
    assert record.adjoint["slope"] == pytest.approx(2, abs=0.1)
    found = gradient(x, w, theta=0, softening=0.1, device=SIMT)

    def loss(moved, softening=0.1):
        return (w * ridge.gravity(moved, theta=0, softening=softening)).sum()

    few = differences(lambda part: loss(np.concatenate([part, x[:, 3:]], 1)), x[:, :3].copy())
    np.testing.assert_allclose(found.bodies[:, :3], few, rtol=1e-5, atol=1e-5)
    assert found.softening == pytest.approx((loss(x, 0.1 + 1e-5) - loss(x, 0.1 - 1e-5)) / 2e-5, rel=1e-6)


def test_gradients_travel(rng, yukawa):
    x, w = rng.standard_normal((4, 9)), rng.standard_normal((2, 9))
    gradient = ridge.grad(yukawa, by=("bodies", "kappa"))
    there = pickle.loads(pickle.dumps(gradient))
    assert np.array_equal(there(x, w, device=SIMT).bodies, gradient(x, w, device=SIMT).bodies)
    with pytest.raises(ridge.UsageError, match="another process"):
        there.test(x)


def charge(t, s, cut):
    return [ridge.where(s[0] - t[0] < cut, s[1], 0.0) * ridge.floor(t[0])]


@pytest.mark.parametrize("by, says", [
    ("targets", "no derivative by targets"), ("cut", "no derivative by cut"), ("box", "no derivative by box: sums end"),
    ("kappa", "'kappa' is no argument of charge; bodies, targets, sources, cut"), ((), "by= is empty")])
def test_refused_when_the_gradient_is_asked_for(by, says):
    kernel = ridge.pairs(targets=1, sources=2, sums=1)(charge)
    with pytest.raises(TypeError, match=says):
        ridge.grad(kernel, by=by)
    with pytest.raises(TypeError, match="another process"):
        ridge.grad(pickle.loads(pickle.dumps(kernel)))


def test_calls_that_do_not_fit(rng, yukawa):
    x, w = rng.standard_normal((4, 9)), rng.standard_normal((2, 9))
    with pytest.raises(ridge.UsageError, match=r"cotangent is .* \(2, 8\); float64 of shape \(2, 9\)"):
        ridge.grad(yukawa)(x, w[:, :8])
    with pytest.raises(TypeError, match="is by targets, and the call gives bodies"):
        ridge.grad(yukawa, by="targets")(x, w)
    with pytest.raises(TypeError, match="takes bodies, or targets and sources, and the cotangent, not 1"):
        ridge.grad(yukawa)(x)
    with pytest.raises(TypeError, match="has no speed"):
        ridge.grad(yukawa)(x, w, speed=2.0)
    for theta in (None, 0.5):
        with pytest.raises(TypeError, match="theta=0 sums over all pairs"):
            ridge.grad(ridge.gravity)(x, np.ones((4, 9)), theta=theta)


# torch.

def test_torch_records_pairs_and_gravity(yukawa):
    torch = pytest.importorskip("torch")

    def tensor(*shape):
        return torch.rand(shape, dtype=torch.float64, requires_grad=True)

    kappa = torch.tensor(0.6, dtype=torch.float64, requires_grad=True)
    t, s, x = tensor(3, 5), tensor(4, 7), tensor(4, 6)
    assert torch.autograd.gradcheck(lambda t, s: yukawa(t, s, device=SIMT), (t, s))
    assert torch.autograd.gradcheck(lambda x, k: yukawa(x, cutoff=0.5, box=(1.2, 1.2, None), kappa=k, device=SIMT),
                                    (x, kappa))
    assert torch.autograd.gradcheck(lambda x, e: ridge.gravity(x, theta=0, softening=e, device=SIMT), (x, kappa))
    with pytest.raises(TypeError, match="theta=0 sums over all pairs"):
        ridge.gravity(x)
    with torch.no_grad():
        assert not ridge.gravity(x, device=SIMT).requires_grad
    with pytest.raises(TypeError, match="no derivative by cutoff"):
        yukawa(x, cutoff=torch.tensor(0.5, requires_grad=True))
    y = yukawa(t, s, device=SIMT)
    with torch.no_grad():
        s.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_torch_records_second_derivatives():
    torch = pytest.importorskip("torch")
    square = ridge.pairs(targets=1, sources=1, sums=1)(lambda t, s: [t[0] * (s[0] - t[0])**2])
    x = torch.rand((1, 5), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: square(x, device=SIMT), (x,))
