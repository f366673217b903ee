"""Systems whose arrays have 16 bits."""

import numpy as np
import pytest

import ridge
from test_stored import KINDS, array, numbers, rounded


@pytest.mark.in_turn
@KINDS
def test_systems_round_what_they_set(rng, kind, device):
    @ridge.chain
    def sound(p, v, rate):
        q = p[0] - rate * (v[0] - v[-1])
        return q, v[0] - rate * (q[1] - q[0])

    p0, v0 = rounded(rng.standard_normal((2, 41)), kind)
    p, v = array(p0, kind), array(v0, kind)
    in_time = ridge.sweeps(sound, boundary="periodic")
    in_time.run(p, v, steps=2, rate=0.25, device=device)
    for _ in range(2):
        p0 = rounded(p0 - np.float32(0.25) * (v0 - np.roll(v0, 1)), kind)
        v0 = rounded(v0 - np.float32(0.25) * (np.roll(p0, -1) - p0), kind)
    np.testing.assert_array_equal(numbers(p), p0)
    np.testing.assert_array_equal(numbers(v), v0)
    assert in_time.record.precision == kind and in_time.record["arithmetic"] == "fp32"


@pytest.mark.in_turn
@KINDS
@pytest.mark.parametrize("boundary", ["periodic", "mirror"])
def test_media_of_systems_stay_float32(rng, boundary, kind, device):
    """12 bits a coefficient, more than arrays of 16 bits hold; products with them are exact."""
    @ridge.chain
    def sound(p, v, m, k):
        q = p[0] + m[0] * v[0] - k[-1] * v[-1]
        return q, v[0] + k[0] * q[0] - k[1] * q[1]

    def at(f, by):
        return np.pad(f, 1, mode="wrap" if boundary == "periodic" else "symmetric")[1 + by:len(f) + 1 + by]

    p0, v0, m = rounded(rng.standard_normal((3, 41)), kind)
    k = (rng.integers(-4096, 4096, 90) / 2**14).astype(np.float32)[3:44]
    p, v, m16 = array(p0, kind), array(v0, kind), array(m / 8, kind)
    m = m / np.float32(8)
    in_time = ridge.sweeps(sound, boundary=boundary)
    for _ in range(2):
        in_time.run(p, v, m16, k, steps=2, device=device)
        for _ in range(2):
            p0 = rounded(p0 + m * v0 - at(k, -1) * at(v0, -1), kind)
            v0 = rounded(v0 + k * p0 - at(k, 1) * at(p0, 1), kind)
        np.testing.assert_array_equal(numbers(p), p0)
        np.testing.assert_array_equal(numbers(v), v0)
        k *= np.float32(-1)  # it is looked at anew in each run
    assert in_time.record.precision == kind
    assert in_time.record.bytes_read == 41 * (3 * 2 + 4)
    with pytest.raises(TypeError, match="v is float32, and p b?float16; all must be of one type"):
        in_time.run(p, v0, m16, k, steps=1, device=device)


def test_storage_of_built_in_kernels():
    (record,) = ridge.bench("elastic", size=(9, 8, 7), device="cpu", store_as="vx=fp16,mu=fp16")
    assert record.ok and record["storage"].endswith("rho=fp32,lambda=fp32,mu=fp16")
    with pytest.raises(ridge.UsageError, match="no array 'q'"):
        ridge.bench("elastic", size=(9, 8, 7), device="cpu", store_as="q=fp16")
