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


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_cycles_and_smoothers_are_chosen_and_told(ridge, folder, device):
    write("f.h5", "f", np.random.default_rng(5).standard_normal((18, 19, 20)))
    found = {}
    usual = "multigrid V(1,1) red-black" if device == "cpu" else "multigrid V(2,2)"
    for words, schedule in (([], "fft"), (["--cycle", "v"], usual), (["--method", "cg"], "conjugate gradients, multigrid V(2,2)"),
                            (["--smoother", "chebyshev"], "multigrid V(2,2)"),
                            (["--cycle", "w", "--smoother", "red-black"], "multigrid W(1,1) red-black"),
                            (["--cycle", "f", "--smoother", "chebyshev"], "multigrid F(2,2)"),
                            (["--precision", "mixed"], usual + " in fp32"),
                            (["--method", "cg", "--smoother", "red-black"], "conjugate gradients, multigrid V(1,1) red-black")):
        if not words and device != "cpu":
            continue  # an emulated GPU takes no transforms by itself
        record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:1,y=periodic,z=mirror",
                             "--device", device, "--overwrite", "--json", *words).records()
        assert record["schedule"].startswith(schedule) and record["residual"] <= 1e-10
        found[schedule] = solution()[0], record["bytes_read"]
    assert found["multigrid W(1,1) red-black"][1] > found["multigrid V(2,2)"][1]
    for u, _ in found.values():
        assert np.abs(u - found["multigrid V(2,2)"][0]).max() < 1e-8


def test_tiles_of_a_solve_are_chosen_and_told(ridge, folder):
    write("f.h5", "f", np.random.default_rng(5).standard_normal((19, 21, 27)))
    words = ["solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0",
             "--overwrite", "--json"]
    found = {}
    for tiles in ("auto", "down=small up=large", "down=cells up=cells march_from=8000"):
        record, = ridge.good(*words, "--device", "simt:32", "--schedule", tiles).records()
        assert record["residual"] <= 1e-10 and record["schedule"] == "multigrid V(2,2)"
        found[record["tiles"]] = solution()[0], record["cycles"], record["factor"], record["schedule_from"]
    assert found["small/large"][3] == found["cells/cells"][3] == "--schedule"
    u, cycles, factor, _ = found["cells/cells"]
    for other in found.values():
        assert np.abs(other[0] - u).max() < 1e-12 * np.abs(u).max() and other[1] == cycles
        assert abs(other[2] / factor - 1) < 1e-3
    simt = [*words, "--device", "simt:32", "--schedule"]
    ridge.bad(*simt, "cycle=w", says="of a solve it says down, up and march_from")
    ridge.bad(*simt, "down=64x24", says="expected auto, large, small, cells")
    ridge.bad(*simt, "down=small march_from=4000000", says="none has a pass by that tile")
    ridge.bad(*simt, "down=small", "--method", "fft", says="--method fft")
    ridge.bad(*words, "--device", "cpu", "--schedule", "down=small", says="on cpu there is none such")


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


WALLS = ["x=periodic,y=dirichlet:0.5,z=neumann:-0.25", "x=mirror,y-=dirichlet:1,y+=neumann:2,z=periodic",
         "x-=neumann:0.5,x+=dirichlet:2,y=mirror,z=dirichlet:1", "x=periodic,y=mirror,z=neumann:0"]


@pytest.mark.parametrize("device, walls, dtype, tolerance", [
    *[("cpu", w, "f8", 1e-10) for w in WALLS[:3]], ("simt:32", WALLS[3], "f8", 1e-10), ("simt:32", WALLS[1], "f8", 1e-10),
    ("cpu", WALLS[1], "f4", 1e-5), ("simt:32", WALLS[2], "f4", 1e-5)])
def test_transforms_solve_what_cycles_do(ridge, folder, device, walls, dtype, tolerance):
    f = np.random.default_rng(6).standard_normal((9, 12, 15)).astype(dtype)
    write("f.h5", "f", f)
    found = {}
    for method in ("fft", "multigrid"):
        record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", f"{method}.h5:/u", "--boundary", walls, "--spacing", "0.5x1x2",
                             "--method", method, "--device", device, "--tol", tolerance, "--project", "--json").records()
        assert record["residual"] <= tolerance and record["schedule"].startswith(method)
        found[method] = solution(f"{method}.h5")[0]
    size = np.abs(found["multigrid"]).max()
    assert np.abs(found["fft"] - found["multigrid"]).max() < 50 * tolerance * size


