"""Arrays of 16 bits: arithmetic in fp32, results rounded once to the nearest, ties to even."""

import ctypes

import numpy as np
import pytest

import ridge


class Bfloat16:
    """An array of bfloat16 as DLPack's protocol has it, whose numbers NumPy has no name for."""

    def __init__(self, values):
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
        self.bits = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        self.shape = self.bits.shape

    def __dlpack_device__(self):
        return self.bits.__dlpack_device__()

    def __dlpack__(self, **options):
        return renamed(self.bits.__dlpack__())

    def values(self):
        return (self.bits.astype(np.uint32) << 16).view(np.float32)


def renamed(capsule):
    """The capsule with its tensor's type called bfloat (DLPack's code 4)."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = get(capsule, b"dltensor")
    code = ctypes.c_uint8.from_address(tensor + 8 + 8 + 4)  # data, device, ndim
    assert code.value == 1  # unsigned
    code.value = 4
    return capsule


def rounded(values, kind):
    values = np.asarray(values, np.float32)
    return values.astype(np.float16).astype(np.float32) if kind == "fp16" else Bfloat16(values).values()


def array(values, kind):
    return values.astype(np.float16) if kind == "fp16" else Bfloat16(values)


def numbers(a):
    return a.astype(np.float32) if isinstance(a, np.ndarray) else a.values()


KINDS = pytest.mark.parametrize("kind, device", [("fp16", "cpu"), ("bf16", "simt:32")])


@KINDS
def test_a_stencil_has_the_bits_of_rounded_fp32(heat, rng, kind, device):
    start = rounded(rng.standard_normal((7, 9, 37)), kind)
    start[3, 4, 5] = np.inf
    start[2, 2, 30] = np.nan
    wide = np.full_like(start, 7)
    heat(start, out=wide, device=device, rate=0.3)
    out = array(np.full_like(start, 7), kind)
    assert heat(array(start, kind), out=out, device=device, rate=0.3) is out
    np.testing.assert_array_equal(numbers(out), rounded(wide, kind))
    record = heat.record
    assert record.precision == kind and record.arithmetic == "fp32"
    assert record.bytes_written == 2 * 5 * 7 * 35


def test_a_new_array_is_float16_too(heat, rng):
    out = heat(rng.standard_normal((5, 6, 7)).astype(np.float16))
    assert out.dtype == np.float16 and out[2, 2, 2] != 0 and out[0, 0, 0] == 0


def test_rows_with_gaps_and_ties(rng):
    twice = ridge.stencil(source="#include <ridge/stencil.hpp>\nstruct Twice {\n"
                                 "  static constexpr auto footprint = ridge::stencil::point();\n"
                                 "  double factor = 1;\n"
                                 "  template <class N> RIDGE_FN auto operator()(const N& u) const {\n"
                                 "    return factor * u(0, 0, 0);\n  }\n};\n", name="Twice")
    whole = np.arange(1, 1 + 6 * 40, dtype=np.float16).reshape(6, 40)
    u, out = whole[:, 3:36], np.zeros((6, 50), np.float16)[:, 1:34]
    twice(u, out=out, factor=1 + 2.0**-11)  # half a unit: to even
    wide = u.astype(np.float32) * np.float32(1 + 2.0**-11)
    np.testing.assert_array_equal(out, wide.astype(np.float16))
    record = twice.measure(u, out=out, factor=3.0, repeat=1)
    assert record.ok and record.precision == "fp16"
    twice(u, out=out, factor=1e6)
    assert np.isinf(out).all()


@KINDS
def test_sweeps_round_each(heat, rng, kind, device):
    start = rounded(rng.standard_normal((6, 7, 35)), kind)
    a = array(start, kind)
    in_time = ridge.sweeps(heat, boundary="mirror")
    in_time.run(a, steps=3, rate=0.11, device=device)
    wide = start.copy()
    for _ in range(3):
        in_fp32 = wide.copy()
        ridge.sweeps(heat, boundary="mirror").run(in_fp32, steps=1, rate=0.11, device=device)
        wide = rounded(in_fp32, kind)
    np.testing.assert_array_equal(numbers(a), wide)
    in_time.run(a, steps=1, rate=0.11, device=device)  # again on the same arrays
    ridge.sweeps(heat, boundary="mirror").run(wide, steps=1, rate=0.11, device=device)
    np.testing.assert_array_equal(numbers(a), rounded(wide, kind))
    assert in_time.record.bytes_written == 2 * 6 * 7 * 35


@pytest.mark.in_turn
@KINDS
def test_coefficients_of_sweeps_stay_float32(rng, kind, device):
    @ridge.stencil
    def spread(u, c, rate):
        return u[0, 0] + rate * c[0, 0] * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4 * u[0, 0])

    start = rounded(rng.standard_normal((9, 37)), kind)
    c = rng.random((9, 50)).astype(np.float32)[:, 3:40]
    in_time = ridge.sweeps(spread, boundary="x=periodic,y=mirror")
    a = array(start, kind)

    def after_one(state):
        wide = state.copy()
        ridge.sweeps(spread, boundary="x=periodic,y=mirror").run(wide, c, steps=1, rate=0.1, device=device)
        return rounded(wide, kind)

    right = start
    for _ in range(3):
        in_time.run(a, c, steps=1, rate=0.1, device=device)
        right = after_one(right)
        c[2:4] *= np.float32(1.001)  # it is looked at anew in each run
    np.testing.assert_array_equal(numbers(a), right)
    assert in_time.record.precision == kind
    assert in_time.record.bytes_read == 2 * (11 * 39 - 4) + 4 * 9 * 37  # u with points beyond its faces
    with pytest.raises(TypeError, match="c is float32, and u b?float16; .* Sweeps of a stencil take float32"):
        spread(array(start, kind), c, out=array(start, kind), rate=0.1)
    with pytest.raises(TypeError, match="c is float64, and u"):
        in_time.run(a, c.astype(float), steps=1, rate=0.1)


def test_coefficients_that_are_read_around_have_16_bits(rng):
    @ridge.stencil
    def spread(u, c):
        return u[0, 0] + c[1, 0] * (u[1, 0] - u[0, 0])

    u = rng.random((9, 9)).astype(np.float16)
    with pytest.raises(ridge.UsageError, match="spread reads neighbours of 'c'"):
        ridge.sweeps(spread, boundary="mirror").run(u, u.astype(np.float32), steps=1)


def test_what_is_refused(heat, rng):
    u = rng.standard_normal((5, 6, 7))
    with pytest.raises(TypeError, match="out is float32, and u float16; all must be of one type"):
        heat(u.astype(np.float16), out=u.astype(np.float32))
    with pytest.raises(TypeError, match="out is bfloat16, and u float16"):
        heat(u.astype(np.float16), out=Bfloat16(u))
    with pytest.raises(TypeError, match="u is float16; this kernel takes float32 and float64"):
        @ridge.chain(edge="periodic")
        def smooth(u):
            g = u[1] - u[-1]
            return u[0] + 0.1 * (g[1] - g[-1])
        smooth(np.zeros(64, np.float16))


@pytest.mark.filterwarnings("ignore:Failed to initialize NumPy")  # a torch older than it
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_torch(heat, kind):
    torch = pytest.importorskip("torch")
    u = torch.rand((5, 6, 7)).to(getattr(torch, kind))
    out = heat(u, rate=0.2)
    assert out.dtype == u.dtype
    wide = heat(u.float(), rate=0.2)
    assert torch.equal(out, wide.to(u.dtype))


def test_ml_dtypes(heat, rng):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    u = rng.standard_normal((5, 6, 7)).astype(ml_dtypes.bfloat16)
    out = heat(u, rate=0.2)
    assert out.dtype == u.dtype
    np.testing.assert_array_equal(out, heat(u.astype(np.float32), rate=0.2).astype(ml_dtypes.bfloat16))
    out.flags.writeable = False
    with pytest.raises(TypeError, match="out is read-only"):
        heat(u, out=out)
