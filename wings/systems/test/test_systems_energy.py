"""`ridge evolve` of systems: what walls keep, what layers send back, and sources and receivers that change places."""

import h5py
import numpy as np
import pytest

from system_runs import evolve, places, read, write

pytestmark = pytest.mark.usefixtures("folder")
AXIS = {"x": 2, "y": 1, "z": 0}  # of numpy


def difference(u, axis, half):
    """The derivative of order 4 between mirrors: of arrays half a point behind, which are odd, half a point before
    their points; of others, which are even, half a point behind."""
    u = np.moveaxis(u, AXIS[axis], 0)
    if half:
        wall = np.zeros_like(u[:1])
        wide = np.concatenate([-u[:1], wall, u[:-1], wall, -u[-2:-1]])
    else:
        wide = np.concatenate([u[1::-1], u, u[:-3:-1]])
    n = len(u)
    s = 1 if half else 2
    total = 9 / 8 * (wide[s + 1:s + 1 + n] - wide[s:s + n]) - 1 / 24 * (wide[s + 2:s + 2 + n] - wide[s - 1:s - 1 + n])
    return np.moveaxis(total, 0, AXIS[axis])


def mean(u, *axes):
    """Of a medium half a point behind along axes."""
    for axis in axes:
        u = np.moveaxis(u, AXIS[axis], 0)
        u = np.moveaxis((u + np.concatenate([u[1:], u[-1:]])) / 2, 0, AXIS[axis])
    return u


def inside(u, *axes):
    """Without points on the walls."""
    for axis in axes:
        u = np.delete(u, -1, AXIS[axis])
    return u


def test_elastic_energy_is_constant_between_mirrors(ridge):
    random = np.random.default_rng(8)
    shape = (11, 9, 10)
    rho, lam, mu = 1 + random.random((3, *shape))
    names = ["vx", "vy", "vz", "sxx", "syy", "szz", "sxy", "sxz", "syz"]
    start = {name: random.standard_normal(shape) for name in names}
    write(**start, rho=rho, mu=mu, **{"lambda": lam})
    evolve(ridge, "elastic", "--steps", "60", "--every", "20")
    with h5py.File("out.h5") as out:
        dt = float(out.attrs["dt"])
    sums = []
    for step in (20, 40, 60):
        vx, vy, vz, sxx, syy, szz, sxy, sxz, syz = read(*names, step=step)
        # Leapfrog conserves s(n) C^-1 s(n) + rho v(n - 1/2) v(n + 1/2).
        trace = sxx + syy + szz
        total = np.sum((sxx**2 + syy**2 + szz**2 - lam / (3 * lam + 2 * mu) * trace**2) / (2 * mu))
        for shear, axes in ((sxy, "xy"), (sxz, "xz"), (syz, "yz")):
            total += np.sum(inside(shear**2 / mean(mu, *axes), *axes))
        for v, axis, along, across in ((vx, "x", sxx, ((sxy, "y"), (sxz, "z"))),
                                       (vy, "y", syy, ((sxy, "x"), (syz, "z"))),
                                       (vz, "z", szz, ((sxz, "x"), (syz, "y")))):
            force = difference(along, axis, False) + sum(difference(s, other, True) for s, other in across)
            weight = mean(rho, axis)
            total += np.sum(inside(weight * v * (v + dt / weight * force), axis))
        sums.append(total)
    assert sums[0] > 100
    np.testing.assert_allclose(sums, sums[0], rtol=2e-13)


def rusanov(h, along, across, bottom, c, g):
    """Changes of depth and both discharges by flow along the last axis, between mirrors; c is dt over the spacing."""
    def pad(u, sign=1):
        return np.concatenate([sign * u[:, :1], u, sign * u[:, -1:]], axis=1)
    h, along, across, bottom = pad(h), pad(along, -1), pad(across), pad(bottom)
    wet = h > 1e-6
    u, v = (np.divide(q, h, out=np.zeros_like(h), where=wet) for q in (along, across))
    left, right = np.s_[:, :-1], np.s_[:, 1:]
    step = np.maximum(bottom[left], bottom[right])
    inner = [np.maximum(h[side] + bottom[side] - step, 0) for side in (left, right)]
    fastest = np.maximum(*(np.abs(u[side]) + np.sqrt(g * d) for side, d in zip((left, right), inner)))

    def flux(state, carried):
        """The mean of both sides' fluxes, less the jump as fast as the fastest wave."""
        return (sum(carried) - fastest * (state[1] - state[0])) / 2
    q, r = ([d * w[side] for side, d in zip((left, right), inner)] for w in (u, v))
    mass = flux(inner, q)
    momentum = flux(q, [d * w[side] ** 2 + g * d**2 / 2 for side, d, w in zip((left, right), inner, (u, u))])
    other = flux(r, [d * u[side] * v[side] for side, d in zip((left, right), inner)])
    low, high = (g / 2 * (h[side] ** 2 - d**2) for side, d in zip((left, right), inner))  # of a step in the bottom
    return [-c * (mass[right] - mass[left]), -c * (momentum[right] + low[right] - momentum[left] - high[left]),
            -c * (other[right] - other[left])]


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_shallow_water_is_rusanovs_scheme(ridge, device):
    random = np.random.default_rng(12)
    shape, dt, dx, dy, g = (9, 11), 0.02, 0.7, 0.9, 7.5
    bottom = 0.5 * random.random(shape)
    h = np.maximum(random.random(shape) - 0.3, 0)  # some of it dry
    hu, hv = 0.5 * h * random.standard_normal((2, *shape))
    write(h=h, hu=hu, hv=hv, bottom=bottom)
    evolve(ridge, "shallow-water", "--steps", "5", "--dt", str(dt), "--spacing", f"{dx}x{dy}", "--set", f"gravity={g}",
           device=device)
    for _ in range(5):
        hu, hv = np.where(h > 1e-6, hu, 0), np.where(h > 1e-6, hv, 0)  # films have no momentum
        x = rusanov(h, hu, hv, bottom, dt / dx, g)
        y = [change.T for change in rusanov(h.T, hv.T, hu.T, bottom.T, dt / dy, g)]
        h, hu, hv = h + x[0] + y[0], hu + x[1] + y[2], hv + x[2] + y[1]
    assert h.min() >= -1e-15 and np.abs(hu).max() > 0.05
    for found, right in zip(read("h", "hu", "hv"), (h, hu, hv)):
        np.testing.assert_allclose(found, right, atol=1e-13)


