"""`ridge atmosphere`: snapshots, conservation, pictures, and what goes wrong."""

import os
import re
import resource
import signal
import struct
import time

import h5py
import numpy as np
import pytest
from conftest import left_in, let_it_work, run_files

FIELDS = ["density", "heat", "potential_temperature", "x_momentum", "z_momentum"]


def atmosphere(ridge, *options, size="40x20", until=20, file="out.h5", **more):
    return ridge.good("atmosphere", "--size", size, "--time", until, "-o", file, *options, **more)


def changes(result):
    found = re.search(r"mass change (\S+), energy change (\S+) at", result.out)
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("case", ["thermal", "collision", "gravity-waves", "density-current",
                                  "injection", "straka"])
@pytest.mark.parametrize("device", ["cpu", "simt:64"])
def test_cases(ridge, folder, case, device):
    result = atmosphere(ridge, "--case", case, "--device", device, "--snapshots", 2)
    mass, _ = changes(result)
    assert abs(mass) < 1e-13 or case == "injection"
    assert left_in(folder) == sorted(["out.png", *run_files("out", 0, 1, 2)])
    with h5py.File("out.h5") as h5:
        assert sorted(h5) == ["0000", "0001", "0002"]
        assert [h5[s].attrs["time"] for s in sorted(h5)] == [0, 10, 20]
        for snapshot in h5.values():
            assert sorted(snapshot) == FIELDS
            for data in snapshot.values():
                assert data.shape == (20, 40) and np.isfinite(data[:]).all()
        assert not np.array_equal(h5["0001/x_momentum"], h5["0002/x_momentum"])


def test_many_snapshots_that_take_no_time(ridge, folder):
    """More of them than an integer has bits: each lets the next batch be longer."""
    atmosphere(ridge, "--device", "cpu", "--snapshots", 70, limit=60)
    with h5py.File("out.h5") as h5:
        times = [h5[s].attrs["time"] for s in sorted(h5)]
    assert np.allclose(times, np.linspace(0, 20, 71), rtol=1e-12)


def test_devices_agree(ridge, folder):
    for device in ["cpu", "simt:32"]:
        atmosphere(ridge, "--device", device, file=f"{device[:3]}.h5")
    with h5py.File("cpu.h5") as one, h5py.File("sim.h5") as other:
        for name in FIELDS:
            a, b = one["0010"][name][:], other["0010"][name][:]
            assert np.abs(a - b).max() <= 1e-10 * np.abs(a).max()


def test_record(ridge, folder):
    result = atmosphere(ridge, "--device", "simt:32", "--schedule", "fission", "--snapshots", 2,
                        "--json")
    (record,) = result.records()
    assert (record["pattern"], record["kernel"], record["size"]) == ("chain", "atmosphere", [40, 20])
    air = record["atmosphere"]
    assert (air["case"], air["time"], air["steps"], air["snapshots"]) == ("thermal", 20, 12, 3)
    assert "fuse=none" in air["schedule_x"] and "fuse=none" in air["schedule_z"]
    assert record["items"] == 6 * 800
    assert (record["bytes_read"], record["bytes_written"]) == (320 * 800, 192 * 800)
    assert record["repeats"] == 12 and record["seconds"] == pytest.approx(air["seconds"] / 12)
    assert abs(air["mass_change"]) < 1e-13 and abs(air["energy_change"]) < 1e-3


def test_published_norms(ridge, folder):
    result = atmosphere(ridge, "--case", "thermal", "--device", "cpu", size="100x50", until=400)
    mass, energy = changes(result)
    assert abs(mass) < 1e-13
    assert energy == pytest.approx(-4.141519e-05, abs=0.5e-11)


def test_xdmf_names_what_is_there(ridge, folder):
    atmosphere(ridge, "--snapshots", 3)
    text = (folder / "out.xdmf").read_text()
    references = re.findall(r">(out\.\d{10}\.h5):(/\S+)</DataItem>", text)
    assert len(references) == 4 * len(FIELDS)
    for file, dataset in references:
        with h5py.File(file) as h5:
            assert h5[dataset].shape == (20, 40)
    assert re.findall(r'Time Value="(\S+)"', text)[0] == "0"


