"""Chains: operations one after the other, equal to NumPy under several schedules."""

import numpy as np
import pytest

import ridge


def difference(u, edge):
    """u[1] - u[-1] along the first axis."""
    if edge == "periodic":
        return np.roll(u, -1, 0) - np.roll(u, 1, 0)
    wide = np.concatenate([u[:1], u, u[-1:]])
    return wide[2:] - wide[:-2]


@pytest.mark.in_turn
@pytest.mark.parametrize("edge, device", [("none", "cpu"), ("none", "simt:32"), ("periodic", "cpu"),
                                          ("clamp", "cpu")])
@pytest.mark.parametrize("n", [5, 50, 1000])
def test_smooth_equals_numpy(device, rng, edge, n):
    @ridge.chain(edge=edge)
    def smooth(u, rate=0.1):
        g = u[1] - u[-1]
        return u[0] + rate * (g[1] - g[-1])

    u = rng.standard_normal(n)
    right = u + 0.3 * difference(difference(u, edge), edge)
    for schedule in ("auto", "fission"):
        out = np.full(n, 7.0)
        smooth(u, out=out, rate=0.3, device=device, schedule=schedule)
        inner = slice(2, -2) if edge == "none" else slice(None)
        np.testing.assert_allclose(out[inner], right[inner], atol=1e-13)
        if edge == "none":
            assert (out[:2] == 7).all() and (out[-2:] == 7).all()
    assert smooth.record["pattern"] == "chain"


def test_two_dimensions_and_steps_that_share(device, rng):
    @ridge.chain(edge="periodic")
    def filtered(u, v, weight):
        mean = 0.25 * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0])
        rest = u[0, 0] - mean
        return mean[1, 0] * v[0, 0] + weight * rest[0, -1] + rest

    u, v = rng.standard_normal((2, 13, 70))
    mean = 0.25 * sum(np.roll(u, s, a) for s in (1, -1) for a in (0, 1))
    rest = u - mean
    right = np.roll(mean, -1, 0) * v + 0.5 * np.roll(rest, 1, 1) + rest
    np.testing.assert_allclose(filtered(u, v, weight=0.5, device=device), right, atol=1e-13)
    assert filtered.source.count("struct operation_") == 3


def test_a_chain_of_one_operation(device, rng):
    @ridge.chain
    def scale(u):
        return 2 * u[0]

    u = rng.standard_normal(33).astype(np.float32)
    np.testing.assert_array_equal(scale(u, device=device), 2 * u)


def test_a_chain_and_an_array_that_are_called_as_steps_are(rng):
    @ridge.chain(edge="periodic")
    def step0(u, step1):
        g = u[1] - u[-1]
        return u[0] + 0.1 * (g[1] - g[-1]) + step1[0]

    u, v = rng.standard_normal((2, 33))
    right = u + 0.1 * difference(difference(u, "periodic"), "periodic") + v
    np.testing.assert_allclose(step0(u, v), right, atol=1e-13)


def test_a_measured_record_is_checked(rng):
    @ridge.chain
    def smooth(u):
        g = u[1] - u[-1]
        return u[0] + 0.1 * (g[1] - g[-1])

    u = rng.standard_normal(4096)
    out = np.full_like(u, 7.0)
    record = smooth.measure(u, out=out, repeat=3)
    assert record.ok and record.seconds > 0
    assert (out[:2] == 7).all() and out[5] != 7


def test_extents_that_leave_nothing():
    @ridge.chain
    def smooth(u):
        g = u[1] - u[-1]
        return g[1] - g[-1]

    with pytest.raises(ridge.UsageError, match=r"needs at least \(5,\)"):
        smooth(np.ones(4))
    assert smooth(np.ones(5)).tolist() == [0] * 5


def test_unknown_edge():
    with pytest.raises(ridge.TraceError, match="none, periodic, clamp"):
        ridge.chain(edge="open")


def shifted(u, by, edge):
    """u[by] along the first axis, with the last item once more beyond the ends, or the other end."""
    at = np.arange(len(u)) + by
    return u[at % len(u) if edge == "periodic" else at.clip(0, len(u) - 1)]


@pytest.mark.in_turn
@pytest.mark.parametrize("edge, schedule, dtype", [("none", "auto", np.float64), ("clamp", "auto", np.float64),
                                                   ("periodic", "fission", np.float32)])
