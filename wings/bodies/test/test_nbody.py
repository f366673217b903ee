"""`ridge nbody` on good input: trajectories, snapshots, restarts, the planets."""

import os
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

import h5py
import numpy as np
import pytest
from conftest import (
    as_one_file,
    left_in,
    let_it_work,
    processor_seconds,
    require_published_answers,
    rest_of_terminal,
    run_files,
)


def reference_forces(position, mass, softening, gravity=1.0):
    """Accelerations and potentials by plain double sums."""
    difference = position[None, :, :] - position[:, None, :]
    squared = (difference**2).sum(axis=2) + softening**2
    np.fill_diagonal(squared, np.inf)
    weight = gravity * mass / np.sqrt(squared)
    return (difference * (weight / squared)[:, :, None]).sum(axis=1), -weight.sum(axis=1)


def reference_leapfrog(position, velocity, mass, dt, softening, steps, gravity=1.0):
    x, v = position.copy(), velocity.copy()
    a, _ = reference_forces(x, mass, softening, gravity)
    for _ in range(steps):
        v += a * dt / 2
        x += v * dt
        a, phi = reference_forces(x, mass, softening, gravity)
        v += a * dt / 2
    return x, v, phi


def cloud(count, seed=1):
    random = np.random.default_rng(seed)
    return (random.standard_normal((count, 3)), 0.3 * random.standard_normal((count, 3)),
            10 ** random.uniform(-4, -1, count))


def write_start(name, position, velocity, mass):
    with h5py.File(name, "w") as h5:
        h5["position"], h5["velocity"], h5["mass"] = position, velocity, mass


def snapshot(name, step):
    """position, velocity and potential, as stored."""
    with h5py.File(name) as h5:
        group = h5[f"snapshots/{step:010}"]
        return [group[d][:] for d in ["position", "velocity", "potential"]]


def steps_in(name):
    with h5py.File(name) as h5:
        return [int(step) for step in h5["snapshots"]]


def same_bits(a, b):
    return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in zip(a, b))


@pytest.mark.parametrize("precision, tolerance", [("fp64", 1e-12), ("mixed", 1e-6), ("fp32", 3e-6)])
@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_trajectory_equals_a_plain_leapfrog(ridge, folder, device, precision, tolerance):
    start = cloud(61)
    write_start("in.h5", *start)
    ridge.good("nbody", "in.h5", "-o", "run.h5", "--steps", 20, "--every", 10, "--dt", 0.01,
               "--softening", 0.1, "--G", 2, "--device", device, "--precision", precision)
    assert left_in(folder) == ["in.h5", *run_files("run", 0, 10, 20)]
    assert steps_in("run.h5") == [0, 10, 20]
    assert snapshot("run.h5", 0)[0].dtype == ("f4" if precision == "fp32" else "f8")
    for step in [10, 20]:
        expected = reference_leapfrog(*start, 0.01, 0.1, step, gravity=2)
        for got, want in zip(snapshot("run.h5", step), expected):
            assert np.abs(got - want).max() <= tolerance * np.abs(want).max()
    with h5py.File("run.h5") as h5:
        last = h5["snapshots/0000000020"]
        assert last.attrs["time"] == pytest.approx(0.2)
        assert np.array_equal(last["mass"][:], start[2])
        x, v, phi = expected
        kinetic = 0.5 * (start[2] * (v**2).sum(axis=1)).sum()
        assert last.attrs["kinetic_energy"] == pytest.approx(kinetic, rel=10 * tolerance)
        assert last.attrs["potential_energy"] == pytest.approx(0.5 * (start[2] * phi).sum(),
                                                               rel=10 * tolerance)
        assert last.attrs["momentum"] == pytest.approx(start[2] @ v, abs=10 * tolerance)
        assert last.attrs["angular_momentum"] == pytest.approx(start[2] @ np.cross(x, v),
                                                               abs=10 * tolerance)


def test_forms_of_input_are_equal(ridge, folder):
    position, velocity, mass = start = cloud(10)
    write_start("vectors.h5", *start)
    with h5py.File("values.h5", "w") as h5:
        for c, axis in enumerate("xyz"):
            h5[f"deep/er/{axis}"], h5[f"deep/er/v{axis}"] = position[:, c], velocity[:, c]
        h5["deep/er/m"] = mass
    lines = ["# bodies", "m, name,vx,vy,vz,x,y,z"]
    for i in range(10):
        lines += ["", ",".join([repr(float(mass[i])), f"body {i}",
                                *(repr(float(u)) for u in [*velocity[i], *position[i]])])]
    (folder / "in.csv").write_text("\r\n".join(lines) + "\r\n")
    for file, output in [("vectors.h5", "a.h5"), ("values.h5:/deep/er", "b.h5"), ("in.csv", "c.h5")]:
        ridge.good("nbody", file, "-o", output, "--steps", 3, "--dt", 0.01, "--softening", 0.1,
                   "--device", "cpu")
    assert same_bits(snapshot("a.h5", 3), snapshot("b.h5", 3))
    assert same_bits(snapshot("a.h5", 3), snapshot("c.h5", 3))


