"""What Python lets functions be: parameters of every kind, lambdas, names that C has, components taken
apart; and arguments of calls that are none."""

import functools
import inspect

import numpy as np
import pytest

import ridge

SIMT = "simt:32"  # its kernels are compiled fastest


def test_parameters_by_keyword_alone():
    @ridge.stencil
    def scaled(u, /, v, *, c, d=3.0):
        return c * u[0] + d * v[0]

    u, v = np.arange(4.0), np.ones(4)
    np.testing.assert_array_equal(scaled(u, v, c=2, device=SIMT), 2 * u + 3)
    np.testing.assert_array_equal(scaled(u, v, d=np.float32(0.5), c=2, device=SIMT), 2 * u + 0.5)
    assert str(inspect.signature(scaled)) == \
        "(u, v, /, *, c, d=3.0, out=None, schedule='auto', device=None)"


def test_lambdas_partials_and_objects():
    u = np.arange(4.0)
    twice = ridge.stencil(lambda u, c=2: c * u[0])
    np.testing.assert_array_equal(twice(u, device=SIMT), 2 * u)
    assert twice.record.kernel.startswith("lambda_")

    def scale(u, c, of):
        """Its documentation."""
        return of(c * u[0])

    bound = ridge.stencil(functools.partial(scale, c=3, of=abs))
    assert (bound.__name__, bound.__doc__, bound.numbers) == ("scale", "Its documentation.", ("c",))
    np.testing.assert_array_equal(bound(-u, device=SIMT), 3 * u)
    np.testing.assert_array_equal(bound(u, c=5, device=SIMT), 5 * u)

    class Shift:
        def __init__(self, by):
            self.by = by

        def __call__(self, u):
            return u[self.by]

    np.testing.assert_array_equal(ridge.stencil(Shift(1))(u, device=SIMT)[1:-1], u[2:])


def test_names_that_cpp_has_for_something_else():
    def errno(u, NULL, M_PI, register, template, EOF, INFINITY, stdin, sum, V, double, flops, N0, t0,
              errno):  # noqa: N803
        return (u[0] + NULL + 2 * M_PI + register * template * EOF + INFINITY - stdin + sum * V
                + double * flops + N0 * t0 - errno)

    kernel = ridge.stencil(errno)
    numbers = {n: float(k) for k, n in enumerate(kernel.numbers, 2)}
    u = np.arange(5.0)
    got = kernel(u, **numbers, device=SIMT)

    class At:
        def __getitem__(self, _):
            return u

    np.testing.assert_array_equal(got, errno(At(), **numbers))

    def stdout(errno, NULL):
        g = errno[1] - errno[-1]
        return NULL * (g[1] + g[-1])

    np.testing.assert_array_equal(ridge.chain(stdout)(u * u, NULL=0.5, device=SIMT)[2:-2],
                                  0.5 * ((u + 2)**2 - (u - 2)**2)[2:-2])


def test_components_taken_apart(device):
    @ridge.pairs(targets=2, sources=3, sums=3)
    def interaction(sum, source, *, target):
        x, y = sum
        *_, m = source
        return [m * (source[0] - x) + target * y, max(len(sum), 1) * 1.0,
                __builtins__["sum"]((b - a) * (b - a) for a, b in zip(sum, source))]

    rng = np.random.default_rng(3)
    t, s = rng.standard_normal((2, 5)), rng.standard_normal((3, 9))
    got = interaction(t, s, target=0.5, device=device)
    right = [(s[2] * (s[0] - t[0, :, None]) + 0.5 * t[1, :, None]).sum(1), np.full(5, 18.0),
             ((s[:2, None] - t[:, :, None])**2).sum((0, 2))]
    np.testing.assert_allclose(got, right, rtol=1e-12)


@pytest.fixture(scope="module")
def scale():
    @ridge.stencil
    def scale(u, c):
        return c * u[0]

    return scale


def test_arguments_that_are_none(scale):
    u = np.arange(4.0)
    ridge_says = {
        "schedule=None: a schedule's text": {"schedule": None},
        "device=0: the name of a device": {"device": 0},
        r"c='a' \(str\): a number is right": {"c": "a"},
        r"c=None \(NoneType\): a number is right": {"c": None},
        "c=array.*: a number is right": {"c": np.ones(3)},
    }
    for says, given in ridge_says.items():
        for call in (scale, scale.measure, functools.partial(ridge.doctor, scale)):
            with pytest.raises(TypeError, match=f"^scale: {says}[^\n]*$"):
                call(u, **{"c": 1.0, "device": SIMT, **given})
    scale(u, c=1, out=u.copy(), device=SIMT)
    with pytest.raises(TypeError, match="scale: schedule=None"):  # in a loop, too
        scale(u, c=1, out=u.copy(), schedule=None, device=SIMT)


