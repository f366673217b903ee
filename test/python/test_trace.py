"""What cannot be traced is an error at the user's line that says what to write instead."""

import math

import numpy as np
import pytest
from conftest import line_of

import ridge


def refused(function, mark, says):
    with pytest.raises(ridge.TraceError) as caught:
        ridge.stencil(function)
    message = str(caught.value)
    assert message.startswith(f"{line_of(mark)}: "), message
    assert says in message and "\n" not in message


def test_an_if_on_a_value():
    def f(u):
        if u[0] > 0:  # mark: if
            return u[1]
        return u[-1]

    refused(f, "# mark: " + "if", "ridge.where(condition, a, b)")


def test_and_between_values():
    def f(u):
        return ridge.where(u[0] > 0 and u[1] > 0, u[0], u[1])  # mark: and

    refused(f, "# mark: " + "and", "join conditions by & | ~")


def test_max_of_values():
    def f(u):
        return max(u[0], u[1])  # mark: max

    refused(f, "# mark: " + "max", "ridge.where")


def test_an_offset_that_is_no_number():
    def f(u, shift):
        return u[shift] - u[0]  # mark: offset

    refused(f, "# mark: " + "offset", "Python's own integers")

    def g(u):
        return u[0.5]  # mark: half

    refused(g, "# mark: " + "half", "no whole number")

    def h(u):
        return u[1:]  # mark: slice

    refused(h, "# mark: " + "slice", "slices are NumPy's way")


def test_functions_of_other_libraries():
    def f(u):
        return math.sqrt(u[0])  # mark: math

    refused(f, "# mark: " + "math", "ridge.sqrt")

    def g(u):
        return np.arctan(u[0])  # mark: arctan

    refused(g, "# mark: " + "arctan", "sqrt")

    def h(u):
        return np.mean(u)  # mark: mean

    refused(h, "# mark: " + "mean", "numpy.mean of a value")

    def i(u):
        return u[0] + np.stack([u[1], u[2]])[0]  # mark: stack

    refused(i, "# mark: " + "stack", "numpy.stack of a value")

    def j(u):
        return np.sqrt(u[0], out=u)  # mark: into

    refused(j, "# mark: " + "into", "without out")

    def k(u):
        return np.asarray([u[0], 1.0]) * 2  # mark: asarray

    refused(k, "# mark: " + "asarray", "no NumPy array")

    def o(u):
        return np.array([1.0, 2.0]) * u[0]  # mark: vector

    refused(o, "# mark: " + "vector", "cannot be part of a kernel")


def test_what_arrays_and_floats_have():
    def f(u):
        return u.shape[0] * u[0]  # mark: shape

    refused(f, "# mark: " + "shape", "has no attribute 'shape'")

    def g(u):
        return u[0].real  # mark: real

    refused(g, "# mark: " + "real", "has no attribute 'real'")

    def h(u):
        return round(u[0], 1)  # mark: round

    refused(h, "# mark: " + "round", "ridge.floor(value + 0.5)")


def test_loops_and_lengths():
    def f(u, n):
        total = u[0]
        for k in range(n):  # mark: range
            total = total + u[k]
        return total

    refused(f, "# mark: " + "range", "Python's own numbers")

    def g(u):
        return sum(u)  # mark: sum

    refused(g, "# mark: " + "sum", "name its neighbours")


def test_arrays_and_numbers():
    def f(u):
        return u[0] + u  # mark: whole

    refused(f, "# mark: " + "whole", "name the neighbour that is meant, as in u[0]")

    def g(u):
        return u[0] + u[0, 1]  # mark: ranks

    refused(g, "# mark: " + "ranks", "1 dimensions above and 2 here")

    def h(u):
        u[0] = 1  # mark: store
        return u[0]

    refused(h, "# mark: " + "store", "does not write")

    def i(u):
        return u[0] * 1j  # mark: complex

    refused(i, "# mark: " + "complex", "cannot be part of a kernel")


