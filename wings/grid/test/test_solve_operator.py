"""`ridge solve poisson --operator FILE.hpp:Name`: a symmetric functor of the user's, by conjugate gradients."""

import h5py
import numpy as np
import pytest

from user_kernels import cache, env  # noqa: F401 -- fixtures

OPERATORS = """
#include <ridge/stencil/kernel.hpp>
struct Op { // of fourth derivatives along x, too: of no built-in method
  static constexpr ridge::stencil::Footprint<9> footprint{
      {{{0, 0, 0}, {-2, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}}};
  double c = 0.5, across_alone = 0, upwind = 0, bend = 0;
  template <class N> RIDGE_FN auto operator()(const N& u) const {
    const auto along = 6 * u(0, 0, 0) - 4 * (u(-1, 0, 0) + u(1, 0, 0)) + (u(-2, 0, 0) + u(2, 0, 0));
    const auto across = 4 * u(0, 0, 0) - (u(0, -1, 0) + u(0, 1, 0)) - (u(0, 0, -1) + u(0, 0, 1));
    const auto second = 2 * u(0, 0, 0) - u(-1, 0, 0) - u(1, 0, 0);
    return (c + bend * u(0, 0, 0)) * u(0, 0, 0) + (1 - across_alone) * along + across_alone * second + across -
           upwind * u(-1, 0, 0);
  }
};
"""


def op(c=0.5, **changed):
    """An operator: its description is compiled for the members that are set, and so once for all tests."""
    members = {"c": c, "across_alone": 0, "upwind": 0, "bend": 0, **changed}
    return ["--operator", "op.hpp:Op", *(word for name, value in members.items() for word in ("--set", f"{name}={value}"))]


@pytest.fixture(scope="session")
def where(tmp_path_factory):
    """Of the operators: what was compiled goes by a file's path, so they have one."""
    folder = tmp_path_factory.mktemp("operators")
    (folder / "op.hpp").write_text(OPERATORS)
    return folder


@pytest.fixture
def problem(where, monkeypatch):
    monkeypatch.chdir(where)
    for file in where.iterdir():
        if file.suffix != ".hpp":
            file.unlink()
    f = np.random.default_rng(4).standard_normal((8, 10, 12))
    with h5py.File("f.h5", "w") as h5:
        h5["f"] = f
    return f


def applied(u, walls, c):
    """In plain loops of NumPy: u continued by two points beyond its faces."""
    pads = {"periodic": lambda v: np.concatenate([v[-2:], v, v[:2]]),
            "dirichlet": lambda v: np.concatenate([[2 * v[0] - v[2], 2 * v[0] - v[1]], v, [2 * v[-1] - v[-2], 2 * v[-1] - v[-3]]]),
            "neumann": lambda v: np.concatenate([[v[2], v[1]], v, [v[-2], v[-3]]])}

    def shifted(axis, by):
        wide = np.apply_along_axis(pads[walls[axis]], axis, u)
        return np.take(wide, np.arange(u.shape[axis]) + 2 + by, axis)

    along = 6 * u - 4 * (shifted(2, -1) + shifted(2, 1)) + shifted(2, -2) + shifted(2, 2)
    across = 4 * u - shifted(1, -1) - shifted(1, 1) - shifted(0, -1) - shifted(0, 1)
    return c * u + along + across


def test_it_gives_what_the_operator_takes_back(ridge, env, problem):
    record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", *op(c=0.25), "--boundary",
                         "x=dirichlet:1.5,y=periodic,z=neumann:0", "--device", "cpu", "--json", env=env).records()
    assert record["kernel"] == "op.hpp:Op" and record["schedule"] == "conjugate gradients" and record["residual"] <= 2e-10
    with h5py.File("u.h5") as h5:
        u = h5["u"][...]
        assert h5["u"].attrs["operator"] == "op.hpp:Op"
    assert np.all(u[:, :, 0] == 1.5) and np.all(u[:, :, -1] == 1.5)
    difference = applied(u, ("neumann", "periodic", "dirichlet"), 0.25) - problem
    assert np.abs(difference[:, :, 1:-1]).max() < 1e-7


