"""Functions under NumPy's names give what NumPy gives: at zeros of both signs, infinities, NaN,
subnormal and huge numbers, in every pattern, precision and place."""

import itertools
import math

import numpy as np
import pytest

import ridge

#: Name: of two values, by NumPy; units in the last place that both may be off.
FUNCTIONS = {
    "absolute": (lambda a, b: np.absolute(a), 0),
    "abs": (lambda a, b: abs(a), 0),
    "negative": (lambda a, b: -a, 0),
    "sign": (lambda a, b: np.sign(a), 0),
    "floor": (lambda a, b: np.floor(a), 0),
    "ceil": (lambda a, b: np.ceil(a), 0),
    "trunc": (lambda a, b: np.trunc(a), 0),
    "minimum": (lambda a, b: np.minimum(a, b), 0),
    "maximum": (lambda a, b: np.maximum(a, b), 0),
    "maximum of a number": (lambda a, b: np.maximum(0.25, a), 0),
    "minimum of a number": (lambda a, b: np.minimum(a, 0.25), 0),
    "maximum of nan": (lambda a, b: np.maximum(a, float("nan")), 0),
    "clip": (lambda a, b: np.clip(a, -1.5, 2.0), 0),
    "clip by values": (lambda a, b: np.clip(a, -1.0, b), 0),
    "where": (lambda a, b: np.where(a < b, a, b), 0),
    "equal": (lambda a, b: np.where(a == b, 1.0, 2.0), 0),
    "not equal": (lambda a, b: np.where(a != b, 1.0, 2.0), 0),
    "unlike": (lambda a, b: np.where((a < b) ^ (b < 0), a, 7.0) + np.where((a < 0) != (b < 0), 1.0, 0.0), 0),
    "alike": (lambda a, b: np.where((a < b) == (b < 0), a, 7.0) + np.where(np.logical_xor(a < 1, b < 1), 1.0, 0.0), 0),
    "joined": (lambda a, b: np.where(np.logical_or(np.isnan(a), ~(b >= 1)), a, 5.0), 0),
    "isfinite": (lambda a, b: np.where(np.isfinite(a) & np.logical_not(np.isinf(b)), 1.0, 0.0), 0),
    "divide": (lambda a, b: a / b, 0.5),
    "reciprocal": (lambda a, b: np.reciprocal(a), 0.5),
    "//": (lambda a, b: a // b, 0.5),
    "%": (lambda a, b: a % b, 0),
    "2 // a": (lambda a, b: 2.0 // a, 0.5),
    "a % 3": (lambda a, b: np.mod(a, 3.0), 0),
    "square": (lambda a, b: np.square(a), 0),
    "x**3": (lambda a, b: a**3, 2),
    "x**-1": (lambda a, b: a**-1, 2),
    "x**-2": (lambda a, b: a**-2, 3),
    "x**-7": (lambda a, b: a**-7, 12),
    "x**0.5": (lambda a, b: a**0.5, 1),
    "x**-0.5": (lambda a, b: a**-0.5, 3),
    "x**1.75": (lambda a, b: a**1.75, 4),
    "x**inf": (lambda a, b: a**math.inf, 4),
    "power": (lambda a, b: np.power(a, b), 4),
    "2**x": (lambda a, b: 2.0**a, 4),
    "sqrt": (lambda a, b: np.sqrt(a), 1),
    "exp": (lambda a, b: np.exp(a), 4),
    "log": (lambda a, b: np.log(a), 4),
    "sin": (lambda a, b: np.sin(a), 4),
    "cos": (lambda a, b: np.cos(a), 4),
    "tan": (lambda a, b: np.tan(a), 4),
    "tanh": (lambda a, b: np.tanh(a), 4),
    "hypot": (lambda a, b: np.hypot(a, b), 2),
}


def values_of(dtype):
    f = np.finfo(dtype)
    least = float(f.smallest_subnormal)
    positive = [0.0, least, 100 * least, float(f.tiny), float(f.eps), 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0,
                0.3, 7.7, 1e4 + 0.3, 1.0 / float(f.eps) + 1, 1e19, 1e30, 0.7 * float(f.max), float(f.max),
                math.inf, math.nan]
    ordinary = np.random.default_rng(7).uniform(-9, 9, 20).astype(dtype)
    return np.concatenate([np.array([s * p for p in positive for s in (1, -1)], dtype), ordinary])


@pytest.fixture(params=[np.float64, np.float32], ids=["fp64", "fp32"])
def pairs_of_values(request):
    a, b = map(np.array, zip(*itertools.product(values_of(request.param), repeat=2)))
    return np.ascontiguousarray(a), np.ascontiguousarray(b)


def right(function, a, b):
    with np.errstate(all="ignore"):
        return function(a, b).astype(a.dtype)


def expect_equal(name, got, a, b, zeros=True):
    """Within the function's bound; the same infinities, NaN and, where `zeros`, signs of zeros."""
    function, ulps = FUNCTIONS[name]
    expected = right(function, a, b)
    with np.errstate(all="ignore"):
        near = np.abs(got - expected) <= ulps * np.spacing(np.abs(expected))
    same = (got == expected) | (np.isnan(got) & np.isnan(expected)) | near
    if zeros and name not in ("minimum", "maximum", "clip by values"):  # which of 0 and -0 NumPy leaves open
        same &= (expected != 0) | (np.signbit(got) == np.signbit(expected))
    wrong = np.flatnonzero(~same)
    shown = [(float(a[i]), float(b[i]), "gives", float(got[i]), "not", float(expected[i]))
             for i in wrong[:5]]
    assert not len(wrong), f"{name}: {len(wrong)} of {len(a)}: {shown}"


def chosen(a, b, which):
    """One of the functions, by its number."""
    found = 0 * a
    for k, (function, _) in enumerate(FUNCTIONS.values()):
        found = ridge.where(which == k, function(a, b), found)
    return found


@pytest.fixture(scope="module")
def stencil():
    @ridge.stencil
    def functions(u, v, which):
        return chosen(u[0], v[0], which)

    return functions


@pytest.fixture(scope="module")
def chain():
    @ridge.chain
    def functions(u, v, which):
        return chosen(u[0], v[0], which)

    return functions


@pytest.mark.in_turn
@pytest.mark.parametrize("pattern", ["stencil", "chain"])
def test_of_every_item(pattern, request, device, pairs_of_values):
    a, b = pairs_of_values
    kernel = request.getfixturevalue(pattern)
    for k, name in enumerate(FUNCTIONS):
        expect_equal(name, kernel(a, b, which=k, device=device), a, b)


def test_in_sweeps(stencil, pairs_of_values):
    a, b = pairs_of_values
    sweeps = ridge.sweeps(stencil)
    for k, name in enumerate(FUNCTIONS):
        expect_equal(name, sweeps.run(a.copy(), b, steps=1, which=k), a, b)


@pytest.mark.in_turn
def test_of_pairs(device, pairs_of_values):
    @ridge.pairs(targets=1, sources=1, sums=1)
    def functions(t, s, which):
        return [chosen(t[0], s[0], which)]

    a, b = pairs_of_values
    n = math.isqrt(len(a))
    targets = np.ascontiguousarray(a[::n][None])
    for i in range(0, n, 5):
        source = b[i:i + 1][None]
        for k, name in enumerate(FUNCTIONS):
            (sums,) = functions(targets, source, which=k, device=device)
            expect_equal(name, sums, targets[0], np.full(n, source[0, 0]), zeros=False)


def test_of_numbers():
    """What has the same value for all items is computed in double."""
    @ridge.stencil
    def functions(u, a, b, which):
        return u[0] + chosen(a, b, which)

    values = values_of(np.float64)[:44:3]
    for a, b in itertools.product(values, values):
        for k, name in enumerate(FUNCTIONS):
            got = functions(np.zeros(1), a=a, b=b, which=k, device="simt:32")
            expect_equal(name, got, np.array([a]), np.array([b]), zeros=False)
