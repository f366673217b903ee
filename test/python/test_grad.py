"""Gradients of stencils and chains, equal to differences of what they compute: by NumPy without compiling,
and by the kernels themselves."""

import pickle
import re

import numpy as np
import pytest

import ridge
from ridge import _derivatives, _grad_apart, _tangent
from ridge._adjoint import adjoint_of
from ridge._chain import chain_of

SIMT = "simt:32"


def by_numpy(kernel, arrays, weights, by=None, store=None, **numbers):
    """The gradients of a kernel by NumPy, from the trace of its adjoint: by name."""
    form = kernel._form
    names = [p.name for p in form.traced.arrays]
    made = adjoint_of(form, by or names + [p.name for p in form.traced.numbers], store)
    chain = chain_of(made.traced, made.edge)
    read = [arrays[names.index(n)] for n in made.reads] + [weights[k] for k in made.cotangents]
    given = {p.name: (a, 0 * a) for p, a in zip(made.traced.arrays, read)}
    given |= {p.name: ({**form.traced.defaults, **numbers}[p.name], 0.0) for p in made.traced.numbers}
    found = _tangent.tangent_of(chain._form, given, arrays[0].shape)
    return dict(zip(made.by, (y for y, _ in found)))


# Every operation.

OPERATIONS = {
    "sum": lambda x, y: x + y - 3 * x - (-y),
    "product": lambda x, y: x * y * x,
    "quotient": lambda x, y: x / y + 2 / x,
    "power of a number": lambda x, y: x**3 + y**-2 + x**0.5 + y**-0.5 + x**1.7 + y**0,
    "power": lambda x, y: x**y,
    "power with a base": lambda x, y: 1.5**x * y,
    "absolute": lambda x, y: abs(x - 1) * y + abs(1 - y),
    "extremes": lambda x, y: np.minimum(x, y) * np.maximum(x * x, y),
    "clip": lambda x, y: np.clip(x, 0.8, 1.2) * y,
    "functions": lambda x, y: np.exp(x) + np.log(y) + np.sqrt(x) * np.sin(y) + np.cos(x * y),
    "tangents": lambda x, y: np.tan(0.5 * x) + np.tanh(x * y),
    "hypot": lambda x, y: np.hypot(x, y) + np.hypot(x, 2.0),
    "remainder": lambda x, y: x % y + y % 0.4,
    "whole numbers": lambda x, y: x * np.floor(3 * y) + y * np.ceil(x) + np.trunc(5 * x) * y + x * (y // 0.3)
    + np.sign(x - 1) * y,
    "choice": lambda x, y: np.where(x < y, x * x, np.where((y < 1) | (x > 1.2), y, np.exp(x))),
    "square": lambda x, y: np.square(x) * np.reciprocal(y),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_rules_equal_differences(rng, name):
    f = OPERATIONS[name]
    kernel = ridge.chain(lambda u, v: f(u[0], v[0]))
    x, y, w = rng.uniform(0.5, 1.5, (3, 200))
    h = 1e-6
    found = by_numpy(kernel, (x, y), (w,))
    right = {"u": w * (f(x + h, y) - f(x - h, y)) / (2 * h), "v": w * (f(x, y + h) - f(x, y - h)) / (2 * h)}
    for n in found:
        smooth = np.abs(f(x + h, y + h) - f(x, y)) < 1e-3
        np.testing.assert_allclose(found[n][smooth], right[n][smooth], rtol=2e-7, atol=2e-7)
        assert smooth.sum() > 150
    assert set(found) == {n for n in right if np.abs(right[n]).max() > 0}


def test_rules_of_ridge_alone(rng):
    @ridge.chain
    def kernel(u, v):
        return ridge.rsqrt(u[0] * v[0]) + ridge.branch(u[0] > v[0], u[0]**2 * v[0], v[0]**2)

    x, y, w = rng.uniform(0.5, 1.5, (3, 100))
    found = by_numpy(kernel, (x, y), (w,))
    root = -0.5 * (x * y)**-1.5
    np.testing.assert_allclose(found["u"], w * (root * y + np.where(x > y, 2 * x * y, 0)), rtol=1e-12)
    np.testing.assert_allclose(found["v"], w * (root * x + np.where(x > y, x * x, 2 * y)), rtol=1e-12)


def test_ties_and_branches_that_are_not_taken():
    x, y, one = np.array([-1.0, 0.0, 4.0]), np.array([-1.0, 3.0, 4.0]), np.ones(3)

    def slopes(f):
        found = by_numpy(ridge.chain(lambda u, v: f(u[0], v[0]) + 0 * v[0]), (x, y), (one,))
        return found["u"].tolist(), found["v"].tolist()

    assert slopes(lambda u, v: abs(u))[0] == [-1, 0, 1]
    assert slopes(np.minimum) == ([0.5, 1, 0.5], [0.5, 0, 0.5])
    assert slopes(lambda u, v: np.maximum(u, 0) + 0 * u)[0] == [0, 0.5, 1]
    assert slopes(lambda u, v: np.where(u > 0, np.sqrt(u), v)) == ([0, 0, 0.25], [1, 1, 0])
    assert slopes(lambda u, v: np.where(u > 0, v * np.log(u), 1))[1] == [0, 0, np.log(4.0)]
    assert slopes(lambda u, v: np.maximum(np.sqrt(abs(u)), 1))[0] == [-0.25, 0, 0.25]
    assert slopes(np.hypot)[0][1:] == [0, 4 / np.hypot(4, 4)]


# Neighbours, edges and columns.

def nonlinear(u, v, rate=0.3):
    g = ridge.exp(u[1, 0] * v[0, 1]) / (1 + u[0, -2]**2)
    a = g[0, 1] * u[0, 0] - g[2, 0] * g[0, 0] + v[-1, -1]
    b = a[0, 0] * a[0, 1] * rate + ridge.where(u[0, 0] > 1, ridge.sqrt(u[0, 0] - 0.3), v[1, 0])
    return a, b, g


def columns(u, v, rate=0.1):
    mass = ridge.scan(lambda s: 0.9 * s * v[0, 0] + rate * u[0, 1] * s**2 + u[0, 0], 0.3, down=True)
    top = ridge.scan(lambda s: ridge.maximum(s, u[0, 0]), -np.inf)
    x = ridge.tridiagonal(0.2 * u[0, 0], v[0, 0] + 2, 0.3 * v[0, 0], u[0, 0])
    return mass[0, 0] * u[0, 0] + mass[0, 1] + x * x, top


def elements(u, v):
    matrix = np.arange(9).reshape(3, 3) / 7
    return (ridge.contract(matrix, u[0, 0, 0] * v[0, 0, 0])
            + ridge.contract(matrix, v[0, 0, 0], axis=-2) * u[0, 0, 0])


@pytest.mark.parametrize("store", [None, True, False])
@pytest.mark.parametrize("function, edge, shape", [
    *((f, e, s) for f in (nonlinear, columns) for e in ("none", "periodic", "clamp") for s in ((7, 8), (9, 5))),
    (elements, "none", (5, 3, 3))])
def test_adjoints_are_transposed(rng, function, edge, shape, store):
    chain = ridge.chain(edge=edge)(function)
    names = ("u", "v", "rate") if chain.numbers else ("u", "v")
    x = dict(zip("uv", rng.uniform(0.5, 1.5, (2, *shape)))) | {"rate": 0.4}
    changes = dict(zip("uv", rng.standard_normal((2, *shape)))) | {"rate": 0.7}
    found = _tangent.tangent_of(chain._form, {n: (x[n], changes[n]) for n in names}, shape)
    weights = rng.standard_normal((len(found), *shape))
    numbers = {"rate": 0.4} if chain.numbers else {}
    gradients = by_numpy(chain, [x["u"], x["v"]], weights, store=store, **numbers)
    left = sum((w * d).sum() for w, (_, d) in zip(weights, found))
    right = sum((g * changes[n]).sum() for n, g in gradients.items())
    size = sum(np.abs(w * d).sum() for w, (_, d) in zip(weights, found))
    assert set(gradients) == set(names) and abs(left - right) < 1e-13 * size


# Compiled.

def jacobian(kernel, arrays, of, before, h=1e-5, **call):
    """By differences of the kernel itself: all results behind each other, by each number of an array."""
    columns_ = []
    for i in range(arrays[of].size):
        ends = []
        for step in (h, -h):
            moved = [a.copy() for a in arrays]
            moved[of].flat[i] += step
            outs = tuple(b.copy() for b in before)
            kernel(*moved, out=outs if len(outs) > 1 else outs[0], **call)
            ends.append(np.concatenate([o.ravel() for o in outs]))
        columns_.append((ends[0] - ends[1]) / (2 * h))
    return np.array(columns_).T


def compare_all(kernel, arrays, tolerance=1e-8, by=None, schedules=("auto",), **call):
    """Each row of the Jacobian is the gradient with a weight of one item of one result."""
    count = len(kernel.outputs)
    before = [np.full(arrays[0].shape, 3.0) for _ in range(count)]
    gradient = ridge.grad(kernel, by=by)
    right = {n: jacobian(kernel, arrays, kernel.arrays.index(n), before, **call) for n in gradient.by
             if n in kernel.arrays}
    for schedule in schedules:
        for row in range(count * arrays[0].size):
            w = np.zeros((count, *arrays[0].shape))
            w.flat[row] = 1.0
            outs = tuple(np.full(arrays[0].shape, np.nan) for n in right)
            found = gradient(*arrays, tuple(w) if count > 1 else w[0], out=outs, schedule=schedule, **call)
            for n, out in zip(right, outs):
                assert getattr(found, n) is out
                np.testing.assert_allclose(out.ravel(), right[n][row], atol=tolerance, err_msg=f"{n} {row}")
    return gradient


@pytest.fixture(scope="module")
def diffusion():
    @ridge.stencil
    def diffusion(u, k, rate=0.1):
        flux = 0
        for at in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            flux = flux + 0.5 * (k[0, 0] + k[at]) * (u[at] - u[0, 0])
        return u[0, 0] + rate * flux

    return diffusion


@pytest.fixture(scope="module")
def wave():
    @ridge.stencil
    def wave(p, q, c2):
        far = [p[0, 0, d] + p[0, d, 0] + p[d, 0, 0] for d in (-2, 2)]
        near = [p[0, 0, d] + p[0, d, 0] + p[d, 0, 0] for d in (-1, 1)]
        return 2 * p[0, 0, 0] - q[0, 0, 0] + c2[0, 0, 0] * (
            -7.5 * p[0, 0, 0] + 4 / 3 * sum(near) - sum(far) / 12)

    return wave


def places_of(shape):
    """Arrays that begin off whole accesses, and whose rows have gaps."""
    rows, items = shape
    return np.empty(rows * items + 1)[1:].reshape(shape), np.empty((rows, items + 3))[:, :items]


def check_marches(gradient, rng):
    """Lanes that march through interior points, and those of the shell around, have the bits of a lane a point."""
    for shape in ((13, 20), (5, 8), (11, 19)):  # the last: rows are no whole accesses
        u, k, w = rng.uniform(0.5, 1.5, (3, *shape))
        right = gradient(u, k, w, rate=0.2, device=SIMT, schedule="steps=1")
        for schedule in ("steps=3 block=4x2x1", "steps=64 block=32x1x1"):
            outs = np.full((2, *shape), np.nan)
            gradient(u, k, w, rate=0.2, device=SIMT, schedule=schedule, out=tuple(outs))
            for a, b in zip(outs, right):
                np.testing.assert_array_equal(a, b)


def check_apart(gradient, rng, monkeypatch):
    """Large arrays of a GPU: stencils away from the ends, then the items near them."""
    monkeypatch.setattr(_grad_apart, "LEAST_ITEMS", 0)
    for shape in ((13, 20), (4, 40), (6, 7), (5, 5)):
        u, k, w = rng.uniform(0.5, 1.5, (3, *shape))
        outs = np.full((2, *shape), np.nan)
        gradient(u, k, w, rate=0.2, device=SIMT, out=tuple(outs))
        apart = min(shape) > 4  # else there is no item away from the ends
        assert gradient.record.kernel == "diffusion_adjoint" + apart * "_gradient_u"
        for a, b in zip(outs, gradient(u, k, w, rate=0.2, device=SIMT, schedule="steps=1")):
            np.testing.assert_allclose(a, b, rtol=0, atol=4e-15)


def test_adjoints_that_are_stencils_away_from_the_ends():
    assert ridge.grad(ridge.stencil(lambda u: u[1, 0] * u[0, 1]))._apart is not None
    assert ridge.grad(ridge.stencil(lambda u: u[2, 0]))._apart is None  # leaves rows that lie within all bounds
    assert ridge.grad(ridge.chain(edge="clamp")(lambda u: u[1, 0]))._apart is None
    assert ridge.grad(ridge.stencil(lambda u: u[2, 0] * u[-2, 2]))._apart is None  # planes of two arrays, of two each
    many = ridge.stencil(lambda u, v, c: u[0, 0] - v[0, 0] + c[0, 0] * (u[0, 1] + u[0, -1]))
    assert ridge.grad(many)._apart is None and ridge.grad(many, by="u")._apart is not None


def test_adjoints_say_which_points_are_interior(diffusion):
    def interior(gradient):
        return re.findall(r"interior\{(.*)\};", gradient.adjoint.source)

    assert interior(ridge.grad(diffusion)) == 2 * ["{2, 2, 0}, {-2, -2, 0}"]
    folded = ridge.chain(edge="clamp")(lambda u: u[0] * u[2])
    assert interior(ridge.grad(folded)) == ["{2, 0, 0}, {-2, 0, 0}"]
    assert interior(ridge.grad(ridge.chain(lambda u: u[0]**2))) == []


def test_bits_do_not_depend_on_where_arrays_begin():
    """Items are in packs, or alone, by the memory of their rows."""
    @ridge.stencil
    def near(u, rate=0.1):
        return u[0, 0] + rate * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0])

    u, w = np.random.default_rng(2).standard_normal((2, 40, 45))

    def placed(array, first):
        lines = np.empty(array.size + 16)
        begin = first - lines.ctypes.data // 8 % 8 + 8
        lines[begin:begin + array.size] = array.ravel()
        return lines[begin:begin + array.size].reshape(array.shape)

    gradient = ridge.grad(near)
    outs = [placed(u, first) for first in range(8)]
    for first, out in enumerate(outs):
        gradient(placed(u, first), placed(w, first), out=(out,))
        np.testing.assert_array_equal(out, outs[0])


