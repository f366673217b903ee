"""Ctrl-C during `ridge apply`: the shell's exit code of a signal, one line, older files untouched, nothing half-done."""

import signal
import time

import h5py
import pytest
from conftest import left_in, let_it_work


def make_input(folder, side):
    """A cube that takes no space, as what was never written reads as 0; and an older output."""
    with h5py.File("in.h5", "w") as h5:
        h5.create_dataset("u", shape=(side, side, side), dtype="f4")
    (folder / "out.xdmf").write_text("old")


def require_untouched(folder):
    assert left_in(folder) == ["in.h5", "out.xdmf"]
    assert (folder / "out.xdmf").read_text() == "old"


def require_interrupted(run, which=signal.SIGINT):
    out, err = run.communicate(timeout=120)
    assert run.returncode == 128 + which, (out, err)
    assert err == "ridge: interrupted\n"
    assert out == ""


def apply(ridge, *options):
    return ridge.start("apply", "laplacian", "in.h5:/u", "-o", "out.h5:/f", "--overwrite",
                       *options)


def largest_partial(folder):
    """Bytes of the largest file in the making; they come and go while we look."""
    largest = 0
    for file in folder.glob(".*.partial"):
        try:
            largest = max(largest, file.stat().st_size)
        except FileNotFoundError:
            pass
    return largest


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_at_work(ridge, folder, which):
    make_input(folder, 320)
    run = apply(ridge, "--device", "simt:32")  # slow enough
    let_it_work(run)
    run.send_signal(which)
    require_interrupted(run, which)
    require_untouched(folder)


def test_while_writing(ridge, folder):
    make_input(folder, 400)
    run = apply(ridge, "--device", "cpu")
    began = time.monotonic()
    while largest_partial(folder) < 1 << 20:
        assert run.poll() is None and time.monotonic() - began < 600
    run.send_signal(signal.SIGINT)
    require_interrupted(run)
    require_untouched(folder)
