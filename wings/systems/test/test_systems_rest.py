"""`ridge evolve` of systems: fluids at rest beside walls stay so, and steps follow what flows."""

import h5py
import numpy as np
import pytest

from system_runs import evolve, read, write

pytestmark = pytest.mark.usefixtures("folder")
#: Of lbm-d3q19: what points have beside their weights.
WEIGHTS = np.array([1 / 3] + 6 * [1 / 18] + 12 * [1 / 36])
POPULATIONS = [f"f{i}" for i in range(19)]


def walls(shape, kind):
    solid = np.zeros(shape)
    if kind == "plate":
        solid[0] = 1
    elif kind == "ends":  # corners of the box, beside periodic faces
        solid[0, 0, 0] = solid[-1, -1, -1] = solid[0, -1, 0] = 1
    else:
        solid[np.random.default_rng(3).random(shape) < 0.3] = 1
    return solid


@pytest.mark.parametrize("kind, density, more", [
    ("plate", 2, ()), ("plate", 0.3, ("--store-as", "fp16")), ("ends", 1.7, ()), ("random", 2, ()),
    ("random", 0.01, ("--set", "tau=0.55")),
])
@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_a_fluid_at_rest_beside_solids_stays_at_rest(ridge, kind, density, more, device):
    shape = (5, 6, 7)
    solid = walls(shape, kind)
    dtype = "f4" if "--store-as" in more else "f8"
    rho = np.where(solid > 0, np.nan if kind == "random" else 1, density)  # nothing counts in solids
    write(rho=rho.astype(dtype), solid=solid.astype(dtype))
    evolve(ridge, "lbm-d3q19", "--steps", "50", "--every", "50", *more, device=device)
    exact = 2e-3 if "--store-as" in more else 1e-14
    fluid = solid == 0
    found = read("rho", "ux", "uy", "uz")
    assert max(np.abs(u).max() for u in found[1:]) < exact
    assert np.abs(found[0][fluid] - density).max() < exact


@pytest.mark.parametrize("options", [("--set", "force_x=1e-4"), ("--set", "force_z=-1e-3"), ()])
def test_a_moving_fluid_beside_solids_keeps_its_mass(ridge, options):
    """What is under way in solids, back to the fluid, is the fluid's."""
    shape = (6, 7, 8)
    solid = walls(shape, "random")
    random = np.random.default_rng(4)
    write(rho=1.5 + 0.2 * random.random(shape), ux=0.05 * random.random(shape), solid=solid)
    evolve(ridge, "lbm-d3q19", "--steps", "60", "--every", "15", "--set", "tau=0.6", *options)
    fluid = solid == 0
    masses, seen = [], []
    for step in range(0, 61, 15):
        f = np.array(read(*POPULATIONS, step=step)) + WEIGHTS[:, None, None, None]
        under_way = f[1:, ~fluid].sum() - WEIGHTS[1:].sum() * np.sum(~fluid)
        masses.append(f[:, fluid].sum() + under_way)
        seen.append(read("rho", step=step)[fluid].sum())
    np.testing.assert_allclose(masses, masses[0], rtol=1e-14)
    np.testing.assert_allclose(seen, seen[0], rtol=1e-3)  # it was off by 2 % where solids held density 1


def test_a_force_moves_what_lies_between_plates_by_the_parabola_at_any_density(ridge):
    n, steps = 8, 3000
    solid = np.zeros((n + 2, 3, 3))
    solid[0] = solid[-1] = 1
    z = np.arange(n) + 0.5
    found = []
    for density in (1, 2):
        write(solid=solid, rho=np.full(solid.shape, float(density)))
        evolve(ridge, "lbm-d3q19", "--steps", str(steps), "--every", str(steps), "--set", f"force_x={1e-4 * density}")
        found.append(read("ux")[1:-1, 1, 1])
        assert abs(read("rho")[1:-1].mean() / density - 1) < 1e-12
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10)
    assert np.abs(found[0] / (1e-4 / (2 * 0.1) * z * (n - z)) - 1).max() < 0.05


def test_runs_beside_solids_go_on_bit_by_bit_from_their_snapshots(ridge):
    shape = (5, 6, 7)
    write(rho=np.full(shape, 1.3), ux=np.full(shape, 0.05), solid=walls(shape, "random"))
    evolve(ridge, "lbm-d3q19", "--steps", "9", "--every", "5", out="whole.h5")
    right = read(*POPULATIONS, "rho", "ux", file="whole.h5")
    ran = ridge.good("evolve", "lbm-d3q19", "whole.h5:/snapshots/0000000005", "-o", "further.h5", "--steps", "4",
                     "--device", "cpu")
    assert "has f0 to f18: the run begins with them" in ran.out
    for one, other in zip(read(*POPULATIONS, "rho", "ux", file="further.h5"), right):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("depth, momentum", [(0.5, 0), (1e-7, 1e-5)])
def test_water_runs_down_a_slope(ridge, depth, momentum):
    """Half a metre on a slope of 1:1, and a film that is too thin to flow but has momentum."""
    x = np.arange(100)
    bottom = np.broadcast_to(99.0 - x, (4, 100)).copy()
    h = np.full(bottom.shape, depth)
    hu = np.full(bottom.shape, float(momentum))
    h[:, :10] = 0.5
    write(h=h, hu=hu, bottom=bottom)
    evolve(ridge, "shallow-water", "--steps", "300", "--every", "300")
    after, flow = read("h", "hu")
    assert np.isfinite(after).all() and after.min() > -1e-12
    assert abs(after.sum() / h.sum() - 1) < 1e-12
    assert flow.max() > 1  # it runs