def eigenvalue(angle, order):
    """Of minus the second difference."""
    weights = {2: [1], 4: [4 / 3, -1 / 12], 6: [3 / 2, -3 / 20, 1 / 90], 8: [8 / 5, -1 / 5, 8 / 315, -1 / 560]}[order]
    return sum(2 * w * (1 - np.cos(k * angle)) for k, w in enumerate(weights, 1))


@pytest.mark.parametrize("order, device, method", [
    (4, "cpu", "fft"), (6, "cpu", "cg"), (8, "cpu", "fft"), (8, "cpu", "cg"), (2, "simt:64", "fft"), (8, "simt:64", "fft"), (4, "simt:64", "cg")])
def test_a_mode_has_the_eigenvalue_of_its_order(ridge, folder, order, device, method):
    nz, ny, nx = 10, 12, 13
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    exact = np.sin(3 * np.pi * x / (nx - 1)) * np.cos(2 * np.pi * y / (ny - 1)) * np.cos(np.pi * (z + 0.5) / nz)
    angles = (3 * np.pi / (nx - 1), 2 * np.pi / (ny - 1), np.pi / nz)
    total = 0.75 + sum(eigenvalue(a, order) / h**2 for a, h in zip(angles, (0.5, 1, 0.8)))
    write("f.h5", "f", -total * exact)
    ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=neumann:0,z=mirror", "--shift", 0.75,
               "--spacing", "0.5x1x0.8", "--order", order, "--method", method, "--device", device)
    got, attributes = solution()
    assert np.abs(got - exact).max() < 1e-9 and attributes["order"][0] == order


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
@pytest.mark.parametrize("order", [2, 8])
def test_auto_takes_transforms_for_any_mix_of_faces(ridge, folder, device, order):
    """Modes of three axes with mirror at one face alone, and their eigenvalues."""
    nz, ny, nx = 9, 11, 10
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    angles = (3 * np.pi / (2 * nx - 1), np.pi * 5 / (2 * ny - 1), 2 * np.pi * 2 / (2 * nz - 1))
    exact = np.sin(angles[0] * x) * np.sin(angles[1] * (ny - 1 - y)) * np.cos(angles[2] * z)
    total = sum(eigenvalue(a, order) / h**2 for a, h in zip(angles, (0.5, 1, 0.8)))
    write("f.h5", "f", -total * exact)
    words = [] if device == "cpu" else ["--method", "fft"]  # an emulated GPU takes none by itself
    record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary",
                         "x-=dirichlet:0,x+=mirror,y-=mirror,y+=dirichlet:0,z-=neumann:0,z+=mirror", "--spacing", "0.5x1x0.8",
                         "--order", order, "--device", device, "--json", *words).records()
    assert record["schedule"].startswith("fft") and record["cycles"] == 1
    assert np.abs(solution()[0] - exact).max() < 1e-9


@pytest.mark.parametrize("order, method", [(4, "fft"), (8, "fft"), (6, "cg")])
def test_a_line_between_faces_is_exact_in_every_order(ridge, folder, order, method):
    write("f.h5", "f", np.zeros((7, 11)))
    ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x-=dirichlet:1,x+=neumann:0.5,y=periodic", "--spacing",
               "2x1", "--order", order, "--method", method, "--device", "cpu")
    assert np.abs(solution()[0] - (1 + np.arange(11))).max() < 1e-8


@pytest.mark.parametrize("order, error", [(2, 2.2), (4, 4.2), (6, 6.3), (8, 8.4)])
def test_manufactured_solutions_converge_with_their_order(ridge, folder, order, error):
    worst = []
    for n in (12, 16):
        z, y, x = np.meshgrid(*[np.arange(n) / n] * 3, indexing="ij")
        exact = np.sin(2 * np.pi * x) * np.cos(2 * np.pi * y) * np.sin(2 * np.pi * z)
        write(f"f{n}.h5", "f", -12 * np.pi**2 * exact)
        ridge.good("solve", "poisson", f"f{n}.h5:/f", "-o", f"u{n}.h5:/u", "--boundary", "x=periodic,y=periodic,z=periodic",
                   "--spacing", 1 / n, "--order", order, "--device", "cpu")
        worst.append(np.abs(solution(f"u{n}.h5")[0] - exact).max())
    slope = np.log(worst[0] / worst[1]) / np.log(16 / 12)
    assert order - 0.4 < slope < error


