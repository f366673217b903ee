"""A chain of two operations under three schedules: all in registers, and one sweep each."""

import numpy as np

import ridge


@ridge.chain(edge="periodic")
def smooth(u, rate=0.1):
    g = u[1] - u[-1]
    return u[0] + rate * (g[1] - g[-1])


u = np.random.default_rng(1).random(100000)
g = np.roll(u, -1) - np.roll(u, 1)
right = u + 0.1 * (np.roll(g, -1) - np.roll(g, 1))
for schedule in ("auto", "fused", "fission"):
    assert np.allclose(smooth(u, schedule=schedule), right, atol=1e-14)
    print(smooth.record.schedule)
