"""`ridge evolve`: bad input, interruptions, restarts."""

import os
import signal
import time

import h5py
import numpy as np
import pytest
from conftest import left_in, let_it_work
from test_evolve import evolve, snapshot, write


@pytest.fixture
def field(folder):
    write(u=np.random.default_rng(1).random((6, 7, 8)), flat=np.ones((7, 8)), line=np.ones(9),
          wall=np.ones((6, 8)), k=np.ones((6, 7, 8)), negative=-np.ones((6, 7, 8)),
          f4=np.ones((6, 7, 8), "f4"), zero=np.zeros((6, 7, 8)))
    return folder


@pytest.mark.parametrize("words, says", [
    (["heat", "in.h5:/flat", "--boundary", "z=mirror"], ["no axis z, only x and y"]),
    (["heat", "in.h5:/u", "--boundary", "w=mirror"], ["no axis 'w'"]),
    (["heat", "in.h5:/u", "--boundary", "x=mirror,x+=neumann:0"], ["x+ is given twice"]),
    (["heat", "in.h5:/u", "--boundary", "x-=periodic"], ["needs both faces"]),
    (["heat", "in.h5:/u", "--boundary", "x=dirichlet:hot"], ["'hot' is no number"]),
    (["heat", "in.h5:/u", "--boundary", "x=dirichlet:in.h5:/wall"],
     ["the field has 8x6 points, the face 7x6"]),
    (["heat", "in.h5:/u", "--boundary", "x=dirichlet:in.h5:/none"], ["/none"]),
    (["heat8", "in.h5:/u"], ["leave none to compute", "at least 9"]),
    (["heat", "in.h5:/u", "--dt", "0.2"], ["not stable", "0.166666667"]),
    (["wave", "in.h5:/u", "--dt", "0.6"], ["not stable", "0.577350269"]),
    (["heat", "in.h5:/u", "--dt", "-1"], ["--dt '-1'", "positive"]),
    (["heat", "in.h5:/u", "--diffusivity", "-1"], ["positive"]),
    (["heat", "in.h5:/u", "--diffusivity", "1e308"], ["a diffusivity of 1e+308: one from 1e-100 to 1e+100 is right"]),
    (["wave", "in.h5:/u", "--speed", "1e-200"], ["a speed of 1e-200: one from 1e-100 to 1e+100 is right"]),
    (["heat", "in.h5:/u", "--spacing", "1e-320"], ["--spacing '1e-320': numbers from 1e-100 to 1e+100 are right"]),
    (["heat", "in.h5:/u", "--speed", "1"], ["--speed is for wave"]),
    (["wave", "in.h5:/u", "--diffusivity", "1"], ["--diffusivity is for heat"]),
    (["heat", "in.h5:/u", "--absorb", "x"], ["--absorb is for wave"]),
    (["wave", "in.h5:/flat", "--absorb", "z"], ["no face of a field of 2 dimensions"]),
    (["wave", "in.h5:/u", "--absorb", "x", "--boundary", "x=periodic"], ["x- is periodic"]),
    (["wave", "in.h5:/u", "--absorb", "x", "--absorb-width", "1000"], ["--absorb-width 1000: x has", "at most 3 fit"]),
    (["wave", "in.h5:/u", "--absorb", "x-", "--absorb-width", "0"], ["--absorb-width 0: at least 1"]),
    (["wave", "in.h5:/u", "--absorb-width", "5"], ["goes with --absorb"]),
    (["wave", "in.h5:/u", "--before", "in.h5:/f4"], ["must be alike"]),
    (["heat", "in.h5:/u", "--coefficient", "in.h5:/k"], ["takes 0 coefficient fields"]),
    (["diffusion", "in.h5:/u"], ["--coefficient FILE.h5:/path"]),
    (["diffusion", "in.h5:/u", "--coefficient", "in.h5:/negative"], ["holds -1"]),
    (["diffusion", "in.h5:/u", "--coefficient", "in.h5:/zero"], ["nothing diffuses"]),
    (["diffusion", "in.h5:/u", "--coefficient", "in.h5:/flat"], ["must be alike"]),
    (["warmth", "in.h5:/u"], ["no kernel 'warmth'", "heat8"]),
    (["heat", "in.h5:/u", "--set", "rate=1"], ["built in"]),
    (["heat", "in.h5:/u", "--steps", "0"], ["--steps 0"]),
    (["heat", "in.h5:/u", "--every", "0"], ["--every 0"]),
    (["heat", "in.h5:/line", "--picture", "a.png"], ["a line has no slice"]),
    (["heat", "in.h5:/u", "--schedule", "sweeps=4"], ["6 points to compute"]),
    (["heat", "in.h5:/line", "--schedule", "sweeps=4"], ["two or three dimensions"]),
    (["diffusion", "in.h5:/u", "--coefficient", "in.h5:/k", "--schedule", "sweeps=4", "--device",
      "simt:32"], ["in one pass on a GPU are for kernels", "sweeps=1 takes any"]),
])
def test_says_what_would_be_right(ridge, field, words, says):
    if "6 points to compute" in says:
        with h5py.File("in.h5", "a") as h5:
            del h5["u"]
            h5["u"] = np.ones((4, 7, 8))
        says = ["2 points to compute along z", "at least 3"]
    device = [] if "--device" in words else ["--device", "cpu"]
    ridge.bad("evolve", *words, "-o", "out.h5", *device, says=says)
    assert left_in(field) == ["in.h5"]


