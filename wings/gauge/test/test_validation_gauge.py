"""The scripts of bench/validation for lattice gauge theory, in their small forms."""

import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["plaquette", "free_quarks", "gauge_covariance"])
def test_small_forms_agree(ridge, folder, name):
    script = ROOT / "bench" / "validation" / f"{name}.py"
    done = subprocess.run([sys.executable, script, ridge.program, "cpu", "--small", "--folder", folder], check=False,
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "agrees", done.stdout
    assert list(folder.iterdir()) == []
