"""Files that commands write: never an input, never an existing file without --overwrite, never another run's."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import h5py
import numpy as np
import pytest
from conftest import NOT_BUILT, built, left_in
from over_ranks import ENVIRONMENT, refused, running_ranks
from sample_records import record, written
from test_evolve import snapshot

LONG = built({
    "evolve": ["evolve", "heat", "in.h5:/u", "--steps", 10**9, "--boundary", "x=periodic"],
    "nbody": ["nbody", "--plummer", 64, "--steps", 10**8, "--every", 10**7],
    "atmosphere": ["atmosphere", "--size", "40x20", "--time", 1e9, "--snapshots", 2],
})


@pytest.fixture
def inputs(folder):
    random = np.random.default_rng(1)
    with h5py.File("in.h5", "w") as h5:
        h5["u"] = random.random((6, 7, 8))
        h5["k"] = np.ones((6, 7, 8))
        h5["position"] = random.random((9, 3))
        h5["velocity"] = np.zeros((9, 3))
        h5["mass"] = np.ones(9)
    return folder


def evolve(ridge, output, *options, kernel="heat"):
    return ridge.good("evolve", kernel, "in.h5:/u", "-o", output, "--device", "cpu", *options)


class Running:
    """A run that lasts, from its first snapshot on; killed at the end."""

    def __init__(self, ridge, command, output):
        self.run = ridge.start(*LONG[command], "-o", output, "--device", "cpu")
        began = time.monotonic()
        while not os.path.exists(output):
            assert self.run.poll() is None and time.monotonic() - began < 600
            time.sleep(0.01)

    def __enter__(self):
        return self.run

    def __exit__(self, *_):
        self.run.kill()
        self.run.communicate(timeout=60)


# Another run's.


@pytest.mark.parametrize("command", LONG)
def test_second_run_of_one_output_is_refused_at_once(ridge, inputs, command):
    words = [*LONG[command], "--device", "cpu", "--overwrite"]
    os.mkdir("far")
    os.symlink(inputs, "far/here")
    with Running(ridge, command, "out.h5") as run:
        for output in ["out.h5", "far/here/out.h5"]:
            ridge.bad(*words, "-o", output, says=[f"{output} is being written by another run (process "
                                                  f"{run.pid} on ", "give another file"])
        assert run.poll() is None
    # Killed, it holds nothing: the next run may begin, and nothing is left of either's locks.
    with Running(ridge, command, "second.h5") as run:
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    ridge.bad(*words, "-o", "far/none/out.h5", says="there is no folder")
    short = {"evolve": ["--steps", 2], "nbody": ["--steps", 2], "atmosphere": ["--time", 3]}[command]
    at = words.index(short[0])
    ridge.good(*words[:at], *short, *words[at + 2:], "-o", "out.h5")
    assert not [name for name in left_in(inputs) if name.endswith((".lock", ".partial"))]


def test_other_files_of_a_run_are_its_own_too(ridge, inputs):
    with Running(ridge, "evolve", "out.h5"):
        taken = "is being written by another run"
        ridge.bad("evolve", "heat", "in.h5:/u", "-o", "new.h5", "--picture", "out.xdmf", says=taken)
        ridge.bad("apply", "laplacian", "in.h5:/u", "-o", "out.0000000099.h5:/f", says=taken)
        ridge.bad("apply", "laplacian", "in.h5:/u", "-o", "out:/f", says=["out.xdmf", taken])
        ridge.bad("evolve", "heat", "in.h5:/u", "-o", "out.hdf5", says=taken)
        ridge.bad("evolve", "--restart", "out.h5", "--steps", 5, says=taken)
        evolve(ridge, "out2.h5", "--steps", 2)
        evolve(ridge, "other.h5", "--steps", 2)


def test_ranks_claim_together(mpi, ridge, inputs):
    words = ["evolve", "heat", "in.h5:/u", "--device", "cpu", "--overwrite", "--steps", 4]
    assert mpi(2, *words, "-o", "new.h5").code == 0
    assert not [name for name in left_in(inputs) if name.startswith(".")]
    with Running(ridge, "evolve", "out.h5"):
        refused(mpi(2, *words, "-o", "out.h5"), "out.h5 is being written by another run")


def test_what_a_killed_run_left_is_cleared(ridge, inputs):
    remains = [".out.h5.partial", ".out.xdmf.partial", ".out.0000000077.h5.partial", ".out.h5.lock"]
    others = [".other.h5.partial", ".out.h5.old", ".out.77.h5.partial"]
    for name in remains + others:
        (inputs / name).write_text("unfinished")
    evolve(ridge, "out.h5", "--steps", 2)
    assert [name for name in left_in(inputs) if name.startswith(".")] == sorted(others)


@pytest.mark.parametrize("command", LONG)
def test_reader_that_leaves_ends_the_run_in_good_order(ridge, inputs, command):
    small = {"evolve": ["--steps", 4], "nbody": ["--steps", 4, "--every", 1], "atmosphere": ["--time", 3]}[command]
    words = [*LONG[command], "--device", "cpu", "-o", "out.h5"]
    for word in small[::2]:
        words[words.index(word) + 1] = small[small.index(word) + 1]
    run = ridge.start(*words)
    run.stdout.close()
    run.stdout = None
    _, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (128 + signal.SIGPIPE, "")
    assert not [name for name in left_in(inputs) if name.endswith((".lock", ".partial"))]


def end_when_there(launcher, ranks, file):
    """Ends all ranks as soon as a file is there."""
    began = time.monotonic()
    while not os.path.exists(file):
        assert launcher.poll() is None and time.monotonic() - began < 600
        time.sleep(0.01)
    for rank in ranks:
        os.kill(rank, signal.SIGTERM)
    launcher.communicate(timeout=60)
    assert launcher.returncode != 0


def test_ranks_that_a_launcher_ends_leave_no_locks(mpi, inputs):
    """Launchers send SIGTERM where a pipe is closed or a rank has failed."""
    launcher, ranks = running_ranks(mpi, [*LONG["evolve"], "--every", 10**4, "-o", "out.h5", "--device", "cpu"])
    end_when_there(launcher, ranks, "out.xdmf")
    assert not [name for name in left_in(inputs) if name.endswith((".lock", ".partial"))]


def test_ranks_that_a_launcher_ends_while_a_lock_is_made_leave_none(mpi, inputs, monkeypatch):
    """Its file is there, and not locked yet."""
    (inputs / "slow.c").write_text("""#define _GNU_SOURCE
        #include <sys/file.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int flock(int f, int how) { if (how == (LOCK_EX | LOCK_NB)) sleep(100); return syscall(SYS_flock, f, how); }""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "slow.so", "slow.c"], check=True)
    monkeypatch.setitem(ENVIRONMENT, "LD_PRELOAD", str(inputs / "slow.so"))
    launcher, ranks = running_ranks(mpi, ["evolve", "heat", "in.h5:/u", "-o", "out.h5", "--device", "cpu"])
    end_when_there(launcher, ranks, ".out.h5.lock")
    assert not [name for name in left_in(inputs) if name.startswith(".")]