@pytest.mark.in_turn
@pytest.mark.parametrize("shape", [(3, 3), (4, 7), (5, 19)])
def test_diffusion_has_the_gradient_of_its_differences(device, rng, diffusion, shape, monkeypatch):
    u, k = rng.uniform(0.5, 1.5, (2, *shape))
    gradient = compare_all(diffusion, [u, k], rate=0.2, device=device)
    w, before = rng.standard_normal((2, *shape))
    found = gradient(u, k, w, rate=0.2, device=device)
    for there in places_of(shape):  # where arrays lie decides about no bit on a cpu, about rounding on a GPU
        there[...] = k
        again = gradient(u, there, w, rate=0.2, device=device)
        for a, b in zip(found, again):
            np.testing.assert_allclose(a, b, rtol=0, atol=0 if device == "cpu" else 1e-15)
    if device == SIMT:
        check_marches(gradient, rng)
        check_apart(gradient, rng, monkeypatch)
    if device == "cpu":  # one more to compile
        return
    found = ridge.grad(diffusion, by=("rate", "out"))(u, k, w, rate=0.2, device=device)
    ends = [diffusion(u, k, out=before.copy(), rate=r, device=device) for r in (0.3, 0.1)]
    assert found.rate == pytest.approx((w * (ends[0] - ends[1])).sum() / 0.2, rel=1e-11)
    inner = (slice(1, -1),) * 2
    assert (found.out[inner] == 0).all() and (found.out[0] == w[0]).all() and (found.out[:, -1] == w[:, -1]).all()


