"""Media, places and wavelets of `ridge evolve` of systems: what it refuses before the first step, what places mean."""

import h5py
import numpy as np
import pytest

from system_runs import evolve, places, read, write

pytestmark = pytest.mark.usefixtures("folder")
START = ["in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "2"]


@pytest.mark.parametrize("system, field, value, says", [
    ("acoustic", "rho", 0, "'rho' is 0 at point x=5, y=3, z=1, counted from 0; a finite number above 0 is right"),
    ("acoustic", "rho", -1, "'rho' is -1 at point"),
    ("acoustic", "rho", np.nan, "'rho' is nan at point"),
    ("acoustic", "c", -2, "'c' is -2 at point"),
    ("acoustic", "c", 0, "'c' is 0 at point"),
    ("acoustic", "c", np.inf, "'c' is inf at point"),
    ("elastic", "rho", -1, "'rho' is -1 at point"),
    ("elastic", "mu", -0.1, "'mu' is -0.1 at point x=5, y=3, z=1, counted from 0; 0 or a finite number above it"),
    ("elastic", "lambda", -2, "'lambda + 2 mu' is 0 at point"),
    ("elastic", "lambda", np.nan, "'lambda + 2 mu' is nan at point"),
    ("maxwell", "eps", 0, "'eps' is 0 at point"),
    ("maxwell", "eps", -3, "'eps' is -3 at point"),
    ("maxwell", "eps", np.nan, "'eps' is nan at point"),
    ("shallow-water", "h", -0.5, "'h' is -0.5 at point x=5, y=3, z=0"),
    ("shallow-water", "h", np.nan, "'h' is nan at point"),
    ("shallow-water", "hu", np.nan, "'hu' is nan at point"),
    ("shallow-water", "bottom", np.inf, "'bottom' is inf at point"),
    ("lbm-d3q19", "rho", 0, "'rho' is 0 at point"),
    ("lbm-d3q19", "uy", np.nan, "'uy' is nan at point"),
    ("lbm-d3q19", "solid", np.nan, "'solid' is nan at point"),
    ("lbm-d3q19", "uy", 2, "'(ux^2 + uy^2 + uz^2)^(1/2)' is 2 at point x=5, y=3, z=1, counted from 0; a speed below that "
                           "of sound, 0.577, is right"),
])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_medium_that_cannot_be(ridge, system, field, value, says, dtype):
    shape = (7, 9) if system == "shallow-water" else (4, 7, 9)
    fields = {"h": np.ones(shape, dtype)} if system == "shallow-water" else {}
    fields.setdefault(field, (0 if field in ("uy", "solid", "hu", "bottom") else 1) * np.ones(shape, dtype))
    fields[field][(3, 5) if system == "shallow-water" else (1, 3, 5)] = value
    write(**fields)
    ridge.bad("evolve", system, *START, says=["in.h5: ", says.replace("-0.1", f"{np.dtype(dtype).type(-0.1):g}")])
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "1", says="out.h5")  # nothing was written


def test_what_a_medium_may_be(ridge):
    write(mu=np.zeros((4, 7, 9)))  # a liquid
    evolve(ridge, "elastic", "--steps", "2")
    write(**{"mu": np.ones((4, 7, 9)), "lambda": np.full((4, 7, 9), -1.5)})
    evolve(ridge, "elastic", "--steps", "2")
    write(h=np.array([[1.0, 0, -1e-9, 1]] * 4))  # rounding of a run before
    evolve(ridge, "shallow-water", "--steps", "2")
    solid = np.zeros((4, 4, 4))
    solid[1] = 1
    rho = np.where(solid > 0, 0, 1.0)  # nothing else counts in a solid
    write(solid=solid, rho=rho, uy=np.where(solid > 0, np.nan, 0))
    evolve(ridge, "lbm-d3q19", "--steps", "2")
    assert np.isfinite(read("rho")).all()