def test_several_results(device, rng, edge, schedule, dtype):
    @ridge.chain(edge=edge)
    def pair(u, v, rate):
        g = v[1] - v[0]
        a = u[0] + rate * g
        b = v[0] + rate * (a[0] - a[-1]) + a  # the first result, in other items and in this one
        return a, b, g

    assert pair.source.count("struct operation_") == 3
    u, v = rng.standard_normal((2, 301)).astype(dtype)
    g = shifted(v, 1, edge) - v
    a = u + 0.25 * g
    right = a, v + 0.25 * (a - shifted(a, -1, edge)) + a, g
    outs = tuple(np.full_like(u, 7) for _ in right)
    for given in (outs, list(outs)):
        assert pair(u, v, rate=0.25, out=given, device=device, schedule=schedule) is given
    made = pair(u, v, rate=0.25, device=device, schedule=schedule)
    written = [slice(0, -1), slice(1, -1), slice(0, -1)] if edge == "none" else [slice(None)] * 3
    for out, new, r, w in zip(outs, made, right, written):
        np.testing.assert_allclose(out[w], r[w], atol=20 * np.finfo(dtype).eps)
        np.testing.assert_array_equal(out[w], new[w])
        rest = np.ones(len(u), bool)
        rest[w] = False
        assert (out[rest] == 7).all() and (new[rest] == 0).all()


def test_several_results_are_measured_and_checked(rng):
    @ridge.chain
    def pair(u):
        a = u[1] - u[0]
        return a, a[1] - a[0], a

    u = rng.standard_normal(5000)
    outs = tuple(np.full_like(u, 7) for _ in range(3))
    record = pair.measure(u, out=outs, repeat=2)
    assert record.ok
    assert [int((o == 7).sum()) for o in outs] == [1, 2, 1]
    np.testing.assert_array_equal(outs[0], outs[2])


def test_several_results_that_do_not_fit(rng):
    @ridge.chain
    def pair(u):
        return u[0] + 1, u[0] - 1

    u = rng.standard_normal(40)
    with pytest.raises(TypeError, match="out= is a tuple of 2 arrays, one a result, not ndarray"):
        pair(u, out=np.ones(40))
    with pytest.raises(TypeError, match="not tuple of 1"):
        pair(u, out=(np.ones(40),))
    out = np.ones(40)
    with pytest.raises(ridge.UsageError, match="out0.*out1|out1.*out0"):
        pair(u, out=(out, out))
    with pytest.raises(ridge.UsageError, match="shape"):
        pair(u, out=(out, np.ones(41)))
    with pytest.raises(TypeError, match="out1"):
        pair(u, out=(out, [1.0] * 40))
    assert (out == 1).all()
    with pytest.raises(ridge.TraceError, match="a tuple of values"):
        ridge.chain(lambda u: ())


def test_many_at_once_and_branches(device, rng):
    def picked(u, v, limit):
        g = u[1] - u[-1]
        cold = g[0] - g[1] * v[0]
        x = 1 + v[0] * v[0]
        for _ in range(3):
            x = 0.5 * (x + abs(cold) / x)  # is needed inside of the branch alone
        inner = ridge.branch((x < 1.5) & (x != 1), ridge.exp(-x) * x, 1)
        return ridge.branch(cold > limit, x * inner, -1.0) + cold

    chain = ridge.chain(picked)
    (operation,) = chain.source.split("struct operation_picked")[1:]
    assert operation.index("[&] {") < operation.index("0.5 *") and "exp" in operation.split("[&] {")[2]
    u, v = rng.standard_normal((2, 6, 33))
    g = u[:, 2:] - u[:, :-2]
    cold = g[:, :-1] - g[:, 1:] * v[:, 1:-2]
    x = 1 + v[:, 1:-2]**2
    for _ in range(3):
        x = 0.5 * (x + abs(cold) / x)
    right = np.where(cold > 0.5, x * np.where((x < 1.5) & (x != 1), np.exp(-x) * x, 1), -1) + cold
    made = chain.batch()(u, v, limit=0.5, device=device)
    np.testing.assert_allclose(made, np.pad(right, ((0, 0), (1, 2))), rtol=1e-12)
    several = ridge.chain(outer=1)(picked)
    np.testing.assert_array_equal(several(u, v, limit=0.5, device=device), made)
    assert several.measure(u, v, limit=0.5, repeat=2, device=device).ok
    assert several.batch().rank == 3 and ridge.chain(picked, outer=2).rank == 3
    with pytest.raises(TypeError, match="u has 3 dimensions; this kernel's arrays have 2"):
        several(u[None], v[None], limit=0.5)
    with pytest.raises(ridge.UsageError, match="follow each other"):
        several(u[::2], v[::2], limit=0.5)
    with pytest.raises(ridge.UsageError, match="4 axes before those that are indexed; 3 at most"):
        ridge.chain(outer=3)(picked).batch()
    with pytest.raises(ridge.TraceError, match="outer=4: 0 to 3"):
        ridge.chain(picked, outer=4)


