"""Heat over ranks: each has a slab of planes and swaps those at its faces with its neighbours.

    mpirun -n 4 python ranks.py

Needs mpi4py. Kernels are compiled once, by whichever rank comes first. On one rank it runs as well."""

import numpy as np
from mpi4py import MPI

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


def begin(planes, n):
    """Planes of the start: a wave that is the same wherever the planes lie."""
    z, y, x = np.meshgrid(np.arange(n)[planes], np.arange(n), np.arange(n), indexing="ij")
    return np.sin(0.3 * z + 0.2) * np.cos(0.2 * y) * np.sin(0.5 * x)


def steps(now, count, swap):
    after = now.copy()
    for _ in range(count):
        swap(now)
        heat(now, out=after, rate=0.1)
        now, after = after, now
    return now


comm = MPI.COMM_WORLD
n, count = 37, 8
bounds = [1 + (n - 2) * r // comm.size for r in range(comm.size + 1)]
mine = slice(bounds[comm.rank] - 1, bounds[comm.rank + 1] + 1)  # with a plane of each neighbour
below = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
above = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL


def swap(u):
    comm.Sendrecv(u[1], dest=below, recvbuf=u[-1], source=above)
    comm.Sendrecv(u[-2], dest=above, recvbuf=u[0], source=below)


found = steps(begin(mine, n), count, swap)
alone = steps(begin(slice(None), n), count, lambda u: None)
assert np.array_equal(found[1:-1], alone[mine][1:-1]), "as on one rank, bit for bit"
print(f"rank {comm.rank} of {comm.size}: planes {bounds[comm.rank]} to {bounds[comm.rank + 1] - 1} are right")
