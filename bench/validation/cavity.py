"""A lid-driven cavity beside U. Ghia, K. Ghia, C. Shin, J. Comput. Phys. 48 (1982), table I.

    python bench/validation/cavity.py RIDGE [DEVICE] [--small] [--picture PNG]

u along the vertical centreline of lbm-walls on n x n points, at Reynolds numbers 100, 400 and 1000 (--small: 100 on
40 x 40); at 1000 also beside O. Botella, R. Peyret, Comput. Fluids 27 (1998), whose spectral values Ghia's miss by 0.006.
"""

import numpy as np
from scipy.interpolate import CubicSpline

from common import Problem

Y = np.array([0, 0.0547, 0.0625, 0.0703, 0.1016, 0.1719, 0.2813, 0.4531, 0.5, 0.6172, 0.7344, 0.8516, 0.9531, 0.9609,
              0.9688, 0.9766, 1])  # fmt: skip
GHIA = {
    100: [0, -0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641, 0.00332,
          0.23151, 0.68717, 0.73722, 0.78871, 0.84123, 1],
    400: [0, -0.08186, -0.09266, -0.10338, -0.14612, -0.24299, -0.32726, -0.17119, -0.11477, 0.02135, 0.16256,
          0.29093, 0.55892, 0.61756, 0.68439, 0.75837, 1],
    1000: [0, -0.18109, -0.20196, -0.22220, -0.29730, -0.38289, -0.27805, -0.10648, -0.06080, 0.05702, 0.18719,
           0.33304, 0.46604, 0.51117, 0.57492, 0.65928, 1],
}  # fmt: skip
BOTELLA = [0, -0.1812881, -0.2023300, -0.2228955, -0.3004561, -0.3885691, -0.2803696, -0.1081999, -0.0620561,
           0.0570178, 0.1886747, 0.3372212, 0.4723329, 0.5169277, 0.5808359, 0.6644227, 1]  # fmt: skip


def flow(problem, reynolds, n, lid, turns):
    """ux and uy in units of the lid's speed, n x n."""
    solid = np.zeros((n + 2, n + 2))
    solid[:, [0, -1]] = solid[0] = 1
    solid[-1] = 2
    # Points in the corners belong to the walls at rest, too: as parts of the lid they push along a link that ends in the
    # corner, and errors are of order 1.3 in place of 2.
    moves = np.zeros_like(solid)
    moves[-1, 1:-1] = lid
    steps = int(turns * n / lid)
    problem.evolve("lbm-walls", "--steps", steps, "--every", steps, "--set", f"tau={0.5 + 3 * lid * n / reynolds!r}",
                   "--set", "magic=0.1875", solid=solid, wall_ux=moves)  # fmt: skip
    _, ux, uy = problem.read("ux", "uy")
    return ux[1:-1, 1:-1] / lid, uy[1:-1, 1:-1] / lid


def centreline(ux):
    """u(y) between the walls, which lie half a point beyond the first and the last."""
    n = len(ux)
    u = ux[:, n // 2] if n % 2 else (ux[:, n // 2 - 1] + ux[:, n // 2]) / 2
    return CubicSpline(np.concatenate(([0], (np.arange(n) + 0.5) / n, [1])), np.concatenate(([0], u, [1])))


def draw(file, flows):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, len(flows) + 1, figsize=(4 * (len(flows) + 1), 4), constrained_layout=True)
    for axis, (reynolds, (ux, uy)) in zip(axes, flows.items()):
        n = len(ux)
        at = (np.arange(n) + 0.5) / n
        axis.streamplot(at, at, ux, uy, color=np.hypot(ux, uy), density=1.4, linewidth=0.8, arrowsize=0.6)
        axis.set(title=f"Re {reynolds}", xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="x", ylabel="y")
        y = np.linspace(0, 1, 400)
        line = axes[-1].plot(centreline(ux)(y), y, label=f"Re {reynolds}")[0]
        axes[-1].plot(GHIA[reynolds], Y, "o", color=line.get_color(), markersize=4)
    axes[-1].set(title="u at x = 1/2; points: Ghia 1982", xlabel="u", ylabel="y")
    axes[-1].legend()
    plt.savefig(file, dpi=100)


def main():
    problem = Problem(__doc__, pictures=True)
    cases = {100: (40, 0.1, 15)} if problem.small else {100: (128, 0.05, 40), 400: (192, 0.05, 60), 1000: (256, 0.05, 120)}
    flows = {}
    for reynolds, (n, lid, turns) in cases.items():
        # As much flows one way as the other: a slip of the pen in the table would show.
        problem.at_most(f"Re {reynolds}: flow through the centreline, of Ghia's points",
                        abs(CubicSpline(Y, GHIA[reynolds]).integrate(0, 1)), 0.01)  # fmt: skip
        flows[reynolds] = flow(problem, reynolds, n, lid, turns)
        u = centreline(flows[reynolds][0])(Y)
        problem.at_most(f"Re {reynolds}: largest difference of u from Ghia's", np.abs(u - GHIA[reynolds]).max(), 0.01)
        if reynolds == 1000:
            problem.at_most("Re 1000: from Botella's and Peyret's", np.abs(u - BOTELLA).max(), 0.005)
    if problem.options.picture:
        draw(problem.options.picture, flows)
    problem.end()


main()
