"""What the command says: RIDGE, or build/ridge."""

import os
import subprocess

from blocks import ROOT


def said_by_ridge(*words):
    """Its output; ends the script where there is no command, or where it fails."""
    ridge = os.environ.get("RIDGE") or str(ROOT / "build/ridge")
    if not os.path.exists(ridge):
        raise SystemExit(f"there is no {ridge}: build it, or set RIDGE to the command")
    said = subprocess.run([ridge, *words], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise SystemExit(f"{ridge} {' '.join(words)}: {said.stderr.strip()}")
    return said.stdout