def test_closed_terminal_ends_the_run_in_good_order(ridge, inputs):
    with Running(ridge, "evolve", "out.h5") as run:
        run.send_signal(signal.SIGHUP)
        _, err = run.communicate(timeout=60)
        assert run.returncode == 128 + signal.SIGHUP and "go on with --restart" in err
    assert not [name for name in left_in(inputs) if name.endswith((".lock", ".partial"))]


@pytest.mark.skipif("atmosphere" in NOT_BUILT, reason="this build has no atmosphere")
def test_who_looks_at_snapshots_does_not_stop_the_run(ridge, folder):
    run = ridge.start("atmosphere", "--size", "80x40", "--time", 100, "--snapshots", 9, "-o", "air.h5",
                      "--device", "cpu")
    while not os.path.exists("air.h5"):
        assert run.poll() is None
    with h5py.File("air.h5", "r"):
        _, err = run.communicate(timeout=100)
    assert run.returncode == 0, err


def test_file_systems_without_locks(ridge, inputs):
    (inputs / "none.c").write_text("#include <errno.h>\nint flock(int f, int how) { errno = ENOLCK; return -1; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "none.so", "none.c"], check=True)
    env = {**os.environ, "LD_PRELOAD": str(inputs / "none.so")}
    (inputs / ".out.h5.partial").write_text("perhaps another run's")
    words = ["evolve", "heat", "in.h5:/u", "-o", "out.h5", "--steps", 2, "--device", "cpu"]
    ridge.bad(*words, env=env, code=1, says=["has no locks", "set HDF5_USE_FILE_LOCKING=FALSE"])
    result = ridge(*words, env={**env, "HDF5_USE_FILE_LOCKING": "FALSE"})
    assert result.code == 0, result.err
    (line,) = result.err.splitlines()
    assert "the file system of out.h5 has no locks" in line
    assert [name for name in left_in(inputs) if name.startswith(".")] == [".out.h5.partial"]


# What exists.


def test_snapshots_of_an_earlier_run_are_kept(ridge, inputs):
    evolve(ridge, "p.h5", "--steps", 4, "--every", 2)
    before = snapshot(file="p.h5")
    os.rename("p.h5", "earlier.h5")
    os.remove("p.xdmf")
    words = ["evolve", "heat", "in.h5:/u", "-o", "p.h5", "--device", "cpu", "--dt", 0.01]
    # Of steps that it would not write, too: a restart would.
    for steps in (4, 1):
        ridge.bad(*words, "--steps", steps, says=["p.00000000", "a snapshot of an earlier run",
                                                  "--overwrite"])
    assert np.array_equal(snapshot(file="earlier.h5"), before)
    ridge.good(*words, "--steps", 4, "--overwrite")
    assert not np.array_equal(snapshot(file="p.h5"), before)


def test_names_keep_all_of_the_stem(ridge, inputs):
    for output, dt in [("heat_dt0.1", 0.1), ("heat_dt0.05", 0.05), ("x.h5", 0.02)]:
        evolve(ridge, output, "--steps", 4, "--every", 4, "--dt", dt)
    ends = [snapshot(file=name) for name in ("heat_dt0.1", "heat_dt0.05")]
    assert not np.array_equal(*ends)
    assert left_in(inputs) == sorted(
        ["in.h5", *[f"{stem}{end}" for stem in ("heat_dt0.1", "heat_dt0.05", "x") for end in
                    (".0000000000.h5", ".0000000004.h5", ".xdmf")], "heat_dt0.1", "heat_dt0.05", "x.h5"])
    for name in ("heat_dt0.1", "heat_dt0.05"):
        ridge.good("evolve", "--restart", name, "--steps", 4)
        assert snapshot(8, file=name).shape == (6, 7, 8)
    of_wings = built({"a.1": ["nbody", "in.h5", "--dt", 1, "--softening", 1, "--steps", 1],
                      "b.1": ["atmosphere", "--size", "40x20", "--time", 2, "--snapshots", 1]})
    for name, words in of_wings.items():
        ridge.good(*words, "-o", name)
    ridge.good("apply", "laplacian", "in.h5:/u", "-o", "c.1:/f")
    of_air = {"b.1.png"} if "b.1" in of_wings else set()
    assert {f"{name}.xdmf" for name in ("c.1", *of_wings)} | of_air <= set(left_in(inputs))


def as_earlier_versions_wrote(name, stem):
    """Renames the snapshots of a run as if its name ended at the last dot, and drops what is new."""
    with h5py.File(name, "a") as h5:
        for step in list(h5["snapshots"]):
            old = h5["snapshots"].get(step, getlink=True).filename
            os.rename(old, f"{stem}.{step}.h5")
            del h5["snapshots"][step]
            h5["snapshots"][step] = h5py.ExternalLink(f"{stem}.{step}.h5", "/")
            with h5py.File(f"{stem}.{step}.h5", "a") as part:
                del part.attrs["run"]
        for attribute in ("folder", "kernel_digest"):
            del h5.attrs[attribute]


def test_runs_of_earlier_versions_go_on(ridge, inputs):
    options = ["--every", 2, "--boundary", "x=periodic,y=mirror,z=mirror"]
    evolve(ridge, "straight.h5", "--steps", 8, *options)
    evolve(ridge, "heat_dt0.1", "--steps", 6, *options)
    as_earlier_versions_wrote("heat_dt0.1", "heat_dt0")
    ridge.good("evolve", "--restart", "heat_dt0.1", "--steps", 2)
    assert np.array_equal(snapshot(file="heat_dt0.1"), snapshot(file="straight.h5"))
    with h5py.File("heat_dt0.1") as h5:
        assert len(h5["snapshots"]) == 5
        assert h5["snapshots"]["0000000002"]["u"].shape == (6, 7, 8)
    # A snapshot that it had not yet led to when it was killed.
    evolve(ridge, "q.h5", "--steps", 4, *options)
    as_earlier_versions_wrote("q.h5", "q")
    with h5py.File("q.h5", "a") as h5:
        del h5["snapshots"]["0000000004"]
    ridge.good("evolve", "--restart", "q.h5")
    assert np.array_equal(snapshot(file="q.h5"), snapshot(4, file="straight.h5"))


def test_restart_does_not_replace_what_is_not_its_own(ridge, inputs):
    evolve(ridge, "p.h5", "--steps", 4, "--every", 2)
    with h5py.File("p.0000000006.h5", "w") as h5:
        h5["precious"] = 1
    ridge.bad("evolve", "--restart", "p.h5", "--steps", 4, says="p.0000000006.h5 exists")
    os.remove("p.0000000006.h5")
    # One of its own that it had not led to when it was killed.
    with h5py.File("p.h5", "a") as h5:
        del h5["snapshots"]["0000000004"]
    ridge.good("evolve", "--restart", "p.h5")


def test_restarts_at_once_lose_no_step(ridge, inputs):
    evolve(ridge, "p.h5", "--steps", 2)
    words = [ridge.program, "evolve", "--restart", "p.h5", "--steps", "100", "--every", "100"]
    runs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3)]
    ends = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    # Never by the name of another file of the run: who gets the first name gets all.
    assert all(code == 2 and any(err.startswith(f"ridge: {words}") for words in
                                 ("p.h5 is being written by another run", "another run went on with p.h5"))
               for _, err, code in ends if code != 0), ends
    done = [code for _, _, code in ends].count(0)
    assert done > 0
    with h5py.File("p.h5") as h5:
        assert int(sorted(h5["snapshots"])[-1]) == 2 + 100 * done


