"""A thousand steps of the heat equation with periodic faces: what `ridge evolve` does, on an array."""

import numpy as np

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


n, steps, rate = 32, 1000, 0.1
x = 2 * np.pi * np.arange(n) / n
a = np.broadcast_to(np.sin(x), (n, n, n)).copy()
right = a * (1 - 2 * rate * (1 - np.cos(2 * np.pi / n))) ** steps  # this wave only fades

heat_in_time = ridge.sweeps(heat, boundary="periodic")
heat_in_time.run(a, steps=steps, rate=rate)
assert np.allclose(a, right, atol=1e-12)
print(heat_in_time.record)
