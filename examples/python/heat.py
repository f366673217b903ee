"""Heat spreads from a hot ball: a stencil, called with two arrays in turn."""

import numpy as np

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


n = 64
z, y, x = np.mgrid[:n, :n, :n] - (n - 1) / 2
now = np.where(x**2 + y**2 + z**2 < 100, 1.0, 0.0)
before = now.sum()
after = now.copy()
for step in range(20):
    heat(now, out=after, rate=0.1)
    now, after = after, now
assert abs(now.sum() - before) < 1e-6 * before, "nothing has reached the edge, so nothing is lost"

record = heat.measure(now, out=after, rate=0.1)
assert record.ok, record.check
print(record)