def test_other_outputs_that_exist(ridge, inputs):
    written("a.json", [record()])
    quick = ["--device", "simt:32"]
    commands = built({
        "page.html": ["report", "a.json", "-o", "page.html"],
        "lab.json": ["lab", "--quick", *quick, "--json", "lab.json"],
        "cause.json": ["doctor", "laplacian", *quick, "--size", "20x20x20", "-o", "cause.json"],
        "here.json": ["roof", "--device", "cpu", "--cache", "-o", "here.json"],
        "air.h5": ["atmosphere", "--size", "40x20", "--time", 2, "-o", "air.h5"],
        "wind.xdmf": ["atmosphere", "--size", "40x20", "--time", 2, "-o", "wind.h5"],
        "gale.png": ["atmosphere", "--size", "40x20", "--time", 2, "-o", "gale.h5"],
        "f.xdmf": ["apply", "laplacian", "in.h5:/u", "-o", "f.h5:/f"],
        "run.xdmf": ["nbody", "in.h5", "-o", "run.h5", "--dt", 1, "--softening", 1],
        "slice.png": ["evolve", "heat", "in.h5:/u", "-o", "e.h5", "--picture", "slice.png"],
    })
    for name in commands:
        (inputs / name).write_text("precious")
    there = left_in(inputs)
    for name, words in commands.items():
        ridge.bad(*words, says=[f"{name} exists", "--overwrite"])
        assert (inputs / name).read_text() == "precious"
    assert left_in(inputs) == there
    for name in commands.keys() & {"page.html", "air.h5", "wind.xdmf", "gale.png"}:
        ridge.good(*commands[name], "--overwrite")
        assert (inputs / name).read_bytes() != b"precious"


