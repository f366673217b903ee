"""`ridge evolve` and `bench` of systems: several arrays in time, against closed forms."""

import h5py
import numpy as np
import pytest

from system_runs import evolve, places, read, write

pytestmark = pytest.mark.usefixtures("folder")
DEVICES = ["cpu", "simt:32", "simt:64"]


def staggered(k, h):
    """The symbol of the derivative of order 8 between points, less its i: d/dx of a wave exp(ikx)."""
    weights = [1225 / 1024, -245 / 3072, 49 / 5120, -5 / 7168]
    return sum(w * 2 * np.sin((m + 0.5) * k * h) / h for m, w in enumerate(weights))


@pytest.mark.parametrize("device", DEVICES)
def test_acoustic_plane_waves_follow_the_discrete_dispersion(ridge, device):
    n, h, dt, steps = 16, 0.5, 0.1, 12
    x = np.arange(n) * h
    k = 2 * np.pi * 2 / (n * h)
    p = np.broadcast_to(np.cos(k * x), (6, 8, n)).copy()
    rho, c = 1.7, 1.3
    # sin(w dt / 2) = c dt D / 2; velocities are half a step behind, here those of a standing wave.
    w = 2 / dt * np.arcsin(c * dt / 2 * staggered(k, h))
    vx = np.broadcast_to(-np.sin(k * (x + h / 2)) * np.sin(w * dt / 2) / (rho * c), p.shape).copy()
    write(p=p, vx=vx, c=np.full(p.shape, c), rho=np.full(p.shape, rho))
    evolve(ridge, "acoustic", "--spacing", str(h), "--dt", str(dt), "--steps", str(steps),
           "--boundary", "x=periodic,y=periodic,z=periodic", device=device)
    right = np.cos(w * dt * steps) * np.cos(k * x)
    np.testing.assert_allclose(read("p"), np.broadcast_to(right, p.shape), atol=2e-14)


def test_acoustic_energy_is_constant_between_walls(ridge):
    random = np.random.default_rng(1)
    shape = (11, 12, 14)
    c = 1 + 0.5 * random.random(shape)
    rho = 1 + random.random(shape)
    write(p=random.standard_normal(shape), c=c, rho=rho)
    evolve(ridge, "acoustic", "--steps", "60", "--every", "20", "--boundary", "z-=antimirror")
    energies = []
    for step in (20, 40, 60):
        p, vx, vy, vz = read("p", "vx", "vy", "vz", step=step)
        energies.append((p, vx, vy, vz))
    with h5py.File("out.h5") as out:
        dt = float(out.attrs["dt"])

    def pad(u, axis, low_free):
        """u with what lies beyond its faces: even, or odd about the first point."""
        u = np.moveaxis(u, axis, 0)
        low = -u[1:5][::-1] if low_free else u[:4][::-1]
        return np.moveaxis(np.concatenate([low, u, u[-4:][::-1]]), 0, axis)

    weights = [1225 / 1024, -245 / 3072, 49 / 5120, -5 / 7168]

    def gradient(p, axis, free):
        padded = np.moveaxis(pad(p, axis, free), axis, 0)
        n = p.shape[axis]
        total = sum(w * (padded[5 + m:5 + m + n] - padded[4 - m:4 - m + n])
                    for m, w in enumerate(weights))
        return np.moveaxis(total, 0, axis)

    def mean(rho, axis):
        rho = np.moveaxis(rho, axis, 0)
        return np.moveaxis((rho + np.concatenate([rho[1:], rho[-1:]])) / 2, 0, axis)

    # Leapfrog conserves p(n)^2 / (rho c^2) + rho v(n - 1/2) v(n + 1/2).
    sums = []
    for p, *v in energies:
        weight = np.ones(shape)
        weight[0] = 0  # the plane on the free wall holds 0
        total = np.sum(weight * p**2 / (rho * c**2))
        for axis, u in zip((2, 1, 0), v):
            mid = mean(rho, axis)
            later = u - dt / mid * gradient(p, axis, axis == 0)
            inside = np.ones(shape)
            last = [slice(None)] * 3
            last[axis] = -1
            inside[tuple(last)] = 0  # on the rigid wall
            total += np.sum(inside * mid * u * later)
        sums.append(total)
    np.testing.assert_allclose(sums, sums[0], rtol=2e-13)


