"""`ridge evolve` of systems over ranks: the bits and the files of one rank."""

import h5py
import numpy as np
import pytest

from over_ranks import refused
from test_systems_of_users import LINE

pytestmark = pytest.mark.usefixtures("folder")
STATES = {"acoustic": "p vx vy vz", "elastic": "vx vy vz sxx syy szz sxy sxz syz", "maxwell": "ex ey ez hx hy hz",
          "shallow-water": "hu hv", "lbm-d3q19": "ux uy uz"}
MEDIA = {"acoustic": "c rho", "elastic": "rho lambda mu", "maxwell": "eps", "shallow-water": "h", "lbm-d3q19": "rho"}


def start(system, shape, precision="f8"):
    """in.h5 with random fields; `shape` is x first."""
    random = np.random.default_rng(7)
    scale = 0.01 if system in ("lbm-d3q19", "shallow-water") else 1
    with h5py.File("in.h5", "w") as h5:
        for name in STATES[system].split():
            h5[name] = (scale * random.standard_normal(shape[::-1])).astype(precision)
        for name in MEDIA[system].split():
            h5[name] = (1 + 0.1 * random.random(shape[::-1])).astype(precision)


def places(file, *rows):
    with open(file, "w", encoding="ascii") as out:
        out.write("x,y,z\n" + "".join(",".join(str(v) for v in row) + "\n" for row in rows))


def everything(file):
    """Every field of every snapshot, and the traces."""
    with h5py.File(f"{file}.h5") as h5:
        found = {f"{step}/{name}": values[...] for step, group in h5["snapshots"].items()
                 for name, values in group.items()}
    try:
        with h5py.File(f"{file}.traces.h5") as h5:
            found["traces"] = h5["traces"][...]
    except FileNotFoundError:
        pass
    return found


def same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.dtype == other[name].dtype
        assert values.tobytes() == other[name].tobytes(), (name, np.abs(values - other[name]).max())
        assert np.isfinite(values).all()


PROBES = ("--source", "s.csv", "--wavelet", "ricker:0.1", "--receivers", "r.csv")


@pytest.mark.parametrize("system, device, shape, ranks, grid, more", [
    ("acoustic", "cpu", (31, 29, 23), 4, "2x1x2",
     (*PROBES, "--absorb", "x,z+", "--absorb-width", "5", "--boundary", "y-=antimirror,y+=dirichlet:0.3,z-=neumann:0.2")),
    # Interiors that are computed beside exchanges, and walls that halos show.
    ("elastic", "simt:32", (47, 11, 13), 4, "2x1x2",
     (*PROBES, "--boundary", "x=dirichlet:0.2,y=neumann:0.1,z-=antimirror", "--absorb", "z+", "--absorb-width", "5")),
    ("maxwell", "simt:64", (14, 11, 9), 2, "2x1x1", ("--boundary", "x=periodic,y=antimirror")),
    ("shallow-water", "cpu", (37, 29), 4, "2x2", ()),
    # One rank takes a wave a step, which sets what lies beyond faces row by row.
    ("acoustic", "cpu", (31, 29, 23), 4, "2x1x2",
     ("--store-as", "bf16", "--boundary", "x-=dirichlet:0.3,y-=antimirror,z=periodic")),
    ("lbm-d3q19", "simt:32", (9, 10, 8), 2, "1x1x2", ("--store-as", "fp16")),
])
def test_systems_have_the_bits_of_one_rank(ridge, mpi, system, device, shape, ranks, grid, more):
    start(system, shape, "f4" if system == "lbm-d3q19" or "--store-as" in more else "f8")
    # Between points of two ranks, too, wherever the grid cuts.
    middle = [n / 2 - 0.6 for n in shape]
    places("s.csv", middle, (5.3, 6.2, 4.7))
    places("r.csv", (5.3, 6.2, 4.7), middle, (8.0, 7.5, 7.5))
    words = ("evolve", system, "in.h5", "--steps", 7, "--every", 3, "--device", device, *more)
    drawn = system == "acoustic" and "--source" in more

    def pictures(name):
        return ("--picture", f"{name}.png", "--gather", f"{name}_gather.png") if drawn else ()

    ridge.good(*words, "-o", "one.h5", *pictures("one"))
    over = mpi(ranks, *words, "-o", "several.h5", "--ranks", grid, *pictures("several"))
    assert over.code == 0, over.err
    assert over.err == ""
    assert f"{ranks} ranks as {grid}" in over.out
    same(everything("one"), everything("several"))
    for name in ("", "_gather") if drawn else ():
        with open(f"one{name}.png", "rb") as one, open(f"several{name}.png", "rb") as other:
            assert one.read() == other.read()


