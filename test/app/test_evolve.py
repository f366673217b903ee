"""`ridge evolve` against numpy and against the mathematics."""

import pathlib
import re

import h5py
import numpy as np
import pytest

DEVICES = ["cpu", "simt:32", "simt:64"]
# Thousands of steps of a few points: two threads would mostly wait for each other.
ONE = ["--schedule", "threads=1"]
WEIGHTS = {
    2: [-2.0, 1.0],
    4: [-5 / 2, 4 / 3, -1 / 12],
    6: [-49 / 18, 3 / 2, -3 / 20, 1 / 90],
    8: [-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560],
}
PAD = {"periodic": "wrap", "mirror": "symmetric", "neumann:0": "reflect"}


def write(**fields):
    with h5py.File("in.h5", "w") as h5:
        for name, values in fields.items():
            h5[name] = values


def snapshot(step=-1, name="u", file="out.h5"):
    with h5py.File(file) as h5:
        steps = sorted(h5["snapshots"])
        group = steps[step] if step < 0 else f"{step:010}"
        return h5["snapshots"][group][name][...]


def evolve(ridge, kernel, *options, **more):
    return ridge.good("evolve", kernel, "in.h5:/u", "-o", "out.h5", "--overwrite",
                      "--device", "cpu", *options, **more)


def laplacian(u, order, spacing, modes):
    """x is numpy's last axis; `modes` and `spacing` are x first."""
    r = order // 2
    total = np.zeros_like(u)
    for x, (h, mode) in enumerate(zip(spacing, modes)):
        axis = u.ndim - 1 - x
        width = [(r, r) if a == axis else (0, 0) for a in range(u.ndim)]
        if mode == "dirichlet:0":
            padded = np.pad(u, width, mode="reflect", reflect_type="odd")
        else:
            padded = np.pad(u, width, mode=PAD[mode])
        part = lambda d: np.take(padded, range(r + d, r + d + u.shape[axis]), axis=axis)
        second = WEIGHTS[order][0] * part(0)
        for d in range(1, r + 1):
            second = second + WEIGHTS[order][d] * (part(-d) + part(d))
        total += second / h**2
    return total


def fix(u, modes):
    for x, mode in enumerate(modes):
        if mode == "dirichlet:0":
            line = np.moveaxis(u, u.ndim - 1 - x, 0)
            line[0] = line[-1] = 0
    return u


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("order, modes", [
    (2, ["periodic", "dirichlet:0", "neumann:0"]),
    (2, ["mirror", "neumann:0", "dirichlet:0"]),
    (8, ["dirichlet:0", "periodic", "mirror"]),
])
def test_heat_is_what_numpy_makes_of_it(ridge, folder, device, order, modes):
    spacing = (0.5, 0.75, 1.25)
    u = np.random.default_rng(1).standard_normal((11, 13, 17))
    write(u=u)
    boundary = ",".join(f"{axis}={mode}" for axis, mode in zip("xyz", modes))
    kernel = "heat" if order == 2 else f"heat{order}"
    ridge.good("evolve", kernel, "in.h5:/u", "-o", "out.h5", "--device", device, "--steps", 7,
               "--every", 7, "--dt", 0.01, "--spacing", "0.5x0.75x1.25", "--boundary", boundary,
               "--diffusivity", 0.5)
    fix(u, modes)
    for _ in range(7):
        u = fix(u + 0.01 * 0.5 * laplacian(u, order, spacing, modes), modes)
    assert np.abs(snapshot() - u).max() < 1e-13


