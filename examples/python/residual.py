"""The residual of a linear system on a lattice, in one pass over its fields."""

import numpy as np

from ridge import lattice

rng = np.random.default_rng(1)


def random(*shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


links, x, b = random(8, 8, 8, 8, 3, 3), random(8, 8, 8, 8, 3), random(8, 8, 8, 8, 3)
U = lattice.field(links, "colour_matrix")
fx, fb = lattice.field(x, "colour_vector"), lattice.field(b, "colour_vector")
residual = lattice.norm2(fb - U.adj() @ fx, reproducible=True)
right = b - np.einsum("...ji,...j->...i", links.conj(), x)
assert abs(residual - (abs(right) ** 2).sum()) < 1e-12 * residual
print(residual, lattice.record().schedule)
