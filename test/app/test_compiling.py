"""While a kernel is compiled: what a terminal shows, and Ctrl-C."""

import os
import pathlib
import pty
import signal
import time

import pytest
from conftest import until_it_heeds_signals
from user_kernels import HEAT

BENCH = ("bench", "./heat.hpp:Heat", "--device", "cpu", "--size", "16x16x16", "--no-roof")


@pytest.fixture
def slow_compiler(folder, monkeypatch):
    """A compiler that says where it and its part are, takes its time and fails."""
    script = folder / "slow-g++"
    compiler = os.environ.get("CXX", "g++")
    script.write_text("#!/bin/sh\n" # what it is asked for its folders it says at once
                      f"case \"$*\" in *'-v -E'*) exec {compiler} \"$@\";; esac\n"
                      f"(echo $$; exec sh -c 'echo $$; exec sleep 1000') > {folder}/pids\n"
                      "exit 1\n")
    script.chmod(0o755)
    (folder / "heat.hpp").write_text(HEAT)
    monkeypatch.setenv("RIDGE_CXX", str(script))
    monkeypatch.setenv("RIDGE_CACHE", str(folder / "cache"))
    return folder / "pids"


def wait_for_compiler(pids):
    end = time.monotonic() + 300  # however busy the machine is: a description may be compiled before
    while time.monotonic() < end:
        if pids.exists() and len(pids.read_text().split()) == 2:
            return [int(pid) for pid in pids.read_text().split()]
        time.sleep(0.05)
    raise AssertionError("no compiler was started")


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("which, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_the_compiler(ridge, slow_compiler, folder, which, status):
    run = ridge.start(*BENCH)
    compilers = wait_for_compiler(slow_compiler)
    run.send_signal(which)
    out, err = run.communicate(timeout=300)  # of 1000 s
    assert (run.returncode, out, err) == (status, "", "ridge: interrupted\n")
    assert not any(map(is_running, compilers))
    assert not list((folder / "cache").glob("compiling-*"))


def test_an_interrupt_ends_the_wait_for_another_process(ridge, slow_compiler):
    first = ridge.start(*BENCH)
    wait_for_compiler(slow_compiler)
    second = ridge.start(*BENCH)  # waits for what the first compiles
    until_it_heeds_signals(second)
    time.sleep(1)
    assert second.poll() is None
    second.send_signal(signal.SIGINT)
    out, err = second.communicate(timeout=300)  # of 1000 s
    assert (second.returncode, out, err) == (130, "", "ridge: interrupted\n")
    assert first.poll() is None
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=300)


def test_an_interrupt_ends_compilers_that_run_side_by_side(ridge, slow_compiler):
    """Executors of several schedules, which others compile while the first thread waits."""
    # ... of a built-in kernel, which needs no description
    run = ridge.start("bench", "laplacian", *BENCH[2:], "--schedule", "space")
    compilers = wait_for_compiler(slow_compiler)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=300)
    assert run.returncode == 130 and err.endswith("ridge: interrupted\n"), (out, err)
    assert not any(map(is_running, compilers))


def test_a_terminal_shows_what_is_compiled(ridge, slow_compiler):
    ours, theirs = pty.openpty()
    run = ridge.start(*BENCH, stderr=theirs)
    os.close(theirs)
    wait_for_compiler(slow_compiler)
    seen = b""
    while b"compiling" not in seen:
        seen += os.read(ours, 1000)
    run.send_signal(signal.SIGINT)
    while b"interrupted" not in seen:
        seen += os.read(ours, 1000)
    assert run.wait(timeout=300) == 130
    os.close(ours)
    assert b"ridge: compiling heat with slow-g++ (1 of about 3 s)" in seen
    assert seen.endswith(b"\r\x1b[Kridge: interrupted\r\n")


def test_a_compiler_that_was_killed_is_no_fault_of_the_kernel(ridge, slow_compiler, folder):
    pathlib.Path(os.environ["RIDGE_CXX"]).write_text("#!/bin/sh\nkill -9 $$\n")
    ridge.bad(*BENCH, code=1, says=["ended by a signal", "memory"], env=dict(os.environ))