@pytest.mark.in_turn
@pytest.mark.parametrize("device, dtype", [("cpu", np.float64), (SIMT, np.float32)])
def test_records_prove_the_adjoint_of_a_wave(device, rng, wave, dtype):
    p, q, c2, w = rng.uniform(0.5, 1.5, (4, 9, 11, 37)).astype(dtype)
    gradient = ridge.grad(wave)
    record = gradient.measure(p, q, c2, w, device=device, repeat=1)
    assert record.ok and record.kernel == "wave_adjoint" and record.adjoint["ok"]
    assert record.adjoint["dot_error"] < 1e-13 and record.adjoint["slope"] == pytest.approx(2, abs=0.04)
    if dtype == np.float32:
        assert "block=32x4x2" in record.schedule  # rows of neighbours are read again
        found = gradient(p, q, c2, w, device=device)
        right = gradient(*(a.astype(float) for a in (p, q, c2, w)), device=device)
        for a, b in zip(found, right):
            assert a.dtype == np.float32
            np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.in_turn
@pytest.mark.parametrize("edge", ["none", "periodic", "clamp"])
def test_chains_have_the_gradient_of_their_differences(rng, edge):
    chain = ridge.chain(edge=edge)(nonlinear)
    u, v = rng.uniform(0.6, 1.4, (2, 6, 7))
    schedules = ("auto", "fission") if edge == "none" else ("auto",)
    compare_all(chain, [u, v], 1e-7, schedules=schedules, device="cpu" if edge == "none" else SIMT)