def test_as_scipy_solves_it_directly(ridge, folder):
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import spsolve
    f = np.random.default_rng(8).standard_normal((8, 9, 10))
    write("f.h5", "f", f)
    line = [sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n - 2, n - 2)) for n in f.shape]
    one = [sparse.identity(n - 2) for n in f.shape]
    matrix = (sparse.kron(sparse.kron(line[0], one[1]), one[2]) + sparse.kron(sparse.kron(one[0], line[1]), one[2])
              + sparse.kron(sparse.kron(one[0], one[1]), line[2]))
    exact = spsolve(matrix.tocsc(), f[1:-1, 1:-1, 1:-1].ravel()).reshape(6, 7, 8)
    for method in ("fft", "multigrid", "cg"):
        ridge.good("solve", "poisson", "f.h5:/f", "-o", f"{method}.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0",
                   "--method", method, "--device", "cpu")
        assert np.abs(solution(f"{method}.h5")[0][1:-1, 1:-1, 1:-1] - exact).max() < 1e-8 * np.abs(exact).max(), method


def lake(shape):
    """A mask with a headland, a pond that is masked, too, and a channel one point wide."""
    land = np.zeros(shape)
    land[:, 4:6, 2:] = 1
    land[:, 4:6, 5] = 0
    land[2:4, 8:, 1:3] = 1
    return land


def masked_matrix(land, k, fixed):
    """-div(k grad) in plain loops over the points inside dirichlet faces (`fixed`), or over all between neumann ones."""
    inner = tuple(slice(1, -1) if fixed else slice(None) for _ in land.shape)
    number = np.full(land.shape, -1)
    water = np.zeros(land.shape, bool)
    water[inner] = land[inner] == 0
    number[water] = np.arange(water.sum())
    matrix = np.zeros((water.sum(), water.sum()))
    for at in zip(*np.nonzero(water)):
        for axis in range(3):
            for step in (-1, 1):
                there = list(at)
                there[axis] += step
                if not 0 <= there[axis] < land.shape[axis]:
                    if fixed:
                        continue
                    there[axis] = at[axis] - step  # neumann:0 mirrors about the point
                there = tuple(there)
                if land[there]:  # on a face, too
                    continue
                weight = 2 * k[at] * k[there] / (k[at] + k[there])
                matrix[number[at], number[at]] += weight
                if number[there] >= 0:
                    matrix[number[at], number[there]] -= weight
    return water, matrix


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
@pytest.mark.parametrize("varies", [False, True])
def test_masked_points_take_no_part(ridge, folder, device, varies):
    random = np.random.default_rng(9)
    shape = (7, 12, 11)
    land = lake(shape)
    f, k = random.standard_normal(shape), 10 ** random.uniform(-1, 1, shape) if varies else np.ones(shape)
    water, matrix = masked_matrix(land, k, True)
    if varies:
        k[(land != 0)] = np.nan  # nobody reads it
        water, matrix = masked_matrix(land, np.nan_to_num(k, nan=1.0), True)
    for name, values in (("f", f), ("land", land), ("k", k)):
        write("in.h5", name, values)
    words = ["--coefficient", "in.h5:/k"] if varies else []
    record, = ridge.good("solve", "poisson", "in.h5:/f", "-o", "u.h5:/u", "--mask", "in.h5:/land", *words, "--device", device,
                         "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", "--json").records()
    got, attributes = solution()
    assert record["residual"] <= 1e-10 and attributes["mask"] == "in.h5:/land" and np.all(got[~water] == 0)
    exact = np.linalg.solve(matrix, -f[water])
    assert np.abs(got[water] - exact).max() < 1e-8 * np.abs(exact).max()


def test_a_masked_basin_without_values_at_faces_has_a_mean_of_0(ridge, folder):
    shape = (6, 12, 9)
    land = lake(shape)
    water, matrix = masked_matrix(land, np.ones(shape), False)
    weights = np.ones(shape)
    for axis, n in enumerate(shape):
        for end in (0, n - 1):
            weights[tuple(end if a == axis else slice(None) for a in range(3))] *= 0.5
    f = np.random.default_rng(10).standard_normal(shape)
    f[land != 0] = 1e6  # takes no part in the balance
    write("in.h5", "f", f)
    write("in.h5", "land", land)
    words = ["--mask", "in.h5:/land", "--device", "cpu", "--boundary", "x=neumann:0,y=neumann:0,z=neumann:0"]
    ridge.bad("solve", "poisson", "in.h5:/f", "-o", "u.h5:/u", *words, says="--project removes it")
    ridge.good("solve", "poisson", "in.h5:/f", "-o", "u.h5:/u", *words, "--project")
    got, _ = solution()
    w = weights[water]
    assert abs((got[water] * w).sum()) < 1e-8 * np.abs(got).max() * w.sum()
    residual = matrix @ got[water] + (f[water] - (f[water] * w).sum() / w.sum())
    assert np.abs(residual).max() < 1e-7