@pytest.mark.parametrize("words, says", [
    (op(upwind=0.5), "not symmetric"),
    (op(bend=1), "not linear"),
    (["--operator", "laplacian"], "FILE.hpp:Name"),
    ([*op(), "--order", 4], "takes no --coefficient"),
    (["--set", "c=1"], "--set is for an operator"),
])
def test_what_it_refuses(ridge, env, problem, words, says):
    ridge.bad("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=periodic,z=periodic", "--device", "cpu",
              *words, says=says, env=env)


def test_the_best_is_kept(ridge, env, problem):
    """Where the residual grew since."""
    words = ("solve", "poisson", "f.h5:/f", "--device", "cpu", "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0")
    done = ridge(*words, "-o", "u.h5:/u", *op(c=-3, across_alone=1), env=env)
    assert done.code == 1 and "an operator that has both signs" in done.err
    with h5py.File("u.h5") as h5:
        u, facts = h5["u"][...], dict(h5["u"].attrs)
    assert facts["converged"][0] == 0 and facts["residual"][0] < 1
    f = problem[1:-1, 1:-1, 1:-1]
    applied_there = (3 * u - sum(np.roll(u, s, d) for d in range(3) for s in (1, -1)))[1:-1, 1:-1, 1:-1]
    residual = np.linalg.norm(applied_there - f) / np.linalg.norm(f)
    assert abs(residual - facts["residual"][0]) < 1e-6
    # A tolerance that rounding does not let through is met by rounding, which is said.
    done = ridge(*words, "-o", "v.h5:/u", *op(), "--tol", "1e-20", env=env)
    assert done.code == 0 and "rounding" in done.out


def test_equations_have_names(ridge, folder):
    with h5py.File("f.h5", "w") as h5:
        h5["f"] = np.random.default_rng(5).standard_normal((6, 7, 8))
        h5["k"] = np.full((6, 7, 8), 2.0)
    solve = ("solve", "poisson", "f.h5:/f", "--boundary", "x=dirichlet:0,y=periodic,z=neumann:0", "--device", "cpu", "--overwrite", "-o")

    def got(*options):
        ridge.good(*solve, "u.h5:/u", *options)
        with h5py.File("u.h5") as h5:
            return h5["u"][...]

    plain = got()
    assert np.abs(plain).max() > 0.1
    assert np.array_equal(got("--operator", "poisson"), plain)
    assert np.abs(2 * got("--operator", "diffusion", "--coefficient", "f.h5:/k") - plain).max() < 1e-8
    assert np.array_equal(got("--operator", "helmholtz", "--shift", "3.5"), got("--shift", "3.5"))
    for options, words in ((("diffusion",), "takes --coefficient"), (("helmholtz", "--coefficient", "f.h5:/k"), "diffusion does"),
                           (("poisson", "--shift", "1"), "helmholtz does"), (("heat",), "poisson, helmholtz, diffusion or FILE.hpp:Name")):
        ridge.bad(*solve, "v.h5:/u", "--operator", *options, says=(words,))


def test_what_fp32_leaves_of_it_goes_on_in_fp64(ridge, env, folder):
    """It ended at a residual of 0.05 after 1600 iterations, and said that it had converged."""
    with open("op.hpp", "w") as out:
        out.write(OPERATORS)
    with h5py.File("f.h5", "w") as h5:
        h5["f"] = np.random.default_rng(5).standard_normal((8, 32, 64)).astype("f4")
    (record,) = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=periodic,z=periodic", *op(c=1e-6),
                           "--tol", 1e-6, "--device", "cpu", "--json", env=env).records()  # fmt: skip
    assert record["in_fp64"] == 1 and record["residual"] <= 1e-6