def test_columns_have_the_gradient_of_their_differences(rng):
    u, v = rng.uniform(0.6, 1.4, (2, 5, 4))
    compare_all(ridge.chain(columns), [u, v], 1e-7, device="cpu")


def test_a_batch_and_arrays_of_16_bits(rng):
    @ridge.stencil
    def burgers(u):
        return u[0] - 0.25 * (u[1]**2 - u[-1]**2)

    u, w = rng.standard_normal((2, 50)).astype(np.float16)
    found = ridge.grad(burgers)(u, w, device=SIMT).u
    right = ridge.grad(burgers)(u.astype(np.float32), w.astype(np.float32), device=SIMT).u
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, right)

    @ridge.chain(edge="clamp")
    def product(u):
        return u[0] * u[2]

    u, w = rng.standard_normal((2, 3, 13))
    many = ridge.grad(product.batch())(u, w, device=SIMT).u
    for row in range(3):
        np.testing.assert_array_equal(many[row], ridge.grad(product)(u[row], w[row], device=SIMT).u)


def test_gradients_that_are_alike(rng):
    u, v, w = rng.standard_normal((3, 4, 9))
    for kernel, factor in ((ridge.chain(lambda u, v: u[0, 0] + v[0, 0]), 1.0),
                           (ridge.stencil(lambda u, v: 2.5 * u[0, 0] + v[0, 0] * 2.5), 2.5)):
        found = ridge.grad(kernel)(u, v, w, device=SIMT)
        np.testing.assert_array_equal(found.u, factor * w)
        np.testing.assert_array_equal(found.v, factor * w)


