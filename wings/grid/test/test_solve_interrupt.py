"""Ctrl-C during `ridge solve poisson`: the solution so far is written, whole, and says that it has not converged."""

import os
import pty
import re
import select
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from conftest import left_in
from over_ranks import ENVIRONMENT, MPICH, MPIRUN, descendants, lines_of_ridge

SIDE = 40
WALLS = ("--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0")


def words(*options, out="u.h5", tolerance=1e-13):
    """On an emulated GPU a cycle takes long, so that many are left after the first."""
    return ["solve", "poisson", "f.h5:/f", "-o", f"{out}:/u", *WALLS, "--device", "simt:32", "--tol", str(tolerance), *options]


@pytest.fixture
def f(folder):
    values = np.random.default_rng(5).standard_normal((SIDE,) * 3)
    with h5py.File("f.h5", "w") as h5:
        h5["f"] = values
    return values


class Terminal:
    """Progress is shown on terminals alone: it says when the first cycle is done."""

    def __init__(self):
        self.ours, self.theirs = pty.openpty()
        self.name, self.seen = os.ttyname(self.theirs), b""

    def wait_for(self, text, run):
        began = time.monotonic()
        while text not in self.seen:
            assert run.poll() is None and time.monotonic() - began < 100, self.seen
            if select.select([self.ours], [], [], 1)[0]:
                self.seen += os.read(self.ours, 4096)

    def rest(self):
        """What is still written until all have closed it."""
        os.close(self.theirs)
        try:
            while got := os.read(self.ours, 4096):
                self.seen += got
        except OSError:
            pass
        os.close(self.ours)
        return re.sub("\x1b.K|\r", "\n", self.seen.decode())


def require_part(f, cycles_of_all=40):
    """The file is whole, and its residual is the one that it says."""
    assert left_in(".") == ["f.h5", "u.h5", "u.xdmf"]
    with h5py.File("u.h5") as h5:
        u, facts = h5["u"][...], dict(h5["u"].attrs)
    assert np.isfinite(u).all() and facts["converged"][0] == 0 and facts["tolerance"][0] == 1e-13
    assert 1 <= facts["cycles"][0] < cycles_of_all and 1e-13 < facts["residual"][0] < 0.5
    inner = (slice(1, -1),) * 3
    laplacian = sum(np.roll(u, s, d) for d in range(3) for s in (1, -1)) - 6 * u
    residual = np.linalg.norm((laplacian - f)[inner]) / np.linalg.norm(f[inner])
    assert abs(residual - facts["residual"][0]) < 1e-3 * residual
    return facts


@pytest.mark.parametrize("which, options", [
    (signal.SIGINT, ["--method", "multigrid"]),
    (signal.SIGINT, ["--method", "cg"]),
    (signal.SIGTERM, ["--method", "multigrid", "--cycle", "w", "--reproducible"])])
def test_the_solution_so_far_is_kept(ridge, f, which, options):
    terminal = Terminal()
    run = ridge.start(*words(*options), stderr=terminal.theirs)
    terminal.wait_for(b"cycle 1:", run)
    run.send_signal(which)
    out, _ = run.communicate(timeout=100)
    assert run.returncode == 128 + which
    assert lines_of_ridge(terminal.rest()) == ["ridge: interrupted"]
    assert "wrote u.h5:/u" in out
    facts = require_part(f)
    assert f"{facts['residual'][0]:.1e}" in out
    # It goes on from there.
    half = facts["residual"][0] / 2
    more, = ridge.good(*words(*options, "--from", "u.h5:/u", "--json", out="v.h5", tolerance=half)).records()
    assert 1 <= more["cycles"] <= 3 and more["residual"] <= half


def test_ranks_keep_it_together(mpi, ridge, f):
    """A rank that is asked to stop takes the others along; rank 0 writes."""
    terminal = Terminal()
    run = subprocess.Popen([MPIRUN, "-n", "2", "sh", "-c", f'exec "$0" "$@" 2>{terminal.name}', ridge.program,
                            *words("--method", "cg")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    terminal.wait_for(b"cycle 1:", run)
    ranks = descendants(run.pid, ridge.program)
    assert len(ranks) == 2
    os.kill(ranks[1], signal.SIGINT)
    out, _ = run.communicate(timeout=100)
    assert run.returncode == 130 or (MPICH and run.returncode != 0)
    line, = lines_of_ridge(terminal.rest())
    assert re.fullmatch("ridge: rank [01]: interrupted", line)
    assert "wrote u.h5:/u" in out
    require_part(f)
