"""Pairs: sums over sources, and of bodies among themselves, equal to NumPy."""

import numpy as np
import pytest

import ridge


@pytest.fixture(scope="module")
def gravity():
    @ridge.pairs(targets=3, sources=4, sums=3)
    def gravity(t, s, eps2):
        d = [s[i] - t[i] for i in range(3)]
        w = ridge.rsqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + eps2)
        return [s[3] * w * w * w * x for x in d]

    return gravity


def forces(t, s, eps2, itself=True):
    d = s[:3, None, :].astype(np.float64) - t[:, :, None]
    weight = s[3] / ((d**2).sum(0) + eps2) ** 1.5
    if not itself:
        np.fill_diagonal(weight, 0)
    return (weight * d).sum(-1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gravity_equals_numpy(gravity, device, rng, dtype):
    targets = rng.standard_normal((3, 37)).astype(dtype)
    sources = rng.random((4, 129)).astype(dtype)
    tolerance = 2000 * np.finfo(dtype).eps
    got = gravity(targets, sources, eps2=0.25, device=device)
    assert got.shape == (3, 37) and got.dtype == dtype
    np.testing.assert_allclose(got, forces(targets, sources, 0.25), atol=tolerance, rtol=tolerance)
    out = np.empty((3, 129), dtype)
    assert gravity(sources, out=out, eps2=0.5, device=device) is out
    np.testing.assert_allclose(out, forces(sources[:3], sources, 0.5, itself=False), atol=tolerance,
                               rtol=tolerance)


def test_what_is_written_twice_is_computed_once(gravity):
    assert gravity.source.count("rsqrt<") == 1
    assert "operations = 13, rsqrts = 1" in gravity.source


def test_many_sums_fit_a_block(rng):
    @ridge.pairs(targets=1, sources=1, sums=43)
    def many(t, s):
        return [(k + 1.0) * (s[0] - t[0]) for k in range(43)]

    q = rng.random((1, 150))
    right = np.arange(1, 44)[:, None] * (q.sum() - 150 * q)
    np.testing.assert_allclose(many(q, device="simt:32"), right, rtol=1e-12, atol=1e-12)


def test_a_measured_record_is_checked(gravity, rng):
    record = gravity.measure(rng.random((4, 300)), eps2=0.1, repeat=3)
    assert record.ok and record.seconds > 0
    assert record.roof_name == "issue" and record.fraction > 0


def test_numbers_in_conditions(device, rng):
    @ridge.pairs(targets=1, sources=2, sums=2)
    def near(t, s, cut, soft):
        r = abs(s[0] - t[0])
        inside = ridge.where(r < cut, s[1], 0.0)
        return [inside, ridge.where(cut < soft, r, 1.0) * ridge.minimum(r, soft)]

    t, s = rng.standard_normal((1, 9)), rng.standard_normal((2, 21))
    r = abs(s[0] - t.T)
    got = near(t, s, cut=0.5, soft=0.7, device=device)
    np.testing.assert_allclose(got[0], (np.where(r < 0.5, s[1], 0)).sum(1), atol=1e-13)
    np.testing.assert_allclose(got[1], (r * np.minimum(r, 0.7)).sum(1), atol=1e-12)


def test_wrong_shapes(gravity, rng):
    four = rng.random((4, 10))
    with pytest.raises(ridge.UsageError, match=r"targets have 4 components; .*\(3, bodies\)"):
        gravity(four, four, eps2=1.0, out=np.empty((3, 10)))
    with pytest.raises(ridge.UsageError, match="sums have 4 components"):
        gravity(four, eps2=1.0, out=np.empty((4, 10)))
    with pytest.raises(TypeError, match="takes targets and sources"):
        gravity(four, four, four, eps2=1.0)
