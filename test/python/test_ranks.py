"""Kernels on ranks that mpirun has started."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

MPIRUN = shutil.which("mpirun")
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"
pytestmark = pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun here")


def run(ranks, *words):
    several = [MPIRUN, "-n", str(ranks), "--oversubscribe", *["--allow-run-as-root"] * (os.getuid() == 0)]
    return subprocess.run([*several, sys.executable, *map(str, words)], capture_output=True, text=True,
                          timeout=400, check=False)


def test_the_example():
    pytest.importorskip("mpi4py")
    done = run(3, EXAMPLES / "ranks.py")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        f"rank {r} of 3: planes {a} to {b} are right" for r, (a, b) in
        enumerate([(1, 11), (12, 23), (24, 35)])]


def test_the_command_within_a_rank_runs_alone():
    text = ("import ridge; r = ridge.bench('laplacian', size=16, device='cpu', repeat=1)[0]; "
            "print(r.ok, r.get('ranks', 1))")
    done = run(2, "-c", text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True 1", "True 1"]


def test_the_command_over_ranks():
    done = run(2, "-m", "ridge", "bench", "laplacian", "--size", "16x12x20", "--ranks", "1x1x2", "--device",
               "cpu", "--repeat", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["ranks"] == 2
