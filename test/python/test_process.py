"""Kernels in processes as Python has them: many at once, forked, interrupted, without a compiler."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import let_it_work

import ridge

KERNEL = """
import numpy as np, os, sys, threading
import ridge

@ridge.stencil
def {name}(u):
    return u[0, 1] + u[0, -1] + u[1, 0] - 3 * u[-1, 0]

u = np.arange(600.0).reshape(20, 30) ** 2
def right(out):
    return np.array_equal(out[1:-1, 1:-1], u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] - 3 * u[:-2, 1:-1])
"""


def script(name, text):
    return [sys.executable, "-c", KERNEL.format(name=name) + text]


@pytest.fixture
def counting_compiler(tmp_path, monkeypatch):
    """A compiler that writes a line for each time it compiles, and a cache of its own. What it is
    asked for its folders (-v -E) compiles nothing."""
    log = tmp_path / "log"
    log.touch()
    compiler = tmp_path / "g++-counted"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *"-v -E"*) ;; *) echo x >> {log};; esac\n'
                        'exec g++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("RIDGE_CXX", str(compiler))
    monkeypatch.setenv("RIDGE_CACHE", str(tmp_path / "cache"))
    return lambda: len(log.read_text().split())


def test_cold_processes_and_threads_compile_once(counting_compiler):
    text = """
results = [None] * 16
def call(i):
    results[i] = cold(u)
threads = [threading.Thread(target=call, args=(i,)) for i in range(16)]
[t.start() for t in threads]
[t.join() for t in threads]
assert all(right(r) for r in results)
"""
    running = [subprocess.Popen(script("cold", text)) for _ in range(16)]
    assert [p.wait(timeout=400) for p in running] == [0] * 16
    assert counting_compiler() == 2  # what the kernel is, and the kernel


def test_a_forked_child_computes():
    text = """
assert right(forked(u, schedule="threads=2"))
child = os.fork()
ok = right(forked(u, schedule="threads=2")) and right(forked(u, device="simt:32"))
if child == 0:
    os._exit(0 if ok else 1)
assert ok and os.waitpid(child, 0)[1] == 0
"""
    assert subprocess.run(script("forked", text), timeout=400, check=False).returncode == 0


def test_the_calling_thread_keeps_its_processors():
    text = """
before = os.sched_getaffinity(0)
assert right(placed(u, schedule="threads=2"))
assert os.sched_getaffinity(0) == before
"""
    assert subprocess.run(script("placed", text), timeout=400, check=False).returncode == 0


@pytest.mark.parametrize("variables, spins", [({}, "20000"), ({"GOMP_SPINCOUNT": "7"}, "7")])
def test_threads_soon_leave_the_processor_to_others(variables, spins):
    text = "import os, ridge; print(os.environ.get('GOMP_SPINCOUNT'))"
    left = {k: v for k, v in os.environ.items() if not k.startswith(("GOMP_", "OMP_"))}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=400, check=True,
                          env={**left, "OMP_DISPLAY_ENV": "verbose", **variables})
    assert f"GOMP_SPINCOUNT = '{spins}'" in done.stderr
    assert done.stdout.strip() == variables.get("GOMP_SPINCOUNT", "None")


@pytest.mark.parametrize("variables, says", [
    ({"RIDGE_CXX": "/nowhere/g++"}, "RIDGE_CXX=/nowhere/g++ is not there"),
    ({"RIDGE_COMPILE": "off"}, "RIDGE_COMPILE=off; unset it"),
])
def test_without_a_compiler(variables, says, tmp_path):
    text = """
try:
    absent(u)
except ridge.Failure as e:
    print(e)
"""
    done = subprocess.run(script("absent", text), capture_output=True, text=True, timeout=400, check=True,
                          env={**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), **variables})
    assert says in done.stdout and len(done.stdout.splitlines()) == 1


def test_a_cache_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run(script("uncached", "assert right(uncached(u))"), capture_output=True, text=True,
                          timeout=400, check=True,
                          env={**os.environ, "RIDGE_CACHE": str(tmp_path / "file" / "cache")})
    assert "what is compiled now is not kept" in done.stderr and len(done.stderr.splitlines()) == 1


def test_ctrl_c_ends_a_measurement(heat):
    text = """
out = np.full_like(u, 5.0)
print("ready", flush=True)
try:
    stopped.measure(u, out=out, repeat=1000000000)
except KeyboardInterrupt:
    assert (out == 5).all()
    sys.exit(7)
"""
    running = subprocess.Popen(
        script("stopped", text), stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert running.stdout.readline() == "ready\n"
    let_it_work(running)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=400) == 7


def test_other_threads_run_meanwhile(heat):
    import threading

    u = np.ones((64, 64, 64))
    heat(u, device="simt:32")
    done = threading.Event()
    thread = threading.Thread(target=lambda: (heat(u, device="simt:32"), done.set()))
    started = time.thread_time(), time.process_time()
    thread.start()
    while not done.is_set():
        pass
    # Of the processor's time, not the clock's: other work on the machine does not count.
    mine, both = time.thread_time() - started[0], time.process_time() - started[1]
    thread.join()
    assert mine > 0.1 * both


def test_the_command_comes_along():
    done = subprocess.run([sys.executable, "-m", "ridge", "devices"], capture_output=True, text=True,
                          timeout=400, check=True)
    assert "simt:32" in done.stdout
    done = subprocess.run([sys.executable, "-m", "ridge", "bench", "nothing"], capture_output=True,
                          text=True, timeout=400, check=False)
    assert done.returncode == 2
    assert ridge.devices()[-3:] == ["cpu", "simt:32", "simt:64"]