def test_single_precision_and_big_endian_input(ridge, folder):
    position, velocity, mass = cloud(10)
    write_start("in.h5", position.astype(">f4"), velocity.astype("f4"), mass.astype(">f8"))
    ridge.good("nbody", "in.h5", "-o", "run.h5", "--steps", 1, "--dt", 0.01, "--device", "cpu")
    assert np.array_equal(snapshot("run.h5", 0)[0], position.astype("f4"))


@pytest.mark.parametrize("device", ["cpu", "simt:64"])
@pytest.mark.parametrize("options", [
    [], ["--precision", "fp32"], ["--precision", "fp64", "--integrator", "yoshida4"],
])
def test_restart_gives_the_same_bits(ridge, folder, device, options):
    count, half, whole = (300, 100, 200) if device == "cpu" else (150, 5, 10)
    start = ["nbody", "--plummer", count, "--seed", 3, "--device", device, *options]
    ridge.good(*start, "-o", "whole.h5", "--steps", whole)
    ridge.good(*start, "-o", "half.h5", "--steps", half, "--every", 3)
    ridge.good("nbody", "--restart", "half.h5", "-o", "more.h5", "--steps", whole - half, "--every", 7)
    assert same_bits(snapshot("whole.h5", whole), snapshot("more.h5", whole))
    with h5py.File("whole.h5") as one, h5py.File("more.h5") as other:
        assert dict(one.attrs) == dict(other.attrs)
        last = f"snapshots/{whole:010}"
        for name, value in one[last].attrs.items():
            assert np.array_equal(value, other[last].attrs[name]), name


def test_runs_in_one_file_go_on(ridge, folder):
    """As earlier versions wrote them."""
    start = ["nbody", "--plummer", 50, "--precision", "fp64", "--device", "cpu"]
    ridge.good(*start, "-o", "whole.h5", "--steps", 9)
    ridge.good(*start, "-o", "half.h5", "--steps", 5)
    as_one_file("half.h5")
    assert left_in(folder) == ["half.h5", "half.xdmf", *run_files("whole", *range(10))]
    ridge.good("nbody", "--restart", "half.h5", "-o", "more.h5", "--steps", 4)
    assert same_bits(snapshot("whole.h5", 9), snapshot("more.h5", 9))


def test_the_energy_of_a_start(ridge, folder):
    for options in [[], ["--forces", "tree"]]:
        start = ["nbody", "--plummer", 200, "--precision", "fp64", "--device", "cpu", "--json", *options]
        none, one = (ridge.good(*start, "--steps", steps).records()[0]["nbody"] for steps in (0, 1))
        assert (none["steps"], none["snapshots"]) == (0, one["snapshots"][:1])


def test_single_precision_far_from_the_origin(ridge, folder):
    """The same motion as at the origin, absolute positions in the snapshots, and an exact restart."""
    position, velocity, mass = cloud(61)
    far = position + 1e6
    write_start("in.h5", far, velocity, mass)
    start = ["nbody", "in.h5", "--dt", 0.01, "--softening", 0.1, "--precision", "fp32", "--device", "cpu"]
    ridge.good(*start, "-o", "whole.h5", "--steps", 20)
    x, v, phi = reference_leapfrog(far - 1e6, velocity, mass, 0.01, 0.1, 20)
    got = snapshot("whole.h5", 20)
    assert got[0].dtype == "f8" and got[1].dtype == "f4"
    assert np.abs(got[0] - (x + 1e6)).max() < 1e-5
    assert np.abs(got[1] - v).max() < 1e-5 and np.abs(got[2] - phi).max() < 1e-5
    ridge.good(*start, "-o", "half.h5", "--steps", 10)
    ridge.good("nbody", "--restart", "half.h5", "-o", "more.h5", "--steps", 10)
    assert same_bits(snapshot("whole.h5", 20), snapshot("more.h5", 20))
    # A snapshot is a start.
    ridge.good("nbody", "half.h5:/snapshots/0000000010", "-o", "new.h5", "--steps", 1, "--dt", 0.01,
               "--precision", "fp32", "--device", "cpu")
    assert np.abs(snapshot("new.h5", 0)[0] - snapshot("half.h5", 10)[0]).max() < 1e-6


