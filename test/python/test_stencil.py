"""Stencils: traced or in C++, on every device, equal to NumPy."""

import numpy as np
import pytest
from conftest import heat_of

import ridge


@pytest.mark.parametrize("shape", [(3, 3, 3), (5, 7, 11), (4, 33, 70)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_heat_equals_numpy(heat, device, rng, shape, dtype):
    u = rng.standard_normal(shape).astype(dtype)
    out = np.full(shape, np.nan, dtype)
    before = out.copy()
    assert heat(u, out=out, rate=0.3, device=device) is out
    np.testing.assert_allclose(out, heat_of(u, 0.3, before), rtol=0,
                               atol=20 * np.finfo(dtype).eps)
    assert heat.record.device == device
    assert heat.record.precision == ("fp32" if dtype == np.float32 else "fp64")


def test_the_other_warp_width(heat, rng):
    u = rng.standard_normal((4, 33, 70))
    np.testing.assert_allclose(heat(u, device="simt:64"), heat_of(u, 0.1, np.zeros_like(u)),
                               atol=1e-14)
    assert heat.record.device == "simt:64"


def test_a_new_output_is_zero_at_the_edge(heat, rng):
    u = rng.standard_normal((5, 6, 7)).astype(np.float32)
    out = heat(u)
    assert out.dtype == u.dtype
    np.testing.assert_allclose(out, heat_of(u, 0.1, np.zeros_like(u)), atol=1e-5)


def test_other_numbers_compile_nothing(heat, rng):
    u = rng.standard_normal((6, 6, 6))
    heat(u, rate=0.1)
    files = set(compiled())
    for rate in (0.2, 0.3, np.float32(0.5)):
        np.testing.assert_allclose(heat(u, rate=rate), heat_of(u, rate, np.zeros_like(u)), atol=1e-12)
    assert set(compiled()) == files


def compiled():
    import os
    import pathlib
    return [p.name for p in pathlib.Path(os.environ["RIDGE_CACHE"]).glob("*.so")]


def test_one_and_two_dimensions(device, rng):
    @ridge.stencil
    def slope(u):
        return u[1] - u[-1]

    @ridge.stencil
    def cross(u, v):
        return u[0, 1] * v[0, 0] + u[-2, 0]

    u = rng.standard_normal(41)
    np.testing.assert_array_equal(slope(u, device=device)[1:-1], u[2:] - u[:-2])
    u, v = rng.standard_normal((2, 9, 21))
    right = u[2:-2, 2:] * v[2:-2, 1:-1] + u[:-4, 1:-1]
    np.testing.assert_allclose(cross(u, v, device=device)[2:-2, 1:-1], right, rtol=1e-14, atol=1e-15)


def test_mathematics(device, rng):
    @ridge.stencil
    def all_functions(u, a, b):
        x = abs(u[0]) + 1.5
        near = ridge.where((u[0] < a) & (u[1] > -1) | (u[-1] >= 2), ridge.exp(-x), np.log(x))
        edge = ridge.where(~(u[0] <= 0), 1, 0) + ridge.where(a < b, u[0], 2) + ridge.where(u[0] == u[0], 1, 5)
        return (near + ridge.sqrt(x) * ridge.sin(u[0]) - ridge.cos(u[1]) / x + x**3 + x**-0.5
                + ridge.power(x, a) + 2**x + ridge.rsqrt(x) + ridge.minimum(u[1], a)
                + np.maximum(u[0], u[-1]) + np.float64(2) * u[0] + ridge.sqrt(a * b) + edge - x**0.5)

    u = rng.standard_normal(50)
    a, b = 0.75, 1.25
    got = all_functions(u, a=a, b=b, device=device)[1:-1]
    c, r, l = u[1:-1], u[2:], u[:-2]
    x = abs(c) + 1.5
    near = np.where((c < a) & (r > -1) | (l >= 2), np.exp(-x), np.log(x))
    right = (near + np.sqrt(x) * np.sin(c) - np.cos(r) / x + x**3 + x**-0.5 + x**a + 2**x
             + x**-0.5 + np.minimum(r, a) + np.maximum(c, l) + 2 * c + np.sqrt(a * b)
             + np.where(c > 0, 1, 0) + c + 1 - x**0.5)
    np.testing.assert_allclose(got, right, rtol=1e-13, atol=1e-13)


def test_a_kernel_of_loops_and_helpers(rng):
    weights = {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12}

    def second(at):
        return sum(w * at(k) for k, w in weights.items())

    @ridge.stencil
    def laplacian4(u):
        return second(lambda k: u[0, k]) + second(lambda k: u[k, 0])

    u = rng.standard_normal((12, 13))
    right = sum(w * (u[2:-2, 2 + k:11 + k] + u[2 + k:10 + k, 2:-2]) for k, w in weights.items())
    np.testing.assert_allclose(laplacian4(u)[2:-2, 2:-2], right, atol=1e-13)
    assert "Footprint<9>" in laplacian4.source


def test_two_kernels_of_one_name(rng):
    u = rng.standard_normal(9)
    found = []
    for factor in (2.0, 3.0):
        @ridge.stencil
        def scale(u):
            return factor * u[0] # noqa: B023
        found.append(scale(u))
    np.testing.assert_array_equal(found[0], 2 * u)
    np.testing.assert_array_equal(found[1], 3 * u)


CPP = """
#include <ridge/stencil/kernel.hpp>
struct Heat {
  static constexpr auto footprint = ridge::stencil::star<1>();
  double rate = 0;
  template <class N> RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + rate * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) +
                                u(0, 0, -1) + u(0, 0, 1) - 6 * u(0, 0, 0));
  }
};
"""


def test_cpp_text_equals_the_traced_kernel(heat, device, rng):
    u = rng.standard_normal((6, 9, 12))
    same = ridge.stencil(source=CPP, name="Heat")
    np.testing.assert_allclose(same(u, rate=0.2, device=device), heat(u, rate=0.2, device=device),
                               rtol=0, atol=1e-14)
    other = ridge.stencil(source=CPP.replace("6 *", "5 *"), name="Heat")
    assert not np.allclose(other(u, rate=0.2, device=device), same(u, rate=0.2, device=device))


def test_an_error_in_cpp_text_names_its_line(rng):
    wrong = ridge.stencil(source=CPP.replace("rate *", "speed *"), name="Heat")
    with pytest.raises(ridge.UsageError, match=r"^Heat\.hpp:7:\d+: .*speed"):
        wrong(rng.standard_normal((4, 4, 4)), rate=0.1)
    with pytest.raises(ridge.UsageError, match="pace"):
        ridge.stencil(source=CPP, name="Heat")(rng.standard_normal((4, 4, 4)), pace=0.1)


def test_neighbours_far_away_on_a_gpu(rng):
    """Windows of registers would span all that lies between; a march's halo would take several lines."""

    @ridge.stencil
    def far(u):
        return u[0, 9000] - 2 * u[1, -9000] + u[0, 0]

    u = rng.random((5, 18010))
    right = u[1:-1, 18000:] - 2 * u[2:, :-18000] + u[1:-1, 9000:-9000]
    np.testing.assert_allclose(far(u, device="simt:32")[1:-1, 9000:-9000], right, rtol=1e-14)
