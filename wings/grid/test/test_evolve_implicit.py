"""`ridge evolve heat --implicit`: the decay of discrete modes, steps far above the explicit limit, restarts."""

import h5py
import numpy as np
import pytest


def write(values, file="u0.h5"):
    with h5py.File(file, "w") as h5:
        h5["u"] = values


def state(step, out="out"):
    with h5py.File(f"{out}.h5") as h5:
        return h5[next(f"snapshots/{n}/u" for n in h5["snapshots"] if int(n) == step)][...]


def evolve(ridge, *words, out="out", scheme="crank-nicolson", device="cpu"):
    return ridge.good("evolve", "heat", "u0.h5:/u", "-o", f"{out}.h5", "--implicit", scheme, "--device", device,
                      *words)


def mode(shape, spacing):
    """A mode of a box that is dirichlet in x, neumann in y, periodic in z, and its discrete eigenvalue."""
    nz, ny, nx = shape
    z, y, x = np.meshgrid(*[np.arange(n) for n in shape], indexing="ij")
    u = np.sin(2 * np.pi * x / (nx - 1)) * np.cos(np.pi * y / (ny - 1)) * np.cos(2 * np.pi * z / nz)
    angles = (2 * np.pi / (nx - 1), np.pi / (ny - 1), 2 * np.pi / nz)
    return u, sum((2 - 2 * np.cos(a)) / h**2 for a, h in zip(angles, spacing))


@pytest.mark.parametrize("scheme", ["backward-euler", "crank-nicolson"])
@pytest.mark.parametrize("device", ["cpu", "simt:64"])
def test_modes_decay_as_the_scheme_says(ridge, folder, scheme, device):
    u, eigenvalue = mode((12, 13, 17), (0.5, 1, 2))
    write(u)
    dt, rate, steps = 40.0, 0.25, 3  # the largest explicit step is 0.38
    record, = evolve(ridge, "--boundary", "x=dirichlet:0,y=neumann:0,z=periodic", "--spacing", "0.5x1x2", "--dt", dt,
                     "--diffusivity", rate, "--steps", steps, "--json", scheme=scheme, device=device).records()
    a = dt * rate * eigenvalue
    factor = 1 / (1 + a) if scheme == "backward-euler" else (1 - a / 2) / (1 + a / 2)
    assert abs(factor) < 0.9
    assert np.abs(state(steps) - factor**steps * u).max() < 1e-9
    assert record["worst_residual"] <= 1e-10 and record["cycles_per_step"] >= 1
    assert record["flops"] is None and "flops: not counted" in record["convention"]


def test_crank_nicolson_is_of_second_order_in_time_and_euler_of_first(ridge, folder):
    u = np.sin(np.pi * np.arange(33) / 32)
    eigenvalue = 2 - 2 * np.cos(np.pi / 32)
    write(u)
    time = 64.0  # an e-th in 104
    errors = {}
    for scheme in ("backward-euler", "crank-nicolson"):
        for steps in (4, 8):
            out = f"{scheme}{steps}"
            evolve(ridge, "--boundary", "x=dirichlet:0", "--dt", time / steps, "--steps", steps, out=out, scheme=scheme)
            errors[scheme, steps] = np.abs(state(steps, out) - np.exp(-eigenvalue * time) * u).max()
    assert 1.7 < errors["backward-euler", 4] / errors["backward-euler", 8] < 2.3
    assert 3.6 < errors["crank-nicolson", 4] / errors["crank-nicolson", 8] < 4.4
    assert errors["crank-nicolson", 4] < 3e-3


def test_it_comes_to_rest_at_what_the_faces_say(ridge, folder):
    write(np.random.default_rng(1).standard_normal((9, 14)))
    evolve(ridge, "--boundary", "x-=dirichlet:1,x+=neumann:0.5,y=mirror", "--dt", 1e6, "--steps", 2,
           scheme="backward-euler")
    assert np.abs(state(2) - (1 + 0.5 * np.arange(14))).max() < 1e-5


