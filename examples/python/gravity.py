"""The gravity of random bodies: pairs, compared with NumPy."""

import numpy as np

import ridge


@ridge.pairs(targets=3, sources=4, sums=3)
def gravity(t, s, eps2):
    d = [s[i] - t[i] for i in range(3)]
    w = ridge.rsqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + eps2)
    return [s[3] * w * w * w * x for x in d]


bodies = np.random.default_rng(1).random((4, 1000))
forces = gravity(bodies, eps2=1e-4)
# Nobody pushes the whole: what bodies do to each other cancels.
total = (bodies[3] * forces).sum(axis=1)
assert abs(total).max() < 1e-9 * abs(bodies[3] * forces).sum(), total

record = gravity.measure(bodies, eps2=1e-4)
assert record.ok, record.check
print(record)