STATES = {"acoustic": "p vx vy vz", "elastic": "vx vy vz sxx syy szz sxy sxz syz", "maxwell": "ex ey ez hx hy hz"}
MEDIA = {"acoustic": "c rho", "elastic": "rho lambda mu", "maxwell": "eps"}


@pytest.mark.parametrize("system", list(STATES))
def test_schedules_of_gpus_have_the_bits_of_fission(ridge, system):
    random = np.random.default_rng(6)
    shape = (7, 9, 11)
    write(**{name: random.standard_normal(shape) for name in STATES[system].split()},
          **{name: 1 + 0.1 * random.random(shape) for name in MEDIA[system].split()})
    found = []
    for device, schedule in (("simt:32", "fission"), ("simt:32", "fused"), ("simt:32", "fuse=none steps=1"),
                             ("simt:32", "fuse=none block=64x2x1 steps=2"), ("simt:64", "fission")):
        evolve(ridge, system, "--steps", "3", "--boundary", "x=periodic,z-=antimirror", "--schedule", schedule,
               device=device)
        found.append([values.tobytes() for values in read(*STATES[system].split())])
    assert all(other == found[0] for other in found[1:])


@pytest.mark.parametrize("system, boundary, more", [
    ("acoustic", "x=periodic,y-=antimirror,y+=dirichlet:0.3,z-=neumann:0.2,z+=antimirror", ()),
    ("acoustic", "y=periodic,z=periodic", ("--source", "s.csv", "--wavelet", "ricker:0.1")),
    ("elastic", "x=antimirror,z-=antimirror", ("--absorb", "y,z+", "--absorb-width", "3")),
    ("maxwell", "x=antimirror,y=antimirror,z=antimirror", ()),
])
def test_a_wave_has_the_bits_of_operations_one_by_one(ridge, system, boundary, more):
    random = np.random.default_rng(5)
    shape = (25, 27, 19)
    write(**{name: random.standard_normal(shape) for name in STATES[system].split()},
          **{name: 1 + 0.1 * random.random(shape) for name in MEDIA[system].split()})
    places("s.csv", (8.4, 9.7, 11.1))
    found = []
    for schedule in ("fuse=none", "threads=1", "threads=3", "tile=allx9x1 threads=2"):
        evolve(ridge, system, "--steps", "5", "--boundary", boundary, "--schedule", schedule, *more)
        found.append([values.tobytes() for values in read(*STATES[system].split())])
    assert all(other == found[0] for other in found[1:])


@pytest.mark.parametrize("device", DEVICES)
def test_source_and_receiver_may_change_places(ridge, device):
    random = np.random.default_rng(2)
    shape = (9, 11, 13)
    rho = 1 + random.random(shape)
    write(c=1 / np.sqrt(rho), rho=rho)  # what is put into p is weighed by rho c^2
    a, b = (3.3, 2.5, 4.0), (8.75, 6.2, 5.5)
    traces = []
    for source, receiver in ((a, b), (b, a)):
        places("s.csv", source)
        places("r.csv", receiver)
        evolve(ridge, "acoustic", "--steps", "40", "--every", "40", "--source", "s.csv",
               "--wavelet", "ricker:0.2", "--receivers", "r.csv", device=device)
        with h5py.File("out.traces.h5") as h5:
            traces.append(h5["traces"][0])
        assert np.abs(traces[-1]).max() > 1e-4
    np.testing.assert_allclose(traces[0], traces[1], atol=1e-14)


