"""Gradients over many sweeps, equal to differences of runs, for all boundaries and plans of memory."""

import functools

import numpy as np
import pytest

import ridge
from ridge import _arrays, _checkpoints, _grad_sweeps

SIMT = "simt:32"


@pytest.fixture(scope="module")
def burgers():
    @ridge.stencil
    def burgers(u, nu, c=0.1):
        return (u[0, 0] - c * u[0, 0] * (u[0, 1] - u[0, -1]) - c * (u[1, 0]**2 - u[-1, 0]**2)
                + nu[0, 0] * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0] - 4 * u[0, 0])
                + 0.02 * u[1, 1] * nu[-1, -1])

    return burgers


@pytest.fixture(scope="module")
def wave():
    @ridge.stencil
    def wave(u, before, c2):
        second = -2.5 * u[0] + 4 / 3 * (u[1] + u[-1]) - (u[2] + u[-2]) / 12
        return 2 * u[0] - before[0] + c2[0] * second

    return wave


def difference(loss, x, v):
    """The slope of the loss along v, by differences of fourth order."""
    one, two = (loss([a + h * d for a, d in zip(x, v)]) - loss([a - h * d for a, d in zip(x, v)])
                for h in (1e-4, 2e-4))
    return (8 * one - two) / 12e-4


BOUNDARIES = ["untouched", "periodic", "mirror", "dirichlet:0.7", "neumann:0.3",
              "x=periodic,y-=dirichlet:0.4", "x-=neumann:-0.5,x+=mirror,y+=dirichlet:1.2,y-=neumann:0.2"]


@pytest.mark.in_turn
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_burgers_over_time(rng, burgers, boundary):
    in_time = ridge.sweeps(burgers, boundary=boundary, spacing=(0.5, 2.0))
    u, nu = rng.uniform(0.4, 0.9, (6, 9)), rng.uniform(0.05, 0.15, (6, 9))
    w = rng.standard_normal(u.shape)
    gradient = ridge.grad(in_time, by=("u", "nu", "c"))
    found = gradient(u, nu, w, steps=7)
    v = [*rng.standard_normal((2, *u.shape)), rng.standard_normal()]

    def loss(x):
        return (w * in_time(*x[:2], steps=7, c=x[2])).sum()

    right = difference(loss, [u, nu, 0.1], v)
    size = np.abs(found.u * v[0]).sum()
    assert abs((found.u * v[0]).sum() + (found.nu * v[1]).sum() + found.c * v[2] - right) < 1e-8 * size
    one = gradient(u, nu, w, steps=1)
    faces, step = gradient._faces, gradient._step
    wide = [faces.wide(a, is_field) for a, is_field in ((u, True), (nu, False))]
    by_hand = burgers(*wide, out=wide[0].copy())
    faces.fill(by_hand, True)
    # What lies beyond faces is the same.
    np.testing.assert_allclose(in_time(u, nu, steps=1), faces.inner(by_hand), atol=1e-14)
    assert step.by == ("u", "nu", "c") and np.isfinite(one.u).all()


def test_rows_that_begin_at_lines_and_terms_without_bounds_change_no_number(rng, wave, monkeypatch):
    in_time = ridge.sweeps(wave, boundary="mirror", levels=2)
    u, before, c2, w, w2 = rng.uniform(0.05, 0.1, (5, 41))
    gradient = ridge.grad(in_time)
    assert "::inside<" not in gradient._step_back.chain.source and "interior{" in gradient._step_back.chain.source
    assert gradient._step_back.handed == -1 and gradient._step_back.chain.outputs == ("gradient_u", "gradient_c2")
    right = gradient(u, before, c2, (w, w2), steps=7)
    monkeypatch.setattr(_arrays, "is_on_gpu", lambda array: True)
    found = gradient(u, before, c2, (w, w2), steps=7)
    wide = gradient._faces.wide(u, True)
    assert wide.base.shape == (64,) and gradient._faces.inner(wide).base is wide.base
    assert gradient.plan["bytes"] > 0 and gradient._faces.wide_bytes(u) == 64 * 8
    for a, b in zip(found, right):
        np.testing.assert_array_equal(a, b)
    untouched = ridge.grad(ridge.sweeps(wave, boundary="x-=mirror", levels=2))
    assert "::inside<" in untouched._step_back.chain.source


