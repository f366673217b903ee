"""`ridge nbody` on bad input: one line that says what is wrong and what would be right, and nothing lost."""

import os

import h5py
import numpy as np
import pytest
from conftest import left_in, run_files
from test_nbody import cloud, same_bits, snapshot, steps_in, write_start

RUN = ["-o", "run.h5", "--steps", 2, "--dt", 0.01, "--softening", 0.1, "--device", "cpu"]


def require_refused(ridge, words, says, code=2, **options):
    before = left_in(".")
    result = ridge.bad("nbody", *words, code=code, says=says, **options)
    assert left_in(".") == before
    return result


def changed(key, index, value):
    """A start of 20 bodies with one value changed."""
    start = dict(zip(["position", "velocity", "mass"], cloud(20)))
    start[key][index] = value
    return start


@pytest.mark.parametrize("start, says", [
    (changed("position", (7, 1), np.nan), "y of body 7 is NaN"),
    (changed("velocity", (0, 2), np.inf), "vz of body 0 is infinite"),
    (changed("mass", 19, np.nan), "m of body 19 is NaN"),
    (changed("mass", 3, -1), "m of body 3 is -1; a mass must not be negative"),
])
def test_values(ridge, folder, start, says):
    write_start("in.h5", **start)
    require_refused(ridge, ["in.h5", *RUN], says)


@pytest.mark.parametrize("datasets, says", [
    ({"position": np.zeros((9, 3)), "velocity": np.zeros((9, 3))}, ["no /mass", "N x 3"]),
    ({"velocity": np.zeros((9, 3)), "mass": np.ones(9)}, ["no /position", "N x 3"]),
    ({"position": np.zeros((9, 3)), "mass": np.ones(9)}, ["no /velocity", "N x 3"]),
    ({"position": np.zeros((9, 3)), "velocity": np.zeros((8, 3)), "mass": np.ones(9)},
     ["vx has 8 values and m has 9"]),
    ({"position": np.zeros((9, 3)), "velocity": np.zeros((9, 3)), "mass": np.ones(10)},
     ["x has 9 values and m has 10"]),
    ({"position": np.zeros((3, 9)), "velocity": np.zeros((3, 9)), "mass": np.ones(9)},
     ["in.h5:/position", "3 x 9", "N x 3"]),
    ({"position": np.zeros((9, 3)), "velocity": np.zeros((9, 3)), "mass": np.ones((9, 1))},
     ["in.h5:/mass has 2 dimensions"]),
    ({"position": np.zeros((9, 3), int), "velocity": np.zeros((9, 3)), "mass": np.ones(9)},
     ["/position holds 64-bit signed integers"]),
    ({"position": np.zeros((0, 3)), "velocity": np.zeros((0, 3)), "mass": np.ones(0)}, ["below 1"]),
    ({"x": np.zeros(9), "y": np.zeros(9)}, ["no /z"]),
    ({"position": np.zeros((9, 3)), "velocity": np.zeros((9, 3)), "mass": np.ones(9), "m": np.ones(9)},
     ["in.h5 has /mass and /m", "one of them"]),
    ({"position": np.zeros((9, 3)), "velocity": np.zeros((9, 3)), "vx": np.ones(9), "mass": np.ones(9)},
     ["in.h5 has /velocity and /vx", "one of them"]),
    ({"density": np.zeros(9)}, ["the dataset /density", "position and velocity"]),
    ({}, ["no dataset", "position and velocity"]),
])
def test_datasets(ridge, folder, datasets, says):
    with h5py.File("in.h5", "w") as h5:
        for name, values in datasets.items():
            h5[name] = values
    require_refused(ridge, ["in.h5", *RUN], says)