def dam(dtype="f8"):
    h = np.full((5, 120), 0.01, dtype)
    h[:, :20] = 1
    return h


@pytest.mark.parametrize("device, dtype", [("cpu", "f8"), ("simt:32", "f4"), ("simt:64", "f8")])
def test_automatic_steps_follow_the_flow(ridge, device, dtype):
    """Waves of a rest of 1 m run at 3.1 m/s, then up to twice as fast; when all is calm again at 1.3 m/s."""
    h = dam(dtype)
    write(h=h)
    evolve(ridge, "shallow-water", "--steps", "800", "--every", "16", "--boundary", "y=periodic", device=device)
    lasting = 0.9 / (2 * 2)  # of the largest stable step, at speed 1 over points 1 apart
    times, speeds = [], []
    with h5py.File("out.h5") as out:
        for step in sorted(out["snapshots"]):
            group = out["snapshots"][step]
            times.append(group.attrs["time"])
            depth, hu, hv = (group[name][...].astype("f8") for name in ("h", "hu", "hv"))
            speeds.append((np.hypot(hu, hv) / depth + np.sqrt(9.81 * depth)).max())
        assert out.attrs["dt"] == pytest.approx(lasting / speeds[0], rel=1e-6)
    np.testing.assert_allclose(np.diff(times), 16 * lasting / np.array(speeds[:-1]), rtol=1e-6)
    assert np.ptp(speeds) > 1.5
    assert abs(read("h").astype("f8").sum() / h.astype("f8").sum() - 1) < (1e-13 if dtype == "f8" else 1e-5)
    times_shown = [float(line.split('Value="')[1].split('"')[0]) for line in open("out.xdmf") if "<Time" in line]
    np.testing.assert_allclose(times_shown, times, rtol=1e-6)


def test_steps_that_became_too_long_are_taken_anew(ridge):
    """Water at rest on a slope runs several times as fast as its waves within sixteen of their steps."""
    x = np.arange(60)
    bottom = 0.3 * (59.0 - x)[None, :]
    h = np.full(bottom.shape, 0.5)
    write(h=h, bottom=bottom)
    evolve(ridge, "shallow-water", "--steps", "400", "--every", "16")
    after = [read("h", step=step) for step in range(0, 401, 16)]
    assert min(one.min() for one in after) > -1e-15
    np.testing.assert_allclose([one.sum() for one in after], h.sum(), rtol=1e-13)
    with h5py.File("out.h5") as out:
        times = [group.attrs["time"] for group in out["snapshots"].values()]
        speeds = []
        for group in out["snapshots"].values():
            depth, flow = np.maximum(group["h"][...], 0), group["hu"][...]
            speeds.append((np.where(depth > 1e-6, np.abs(flow) / np.maximum(depth, 1e-6), 0) + np.sqrt(9.81 * depth)).max())
        first = out.attrs["dt"]
    assert times[1] / 16 == pytest.approx(first / 2)
    assert (np.diff(times) / 16 * np.array(speeds)[1:] <= 1 + 1e-12).all()


@pytest.mark.parametrize("every", [16, 10])
def test_runs_that_follow_the_flow_go_on_bit_by_bit(ridge, mpi, every):
    write(h=dam())
    words = ("evolve", "shallow-water", "in.h5", "--device", "cpu", "--every", str(every))
    ridge.good(*words, "-o", "whole.h5", "--steps", "60")
    ridge.good(*words, "-o", "part.h5", "--steps", "40")
    ridge.good("evolve", "--restart", "part.h5", "--steps", "20", "--device", "cpu")
    over = mpi(2, *words, "-o", "ranks.h5", "--steps", "60", "--ranks", "2x1")
    assert over.code == 0, over.err
    for other in ("part.h5", "ranks.h5"):
        for one, two in zip(read("h", "hu", "hv", file="whole.h5"), read("h", "hu", "hv", file=other)):
            np.testing.assert_array_equal(one, two)
        with h5py.File("whole.h5") as whole, h5py.File(other) as found:
            ends = [list(h5["snapshots"].values())[-1].attrs["time"] for h5 in (whole, found)]
        assert ends[0] == ends[1]


JUMPS = {
    "acoustic": ({"c": 340.0, "rho": 1.2}, {"c": 1500.0, "rho": 1000.0}),
    "elastic": ({"rho": 1.2, "lambda": 1.4e5, "mu": 0.0}, {"rho": 2700.0, "lambda": 3e10, "mu": 3e10}),
}


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("system", list(JUMPS))
def test_automatic_steps_hold_where_the_medium_jumps(ridge, system, axis):
    shape = (13, 14, 15)
    above = np.moveaxis(np.zeros(shape), axis, 0)
    above[7:] = 1
    above = np.moveaxis(above, 0, axis)
    low, high = JUMPS[system]
    state = "p" if system == "acoustic" else "vx"
    start = np.random.default_rng(5).standard_normal(shape)
    if system == "elastic":
        start *= 1e-3
    write(**{name: np.where(above > 0, high[name], low[name]) for name in low}, **{state: start})
    evolve(ridge, system, "--steps", "900", "--every", "900", "--spacing", "5")
    assert np.abs(read(state)).max() < 100 * np.abs(start).max()


def test_automatic_steps_of_smooth_media_stay_as_large(ridge):
    write(c=np.full((7, 8, 9), 2.0), rho=np.full((7, 8, 9), 3.0))
    evolve(ridge, "acoustic", "--steps", "1")
    with h5py.File("out.h5") as out:
        dt = out.attrs["dt"]
    assert dt == pytest.approx(0.9 / (2 * np.sqrt(3) * (1225 / 1024 + 245 / 3072 + 49 / 5120 + 5 / 7168)), rel=1e-12)
