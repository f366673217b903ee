"""What `ridge solve poisson` refuses."""

import os

import h5py
import numpy as np
import pytest


def write(file, path, values):
    with h5py.File(file, "a") as h5:
        h5[path] = values


BAD = [
    (["--boundary", "x=neumann:0,y=periodic,z=mirror", "--mask", "f.h5:/f"], "leaves no point"),
    (["--boundary", "x=neumann:0,y=mirror,z=mirror", "--mask", "f.h5:/wall"], "cuts off 56 points around x=0 y=0 z=0"),
    (["--boundary", "x=dirichlet:0,y=mirror,z=mirror", "--mask", "f.h5:/box"], "cuts off 1 point around x=3 y=2 z=2"),
    (["--boundary", "x=dirichlet:0,y=mirror,z=mirror", "--mask", "f.h5:/box", "--order", "4"], "mask goes with order 2"),
    (["--boundary", "x=dirichlet:0,y=dirichlet:0"], "face z- has no condition"),
    (["--boundary", "x=periodic,y=periodic,z=neumann:0"], "mean is 1 too large (--project removes it)"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--shift", "-1"], "shift of an elliptic problem"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--shift", "inf"], "at least 0, not inf"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--spacing", "1x1x1e-80"], "the spacing along z is 1e-80; fp64 takes 1e-70"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "-o", "/dev/full:/u"], "/dev/full is not a file that can be replaced"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--tol", "0"], "--tol is between 0 and 1"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:nothing.h5:/u"], "nothing.h5"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--spacing", "1x0x1"], "spacing"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--from", "f.h5:/small"],
     "--from f.h5:/small is 7x7x6 in fp64, and f.h5:/f 8x7x6 in fp64; both must be alike"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "-o", "f.h5:/u"], "f.h5"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--method", "magic"], "auto, fft, multigrid or cg"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--coefficient", "f.h5:/holes"],
     "the coefficient is -1 at x=3 y=2 z=1"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--order", "3"], "2, 4, 6 or 8, not 3"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--order", "4", "--coefficient", "f.h5:/f"], "goes with order 2"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--order", "4", "--method", "multigrid"], "cycles alone solve to order 2"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--method", "fft", "--coefficient", "f.h5:/f"], "take no coefficient"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--cycle", "full"], "--cycle is v, w or f, not 'full'"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--smoother", "jacobi"], "--smoother is chebyshev or red-black, not 'jacobi'"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--method", "cg", "--cycle", "f"], "f is not symmetric"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--precision", "half"], "--precision is auto, fp64 or mixed, not 'half'"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--method", "cg", "--precision", "mixed"], "it is for cycles alone"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--method", "fft", "--smoother", "chebyshev"], "no cycle and no smoother"),
]


@pytest.mark.parametrize("options, words", BAD)
def test_bad_input_is_told(ridge, folder, options, words):
    write("f.h5", "f", np.ones((6, 7, 8)))
    write("f.h5", "small", np.ones((6, 7, 7)))
    holes = np.ones((6, 7, 8))
    holes[1, 2, 3] = -1
    write("f.h5", "holes", holes)
    wall, box = np.zeros((6, 7, 8)), np.zeros((6, 7, 8))
    wall[1:3] = 1
    box[1:4, 1:4, 2:5] = 1
    box[2, 2, 3] = 0
    write("f.h5", "wall", wall)
    write("f.h5", "box", box)
    where = [] if "-o" in options else ["-o", "u.h5:/u"]
    ridge.bad("solve", "poisson", "f.h5:/f", *where, *options, "--device", "cpu", says=words)
    assert not os.path.exists("u.h5")


def test_values_that_are_no_numbers_are_refused(ridge, folder):
    f = np.ones((6, 7, 8))
    f[1, 2, 3] = np.nan
    write("f.h5", "f", f)
    ridge.bad("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=periodic,z=dirichlet:0",
              says="1 NaN and 0 infinite values, the first at x=3 y=2 z=1")


@pytest.mark.parametrize("words, says", [
    (("solve", "helmholtz"), ["solve has no command helmholtz; the commands are ", "poisson"]),
    (("solve",), ["solve needs a command; the commands are ", "poisson"]),
])
def test_words_that_solve_does_not_know(ridge, folder, words, says):
    ridge.bad(*words, says=says)
