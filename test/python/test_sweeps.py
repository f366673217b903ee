"""Many sweeps with boundaries, equal to NumPy's."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import let_it_work

import ridge


def stepped(u, rate, steps, mode):
    """The same by NumPy."""
    for _ in range(steps):
        p = np.pad(u, 1, mode=mode)
        i = slice(1, -1)
        u = u + rate * (p[i, i, 2:] + p[i, i, :-2] + p[i, 2:, i] + p[i, :-2, i]
                        + p[2:, i, i] + p[:-2, i, i] - 6 * u)
    return u


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("boundary, mode", [("periodic", "wrap"), ("mirror", "symmetric")])
def test_heat_in_time(heat, device, rng, boundary, mode, dtype):
    u = rng.standard_normal((5, 7, 11)).astype(dtype)
    right = stepped(u.astype(np.float64), 0.1, 13, mode)
    in_time = ridge.sweeps(heat, boundary=boundary)
    assert in_time.run(u, steps=13, rate=0.1, device=device) is u
    np.testing.assert_allclose(u, right, atol=100 * np.finfo(dtype).eps)
    assert in_time.steps_done == 13
    assert in_time.record.device == device and in_time.record["steps"] == 13


def test_a_run_goes_on_from_the_array(heat, rng):
    u = rng.standard_normal((6, 7, 8))
    right = stepped(u, 0.05, 4, "wrap")
    in_time = ridge.sweeps(heat, boundary="x=periodic,y=periodic,z=periodic")
    in_time.run(u, steps=1, rate=0.05)
    in_time.run(u, steps=3, rate=0.05)
    np.testing.assert_allclose(u, right, atol=1e-13)
    right = stepped(u, 0.1, 2, "wrap")  # another number, and another array
    v = u.copy()
    in_time.run(v, steps=2, rate=0.1)
    np.testing.assert_allclose(v, right, atol=1e-13)


def test_rows_with_gaps(heat, rng):
    wide = np.full((6, 9, 12), 7.0)
    u = wide[:, :7, :8]
    u[...] = rng.standard_normal(u.shape)
    right = stepped(u.copy(), 0.1, 3, "wrap")
    ridge.sweeps(heat, boundary="periodic").run(u, steps=3, rate=0.1)
    np.testing.assert_allclose(u, right, atol=1e-13)
    u[...] = 7
    assert (wide == 7).all()


def test_faces_of_their_own(rng):
    @ridge.stencil
    def rod(u, rate):
        return u[0] + rate * (u[1] - 2 * u[0] + u[-1])

    u = np.zeros(33)
    ridge.sweeps(rod, boundary={"x-": "dirichlet:1", "x+": "neumann:0.5"},
                 spacing=0.1).run(u, steps=20000, rate=0.5)
    np.testing.assert_allclose(u, 1 + 0.5 * 0.1 * np.arange(33), atol=1e-6)  # a straight line


def test_waves_have_two_levels(device, rng):
    @ridge.stencil
    def wave(u, before, c):
        return 2 * u[0] - before[0] + c * (u[1] - 2 * u[0] + u[-1])

    now, before = rng.standard_normal((2, 40))
    a, b = now.copy(), before.copy()
    for _ in range(9):
        a, b = 2 * a - b + 0.4 * (np.roll(a, 1) - 2 * a + np.roll(a, -1)), a
    ridge.sweeps(wave, boundary="periodic", levels=2).run(now, before, steps=9, c=0.4, device=device)
    np.testing.assert_allclose(now, a, atol=1e-13)
    np.testing.assert_allclose(before, b, atol=1e-13)


def test_coefficients_are_only_read(rng):
    @ridge.stencil
    def uneven(u, k):
        return u[0] + 0.1 * k[0] * (u[1] - 2 * u[0] + u[-1])

    u, k = rng.standard_normal((2, 21))
    k.flags.writeable = False
    right = u.copy()
    for _ in range(5):
        right = right + 0.1 * k * (np.roll(right, 1) - 2 * right + np.roll(right, -1))
    ridge.sweeps(uneven, boundary="periodic").run(u, k, steps=5)
    np.testing.assert_allclose(u, right, atol=1e-13)


def test_what_is_refused(heat, rng):
    u = rng.standard_normal((6, 7, 8))
    before = u.copy()
    with pytest.raises(ridge.UsageError, match="there is no condition 'cyclic'"):
        ridge.sweeps(heat, boundary="cyclic").run(u, steps=1)
    with pytest.raises(ridge.UsageError, match="a number is right"):
        ridge.sweeps(heat, boundary="x-=dirichlet:FILE.h5:/u").run(u, steps=1)
    with pytest.raises(ridge.UsageError, match="periodic needs both faces"):
        ridge.sweeps(heat, boundary={"x-": "periodic"}).run(u, steps=1)
    with pytest.raises(ridge.UsageError, match="levels=2: heat reads 1 arrays"):
        ridge.sweeps(heat, levels=2)
    with pytest.raises(ridge.UsageError, match="one positive number is right, or 3"):
        ridge.sweeps(heat, spacing=(1, 2)).run(u, steps=1)
    in_time = ridge.sweeps(heat, boundary="periodic")
    with pytest.raises(ridge.UsageError, match="was not run yet"):
        print(in_time.record)
    with pytest.raises(ridge.UsageError, match="steps=0; at least 1"):
        in_time.run(u, steps=0)
    with pytest.raises(TypeError, match="heat takes 1 arrays"):
        in_time.run(u, u, steps=1)
    with pytest.raises(TypeError, match="has no speed"):
        in_time.run(u, steps=1, speed=1)
    with pytest.raises(TypeError, match="ridge.sweeps takes a stencil or a chain, not function"):
        ridge.sweeps(lambda u: u)
    with pytest.raises(ridge.UsageError, match="tiles"):
        in_time.run(u, steps=1, schedule="tiles=3")
    with pytest.raises(TypeError, match="u is read-only"):
        before.flags.writeable = False
        in_time.run(before, steps=1)
    np.testing.assert_array_equal(u, before)


def test_ctrl_c_keeps_what_was_computed():
    text = """
import numpy as np, ridge, sys

@ridge.stencil
def counted(u):
    s = u[0, 0]
    for _ in range(8): # a step takes longer than a launch computes before it asks for signals
        s = ridge.exp(ridge.sin(s))
    return u[0, 0] + 1 + 0 * s

u = np.zeros((2000, 1500))
in_time = ridge.sweeps(counted)
in_time.run(u, steps=1)
print("ready", flush=True)
try:
    in_time.run(u, steps=10**12)
except KeyboardInterrupt:
    assert (u == 1 + in_time.steps_done).all() and in_time.steps_done > 0
    sys.exit(7)
"""
    running = subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert running.stdout.readline() == "ready\n"
    let_it_work(running)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=100) == 7