# Inputs.


@pytest.mark.parametrize("name", ["in.h5", "./in.h5", "far/../in.h5", "link.h5", "hard.h5", "far/here/in.h5"])
def test_overwrite_does_not_mean_the_input(ridge, inputs, name):
    os.mkdir("far")
    os.symlink("in.h5", "link.h5")
    os.link("in.h5", "hard.h5")
    os.symlink(inputs, "far/here")
    before, there = (inputs / "in.h5").read_bytes(), left_in(inputs)
    for words in built([["apply", "laplacian", "in.h5:/u", "-o", f"{name}:/f"],
                        ["evolve", "heat", "in.h5:/u", "-o", name],
                        ["evolve", "heat", "in.h5:/u", "-o", "x.h5", "--picture", name],
                        ["evolve", "heat", "in.h5:/u", "-o", "x.h5", "--picture", name, "--boundary",
                         "x=periodic"],
                        ["nbody", "in.h5", "-o", name, "--dt", 1, "--softening", 1]]):
        ridge.bad(*words, "--overwrite", says=[name, "is the input"])
        assert (inputs / "in.h5").read_bytes() == before
    assert left_in(inputs) == there


def test_all_that_a_run_reads_is_an_input(ridge, inputs):
    with h5py.File("p.0000000004.h5", "w") as h5:
        h5["k"] = np.ones((6, 7, 8))
        h5["wall"] = np.ones((6, 7))
    os.symlink("p.0000000004.h5", "k.h5")
    os.symlink("in.h5", "p.0000000002.h5")
    before = (inputs / "p.0000000004.h5").read_bytes()
    words = ["evolve", "diffusion", "in.h5:/u", "--device", "cpu", "--overwrite", "--steps", 4]
    snapshots = ["has the name of a snapshot of p.h5", "give another output"]
    for name in ("p.0000000004.h5", "k.h5"):
        ridge.bad(*words, "--coefficient", f"{name}:/k", "-o", "p.h5", says=[name, *snapshots])
    ridge.bad(*words, "--coefficient", "p.0000000002.h5:/k", "-o", "p.h5", says=snapshots)
    walled = ["evolve", "heat", *words[2:], "--boundary", "x-=dirichlet:k.h5:/wall"]
    ridge.bad(*walled, "-o", "p.h5", says=snapshots)
    ridge.bad(*walled, "-o", "k.h5", says="k.h5 is the file of --boundary")
    ridge.bad(*walled, "-o", "q.h5", "--picture", "q.0000000003.h5", says=["the picture", "snapshot of q.h5"])
    ridge.bad(*words, "--coefficient", "k.h5:/k", "-o", "k.h5", says="k.h5 is the file of --coefficient")
    assert (inputs / "p.0000000004.h5").read_bytes() == before
    for output, picture in [("q.h5", "q.h5"), ("q.h5", "./q.xdmf"), ("in.h5.h5", "in.h5.xdmf")]:
        ridge.bad(*walled, "-o", output, "--picture", picture, says="name the same file")