def test_branches_that_are_choices():
    kernel = ridge.stencil(lambda u, rate: ridge.branch(rate > 1, u[0] * rate, u[1]) + ridge.branch(u[0] > 1, 2, 3))
    assert "branch" not in kernel.source and "select" in kernel.source
    with pytest.raises(ridge.TraceError, match="is no condition"):
        ridge.stencil(lambda u: ridge.branch(u[0], u[0], 1))


def test_columns(rng):
    @ridge.chain
    def weight(density, height, rate):
        mass = density[0, 0] * height[0, 0]
        above = ridge.scan(lambda so_far: so_far + mass, 0.0, down=True)
        least, _ = ridge.scan(lambda low, n: (np.minimum(low, density[0, 0]), n + 1), (np.inf, 0.0))
        x = ridge.tridiagonal(-rate, 1 + 2 * rate + mass * mass, -rate, above[0, 0] + least)
        return x, above

    density, height = rng.standard_normal((2, 9, 37))
    mass = density * height
    above = np.cumsum(mass[::-1], 0)[::-1]
    given = above + np.minimum.accumulate(density, 0)
    matrix = np.zeros((37, 9, 9))
    k = np.arange(9)
    matrix[:, k, k] = (1.6 + mass * mass).T
    matrix[:, k[1:], k[:-1]] = matrix[:, k[:-1], k[1:]] = -0.3
    right = np.linalg.solve(matrix, given.T[:, :, None])[:, :, 0].T
    x, sums = weight(density, height, rate=0.3)
    np.testing.assert_allclose(sums, above, atol=1e-13)
    np.testing.assert_allclose(x, right, atol=1e-13)


def test_scans_that_are_refused():
    kept = []

    def leaking(u):
        return ridge.scan(lambda s: kept.append(s) or s + u[0, 0], 0.0) + kept[-1]

    for function, why in ((leaking, "known in its step alone"),
                          (lambda u: ridge.scan(lambda s: s[0, 1] + u[0, 0], 0.0), "known in its step alone"),
                          (lambda u: ridge.scan(lambda s, t: s + u[0, 0], (0, 0))[0], "returns 1 values; it carries 2"),
                          (lambda u: ridge.scan(lambda s: s + u[0, 0], u[0, 0]), "a number that is known now"),
                          (lambda u: ridge.scan(lambda s: s + u[0], 0.0), "its arrays have one")):
        with pytest.raises(ridge.TraceError, match=why):
            ridge.chain(function)
    with pytest.raises(ridge.TraceError, match="use it in a ridge.chain"):
        ridge.stencil(lambda u: ridge.scan(lambda s: s + u[0], 0.0))


def test_elements(rng):
    derivative = rng.standard_normal((4, 4))

    @ridge.chain(outer=1)
    def laplacian(u, metric):
        along = metric[0, 0, 0] * ridge.contract(derivative, u[0, 0, 0])
        across = metric[0, 0, 0] * ridge.contract(derivative, u[0, 0, 0], axis=-2)
        return ridge.contract(derivative.T, along) + ridge.contract(derivative.T, across, axis=1)

    u, metric = rng.standard_normal((2, 5, 3, 4, 4))  # elements, levels, points
    along = metric * np.einsum("ij,elyj->elyi", derivative, u)
    across = metric * np.einsum("ij,eljx->elix", derivative, u)
    right = np.einsum("ji,elyj->elyi", derivative, along) + np.einsum("ji,eljx->elix", derivative, across)
    np.testing.assert_allclose(laplacian(u, metric), right, atol=1e-12)
    square = np.eye(4)
    for function, why in ((lambda u: ridge.contract(square[:2], u[0, 0]), "n x n numbers"),
                          (lambda u: ridge.contract(square, u[0, 0], axis=2), "axis=2 .*; the arrays have 2 axes"),
                          (lambda u: ridge.contract(square, u[0], axis=-2), "axis=-2 .*; the arrays have 1 axis"),
                          (lambda u: ridge.contract(square, u[0, 0], axis=-1.0), "axis=-1.0 .* is right"),
                          (lambda u: ridge.contract(square, u[0, 0], axis=0), "along axis -2 alone, .*np.moveaxis"),
                          (lambda u: ridge.contract(square, u[0, 0]) + ridge.contract(np.eye(3), u[0, 0]),
                           "matrices of 4 and 3 points")):
        with pytest.raises(ridge.TraceError, match=why):
            ridge.chain(function)