@pytest.mark.parametrize("number", [
    lambda c: c * 2, lambda c: 1 + c, lambda c: -c, lambda c: float(c), lambda c: c > 0, lambda c: sum([c, c]),
    lambda c: 2 ** c, lambda c: c / 2, lambda c: abs(c),
])
def test_a_condition_is_no_number(number):
    def f(u):
        return u[0] + number(u[1] > 0)

    with pytest.raises(ridge.TraceError, match="a condition is no number; write ridge.where"):
        ridge.stencil(f)


@pytest.mark.parametrize("joined", [
    lambda u: u[0] > 0 & u[1] > 0, lambda u: u[0] & 1, lambda u: ~u[0], lambda u: 1 << u[0], lambda u: u[0] @ u[1],
])
def test_a_value_has_no_bits(joined):
    with pytest.raises(ridge.TraceError, match=r"as in \(u\[0\] < 1\) & \(u\[1\] < 1\)"):
        ridge.stencil(joined)


def test_conditions_are_compared_when_the_kernel_runs():
    def f(u):
        return u[0] if (u[0] > 0) == (u[1] > 0) else u[1]  # mark: same side

    refused(f, "# mark: " + "same side", "write ridge.where(condition, a, b)")

    def g(u):
        return ridge.where((u[0] > 0) == True, u[0], u[1])  # mark: true  # noqa: E712

    refused(g, "# mark: " + "true", "True is no condition")


def test_defaults_are_numbers():
    for default in (None, 1j, "a", [1.0], np.ones(2)):
        def f(u, k=default):
            return u[0] * k

        refused_default(f)


def refused_default(function):
    with pytest.raises(ridge.TraceError, match=r"^[^\n]*f: the default of k is .*; a number is right$"):
        ridge.stencil(function)


def test_what_is_no_function():
    for given, says in [(5, "takes a function, not 5"), (None, "takes a function, or source="),
                        (ridge.stencil(lambda u: u[0]), "is a kernel already")]:
        with pytest.raises(TypeError, match=says):
            ridge.stencil(given)


def test_whole_functions():
    def nothing(u):
        u[0]

    def constant(u):
        return 1.0

    def unused(u, v):
        return u[0]

    def two(u, v):
        return u[0] + v[0, 0]

    def many(*u):
        return u[0][0]

    def out(out):
        return out[0]

    for function, says in [(nothing, "returns NoneType"), (constant, "reads no array"),
                           (unused, "does not use its parameter v"),
                           (two, "all arrays have as many"),
                           (many, "a fixed list"), (out, "another meaning")]:
        with pytest.raises(ridge.TraceError, match=says):
            ridge.stencil(function)


def test_pairs_that_cannot_be():
    with pytest.raises(TypeError, match="numbers of components"):
        ridge.pairs(lambda t, s: [t[0]], targets=1, sources=1, sums=1)

    @ridge.pairs(targets=1, sources=1, sums=2)
    def fine(t, s):
        return [s[0] - t[0], 1.0]

    assert fine.sums == 2
    with pytest.raises(ridge.TraceError, match="a list of 2"):
        @ridge.pairs(targets=1, sources=1, sums=2)
        def too_few(t, s):
            return [s[0]]
    with pytest.raises(ridge.TraceError, match=r"target\[1\]: there are 1 components"):
        @ridge.pairs(targets=1, sources=1, sums=1)
        def beyond(t, s):
            return [t[1]]
    with pytest.raises(ridge.TraceError, match=r"the source has 1 components.*zip\(s, t\)"):
        @ridge.pairs(targets=1, sources=1, sums=1)
        def whole(t, s):
            return [s - t]
    with pytest.raises(ridge.TraceError, match="the source has 2 components"):
        @ridge.pairs(targets=1, sources=2, sums=1)
        def summed(t, s):
            return [np.sum(s)]