def test_files_behind_links_of_hdf5_are_inputs(ridge, inputs):
    evolve(ridge, "run.h5", "--steps", 2, "--every", 1)
    raw = np.arange(6 * 7 * 8.0)
    raw.tofile("raw.bin")
    with h5py.File("external.h5", "w") as h5:
        h5.create_dataset("u", (6, 7, 8), "f8", external=[("raw.bin", 0, raw.nbytes)])
    layout = h5py.VirtualLayout((6, 7, 8), "f8")
    layout[:] = h5py.VirtualSource("in.h5", "u", (6, 7, 8))
    with h5py.File("virtual.h5", "w") as h5:
        h5.create_virtual_dataset("u", layout)
        h5["bodies"] = h5py.ExternalLink("in.h5", "/")
    for name, file in [("run.h5:/snapshots/0000000001/u", "run.0000000001.h5"),
                       ("run.h5:/snapshots/0000000001/u", "run.h5"), ("external.h5:/u", "raw.bin"),
                       ("virtual.h5:/u", "in.h5")]:
        before = (inputs / file).read_bytes()
        ridge.bad("apply", "laplacian", name, "-o", f"{file}:/f", "--overwrite",
                  says=[file, "is the input"])
        assert (inputs / file).read_bytes() == before
    ridge.bad("nbody", "virtual.h5:/bodies", "-o", "in.h5", "--dt", 1, "--softening", 1, "--overwrite",
              says="in.h5 is the input")


def test_a_run_is_not_started_anew_onto_itself(ridge, inputs):
    evolve(ridge, "p.h5", "--steps", 2)
    ridge.bad("evolve", "--restart", "p.h5", "-o", "p.h5", "--steps", 2, "--overwrite",
              says="p.h5 is the run that goes on")
    os.rename("p.h5", "renamed.h5")  # its snapshots keep their names
    ridge.bad("evolve", "--restart", "renamed.h5", "-o", "p.h5", "--steps", 2, "--overwrite",
              says="has the name of a snapshot of p.h5")
    assert snapshot(file="renamed.h5").shape == (6, 7, 8)


def test_names_of_what_is_beside_a_file_while_it_is_written(ridge, inputs):
    for name in (".out.h5.partial", ".out.xdmf.lock"):
        os.rename("in.h5", name)
        ridge.bad("apply", "laplacian", f"{name}:/u", "-o", "out.h5:/f", says=[name, "rename it"])
        os.rename(name, "in.h5")


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(ridge):
    anyone = ("setpriv", "--reuid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory() as name:  # those of tests are their user's alone
        with h5py.File(f"{name}/in.h5", "w") as h5:
            h5["u"] = np.ones((6, 7, 8))
        os.chmod(f"{name}/in.h5", 0o644)
        os.mkdir(f"{name}/closed", 0o555)
        os.chmod(name, 0o755)
        run = {"prefix": anyone, "cwd": name, "code": 1, "says": "writing closed/out.h5: Permission denied"}
        ridge.bad("evolve", "heat", "in.h5:/u", "-o", "closed/out.h5", "--device", "cpu", **run)
        ridge.bad("apply", "laplacian", "in.h5:/u", "-o", "closed/out.h5:/f", "--device", "cpu", **run)
        assert left_in(f"{name}/closed") == []


# Standard output.


def test_standard_output_that_is_a_file(ridge, inputs):
    written("a.json", [record()])
    pathlib.Path("out.html").write_text("")
    done = subprocess.run(f"{ridge.program} report a.json -o /dev/stdout > out.html", shell=True,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = pathlib.Path("out.html").read_text()
    assert page.startswith("<!") and page.rstrip().endswith("</html>")