@pytest.mark.parametrize("boundary", ["mirror", "periodic", "dirichlet:0.3", "x-=mirror,x+=dirichlet:1"])
def test_steps_back_that_are_steps_forward_give_what_sums_over_faces_do(rng, wave, boundary):
    in_time = ridge.sweeps(wave, boundary=boundary, levels=2)
    x, w = [*rng.standard_normal((2, 23)), rng.uniform(0.1, 0.3, 23)], tuple(rng.standard_normal((2, 23)))
    gradient = ridge.grad(in_time)
    assert gradient._alike is not None and gradient._alike.sign == -1
    found = gradient(*x, w, steps=9)
    x[2][7] = 0  # no weight is divided by that
    with_zero = gradient(*x, w, steps=9)
    other = ridge.grad(in_time)
    other._alike = None
    for a, b in zip(with_zero, other(*x, w, steps=9)):
        np.testing.assert_array_equal(a, b)
    x[2][7] = 0.2
    for a, b in zip(gradient(*x, w, steps=9), other(*x, w, steps=9)):
        np.testing.assert_allclose(a, b, atol=1e-13 * np.abs(b).max())
    assert np.isfinite(found.c2).all()
    for unlike in ("x-=mirror,x+=neumann:0", "x-=untouched,x+=mirror"):
        assert ridge.grad(ridge.sweeps(wave, boundary=unlike, levels=2))._alike is None


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_one_launch_sets_what_layers_do(rng, burgers, boundary, kind):
    faces = ridge.grad(ridge.sweeps(burgers, boundary=boundary, spacing=(0.5, 2.0)))._faces
    for is_field in (True, False):
        one = faces.around(rng.standard_normal((7, 10)).astype(kind))
        one[...] = rng.standard_normal(one.shape)
        other = one.copy()
        assert faces._takes_one_launch(one.shape)
        faces._in_one_launch(is_field).fill(one)  # as on GPUs
        faces.fill(other, is_field)
        np.testing.assert_array_equal(one, other)


def test_a_factor_of_two_and_a_number_beside_it(rng):
    @ridge.stencil
    def warm(u, k, m, dt=0.1):  # not alike along y, which goes round
        x = u[0, 1] + u[0, -1] - 2 * u[0, 0]
        return u[0, 0] + dt * (k[0, 0] / m[0, 0]) * (x + 0.5 * u[1, 0] - 0.2 * u[-1, 0])

    in_time = ridge.sweeps(warm, boundary="x=mirror,y=periodic")
    u, k, m = rng.standard_normal((8, 9)), *rng.uniform(0.5, 1, (2, 8, 9))
    w, v = rng.standard_normal((2, 8, 9))
    gradient = ridge.grad(in_time, by=("u", "dt"))
    assert gradient._alike.factor.reads == ("k", "m")
    found = gradient(u, k, m, w, steps=6)
    right = difference(lambda x: (w * in_time(x[0], k, m, steps=6, dt=x[1])).sum(), [u, 0.1], [v, 0.7])
    assert (found.u * v).sum() + found.dt * 0.7 == pytest.approx(right, rel=1e-7)
    assert ridge.grad(ridge.sweeps(warm, boundary="mirror"))._alike is None


@pytest.mark.parametrize("boundary", ["untouched", "periodic", "dirichlet:0", "x-=mirror,x+=neumann:0"])
def test_waves_over_time_and_their_checkpoints(rng, wave, boundary):
    in_time = ridge.sweeps(wave, boundary=boundary, levels=2)
    u, before, c2 = *rng.standard_normal((2, 23)), rng.uniform(0.1, 0.3, 23)
    w = rng.standard_normal((2, 23))
    right = None
    for memory in (10**6, 2500, None):
        gradient = ridge.grad(in_time, memory=memory)
        found = gradient(u, before, c2, tuple(w), steps=13, device="cpu")
        plan = gradient.plan
        assert (plan["checkpoints"], plan["states"]) == {10**6: (1, 13), 2500: (2, 7), None: (4, 4)}[memory]
        assert memory is None or plan["bytes"] <= memory
        for a, b in zip(found, right or found):
            np.testing.assert_allclose(a, b, atol=1e-12)
        right = found
    v = rng.standard_normal((3, 23))

    def loss(x):
        return sum((a * b).sum() for a, b in zip(w, in_time(*x, steps=13)))

    assert sum((g * d).sum() for g, d in zip(found, v)) == pytest.approx(difference(loss, [u, before, c2], v), rel=1e-7)
    least = 736 if boundary == "untouched" else 800  # a checkpoint, and two arrays with what lies beyond faces
    with pytest.raises(ridge.UsageError, match=f"13 steps need {least} bytes for their states; memory= is {least - 1}"):
        ridge.grad(in_time, memory=least - 1)(u, before, c2, tuple(w), steps=13)
    assert ridge.grad(in_time, memory=least)(u, before, c2, tuple(w), steps=13)[0].shape == u.shape


