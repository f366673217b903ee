#!/usr/bin/env python3
"""Poisson's equation on the cpu: ridge's methods beside pyamg's and hypre's PFMG, in one run.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install pyamg h5py
    apt install libhypre-dev
    /tmp/peers/bin/python bench/solve_peers.py build/ridge 65 129 257 > poisson.json

A box of N x N x N points with dirichlet faces, a random right-hand side, to a residual of 1e-10. Times are
of the solve alone; setups are given beside it. Each is the best of three, in turn; pyamg of more than 200^3 points runs
once. Solutions of pyamg and of ridge are compared. `hypre:N`: without pyamg.
HYPRE are the flags that bench/hypre_pfmg.c is built with; hypre runs on RANKS ranks (2), ridge on as many threads. pyamg
is compiled for one thread.
With RANKS=1 the processor's time of each solve is measured, too, which other work on the machine changes less:
ridge's is that of its process less that of one without cycles.

    PYTHONPATH=build/python python3 bench/solve_peers.py gpu 128 256 512

On a GPU, arrays of torch and CuPy as they lie: a box of N x N x N points with periodic faces by torch's real Fourier transforms
beside `ridge.solve`'s own choice, and one of (N + 1)^3 points with dirichlet faces by cupyx's conjugate gradients beside ridge's.
`call` is the whole of a call, the first of which makes levels and plans; `seconds` of the solve alone. Each the best of five, in turn.
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

RANKS = os.environ.get("RANKS", "2")


def laplacian(n):
    import scipy.sparse as sparse
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    one = sparse.identity(n)
    return (sparse.kron(sparse.kron(line, one), one) + sparse.kron(sparse.kron(one, line), one)
            + sparse.kron(sparse.kron(one, one), line)).tocsr()


def ridge(program, folder, method, cycles=100):
    """Seconds, residual, cycles, the process's processor time. `method` may name a smoother, too."""
    method, *smoother = method.split()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, "solve", "poisson", folder / "f.h5:/f", "-o", folder / "u.h5:/u", "--overwrite", "--device", "cpu",
                          "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", "--method", method, "--json", "--cycles", str(cycles),
                          *(["--smoother", *smoother] if smoother else [])],
                         capture_output=True, text=True, check=cycles > 0, env={**os.environ, "OMP_NUM_THREADS": RANKS})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    record, = json.loads(out.stdout)
    return (record["solve_seconds"], record["residual"], record["cycles"],
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}