# Tests that find mistakes.

def test_a_wrong_rule_is_found(rng, monkeypatch):
    @ridge.chain
    def kernel(u):
        return ridge.exp(u[0])

    u = rng.standard_normal(60)
    assert ridge.grad(kernel).test(u, device=SIMT)["ok"]
    rules = dict(_derivatives._RULES, exp=_derivatives._of_one(lambda g, x, y: _derivatives.product(g, x)))
    monkeypatch.setattr(_derivatives, "_RULES", rules)
    found = ridge.grad(kernel).test(u, device=SIMT)
    assert not found["ok"] and found["dot_error"] > 1e-3
    # Wrong in both: what differences of the kernel are for.
    monkeypatch.setitem(_tangent._FUNCTIONS, "exp", (np.exp, lambda y, a, da: a * da))
    found = ridge.grad(kernel).test(u, device=SIMT)
    assert not found["ok"] and found["dot_error"] < 1e-12 and found["slope"] < 1.3


# Refusals.

@pytest.mark.parametrize("make, says", [
    (lambda: ridge.grad(ridge.stencil(lambda u: ridge.where(u[0] > 0, 1, 0))), "no derivative by u"),
    (lambda: ridge.grad(ridge.stencil(lambda u, m: u[0] * ridge.floor(m[0])), by="m"), "no derivative by m"),
    (lambda: ridge.grad(ridge.stencil(lambda u: 2 * u[0]), by="v"), "'v' is no argument of .*; u, out are"),
    (lambda: ridge.grad(ridge.stencil(lambda u: 2 * u[0]), by=()), "by= is empty"),
    (lambda: ridge.grad(ridge.stencil(source="struct A {};", name="A")), "C\\+\\+ text"),
    (lambda: ridge.grad(abs), "abs is no kernel"),
    (lambda: ridge.grad(ridge.chain(lambda u: ridge.contract(np.eye(3), u[0, 0]) + u[1, 0])), "elements and reads n"),
    (lambda: ridge.grad(pickle.loads(pickle.dumps(ridge.stencil(lambda u: 2 * u[0])))), "another process"),
])
def test_refusals_when_the_gradient_is_asked_for(make, says):
    with pytest.raises(TypeError, match=says):
        make()