def test_a_system_of_users_refuses_as_built_in_ones(ridge):
    with open("line.hpp", "w") as out:
        out.write(LINE)
    write(u=np.ones(9), k=np.linspace(1, -1, 9))
    ridge.bad("evolve", "./line.hpp:Line", *START, "--dt", "0.1",
              says="'k' is -0.25 at point x=5, y=0, z=0, counted from 0; 0 or a finite number above it is right")


LINE = """
#include <ridge/chain/operation.hpp>
#include <ridge/chain/system/problem.hpp>
namespace mine {
inline constexpr ridge::chain::Slot<0> u;
inline constexpr ridge::chain::Slot<1> k;
struct Push {
  static constexpr const char* name = "push";
  static constexpr std::array accesses{read(u), read(k), write(u)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const { at.set(u, at(u) - at(k) * at(u)); }
};
}
struct Line {
  static constexpr const char* name = "line";
  static constexpr std::array arrays{ridge::chain::update("u"), ridge::chain::input("k")};
  static constexpr std::array dimensions{ridge::chain::given(1)};
  std::tuple<mine::Push> operations;
  ridge::chain::FieldProblem problem_at(const double* at) const {
    return ridge::chain::unless_at_least_0("k", at[1]);
  }
};
"""


@pytest.mark.parametrize("place, says", [
    ((4, 1, -0.5), "z=-0.5 lies outside the domain, which goes from 0 to 7"),
    ((4, 9.5, 1), "y=9.5 lies outside the domain, which goes from 0 to 9"),
    ((-1, 1, 1), "x=-1 lies outside the domain, which goes from 0 to 11"),
])
@pytest.mark.parametrize("option", ["--source", "--receivers"])
def test_places_outside_are_said_with_their_line(ridge, option, place, says):
    write(c=np.ones((8, 10, 12)))
    places("places.csv", (4, 1, 1), place)
    words = ["--wavelet", "ricker:0.1"] if option == "--source" else []
    ridge.bad("evolve", "acoustic", *START, option, "places.csv", *words,
              says=f"{option} places.csv, line 3: {says}")


def test_wavelets_that_steps_cannot_show(ridge):
    write(c=np.ones((8, 10, 12)))
    places("s.csv", (4, 1, 1), (5, 1, 1))
    words = ["evolve", "acoustic", *START, "--dt", "0.25", "--overwrite", "--source", "s.csv", "--wavelet"]
    ridge.bad(*words, "ricker:2", says="--wavelet ricker:2: steps of 0.25 show frequencies below 2, 1 / (2 dt); give a "
                                       "lower one, or --dt below 0.25")
    ridge.bad(*words, "ricker:1e9", says="show frequencies below 2")
    ran = ridge(*words, "ricker:1")
    assert ran.code == 0 and ran.err == ("ridge: the wavelet ricker:1 also has frequencies beyond 2, 1 / (2 dt), which "
                                         "steps of 0.25 turn into others; --dt 0.2 does not\n")
    ridge.good(*words, "ricker:0.8")


def test_numbers_as_fortran_writes_them(ridge):
    write(c=np.ones((8, 10, 12)))
    found = []
    for place, wavelet in (("4,1,1,2", "1.5\n-0.25\n"), ("+4.,+0.1E+01,1.,+2", " +1.5E+00\r\n -2.5E-01\r\n")):
        with open("s.csv", "w", newline="") as out:
            out.write(f"x,y,z,amplitude\n{place}\n")
        with open("w.txt", "w", newline="") as out:
            out.write(wavelet)
        words = (*START, "--overwrite", "--source", "s.csv", "--wavelet", "w.txt")
        ridge.good("evolve", "acoustic", *words)
        found.append(read("p"))
    assert np.abs(found[0]).max() > 0
    np.testing.assert_array_equal(found[1], found[0])
    for word in ("+-1", "++1", "+"):
        with open("w.txt", "w") as out:
            out.write(word)
        ridge.bad("evolve", "acoustic", *words, says=f"--wavelet w.txt, line 1: '{word}' is no number")
    ridge.bad("evolve", "acoustic", *words[:-1], "ricker:1e-320", says="ricker:FREQUENCY or ricker:FREQUENCY:DELAY is right")