def test_probes_at_faces_have_the_bits_of_one_rank(ridge, mpi):
    """Half a point beside a periodic face lies another rank's point, beside a wall what that shows."""
    start("acoustic", (14, 12, 13))
    rows = [(x, 6.25, z, array) for x in (0, 0.25, 13) for z in (0, 12) for array in ("p", "vx", "vz")]
    for file, some in (("s.csv", rows[::2]), ("r.csv", rows)):
        with open(file, "w", encoding="ascii") as out:
            out.write("x,y,z,array\n" + "".join(",".join(map(str, row)) + "\n" for row in some))
    words = ("evolve", "acoustic", "in.h5", "--steps", 5, "--every", 5, "--device", "cpu", *PROBES, "--boundary",
             "x=periodic,z-=dirichlet:0.3,z+=neumann:0.2")
    ridge.good(*words, "-o", "one.h5")
    over = mpi(2, *words, "-o", "several.h5", "--ranks", "2x1x1")
    assert over.code == 0 and over.err == "", over.err
    same(everything("one"), everything("several"))


def test_a_run_of_ranks_goes_on_with_others(ridge, mpi):
    start("acoustic", (21, 19, 17))
    places("s.csv", (9.4, 9.1, 8.3))
    places("r.csv", (5.3, 6.2, 4.7), (9.4, 9.1, 12.3))
    words = ("acoustic", "in.h5", "--every", 4, "--device", "cpu", *PROBES)
    ridge.good("evolve", *words, "--steps", 12, "-o", "one.h5")
    assert mpi(2, "evolve", *words, "--steps", 5, "-o", "several.h5").code == 0
    on = mpi(3, "evolve", "--restart", "several.h5", "--steps", 3)
    assert on.code == 0, on.err
    ridge.good("evolve", "--restart", "several.h5", "--steps", 4)
    right, found = everything("one"), everything("several")
    for name, values in found.items():
        if name in right:
            assert values.tobytes() == right[name].tobytes(), name
    assert "0000000012/p" in found and found["traces"].shape == (2, 12)


@pytest.mark.beside
def test_systems_that_ranks_cannot_divide(mpi):
    start("acoustic", (8, 8, 8))
    refused(mpi(3, "evolve", "acoustic", "in.h5", "-o", "o.h5", "--steps", 1, "--ranks", "1x1x3"), "points")
    refused(mpi(2, "evolve", "acoustic", "in.h5", "-o", "o.h5", "--steps", 1, "--ranks", "1x1x3"), "--ranks")


@pytest.mark.parametrize("system, device, size, grid, precision", [
    ("elastic", "cpu", "40x24x22", "1x2x1", "fp64"), ("shallow-water", "simt:64", "37x30", None, "fp32"),
])
def test_bench_of_systems_over_ranks(mpi, system, device, size, grid, precision):
    run = mpi(2, "bench", system, "--size", size, "--device", device, "--precision", precision, "--repeat", 1,
              "--scaling", "--json", *(("--ranks", grid) if grid else ()))
    (record,) = run.records()
    assert record["check"]["ok"] and record["ranks"] == 2
    assert record["exchange_seconds"] > 0 and record["compute_seconds"] > 0
    assert 0 <= record["overlapped"] <= 1
    assert record["strong_efficiency"] > 0 and record["weak_efficiency"] > 0


# Both ranks send the planes that the other reads: of p and vz, and of five populations each way.
@pytest.mark.parametrize("kernel, storage, device, size, sent", [
    ("acoustic", "bf16", "cpu", "40x20x26", 2 * 2 * 40 * 20 * (7 + 7)),
    ("lbm-d3q19", "fp16", "simt:32", "10x8x10", 2 * 2 * 10 * 8 * 10),
    ("laplacian", "fp16", "simt:64", "40x20x22", 2 * 2 * 40 * 20),
])
def test_bench_in_16_bits_over_ranks(mpi, kernel, storage, device, size, sent):
    run = mpi(2, "bench", kernel, "--size", size, "--device", device, "--store-as", storage, "--repeat", 1, "--ranks",
              "1x1x2", "--json", limit=240)
    assert run.code == 0, run.err
    (record,) = run.records()
    assert record["check"]["ok"] and record["ranks"] == 2
    assert record["precision"] == storage and record["arithmetic"] == "fp32"
    assert record["exchange_seconds"] > 0 and record["compute_seconds"] > 0
    assert record["exchange_bytes"] == sent


