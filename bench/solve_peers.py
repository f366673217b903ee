#!/usr/bin/env python3
"""Poisson's equation on the cpu: ridge's methods beside pyamg's, in one run.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install pyamg h5py
    /tmp/peers/bin/python bench/solve_peers.py build/ridge 65 129

A box of N x N x N points with dirichlet faces, a random right-hand side, to a residual of 1e-10. Times are
of the solve alone; pyamg's setup is given beside it. Each is the best of three, in turn.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import pyamg
import scipy.sparse as sparse


def laplacian(n):
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    one = sparse.identity(n)
    return (sparse.kron(sparse.kron(line, one), one) + sparse.kron(sparse.kron(one, line), one)
            + sparse.kron(sparse.kron(one, one), line)).tocsr()


def ridge(program, folder, n, method):
    out = subprocess.run([program, "solve", "poisson", folder / "f.h5:/f", "-o", folder / "u.h5:/u", "--overwrite", "--device", "cpu",
                          "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", "--method", method, "--json"],
                         capture_output=True, text=True, check=True)
    record, = json.loads(out.stdout)
    return record["solve_seconds"], record["residual"], record["cycles"]


def main():
    program, rows = pathlib.Path(sys.argv[1]).resolve(), []
    for n in map(int, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            f = np.random.default_rng(1).standard_normal((n, n, n))
            with h5py.File(folder / "f.h5", "w") as h5:
                h5["f"] = f
            matrix, right = laplacian(n - 2), -f[1:-1, 1:-1, 1:-1].ravel()
            begin = time.perf_counter()
            solver = pyamg.smoothed_aggregation_solver(matrix)
            setup = time.perf_counter() - begin
            best = {}
            for _ in range(3):
                for method in ("multigrid", "cg", "fft"):
                    took = ridge(program, folder, n, method)
                    best[f"ridge {method}"] = min(best.get(f"ridge {method}", took), took)
                residuals = []
                begin = time.perf_counter()
                u = solver.solve(right, tol=1e-10, accel="cg", residuals=residuals)
                seconds = time.perf_counter() - begin
                took = (seconds, float(np.linalg.norm(right - matrix @ u) / np.linalg.norm(right)), len(residuals) - 1)
                best["pyamg"] = min(best.get("pyamg", took), took)
            for name, (seconds, residual, iterations) in best.items():
                row = {"points": n, "solver": name, "seconds": seconds, "iterations": iterations, "residual": residual}
                if name == "pyamg":
                    row |= {"setup_seconds": setup, "version": pyamg.__version__}
                rows.append(row)
                print(f"{n}^3  {name:16} {seconds * 1e3:9.1f} ms  {iterations:3} iterations  residual {residual:.1e}", file=sys.stderr)
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
