"""Problems with published answers: bench/validation."""

import os
import subprocess
import sys

from conftest import ROOT


def require_agreement(ridge, problem):
    script = ROOT / "bench" / "validation" / f"{problem}.py"
    done = subprocess.run([sys.executable, "-B", str(script), str(ridge.program), "cpu", "--small"], capture_output=True,
                          text=True, timeout=120, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})  # fmt: skip
    assert done.returncode == 0 and done.stdout.endswith("agrees\n"), done.stdout + done.stderr