@pytest.mark.parametrize("order", [2, 4, 6, 8])
@pytest.mark.parametrize("mode", ["dirichlet:0", "neumann:0", "mirror", "periodic"])
def test_modes_of_heat_decay_at_the_rate_and_order_that_is_named(ridge, folder, order, mode):
    errors = []
    for n in (16, 32):
        points = n + 1 if mode in ("dirichlet:0", "neumann:0") else n
        place = (np.arange(points) + (0.5 if mode == "mirror" else 0)) / n
        wave = {"dirichlet:0": np.sin(np.pi * place), "neumann:0": np.cos(np.pi * place),
                "mirror": np.cos(np.pi * place), "periodic": np.cos(2 * np.pi * place)}[mode]
        rate = (2 * np.pi if mode == "periodic" else np.pi) ** 2
        write(u=wave)
        out = evolve(ridge, "heat" if order == 2 else f"heat{order}", "--steps", 1, "--spacing",
                     1 / n, "--boundary", f"x={mode}", "--json").records()
        # A step of Euler's multiplies the mode by 1 - dt times the rate of the discrete operator.
        factor = np.dot(snapshot(), wave) / np.dot(wave, wave)
        errors.append(abs((1 - factor) / out[0]["dt"] - rate) / rate)
    assert errors[1] < 4e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_heat_is_conserved_between_mirrors(ridge, folder):
    u = np.random.default_rng(2).random((7, 9, 12))
    write(u=u)
    evolve(ridge, "heat", *ONE, "--steps", 3000, "--every", 3000, "--boundary",
           "x=mirror,y=periodic,z=mirror")
    assert snapshot().sum() == pytest.approx(u.sum(), rel=1e-12)
    assert np.ptp(snapshot()) < 1e-6  # and spread evenly


def test_standing_waves_keep_to_the_dispersion_relation(ridge, folder):
    n = 8
    axis = np.sin(np.pi * np.arange(n + 1) / n)
    u = axis[:, None, None] * axis[None, :, None] * axis[None, None, :]
    write(u=u)
    steps = 10000
    out = evolve(ridge, "wave", *ONE, "--steps", steps, "--every", steps, "--spacing", 1 / n, "--boundary",
                 "x=dirichlet:0,y=dirichlet:0,z=dirichlet:0", "--speed", 2, "--json").records()
    dt = out[0]["dt"]
    eigenvalue = 3 * (2 * n * np.sin(np.pi / (2 * n))) ** 2
    angle = 2 * np.arcsin(2 * dt / 2 * np.sqrt(eigenvalue))
    assert np.abs(snapshot() - np.cos(steps * angle) * u).max() < 1e-9


def test_energy_of_waves_is_constant_between_mirrors(ridge, folder):
    u = np.random.default_rng(3).standard_normal((8, 9, 10))
    write(u=u)
    out = evolve(ridge, "wave", *ONE, "--steps", 1000, "--every", 250, "--boundary",
                 "x=mirror,y=mirror,z=mirror", "--json").records()

    def energy(step):
        now, before = snapshot(step), snapshot(step, "u_before")
        return (((now - before) / out[0]["dt"]) ** 2).sum() - (
            before * laplacian(now, 2, (1, 1, 1), ["mirror"] * 3)).sum()

    for step in (250, 500, 750, 1000):
        assert energy(step) == pytest.approx(energy(0), rel=1e-12)


def test_waves_of_a_snapshot_go_on_by_before(ridge, folder):
    """Its level before is not passed over in silence."""
    write(u=np.random.default_rng(3).standard_normal((6, 7, 8)))
    words = ("--dt", 0.4, "--every", 2, "--device", "cpu")
    ridge.good("evolve", "wave", "in.h5:/u", "-o", "whole.h5", "--steps", 4, *words)
    start = "whole.0000000002.h5:/u"
    rest = ridge("evolve", "wave", start, "-o", "rest.h5", "--steps", 2, *words)
    assert rest.code == 0 and rest.err == (f"ridge: the run starts at rest, and {start}_before is passed over; --before "
                                           f"{start}_before goes on with the motion of the field\n")
    ridge.good("evolve", "wave", start, "--before", start + "_before", "-o", "on.h5", "--steps", 2, *words)
    with h5py.File("on.h5") as on, h5py.File("whole.h5") as whole:
        np.testing.assert_array_equal(on["snapshots/0000000002/u"][...], whole["snapshots/0000000004/u"][...])


def test_diffusion_with_a_coefficient(ridge, folder):
    random = np.random.default_rng(4)
    u, k = random.random((6, 8, 9)), 0.5 + random.random((6, 8, 9))
    write(u=u, k=k)
    evolve(ridge, "diffusion", "--coefficient", "in.h5:/k", "--steps", 5, "--dt", 0.05, "--boundary",
           "x=periodic,y=periodic,z=periodic")
    for _ in range(5):
        total = np.zeros_like(u)
        for axis in range(3):
            for way in (-1, 1):
                total += (k + np.roll(k, way, axis)) / 2 * (np.roll(u, way, axis) - u)
        u = u + 0.05 * total
    assert np.abs(snapshot() - u).max() < 1e-14


