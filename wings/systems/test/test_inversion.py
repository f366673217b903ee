"""The example that finds layers from their shots, with a part of its iterations."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python" / "inversion.py"


@pytest.mark.usefixtures("folder")
def test_the_loss_falls(ridge):
    done = subprocess.run([sys.executable, "-B", EXAMPLE, "6"], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "RIDGE": ridge.program})
    assert done.returncode == 0, done.stderr
    fell, = re.findall(r"the loss fell by (\d+) in 6 iterations", done.stdout)
    assert int(fell) >= 20
