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
        dt = float.fromhex(out.attrs["dt"])
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