@pytest.mark.in_turn
@pytest.mark.parametrize("kernel, storage, device, size, sent, stored", [
    # Elastic waves, whose kernels take five times as long to compile: test_systems_stored.py.
    ("acoustic", "vx=fp16,c=fp16", "cpu", "40x20x26", 2 * 2 * 40 * 20 * (7 + 7),
     "p=fp16,vx=fp16,vy=fp16,vz=fp16,c=fp16,rho=fp32"),
    ("./medium.hpp:Medium", "1=bf16", "simt:32", "20x14x13", 2 * 2 * 20 * 14, "1=bf16,2=fp32"),
])
@pytest.mark.beside
def test_bench_with_media_in_fp32_over_ranks(mpi, kernel, storage, device, size, sent, stored):
    with open("medium.hpp", "w", encoding="ascii") as out:
        out.write(MEDIUM)
    run = mpi(2, "bench", kernel, "--size", size, "--device", device, "--store-as", storage, "--repeat", 1, "--ranks",
              "1x1x2", "--json", limit=240)
    assert run.code == 0, run.err
    (record,) = run.records()
    assert record["check"]["ok"] and record["ranks"] == 2 and record["exchange_bytes"] == sent
    assert record["precision"] == storage.split("=")[1][:4]
    assert record["storage"] == stored and record["arithmetic"] == "fp32"


@pytest.mark.beside
def test_lists_of_storage_over_ranks_that_are_refused(mpi):
    words = (2, "bench", "elastic", "--size", "20x20x20", "--store-as")
    refused(mpi(*words, "rho=fp16"), "rho")
    refused(mpi(*words, "vx=fp16,q=fp16"), "q")
    refused(mpi(2, "bench", "diffusion", "--size", "20x20x20", "--store-as", "1=fp16"), "diffusion reads neighbours of '2'")


MEDIUM = """#include <ridge/stencil/kernel.hpp>
struct Medium {
  static constexpr auto footprints = std::make_tuple(ridge::stencil::star<1>(), ridge::stencil::point());
  static constexpr double flops = 4;
  template <class U, class C>
  RIDGE_FN auto operator()(const U& u, const C& c) const {
    return c(0, 0, 0) * (u(1, 0, 0) - 2.0 * u(0, 0, 0) + u(0, 0, -1));
  }
};
"""


@pytest.mark.beside
def test_numbers_by_step_have_the_bits_of_one_rank(mpi, ridge):
    start("lbm-d3q19", (13, 11, 9))
    with open("force.txt", "w", encoding="ascii") as out:
        out.write("1e-3\n-2e-3\n5e-4\n")
    words = ("evolve", "lbm-d3q19", "in.h5", "--device", "cpu", "--steps", 5, "--every", 2, "--by-step", "force_x=force.txt")
    assert ridge(*words, "-o", "one.h5").code == 0  # which may say that it compiles
    run = mpi(2, *words, "-o", "two.h5", "--ranks", "1x2x1", limit=240)
    assert run.code == 0, run.err
    one, two = everything("one"), everything("two")
    assert one.keys() == two.keys() and len(one) > 60
    for name, values in one.items():
        np.testing.assert_array_equal(two[name], values, err_msg=name)


# An operation that asks where it is and how large the range is.
PLACED = LINE.replace("rate * (at(u, 1)", "rate * (at.x_values() + 1.0) / double(at.extent_x()) * (at(u, 1)")


@pytest.fixture(scope="session")
def placed(tmp_path_factory):
    """What was compiled goes by a file's path, so there is one."""
    assert "extent_x" in PLACED
    file = tmp_path_factory.mktemp("placed") / "placed.hpp"
    file.write_text(PLACED)
    return f"{file}:Line"


@pytest.mark.beside
def test_operations_see_their_places_in_the_whole_range(ridge, mpi, placed):
    n = 101
    u = np.random.default_rng(7).random(n)
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = u
    words = ("evolve", placed, "in.h5", "--steps", 9, "--every", 9, "--device", "cpu")
    over = mpi(3, *words, "-o", "several.h5")
    assert over.code == 0, over.err
    v = np.zeros_like(u)
    for _ in range(9):
        v[:-1] -= 0.5 * np.arange(1, n) / n * np.diff(u)
        u = u - 0.5 * np.diff(v, prepend=0)
    np.testing.assert_allclose(everything("several")["0000000009/u"], u, atol=1e-14)
    ridge.good(*words, "-o", "one.h5")
    same(everything("one"), everything("several"))


@pytest.mark.beside
def test_bench_of_a_system_in_a_file_over_ranks(ridge, mpi, placed):
    """Whose operations ask for their places."""
    words = ("bench", placed, "--size", 1000, "--device", "simt:32", "--repeat", 1, "--json")
    (record,) = mpi(2, *words).records()
    assert record["check"]["ok"] and record["ranks"] == 2
    assert record["precision"] == "fp32" and record["exchange_bytes"] == 2 * 2 * 4
    (record,) = ridge(*words).records()
    assert record["check"]["ok"]


@pytest.mark.beside
def test_places_in_16_bits_over_ranks_are_refused(mpi, placed):
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = np.ones(100, "f4")
    refused(mpi(2, "evolve", placed, "in.h5", "-o", "o.h5", "--steps", 1, "--store-as", "bf16"),
            "Line in bf16 runs on one rank: its operations ask for their places")