def flows(u, k, inflow, h):
    """div(k grad u) by finite volumes: k is the mean between points, half a volume lies at a face, and k G enters there with k
    of the face's own point. `inflow`: G by axis of numpy and side."""
    total = np.zeros_like(u)
    for axis in range(u.ndim):
        w, v, t = (np.moveaxis(a, axis, 0) for a in (k, u, total))
        flux = (w[1:] + w[:-1]) / 2 * (v[1:] - v[:-1]) / h[axis]
        volume = np.full(len(v), h[axis])
        volume[[0, -1]] /= 2
        gain = np.zeros_like(t)
        gain[:-1] += flux
        gain[1:] -= flux
        gain[0] += w[0] * inflow[axis][0]
        gain[-1] += w[-1] * inflow[axis][1]
        t += gain / volume.reshape(-1, *[1] * (u.ndim - 1))
    return total


@pytest.mark.parametrize("shape, walls, inflow, device, kind", [
    ((7,), "x-=neumann:2,x+=neumann:-0.5", [(2, -0.5)], "cpu", "f8"),
    ((6, 9), "x-=neumann:1,x+=neumann:-3,y-=neumann:0.7,y+=neumann:2", [(0.7, 2), (1, -3)], "cpu", "f4"),
    ((5, 6, 9), "x-=neumann:1,x+=neumann:-3,y-=neumann:0,y+=neumann:2,z-=neumann:0.7,z+=neumann:-1", [(0.7, -1), (0, 2), (1, -3)],
     "simt:32", "f8"),
])
def test_k_times_g_flows_in(ridge, folder, shape, walls, inflow, device, kind):
    """The mean of k with the next point flowed in. k jumps, and is 0 at one corner."""
    random = np.random.default_rng(len(shape))
    u, k = random.random(shape).astype(kind), (10 ** random.uniform(-1, 1, shape)).astype(kind)
    k[(0,) * len(shape)] = 0
    write(u=u, k=k)
    h = [0.5, 0.75, 0.6][:len(shape)]
    ridge.good("evolve", "diffusion", "in.h5:/u", "-o", "out.h5", "--overwrite", "--device", device, "--coefficient", "in.h5:/k",
               "--steps", 5, "--dt", 0.002, "--boundary", walls, "--spacing", "x".join(map(str, reversed(h))))
    u, k = u.astype("f8"), k.astype("f8")
    for _ in range(5):
        u = u + 0.002 * flows(u, k, inflow, h)
    assert np.abs(snapshot() - u).max() < (1e-13 if kind == "f8" else 2e-6)


def test_a_flux_through_a_face_is_of_second_order(ridge, folder):
    """k = 1 + 3 x, and a flux of 1 from 0 to the face at 1: the error was 0.085 and 0.043."""
    errors = []
    for n in (9, 17):
        x = np.linspace(0, 1, n)
        right = np.log(4 / (1 + 3 * x)) / 3
        write(u=right, k=1 + 3 * x)
        evolve(ridge, "diffusion", *ONE, "--coefficient", "in.h5:/k", "--steps", 60 * n * n, "--every", 60 * n * n, "--spacing",
               1 / (n - 1), "--boundary", "x-=neumann:1,x+=dirichlet:0")
        errors.append(np.abs(snapshot() - right).max())
    assert errors[0] < 4e-3 and errors[0] / errors[1] > 3.5


def test_values_on_a_face_from_a_dataset(ridge, folder):
    wall = np.random.default_rng(5).random((5, 6))
    write(u=np.zeros((5, 6, 7)), wall=wall)
    evolve(ridge, "heat", *ONE, "--steps", 4500, "--every", 4500, "--boundary",
           "x-=dirichlet:in.h5:/wall,x+=mirror,y=mirror,z=mirror")
    assert np.array_equal(snapshot()[:, :, 0], wall)
    # In the end heat flows nowhere: the field is harmonic.
    u = snapshot()
    padded = np.pad(u, ((1, 1), (1, 1), (1, 1)), mode="symmetric")
    flow = sum(np.roll(padded, s, a) for s in (-1, 1) for a in range(3)) - 6 * padded
    assert np.abs(flow[1:-1, 1:-1, 2:-1]).max() < 1e-12


