"""A thousand steps of the heat equation over all ranks: each has its part, and ridge exchanges.

    mpirun -n 4 python sweeps_on_ranks.py

On one rank it runs as well."""

import numpy as np

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


n, steps, rate = 32, 1000, 0.1
heat_in_time = ridge.sweeps(heat, boundary="periodic", points=(n, n, n))
z, y, x = heat_in_time.mine  # slices of the whole, what this rank owns
wave = np.sin(2 * np.pi * np.arange(n) / n)
a = np.empty([s.stop - s.start for s in (z, y, x)])
a[...] = wave[x]
heat_in_time.run(a, steps=steps, rate=rate)

fading = (1 - 2 * rate * (1 - np.cos(2 * np.pi / n))) ** steps  # this wave only fades
assert np.allclose(a, wave[x] * fading, atol=1e-12)
here = ridge.ranks()
print(f"rank {here.rank} of {here.size}: {a.size} points are right")
