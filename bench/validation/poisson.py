"""Manufactured solutions of ridge solve poisson with each mix of faces, at orders 2, 4, 6 and 8.

    python bench/validation/poisson.py RIDGE [DEVICE] [--small]
"""

import numpy as np

from common import Problem

PI = np.pi
#: An axis by its faces: the condition, and points, function and wave number on n intervals.
AXES = {
    "periodic": ("{0}=periodic", lambda n: np.arange(n) / n, lambda x: np.sin(2 * PI * x + 0.3), 2 * PI),
    "dirichlet": ("{0}=dirichlet:0", lambda n: np.arange(n + 1) / n, lambda x: np.sin(PI * x), PI),
    "neumann": ("{0}=neumann:0", lambda n: np.arange(n + 1) / n, lambda x: np.cos(2 * PI * x), 2 * PI),
    "mirror": ("{0}=mirror", lambda n: (np.arange(n) + 0.5) / n, lambda x: np.cos(PI * x), PI),
    "dirichlet and neumann": ("{0}-=dirichlet:0,{0}+=neumann:0", lambda n: np.arange(n + 1) / n,
                              lambda x: np.sin(PI / 2 * x), PI / 2),
    "dirichlet and mirror": ("{0}-=dirichlet:0,{0}+=mirror", lambda n: np.arange(n + 1) / (n + 0.5),
                             lambda x: np.sin(PI / 2 * x), PI / 2),
}  # fmt: skip


def error(problem, faces, order, n):
    (cx, px, fx, kx), (cy, py, fy, ky) = (AXES[face] for face in faces)
    x, y = px(n), py(n)
    u = fy(y)[:, None] * fx(x)[None, :]
    problem.write("f.h5", f=-(kx**2 + ky**2) * u)
    problem.run("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--overwrite", "--device", problem.options.device, "--boundary",
                cx.format("x") + "," + cy.format("y"), "--spacing", f"{float(x[1] - x[0])!r}x{float(y[1] - y[0])!r}", "--order", order,
                "--tol", "1e-13")  # fmt: skip
    import h5py

    with h5py.File(problem.here / "u.h5") as h5:
        return np.abs(h5["u"][...] - u).max()


def main():
    problem = Problem(__doc__)
    names = list(AXES)
    pairs = [(one, names[(i + 1) % len(names)]) for i, one in enumerate(names)]
    if not problem.small:
        pairs = [(one, other) for one in names for other in names]
    for order in (2, 8) if problem.small else (2, 4, 6, 8):
        orders = []
        for faces in pairs:
            coarse, fine = (error(problem, faces, order, n) for n in (12, 24))
            orders.append((np.log2(coarse / fine), faces))
        least = min(orders)
        problem.compare(f"order {order}: least of {len(pairs)} mixes ({' by '.join(least[1])})", least[0], (order, 99), 0.2)
    problem.end()


main()