def test_a_kernel_of_the_user_evolves(ridge, folder):
    (folder / "mine.hpp").write_text("""
#include <ridge/stencil/kernel.hpp>
struct Decay {
  static constexpr auto footprint = ridge::stencil::star<1, 1>();
  double dt = 0, rate = 1;
  double stable_step() const { return 0.5 / rate; }
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(0, 0, 0) + dt * rate * (u(-1, 0, 0) - 2.0 * u(0, 0, 0) + u(1, 0, 0));
  }
};
""")
    u = np.random.default_rng(6).random(30)
    write(u=u)
    evolve(ridge, "./mine.hpp:Decay", "--set", "rate=0.5", "--steps", 6, "--every", 3,
           "--boundary", "x=periodic")
    expected = u
    for _ in range(6):
        expected = expected + 0.9 * 0.5 * (np.roll(expected, 1) - 2 * expected + np.roll(expected, -1))
    assert np.abs(snapshot() - expected).max() < 1e-14
    ridge.bad("evolve", "./mine.hpp:Decay", "in.h5:/u", "-o", "x.h5", "--dt", 0.6,
              says=["not stable", "0.5"])
    # A run that was ended early goes on with the same kernel.
    last = snapshot()
    evolve(ridge, "./mine.hpp:Decay", "--set", "rate=0.5", "--steps", 3, "--boundary", "x=periodic")
    ridge.good("evolve", "--restart", "out.h5", "--steps", 3)
    assert np.array_equal(snapshot(), last)


def test_series_for_paraview_and_a_picture(ridge, folder):
    write(u=np.random.default_rng(7).random((4, 30, 40)).astype("f4"))
    out = evolve(ridge, "heat", "--steps", 20, "--every", 10, "--boundary", "x=mirror,y=mirror,z=mirror",
                 "--picture", "end.png")
    assert "dt 0.15 (0.9 of the largest stable one, 0.166667)" in out.out
    text = (folder / "out.xdmf").read_text()
    assert text.count("<Time") == 3
    assert "out.0000000010.h5:/u" in text
    assert (folder / "end.png").read_bytes()[:4] == b"\x89PNG"
    assert snapshot().dtype == np.float32


@pytest.mark.parametrize("sweeps", [2, 3, 5])
def test_several_sweeps_in_one_pass_give_the_same_bits(ridge, folder, sweeps):
    write(u=np.random.default_rng(8).random((14, 15, 30)))
    options = ["--steps", 16, "--boundary", "x=periodic,y=dirichlet:1,z-=mirror,z+=neumann:0.5"]
    evolve(ridge, "heat", *options, "--schedule", "sweeps=1")
    single = snapshot()
    evolve(ridge, "heat", *options, "--schedule", f"sweeps={sweeps} rows=4")
    assert np.array_equal(snapshot(), single)


def test_bench_checks_and_accounts_many_sweeps(ridge, folder):
    records = ridge.good("bench", "heat", "--device", "cpu", "--size", "48x40x30", "--steps", 8,
                         "--schedule", "all", "--repeat", 2, "--boundary", "x=periodic,y=mirror",
                         "--json").records()
    schedules = [r["schedule"] for r in records]
    assert any(s.startswith("sweeps=1 ") for s in schedules)
    assert any(s.startswith("sweeps=4 ") for s in schedules)
    least = {s.split()[0]: r["least_bytes"] for s, r in zip(schedules, records)}
    assert least["sweeps=4"] == pytest.approx(least["sweeps=1"] / 4)
    for record in records:
        assert record["check"]["ok"]
        assert record["steps"] == 8
        assert record["achieved_unit"] == "points/s" and record["roof_name"] == "one-sweep"


def test_getting_started_evolves(ridge, folder):
    """With its command, but for fewer steps."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "getting_started.md"
    (line,) = re.findall(r"`build/ridge (evolve [^`]*)`", page.read_text())
    u = np.random.default_rng(3).random((6, 5, 7))
    write(u=u)
    ridge.good(*line.replace("--steps 1000", "--steps 8").split())
    last = snapshot()
    assert last.mean() == pytest.approx(u.mean()) and np.ptp(last) < np.ptp(u)  # what is periodic loses nothing