@pytest.mark.parametrize("z", ["z=neumann:0.1", "z-=mirror,z+=neumann:0.1"])
def test_a_run_goes_on_bit_by_bit(ridge, folder, z):
    write(np.random.default_rng(2).standard_normal((10, 12, 9)))
    walls = ("--boundary", f"x=dirichlet:1,y=periodic,{z}", "--dt", 3, "--every", 2)
    evolve(ridge, *walls, "--steps", 6, out="whole")
    evolve(ridge, *walls, "--steps", 4)
    ridge.good("evolve", "--restart", "out.h5", "--steps", 2, "--device", "cpu")
    assert np.array_equal(state(6), state(6, "whole"))
    with h5py.File("out.h5") as h5:
        assert h5.attrs["schedule"].startswith("fft")
        assert h5.attrs["implicit"] == "crank-nicolson" and h5.attrs["tolerance"] == 1e-10
    ridge.bad("evolve", "--restart", "out.h5", "--steps", 2, "--tol", 1e-3, says="--tol cannot be given with --restart")


def test_fp32_reaches_its_own_tolerance(ridge, folder):
    u, eigenvalue = mode((8, 9, 17), (1, 1, 1))
    write(u.astype("f4"))
    evolve(ridge, "--boundary", "x=dirichlet:0,y=neumann:0,z=periodic", "--dt", 5, "--steps", 1)
    a = 5 * eigenvalue / 2
    assert np.abs(state(1) - (1 - a) / (1 + a) * u).max() < 5e-5


@pytest.mark.parametrize("words, says", [
    (["--implicit", "leapfrog", "--dt", 1], "backward-euler or crank-nicolson"),
    (["--implicit", "crank-nicolson"], "needs --dt"),
    (["--implicit", "crank-nicolson", "--dt", "auto"], "needs --dt"),
    (["--implicit", "crank-nicolson", "--dt", 1, "--tol", 2], "--tol is between 0 and 1"),
    (["--implicit", "crank-nicolson", "--dt", 1, "--schedule", "auto"], "--schedule is for explicit steps"),
    (["--implicit", "crank-nicolson", "--dt", 1, "--boundary", "x=periodic"], "face y- has no condition"),
    (["--tol", 0.1], "--tol goes with --implicit"),
    (["--reproducible"], "--reproducible goes with --implicit"),
])
def test_what_it_refuses(ridge, folder, words, says):
    write(np.ones((5, 6)))
    walls = [] if "--boundary" in words else ["--boundary", "x=periodic,y=mirror"]
    ridge.bad("evolve", "heat", "u0.h5:/u", "-o", "out.h5", *walls, *words, "--device", "cpu", says=says)


def test_it_is_for_heat_and_diffusion(ridge, folder):
    write(np.ones((5, 6)))
    ridge.bad("evolve", "wave", "u0.h5:/u", "-o", "out.h5", "--implicit", "crank-nicolson", "--dt", 1,
              says="--implicit is for heat and diffusion")


def conducting(k, low):
    """-div(k grad) between faces of 0 in x that hold `low` and 0, faces in y through which nothing flows, as a
    matrix, and what the faces add: k is the harmonic mean between points, and points on faces in y are halved."""
    ny, nx = k.shape
    inside = nx - 2
    matrix, added = np.zeros((ny * inside, ny * inside)), np.zeros(ny * inside)

    def mean(a, b):
        return 2 * a * b / (a + b)
    for y in range(ny):
        for x in range(1, nx - 1):
            row = y * inside + x - 1
            for side in (-1, 1):
                w = mean(k[y, x], k[y, x + side])
                matrix[row, row] += w
                if 0 < x + side < nx - 1:
                    matrix[row, row + side] -= w
                elif x + side == 0:
                    added[row] += w * low
                if 0 <= y + side < ny:
                    w = mean(k[y, x], k[y + side, x]) * (2 if y in (0, ny - 1) else 1)
                    matrix[row, row] += w
                    matrix[row, row + side * inside] -= w
    return matrix, added


@pytest.mark.parametrize("scheme, device", [("backward-euler", "cpu"), ("crank-nicolson", "cpu"),
                                            ("crank-nicolson", "simt:32")])