def test_too_few_items_for_walls(ridge):
    write(c=np.ones((8, 5, 12)))
    words = ("evolve", "acoustic", *START, "--overwrite", "--boundary", "y=antimirror")
    ridge.bad(*words, says="5 items along y are too few for what 'p' shows beyond its faces; operations read it 4 points "
                           "away, for which 6 are enough, or 1")
    for n in (6, 1):
        write(c=np.ones((8, n, 12)))
        ridge.good(*words)


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
def test_sources_and_receivers_between_points_are_linear(ridge, device):
    shape = (20, 21, 22)
    z, y, x = np.meshgrid(*map(np.arange, shape), indexing="ij")
    one_step = ["--steps", "1", "--every", "1", "--dt", "0.1", "--spacing", "2"]
    with open("w.txt", "w") as out:
        out.write("3\n")
    # After the step the points around share all that a source adds at rest.
    write(c=np.ones(shape))
    places("s.csv", (20.5, 18.2, 16.0, "p"), (17, 17.4, 19.5, "vx"), columns="x,y,z,array")
    evolve(ridge, "acoustic", *one_step, "--source", "s.csv", "--wavelet", "w.txt", device=device)

    def hat(at, i):
        return np.maximum(0, 1 - np.abs(at - i))
    p, vx = read("p", "vx")
    np.testing.assert_allclose(p, 3 * hat(10.25, x) * hat(9.1, y) * hat(8, z), atol=1e-15)
    np.testing.assert_allclose(vx, 3 * hat(8.5, x + 0.5) * hat(8.7, y) * hat(9.75, z), atol=1e-15)
    # A receiver has what a linear function is at its place; so far inside a step adds what slopes say.
    write(p=2.0 + x - 3 * y + z / 2, vx=x + 0.5 + 4 * y - z)
    places("r.csv", (20.5, 18.2, 16.6, "p"), (17, 17.4, 19.5, "vx"), columns="x,y,z,array")
    evolve(ridge, "acoustic", *one_step, "--receivers", "r.csv", device=device)
    with h5py.File("out.traces.h5") as h5:
        found = h5["traces"][:, 0]
    step = 0.1 / 2
    np.testing.assert_allclose(found, [2 + 10.25 - 3 * 9.1 + 8.3 / 2 - step, 8.5 + 4 * 8.7 - 9.75 - step], atol=1e-13)


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
@pytest.mark.parametrize("axis, name, array", [(1, "x", "vx"), (0, "y", "vy")])
def test_values_and_slopes_beyond_faces(ridge, axis, name, array, device):
    n, h, dt, value, slope = 14, 0.25, 0.05, 0.7, 0.4
    p = np.random.default_rng(8).standard_normal((n, n))
    along = np.moveaxis(p, axis, 0)  # a view
    along[0] = value
    write(p=p)
    evolve(ridge, "acoustic", "--steps", "1", "--dt", str(dt), "--spacing", str(h), "--boundary",
           f"p.{name}-=dirichlet:{value},p.{name}+=neumann:{slope}", device=device)
    k = np.arange(1, 5)[:, None]
    beyond = np.concatenate([(2 * value - along[1:5])[::-1], along, along[-2:-6:-1] + 2 * k * h * slope])
    weights = 1225 / 1024, -245 / 3072, 49 / 5120, -5 / 7168
    right = sum(w * (beyond[5 + m:5 + m + n - 1] - beyond[4 - m:4 - m + n - 1]) for m, w in enumerate(weights))
    found = np.moveaxis(read(array), axis, 0)[:n - 1]  # the last one lies beyond the last point
    np.testing.assert_allclose(found, -dt / h * right, atol=1e-14)
