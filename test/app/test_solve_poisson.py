"""`ridge solve poisson`: solutions against exact ones, and what has none."""

import os

import h5py
import numpy as np
import pytest


def write(file, path, values):
    with h5py.File(file, "a") as h5:
        h5[path] = values


def solution(file="u.h5", path="u"):
    with h5py.File(file) as h5:
        return h5[path][...], dict(h5[path].attrs)


def test_a_manufactured_solution_to_second_order(ridge, folder):
    worst = []
    for n in (17, 33):
        h = 1 / (n - 1)
        z, y, x = np.meshgrid(*[np.arange(n) * h] * 3, indexing="ij")
        exact = np.sin(np.pi * x) * np.cos(np.pi * y) * (1 + z)
        write(f"f{n}.h5", "f", -2 * np.pi**2 * exact)
        with h5py.File(f"walls{n}.h5", "w") as h5:
            h5["low"], h5["high"] = exact[0], exact[-1]
        ridge.good("solve", "poisson", f"f{n}.h5:/f", "-o", f"u{n}.h5:/u", "--spacing", h, "--device", "cpu", "--boundary",
                   f"x=dirichlet:0,y=neumann:0,z-=dirichlet:walls{n}.h5:/low,z+=dirichlet:walls{n}.h5:/high")
        got, attributes = solution(f"u{n}.h5")
        assert attributes["residual"][0] <= 1e-10
        worst.append(np.abs(got - exact).max())
    assert worst[1] < 1e-3 and 3.6 < worst[0] / worst[1] < 4.4


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
@pytest.mark.parametrize("dtype, tolerance", [("f8", 1e-10), ("f4", 1e-4)])
def test_a_periodic_box_is_as_its_symbol_says(ridge, folder, device, dtype, tolerance):
    f = np.random.default_rng(3).standard_normal((8, 12, 16)).astype(dtype)
    f -= f.mean(dtype="f8").astype(dtype)
    write("f.h5", "f", f)
    ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=periodic,z=periodic",
               "--spacing", "0.5x1x2", "--tol", tolerance, "--device", device, "--project")
    got, _ = solution()
    spectrum = np.fft.fftn(f.astype("f8"))
    symbol = 0
    for axis, h in enumerate((2, 1, 0.5)):
        k = np.fft.fftfreq(f.shape[axis]) * 2 * np.pi
        symbol = symbol + ((2 * np.cos(k) - 2) / h**2).reshape([-1 if a == axis else 1 for a in range(3)])
    symbol[0, 0, 0] = 1
    spectrum[0, 0, 0] = 0
    exact = np.fft.ifftn(spectrum / symbol).real
    assert np.abs(got - exact).max() < 100 * tolerance * np.abs(exact).max()
    assert got.dtype == dtype


def test_records_say_what_a_cycle_cost(ridge, folder):
    write("f.h5", "f", np.random.default_rng(4).standard_normal((20, 24)))
    record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary",
                         "x=mirror,y=dirichlet:1", "--json", "--device", "cpu").records()
    assert record["pattern"] == "solve" and record["kernel"] == "poisson" and record["size"] == [24, 20]
    assert record["residual"] <= 1e-10 and 0 < record["factor"] < 0.3 and record["seconds"] > 0
    table = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u2", "--boundary", "x=mirror,y=dirichlet:1",
                       "--overwrite", "--device", "cpu").out
    assert "cycle  residual  factor" in table and "wrote u.h5:/u2" in table


def test_a_guess_saves_cycles(ridge, folder):
    write("f.h5", "f", np.random.default_rng(5).standard_normal((16, 16, 16)))
    walls = ["--boundary", "x=dirichlet:0,y=periodic,z=neumann:0.1", "--device", "cpu", "--json"]
    first, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", *walls, "--tol", 1e-6).records()
    more, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "v.h5:/u", *walls, "--from", "u.h5:/u").records()
    assert first["residual"] <= 1e-6 and more["residual"] <= 1e-10 and more["cycles"] < 9


def test_a_coefficient_that_jumps_carries_one_flux(ridge, folder):
    """Between walls at 0 and 1 two layers share the fall as their resistances do."""
    n, low, high = 33, 1.0, 1000.0
    k = np.full((n, 5, 6), low)
    k[n // 2:] = high
    write("k.h5", "k", k)
    write("f.h5", "f", np.zeros((n, 5, 6)))
    record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--coefficient", "k.h5:/k", "--device", "cpu",
                         "--boundary", "x=periodic,y=mirror,z-=dirichlet:0,z+=dirichlet:1", "--json").records()
    assert record["schedule"].startswith("conjugate") and record["residual"] <= 1e-10
    got, _ = solution()
    between = 2 * k[:-1, 0, 0] * k[1:, 0, 0] / (k[:-1, 0, 0] + k[1:, 0, 0])
    exact = np.concatenate([[0], np.cumsum(1 / between)]) / np.sum(1 / between)
    assert np.abs(got - exact[:, None, None]).max() < 1e-8


BAD = [
    (["--boundary", "x=dirichlet:0,y=dirichlet:0"], "face z- has no condition"),
    (["--boundary", "x=periodic,y=periodic,z=neumann:0"], "mean is 1 too large (--project removes it)"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--shift", "-1"], "shift of an elliptic problem"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--tol", "0"], "--tol is between 0 and 1"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:nothing.h5:/u"], "nothing.h5"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--spacing", "1x0x1"], "spacing"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--from", "f.h5:/small"], "other extents"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "-o", "f.h5:/u"], "f.h5"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--method", "magic"], "auto, multigrid or cg"),
    (["--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--coefficient", "f.h5:/holes"],
     "the coefficient is -1 at x=3 y=2 z=1"),
]


@pytest.mark.parametrize("options, words", BAD)
def test_bad_input_is_told(ridge, folder, options, words):
    write("f.h5", "f", np.ones((6, 7, 8)))
    write("f.h5", "small", np.ones((6, 7, 7)))
    holes = np.ones((6, 7, 8))
    holes[1, 2, 3] = -1
    write("f.h5", "holes", holes)
    where = [] if "-o" in options else ["-o", "u.h5:/u"]
    ridge.bad("solve", "poisson", "f.h5:/f", *where, *options, "--device", "cpu", says=words)
    assert not os.path.exists("u.h5")


def test_values_that_are_no_numbers_are_refused(ridge, folder):
    f = np.ones((6, 7, 8))
    f[1, 2, 3] = np.nan
    write("f.h5", "f", f)
    ridge.bad("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=periodic,z=dirichlet:0",
              says="1 NaN")


def test_a_tolerance_that_is_not_reached_leaves_the_best_and_exits_1(ridge, folder):
    write("f.h5", "f", np.random.default_rng(6).standard_normal((24, 24, 24)).astype("f4"))
    ridge.bad("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary",
              "x=periodic,y=dirichlet:0,z=dirichlet:0", "--tol", "1e-13", "--device", "cpu", code=1,
              says="fp32 reaches no less here")
    _, attributes = solution()
    assert attributes["residual"][0] < 1e-4