def test_calls_that_do_not_fit(diffusion):
    a = np.ones((4, 5))
    gradient = ridge.grad(diffusion)
    with pytest.raises(TypeError, match="takes 3 arrays .u, k and the cotangent., not 2"):
        gradient(a, a)
    with pytest.raises(TypeError, match="out= is a tuple of 2 arrays"):
        gradient(a, a, a, out=a)
    with pytest.raises(ridge.UsageError):
        gradient(a, a, np.ones((4, 6)))
    with pytest.raises(TypeError, match="has no speed"):
        gradient(a, a, a, speed=1)


@pytest.mark.parametrize("u, error, says", [
    (np.ones((4, 5), int), TypeError, "u has elements of type int64; float32 and float64 are possible"),
    (np.ones((4, 5), "f4"), TypeError, "the cotangent is float64, and u float32; all must be of one type"),
    (np.ones((4, 6)), ridge.UsageError, "u has the shape .4, 6. and the cotangent .4, 5.; all arrays must have one"),
])
def test_arrays_that_a_linear_kernel_does_not_read_back_are_looked_at(u, error, says):
    linear = ridge.stencil(lambda u: 2 * u[1, 0] + u[0, -1])
    with pytest.raises(error, match=says):
        ridge.grad(linear)(u, np.ones((4, 5)))


def test_masks_are_left_out_and_gradients_travel():
    @ridge.stencil
    def masked(u, m):
        return ridge.where(m[0] > 0.5, u[1]**2, u[-1])

    gradient = ridge.grad(masked)
    assert gradient.by == ("u",)
    u, m, w = np.arange(5.0), np.array([0, 1, 0, 1, 0.0]), np.ones(5)
    found = pickle.loads(pickle.dumps(gradient))(u, m, w, device=SIMT)
    assert found.u.tolist() == [0, 1, 4, 0, 8] and found._fields == ("u",)