@pytest.mark.parametrize("slots", [1, 2, 3, 12])
def test_few_checkpoints_take_as_few_steps_again_as_can_be(rng, wave, monkeypatch, slots):
    in_time = ridge.sweeps(wave, boundary="periodic", levels=2)
    x, w = [*rng.standard_normal((2, 23)), rng.uniform(0.1, 0.3, 23)], tuple(rng.standard_normal((2, 23)))
    right = ridge.grad(in_time, memory=10**6)(*x, w, steps=13)
    gradient = ridge.grad(in_time)
    plan = _checkpoints.Plan(13, 1, slots, 0)
    monkeypatch.setattr(gradient, "_planned", lambda *_: plan)
    taken, run = [], in_time.run
    monkeypatch.setattr(in_time, "run", lambda *a, steps, **k: (taken.append(steps), run(*a, steps=steps, **k))[1])
    monkeypatch.setattr(gradient, "_steps", counted(gradient._steps, taken))
    for a, b in zip(gradient(*x, w, steps=13), right):
        np.testing.assert_array_equal(a, b)
    assert sum(taken) == fewest(13, slots) and plan.again == sum(taken) - 12
    if slots > 1:
        return
    for memory, steps in ((1100, 9), (1500, 30), (2500, 60)):
        gradient = ridge.grad(in_time, memory=memory)
        right = ridge.grad(in_time, memory=10**6)(*x, w, steps=steps)
        taken.clear()
        monkeypatch.setattr(gradient, "_steps", counted(gradient._steps, taken))
        for a, b in zip(gradient(*x, w, steps=steps), right):
            np.testing.assert_array_equal(a, b)
        assert gradient.plan["bytes"] <= memory and gradient.plan["again"] == sum(taken) - steps + 1 > 0


def counted(steps, taken):
    return lambda *a: (taken.append(a[2]), steps(*a))[1]


@functools.lru_cache(None)
def fewest(steps, slots):
    """Steps forward that take so many back, by all places of the next checkpoint."""
    if steps <= 1 or slots == 1:
        return steps * (steps - 1) // 2
    return min(k + fewest(steps - k, slots - 1) + fewest(k, slots) for k in range(1, steps))


def test_plans_of_checkpoints_take_the_fewest_steps():
    for steps in range(1, 24):
        for slots in range(1, 9):
            assert _checkpoints.advances(steps, slots) == fewest(steps, slots)
    plans = [_checkpoints.planned(1000, memory, 10, 11, 1)[0] for memory in (200, 1000, 11000)]
    assert [(p.apart, p.slots) for p in plans] == [(7, 12), (77, 12), (1000, 0)]


def test_levels_without_a_gradient_and_coefficients_that_no_step_uses(rng):
    @ridge.stencil
    def held(u, before, k, m):
        return before[0, 0] * k[0, 1] + ridge.sign(u[0, 0]) * m[0, 0]

    in_time = ridge.sweeps(held, boundary="x=mirror,y=untouched", levels=2)
    x = rng.uniform(1, 2, (4, 5, 6))
    w, v = rng.standard_normal((2, 5, 6)), rng.standard_normal((4, 5, 6))
    found = ridge.grad(in_time, by=("u", "before", "k", "m"), memory="2kB")(*x, tuple(w), steps=5)
    right = difference(lambda a: sum((b * c).sum() for b, c in zip(w, in_time(*a, steps=5))), list(x), v)
    assert sum((g * d).sum() for g, d in zip(found, v)) == pytest.approx(right, rel=1e-7)

    @ridge.stencil
    def signs(u, m):
        return ridge.sign(u[0]) * m[1]

    u, m, w = rng.uniform(1, 2, (3, 7))
    found = ridge.grad(ridge.sweeps(signs), by=("u", "m"))(u, m, w, steps=3)  # faces are untouched
    np.testing.assert_array_equal(found.u, [w[0], *np.zeros(5), w[-1]])
    np.testing.assert_array_equal(found.m, [0, 0, *w[1:-1]])
    with pytest.raises(TypeError, match="'out' is no argument"):
        ridge.grad(in_time, by="out")