def test_needs_a_start_and_an_output(ridge, field):
    ridge.bad("evolve", says="nothing to start from")
    ridge.bad("evolve", "heat", "in.h5:/u", says="-o FILE.h5 is needed")
    evolve(ridge, "heat", "--steps", 4)
    ridge.bad("evolve", "heat", "in.h5:/u", "-o", "out.h5", says="out.h5 exists")
    ridge.bad("evolve", "--restart", "in.h5", says="not the file of a run")
    ridge.bad("evolve", "--restart", "out.h5", says="has all its 4 steps")
    ridge.bad("evolve", "--restart", "out.h5", "--dt", "0.1", says="--dt cannot be given")
    ridge.bad("evolve", "--restart", "out.h5", "--boundary", "x=mirror", says="--boundary cannot")


def test_bench_takes_steps_of_what_evolves(ridge, folder):
    small = ["--device", "cpu", "--size", "20x20x20"]
    ridge.bad("bench", "laplacian", *small, "--steps", 3, says="is one launch")
    ridge.bad("bench", "heat", *small, "--steps", 0, says="--steps 0")
    ridge.bad("bench", "heat", *small, "--boundary", "x-=periodic", says="needs both faces")
    assert "sweeps=2 to 64" in ridge.good("schedules", "heat", "--device", "cpu").out


def test_not_a_number_passes_through_and_is_said_once(ridge, folder):
    u = np.zeros((5, 6, 20))
    u[2, 3, 4] = np.nan
    write(u=u)
    out = ridge("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu", "--steps", 3,
                "--every", 1, "--boundary", "x=mirror,y=mirror,z=mirror")
    assert out.code == 0
    assert out.err.splitlines() == ["ridge: in.h5:/u holds 1 NaN and 0 infinite values, the first at "
                                    "x=4 y=3 z=2; they pass through"]
    assert np.isnan(snapshot(1)).sum() == 7


def test_says_at_which_step_the_first_one_appeared(ridge, folder):
    write(u=np.full((5, 6, 20), 3e38, "f4"))
    out = ridge("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu", "--steps", 6,
                "--every", 2, "--boundary", "x=mirror,y=mirror,z=mirror")
    assert out.code == 0
    (line,) = out.err.splitlines()
    assert "step 2 is the first snapshot with values that are not finite" in line
    assert "that of step 0 had none" in line


@pytest.mark.parametrize("kernel, options", [("heat", []), ("wave", ["--boundary", "x=periodic"])])
def test_restarts_give_the_same_bits(ridge, folder, kernel, options):
    write(u=np.random.default_rng(2).random((9, 10, 11)))
    evolve(ridge, kernel, "--steps", 30, "--every", 7, *options)
    straight = snapshot()
    evolve(ridge, kernel, "--steps", 10, "--every", 7, *options)
    ridge.good("evolve", "--restart", "out.h5", "--steps", 20)
    assert np.array_equal(snapshot(), straight)
    with h5py.File("out.h5") as h5:
        assert [int(s) for s in h5["snapshots"]] == [0, 7, 10, 14, 21, 28, 30]
    evolve(ridge, kernel, "--steps", 10, *options)
    ridge.good("evolve", "--restart", "out.h5", "--steps", 20, "-o", "other.h5")
    assert np.array_equal(snapshot(file="other.h5"), straight)


