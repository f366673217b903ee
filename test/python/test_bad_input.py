"""What a user may get wrong with a kernel's text or with processes: one line each, and no crash."""

import subprocess
import sys

import numpy as np
import pytest
from test_stencil import CPP

import ridge


@pytest.fixture
def u(rng):
    return rng.standard_normal((6, 9, 12))


def test_an_offset_outside_of_the_declared_footprint(u):
    wrong = ridge.stencil(source=CPP.replace("u(1, 0, 0)", "u(2, 0, 0)"), name="Heat")
    out = np.full_like(u, 5.0)
    for device in ("cpu", "simt:32"):
        with pytest.raises(ridge.UsageError, match=r"Heat reads neighbour \(2, 0, 0\).*footprint") as caught:
            wrong(u, out=out, rate=0.1, device=device)
        assert "\n" not in str(caught.value) and (out == 5).all()
    with pytest.raises(ridge.UsageError, match=r"Heat reads neighbour \(2, 0, 0\)"):
        ridge.sweeps(wrong, boundary="periodic").run(out, steps=3, rate=0.1)
    assert (out == 5).all()


def test_a_syntax_error_in_cpp_text(u):
    wrong = ridge.stencil(source=CPP.replace("double rate = 0;", "double rate = ;"), name="Heat")
    with pytest.raises(ridge.UsageError, match=r"^Heat\.hpp:\d+:\d+: .*expected") as caught:
        wrong(u, rate=0.1)
    assert "\n" not in str(caught.value)


def test_a_functor_that_is_not_there(u):
    with pytest.raises(ridge.UsageError, match="Cold"):
        ridge.stencil(source=CPP, name="Cold")(u, rate=0.1)
    with pytest.raises(ridge.TraceError, match="no name that C"):
        ridge.stencil(source=CPP, name="Heat; int x")


def test_an_output_that_is_the_input(heat, u):
    before = u.copy()
    with pytest.raises(ridge.UsageError, match="overlap"):
        heat(u, out=u, rate=0.1)
    np.testing.assert_array_equal(u, before)


def test_the_interpreter_ends_while_a_kernel_runs():
    text = """
import threading, numpy as np, ridge

@ridge.stencil
def queued(u):
    return u[0] + 1

u = np.zeros(2000)
queued(u, device="simt:32")
started = threading.Event()

def work():
    started.set()
    while True:
        queued(u, device="simt:32")

threading.Thread(target=work, daemon=True).start()
started.wait()
print("ends", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=400,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")