def test_states_in_16_bits_have_gradients_in_float32(rng, wave):
    in_time = ridge.sweeps(wave, boundary="mirror", levels=2)
    x = [a.astype(np.float16) for a in (*rng.standard_normal((2, 23)), rng.uniform(0.1, 0.3, 23))]
    w = rng.standard_normal((2, 23)).astype(np.float32)
    found = ridge.grad(in_time)(*x, tuple(w), steps=6)
    right = ridge.grad(in_time)(*(a.astype(np.float64) for a in x), tuple(w.astype(np.float64)), steps=6)
    for a, b in zip(found, right):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, atol=2e-2 * np.abs(b).max())
    single, half = [a.astype(np.float32) for a in x], w.astype(np.float16)
    for a, b in zip(ridge.grad(in_time)(*single, tuple(half), steps=6),
                    ridge.grad(in_time)(*single, tuple(half.astype(np.float32)), steps=6)):
        np.testing.assert_array_equal(a, b)


def test_a_wrong_schedule_is_noticed_where_all_states_are_kept(rng, burgers):
    in_time = ridge.sweeps(burgers, boundary="periodic")
    gradient = ridge.grad(in_time, memory="1MB")
    u, nu, w = rng.uniform(0.05, 0.15, (3, 6, 9))
    right = gradient(u, nu, w, steps=3, device="cpu")
    assert gradient.plan["checkpoints"] == 1
    in_time(u, nu, steps=1, device="cpu")
    for a, b in zip(gradient(u, nu, w, steps=3, schedule=in_time.record.schedule, device="cpu"), right):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ridge.UsageError, match="unknown schedule field 'tiles'"):
        gradient(u, nu, w, steps=3, schedule="tiles=3", device="cpu")


@pytest.mark.in_turn
@pytest.mark.parametrize("boundary", ["untouched", "periodic", "mirror", "neumann:0", "dirichlet:0.3"])
def test_axes_of_few_points(rng, wave, boundary):
    """Layers further out than there are points come from beyond the other end."""
    in_time = ridge.sweeps(wave, boundary=boundary, levels=2)
    for n in range(1, 6):
        x, v, w = list(rng.uniform(0.05, 0.1, (3, n))), rng.standard_normal((3, n)), rng.standard_normal((2, n))
        try:
            right = difference(lambda x, w=w: sum((a * b).sum() for a, b in zip(in_time(*x, steps=2), w)), x, v)
        except ridge.UsageError as error:
            with pytest.raises(ridge.UsageError, match=str(error)):
                ridge.grad(in_time)(*x, tuple(w), steps=2)
            continue
        found = ridge.grad(in_time)(*x, tuple(w), steps=2)
        assert sum((g * d).sum() for g, d in zip(found, v)) == pytest.approx(right, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("boundary, says", [("perodic", "no condition 'perodic'"), ("x-=dirichlet", "is no number"),
                                            ("y=mirror", "wave reads no neighbours along y")])
def test_wrong_faces_are_noticed_where_all_states_are_kept(wave, boundary, says):
    with pytest.raises(ridge.UsageError, match=says):
        ridge.grad(ridge.sweeps(wave, boundary=boundary, levels=2))


def test_no_steps_and_what_does_not_fit(burgers):
    in_time = ridge.sweeps(burgers, boundary="dirichlet:1", memory="1MB")
    u = np.ones((4, 4))
    found = ridge.grad(in_time)(u, u, u, steps=0)
    assert (found.u == 1).all() and (found.nu == 0).all()
    assert [_grad_sweeps.bytes_of(m) for m in ("8GB", "1.5 kB", 77, "12B")] == [8 * 10**9, 1500, 77, 12]
    for wrong in ("8 pounds", -1, True):
        with pytest.raises(TypeError, match="memory="):
            ridge.grad(in_time, memory=wrong)
    for wrong, says in (((u[:3], u, u), "nu has the shape \\(4, 4\\)"), ((u, u, u[0]), "the cotangent has the shape"),
                        ((u[None],) * 3, "u has the shape")):
        with pytest.raises(ridge.UsageError, match=says):
            ridge.grad(in_time)(*wrong, steps=1)
    for wrong, says in (((u, u, u.astype("f4")), "the cotangent is float32 of numpy, and u float64 of numpy"),
                        ((u, u.astype("f4"), u), "nu is float32 of numpy"),
                        ((u, u, (u.tolist(),)), "the cotangent is no array but list"),
                        ((u.astype(int),) * 3, "int64")):
        with pytest.raises(TypeError, match=says):
            ridge.grad(in_time)(*wrong, steps=1)
    with pytest.raises(TypeError, match="takes 3 arrays"):
        ridge.grad(in_time)(u, u, steps=1)