def test_a_coefficient_field(ridge, folder, scheme, device):
    random = np.random.default_rng(7)
    u, k = random.standard_normal((19, 34)), 10 ** random.uniform(-1, 1, (19, 34))
    write(u)
    with h5py.File("k.h5", "w") as h5:
        h5["k"] = k
    dt, steps = 3.0, 4  # the largest explicit step is 0.025
    walls = ("--boundary", "x-=dirichlet:0.7,x+=dirichlet:0,y=neumann:0", "--coefficient", "k.h5:/k")
    record, = ridge.good("evolve", "diffusion", "u0.h5:/u", "-o", "out.h5", *walls, "--implicit", scheme, "--device",
                         device, "--dt", dt, "--steps", steps, "--json").records()
    matrix, added = conducting(k, 0.7)
    theta, one = {"backward-euler": 1, "crank-nicolson": 0.5}[scheme], np.eye(len(matrix))
    x = u[:, 1:-1].ravel()
    for _ in range(steps):
        x = np.linalg.solve(one + theta * dt * matrix, x - (1 - theta) * dt * matrix @ x + dt * added)
    assert np.abs(state(steps)[:, 1:-1].ravel() - x).max() < 1e-8
    assert record["worst_residual"] <= 1e-10 and record["schedule"].startswith("conjugate gradients")
    if device == "cpu":
        ridge.good("evolve", "--restart", "out.h5", "--steps", 2, "--device", "cpu")
        ridge.good("evolve", "diffusion", "u0.h5:/u", "-o", "whole.h5", *walls, "--implicit", scheme, "--device", device,
                   "--dt", dt, "--steps", steps + 2)
        assert np.array_equal(state(6), state(6, "whole"))


def test_a_coefficient_that_is_not_positive(ridge, folder):
    write(np.ones((5, 6)))
    k = np.ones((5, 6))
    k[3, 2] = 0
    with h5py.File("k.h5", "w") as h5:
        h5["k"] = k
    ridge.bad("evolve", "diffusion", "u0.h5:/u", "-o", "out.h5", "--boundary", "x=dirichlet:0,y=mirror", "--implicit",
              "crank-nicolson", "--dt", 1, "--coefficient", "k.h5:/k", "--device", "cpu",
              says="the coefficient is 0 at x=2 y=3")


def test_a_tolerance_that_the_precision_does_not_reach(ridge, folder):
    """The steps are as right as the precision allows."""
    u = np.random.default_rng(3).standard_normal((8, 9))
    found = []
    for kind, tolerance in (("f4", 1e-14), ("f8", 1e-10)):
        write(u.astype(kind))
        words = ["--boundary", "x=dirichlet:0,y=mirror", "--dt", 100, "--steps", 3, "--tol", tolerance, "--reproducible", "--overwrite"]
        evolve(ridge, *words)
        found.append(state(3))
    assert np.abs(found[0] - found[1]).max() < 1e-5


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("words", [[], ["--reproducible"]])
def test_values_without_a_norm_are_told(ridge, folder, value, words):
    """They gave a field of zeros."""
    u = np.random.default_rng(4).standard_normal((8, 9))
    u[3, 4] = value
    write(u)
    done = ridge("evolve", "heat", "u0.h5:/u", "-o", "out.h5", "--boundary", "x=dirichlet:0,y=mirror", "--implicit", "backward-euler",
                 "--dt", 10, "--steps", 2, "--device", "cpu", *words)
    assert done.code == 1 and "values that are not finite, or too large" in done.err.splitlines()[-1]
    assert np.array_equal(state(0)[:, 1:-1], u[:, 1:-1], equal_nan=True)


def test_fields_in_16_bits_are_for_explicit_steps(ridge, folder):
    write(np.ones((8, 9), "f4"))
    ridge.bad("evolve", "heat", "u0.h5:/u", "-o", "out.h5", "--boundary", "x=dirichlet:0,y=mirror", "--store-as", "fp16",
              "--implicit", "backward-euler", "--dt", "1", says="is for explicit steps")
