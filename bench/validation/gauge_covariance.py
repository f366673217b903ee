"""Gauge covariance of every operator's solution and of all observables; needs NumPy and h5py.

    python bench/validation/gauge_covariance.py RIDGE DEVICE [--small] [--folder F]

A configuration of beta 6.0 and the same after a random gauge transformation, written by `ridge gauge convert`: the largest
differences of propagators that are turned back, of correlators, loops and the flow, of the largest number.
"""

import h5py
import numpy as np
from lattice_runs import Runs, verdict

SOLVED = {"wilson": ("wilson", "--kappa", 0.14), "clover": ("wilson", "--kappa", 0.13, "--csw", 1.769),
          "bicgstab": ("wilson", "--kappa", 0.14, "--solver", "bicgstab"), "dwf": ("dwf", "--mass", 0.1, "--ls", 4),
          "mobius": ("mobius", "--mass", 0.1, "--ls", 4), "staggered": ("staggered", "--mass", 0.2)}  # fmt: skip
SAME = ("loop_2x2", "polyakov_real", "energy_clover", "energy_plaquette", "charge")


def unitary(shape, rng):
    q, r = np.linalg.qr(rng.normal(size=(*shape, 3, 3)) + 1j * rng.normal(size=(*shape, 3, 3)))
    q = q * (np.diagonal(r, axis1=-2, axis2=-1) / abs(np.diagonal(r, axis1=-2, axis2=-1)))[..., None, :]
    return q / np.linalg.det(q)[..., None, None] ** (1 / 3)


def numbers(record, name):
    return np.array([float(x) for x in record[name].split()] if isinstance(record[name], str) else [record[name]])


def apart(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


run = Runs("covariance", 1)
size, sweeps = ("2x2x4x4", 20) if run.words.small else ("16x16x16x32", 200)
files = [run.file(name) for name in ("here.h5", "turned.h5", "propagator.h5", "converted.nersc")]
here, turned, out, converted = files
run("gauge", "heatbath", "--size", size, "--beta", 6.0, "--sweeps", sweeps, "--overwrite", "-o", here)
with h5py.File(here) as file:
    links = file["links"][...].view(complex)[..., 0]
links = links.reshape(*links.shape[:4], 4, 3, 3)
g = unitary(links.shape[:4], np.random.default_rng(1))
after = np.stack([g @ links[..., mu, :, :] @ np.roll(g, -1, axis=3 - mu).conj().swapaxes(-1, -2) for mu in range(4)], axis=4)
with h5py.File(turned, "w") as file:
    file["links"] = after.reshape(*links.shape[:4], 36, 1).view(float).reshape(*links.shape[:4], 36, 2)
run.host("gauge", "convert", turned, converted, "--accept", "--overwrite")
rows = []
for name, how in SOLVED.items():
    records, columns = [], []
    for file in here, converted:
        records.append(run.record("solve", how[0], file, *how[1:], "--tol", "1e-12", "--no-roof", "--overwrite", "-o", out))
        with h5py.File(out) as h5:
            columns.append(h5["propagator"][...].view(complex)[..., 0])
    spins = columns[0].shape[-1] // 3
    first, second = (c.reshape(spins, 3, *links.shape[:4], spins, 3) for c in columns)
    back = np.einsum("tzyxba,sctzyxib->sctzyxia", g.conj(), second)  # g^+ at the sink
    back = np.einsum("cd,sctzyxia->sdtzyxia", g[0, 0, 0, 0], back)  # g at the source
    error = apart(back, first)
    for one in records[0]:
        if one.startswith("correlator_"):
            error = max(error, apart(numbers(records[1], one), numbers(records[0], one)))
    rows.append((f"{name}: error", error, 0, (0, 1e-9)))
flows = [run.record("gauge", "observables", file, "--loops", "2x2", "--flow", 0.2, "--step", 0.05) for file in (here, converted)]
rows += [(f"{name}: error", apart(numbers(flows[1], name), numbers(flows[0], name)), 0, (0, 1e-9)) for name in SAME]
for file in files:
    file.unlink()
verdict(rows)
