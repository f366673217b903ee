"""Kernels on ranks that mpirun has started."""

import json
import os
import pathlib
import re
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


def lines_of(done):
    """What ranks have printed, in order; their lines may run into each other."""
    return sorted(re.findall(r"rank \d+ of \d+: .*? right", done.stdout))


def test_the_example_of_sweeps():
    done = run(2, EXAMPLES / "sweeps_on_ranks.py")
    assert done.returncode == 0, done.stderr
    assert lines_of(done) == [f"rank {r} of 2: {32**3 // 2} points are right" for r in (0, 1)]


def test_the_example():
    pytest.importorskip("mpi4py")
    done = run(3, EXAMPLES / "ranks.py")
    assert done.returncode == 0, done.stderr
    assert lines_of(done) == [
        f"rank {r} of 3: planes {a} to {b} are right" for r, (a, b) in
        enumerate([(1, 11), (12, 23), (24, 35)])]


HEAT = """
import sys
import numpy as np
import ridge

@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])

whole = np.random.default_rng(1).standard_normal((13, 9, 17))
"""
SWEEPS = HEAT + """
for boundary in ("periodic", "x=periodic,y-=dirichlet:1,y+=mirror", "untouched"):
    for schedule in ("auto", "sweeps=2"):
        in_time = ridge.sweeps(heat, boundary=boundary, points=whole.shape)
        a = whole[in_time.mine].copy()
        for steps in (5, 2):
            in_time.run(a, steps=steps, rate=0.1, schedule=schedule)
        assert in_time.steps_done == 2
        alone = whole.copy()
        for steps in (5, 2):
            ridge.sweeps(heat, boundary=boundary).run(alone, steps=steps, rate=0.1, schedule=schedule)
        assert np.array_equal(a, alone[in_time.mine]), (boundary, schedule)
here = ridge.ranks()
sys.stdout.write(f"{here.rank} {here.size} {in_time.record.get('ranks', 1)} {a.size}\\n")
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("text", [SWEEPS, "from mpi4py import MPI\n" + SWEEPS, SWEEPS +
                                  "from mpi4py import MPI\nassert MPI.COMM_WORLD.rank == here.rank\n"],
                         ids=["without mpi4py", "after mpi4py", "before mpi4py"])
def test_sweeps_have_the_bits_of_one_rank(ranks, text):
    if "mpi4py" in text:
        pytest.importorskip("mpi4py")
    done = run(ranks, "-c", text)
    assert done.returncode == 0, done.stderr
    said = [line.split() for line in done.stdout.splitlines()]
    assert sorted(line[0] for line in said) == [str(r) for r in range(ranks)]
    assert {tuple(line[1:3]) for line in said} == {(str(ranks), str(ranks))}
    assert sum(int(line[3]) for line in said) == 13 * 9 * 17


def test_an_error_on_one_rank_ends_all():
    done = run(2, "-c", HEAT + """
in_time = ridge.sweeps(heat, boundary="periodic", points=whole.shape)
a = whole[in_time.mine].copy()
if ridge.ranks().rank == 1:
    raise ValueError("not on this rank")
in_time.run(a, steps=1000000000, rate=0.1)
""")
    assert done.returncode != 0 and done.stderr.count("ValueError: not on this rank") == 1


@pytest.mark.parametrize("after", ["", "from mpi4py import MPI\n"], ids=["without mpi4py", "before mpi4py"])
@pytest.mark.parametrize("leave, code", [("sys.exit(3)", 3), ("raise SystemExit('a word')", 1)])
def test_an_exit_with_an_error_on_one_rank_ends_all(after, leave, code):
    if after:
        pytest.importorskip("mpi4py")
    done = run(2, "-c", HEAT + f"""
in_time = ridge.sweeps(heat, boundary="periodic", points=whole.shape)
a = whole[in_time.mine].copy()
here = ridge.ranks()
{after}
if here.rank == 1:
    {leave}
in_time.run(a, steps=1000000000, rate=0.1)
""")
    assert done.returncode == code, done.stderr


def test_an_exit_without_an_error_waits_for_the_others():
    done = run(2, "-c", HEAT + """
import time
here = ridge.ranks()
if here.rank == 1:
    sys.exit(0)
time.sleep(1)
print("done")
""")
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


def test_arrays_that_are_not_what_a_rank_owns():
    done = run(2, "-c", HEAT + """
in_time = ridge.sweeps(heat, boundary="periodic", points=whole.shape)
for wrong, error in ((lambda: in_time.run(whole, steps=1, rate=0.1), ridge.UsageError),
                     (lambda: ridge.sweeps(heat, points=(3, 4)), ridge.UsageError),
                     (lambda: ridge.sweeps(heat).mine, ridge.UsageError),
                     (lambda: ridge.sweeps(heat, points=(1, 1, 1)).mine, ridge.UsageError)):
    try:
        wrong()
    except error as e:
        if ridge.ranks().rank == 0:
            print(e)
""")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "rank 0 of 2 owns" in lines[0] and "(13, 9, 17)" in lines[0]
    assert "points=(3, 4)" in lines[1] and "made with points=" in lines[2] and "at least" in lines[3]


def test_the_command_within_a_rank_runs_alone():
    text = ("import ridge, sys; r = ridge.bench('laplacian', size=16, device='cpu', repeat=1)[0]; "
            "sys.stdout.write(f'{r.ok} {r.get(\"ranks\", 1)}\\n')")  # at once: print writes its parts
    done = run(2, "-c", text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True 1", "True 1"]


def test_the_command_over_ranks():
    done = run(2, "-m", "ridge", "bench", "laplacian", "--size", "16x12x20", "--ranks", "1x1x2", "--device",
               "cpu", "--repeat", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["ranks"] == 2