def test_picture(ridge, folder):
    atmosphere(ridge, "--picture", "air.png")
    data = (folder / "air.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width == 2 * height == 1000


@pytest.mark.parametrize("options, message", [
    (["--case", "tornado"], "unknown case 'tornado'; the cases are thermal, collision,"),
    (["--size", "3x20"], "3x20 cells are too few"),
    (["--size", "40"], "takes two extents, such as 400x200"),
    (["--size", "40x20x2"], "takes two extents"),
    (["--step", "1.7"], "steps of up to 1.66667 s are stable"),
    (["--step", "0"], "a time step of 0 s is no step"),
    (["--time", "0"], "--time 0: a positive number of seconds"),
    (["--time", "nan"], "a positive number of seconds"),
    (["--schedule", "tile=0"], "schedule field tile=0"),
    (["--schedule", "tile=41", "--device", "cpu"], "41 items along x are more than the 40"),
    (["--snapshots", "0"], "--snapshots"),
    (["--length", "0"], "a length of 0 m: a positive number is right"),
    (["--height", "31000"], "more than 0 is right, and less than 30735 m, where this air ends"),
    (["--viscosity", "-1"], "a viscosity of -1 m^2/s: 0 or more is right"),
    (["--viscosity", "1e6", "--step", "1"], "steps of up to"),
    (["--device", "cuda:99"], "cuda:99"),
    (["--picture", "out.h5"], "name the same file"),
    (["--picture", "nowhere/a.png"], "there is no folder nowhere"),
])  # fmt: skip
def test_bad_input(ridge, folder, options, message):
    words = {"--size": "40x20", "--time": 20}
    given = [w for name, value in words.items() if name not in options for w in (name, value)]
    ridge.bad("atmosphere", *given, "-o", "out.h5", *options, says=message)
    assert left_in(folder) == []


def test_bad_output(ridge, folder):
    ridge.bad("atmosphere", "-o", "nowhere/out.h5", says="there is no folder nowhere")
    ridge.bad("atmosphere", says="--output is required")


def read_all(path):
    with h5py.File(path) as h5:
        for snapshot in h5.values():
            assert sorted(snapshot) == FIELDS
            for data in snapshot.values():
                assert np.isfinite(data[:]).all()
        return len(h5)


def test_limit_on_file_size_keeps_the_snapshots_before(ridge, folder):
    """The file for ParaView reaches it, when a snapshot is complete."""
    limit = 40 * 20 * 8 * 5 + 10_000
    result = ridge.bad(
        "atmosphere", "--size", "40x20", "--time", 20, "--snapshots", 50, "-o", "out.h5",
        code=1, says=["writing out.xdmf: File too large"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    kept = read_all("out.h5")
    assert 1 <= kept < 51
    assert f"out.h5 holds the {kept} snapshots until" in result.err


@pytest.mark.parametrize("small_disk", ["1m"], indirect=True)
def test_full_disk_keeps_the_snapshots_before(ridge, small_disk):
    ridge.bad("atmosphere", "--size", "80x40", "--time", 20, "--snapshots", 30, "-o", "disk/out.h5",
              code=1, says=["writing disk/out.0000", "disk/out.h5 holds the"])
    assert read_all(small_disk / "out.h5") > 1


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_runs_finish_their_snapshot(ridge, folder, which):
    run = ridge.start("atmosphere", "--size", "200x100", "--time", 1e6, "--snapshots", 2, "-o",
                      "out.h5", "--device", "cpu")
    began = time.monotonic()
    while not (folder / "out.xdmf").exists():
        assert run.poll() is None and time.monotonic() - began < 600
        time.sleep(0.01)
    let_it_work(run)
    run.send_signal(which)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 128 + which
    assert re.fullmatch(r"ridge: interrupted at \S+ s of 1e\+06; the snapshot is written\n", err)
    assert "mass change" in out
    with h5py.File("out.h5") as h5:
        assert sorted(h5) == ["0000", "0001"]
        assert 0 < h5["0001"].attrs["time"] < 1e6
    assert left_in(folder) == sorted(["out.png", *run_files("out", 0, 1)])


def viscous(state, nu, dt, dx, dz):
    """A step of viscosity on density, x momentum, z momentum and heat, perturbations of air at rest of 300 K."""
    nz = len(state["density"])
    z = (np.arange(nz) + 0.5) * dz
    heat = (1e5 * (1 - 9.8 * z / (1004 * 300)) ** (1004 / 287) / 27.5629410929725921) ** (1 / 1.40027894002789400)
    rest = heat / 300
    rho = state["density"] + rest[:, None]
    values = {"x_momentum": state["x_momentum"] / rho, "z_momentum": state["z_momentum"] / rho,
              "heat": (state["heat"] + heat[:, None]) / rho - 300}  # fmt: skip
    after = {"density": state["density"]}
    for name, v in values.items():
        flux_x = (rho + np.roll(rho, 1, 1)) / 2 * (v - np.roll(v, 1, 1)) / dx
        flux_z = np.zeros((nz + 1, rho.shape[1]))
        flux_z[1:-1] = (rho[1:] + rho[:-1]) / 2 * (v[1:] - v[:-1]) / dz
        if name == "z_momentum":  # nothing moves on a lid
            flux_z[0], flux_z[-1] = rho[0] * 2 * v[0] / dz, -rho[-1] * 2 * v[-1] / dz
        change = (np.roll(flux_x, -1, 1) - flux_x) / dx + (flux_z[1:] - flux_z[:-1]) / dz
        after[name] = state[name] + nu * dt * change
    return after


@pytest.mark.parametrize("device", ["cpu", "simt:64"])
def test_viscosity(ridge, folder, device):
    """One step with viscosity equals a step without and the term after it; cells differ in size along x and z."""
    for nu in (0, 4e3):
        atmosphere(ridge, "--case", "thermal", "--viscosity", nu, "--step", 0.2, "--snapshots", 1, "--device", device,
                   "--length", 6000, "--height", 5000, until=0.2, file=f"{nu:g}.h5", size="37x21")  # fmt: skip
    with h5py.File("0.h5") as plain, h5py.File("4000.h5") as found:
        state = {name: plain["0001"][name][...] for name in FIELDS}
        right = viscous(state, 4e3, 0.2, 6000 / 37, 5000 / 21)
        for name, known in right.items():
            size = np.abs(known).max()
            np.testing.assert_allclose(found["0001"][name][...], known, atol=1e-12 * size, rtol=0)
            assert name == "density" or np.abs(known - state[name]).max() > 1e-5 * size


def test_straka_has_its_box(ridge, folder):
    result = atmosphere(ridge, "--case", "straka", "--json", until=3, size="64x8")
    (record,) = result.records()
    assert record["atmosphere"]["step"] == pytest.approx(800 / 450 * 1.5)
    assert record["items"] == 7 * 64 * 8
    with h5py.File("out.h5") as h5:
        coldest = h5["0000/potential_temperature"][...].min()
        heat, density = h5["0000/heat"][...], h5["0000/density"][...]
    assert -17 < coldest < -15  # -15 K of temperature in the middle
    assert np.abs(heat).max() < 1e-10  # the pressure is that at rest: cold air is heavier
    assert 0.04 < density.max() < 0.07


def test_implicit(ridge, folder):
    """Cells are flat: steps are several times longer."""
    steps = {}
    for how in [[], ["--implicit"]]:
        result = atmosphere(ridge, "--device", "cpu", "--snapshots", 1, "--json", "--overwrite", *how,
                            size="20x80")
        air = result.records()[0]["atmosphere"]
        steps[bool(how)] = air["step"]
        assert abs(air["mass_change"]) < 1e-13
    assert steps[True] > 3 * steps[False]
    ridge.bad("atmosphere", "--size", "20x80", "--time", 5, "--implicit", "--step", 5, "-o", "more.h5",
              says="steps of up to")