def test_what_is_no_array(scale):
    class DynamicJaxprTracer:
        shape = (4,)

    DynamicJaxprTracer.__module__ = "jax._src.interpreters.partial_eval"
    for given, says in [([1.0, 2.0], "u is no array but list; numpy.asarray"), (3.0, "no array but float"),
                        (None, "no array but NoneType"), (DynamicJaxprTracer(), "outside of jax.jit")]:
        for out in (None, np.zeros(2)):
            with pytest.raises(TypeError, match=f"^scale: [^\n]*{says}"):
                scale(given, c=1.0, out=out, device=SIMT)


def test_a_mask_is_not_lost(scale):
    u = np.arange(4.0)
    masked = np.ma.masked_array(u, u > 2)
    scale(u, c=1.0, out=u.copy(), device=SIMT)
    for arrays, out in [((masked,), None), ((u,), masked), ((masked,), np.zeros(4))]:
        with pytest.raises(TypeError, match=r"is a masked array.*filled\(value\)"):
            scale(*arrays, c=1.0, out=out, device=SIMT)
    with pytest.raises(TypeError, match="masked array"):
        ridge.sweeps(scale).run(masked, steps=1, c=1.0, device=SIMT)
    with pytest.raises(TypeError, match="has no mask"):
        ridge.lattice.field(np.ma.masked_array(np.ones((4, 4)), False), "real")


def test_bodies_in_the_other_order():
    @ridge.pairs(targets=1, sources=2, sums=1)
    def pull(t, s):
        return [s[1] * (s[0] - t[0])]

    bodies = np.arange(12.0).reshape(6, 2)
    with pytest.raises(TypeError, match=r"numpy.ascontiguousarray\(x.T\) makes a copy in order"):
        pull(bodies.T, device=SIMT)
    assert pull(np.ascontiguousarray(bodies.T), device=SIMT).shape == (1, 6)


def test_one_condition_for_what_reads_along_one_axis():
    u = np.arange(12.0).reshape(3, 4)
    along_x = ridge.stencil(lambda u: u[0, 1] + u[0, -1])
    got = ridge.sweeps(along_x, boundary="periodic").run(u.copy(), steps=1, device=SIMT)
    np.testing.assert_array_equal(got, np.roll(u, 1, 1) + np.roll(u, -1, 1))
    with pytest.raises(ridge.UsageError, match="no neighbours along y"):  # what was named
        ridge.sweeps(along_x, boundary="x=periodic,y=periodic").run(u.copy(), steps=1, device=SIMT)


def test_one_sided_stencils_write_a_radius_from_both_ends():
    u = np.arange(7.0)**2
    out = np.full(7, -1.0)
    ridge.stencil(lambda u: u[2] - u[0])(u, out=out, device=SIMT)
    np.testing.assert_array_equal(out, [-1, -1, *(u[4:] - u[2:-2]), -1, -1])


def test_what_the_package_and_records_show(scale):
    assert ridge.__version__.count(".") == 2
    scale(np.zeros(3), c=1.0, device=SIMT)
    assert {"kernel", "seconds", "bytes_read", "device_name"} <= set(dir(scale.record))


def test_a_kernel_of_many_accesses(device):
    """Its text is cut into blocks, for the time that compiling takes; that of others is not."""
    rng = np.random.default_rng(5)
    weights = rng.standard_normal((3, 7, 7))

    @ridge.stencil
    def many(u):
        return sum(w * u[z - 1, y - 3, x - 3] for (z, y, x), w in np.ndenumerate(weights))

    @ridge.stencil
    def few(u):
        return sum(w * u[z - 1, y - 3, 0] for (z, y), w in np.ndenumerate(weights[:, :, 0]))

    assert many.source.count("begin_block") >= 3 and few.source.count("begin_block") == 0
    u = rng.standard_normal((5, 9, 21))
    windows = np.lib.stride_tricks.sliding_window_view(u, weights.shape)
    np.testing.assert_allclose(many(u, device=device)[1:-1, 3:-3, 3:-3],
                               np.einsum("zyxabc,abc->zyx", windows, weights), rtol=1e-11, atol=1e-11)


def test_a_kernel_of_many_operations(device, monkeypatch):
    """Its text is cut into functions, which hand over what later ones take."""
    monkeypatch.setattr("ridge._emit.MANY_OPERATIONS", 40)
    monkeypatch.setattr("ridge._emit.PART", 9)

    def evolve(s, q, first):
        for i in range(12):
            s, q = s * q + 0.5 * s * (1 + i), 0.9 * q + 0.01 * s
        return s + q - first

    many = ridge.stencil(lambda u, rate: evolve(u[0], rate * u[1], u[-1]))
    few = ridge.stencil(lambda u, rate: rate * u[1])
    assert many.source.count("RIDGE_PART") > 4 and few.source.count("RIDGE_PART") == 0
    u = np.random.default_rng(6).random(300)
    np.testing.assert_allclose(many(u, rate=0.25, device=device)[1:-1], evolve(u[1:-1], 0.25 * u[2:], u[:-2]),
                               rtol=1e-12)
