"""Ctrl-C in functions of the library that compute for long: each ends within a second, and the next call is right."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, threading, time
import numpy as np
import ridge

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(1)
{before}
def begun():
    {small}
begun()  # loads, compiles
sent = []
def interrupt():
    begin = time.process_time()
    while time.process_time() - begin < 1:
        time.sleep(0.02)
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {call}
except KeyboardInterrupt:
    took = time.process_time() - sent[0]
    begun()
    print("ended after", took)
else:
    print("was not interrupted")
"""

BODIES = "bodies = rng.random((4, 400000)); few = bodies[:, :50].copy()"
PULL = BODIES + """  # one launch

@ridge.pairs(targets=4, sources=4, sums=1)
def pull(t, s):
    return [sum(s[c] * t[c] for c in range(4))]
"""
# Before, a call of a moment, and one that would take far longer than it is waited for.
CALLS = {
    "gravity": (BODIES, "ridge.gravity(few)", "ridge.gravity(bodies, theta=0)"),
    "pairs": (PULL, "pull(few)", "pull(bodies)"),
    "neighbours": (BODIES + "; x = bodies[:3, ::4].copy()", "ridge.neighbours(x[:, :50].copy(), 0.1)",
                   "[ridge.neighbours(x, 0.1) for _ in range(1000)]"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_ends(name):
    require_end(*CALLS[name])


def require_end(before, small, call):
    """By one thread, and in time of the processor: other work of the machine is not counted."""
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(before=before, small=small, call=call)],
                          capture_output=True, text=True, timeout=200, check=False,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ended after "), done.stdout
    assert float(done.stdout.split()[-1]) < 1
