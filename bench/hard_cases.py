"""Solvers at hard points: iterations, residual and what was said, by method and precision.

    python3 bench/hard_cases.py            # the installed package, on the cpu
    python3 bench/hard_cases.py jump cuda:0 # cases whose name has this, there

`r`: converged to rounding; `>64`: went on in fp64; `!`: not converged; a text: refused. Each precision stands beside
fp64 to the same tolerance: `x1.1` are its iterations over that.
"""

import sys

import numpy as np
import ridge
from ridge import gauge

N = 33
RNG = np.random.default_rng(5)
F = RNG.standard_normal((N, N))
Y, X = np.indices((N, N))
WALLS = {"x": "dirichlet:0", "y": "dirichlet:0"}
SQUARES = (X // 8 + Y // 8) % 2 == 0


def grids():
    """Name, operator and arguments of `ridge.solve`."""
    random = RNG.uniform(-1, 1, (N, N))
    for size in (1e4, 1e8):
        for name, k in {
            "layers": np.where(Y < N // 2, 1, size), "squares": np.where(SQUARES, 1, size),
            "a channel": np.where(Y == N // 2, 1, size), "a line": np.where(Y == N // 2, size, 1),
            "random": size ** (random / 2),
        }.items():  # fmt: skip
            yield f"jump {size:.0e}, {name}", "diffusion", {"coefficient": k, "boundary": WALLS}
    comb = (X % 2 == 0) & (Y != N // 2)
    hole = (X == N // 2) & (Y != N // 3)
    for name, mask in {"comb": comb, "a hole": hole}.items():
        yield f"mask, {name}", "poisson", {"mask": mask * 1.0, "boundary": WALLS}
        k = np.where(SQUARES, 1, 1e8)
        yield f"mask, {name}, jump 1e8", "diffusion", {"mask": mask * 1.0, "coefficient": k, "boundary": WALLS}
    for shift in (-1.0, 1e-300, 1e-12, 1e8, 1e200):
        for name, walls in {"dirichlet": WALLS, "periodic": "periodic"}.items():
            yield f"shift {shift:g}, {name}", "helmholtz", {"shift": shift, "boundary": walls}
    for size in (1e-200, 1e-30, 1e30, 1e200):
        yield f"norm {size:g} of f", "poisson", {"f": size * F, "boundary": WALLS}
        yield f"norm {size:g} of k", "diffusion", {"coefficient": np.full((N, N), size), "boundary": WALLS}
        yield f"norm {size:g} of both", "diffusion", {"f": size * F, "coefficient": np.full((N, N), size), "boundary": WALLS}


def said(solve, right=None):
    """Iterations, and what a row says."""
    try:
        with np.errstate(over="ignore", under="ignore"):
            how = solve()
    except (ridge.UsageError, ridge.Failure, gauge.NotConverged) as refused:
        return None, str(refused)[:34]
    mark = "" if how.converged else "!"
    if getattr(how, "criterion", "") == "rounding" or getattr(how, "rounding", False):
        mark += "r"
    ratio = f" x{how.iterations / right:.2f}" if right else ""
    return how.iterations, f"{mark}{how.iterations} {how.residual:.0e}{ratio}{' >64' if how.in_fp64 else ''}"


def grid_row(name, operator, arguments, device):
    row = f"{name:24}"
    for method in ("multigrid", "cg"):
        right = None
        for kind in (np.float64, np.float32):
            given = {"f": F, **arguments}
            with np.errstate(over="ignore", under="ignore"):
                cast = {what: a.astype(kind) if isinstance(a, np.ndarray) else a for what, a in given.items()}
            count, text = said(lambda: ridge.solve(operator, tol=1e-5, method=method, device=device, **cast), right)
            right = right or count
            row += f" | {method[:5]} {'fp64' if kind == np.float64 else 'fp32'} {text}"
    print(row, flush=True)


def lattices():
    """Name and operator by precision."""
    hot = gauge.heatbath(gauge.cold(4, 2, 4, 4), beta=1e-4, sweeps=3, seed=1)
    cool = gauge.heatbath(gauge.cold(8, 4, 4, 4), beta=5.7, sweeps=20, seed=1)
    for mass in (-1.8, -2.0, -2.3):
        yield f"wilson, hot, mass {mass}", lambda p, mass=mass: gauge.Wilson(hot, mass=mass, precision=p)
    for kappa in (0.16, 0.172):
        yield f"wilson, beta 5.7, {kappa}", lambda p, kappa=kappa: gauge.Wilson(cool, kappa, precision=p)
    for mass in (0.1, 1e-3):
        yield f"dwf, beta 5.7, {mass}", lambda p, mass=mass: gauge.DomainWall(cool, mass, ls=8, precision=p)


def lattice_row(name, make):
    row, right = f"{name:24}", {}
    for precision in ("fp64", "mixed"):
        d = make(precision)
        b = np.random.default_rng(3).standard_normal((*d.shape, 4, 3)) + 0j
        for size in (1.0, 1e-200, 1e200):

            def solve():
                gauge.cg(d, size * b)
                return d.solved

            count, text = said(solve, right.get(size))
            right.setdefault(size, count)
            row += f" | {precision} {size:g}: {text}"
    print(row, flush=True)


def main():
    only, device = [*sys.argv[1:], *("", "cpu")[len(sys.argv) - 1 :]][:2]
    for name, operator, arguments in grids():
        if only in name:
            grid_row(name, operator, arguments, device)
    for name, make in lattices():
        if only in name:
            lattice_row(name, make)


main()
