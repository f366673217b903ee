"""What measuring says of results: by each point's own terms, NaN where it is right."""

import numpy as np

import ridge


@ridge.stencil
def smooth(u):
    return u[0, 0] + 0.1 * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0] - 4 * u[0, 0])


def test_odd_and_huge_values_are_measured_and_examined():
    u = np.random.default_rng(1).standard_normal((40, 70))
    u[20, 30], u[10, 11], u[5, 50], u[30, 60] = np.nan, np.inf, -np.inf, 9.96921e36
    out = np.zeros_like(u)
    record = smooth.measure(u, out=out, repeat=1)
    assert record["check"]["ok"] is True, record["check"]
    assert np.isnan(out[20, 31]) and out[10, 12] == np.inf and out[5, 49] == -np.inf
    assert ridge.doctor(smooth, u, out=out) is not None