@pytest.mark.parametrize("method", ["fft", "multigrid", "cg"])
def test_right_hand_sides_of_any_norm_are_solved(ridge, folder, method):
    f = np.random.default_rng(7).standard_normal((9, 9, 9))
    words = ["-o", "u.h5:/u", "--overwrite", "--method", method, "--device", "cpu", "--boundary"]
    found = {}
    for scale in (1.0, 1e300, 1e155, 1e-150, 1e-300, 0.0):
        write("f.h5", f"{scale:g}", scale * f)
        ridge.good("solve", "poisson", f"f.h5:/{scale:g}", *words, f"x-=neumann:{scale},x+=dirichlet:{scale},y=dirichlet:0,z=mirror")
        found[scale] = solution()[0]
        assert np.abs(found[scale] / (scale or 1) - (found[1.0] if scale else 0)).max() < 1e-8 * np.abs(found[1.0]).max(), scale
    ridge.bad("solve", "poisson", "f.h5:/1e+300", "--spacing", 1e9, *words, "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0",
              says="the solution leaves the range of fp64")


def test_jumps_that_fp32_cannot_bear_go_on_in_fp64(ridge, folder):
    """k of 1 and 1e8 in squares, alone, with walls a point thick and with a hole a point wide: fp32 did not converge, or
    said so of a u that was off by half of it."""
    rng = np.random.default_rng(5)
    f, (y, x) = rng.standard_normal((33, 33)), np.indices((33, 33))
    comb, hole = np.where((x % 2 == 0) & (y != 16), 1.0, 0.0), np.where((x == 16) & (y != 11), 1.0, 0.0)
    for kind in ("f4", "f8"):
        for name, values in (("f", f), ("k", np.where((x // 8 + y // 8) % 2 == 0, 1.0, 1e8)), ("one", 1 + 0 * f), ("comb", comb),
                             ("hole", hole)):  # fmt: skip
            write(f"{kind}.h5", name, values.astype(kind))
    for k, mask, expected in (("k", "", 1), ("k", "comb", 1), ("k", "hole", 1), ("one", "", 0)):
        found, counts, words = {}, {}, (k, mask)
        for kind in ("f4", "f8"):
            more = ["--mask", f"{kind}.h5:/{mask}"] if mask else []
            (record,) = ridge.good("solve", "poisson", f"{kind}.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0",
                                   "--coefficient", f"{kind}.h5:/{k}", *more, "--tol", 1e-5, "--overwrite", "--device", "cpu",
                                   "--json").records()  # fmt: skip
            found[kind], counts[kind] = solution()[0], record["cycles"]
            assert record["residual"] <= 1e-5 and record["in_fp64"] == (expected if kind == "f4" else 0), (words, record)
        assert np.abs(found["f4"] - found["f8"]).max() < 1e-4 * np.abs(found["f8"]).max(), words
        assert counts["f4"] <= 1.3 * counts["f8"] + 17, (words, counts)  # until rounding shows
    done = ridge.good("solve", "poisson", "f4.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0", "--coefficient",
                      "f4.h5:/k", "--overwrite", "--device", "cpu")  # fmt: skip
    assert "went on in fp64" in done.out


@pytest.mark.parametrize("small_disk", ["20k"], indirect=True)
def test_a_full_disk_leaves_nothing(ridge, folder, small_disk):
    write("f.h5", "f", np.ones((17, 18, 19)))
    ridge.bad("solve", "poisson", "f.h5:/f", "-o", "disk/u.h5:/u", "--boundary", "x=periodic,y=periodic,z=dirichlet:0", "--device", "cpu",
              code=1, says="needs 112 kB, and its disk has")
    assert os.listdir("disk") == []


@pytest.mark.in_turn
@pytest.mark.parametrize("device, shape", [
    ("cpu", (3,)), ("cpu", (1, 9)), ("cpu", (9, 1)), ("cpu", (3, 3, 3)), ("cpu", (4, 1, 7)), ("cpu", (5, 3, 8)), ("cpu", (1, 1, 300)),
    ("simt:32", (3, 4, 5)), ("simt:32", (1, 30))])
def test_small_extents(ridge, folder, device, shape):
    """Transforms solve what iterations do, in order 2 and in one that reaches beyond both faces."""
    f = np.random.default_rng(8).standard_normal(shape)
    write("f.h5", "f", f)
    for walls in ("x-=dirichlet:1,x+=mirror", "x=periodic", "x-=neumann:0.5,x+=dirichlet:-1"):
        for axis, kind in zip("yz", ("mirror", "dirichlet:0.5")[:len(shape) - 1]):
            walls += f",{axis}={kind}"
        for order, methods in ((2, ("multigrid", "cg")), (8, ("cg",))):
            found = {}
            for method in ("fft", *methods):
                ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", walls, "--order", order, "--method", method,
                           "--project", "--device", device, "--overwrite")
                found[method], attributes = solution()
                assert attributes["residual"][0] <= 2e-10 and attributes["converged"][0] == 1
            for method in methods:
                assert np.abs(found[method] - found["fft"]).max() < 1e-7 * max(1, np.abs(found["fft"]).max())


def test_a_tolerance_that_is_not_reached_leaves_the_best_and_exits_1(ridge, folder):
    write("f.h5", "f", np.random.default_rng(6).standard_normal((24, 24, 24)).astype("f4"))
    ridge.bad("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=dirichlet:0,z=dirichlet:0", "--cycles", 3,
              "--method", "multigrid", "--device", "cpu", code=1, says="--cycles allows more")
    _, attributes = solution()
    assert 1e-5 < attributes["residual"][0] < 1e-2 and attributes["converged"][0] == 0 and "criterion" not in attributes


def test_a_tolerance_below_rounding_is_met_by_rounding(ridge, folder):
    """A smooth right-hand side, of which fp32 leaves a residual of 1e-4: it was an error."""
    n = 129
    x = np.linspace(0, 1, n)
    right = np.sin(np.pi * x) * np.sin(2 * np.pi * x)[:, None]
    symbol = sum((2 * (n - 1) * np.sin(m * np.pi / (n - 1) / 2)) ** 2 for m in (1, 2))
    write("f.h5", "f", (-symbol * right).astype("f4"))
    words = ["solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0", "--spacing", 1 / (n - 1),
             "--overwrite", "--device", "cpu"]
    for method in ("multigrid", "cg", "fft"):
        done = ridge.good(*words, "--method", method)
        got, attributes = solution()
        assert np.abs(got - right).max() < 2e-6
        assert attributes["converged"][0] == 1 and attributes["criterion"] == "rounding"
        assert attributes["residual"][0] > 1e-5 and attributes["backward_error"][0] < 1.2e-7
        assert "converged as far as fp32 goes" in done.out
    record, = ridge.good(*words, "--method", "cg", "--json").records()
    assert record["criterion"] == "rounding" and record["backward_error"] < 1.2e-7 < record["residual"]
    record, = ridge.good(*words, "--tol", 0.01, "--json").records()
    assert record["criterion"] == "residual" and "backward_error" not in record


def test_fp32_has_a_tolerance_that_it_reaches(ridge, folder):
    write("f.h5", "f", np.random.default_rng(6).standard_normal((24, 24, 24)).astype("f4"))
    record, = ridge.good("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=periodic,y=dirichlet:0,z=dirichlet:0",
                         "--device", "cpu", "--method", "multigrid", "--json").records()
    assert record["residual"] <= 1e-5 and solution()[1]["tolerance"][0] == 1e-5


@pytest.mark.parametrize("shape", [(17, 18, 19), (7, 8, 9)])
def test_conjugate_gradients_say_what_they_reached(ridge, folder, shape):
    """Not what residuals would be that are carried along."""
    f = np.random.default_rng(6).standard_normal(shape)
    write("f.h5", "f", f)
    done = ridge("solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", "--tol", "1e-20",
                 "--device", "cpu", "--method", "cg")
    assert done.code == 0 and "converged as far as fp64 goes" in done.out
    rows = [float(line.split()[1]) for line in done.out.splitlines() if line[:5].strip().isdigit()]
    assert len(rows) < 40 and min(rows) > 1e-17 and rows[-1] <= 1.2 * min(rows)


def test_cycles_that_gain_too_little_say_what_goes_on(ridge, folder):
    """Where a coefficient jumps from point to point."""
    random = np.random.default_rng(6)
    write("f.h5", "f", random.standard_normal((17, 17, 17)))
    write("f.h5", "k", 10 ** random.uniform(-3, 3, (17, 17, 17)))
    words = ["solve", "poisson", "f.h5:/f", "-o", "u.h5:/u", "--boundary", "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0",
             "--coefficient", "f.h5:/k", "--device", "cpu"]
    ridge.bad(*words, "--method", "multigrid", code=1, says="a cycle gains too little here; --method cg goes on")
    record, = ridge.good(*words, "--json", "--overwrite").records()
    assert record["residual"] <= 1e-10 and record["in_cache"]