#: System, array of source and receivers, what comes back of the direct wave at most: far from corners, and anywhere.
PULSES = [("acoustic", "p", 0.004, 0.015), ("elastic", "vx", 0.015, 0.04), ("maxwell", "ez", 0.004, 0.015)]


@pytest.mark.parametrize("system, array, most_inside, most", PULSES)
def test_layers_send_little_back(ridge, system, array, most_inside, most):
    """A pulse, about 12 points a wavelength, among 90 x 90 points with layers of 20, less the pulse in a domain from
    whose ends nothing comes back in time."""
    medium = {"acoustic": "c", "elastic": "rho", "maxwell": "eps"}[system]
    receivers = [(45, 45), (22, 45), (45, 67), (22, 22), (65, 35)]  # the fourth near a corner
    traces = {}
    for name, n, layers in (("layers", 90, ("--absorb", "x,y")), ("mirrors", 90, ()), ("free", 240, ())):
        away = (n - 90) // 2
        write(**{medium: np.ones((n, n), "f4")})
        places("s.csv", (away + 40, away + 47, array), columns="x,y,array")
        places("r.csv", *[(away + x, away + y, array) for x, y in receivers], columns="x,y,array")
        evolve(ridge, system, "--steps", "400", "--every", "400", "--dt", "0.3", "--source", "s.csv", "--wavelet",
               "ricker:0.083", "--receivers", "r.csv", *layers)
        with h5py.File("out.traces.h5") as h5:
            traces[name] = h5["traces"][...].astype("f8")

    def back(name):
        return np.abs(traces[name] - traces["free"]).max(axis=1) / np.abs(traces["free"]).max(axis=1)

    assert back("layers")[:3].max() < most_inside and back("layers").max() < most, back("layers")
    assert back("mirrors").min() > 0.25


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
def test_layers_have_the_friction_of_their_depth(ridge, device):
    """A uniform pressure moves nothing, and no pressure no velocity: a step takes what layers take."""
    shape, width, h, dt, c = (9, 13, 17), 4, 0.5, 0.05, 1.3
    v = np.random.default_rng(2).standard_normal((3, *shape))
    words = ("--steps", "1", "--dt", str(dt), "--spacing", str(h), "--absorb", "x,y-", "--absorb-width", str(width))

    def left(half, n, low, high):
        """Friction grows with the depth squared; of a wave that goes in and comes back a thousandth is left."""
        at = np.arange(n) + half
        depth = [np.maximum(width - at, 0) * low, np.maximum(width - (n - 1 - at), 0) * high]
        friction = sum((d / width) ** 2 for d in depth) * 3 * c * np.log(1000) / (2 * width * h)
        return np.exp(-friction * dt)

    def right(hx, hy):
        return left(hx, shape[2], True, True) * left(hy, shape[1], True, False)[:, None]
    write(p=np.ones(shape), c=np.full(shape, c))
    evolve(ridge, "acoustic", *words, device=device)
    np.testing.assert_allclose(read("p"), np.broadcast_to(right(0, 0), shape), rtol=1e-14)
    write(c=np.full(shape, c), **dict(zip(("vx", "vy", "vz"), v)))
    evolve(ridge, "acoustic", *words, device=device)
    for name, before, half in zip("xyz", v, ((0.5, 0), (0, 0.5), (0, 0))):
        found = read(f"v{name}")
        np.testing.assert_allclose(inside(found, name), inside(before * right(*half), name), rtol=1e-14)


@pytest.mark.parametrize("system, one, other", [("elastic", "vx", "vz"), ("maxwell", "ex", "ey")])
def test_source_and_receiver_of_two_arrays_may_change_places(ridge, system, one, other):
    random = np.random.default_rng(4)
    shape = (9, 11, 13)
    media = {"elastic": {"lambda": 1 + random.random(shape), "mu": 1 + random.random(shape),
                         "rho": np.full(shape, 1.5)},
             "maxwell": {"eps": np.full(shape, 2.0)}}
    write(**media[system])
    a, b = (3.3, 2.5, 4.0, one), (8.75, 6.2, 5.5, other)
    traces = []
    for source, receiver in ((a, b), (b, a)):
        places("s.csv", source, columns="x,y,z,array")
        places("r.csv", receiver, columns="x,y,z,array")
        evolve(ridge, system, "--steps", "40", "--every", "40", "--source", "s.csv", "--wavelet", "ricker:0.2",
               "--receivers", "r.csv")
        with h5py.File("out.traces.h5") as h5:
            traces.append(h5["traces"][0])
        assert np.abs(traces[-1]).max() > 1e-4
    np.testing.assert_allclose(traces[0], traces[1], atol=1e-14)
