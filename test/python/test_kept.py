"""Values of a trace that are kept or copied: another kernel cannot use them."""

import copy
import pickle

import numpy as np
import pytest
from conftest import line_of

import ridge


@pytest.fixture(scope="module")
def kept():
    """A value, a parameter and a condition of one kernel; those of an interaction and of a chain."""
    found = {}

    def stencil(a):
        found.update(value=a[50], parameter=a, condition=a[1] > 0)
        return a[0] + a[50]

    def interaction(t, s):
        found.update(component=s[2], components=s)
        return [s[0] - t[0]]

    def chain(u):
        found["step"] = u[1] - u[-1]
        return found["step"][1]

    ridge.stencil(stencil)
    ridge.pairs(targets=1, sources=3, sums=1)(interaction)
    ridge.chain(chain)
    return found


def test_a_value_of_another_stencil(kept):
    def used(b):
        return b[0] + kept["value"]  # line of the use

    with pytest.raises(ridge.TraceError, match="kept from another kernel") as caught:
        ridge.stencil(used)
    assert line_of("# line of" + " the use") in str(caught.value)


@pytest.mark.parametrize("use", [
    lambda b, k: k["value"] + b[0],
    lambda b, k: b[0] + k["parameter"][10**7],
    lambda b, k: b[0] * k["parameter"],
    lambda b, k: ridge.where(k["condition"], b[0], b[1]),
    lambda b, k: ridge.sqrt(k["value"]),
    lambda b, k: np.add(k["value"], b[0]),
    lambda b, k: abs(k["value"]),
    lambda b, k: k["value"],
    lambda b, k: b[0] + k["component"],
    lambda b, k: b[0] + k["components"][1],
    lambda b, k: b[0] + k["step"],
])
def test_uses_of_what_another_kernel_left(kept, use):
    def used(b):
        return use(b, kept)

    with pytest.raises(ridge.TraceError, match="kept from another kernel"):
        ridge.stencil(used)

    def used_in_chain(b):
        return use(b, kept) + b[0]

    with pytest.raises(ridge.TraceError, match="kept from another kernel"):
        ridge.chain(used_in_chain)

    def used_in_pairs(t, s):
        return [use(s, kept)]

    with pytest.raises(ridge.TraceError, match="kept from another kernel"):
        ridge.pairs(targets=1, sources=2, sums=1)(used_in_pairs)


def test_the_value_of_a_kernel_that_was_traced_meanwhile():
    inner = []

    def outer(b):
        mine = b[0]

        @ridge.stencil
        def meanwhile(a):
            inner.append(a[3])
            return a[0]

        return mine + b[1]  # still this kernel's

    ridge.stencil(outer)

    def wrong(b):
        ridge.stencil(lambda_like)
        return b[0] + inner[0]

    def lambda_like(a):
        return a[0]

    with pytest.raises(ridge.TraceError, match="kept from another kernel"):
        ridge.stencil(wrong)


def test_a_copied_value_is_the_value():
    @ridge.stencil
    def copied(b):
        again = copy.deepcopy({"b": [b], "there": b[7]})
        return copy.copy(b)[5] + again["b"][0][-3] + again["there"] + copy.copy(b[0])

    b = np.arange(40.0)
    np.testing.assert_array_equal(copied(b)[7:23], (b[12:28] + b[4:20] + b[14:30] + b[7:23]))
    with pytest.raises(ridge.TraceError, match="in another process"):
        ridge.stencil(lambda_of(lambda b: pickle.dumps(b[0])))


def lambda_of(body):
    def named(b):
        return body(b)

    return named


def test_numbers_that_were_computed_before():
    root = ridge.sqrt(2.0) * 3

    @ridge.stencil
    def scaled(b):
        return root * b[0]

    b = np.arange(1.0, 5.0)
    np.testing.assert_allclose(scaled(b), 3 * np.sqrt(2) * b, rtol=1e-15)
    assert ridge.stencil(lambda_of(lambda b: b[0] / root)).source.count("sqrt") == 1


@pytest.mark.parametrize("offset", [2**30, -2**31, 2**63, 10**30, 2**20 + 1])
def test_far_offsets(offset):
    for kind in (ridge.stencil, ridge.chain):
        with pytest.raises(ridge.TraceError, match=rf"b\[\.\.\.\] is {offset} items away; a kernel reads at most"):
            kind(lambda_of(lambda b: b[offset] + b[0]))
