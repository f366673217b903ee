"""Systems of several fields in time, equal to NumPy's."""

import pickle

import numpy as np
import pytest

import ridge


def at(u, by, axis, wall):
    """u[by] along an axis. `wall`: "periodic", or the sign of the image in a mirror half a point
    before the first; 0: nothing beyond."""
    n = u.shape[axis]
    i = np.arange(n) + by
    if wall == "periodic":
        return np.take(u, i % n, axis)
    image = np.where(i < 0, -1 - i, np.where(i >= n, 2 * n - 1 - i, i))
    factor = np.where((i >= 0) & (i < n), 1, wall)
    return np.take(u, image, axis) * factor.reshape([-1 if d == axis else 1 for d in range(u.ndim)])


@pytest.mark.in_turn
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("boundary, wall", [("periodic", "periodic"), ("mirror", 1), ("untouched", 0)])
def test_updates_in_place(device, rng, boundary, wall, dtype):
    @ridge.chain
    def sound(p, vx, vy, k, rate):
        q = p[0, 0] - rate * k[0, 0] * (vx[0, 0] - vx[0, -1] + vy[0, 0] - vy[-1, 0])
        return q, vx[0, 0] - rate * (q[0, 1] - q[0, 0]), vy[0, 0] - rate * (q[1, 0] - q[0, 0])

    given = rng.standard_normal((4, 9, 37)).astype(dtype)
    p, vx, vy, k = given.astype(np.float64)
    for _ in range(7):
        p = p - 0.3 * k * (vx - at(vx, -1, 1, wall) + vy - at(vy, -1, 0, wall))
        vx, vy = vx - 0.3 * (at(p, 1, 1, wall) - p), vy - 0.3 * (at(p, 1, 0, wall) - p)
    fields = given.copy()
    in_time = ridge.sweeps(sound, boundary=boundary)
    changed = in_time.run(*fields[:3], fields[3], steps=4, rate=0.3, device=device)
    assert len(changed) == 3 and changed[0].base is fields
    in_time.run(*fields, steps=3, rate=0.3, device=device)
    assert in_time.steps_done == 3
    assert in_time.record.device == device and in_time.record["steps"] == 3
    for found, right in zip(fields, (p, vx, vy, given[3])):
        np.testing.assert_allclose(found, right, atol=60 * np.finfo(dtype).eps * np.abs(p).max())


@pytest.mark.parametrize("schedule", ["auto", "fission"])
@pytest.mark.parametrize("boundary, wall", [("periodic", "periodic"), ("mirror", 1)])
def test_next_values_that_cannot_be_in_place(device, rng, boundary, wall, schedule):
    @ridge.chain
    def both(u, v, k, rate):
        flux = k[0] * (u[1] - u[0])  # is computed at both of its distances
        a = u[0] + rate * (flux[0] - flux[-1])
        b = v[0] + rate * (a[1] - 2 * a[0] + a[-1])  # new values, in other items
        return a, b + 0.1 * u[0]  # and an old one

    assert "swaps" in both._system[0].text
    u, v, k = given = rng.standard_normal((3, 53))
    for _ in range(5):
        def flux(by, u=u):
            return at(k, by, 0, wall) * (at(u, by + 1, 0, wall) - at(u, by, 0, wall))
        old, u = u, u + 0.2 * (flux(0) - flux(-1))
        v = v + 0.2 * (at(u, 1, 0, wall) - 2 * u + at(u, -1, 0, wall)) + 0.1 * old
    fields = given.copy()
    in_time = ridge.sweeps(both, boundary=boundary)
    in_time.run(*fields, steps=5, rate=0.2, device=device, schedule=schedule)
    np.testing.assert_allclose(fields, [u, v, k], atol=1e-12)
    again = given.copy()
    in_time.run(*again, steps=1, rate=0.7, device=device, schedule=schedule)
    again[:] = given
    in_time.run(*again, steps=2, rate=0.2, device=device, schedule=schedule)
    in_time.run(*again, steps=3, rate=0.2, device=device, schedule=schedule)
    np.testing.assert_array_equal(again, fields)


def test_walls_of_one_array(rng):
    @ridge.chain
    def heat(u, v):
        return u[0] + 0.25 * (u[1] - 2 * u[0] + u[-1]), v[0] + 0.25 * (v[1] - 2 * v[0] + v[-1])

    u, v = np.zeros((2, 21))
    in_time = ridge.sweeps(heat, boundary={"x": "mirror", "u.x-": "dirichlet:1", "u.x+": "neumann:0.5",
                                           "v.x-": "dirichlet:2"}, spacing=0.1)
    in_time = pickle.loads(pickle.dumps(in_time))
    in_time.run(u, v, steps=16000)
    np.testing.assert_allclose(u, 1 + 0.5 * 0.1 * np.arange(21), atol=1e-6)
    np.testing.assert_allclose(v, 2, atol=1e-6)


