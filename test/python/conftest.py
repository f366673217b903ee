"""What the tests of the Python package share."""

import os
import sys
import tempfile

import numpy as np
import pytest

import ridge


# Tests look into the cache; without one that is given, it is empty at first.
os.environ.setdefault("RIDGE_CACHE", tempfile.mkdtemp(prefix="ridge-tests-"))


@pytest.fixture(params=["cpu", "simt:32"])
def device(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def heat():
    @ridge.stencil
    def heat(u, rate=0.1):
        return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                    + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])

    return heat


def heat_of(u, rate, before):
    """The same by NumPy in double; the points at the edge are those of `before`."""
    u = u.astype(np.float64)
    out = before.astype(np.float64)
    i = slice(1, -1)
    out[i, i, i] = u[i, i, i] + rate * (u[i, i, 2:] + u[i, i, :-2] + u[i, 2:, i] + u[i, :-2, i]
                                        + u[2:, i, i] + u[:-2, i, i] - 6 * u[i, i, i])
    return out


class Producer:
    """An array of another library: nothing but DLPack's protocol, by way of NumPy."""

    def __init__(self, array, *, versioned=True, refuses=None):
        self.array = array
        self.versioned = versioned
        self.refuses = refuses
        self.asked = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        self.asked.append(options)
        if self.refuses is not None:
            raise self.refuses
        if not self.versioned and "max_version" in options:
            raise TypeError("unexpected keyword max_version")
        return self.array.__dlpack__(**options)


def line_of(text):
    """The number of the line of the caller's file in which `text` is."""
    file = sys._getframe(1).f_code.co_filename
    with open(file, encoding="utf-8") as source:
        lines = [n for n, line in enumerate(source, 1) if text in line]
    assert len(lines) == 1, lines
    return f"{file}:{lines[0]}"
