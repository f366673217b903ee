"""Straka's density current: how far the front of cold air has run along the ground after 900 s.

    python bench/validation/straka.py RIDGE [DEVICE] [--small] [--picture PNG]

J. Straka et al., Int. J. Numer. Methods Fluids 17 (1993): 15.5 km from the middle, where the potential temperature is 1 K
below that at rest, with a viscosity of 75 m^2/s. Ours with cells of 200, 100, 50, 25 and 12.5 m: 14.86, 15.21, 15.35,
15.41 and 15.43 km. Changes with 100 m: a start with the density at rest 0.17 km less; columns at rest along z, with more
pressure below the cold air, 0.003 more; half the step 0.03 more.
"""

import h5py
import numpy as np

from common import Problem


def front(problem, cell):
    """The front's place in km for cells of a width in m, and the field of potential temperature."""
    nx, nz = round(51200 / cell), round(6400 / cell)
    problem.run("atmosphere", "--case", "straka", "--size", f"{nx}x{nz}", "--time", 900, "--snapshots", 1, "-o", "air.h5",
                "--overwrite", "--device", problem.options.device)  # fmt: skip
    with h5py.File(problem.here / "air.h5") as h5:
        theta = h5["0001/potential_temperature"][...]
    ground = 1.5 * theta[0] - 0.5 * theta[1]
    last = np.flatnonzero(ground <= -1).max()
    part = (-1 - ground[last]) / (ground[last + 1] - ground[last])
    return ((last + part + 0.5) * cell - 25600) / 1000, theta


def main():
    problem = Problem(__doc__, pictures=True)
    cells = (200, 100) if problem.small else (50, 25)
    before = front(problem, cells[0])[0]
    found, theta = front(problem, cells[1])
    print(f"front: {before:.4g} km with cells of {cells[0]} m, {found:.4g} km of {cells[1]} m")
    # The printed number ends with tenths of km; where the scheme is of order 1 or more, halving leaves half of the error.
    problem.compare("front after 900 s", found, 15.5, 0.05 + abs(found - before), " km")
    if problem.options.picture:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        _, axis = plt.subplots(figsize=(9, 2.6), constrained_layout=True)
        middle = theta.shape[1] // 2
        right = theta[: theta.shape[0] * 5 // 8, middle : middle + theta.shape[1] * 18 // 51]
        shown = axis.imshow(right, origin="lower", extent=(0, right.shape[1] * cells[1] / 1000, 0, 4), cmap="Blues_r", aspect="auto")
        axis.plot([15.5, 15.5], [0, 0.6], "C3", label="15.5 km: Straka 1993")
        axis.set(xlabel="km", ylabel="km", title="cold air after 900 s")
        axis.legend(loc="upper left")
        axis.figure.colorbar(shown, label="K")
        axis.figure.savefig(problem.options.picture, dpi=80)
    problem.end()


main()
