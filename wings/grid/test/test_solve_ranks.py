"""`mpirun -n N ridge solve poisson`: the bits of one rank on any number."""

import json

import h5py
import numpy as np
import pytest

from conftest import Ridge, left_in
from over_ranks import ENVIRONMENT, refused

MIXED = "x=dirichlet:0.5,y-=neumann:0.3,y+=mirror,z-=dirichlet:walls.h5:/low,z+=neumann:0.1"


def fields(shape, dtype="f8"):
    """f, a coefficient over two decades, a mask and faces of walls."""
    random = np.random.default_rng(11)
    z, y, x = np.indices(shape)
    with h5py.File("in.h5", "w") as h5:
        h5["f"] = random.standard_normal(shape).astype(dtype)
        h5["k"] = (10 ** np.sin(0.3 * x + 0.2 * y + 0.1 * z) * random.uniform(1, 2, shape)).astype(dtype)
        h5["mask"] = ((abs(z - shape[0] // 2) < 3) & (x > 4) & (y < 6)).astype(dtype)
        h5["guess"] = random.standard_normal(shape).astype(dtype)
    with h5py.File("walls.h5", "w") as h5:
        h5["low"] = random.standard_normal(shape[1:])
        h5["side"] = random.standard_normal((shape[0], shape[2]))


def on(mpi, ranks, *words, **options):
    """One rank needs no launcher, which takes longest."""
    return mpi(ranks, *words, **options) if ranks > 1 else Ridge(mpi.program)(*words, **{"env": ENVIRONMENT, **options})


def solve(mpi, ranks, *words, out="u.h5", sums=("--reproducible",), **options):
    result = on(mpi, ranks, "solve", "poisson", "in.h5:/f", "-o", f"{out}:/u", "--overwrite", *sums, *words, **options)
    assert result.code == 0, result.err
    with h5py.File(out) as h5:
        return h5["u"][...], dict(h5["u"].attrs), result.out


@pytest.mark.parametrize("shape, ranks, dtype, words", [
    ((67, 18, 21), 3, "f8", ["--boundary", MIXED, "--spacing", "0.5x0.6x0.7"]),
    ((50, 21, 22), 3, "f4", ["--boundary", "x=neumann:0,y=periodic,z=mirror", "--project", "--tol", 1e-5]),
    ((51, 22, 19), 3, "f8", ["--boundary", "x=periodic,y=dirichlet:walls.h5:/side,z=periodic", "--shift", 0.2, "--spacing", "1x1x3",
                             "--from", "in.h5:/guess"]),
    ((45, 20, 18), 2, "f8", ["--boundary", MIXED, "--coefficient", "in.h5:/k", "--mask", "in.h5:/mask", "--tol", 1e-8]),
    ((40, 17, 16), 2, "f8", ["--boundary", "x=dirichlet:0,y=periodic,z-=dirichlet:1,z+=neumann:2", "--order", 8]),
    ((48, 16, 16), 3, "f8", ["--boundary", "x=periodic,y=periodic,z=periodic", "--order", 4, "--shift", 1]),
    ((49, 17, 16), 3, "f8", ["--boundary", MIXED, "--cycle", "f", "--smoother", "chebyshev"])])
def test_the_bits_of_one_rank(mpi, folder, shape, ranks, dtype, words):
    fields(shape, dtype)
    one, attributes, _ = solve(mpi, 1, *words, "--device", "cpu")
    assert np.isfinite(one).all() and one.dtype == dtype
    several, same, text = solve(mpi, ranks, *words, "--device", "cpu", out="several.h5")
    assert (several == one).all(), np.abs(several - one).max()
    assert same["cycles"] == attributes["cycles"] and same["residual"] == attributes["residual"]
    assert f"{ranks} ranks as 1x1x{ranks}" in text and text.count("cycle  residual") == 1


@pytest.mark.parametrize("ranks, shape, words", [
    (4, (68, 69, 66), ["--boundary", "x=dirichlet:0,y=mirror,z=periodic", "--cycle", "w", "--smoother", "red-black"]),
    (3, (46, 41, 40), ["--boundary", "x=dirichlet:0,y=neumann:0,z=periodic", "--coefficient", "in.h5:/k"])])
def test_coarse_levels_of_groups(mpi, folder, ranks, shape, words):
    """Levels of which a rank alone would have fewer than eight planes: neighbouring ranks have them together."""
    fields(shape)
    words = words + ["--tol", 1e-3, "--device", "cpu"]
    one, attributes, _ = solve(mpi, 1, *words)
    several, same, _ = solve(mpi, ranks, *words, out="u2.h5")
    assert (several == one).all() and same["cycles"] == attributes["cycles"] > 1
    box = "x".join(str(n) for n in reversed(shape))
    (record,) = json.loads(mpi(ranks, "bench", "multigrid", "--device", "cpu", "--repeat", 2, "--no-roof", "--size", box,
                               "--boundary", words[1], "--json").out)
    assert record["grouped_levels"] == 1 and record["shared_levels"] == (3 if ranks == 4 else 2) and record["check"]["ok"]


def test_how_coarse_levels_are_shared_can_be_said(mpi, folder):
    fields((40, 38, 35))
    words = ["--boundary", "x=dirichlet:0,y=mirror,z-=neumann:0.1,z+=mirror", "--tol", 1e-3, "--method", "multigrid", "--device", "cpu"]
    one, attributes, _ = solve(mpi, 1, *words)
    bench = ("bench", "multigrid", "--device", "cpu", "--repeat", 1, "--no-roof", "--size", "35x38x40", "--boundary",
             "x=dirichlet:0,y=mirror,z-=neumann:0,z+=mirror", "--json")
    for groups, grouped in ("groups", 1), ("all", 0):
        said = {**ENVIRONMENT, "RIDGE_COARSE_LEVELS": groups}
        several, same, _ = solve(mpi, 4, *words, out="u2.h5", env=said)
        assert (several == one).all() and same["cycles"] == attributes["cycles"] > 1
        (record,) = json.loads(mpi(4, *bench, env=said).out)
        assert record.get("grouped_levels", 0) == grouped and record["check"]["ok"]
    refused(mpi(2, *bench, env={**ENVIRONMENT, "RIDGE_COARSE_LEVELS": "some"}), "RIDGE_COARSE_LEVELS is groups or all, not 'some'")


@pytest.mark.parametrize("device", ["simt:32"])
def test_half_cycles_in_one_pass(mpi, folder, device):
    """On levels of that many points an emulated GPU has them as on one rank, too."""
    fields((36, 23, 22))
    words = ["--boundary", "x=dirichlet:0,y=periodic,z=periodic", "--shift", 0.1, "--tol", 1e-2, "--device", device]
    one, _, _ = solve(mpi, 1, *words)
    several, _, _ = solve(mpi, 2, *words, out="u2.h5")
    assert (several == one).all()
    one, _, _ = solve(mpi, 1, *words, "--coefficient", "in.h5:/k")
    several, _, _ = solve(mpi, 2, *words, "--coefficient", "in.h5:/k", out="u2.h5")
    assert (several == one).all()


@pytest.mark.parametrize("words", [["--precision", "fp64", "--tol", 1e-2], ["--precision", "mixed", "--tol", 1e-4]])
def test_parts_choose_the_tiles_of_the_whole(mpi, folder, words):
    """By its own planes alone a part of this field would take other tiles up, whose bits are others. Each rank's passes
    count what is left of its planes."""
    fields((37, 17, 65))
    words = words + ["--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", "--method", "multigrid", "--device", "simt:32"]
    one, attributes, _ = solve(mpi, 1, *words, sums=())
    several, same, _ = solve(mpi, 2, *words, sums=(), out="u2.h5")
    assert (several == one).all(), np.abs(several - one).max()
    assert same["cycles"] == attributes["cycles"] and same["residual"] == pytest.approx(attributes["residual"], rel=1e-5)


@pytest.mark.parametrize("shape, ranks, words", [
    ((67, 18, 21), 3, ["--boundary", MIXED, "--spacing", "0.5x0.6x0.7", "--from", "in.h5:/guess"]),
    ((51, 22, 19), 3, ["--boundary", "x=periodic,y=neumann:0,z=periodic", "--project"]),
    ((20001, 1, 1), 2, ["--boundary", "x=mirror,y=mirror,z=dirichlet:0"])])
def test_cycles_in_fp32(mpi, folder, shape, ranks, words):
    """Of a wave along a line fp32 gains too little, and fp64 begins anew where arrays have changed their places."""
    fields(shape)
    is_line = shape[1] == 1
    if is_line:
        with h5py.File("in.h5", "a") as h5:
            h5["f"][:, 0, 0] = np.sin(3e-4 * np.arange(shape[0]))
    words = words + ["--method", "multigrid", "--precision", "mixed", "--device", "cpu", "--json"]
    one, attributes, text = solve(mpi, 1, *words, sums=())
    several, same, _ = solve(mpi, ranks, *words, sums=(), out="several.h5")
    assert ("red-black in fp32" in text) != is_line
    assert (several == one).all(), np.abs(several - one).max()
    assert same["cycles"] == attributes["cycles"] and same["residual"] == pytest.approx(attributes["residual"], rel=1e-5)


@pytest.mark.parametrize("kernel, words", [
    ("heat", ["--boundary", "x=dirichlet:1,y=mirror,z-=mirror,z+=neumann:0.2"]),
    ("diffusion", ["--boundary", MIXED, "--coefficient", "in.h5:/k"])])
def test_implicit_steps(mpi, folder, kernel, words):
    fields((37, 15, 19))
    evolve = ("evolve", kernel, "in.h5:/f", "--implicit", "crank-nicolson", "--dt", 5, "--device", "cpu", *words)

    def found(ranks, name, *more):
        result = on(mpi, ranks, *evolve, "--steps", 2, "-o", name, *more)
        assert result.code == 0, result.err
        with h5py.File(name) as h5:
            return h5["snapshots/0000000002/f"][...]

    one, three = found(1, "out1.h5"), found(3, "out3.h5")
    assert np.isfinite(one).all() and (one != 0).any() and np.abs(three - one).max() < 1e-8
    if kernel == "diffusion":  # transforms, which one rank takes for heat, have other bits
        assert (three == one).all()
        return
    for ranks in (1, 2):
        assert (found(ranks, f"kept{ranks}.h5", "--reproducible") == three).all()
        with h5py.File(f"kept{ranks}.h5") as h5:
            assert h5.attrs["schedule"].startswith("multigrid") and h5.attrs["reproducible"] == 1
    # A run goes on as it began, on one rank as on three.
    for ranks in (1, 3):
        assert on(mpi, ranks, "evolve", "--restart", "kept2.h5", "--steps", 1, "--device", "cpu").code == 0
    with h5py.File("kept2.h5") as h5:
        went_on = h5["snapshots/0000000004/f"][...]
    assert mpi(2, *evolve, "--steps", 4, "-o", "whole.h5", "--reproducible").code == 0
    with h5py.File("whole.h5") as h5:
        assert (h5["snapshots/0000000004/f"][...] == went_on).all()
    refused(mpi(2, *evolve, "-o", "out.h5", "--ranks", "1x2x1"), "--ranks 1x2x1: implicit steps take 1x1x2")


def test_one_record(mpi, folder):
    fields((33, 16, 16))
    record, = mpi(2, "solve", "poisson", "in.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=mirror,z=mirror",
                  "--device", "cpu", "--json").records()
    assert record["ranks"] == 2 and record["rank_grid"] == "1x1x2" and record["size"] == [16, 16, 33]
    assert record["residual"] <= 1e-10 and 0 < record["fraction"] and record["seconds"] > 0


OPERATOR = """
#include <ridge/stencil/kernel.hpp>
struct Op { // reaches two planes
  static constexpr ridge::stencil::Footprint<7> footprint{
      {{{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -2}, {0, 0, 2}}}};
  double c = 0.5;
  template <class N> RIDGE_FN auto operator()(const N& u) const {
    return (c + 6) * u(0, 0, 0) - (u(-1, 0, 0) + u(1, 0, 0)) - (u(0, -1, 0) + u(0, 1, 0)) - (u(0, 0, -2) + u(0, 0, 2));
  }
};
struct Upwind {
  static constexpr auto footprint = ridge::stencil::star<1>();
  template <class N> RIDGE_FN auto operator()(const N& u) const { return 3 * u(0, 0, 0) - u(0, 0, -1); }
};
"""


@pytest.mark.beside
def test_an_operator_in_a_file(mpi, folder):
    fields((27, 9, 11))
    (folder / "op.hpp").write_text(OPERATOR)
    for ranks, walls in ((2, "x=dirichlet:0.5,y=periodic,z-=dirichlet:walls.h5:/low,z+=neumann:0"), (3, "x=mirror,y=neumann:0,z=periodic")):
        words = "--boundary", walls, "--operator", "op.hpp:Op", "--set", "c=0.25", "--device", "cpu"
        one, attributes, _ = solve(mpi, 1, *words, limit=300)  # compiled now
        assert attributes["residual"] <= 2e-10 and np.abs(one).max() > 0.1
        inner = one[4:-4, 2:-2, 2:-2]
        twice = one[2:-6, 2:-2, 2:-2] + one[6:-2, 2:-2, 2:-2]
        rest = one[4:-4, 2:-2, 1:-3] + one[4:-4, 2:-2, 3:-1] + one[4:-4, 1:-3, 2:-2] + one[4:-4, 3:-1, 2:-2]
        with h5py.File("in.h5") as h5:
            assert np.abs(6.25 * inner - twice - rest - h5["f"][4:-4, 2:-2, 2:-2]).max() < 1e-8
        several, same, _ = solve(mpi, ranks, *words, out=f"u{ranks}.h5")
        assert (several == one).all() and same["cycles"] == attributes["cycles"]
    refused(mpi(2, "solve", "poisson", "in.h5:/f", "-o", "x.h5:/u", *words[:3], "op.hpp:Upwind", "--device", "cpu"),
            "not symmetric")


def test_bad_input(mpi, folder):
    fields((33, 16, 16))
    words = ("solve", "poisson", "in.h5:/f", "-o", "u.h5:/u", "--device", "cpu", "--boundary",
             "x=dirichlet:0,y=mirror,z=mirror")
    refused(mpi(5, *words), "5 ranks share the 33 planes", "each needs 8")
    refused(mpi(2, *words, "--method", "fft"), "Fourier transforms are for one rank")
    with h5py.File("in.h5", "a") as h5:
        h5["k"][30, 1, 2] = -1
        h5["k"][31, 0, 0] = np.nan
    refused(mpi(2, *words, "--coefficient", "in.h5:/k"), "the coefficient is -1 at x=2 y=1 z=30")
    with h5py.File("in.h5", "a") as h5:
        h5["k"][2, 3, 4] = 0
    refused(mpi(2, *words, "--coefficient", "in.h5:/k"), "the coefficient is 0 at x=4 y=3 z=2")
    assert left_in(folder) == ["in.h5", "walls.h5"]
    refused(mpi(2, *words, "--cycles", 1), "the residual is", "--cycles allows more", code=1)
    with h5py.File("u.h5") as h5:
        assert np.isfinite(h5["u"][...]).all()
    fields((20, 6, 4))
    refused(mpi(2, "solve", "poisson", "in.h5:/f", "-o", "x.h5:/u", "--device", "cpu", "--boundary", "x=mirror,y=mirror,z=mirror",
                "--shift", 1), "4x6x20 points are too few for 2 ranks: multigrid shares more than 512 points")


@pytest.mark.parametrize("ranks, words", [
    (2, ["--size", "17x18x40"]),
    (3, ["--size", "16x15x48", "--boundary", "x=periodic,y=mirror,z=periodic", "--precision", "fp32", "--schedule", "w"])])
def test_cycles_are_timed(mpi, ranks, words):
    words = "bench", "multigrid", "--device", "cpu", "--repeat", 2, "--no-roof", *words
    result = mpi(ranks, *words, "--scaling", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    assert record["ranks"] == ranks and record["rank_grid"] == f"1x1x{ranks}" and record["carrier"] == "host"
    assert record["check"]["ok"] and 0 < record["check"]["max_error"] < 0.02
    assert record["exchange_seconds"] > 0 and record["compute_seconds"] > 0 and record["weak_efficiency"] > 0
    # The finest level's solution, four planes to each neighbour; right-hand sides of the whole level go to all.
    x, y, _ = (int(n) for n in words[8].split("x"))
    inner = (x - 2) * (y - 2) * 2 * 4 * 8 if ranks == 2 else x * y * 6 * 4 * 4
    assert record["shared_levels"] == 1 and inner < record["exchange_bytes"] < 2 * inner
    (one,) = on(mpi, 1, *words, "--json").records()
    assert one["items"] == record["items"] and one["bytes_read"] == record["bytes_read"]


@pytest.mark.beside
def test_cycles_share_z_alone(mpi):
    words = "bench", "multigrid", "--device", "cpu", "--size", "16x16x40"
    refused(mpi(2, *words, "--ranks", "2x1x1"), "along z alone, 1x1x2")
    refused(mpi(2, *words, "--precision", "fp16"), "fp16")
    refused(mpi(2, *words, "--schedule", "level=9"), "level=9")
