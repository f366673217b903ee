"""Every example runs."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"
# ranks.py is run on ranks by test_ranks.py, inversion.py by a test of the command, which has SciPy and h5py.
FILES = sorted(f for f in EXAMPLES.glob("*.py") if f.name not in ("ranks.py", "inversion.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_example(file):
    if file.name.startswith("torch"):
        pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-B", file], capture_output=True, text=True, timeout=400,
                          check=False)
    assert done.returncode == 0, done.stderr