@pytest.mark.parametrize("text, says", [
    ("", ["in.csv is empty", "x,y,z,vx,vy,vz,m"]),
    ("x,y,z,vx,vy,vz,m\n", "in.csv names columns and has no bodies"),
    ("x;y;z;vx;vy;vz;m\n", "no column x between commas: its values have semicolons between them"),
    ("x\ty\tz\tvx\tvy\tvz\tm\n", "have tabs between them"),
    ("x,y,z,vx,vy,vz,m\r0,0,0,0,0,0,1\r", "its lines end in a carriage return alone"),
    ("0,1,2,3,4,5,6\n", "its first line has numbers, '0', ..."),
    ("X,Y,Z,VX,VY,VZ,MASS\n", "no column x among 'X,Y,Z,VX,VY,VZ,MASS'; its first line must name"),
    ("x,y,z,vx,vy,vz\n1,2,3,4,5,6\n", ["no column m"]),
    ("x,y,z,vx,vy,vz,m,x\n1,2,3,4,5,6,7,8\n", ["two columns x"]),
    ("x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n\n1,2,3,4,5,6\n", ["line 4 has 6 values", "7 names"]),
    ("x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n1,2,3,4,fast,6,7\n", ["line 3", "vy is 'fast', not a number"]),
    ("x,y,z,vx,vy,vz,m\n1,2,,4,5,6,7\n", ["line 2", "z is '', not a number"]),
    ("x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,1e999\n", ["line 2", "beyond what fp64 holds"]),
    ("x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,2,3,nan,5,6,7\n", ["vx of body 1 is NaN"]),
])
def test_csv(ridge, folder, text, says):
    (folder / "in.csv").write_text(text)
    require_refused(ridge, ["in.csv", *RUN], says)


@pytest.mark.parametrize("name, says", [
    ("nothing.h5", "there is no file nothing.h5"),
    ("nothing.csv", "there is no file nothing.csv"),
    ("folder", "folder is a folder"),
    ("folder.csv", "folder.csv is not a file"),
    ("text.h5", "not an HDF5 file"),
])
def test_file(ridge, folder, name, says):
    os.mkdir("folder")
    os.mkdir("folder.csv")
    (folder / "text.h5").write_text("x,y,z")
    require_refused(ridge, [name, *RUN], says)


