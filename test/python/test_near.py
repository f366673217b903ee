"""Pairs within a cutoff, by lists: sums, neighbours; and gravity by a tree. Against NumPy."""

import re
import subprocess
import sys

import numpy as np
import pytest

import ridge


@pytest.fixture(scope="module")
def soft():
    @ridge.pairs(targets=3, sources=4, sums=4)
    def soft(t, s, strength=1.0):
        d = [t[i] - s[i] for i in range(3)]
        inside = 1.0 - (d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
        return [*(strength * s[3] * inside * x for x in d), strength * s[3] * inside**2]

    return soft


def differences(x, box):
    d = x[:3, :, None].astype(np.float64) - x[:3, None, :]
    for a, length in enumerate(box):
        if length:
            d[a] -= length * np.round(d[a] / length)
    return d


def right(x, box, cutoff, strength):
    d = differences(x, box)
    r2 = (d**2).sum(0)
    weight = np.where(r2 < cutoff**2, strength * x[3] * (1 - r2), 0)
    np.fill_diagonal(weight, 0)
    return np.concatenate([(weight * d).sum(-1), (weight * (1 - r2)).sum(-1)[None]])


@pytest.mark.in_turn
@pytest.mark.parametrize("box", [(4.0, 4.0, 4.0), (4.0, None, 5.0), None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_within_a_cutoff(soft, device, rng, box, dtype):
    x = np.concatenate([rng.uniform(0, 4, (3, 70)), rng.random((1, 70))]).astype(dtype)
    lengths = [n or 0 for n in box] if box else [0, 0, 0]
    tolerance = 2000 * np.finfo(dtype).eps
    out = np.full((4, 70), np.nan, dtype)
    for skin in (0.0, 0.3):
        given = {"strength": 2.0, "cutoff": 1.0, "skin": skin, "box": box, "device": device}
        assert soft(x, out=out, **given) is out
        np.testing.assert_allclose(out, right(x, lengths, 1, 2), atol=tolerance, rtol=tolerance)
        x[:3] += rng.uniform(-0.3, 0.3, (3, 70))  # the same memory: lists are built anew
        np.testing.assert_allclose(soft(x, out=out, **given), right(x, lengths, 1, 2), atol=tolerance,
                                   rtol=tolerance)
    assert soft.record.pattern == "pairs" and "computed" in dict(soft.record)


def test_a_kernel_with_a_cutoff_of_its_own(rng):
    @ridge.pairs(targets=3, sources=3, sums=1)
    def near(t, s, cutoff=1.0):
        return [ridge.where(sum((t[i] - s[i]) ** 2 for i in range(3)) < cutoff**2, 1.0, 0.0)]

    x = rng.uniform(0, 3, (3, 50))
    count = ((differences(x, (3, 3, 3)) ** 2).sum(0) < 1).sum(0) - 1
    assert np.array_equal(near(x, box=3, device="cpu")[0], count)
    assert np.array_equal(near(x, cutoff=1.0)[0], ((differences(x, (0, 0, 0)) ** 2).sum(0) < 1).sum(0) - 1)


def test_a_measured_record_is_checked(soft, rng):
    x = np.concatenate([rng.uniform(0, 6, (3, 400)), rng.random((1, 400))])
    record = soft.measure(x, cutoff=1.0, box=6.0, repeat=2)
    assert record.ok and record.achieved > 0
    found = len(ridge.neighbours(x[:3].copy(), 1.0, box=6.0))
    assert record.achieved * record.seconds == pytest.approx(2 * found, rel=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbours(device, rng, dtype):
    for n, box in [(1, None), (2, 8.0), (90, (5.0, 5.0, None))]:
        x = rng.uniform(0, 5, (3, n)).astype(dtype)
        lengths = [8.0] * 3 if box == 8.0 else [n or 0 for n in box] if box else [0, 0, 0]
        got, distances = ridge.neighbours(x, 1.25, box=box, distances=True, device=device)
        r = np.sqrt((differences(x, lengths) ** 2).sum(0))
        expected = np.argwhere(np.triu(r < 1.25, 1))
        assert got.dtype == np.int64 and got.shape[1] == 2
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_allclose(distances, r[tuple(expected.T)], rtol=1e-5)


def test_more_pairs_than_memory():
    """All within the cutoff of each other: 6000 bodies have 18 million pairs."""
    text = """
import resource, numpy, ridge
x = numpy.random.default_rng(1).random((3, 6000))
ridge.neighbours(x[:, :10].copy(), 2.0, device="cpu")
most = resource.getrlimit(resource.RLIMIT_AS)[1]
for mib in range(540, 610, 6):  # wherever it ends within the growth of what is found
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (mib << 20), most))
    try:
        ridge.neighbours(x, 2.0, device="cpu")
    except ridge.Failure as failure:
        print(failure)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    assert len(re.findall("pairs need .* of which .* are free", done.stdout)) == 12, done.stderr


def test_positions_that_have_become_bad(soft, device, rng):
    """Refused in every call, until they are good again."""
    x = np.concatenate([rng.uniform(0, 4, (3, 70)), rng.random((1, 70))])
    kept = x.copy()
    given = {"cutoff": 1.0, "skin": 0.3, "box": 4.0, "device": device}
    first = soft(x, **given)
    for value, says in [(np.nan, "z of body 11 is NaN"), (1e5, "z of body 11 is 100000, hundreds of periods")]:
        x[2, 11] = value
        for _ in range(2):
            with pytest.raises(ridge.UsageError, match=says):
                soft(x, **given)
        x[:] = kept
        assert np.array_equal(soft(x, **given), first)


def test_bad_cutoffs(soft, rng):
    x = rng.uniform(0, 4, (4, 9))
    y = x[:3].copy()
    for wrong, says in [({"cutoff": 0.0}, "cutoff 0: it must be positive"),
                        ({"cutoff": -1.0}, "must be positive"),
                        ({"cutoff": 2.5, "box": 4.0}, "more than half of the period 4"),
                        ({"cutoff": 1.0, "box": -4.0}, "it must be positive")]:
        with pytest.raises(ridge.UsageError, match=says):
            soft(x, **wrong)
        with pytest.raises(ridge.UsageError, match=says):
            ridge.neighbours(y, wrong["cutoff"], box=wrong.get("box"))
    with pytest.raises(ridge.UsageError, match="skin -1"):
        soft(x, cutoff=1.0, skin=-1.0)
    with pytest.raises(TypeError, match="box has 2 lengths"):
        soft(x, cutoff=1.0, box=(4, 4))
    with pytest.raises(TypeError, match="three lengths are right"):
        ridge.neighbours(y, 1.0, box="cube")
    with pytest.raises(TypeError, match="without cutoff"):
        soft(x, box=4.0)
    for cutoff in (None, "far"):
        with pytest.raises(TypeError, match=f"cutoff={cutoff!r}"):
            soft(x, cutoff=cutoff)
    with pytest.raises(TypeError, match="skin='thick'"):
        soft(x, cutoff=1.0, skin="thick")
    with pytest.raises(TypeError, match="among themselves"):
        soft(y, x, cutoff=1.0)
    with pytest.raises(TypeError, match="cutoff='far'"):
        ridge.neighbours(y, "far")
    with pytest.raises(TypeError, match=r"ascontiguousarray\(x.T\)"):
        ridge.neighbours(np.ascontiguousarray(y.T), 1.0)
    y[1, 7] = np.nan
    with pytest.raises(ridge.UsageError, match="y of body 7 is NaN"):
        ridge.neighbours(y, 1.0)

    @ridge.pairs(targets=1, sources=2, sums=1)
    def line(t, s):
        return [s[1] * (t[0] - s[0])]

    with pytest.raises(TypeError, match="a cutoff needs positions"):
        line(x[:2], cutoff=1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gravity_by_a_tree(device, rng, dtype):
    n = 1500 if device == "cpu" else 300
    bodies = np.concatenate([rng.standard_normal((3, n)), rng.random((1, n)) / n]).astype(dtype)
    d = -differences(bodies, (0, 0, 0))
    near = 1 / np.sqrt((d**2).sum(0) + 0.05**2)
    np.fill_diagonal(near, 0)
    a = (bodies[3] * near**3 * d).sum(-1)
    for options, most in [({"theta": 0.3}, 2e-4), ({"theta": 0.5, "order": 1}, 1e-2),
                          ({"theta": 0.5, "order": 4}, 4e-4), ({"theta": 0.5, "order": 5}, 1.8e-4),
                          ({"theta": 0.0}, 1e-5)]:
        got = ridge.gravity(bodies, softening=0.05, device=device, **options)
        assert got.dtype == dtype and got.shape == (4, n)
        errors = np.linalg.norm(got[:3] - a, axis=0) / np.linalg.norm(a, axis=0)
        assert np.sqrt((errors**2).mean()) < most
        np.testing.assert_allclose(got[3], -(bodies[3] * near).sum(-1), rtol=most)
    for asked in (3e-3, 1e-4):
        got = ridge.gravity(bodies, softening=0.05, error=asked, device=device)
        errors = np.linalg.norm(got[:3] - a, axis=0) / np.linalg.norm(a, axis=0)
        assert np.sqrt((errors**2).mean()) < 1.3 * asked  # of a sample it is less
    got = ridge.gravity(bodies, softening=0.05, theta=0.0, device=device)
    out = np.empty_like(bodies)
    assert ridge.gravity(bodies, softening=0.05, theta=0.0, out=out, device=device) is out
    assert out.tobytes() == got.tobytes()


def test_gravity_far_from_the_origin(rng):
    """What is computed for positions that fp32 has rounded is as right as at the origin."""
    for away in (0, 1e4, -1e6):
        bodies = (rng.random((4, 1000)) + [[away], [-away], [away], [0]]).astype(np.float32)
        exact = bodies.astype(float)
        d = exact[:3, None, :] - exact[:3, :, None]
        near = 1 / np.sqrt((d**2).sum(0) + 0.05**2)
        np.fill_diagonal(near, 0)
        a = (exact[3] * near**3 * d).sum(-1)
        got = ridge.gravity(bodies, softening=0.05, theta=0.3, order=5, device="cpu")
        assert np.sqrt(((got[:3] - a) ** 2).sum(0).mean() / (a**2).sum(0).mean()) < 1e-5


def test_bad_gravity(rng):
    bodies = rng.random((4, 20))
    with pytest.raises(ridge.UsageError, match="theta 2: it is from 0"):
        ridge.gravity(bodies, theta=2.0)
    with pytest.raises(ridge.UsageError, match="order 6"):
        ridge.gravity(bodies, order=6)
    with pytest.raises(ridge.UsageError, match="order=1267"):
        ridge.gravity(bodies, order=2**100)
    with pytest.raises(ridge.UsageError, match="softening -1"):
        ridge.gravity(bodies, softening=-1.0)
    with pytest.raises(ridge.UsageError, match="bodies have 3 components"):
        ridge.gravity(bodies[:3].copy())
    with pytest.raises(ridge.UsageError, match="error=-1: it must be positive"):
        ridge.gravity(bodies, error=-1.0)
    with pytest.raises(ridge.UsageError, match="error 0.5: in fp64 it can be from 1e-10 to 0.1"):
        ridge.gravity(bodies, error=0.5)
    with pytest.raises(ridge.UsageError, match="theta and error: give one of them"):
        ridge.gravity(bodies, error=1e-3, theta=0.5)
    heavy = bodies.copy()
    heavy[3, 5] = -1
    with pytest.raises(ridge.UsageError, match="mass of body 5 is -1; masses must be finite and not negative"):
        ridge.gravity(heavy)
    with pytest.raises(TypeError, match="order=2.5"):
        ridge.gravity(bodies, order=2.5)
    bodies[2, 11] = np.inf
    with pytest.raises(ridge.UsageError, match="body 11"):
        ridge.gravity(bodies)
