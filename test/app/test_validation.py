"""Small forms of problems with published answers: bench/validation."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT

PROBLEMS = ["bowl", "cavity", "cylinder", "dam", "half_space", "hump", "lake", "modes", "point_force", "point_source",
            "poiseuille", "taylor_green"]  # fmt: skip


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_agrees_with_what_is_printed(ridge, problem):
    require_agreement(ridge, problem)


def require_agreement(ridge, problem):
    script = ROOT / "bench" / "validation" / f"{problem}.py"
    done = subprocess.run([sys.executable, "-B", str(script), str(ridge.program), "cpu", "--small"], capture_output=True,
                          text=True, timeout=120, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})  # fmt: skip
    assert done.returncode == 0 and done.stdout.endswith("agrees\n"), done.stdout + done.stderr
