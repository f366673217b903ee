"""While a kernel is compiled: Ctrl-C, and what is said of it."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

CALL = """
import sys, time
import numpy as np
import ridge

{before}

@ridge.stencil
def waits(u):
    return u[1] - u[0]

{beside}

try:
    waits(np.zeros(50), out=np.zeros(50))
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
except RuntimeError as e:
    print("Failure", e, flush=True)
"""


def start(folder, compiler, before="", beside=""):
    """A process whose kernels are compiled by a script."""
    script = folder / "slow-g++"
    script.write_text(f"#!/bin/sh\necho $$ > {folder}/pid\n{compiler}\n")
    script.chmod(0o755)
    environment = {**os.environ, "RIDGE_CXX": str(script), "RIDGE_CACHE": str(folder / "cache")}
    return subprocess.Popen([sys.executable, "-c", CALL.format(before=before, beside=beside)], env=environment,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def test_ctrl_c_is_a_keyboard_interrupt_and_ends_the_compiler(tmp_path):
    process = start(tmp_path, "exec sleep 1000")
    began = time.monotonic()
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() - began < 600
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)  # of 1000 s
    assert (out, process.returncode) == ("KeyboardInterrupt\n", 0), err
    compiler = pathlib.Path("/proc") / (tmp_path / "pid").read_text().strip()
    assert not compiler.exists()


@pytest.mark.parametrize("notebook", [True, False])
def test_a_notebook_shows_what_is_compiled(tmp_path, notebook):
    """... and removes it; elsewhere a short compilation is not worth a line."""
    process = start(tmp_path, "sleep 1.6; exit 1", "sys.modules['ipykernel'] = sys" if notebook else "")
    out, err = process.communicate(timeout=60)
    assert out.startswith("Failure"), err
    assert "slow-g++ failed with status 1" in out
    if notebook:
        assert "ridge: compiling waits with slow-g++ (1 of about 3 s)" in err.splitlines()
        assert err.splitlines()[-1].isspace()  # written over
    else:
        assert err == ""


def test_the_record_of_a_kernel_that_another_thread_compiles(tmp_path):
    """... is asked for meanwhile: neither waits for the other."""
    beside = f"""
import os, threading

def look():
    while not os.path.exists({str(tmp_path / 'pid')!r}):
        time.sleep(0.01)
    try:
        waits.record
    except ridge.UsageError as e:
        print(e, flush=True)

other = threading.Thread(target=look)
other.start()
import atexit
atexit.register(other.join)
"""
    process = start(tmp_path, "sleep 1; exit 1", beside=beside)
    out, err = process.communicate(timeout=100)
    assert "waits was not launched yet" in out and "Failure" in out, (out, err)
