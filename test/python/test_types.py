"""Types, as mypy and pyright see them: of the package, and of a program that uses it."""

import pathlib
import subprocess
import sys

import pytest

import ridge

USE = pathlib.Path(__file__).with_name("typed_use.py")
PACKAGE = pathlib.Path(ridge.__file__).parent


@pytest.mark.parametrize("words", [
    ["mypy", "--strict", "--no-incremental", "-p", "ridge"],
    ["mypy", "--strict", "--no-incremental", str(USE)],
    ["basedpyright", "--level", "error", "--project", "{config}", "--pythonpath", sys.executable],
], ids=["mypy, package", "mypy, use", "pyright"])
def test_types(words, tmp_path):
    # Pyright's own checks, of the fork of it that PyPI has whole.
    config = tmp_path / "pyrightconfig.json"
    config.write_text(f'{{"include": ["{USE}", "{PACKAGE}"], "typeCheckingMode": "standard", '
                      '"reportMissingImports": "none"}')
    done = subprocess.run([sys.executable, "-m", *(w.format(config=config) for w in words)],
                          capture_output=True, text=True, timeout=400, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
