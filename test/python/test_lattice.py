"""Fields of lattices: their algebra and reductions equal NumPy's."""

import numpy as np
import pytest
from conftest import Producer

import ridge
from ridge import lattice


def random(rng, shape, dtype=np.complex128):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("site", lattice.SITES)
@pytest.mark.parametrize("double", [True, False])
def test_values_come_back(rng, site, double):
    shape = (2, 4, 8) + lattice.SITES[site]
    a = random(rng, shape)
    a = (a.real if site == "real" else a).copy()
    a = a if double else a.astype(np.float32 if site == "real" else np.complex64)
    f = lattice.field(a, site)
    assert f.shape == (2, 4, 8) and f.dtype == a.dtype
    np.testing.assert_array_equal(f.numpy(), a)


def test_arrays_of_other_libraries(rng):
    a = random(rng, (2, 4, 8, 3))
    f = lattice.field(Producer(a), "colour_vector")
    assert f.dtype == a.dtype
    np.testing.assert_array_equal(f.numpy(), a)


class OnGpu:
    """An array that says it lies on a GPU, and copies itself to the host as one library's do."""

    def __init__(self, array, way):
        self._array = array
        setattr(self, way, lambda *args, **options: Producer(array) if way == "cpu" else array)

    def __dlpack_device__(self):
        return 2, 7

    def __dlpack__(self, **options):
        raise BufferError("it lies on a GPU")


class JaxLike(OnGpu):
    def __array__(self, *args, **options):
        return self._array


@pytest.mark.parametrize("made", [lambda a: OnGpu(a, "cpu"), lambda a: OnGpu(a, "get"),
                                  lambda a: JaxLike(a, "other")], ids=["torch", "cupy", "jax"])
def test_arrays_on_a_gpu(rng, made):
    a = random(rng, (2, 4, 8, 3))
    np.testing.assert_array_equal(
        lattice.field(made(a), "colour_vector", device="cpu").numpy(), a)
    with pytest.raises(ridge.UsageError, match="cuda:7"):  # where the array is, if nothing else is said
        lattice.field(made(a), "colour_vector")


def test_the_residual_of_a_matrix(device, rng):
    links, x, b = (random(rng, (4, 4, 8) + s) for s in ((3, 3), (3,), (3,)))
    fu = lattice.field(links, "colour_matrix", device=device)
    fx, fb = (lattice.field(v, "colour_vector", device=device) for v in (x, b))
    right = b - np.einsum("...ji,...j->...i", links.conj(), x)
    for reproducible in (False, True):
        got = lattice.norm2(fb - fu.adj() @ fx, reproducible=reproducible)
        assert got == pytest.approx((abs(right) ** 2).sum(), rel=1e-14)
    assert lattice.record().device == device
    np.testing.assert_allclose((fb - fu.adj() @ fx).evaluate().numpy(), right, atol=1e-13)


def test_reductions_of_fields(rng):
    a, b = random(rng, (4, 8, 3)), random(rng, (4, 8, 3))
    fa, fb = lattice.field(a, "colour_vector"), lattice.field(b, "colour_vector")
    assert lattice.inner_product(fa, fb) == pytest.approx((a.conj() * b).sum(), rel=1e-13)
    np.testing.assert_allclose(lattice.sum(fa), a.sum((0, 1)), atol=1e-13)
    assert lattice.norm2(fa) == pytest.approx((abs(a) ** 2).sum(), rel=1e-14)


def test_numbers_and_shifts(rng):
    a, b = random(rng, (4, 8, 3)), random(rng, (4, 8, 3))
    fa, fb = lattice.field(a, "colour_vector"), lattice.field(b, "colour_vector")
    for factor in (0.5, 2 - 1j):
        mixed = (factor * fa + fb.shift(0, 1) * 3.0 - fa.shift(1, -1)).evaluate().numpy()
        np.testing.assert_allclose(
            mixed, factor * a + 3 * np.roll(b, -1, 0) - np.roll(a, 1, 1), atol=1e-13)


def test_wrong_fields(rng):
    a = random(rng, (4, 8, 3))
    f = lattice.field(a, "colour_vector")
    for made, error, says in [
            (lambda: lattice.field(a.real.copy(), "colour_vector"), TypeError, "complex128"),
            (lambda: lattice.field(a, "colour_matrix"), TypeError, r"last extents are \(3, 3\)"),
            (lambda: lattice.field(a[:, ::2], "colour_vector"), TypeError, "C's order"),
            (lambda: lattice.field(a, "quark"), ridge.UsageError, "colour_vector, colour_matrix"),
            (lambda: lattice.field(a.tolist(), "spinor"), TypeError, "made of an array, not of list"),
            (lambda: lattice.field(Producer(a, refuses=BufferError("it lies on cuda:0")), "complex"),
             TypeError, "that the host can read, which this Producer does not give: it lies on cuda:0"),
            (lambda: lattice.field(a[:1, :1].copy(), "colour_vector"), ridge.UsageError, r"\(1, 1\)"),
            (lambda: f + 1.0, TypeError, "cannot be part of an expression"),
            (lambda: f.shift(2, 1), ridge.UsageError, "axes 0 to 1"),
            (lambda: (f + lattice.field(a[:2].copy(), "colour_vector")).evaluate(), ridge.UsageError,
             "lattice"),
            (lambda: lattice.norm2(f + lattice.field(a, "colour_vector", device="simt:32")),
             ridge.UsageError, "all must be on one device")]:
        with pytest.raises(error, match=says):
            made()
    with pytest.raises(ridge.UsageError, match="only equal site tensors"):
        lattice.norm2(f + lattice.field(random(rng, (4, 8, 3, 3)), "colour_matrix"))


def test_sums_quotients_and_copies(rng):
    a, b = random(rng, (2, 2, 4, 8)), random(rng, (2, 2, 4, 8))
    x, y = lattice.field(a, "complex"), lattice.field(b, "complex")
    np.testing.assert_array_equal(np.asarray(x), a)
    assert np.asarray(x, np.complex64).dtype == np.complex64
    with pytest.raises(ValueError, match="a layout of its own"):
        np.array(x, copy=False)
    right = (a + b) / (3 - 1j) + a / 2
    found = (sum([x, y]) / (3 - 1j) + x * np.float64(0.5)).evaluate()
    np.testing.assert_allclose(np.asarray(found), right, rtol=1e-14)
    with pytest.raises(TypeError, match="divided by a number, not by Field"):
        x / y
    with pytest.raises(TypeError, match="cannot be part of an expression"):
        b * x
