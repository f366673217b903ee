"""Numbers of built-in systems: what --set and --by-step take and refuse."""

import numpy as np
import pytest

from system_runs import evolve, places, read, write

pytestmark = pytest.mark.usefixtures("folder")
START = ["in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "2"]


@pytest.mark.parametrize("system, setting, says", [
    ("shallow-water", "dry=-1", "--set dry=-1: 0 or a finite number above it is right for dry of shallow-water, water "
                                "less deep does not flow"),
    ("shallow-water", "gravity=0", "--set gravity=0: a finite number above 0 is right"),
    ("shallow-water", "gravity=-9.81", "--set gravity=-9.81: a finite number above 0 is right"),
    ("shallow-water", "gravity=nan", "--set gravity=nan: expected MEMBER=NUMBER"),
    ("shallow-water", "gravity=inf", "--set gravity=inf: expected MEMBER=NUMBER"),
    ("shallow-water", "gravity=1e999", "--set gravity=1e999: expected MEMBER=NUMBER"),
    ("shallow-water", "gravty=9", "shallow-water has no number 'gravty' to set; the nearest is 'gravity'; it has gravity "
                                  "(9.81; the acceleration of gravity), dry (1e-06; water less deep does not flow)"),
    ("shallow-water", "h=1", "'h' is a field"),
    ("lbm-d3q19", "tau=0.5", "--set tau=0.5: a finite number above 0.5 is right for tau of lbm-d3q19, relaxation time"),
    ("lbm-d3q19", "tau=-1", "a finite number above 0.5 is right"),
    ("lbm-d3q19", "force_x=inf", "expected MEMBER=NUMBER"),
    ("lbm-d3q19", "force_w=1", "the nearest is 'force_x'; it has tau (0.8; relaxation time"),
    ("lbm-d3q19", "foo=1", "lbm-d3q19 has no number 'foo' to set; it has tau (0.8; relaxation time in steps; the "
                           "viscosity is (tau - 1/2) / 3), force_x (0; force on a point along x), force_y"),
    ("lbm-d3q19", "rho=2", "lbm-d3q19 has no number 'rho' to set; 'rho' is a field, by default 1, and comes from INPUT "
                           "as a dataset of that name"),
    ("acoustic", "foo=1", "acoustic has no number 'foo' to set: it has none"),
    ("elastic", "mu=1", "elastic has no number 'mu' to set; 'mu' is a field, by default 1"),
    ("maxwell", "eps0=1", "maxwell has no number 'eps0' to set: it has none"),
])
def test_numbers_that_cannot_be_or_are_not_there(ridge, system, setting, says):
    write(**{{"lbm-d3q19": "ux", "shallow-water": "h", "elastic": "rho", "maxwell": "eps"}.get(system, "c"):
             np.ones((4, 5))})
    ridge.bad("evolve", system, *START, "--set", setting, says=says)


def test_the_help_lists_numbers(ridge):
    shown = ridge.good("evolve", "--help").out
    assert "--set gravity=9.81: the acceleration of gravity" in shown and "--set tau=0.8: relaxation time" in shown


def test_the_step_is_that_of_the_numbers(ridge):
    """A larger gravity has faster waves, and water as deep as `dry` does not count as flowing."""
    h = np.array([[1.0, 1e-9, 1, 1]] * 4)
    write(h=h, hu=np.where(h < 1, 1.0, 0))
    words = ("evolve", "shallow-water", *START, "--overwrite", "--dt", "1", "--set")
    stable = 1 / (2 * np.sqrt(9.81 * 4) * 2)
    ridge.bad(*words, "gravity=39.24", says=f"the largest stable step of shallow-water here is {stable:.9g}")
    ridge.bad(*words, "dry=1e-10", says="the largest stable step of shallow-water here is 2.5e-10")


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_a_force_by_step_moves_the_fluid(ridge, device):
    """A uniform fluid gets half of a step's force before it is seen and half after: velocities are exact."""
    force = np.random.default_rng(3).standard_normal((3, 9)) * 1e-3
    for axis, values in zip("xyz", force):
        np.savetxt(f"{axis}.txt", values)
    ux = 0.01
    write(ux=np.full((3, 4, 5), ux), rho=np.full((3, 4, 5), 1.25))
    tables = [word for axis in "xyz" for word in ("--by-step", f"force_{axis}={axis}.txt")]
    words = ("evolve", "lbm-d3q19", "in.h5", "-o", "out.h5", "--overwrite", "--device", device, "--every", "1")
    ran = ridge(*words, "--steps", "12", *tables)
    assert ran.code == 0 and ran.err.count("has 9 values, and the run 12 steps: the last one holds") == 3, ran.err
    given = np.concatenate([force, np.repeat(force[:, -1:], 3, axis=1)], axis=1) / 1.25
    for step in range(13):
        # From the middle of the first step's force to that of the last one's.
        moved = 0 if step == 0 else given[:, :step].sum(axis=1) + (given[:, 0] - given[:, step - 1]) / 2
        for found, right in zip(read("ux", "uy", "uz", step=step), np.array([ux, 0, 0]) + moved):
            np.testing.assert_allclose(found, right, atol=2e-15)
    whole = read("ux", "f7")
    assert ridge(*words, "--steps", "5", *tables).code == 0
    assert ridge("evolve", "--restart", "out.h5", "--steps", "7", "--device", device).code == 0
    np.testing.assert_array_equal(read("ux", "f7"), whole)


# In 16 bits on the emulated GPU, for which the kernels compile in a fifth of the time.
@pytest.mark.parametrize("more", [("--device", "simt:32", "--store-as", "fp16"), ("--device", "cpu")])
def test_a_table_of_equal_values_is_the_number(ridge, more):
    random = np.random.default_rng(4)
    write(ux=0.05 * random.random((5, 6, 7)).astype("f4"), solid=(random.random((5, 6, 7)) < 0.2).astype("f4"))
    words = ("evolve", "lbm-d3q19", "in.h5", "-o", "out.h5", "--overwrite", "--steps", "6", *more)
    ridge.good(*words, "--set", "tau=0.7", "--set", "force_y=1e-3")
    right = read("uy", "f3")
    for name, value in (("tau", "0.7"), ("force_y", "1e-3")):
        with open(f"{name}.txt", "w") as out:
            out.write(f"{value}\n" * 6)
    assert ridge(*words, "--by-step", "tau=tau.txt", "--by-step", "force_y=force_y.txt").code == 0
    np.testing.assert_array_equal(read("uy", "f3"), right)


def test_tables_that_cannot_be(ridge):
    write(ux=np.zeros((4, 4, 4)))
    with open("tau.txt", "w") as out:
        out.write("0.8\n0.5\n")
    words = ("evolve", "lbm-d3q19", *START)
    ridge.bad(*words, "--by-step", "tau=tau.txt",
              says="lbm-d3q19: value 2 of 'tau' is 0.5; a finite number above 0.5 is right")
    ridge.bad(*words, "--by-step", "foo=tau.txt",
              says="lbm-d3q19 has no number 'foo' that steps may change; it has tau, force_x, force_y, force_z")
    ridge.bad(*words, "--by-step", "tau=tau.txt", "--set", "tau=0.8",
              says="--set tau=0.8 and --by-step tau=tau.txt: give one of them")
    write(h=np.ones((4, 5)))
    ridge.bad("evolve", "shallow-water", *START, "--by-step", "gravity=ricker:1",
              says="shallow-water has no number 'gravity' that steps may change: it has none. Those of lbm-d3q19 may")


def test_a_channel_of_exact_walls_is_a_parabola(ridge):
    """Where (tau - 1/2)^2 is 3/16 walls lie exactly half-way, and the profile has no error but rounding."""
    n, tau, force = 6, 0.5 + np.sqrt(3 / 16), 1e-5
    solid = np.zeros((n + 2, 3, 3))
    solid[0] = solid[-1] = 1
    write(solid=solid)
    evolve(ridge, "lbm-d3q19", "--steps", "1600", "--every", "1600", "--set", f"tau={float(tau)!r}", "--set",
           f"force_x={force}", "--schedule", "threads=1")
    z = np.arange(n) + 0.5
    right = force / (2 * (tau - 0.5) / 3) * z * (n - z)
    np.testing.assert_allclose(read("ux")[1:-1, 1, 1], right, rtol=1e-9)


@pytest.mark.parametrize("system, states, media", [
    ("acoustic", "p vx vy vz", "c rho"), ("elastic", "vx vy vz sxx syy szz sxy sxz syz", "rho lambda mu"),
    ("maxwell", "ex ey ez hx hy hz", "eps")])
def test_rows_of_packs_have_the_bits_of_other_rows(ridge, system, states, media):
    """27 points around are 54 of twice the same: GPUs march through those two points a lane."""
    random = np.random.default_rng(3)
    for precision in ("f4", "f8"):
        fields = {name: random.standard_normal((9, 10, 27)).astype(precision) for name in states.split()}
        fields |= {name: (1 + random.random((9, 10, 27))).astype(precision) for name in media.split()}
        found = []
        for times in (1, 2):
            write(**{name: np.tile(values, (1, 1, times)) for name, values in fields.items()})
            evolve(ridge, system, "--steps", "5", "--boundary", "x=periodic,y=antimirror", device="simt:32")
            found.append(read(*states.split()))
        for name, odd, even in zip(states.split(), *found):
            assert np.tile(odd, (1, 1, 2)).tobytes() == even.tobytes(), (name, precision)
            assert np.isfinite(odd).all() and odd.any()