def test_output_names_the_field_in_snapshots(ridge, folder):
    """Files for ParaView and runs that go on find it there."""
    write(u=np.random.default_rng(4).random((5, 6, 7)).astype("f4"))
    words = ("wave", "in.h5:/u", "--boundary", "x=mirror", "--every", 3, "--device", "cpu")
    ridge.good("evolve", *words, "-o", "plain.h5", "--steps", 9)
    os.mkdir("a:")
    for output, name in [("out.h5:/v", "v"), (f"{folder}/out.h5:/deep/er/v", "deep/er/v"), ("a:/out.h5", "u")]:
        ridge.good("evolve", *words, "-o", output, "--steps", 3, "--overwrite")
        file = "a:/out.h5" if name == "u" else "out.h5"
        ridge.good("evolve", "--restart", file, "--steps", 6)
        for level in ("", "_before"):
            assert np.array_equal(snapshot(name=name + level, file=file), snapshot(name="u" + level, file="plain.h5"))
        text = (folder / file.replace(".h5", ".xdmf")).read_text()
        assert text.count(f"out.0000000009.h5:/{name}<") == 1 and f'Attribute Name="{name[-1]}"' in text
    ridge.good("evolve", "--restart", "out.h5", "--steps", 1, "-o", "next.h5:/w")
    ridge.good("evolve", "--restart", "next.h5", "--steps", 1)
    assert snapshot(name="w_before", file="next.h5").shape == (5, 6, 7)
    ridge.bad("evolve", *words, "-o", "out.h5:/", says=["-o out.h5:/ names no dataset", "out.h5:/u"])


def test_a_changed_coefficient_is_not_gone_on_with(ridge, folder):
    write(u=np.ones((5, 5, 5)), k=np.ones((5, 5, 5)))
    evolve(ridge, "diffusion", "--coefficient", "in.h5:/k", "--steps", 2)
    write(u=np.ones((5, 5, 5)), k=2 * np.ones((5, 5, 5)))
    ridge.bad("evolve", "--restart", "out.h5", "--steps", 2, says="checksum differs")


def test_killed_at_any_moment_it_goes_on_bit_by_bit(ridge, folder, killed):
    write(u=np.random.default_rng(3).random((20, 20, 20)))
    words = ["evolve", "wave", "in.h5:/u", "--device", "cpu", "--steps", 60, "--every", 5, "--boundary",
             "x=periodic,y=mirror,z=dirichlet:0"]
    straight = killed(0, *words, "-o", "straight.h5")
    assert straight.code == 0, straight.err
    part = int(straight.err) // 4
    words += ["-o", "cut.h5"]
    for changes in (part, part + 3, part - 2):
        assert killed(changes, *words).code == -signal.SIGKILL
        snapshot(file="cut.h5")  # readable
        words = ["evolve", "--restart", "cut.h5"]
    ridge.good(*words)
    assert np.array_equal(snapshot(file="cut.h5"), snapshot(file="straight.h5"))
    with h5py.File("cut.h5") as h5:
        assert sorted(int(s) for s in h5["snapshots"])[-1] == 60


def test_interrupted_it_keeps_the_step(ridge, folder):
    write(u=np.random.default_rng(4).random((32, 32, 32)))
    run = ridge.start("evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu", "--steps",
                      10**8, "--boundary", "x=mirror,y=mirror,z=mirror")
    began = time.monotonic()
    while not os.path.exists("out.xdmf"):
        assert run.poll() is None and time.monotonic() - began < 600
    let_it_work(run)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    (line,) = err.splitlines()
    assert "interrupted at step" in line and "go on with --restart" in line
    with h5py.File("out.h5") as h5:
        last = sorted(int(s) for s in h5["snapshots"])[-1]
    assert last > 0
    at = snapshot()
    evolve(ridge, "heat", "--steps", last, "--boundary", "x=mirror,y=mirror,z=mirror")
    assert np.array_equal(snapshot(), at)


@pytest.mark.parametrize("small_disk", ["300k"], indirect=True)
def test_a_full_disk_leaves_the_last_snapshot_readable(ridge, folder, small_disk):
    write(u=np.random.default_rng(5).random((20, 20, 20)))
    result = ridge("evolve", "heat", "in.h5:/u", "-o", "disk/out.h5", "--device", "cpu", "--steps",
                   100, "--every", 10)
    assert result.code == 1
    (line,) = result.err.splitlines()
    assert "leads to the snapshots up to step" in line
    with h5py.File("disk/out.h5") as h5:
        steps = sorted(h5["snapshots"])
        assert h5["snapshots"][steps[-1]]["u"].shape == (20, 20, 20)
    assert not [name for name in left_in(small_disk) if "partial" in name]