@pytest.mark.parametrize("words, says", [
    (["-o", "run.h5"], ["nothing to start from", "--plummer N", "--restart FILE"]),
    (["in.h5", "--plummer", 5, "-o", "run.h5"], "several starts"),
    (["in.h5", "-o", "run.h5"], "--dt is needed"),
    (["in.h5", "--dt", 0.1], "-o FILE.h5 is needed"),
    (["in.h5", "-o", "run.h5", "--dt", 0], ["--dt 0", "positive"]),
    (["in.h5", "-o", "run.h5", "--dt", "-1e-3"], ["--dt -0.001", "positive"]),
    (["in.h5", "-o", "run.h5", "--dt", "nan"], ["--dt nan", "positive"]),
    (["in.h5", "-o", "run.h5", "--dt", "inf"], ["--dt inf", "positive"]),
    (["in.h5", "-o", "run.h5", "--dt", "fast"], ["--dt"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--steps", -5], ["--steps -5", "must not be negative"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--steps", 10**10], ["at most 9999999999 steps"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--steps", 2**63 - 1], ["at most 9999999999 steps"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--every", -5], ["--every -5", "at least 1"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--every", 0], ["--every 0", "at least 1"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--softening", -1], ["--softening -1", "0 or positive"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--softening", "nan"], ["--softening nan"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--softening", 1e-25], ["--softening 1e-25", "fp64"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--G", 0], ["--G 0", "positive"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--precision", "fp16"], ["'fp16'", "fp32, fp64 and mixed"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--integrator", "euler"], ["'euler'", "leapfrog and yoshida4"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--device", "gpu"], ["gpu", "cpu, simt:32"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--device", "cpu", "--schedule", "tile=17"], ["tile=17", "1 to 16"]),
    (["in.h5", "-o", "run.h5", "--dt", 1, "--seed", 3], "--seed goes with --plummer"),
    (["in.h5", "-o", "in.h5", "--dt", 1], ["in.h5 is the input"]),
    (["in.h5", "-o", "in.h5", "--dt", 1, "--overwrite"], ["in.h5 is the input"]),
    (["in.h5:/", "-o", "./in.h5", "--dt", 1, "--overwrite"], ["in.h5 is the input"]),
    (["in.h5", "-o", "old.h5", "--dt", 1], ["old.h5 exists", "--overwrite"]),
    (["in.h5", "-o", "run.xdmf", "--dt", 1], ["FILE.h5"]),
    (["in.h5", "-o", "nowhere/run.h5", "--dt", 1], "no folder nowhere"),
    (["--plummer", 0], ["0 bodies", "at least 1"]),
    (["--plummer", 10**18], ["1000000000000000000 bodies", "at most"]),
    (["--plummer", "many"], ["--plummer"]),
    (["--cold-collapse", -3], ["-3 bodies", "at least 1"]),
    (["--plummer", "99999999999999999999"], "is beyond -9223372036854775808 to 9223372036854775807"),
    (["--plummer", 9, "--seed", "-1"], "--seed: '-1' is not a whole number from 0 on"),
])
def test_options(ridge, folder, words, says):
    write_start("in.h5", *cloud(5))
    (folder / "old.h5").write_text("old")
    require_refused(ridge, words, says)
    assert (folder / "old.h5").read_text() == "old"


def test_values_that_fp32_cannot_hold(ridge, folder):
    write_start("in.h5", **changed("position", (4, 2), 1e39))
    require_refused(ridge, ["in.h5", *RUN, "--precision", "fp32"], ["z of body 4 is 1e+39", "fp64"])


def test_units_that_fp32_cannot_compute_in(ridge, folder):
    """The Sun and Neptune in metres: the cube of their distance is beyond fp32."""
    write_start("in.h5", np.array([[0.0, 0, 0], [4.5e12, 0, 0]]), np.array([[0.0, 0, 0], [0, 5430, 0]]),
                np.array([1.989e30, 1.024e26]))
    words = ["in.h5", "-o", "run.h5", "--dt", 86400, "--steps", 1, "--G", 6.674e-11, "--device", "cpu"]
    require_refused(ridge, words, ["up to 4.5e+12 apart", "--precision fp64", "units"])
    ridge.good("nbody", *words, "--precision", "fp64")


def test_coincident_bodies_without_softening(ridge, folder):
    start = changed("position", 11, 0)
    start["position"][4] = 0
    write_start("in.h5", **start)
    words = ["in.h5", "-o", "run.h5", "--steps", 2, "--dt", 0.01, "--device", "cpu"]
    require_refused(ridge, words, ["bodies 4 and 11 are both at (0, 0, 0)", "--softening"])
    ridge.good("nbody", *words, "--softening", 0.1)
    start["position"][11] = 1e-9 # one place in fp32 once moved away from the origin
    start["position"] += 1
    write_start("in.h5", **start)
    require_refused(ridge, [*words, "--precision", "fp32", "--overwrite"], ["bodies 4 and 11", "in fp32"])
    ridge.good("nbody", *words, "--precision", "fp64", "--overwrite")


def test_a_run_that_blows_up_keeps_what_was_good(ridge, folder):
    """Two bodies that meet exactly."""
    write_start("in.h5", np.array([[-1.0, 0, 0], [1, 0, 0]]), np.array([[1.0, 0, 0], [-1, 0, 0]]),
                np.array([1e-30, 1e-30]))
    result = ridge.bad("nbody", "in.h5", "-o", "run.h5", "--steps", 8, "--every", 1, "--dt", 0.25,
                       "--precision", "fp64", "--device", "cpu", code=1,
                       says=["at step 4 body 0", "--softening", "run.h5 keeps the snapshots up to step 3"])
    assert "4            1" not in result.out
    assert steps_in("run.h5") == [0, 1, 2, 3]


@pytest.fixture
def run(ridge, folder):
    """The file of a run of five steps."""
    ridge.good("nbody", "--plummer", 30, "-o", "run.h5", "--steps", 5, "--every", 1, "--device", "cpu",
               "--precision", "fp64")
    return folder


@pytest.mark.parametrize("option", [["--dt", 1], ["--softening", 0], ["--G", 1], ["--precision", "fp32"],
                                    ["--integrator", "yoshida4"]])
def test_restart_with_other_parameters(ridge, run, option):
    require_refused(ridge, ["--restart", "run.h5", "-o", "more.h5", *option],
                    [f"{option[0]} cannot be given with --restart", "run.h5:/snapshots/"])


def restart_refused(ridge, says, code=2):
    require_refused(ridge, ["--restart", "run.h5", "-o", "more.h5", "--steps", 1], says, code=code)


def test_restart_from_what_is_not_a_run(ridge, folder):
    write_start("run.h5", *cloud(5))
    restart_refused(ridge, ["run.h5 is not the file of a run", "INPUT"])
    (folder / "run.h5").write_text("text")
    restart_refused(ridge, "not an HDF5 file")
    os.remove("run.h5")
    restart_refused(ridge, "there is no file run.h5")


def test_start_from_a_run(ridge, run):
    require_refused(ridge, ["run.h5", "-o", "more.h5", "--dt", 1],
                    ["run.h5 is the file of a run", "--restart run.h5", "/snapshots/"])


def test_restart_to_its_own_file(ridge, run):
    before = (run / "run.h5").read_bytes()
    for more in [[], ["--overwrite"]]:
        require_refused(ridge, ["--restart", "run.h5", "-o", "run.h5", *more], "run.h5 is the input")
    assert (run / "run.h5").read_bytes() == before


def test_restart_from_another_runs_snapshot(ridge, run):
    ridge.good("nbody", "--plummer", 30, "--seed", 2, "-o", "other.h5", "--steps", 6, "--device", "cpu",
               "--precision", "fp64")
    with h5py.File("run.h5", "r+") as h5:
        h5["snapshots/0000000006"] = h5py.ExternalLink("other.0000000006.h5", "/")
    restart_refused(ridge, ["step 6", "of another run", "checksum"])


@pytest.mark.parametrize("change", ["position", "mass", "dt", "precision", "integrator", "run"])
def test_restart_from_a_changed_file(ridge, run, change):
    with h5py.File("run.h5", "r+") as h5:
        if change == "position":
            h5["snapshots/0000000005/position"][7, 1] *= 1 + 1e-15
        elif change == "mass":
            h5["snapshots/0000000005/mass"][29] *= 2
        else:
            new = {"dt": 0.002, "precision": "mixed", "integrator": "yoshida4", "run": "0" * 16}
            h5.attrs[change] = new[change]
    restart_refused(ridge, ["step 5", "changed since", "checksum"])


@pytest.mark.parametrize("change, says", [
    (lambda h5: h5.attrs.__delitem__("dt"), ["lacks the attribute dt"]),
    (lambda h5: h5.attrs.__setitem__("dt", "fast"), ["lacks the attribute dt"]),
    (lambda h5: h5.attrs.__setitem__("run", "xyz"), ["'xyz' is no hexadecimal number"]),
    (lambda h5: h5.attrs.__setitem__("format", 99), ["a later ridge", "format 99"]),
    (lambda h5: h5.__delitem__("snapshots"), ["no complete snapshot"]),
    (lambda h5: h5.attrs.__setitem__("device", "cuda:77"), ["on cuda:77", "not here", "--device"]),
    (lambda h5: h5.attrs.__setitem__("schedule", "tile=4 depth=7"), ["depth", "tile, sources, threads"]),
])
def test_restart_from_a_damaged_file(ridge, run, change, says):
    with h5py.File("run.h5", "r+") as h5:
        change(h5)
    restart_refused(ridge, says)


def test_restart_passes_over_a_snapshot_that_was_cut_short(ridge, run):
    before = snapshot("run.h5", 5)
    with h5py.File("run.h5", "r+") as h5:
        del h5["snapshots/0000000005"].attrs["checksum"]
        h5["snapshots/0000000005/position"][:] = 0
    ridge.good("nbody", "--restart", "run.h5", "-o", "more.h5", "--steps", 1)
    assert steps_in("more.h5") == [4, 5]
    assert same_bits(snapshot("more.h5", 5), before)


def test_restart_without_the_last_snapshot(ridge, run):
    os.remove("run.0000000005.h5")
    restart_refused(ridge, ["run.h5 leads to its last snapshot in run.0000000005.h5, which cannot be read"], code=1)
    ridge.bad("nbody", "--restart", "run.h5", "-o", "run.0000000004.h5", code=1, says="cannot be read")


def test_restart_onto_its_last_snapshot(ridge, run):
    for output in ["run.0000000005.h5", "./run"]:
        require_refused(ridge, ["--restart", "run.h5", "-o", output, "--overwrite"], "run.0000000005.h5")


def test_restart_from_a_truncated_file(ridge, run):
    os.truncate("run.h5", os.path.getsize("run.h5") - 3000)
    restart_refused(ridge, ["reading run.h5", "truncated"], code=1)


def require_good_until_full(ridge, file, words, says, **options):
    """Stops at a full disk, with all snapshots up to then readable and good to go on from."""
    result = ridge.bad("nbody", "--plummer", 500, "-o", file, "--steps", 60, "--every", 1, "--device",
                       "cpu", *words, code=1, says=says, **options)
    steps = steps_in(file)
    assert steps == list(range(len(steps))) and 2 <= len(steps) < 60
    assert f"keeps the snapshots up to step {steps[-1]}" in result.err
    for step in steps:
        assert np.isfinite(snapshot(file, step)[0]).all()
    return steps[-1]


def require_goes_on(ridge, file, last):
    ridge.good("nbody", "--restart", file, "-o", "more.h5", "--steps", 3)
    ridge.good("nbody", "--plummer", 500, "-o", "whole.h5", "--steps", last + 3, "--device", "cpu")
    assert same_bits(snapshot("more.h5", last + 3), snapshot("whole.h5", last + 3))


def test_limit_on_the_size_of_files(ridge, folder):
    """The file for ParaView reaches it, when a snapshot is complete."""
    limited = "ulimit -f 48; exec \"$0\" \"$@\""
    last = require_good_until_full(ridge, "run.h5", [], ["writing run.xdmf: File too large"],
                                   prefix=["bash", "-c", limited])
    assert left_in(folder) == run_files("run", *range(last + 1))
    require_goes_on(ridge, "run.h5", last)


@pytest.mark.parametrize("small_disk", ["600k"], indirect=True)
def test_full_disk(ridge, small_disk):
    last = require_good_until_full(ridge, "disk/run.h5", [],
                                   ["writing disk/run."])
    require_goes_on(ridge, "disk/run.h5", last)


def test_disk_full_from_the_start(ridge, folder):
    limited = "ulimit -f 8; exec \"$0\" \"$@\""
    require_refused(ridge, ["--plummer", 500, *RUN], ["writing run.0000000000.h5"], code=1,
                    prefix=["bash", "-c", limited])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_text_in_utf_16(ridge, folder, encoding):
    (folder / "a.csv").write_bytes("x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n".encode(encoding))
    error = ridge.bad("nbody", "a.csv", "--dt", 0.1, "-o", "b.h5", says="a.csv line 1 has zero bytes").err
    assert error.isascii() and "UTF-8" in error
    (folder / "a.csv").write_bytes(b"x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,\xff\x1b[2J\n")
    ridge.bad("nbody", "a.csv", "--dt", 0.1, "-o", "b.h5", says="m is '??[2J', not a number")
