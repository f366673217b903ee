"""`ridge evolve --restart` goes on with the kernel that the run began with, or not at all."""

import os
import shutil

import h5py
import numpy as np
import pytest
from test_evolve import snapshot, write
from user_kernels import cache, env  # noqa: F401 -- fixtures

KERNEL = """
#include <ridge/stencil/kernel.hpp>
#include "rate.hpp"
#include <far.hpp>
struct Decay {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + RATE * FAR * (u(-1, 0, 0) - 2.0 * u(0, 0, 0) + u(1, 0, 0));
  }
};
"""


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """One place for the folders of all runs: a kernel at one path is compiled once."""
    return tmp_path_factory.mktemp("runs") / "one"


@pytest.fixture
def run(ridge, place, env, monkeypatch):
    """A run of 4 steps from the folder `min i`, whose name is awkward for lists of words."""
    folder = place
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    monkeypatch.chdir(folder)
    os.mkdir("min i")
    os.mkdir("far")
    os.chdir("min i")
    (folder / "min i/kern.hpp").write_text(KERNEL)
    (folder / "min i/rate.hpp").write_text("#define RATE 0.25\n")
    (folder / "far/far.hpp").write_text("#define FAR 0.5\n")
    write(u=np.random.default_rng(1).random(20))
    env = {**env, "CPATH": str(folder / "far")}

    def start(output, steps):
        return ridge.good("evolve", "./kern.hpp:Decay", "in.h5:/u", "-o", output, "--device", "cpu",
                          "--boundary", "x=periodic", "--steps", steps, env=env)

    start("out.h5", 4)
    start.env, start.folder = env, folder / "min i"
    return start


def test_another_kernel_is_refused(ridge, run):
    here = run.folder
    restart = ["evolve", "--restart", "out.h5", "--steps", 4]
    for name, change in [("kern.hpp", lambda t: t.replace("2.0 *", "2.5 *")),
                         ("rate.hpp", lambda t: "#define RATE 0.125\n"),
                         ("../far/far.hpp", lambda t: "#define FAR 0.75\n")]:
        text = (here / name).read_text()
        (here / name).write_text(change(text))
        ridge.bad(*restart, env=run.env,
                  says=["the kernel", "kern.hpp was changed since the run in out.h5 began", "start anew"])
        (here / name).write_text(text)
    # An environment that leads to another header.
    os.mkdir("other")
    (here / "other/far.hpp").write_text("#define FAR 0.1\n")
    ridge.bad(*restart, env={**run.env, "CPATH": str(here / "other")}, says="was changed since")
    # Words for people change nothing.
    (here / "kern.hpp").write_text("// Decays.\n" + KERNEL.replace("return u", "return  /* so */\n  u"))
    ridge.good(*restart, env=run.env)
    run("straight.h5", 8)
    assert np.array_equal(snapshot(file="out.h5"), snapshot(file="straight.h5"))


def test_from_another_folder_it_is_the_same_kernel(ridge, run):
    run("straight.h5", 8)
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    (run.folder / "elsewhere/kern.hpp").write_text(KERNEL.replace("2.0 *", "2.5 *"))
    (run.folder / "elsewhere/rate.hpp").write_text("#define RATE 1\n")
    ridge.good("evolve", "--restart", "../out.h5", "--steps", 4, env=run.env)
    assert np.array_equal(snapshot(file="../out.h5"), snapshot(file="../straight.h5"))
    # A run of an earlier version, which kept neither.
    os.chdir("..")
    with h5py.File("out.h5", "a") as h5:
        del h5.attrs["kernel_digest"], h5.attrs["folder"]
    result = ridge("evolve", "--restart", "out.h5", "--steps", 4, env=run.env)
    assert result.code == 0
    (line,) = result.err.splitlines()
    assert "no digest of its kernel" in line
    ridge.good("evolve", "--restart", "out.h5", "--steps", 4, env=run.env)
    # Where the folder of the start is gone, names lead from here.
    os.chdir("..")
    shutil.move("min i", "moved")
    os.chdir("moved")
    (run.folder.parent / "moved/rate.hpp").write_text("#define RATE 0.125\n")
    ridge.bad("evolve", "--restart", "straight.h5", "--steps", 4, env=run.env, says="was changed since")
    os.remove("kern.hpp")
    ridge.bad("evolve", "--restart", "straight.h5", "--steps", 4, env=run.env,
              says="there is no kernel file")


def test_coefficients_are_found_from_another_folder(ridge, folder):
    write(u=np.ones((5, 5, 5)), k=np.ones((5, 5, 5)), wall=np.ones((5, 5)))
    ridge.good("evolve", "diffusion", "in.h5:/u", "-o", "out.h5", "--coefficient", "in.h5:/k", "--steps", 2,
               "--boundary", "x-=dirichlet:in.h5:/wall", "--device", "cpu")
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    ridge.good("evolve", "--restart", "../out.h5", "--steps", 2)