def build_hypre(folder):
    """The program, or None without hypre."""
    if shutil.which("mpicc") is None:
        return None
    flags = os.environ.get("HYPRE", "-I/usr/include/hypre -lHYPRE -lm").split()
    source = pathlib.Path(__file__).with_name("hypre_pfmg.c")
    built = subprocess.run(["mpicc", "-O3", source, "-o", folder / "pfmg", *flags], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        print("no hypre: " + built.stderr.splitlines()[0], file=sys.stderr)
    return folder / "pfmg" if built.returncode == 0 else None


def hypre(program, n):
    """Solvers by name: seconds, residual, iterations, setup."""
    out = subprocess.run(["mpirun", "-n", RANKS, program, str(n - 2), "1"], capture_output=True, text=True, check=True,
                         env={**os.environ, **ROOT})
    return {r["solver"]: (r["seconds"], r["residual"], r["iterations"], r["processor_seconds"], r["setup_seconds"])
            for r in json.loads(out.stdout)}


class Best:
    """The fastest of several, by name."""

    def __init__(self, points, wait):
        self.points, self.wait, self.rows = points, wait, {}

    def time(self, name, call):
        """`call` returns what more there is to say, seconds of the solve alone where they are known."""
        self.wait()
        begin = time.perf_counter()
        more = call()
        self.wait()
        took = time.perf_counter() - begin
        row = {"points": self.points, "solver": name, "call_seconds": took, **more}
        best = self.rows.setdefault(name, row)
        for key in ("seconds", "call_seconds"):
            if key in row:
                best[key] = min(best[key], row[key])

    def all(self):
        for row in self.rows.values():
            print(f"{self.points}^3  {row['solver']:28} call {row['call_seconds'] * 1e3:8.2f} ms"
                  + (f"  solve {row['seconds'] * 1e3:8.2f} ms" if "seconds" in row else "")
                  + f"  {row['iterations']:4} iterations  residual {row['residual']:.1e}", file=sys.stderr)
        return list(self.rows.values())


def of_ridge(f, u, **words):
    import ridge as solvers
    how = solvers.solve("poisson", f, out=u, tol=1e-10, **words)
    return {"seconds": how.seconds, "iterations": how.iterations, "residual": how.residual, "method": how.method}


def periodic_on_gpu(n):
    import torch
    best = Best(n, torch.cuda.synchronize)
    f = torch.randn(n, n, n, dtype=torch.float64, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
    f -= f.mean()
    u, other = torch.full_like(f, float("nan")), torch.empty_like(f)
    whole = 2 * torch.cos(2 * torch.pi * torch.arange(n, device="cuda", dtype=torch.float64) / n) - 2
    symbol = whole[:, None, None] + whole[None, :, None] + whole[None, None, :n // 2 + 1]
    symbol[0, 0, 0] = 1

    def by_torch():
        spectrum = torch.fft.rfftn(f)
        spectrum /= symbol
        other.copy_(torch.fft.irfftn(spectrum, s=f.shape))
        return {"iterations": 1, "residual": 0.0}

    def residual(x):
        return float(torch.linalg.vector_norm(sum(torch.roll(x, s, d) for d in range(3) for s in (1, -1)) - 6 * x - f)
                     / torch.linalg.vector_norm(f))
    for _ in range(5):
        best.time("torch rfftn", by_torch)
        best.time("ridge auto, torch's arrays", lambda: of_ridge(f, u, boundary="periodic"))
    best.rows["torch rfftn"]["residual"] = residual(other)
    assert residual(u) < 1e-10 and float((u - other).abs().max()) < 1e-6
    return best.all()


def dirichlet_on_gpu(n):
    import inspect

    import cupy
    import cupyx.scipy.sparse as sparse
    from cupyx.scipy.sparse.linalg import cg
    best = Best(n + 1, cupy.cuda.Device().synchronize)
    f = cupy.random.RandomState(1).standard_normal((n + 1,) * 3)
    u, count = cupy.full_like(f, cupy.nan), n - 1
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(count, count))
    one = sparse.identity(count)
    matrix = (sparse.kron(sparse.kron(line, one), one) + sparse.kron(sparse.kron(one, line), one)
              + sparse.kron(sparse.kron(one, one), line)).tocsr()
    right = -f[1:-1, 1:-1, 1:-1].ravel()
    tolerance = {"rtol" if "rtol" in inspect.signature(cg).parameters else "tol": 1e-10}

    def by_cupyx():
        steps = []
        x, _ = cg(matrix, right, maxiter=10000, callback=lambda _: steps.append(1), **tolerance)
        return {"iterations": len(steps), "residual": float(cupy.linalg.norm(right - matrix @ x) / cupy.linalg.norm(right))}
    for i in range(5):
        for method in ("cg", "multigrid", "auto"):
            best.time(f"ridge {method}, CuPy's arrays",
                      lambda method=method: of_ridge(f, u, boundary="dirichlet:0", method=method))
        if i < 2:
            best.time("cupyx cg", by_cupyx)
    inner = u[1:-1, 1:-1, 1:-1].ravel()
    assert float(cupy.linalg.norm(right - matrix @ inner) / cupy.linalg.norm(right)) < 1e-9
    return best.all()


def on_gpu(sizes):
    rows = []
    for n in map(int, sizes):
        rows += periodic_on_gpu(n)
        rows += dirichlet_on_gpu(n) if n <= 256 else []
    print(json.dumps(rows, indent=1))


def processor_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    if sys.argv[1:2] == ["gpu"]:
        on_gpu(sys.argv[2:])
        return
    import h5py
    import numpy as np
    import pyamg
    machine = {"processor": processor_model(), "cores": len(os.sched_getaffinity(0))}
    program, rows = pathlib.Path(sys.argv[1]).resolve(), []
    built = tempfile.TemporaryDirectory()
    pfmg = build_hypre(pathlib.Path(built.name))
    for word in sys.argv[2:]:
        n, has_pyamg = int(word.removeprefix("hypre:")), not word.startswith("hypre:")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            f = np.random.default_rng(1).standard_normal((n, n, n))
            with h5py.File(folder / "f.h5", "w") as h5:
                h5["f"] = f
            setups, best, processor, idle, load = {}, {}, {}, 1e300, os.getloadavg()[0]
            if has_pyamg:
                matrix, right = laplacian(n - 2), -f[1:-1, 1:-1, 1:-1].ravel()
                begin = time.perf_counter()
                solver = pyamg.smoothed_aggregation_solver(matrix)
                setups["pyamg"] = time.perf_counter() - begin
            for i in range(3):
                if RANKS == "1":
                    used = ridge(program, folder, "multigrid", 0)[3]
                    idle = min(idle, used)
                for method in ("fft", "cg", "multigrid chebyshev", "multigrid"):
                    *took, used = ridge(program, folder, method)
                    name = f"ridge {method}"
                    best[name] = min(best.get(name, tuple(took)), tuple(took))
                    if method != "fft":
                        processor[name] = min(processor.get(name, used), used)
                for name, (*took, used, setup) in (hypre(pfmg, n) if pfmg else {}).items():
                    best[name] = min(best.get(name, tuple(took)), tuple(took))
                    processor[name] = min(processor.get(name, used), used)
                    setups[name] = min(setups.get(name, setup), setup)
                if has_pyamg and (i == 0 or n <= 200):
                    residuals = []
                    begin = time.perf_counter()
                    u = solver.solve(right, tol=1e-10, accel="cg", residuals=residuals)
                    seconds = time.perf_counter() - begin
                    took = (seconds, float(np.linalg.norm(right - matrix @ u) / np.linalg.norm(right)), len(residuals) - 1)
                    best["pyamg"] = min(best.get("pyamg", took), took)
                    with h5py.File(folder / "u.h5") as h5:
                        ours = h5["u"][1:-1, 1:-1, 1:-1].ravel()
                    assert np.abs(ours - u).max() < 1e-6 * np.abs(u).max(), "pyamg has another solution"
            for name, (seconds, residual, iterations) in best.items():
                row = {"points": n, "solver": name, "seconds": seconds, "iterations": iterations, "residual": residual,
                       **machine, "load": load}
                if name in setups:
                    row["setup_seconds"] = setups[name]
                if name in processor and RANKS == "1":
                    row["processor_seconds"] = processor[name] - (idle if name.startswith("ridge") else 0)
                if name == "pyamg":
                    row["version"] = pyamg.__version__
                rows.append(row)
                print(f"{n}^3  {name:26} {seconds * 1e3:9.1f} ms  {iterations:3.0f} iterations  residual {residual:.1e}"
                      + (f"  processor {row['processor_seconds'] * 1e3:9.1f} ms" if "processor_seconds" in row else ""), file=sys.stderr)
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