def test_one_field_and_rows_with_gaps(device, rng):
    @ridge.chain
    def heat(u):
        return u[0, 0, 0] + 0.1 * (u[0, 0, 1] - 2 * u[0, 0, 0] + u[0, 0, -1] + u[1, 0, 0] - u[0, -1, 0])

    wide = np.full((4, 6, 12), 7.0)
    u = wide[:, :5, 1:9]
    u[...] = right = rng.standard_normal(u.shape)
    for _ in range(3):
        right = right + 0.1 * (np.roll(right, -1, 2) - 2 * right + np.roll(right, 1, 2)
                               + np.roll(right, -1, 0) - np.roll(right, 1, 1))
    assert ridge.sweeps(heat, boundary="periodic").run(u, steps=3, device=device) is u
    np.testing.assert_allclose(u, right, atol=1e-13)
    u[...] = 7
    assert (wide == 7).all()


def test_what_is_refused(rng):
    @ridge.chain
    def pair(u, v):
        return u[0] + v[0], v[0] + u[1]

    u, v = before = rng.standard_normal((2, 8))
    given = before.copy()
    with pytest.raises(ridge.UsageError, match="pair: boundary.*no condition 'cyclic'"):
        ridge.sweeps(pair, boundary="cyclic")
    with pytest.raises(ridge.UsageError, match="there is no array 'w'; the arrays are u, v"):
        ridge.sweeps(pair, boundary="w.x-=mirror")
    with pytest.raises(ridge.UsageError, match="boundary u.y=mirror: the arrays have no axis y, only x"):
        ridge.sweeps(pair, boundary={"x": "mirror", "u.y": "mirror"})
    with pytest.raises(ridge.UsageError, match="one positive number is right, or 1"):
        ridge.sweeps(pair, spacing=(1, 2))
    with pytest.raises(TypeError, match="levels=, points= and memory= are for stencils"):
        ridge.sweeps(pair, levels=2)
    in_time = ridge.sweeps(pair, boundary="mirror")
    with pytest.raises(ridge.UsageError, match="was not run yet"):
        print(in_time.record)
    with pytest.raises(ridge.UsageError, match="steps=0; at least 1"):
        in_time.run(u, v, steps=0)
    with pytest.raises(TypeError, match="pair takes 2 arrays"):
        in_time.run(u, steps=1)
    with pytest.raises(TypeError, match="has no rate"):
        in_time.run(u, v, steps=1, rate=1)
    with pytest.raises(ridge.UsageError, match="shape"):
        in_time.run(u, np.ones(9), steps=1)
    with pytest.raises(ridge.UsageError, match="overlap"):
        in_time.run(u, u, steps=1)
    with pytest.raises(TypeError, match="v is read-only"):
        v.flags.writeable = False
        in_time.run(u, v, steps=1)
    np.testing.assert_array_equal(before, given)
    with pytest.raises(ridge.UsageError, match="2 results and 1 arrays"):
        ridge.sweeps(ridge.chain(lambda u: (u[0], u[1])))

    def twice(u, v):
        a = u[0] + v[0]
        return a, a

    with pytest.raises(ridge.UsageError, match="returns one value twice"):
        ridge.sweeps(ridge.chain(twice))

    def steep(u):
        for _ in range(30):
            u = u[0, 0, 1] - u[0, 1, 0] + u[1, 0, 0]
        return u[0, 0, 0] + 1

    with pytest.raises(ridge.UsageError, match="more than 20000 values"):
        ridge.sweeps(ridge.chain(steep))


def test_numbers_by_step(rng):
    @ridge.chain
    def driven(u, v, rate, drive=0.0):
        a = v[0] - rate * (u[1] - u[0]) + drive
        return u[0] - 0.5 * (a[0] - a[-1]), a

    rates = rng.random(5)
    u, v = given = rng.standard_normal((2, 40))
    for step in range(8):
        v = v - rates[min(step, 4)] * (np.roll(u, -1) - u) + 0.25
        u = u - 0.5 * (v - np.roll(v, 1))
    in_time = ridge.sweeps(driven, boundary="periodic")
    for table in (rates, rates.tolist()):  # each run begins with the first value
        fields = given.copy()
        in_time.run(*fields, steps=8, rate=table, drive=0.25)
        np.testing.assert_allclose(fields, [u, v], atol=1e-14)
    for table, error, why in (([], ridge.UsageError, "rate is an empty list"),
                              ([0.1, np.nan], ridge.UsageError, r"rate\[1\]=nan: a finite number"),
                              (np.ones((2, 2)), TypeError, r"shape \(2, 2\).*one dimension"),
                              ("0.1", TypeError, "a real number is right")):
        with pytest.raises(error, match=why):
            in_time.run(*fields, steps=8, rate=table)
    with pytest.raises(TypeError, match="has no speed"):
        in_time.run(*fields, steps=8, rate=0.1, speed=[1.0])
    np.testing.assert_allclose(fields, [u, v], atol=1e-14)


def test_chains_that_are_no_systems_yet():
    with pytest.raises(ridge.UsageError, match="arrays of a system have none"):
        ridge.sweeps(ridge.chain(outer=1)(lambda u: u[0] + u[1]))
    with pytest.raises(TypeError, match="systems of chains have none: `ridge evolve acoustic"):
        ridge.grad(ridge.sweeps(ridge.chain(lambda u: u[0] + u[1]), boundary="periodic"))

    @ridge.chain
    def weight(density):
        return ridge.scan(lambda so_far: so_far + density[0, 0], 0.0)

    with pytest.raises(ridge.UsageError, match="weight scans columns"):
        ridge.sweeps(weight)