@pytest.mark.parametrize("device", DEVICES)
def test_a_dam_breaks_and_keeps_its_water(ridge, device):
    n = 60
    x = np.arange(n)
    h = np.broadcast_to(np.where(x < n // 2, 2.0, 1.0), (5, n)).copy()
    write(h=h)
    evolve(ridge, "shallow-water", "--steps", "60", "--every", "60", device=device)
    after, hu = read("h", "hu")
    assert abs(after.sum() / h.sum() - 1) < 1e-14
    assert np.ptp(after, axis=0).max() < 1e-12  # as it was along y
    # Stoker's state between shock and fan: 1.45384 for 2 over 1.
    assert abs(after[2, n // 2] - 1.45384) < 0.01
    assert hu[2, n // 2] > 0


def test_a_lake_at_rest_stays_at_rest(ridge):
    random = np.random.default_rng(3)
    bottom = random.random((12, 15))
    write(h=np.maximum(1.2 - bottom * 2, 0), bottom=bottom * 2)
    evolve(ridge, "shallow-water", "--steps", "50", "--every", "50")
    h, hu, hv = read("h", "hu", "hv")
    assert np.abs(hu).max() < 1e-14 and np.abs(hv).max() < 1e-14
    np.testing.assert_allclose(h, np.maximum(1.2 - bottom * 2, 0), atol=1e-14)


def vortex(n):
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    k = 2 * np.pi / n
    u = 0.02 * 16 / n
    return k, u, -u * np.cos(k * x) * np.sin(k * y), u * np.sin(k * x) * np.cos(k * y)


def test_a_lattice_boltzmann_vortex_decays_as_viscosity_says(ridge):
    errors = []
    for n in (16, 32):
        k, u, ux, uy = vortex(n)
        write(ux=np.broadcast_to(ux, (3, n, n)).copy(), uy=np.broadcast_to(uy, (3, n, n)).copy())
        steps = (n // 16) ** 2 * 60
        evolve(ridge, "lbm-d3q19", "--steps", str(steps), "--every", str(steps), "--set", "tau=0.8")
        found = read("uy")
        right = np.exp(-2 * k**2 * 0.1 * steps) * uy
        errors.append(np.abs(found - right).max() / np.abs(right).max())
    assert errors[0] < 0.03 and errors[0] / errors[1] > 3.5, errors


def test_a_lattice_boltzmann_channel_is_a_parabola(ridge):
    errors = []
    for n in (8, 16):
        solid = np.zeros((n + 2, 3, 3))
        solid[0] = solid[-1] = 1
        write(solid=solid)
        force = 1e-4 * (8 / n) ** 3
        steps = 40 * n * n
        evolve(ridge, "lbm-d3q19", "--steps", str(steps), "--every", str(steps), "--set", "tau=0.8",
               "--set", f"force_x={force}", "--schedule", "threads=1")
        ux = read("ux")[1:-1, 1, 1]
        z = np.arange(n) + 0.5
        right = force / (2 * 0.1) * z * (n - z)
        errors.append(np.abs(ux - right).max() / right.max())
    assert errors[0] < 0.05 and errors[0] / errors[1] > 3.5, errors


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
def test_devices_agree_on_a_flow_round_a_solid(ridge, device):
    random = np.random.default_rng(4)
    shape = (6, 7, 9)
    write(rho=1 + 0.01 * random.random(shape), ux=0.05 * random.random(shape),
          solid=(random.random(shape) < 0.2).astype(float))
    found = {}
    for on in ("cpu", device):
        evolve(ridge, "lbm-d3q19", "--steps", "9", "--every", "9", device=on)
        found[on] = read("rho", "ux", "uy", "uz")
    np.testing.assert_allclose(found[device], found["cpu"], atol=1e-14)
    assert abs(found["cpu"][0].sum() / found[device][0].sum() - 1) < 1e-13


def test_places_as_spreadsheets_write_them(ridge):
    write(c=np.ones((8, 10, 12)))
    found = []
    for text in ("x,y,z\n3.5,4,5\n", "\ufeffx,y,z\r\n3.5,4,5\r\n", '# shots\n"x", "y", "z"\n 3.5, 4, 5\n\n'):
        with open("s.csv", "w", newline="") as out:
            out.write(text)
        evolve(ridge, "acoustic", "--steps", "4", "--source", "s.csv", "--wavelet", "ricker:0.3:2")
        found.append(read("p"))
    assert np.abs(found[0]).max() > 0
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_walls_of_one_array_and_of_all(ridge):
    write(h=np.ones((6, 8)))
    evolve(ridge, "shallow-water", "--steps", "4", "--every", "4", "--boundary",
           "y=periodic,h.x-=dirichlet:2")
    h = read("h")
    assert (h[:, 0] == 2).all() and np.ptp(h, axis=0).max() == 0 and h[0, 2] > 1


@pytest.mark.parametrize("options, says", [
    (["--dt", "1"], "not stable; the largest stable step of acoustic here is 0.448"),
    (["--boundary", "q.x=mirror"], "there is no array 'q'; the arrays are p, vx, vy, vz, c, rho"),
    (["--boundary", "w=mirror"], "'w' is no face"),
    (["--boundary", "x=open"], "there is no condition 'open'"),
    (["--boundary", "x-=periodic"], "periodic is for both faces"),
    (["--set", "tau=1"], "acoustic has no number 'tau' to set"),
    (["--source", "far.csv", "--wavelet", "ricker:1"], "far.csv, line 2: x=40 lies outside the domain"),
    (["--source", "here.csv"], "give --wavelet"),
    (["--receivers", "twice.csv"], "lines 2 and 3 are one place"),
    (["--source", "two.csv", "--wavelet", "ricker:1"], "line 1: there are two columns amplitude"),
    (["--receivers", "other.csv"], "acoustic changes no array 'c'"),
    (["--wavelet", "ricker:1"], "--wavelet goes with --source"),
    (["--coefficient", "in.h5:/c"], "acoustic takes its arrays from INPUT"),
    (["--absorb", "w"], "'w' is no face"),
    (["--show", "p"], "--show goes with --picture"),
    (["--show", "q", "--picture", "q.png"], "--show q: acoustic shows p, vx, vy, vz"),
    (["--boundary", ""], "--boundary: '' is empty; give a value, or leave the option out"),
    (["--source", "here.csv", "--wavelet", "ricker"],
     "--wavelet: there is no file ricker; a file of numbers, one a step, or ricker:FREQUENCY is right"),
    (["--steps", "10000000000"], "a run has at most 9999999999 steps"),
])
def test_bad_use_says_what_is_right(ridge, options, says):
    write(c=np.ones((8, 10, 12)))
    places("far.csv", (40, 1, 1))
    places("here.csv", (4, 1, 1))
    places("twice.csv", (4, 1, 1), (4, 1, 1))
    places("other.csv", (4, 1, 1, "c"), columns="x,y,z,array")
    places("two.csv", (4, 1, 1, 2, 3), columns="x,y,z,amplitude,amplitude")
    ridge.bad("evolve", "acoustic", "in.h5", "-o", "out.h5", "--device", "cpu", *options,
              says=says)


def test_arrays_must_fit_each_other(ridge):
    start = ["in.h5", "-o", "out.h5", "--device", "cpu"]
    write(c=np.ones((8, 10, 12)), p=np.ones((8, 10, 13)))
    ridge.bad("evolve", "acoustic", *start, says="their staggering does not fit")
    write(q=np.ones((8, 10, 12)))
    ridge.bad("evolve", "acoustic", *start, says="has none of the datasets that acoustic takes")
    write(ux=np.zeros((4, 4, 4)))
    ridge.bad("evolve", "lbm-d3q19", *start, "--set", "tau=0.7", "--set", "tau=0.8",
              says="--set tau=0.8: 'tau' is given twice")


def test_axes_that_arrays_do_not_have(ridge):
    words = ["evolve", "acoustic", "in.h5", "-o", "out.h5", "--device", "cpu", "--boundary"]
    write(c=np.ones((10, 12)))
    ridge.bad(*words, "x=mirror,z=mirror", says="--boundary z=mirror: the arrays have no axis z, only x and y")
    ridge.bad(*words, "p.z-=periodic", says="periodic is for both faces")
    write(c=np.ones(12))
    ridge.bad(*words, "p.y+=dirichlet:0", says="--boundary p.y+=dirichlet:0: the arrays have no axis y, only x")


@pytest.mark.parametrize("system, field", [("acoustic", "p"), ("elastic", "vx"), ("maxwell", "ex"),
                                           ("shallow-water", "h")])
def test_a_single_point_has_no_largest_step(ridge, system, field):
    write(**{field: np.ones((1, 1))})
    words = ["evolve", system, "in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "2"]
    ridge.bad(*words, says=f"--dt: any step of {system} is stable on a single point; give a number")
    ridge.good(*words, "--dt", "0.5")
    assert np.isfinite(read(field)).all()


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_a_run_stops_at_the_first_value_that_is_not_finite(ridge, device):
    words = ["in.h5", "-o", "out.h5", "--device", device, "--overwrite", "--steps", "6", "--every", "2"]
    p = np.zeros((6, 7, 8))
    p[3, 4, 4:6] = 1.7e308, -1.7e308  # whose difference is infinite
    write(p=p)
    ran = ridge.bad("evolve", "acoustic", *words, code=1,
                    says=["values are NaN or infinite, and none was at step 0; the last snapshot is out.0000000000.h5",
                          "start anew from there with --dt 0.2"])
    assert "stopped at step 1: " in ran.err or "stopped at step 2: " in ran.err
    assert list(h5py.File("out.h5")["snapshots"]) == ["0000000000"]
    np.testing.assert_array_equal(read("p"), p)
    p[3, 4, 4:6] = np.nan, 1  # a start that has some is gone on with
    write(p=p)
    ran = ridge("evolve", "acoustic", *words)
    assert ran.code == 0 and ran.err == "ridge: the start holds 1 values that are not finite; they pass through\n"


@pytest.mark.parametrize("device", DEVICES)
def test_wavelets_are_0_after_their_end(ridge, device):
    write(c=np.ones((8, 10, 12)))
    places("s.csv", (4, 1, 1, "w.txt"), (5, 6, 2, "v.txt"), columns="x,y,z,wavelet")
    for file, values in (("w.txt", "2\n-5\n"), ("v.txt", "7\n0.5\n0.25\n")):
        with open(file, "w") as out:
            out.write(values)
    ran = ridge("evolve", "acoustic", "in.h5", "-o", "out.h5", "--device", device, "--steps", "5", "--every", "1",
                "--source", "s.csv")
    assert ran.code == 0 and "w.txt has 2 values, and the run 5 steps: it is 0 after them" in ran.err
    # Between mirrors a step keeps the sum.
    np.testing.assert_allclose([read("p", step=s).sum() for s in range(6)], [0, 9, 4.5, 4.75, 4.75, 4.75], atol=1e-13)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("system", ["acoustic", "elastic", "maxwell", "lbm-d3q19",
                                    "shallow-water"])
def test_benchmarks_hold_under_all_schedules(ridge, system, device):
    size = "33x20" if system == "shallow-water" else "33x10x7"
    ran = ridge.good("bench", system, "--device", device, "--size", size, "--schedule", "all",
                     "--repeat", "1", "--json")
    records = ran.records()
    assert len(records) >= 3 and all(r["check"]["ok"] for r in records)
    assert all(r["site_updates_per_second"] > 0 for r in records)


@pytest.mark.parametrize("device", DEVICES)
def test_light_follows_the_dispersion_of_yees_scheme(ridge, device):
    n, h, dt, steps = 16, 0.5, 0.25, 10
    x = np.arange(n) * h
    k = 2 * np.pi * 3 / (n * h)
    w = 2 / dt * np.arcsin(dt / h * np.sin(k * h / 2))
    shape = (4, 5, n)
    write(ey=np.broadcast_to(np.cos(k * x), shape).copy(),
          hz=np.broadcast_to(-np.sin(k * (x + h / 2)) * np.sin(w * dt / 2), shape).copy())
    evolve(ridge, "maxwell", "--spacing", str(h), "--dt", str(dt), "--steps", str(steps),
           "--boundary", "x=periodic,y=periodic,z=periodic", device=device)
    right = np.cos(w * dt * steps) * np.cos(k * x)
    np.testing.assert_allclose(read("ey"), np.broadcast_to(right, shape), atol=2e-14)


def test_the_energy_of_light_is_constant_in_a_cavity(ridge):
    random = np.random.default_rng(6)
    shape = (7, 8, 9)
    eps = 1 + random.random(shape)
    write(ex=random.standard_normal(shape), ey=random.standard_normal(shape),
          hz=random.standard_normal(shape), eps=eps)
    evolve(ridge, "maxwell", "--steps", "60", "--every", "20", "--boundary",
           "x=antimirror,y=antimirror,z=antimirror")
    with h5py.File("out.h5") as out:
        dt = float(out.attrs["dt"])
    names = ["ex", "ey", "ez", "hx", "hy", "hz"]

    def ahead(u, axis):  # x is numpy's last axis
        return np.roll(u, -1, 2 - axis) - u

    def inside(u, *axes):  # without the points behind the last wall
        cut = [slice(None)] * 3
        for axis in axes:
            cut[2 - axis] = slice(0, -1)
        return u[tuple(cut)]

    sums = []
    for step in (20, 40, 60):
        e, h = np.split(np.array(read(*names, step=step)), 2)
        total = 0
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            later = h[a] - dt * (ahead(e[c], b) - ahead(e[b], c))
            total += np.sum(inside(h[a] * later, b, c))
            mean = (eps + np.roll(eps, -1, 2 - a)) / 2
            total += np.sum(inside(mean * e[a]**2, a))
        sums.append(total)
    np.testing.assert_allclose(sums, sums[0], rtol=2e-13)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("wave", ["pressure", "shear"])
def test_elastic_waves_follow_the_discrete_dispersion(ridge, wave, device):
    n, h, dt, steps = 16, 0.5, 0.05, 10
    x = np.arange(n) * h
    k = 2 * np.pi * 2 / (n * h)
    rho, lam, mu = 1.3, 2.1, 0.9
    symbol = 9 / 8 * 2 * np.sin(k * h / 2) / h - 1 / 24 * 2 * np.sin(3 * k * h / 2) / h
    c = np.sqrt(((lam + 2 * mu) if wave == "pressure" else mu) / rho)
    w = 2 / dt * np.arcsin(c * dt / 2 * symbol)
    shape = (6, 7, n)
    full = lambda v: np.broadcast_to(v, shape).copy()
    medium = dict(rho=full(rho), lam=full(lam), mu=full(mu))
    medium["lambda"] = medium.pop("lam")
    shift = 0 if wave == "pressure" else h / 2  # shear stresses lie half a point behind
    stress = np.cos(k * (x + shift))
    velocity = np.sin(k * (x + h / 2)) * np.sin(w * dt / 2)
    if wave == "pressure":
        write(sxx=full(stress), syy=full(lam / (lam + 2 * mu) * stress),
              szz=full(lam / (lam + 2 * mu) * stress), vx=full(velocity / (rho * c)), **medium)
        name = "sxx"
    else:
        write(sxy=full(stress), vy=full(np.sin(k * x) * np.sin(w * dt / 2) / (rho * c)), **medium)
        name = "sxy"
    evolve(ridge, "elastic", "--spacing", str(h), "--dt", str(dt), "--steps", str(steps),
           "--boundary", "x=periodic,y=periodic,z=periodic", device=device)
    np.testing.assert_allclose(read(name), full(np.cos(w * dt * steps) * stress), atol=2e-14)


def test_layers_that_do_not_fit(ridge):
    write(c=np.ones((8, 10, 12)))
    words = ["evolve", "acoustic", "in.h5", "-o", "out.h5", "--device", "cpu", "--steps", "1", "--absorb"]
    ridge.bad(*words, "x", says="--absorb-width 20: x has 12 points and 2 layers; at most 5 fit")
    ridge.bad(*words, "y+", "--absorb-width", "10", says="y has 10 points and 1 layer; at most 9 fit")
    ridge.bad(*words, "z", "--absorb-width", "0", says="--absorb-width 0: at least 1 is needed")
    ridge.good(*words, "x,y+", "--absorb-width", "5")
