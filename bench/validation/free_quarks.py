"""The propagator of free Wilson quarks at every momentum beside its closed form; needs NumPy and h5py.

    python bench/validation/free_quarks.py RIDGE DEVICE [--small] [--folder F]

16x16x16x32, --small 4x6x4x8, kappa 0.12 and 0.1245, antiperiodic in time: the largest difference from
(1 - 2 kappa sum cos p + 2 i kappa sum gamma sin p)^-1 over all momenta, spins and colours, of the largest number.
"""

import h5py
import numpy as np
from lattice_runs import SIZE, Runs, verdict

GAMMAS = np.array([[[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]],
                   [[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]],
                   [[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]],
                   [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]])  # fmt: skip

run = Runs("free quarks", 1)
size = "4x6x4x8" if run.words.small else SIZE
extents = [int(n) for n in size.split("x")]
links, out = run.file("free.nersc"), run.file("free.h5")
run("gauge", "heatbath", "--size", size, "--sweeps", 0, "--overwrite", "-o", links)
rows = []
for kappa in 0.12, 0.1245:
    run("solve", "wilson", links, "--kappa", kappa, "--tol", "1e-13", "--overwrite", "-o", out)
    with h5py.File(out) as file:
        found = file["propagator"][...].view(complex)[..., 0].reshape(4, 3, *extents[::-1], 4, 3)
    times = np.arange(extents[3])
    found *= np.exp(-1j * np.pi * times / extents[3])[:, None, None, None, None, None]
    found = np.fft.fftn(found, axes=(2, 3, 4, 5))  # source spin, colour, momenta of t, z, y, x, spin, colour
    k = np.indices(extents[::-1])[::-1].reshape(4, -1).T + [0, 0, 0, 0.5]
    p = 2 * np.pi * k / extents
    d = (1 - 2 * kappa * np.cos(p).sum(axis=1))[:, None, None] * np.eye(4) + 2j * kappa * np.einsum("pm,mij->pij", np.sin(p), GAMMAS)
    right = np.linalg.inv(d)
    got = found.reshape(4, 3, -1, 4, 3).transpose(2, 3, 4, 0, 1)
    error = np.abs(got - np.einsum("pij,ab->piajb", right, np.eye(3))).max() / np.abs(right).max()
    rows.append((f"{size} kappa {kappa}: error", error, 0, (0, 1e-11)))
links.unlink()
out.unlink()
verdict(rows)