def test_restart_under_a_schedule_of_its_own(ridge, folder):
    start = ["nbody", "--plummer", 200, "--device", "simt:32", "--precision", "fp32"]
    schedule = "shared tile=2 block=64 split=2"
    ridge.good(*start, "-o", "whole.h5", "--steps", 4, "--schedule", schedule)
    ridge.good(*start, "-o", "half.h5", "--steps", 2, "--schedule", schedule)
    ridge.good("nbody", "--restart", "half.h5", "-o", "more.h5", "--steps", 2)
    assert same_bits(snapshot("whole.h5", 4), snapshot("more.h5", 4))
    ridge.good("nbody", "--restart", "half.h5", "-o", "other.h5", "--steps", 2, "--device", "cpu")
    assert snapshot("other.h5", 4)[0] == pytest.approx(snapshot("whole.h5", 4)[0], abs=1e-5)


def test_the_same_command_gives_the_same_file(ridge, folder):
    for name in ["a", "b"]:
        (folder / name).mkdir()
        ridge.good("nbody", "--plummer", 50, "-o", "run.h5", "--steps", 5, "--device", "cpu",
                   cwd=folder / name)
    assert left_in(folder / "a") == left_in(folder / "b") == run_files("run", *range(6))
    for name in left_in(folder / "a"):
        assert (folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes()


def test_a_snapshot_is_a_start(ridge, folder):
    ridge.good("nbody", "--plummer", 50, "-o", "run.h5", "--steps", 5, "--device", "cpu")
    for start in ["run.h5:/snapshots/0000000005", "run.0000000005.h5"]:
        ridge.good("nbody", start, "-o", "new.h5", "--steps", 1, "--dt", 1e-4, "--device", "cpu", "--overwrite")
        assert same_bits(snapshot("run.h5", 5)[:2], snapshot("new.h5", 0)[:2])


@pytest.mark.parametrize("precision, tolerance", [("fp32", 1e-4), ("mixed", 1e-6), ("fp64", 1e-6)])
def test_energy_of_a_plummer_sphere(ridge, folder, precision, tolerance):
    run = ridge.good("nbody", "--plummer", 512, "--steps", 724, "--dt", 1 / 256, "--softening", 0.05,
                     "--integrator", "yoshida4", "--precision", precision, "--device", "cpu",
                     "--json").records()[0]["nbody"]
    assert len(run["snapshots"]) == 12 and run["snapshots"][-1]["time"] == pytest.approx(2.83, abs=0.01)
    assert 0 < run["largest_energy_error"] < tolerance
    assert run["snapshots"][0]["energy"] == pytest.approx(-0.25, abs=0.02)
    momentum = np.array([s["momentum"] for s in run["snapshots"]])
    assert np.abs(momentum).max() < 1e-6


def test_cold_collapse(ridge, folder):
    result = ridge.good("nbody", "--cold-collapse", 512, "--steps", 1400, "--every", 50,
                        "--softening", 0.1, "--device", "cpu", "--json")
    lines = result.records()[0]["nbody"]["snapshots"]
    assert lines[0]["kinetic_energy"] == 0
    # It falls together at about pi / sqrt(8), and is fastest soon after.
    fastest = max(lines, key=lambda line: line["kinetic_energy"])
    assert 1.0 < fastest["time"] < 1.3 and fastest["kinetic_energy"] > 0.7


def test_periods_of_the_planets(ridge, folder):
    run = ridge.good("nbody", "--solar-system", "--steps", 60600, "--dt", 1, "--integrator", "yoshida4",
                     "--device", "cpu", "--json").records()[0]["nbody"]
    assert [p["planet"] for p in run["periods"]][::7] == ["Mercury", "Neptune"]
    for planet in run["periods"]:
        assert planet["period_days"] == pytest.approx(planet["published_days"], rel=1e-3), planet
    assert run["largest_energy_error"] < 1e-7
    table = ridge.good("nbody", "--solar-system", "--steps", 300, "--dt", 1, "--device", "cpu").out
    assert "Mercury       3" in table and "Neptune       0             -" in table


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_memory_is_at_most_200_bytes_a_body(ridge, folder, device):
    for precision in ["fp32", "mixed", "fp64"]:
        count = 30000 if device == "cpu" else 3000
        run = ridge.good("nbody", "--plummer", count, "--steps", 1, "--device", device, "--precision",
                         precision, "--json").records()[0]["nbody"]
        assert 0 < (run["device_bytes"] + run["host_bytes"]) / count <= 200


def test_xdmf_names_what_is_there(ridge, folder):
    ridge.good("nbody", "--plummer", 20, "-o", "run & more.h5", "--steps", 4, "--every", 2, "--device",
               "cpu")
    times = [float(t.get("Value")) for t in xml.parse("run & more.xdmf").iter("Time")]
    assert times == pytest.approx([0, 0.002, 0.004])
    items = list(xml.parse("run & more.xdmf").iter("DataItem"))
    assert len(items) == 12
    for item in items:
        file, path = item.text.split(":")
        with h5py.File(file) as h5:
            assert h5[path].shape == tuple(map(int, item.get("Dimensions").split()))
            assert h5[path].dtype.itemsize == int(item.get("Precision"))


def test_record(ridge, folder):
    record, = ridge.good("nbody", "--plummer", 100, "--steps", 3, "--integrator", "yoshida4", "--device",
                         "cpu", "--json").records()
    assert record["pattern"] == "pairs" and record["kernel"] == "nbody"
    assert record["items"] == 100 * 99 and record["nbody"]["evaluations"] == 9
    assert record["achieved_unit"] == "interactions/s" and record["repeats"] == 9
    assert record["achieved"] == pytest.approx(record["items"] / record["seconds"])


def test_interrupt_keeps_the_state_to_go_on_from(ridge, folder):
    start = ["nbody", "--plummer", 2000, "--device", "cpu", "--precision", "fp32"]
    run = ridge.start(*start, "-o", "run.h5", "--steps", 1000000)
    while not (folder / "run.h5").exists():
        assert run.poll() is None
        time.sleep(0.01)
    let_it_work(run)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert err.startswith("ridge: interrupted at step ") and err.count("\n") == 1
    first, last = steps_in("run.h5")
    assert first == 0 and f"step {last} of 1000000" in err
    assert left_in(folder) == run_files("run", first, last)
    ridge.good("nbody", "--restart", "run.h5", "-o", "more.h5", "--steps", 5)
    ridge.good(*start, "-o", "whole.h5", "--steps", last + 5)
    assert same_bits(snapshot("whole.h5", last + 5), snapshot("more.h5", last + 5))


def test_interrupt_within_a_long_step(ridge, folder, monkeypatch):
    """It does not wait for the step: the state before it is kept, or nothing where there is none yet."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    start = ["nbody", "--plummer", 70000, "--device", "cpu", "--precision", "fp32", "--steps", 1000]
    run = ridge.start(*start, "-o", "run.h5")
    while not (folder / "run.h5").exists():
        assert run.poll() is None
        time.sleep(0.01)
    let_it_work(run)
    err, took = interrupted(run)
    assert err == "ridge: interrupted at step 0 of 1000; run.h5 keeps it: go on with --restart\n"
    assert took < 1, took
    assert steps_in("run.h5") == [0] and left_in(folder) == run_files("run", 0)
    run = ridge.start(*start, "-o", "none.h5")
    let_it_work(run, 0.5)
    err, took = interrupted(run)
    assert err == "ridge: interrupted\n" and took < 1, (err, took)
    assert left_in(folder) == run_files("run", 0)


def interrupted(run):
    """What a run says, and the processor's seconds from Ctrl-C on."""
    before = processor_seconds(run.pid)
    run.send_signal(signal.SIGINT)
    used = before
    while run.poll() is None:
        used = max(used, zero_if_gone(run.pid))
        time.sleep(0.01)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    return err, used - before


def zero_if_gone(pid):
    try:
        return processor_seconds(pid)
    except FileNotFoundError:
        return 0


def test_snapshots_are_readable_while_it_runs_and_reading_does_not_stop_it(ridge, folder):
    run = ridge.start("nbody", "--plummer", 500, "--device", "cpu", "-o", "run.h5", "--steps", 3000,
                      "--every", 1000)
    began = time.monotonic()
    while not (folder / "run.h5").exists():
        assert run.poll() is None and time.monotonic() - began < 600
    with h5py.File("run.h5") as held: # and kept open
        assert held["snapshots/0000000000/position"].shape == (500, 3)
        _, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    assert steps_in("run.h5") == [0, 1000, 2000, 3000]


def test_progress_is_for_terminals(ridge, folder):
    """In a pseudo-terminal a bar appears on stderr and is wiped; `good` tests that pipes get none."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    run = subprocess.Popen([ridge.program, "nbody", "--plummer", "2000", "--device", "cpu", "--steps",
                            "1000000", "--precision", "fp64"], stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    while b"s left" not in seen: # however fast the machine is
        seen += os.read(ours, 4096)
    assert run.poll() is None and b"integrating [" in seen
    run.send_signal(signal.SIGINT)
    seen += rest_of_terminal(ours)
    assert run.wait() == 130
    assert b"\r\x1b[Kridge: interrupted" in seen


def test_whole_numbers_are_decimal(ridge, folder):
    for number in "010", "+10":  # not octal
        out = ridge.good("nbody", "--plummer", "8", "--steps", number, "--device", "cpu", "--json").out
        assert '"steps": 10' in out


@pytest.mark.in_turn
@pytest.mark.parametrize("script", ["few_bodies", "clusters", "trees"])
def test_published_answers(ridge, folder, script):
    require_published_answers(ridge, script)
