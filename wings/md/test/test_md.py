"""`ridge md`: trajectories, the melt of LAMMPS, restarts, interactions of the user's own, bad input."""

import json
import pathlib
import re
import resource
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from conftest import as_one_file, built, left_in, let_it_work, run_files
from over_ranks import ENVIRONMENT, MPIRUN

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "near_pairs.md"


def snapshot(name, step):
    with h5py.File(name) as h5:
        group = h5[f"snapshots/{step:010}"]
        return {d: group[d][:] for d in ["position", "velocity", "potential", "position_of_lists"]}


def attributes(name, step):
    with h5py.File(name) as h5:
        return dict(h5[f"snapshots/{step:010}"].attrs)


def same_bits(a, b):
    return all(a[d].dtype == b[d].dtype and a[d].tobytes() == b[d].tobytes() for d in a)


def lennard_jones(x, box, cutoff):
    """Forces, energies and virials of all pairs, by plain double sums."""
    d = x[:, None, :] - x[None, :, :]
    d -= box * np.round(d / box)
    r2 = (d**2).sum(axis=2)
    np.fill_diagonal(r2, np.inf)
    inverse = np.where(r2 < cutoff**2, 1 / r2, 0)
    s6 = inverse**3
    weight = 24 * s6 * inverse * (2 * s6 - 1)
    return ((d * weight[:, :, None]).sum(axis=1), 2 * (s6 * (s6 - 1)).sum(axis=1),
            0.5 * (weight * np.where(np.isfinite(r2), r2, 0)).sum())


def verlet(x, v, box, cutoff, dt, steps):
    x, v = x.copy(), v.copy()
    f, _, _ = lennard_jones(x, box, cutoff)
    for _ in range(steps):
        v += f * dt / 2
        x += v * dt
        f, energy, virial = lennard_jones(x, box, cutoff)
        v += f * dt / 2
    return x, v, energy, virial


def liquid(count=125, seed=1):
    """Near a simple cubic lattice of spacing 1.1, some a period away."""
    random = np.random.default_rng(seed)
    edge = round(count ** (1 / 3))
    x = 1.1 * np.stack(np.meshgrid(*3 * [np.arange(edge)]), axis=-1).reshape(-1, 3)
    x = x + random.uniform(-0.05, 0.05, x.shape)
    x[::9] += 1.1 * edge
    return x, random.standard_normal(x.shape), np.full(3, 1.1 * edge)


def write_start(name, x, v, mass=1.0):
    with h5py.File(name, "w") as h5:
        h5["position"], h5["velocity"], h5["mass"] = x, v, np.broadcast_to(mass, len(x))


@pytest.mark.parametrize("device, precision, tolerance",
                         [("cpu", "fp64", 1e-11), ("cpu", "fp32", 2e-4), ("simt:32", "mixed", 1e-5)])
def test_trajectory_equals_plain_sums(ridge, folder, device, precision, tolerance):
    x, v, box = liquid()
    write_start("in.h5", x, v)
    ridge.good("md", "in.h5", "-o", "run.h5", "--steps", 10, "--dt", 0.004, "--cutoff", 2, "--skin", 0.2,
               "--box", "5.5x5.5x5.5", "--device", device, "--precision", precision)
    assert left_in(folder) == ["in.h5", *run_files("run", *range(11))]
    x, v, energy, virial = verlet(x, v, box, 2, 0.004, 10)
    got = snapshot("run.h5", 10)
    for values, expected in [("position", x), ("velocity", v), ("potential", energy)]:
        assert np.abs(got[values] - expected).max() <= tolerance * np.abs(expected).max()
    a = attributes("run.h5", 10)
    kinetic = 0.5 * (v**2).sum()
    assert a["kinetic_energy"] == pytest.approx(kinetic, rel=10 * tolerance)
    assert a["potential_energy"] == pytest.approx(energy.sum(), rel=10 * tolerance)
    assert a["temperature"] == pytest.approx(2 * kinetic / (3 * len(x) - 3), rel=10 * tolerance)
    assert a["pressure"] == pytest.approx((2 * kinetic + virial) / (3 * box.prod()), rel=100 * tolerance)


@pytest.mark.parametrize("device, count", [("cpu", 1), ("simt:32", 2), ("cpu", 3)])
def test_few_bodies_and_a_cutoff_of_half_of_the_box(ridge, folder, device, count):
    """Without a skin lists are built at every step."""
    x = np.array([[0.2, 5.9, 3.1], [5.3, 0.4, 3.0], [1.5, 5.8, 2.2]])[:count]
    v = np.array([[0.3, -0.2, 0.1], [-0.4, 0.5, 0.2], [0.1, 0.1, -0.6]])[:count]
    write_start("in.h5", x, v)
    out = ridge.good("md", "in.h5", "-o", "run.h5", "--steps", 12, "--dt", 0.01, "--cutoff", 3, "--skin", 0, "--box",
                     "6x6x6", "--device", device, "--precision", "mixed", "--json")
    assert out.records()[0]["md"]["builds"] >= 12
    x, v, energy, _ = verlet(x, v, np.full(3, 6.0), 3, 0.01, 12)
    got = snapshot("run.h5", 12)
    for values, expected in [("position", x), ("velocity", v), ("potential", energy)]:
        assert np.abs(got[values] - expected).max() <= 1e-5 * np.abs(expected).max()
    assert (attributes("run.h5", 12)["temperature"] == 0) == (count == 1)


def test_the_melt_of_lammps(ridge, folder):
    """Its in.lj, 131072 atoms: E_pair -6.7733681, Press -5.0196785 at step 0 and temperature 0.7594,
    E_pair -5.7614 at step 100."""
    out = ridge.good("md", "--lattice", 4000, "--steps", 100, "--precision", "fp64", "--device", "cpu",
                     "--json")
    (record,) = out.records()
    assert all(record[f"seconds_{part}"] > 0 for part in ("forces", "look", "build", "move"))
    assert record["flops"] == 22 * record["items"] and record["achieved_unit"] == "interactions/s"
    assert record["achieved"] == pytest.approx(record["items"] / record["seconds"])
    lines = record["md"]["snapshots"]
    first, last = lines[0], lines[-1]
    assert first["potential_energy"] / 4000 == pytest.approx(-6.7733681, abs=1e-6)
    ideal = 0.8442 * 1.44 * (1 / 131072 - 1 / 4000)  # the centre of mass has no temperature
    assert first["pressure"] - ideal == pytest.approx(-5.0196785, abs=1e-5)
    assert first["temperature"] == pytest.approx(1.44, rel=1e-12)
    assert last["temperature"] == pytest.approx(0.7594, abs=0.02)
    assert last["potential_energy"] / 4000 == pytest.approx(-5.7614, abs=0.03)


def test_structure_and_pressure_of_the_melt(ridge, folder):
    """LAMMPS, 2048 atoms, 6000 steps (bench/lammps_melt.py): temperature 0.6981, pressure 0.740, first peak 3.001."""
    ridge.good("md", "--lattice", 864, "-o", "run.h5", "--steps", 1500, "--every", 50, "--precision", "fp32", "--device",
               "cpu")
    edge, steps = (864 / 0.8442) ** (1 / 3), range(500, 1501, 50)
    seen = [attributes("run.h5", step) for step in steps]
    assert np.mean([a["temperature"] for a in seen]) == pytest.approx(0.698, abs=0.02)
    assert np.mean([a["pressure"] for a in seen]) == pytest.approx(0.740, abs=0.15)
    edges = np.arange(0.8, 2.5, 0.03)
    counts = np.zeros(len(edges) - 1)
    for step in steps:
        x = snapshot("run.h5", step)["position"].astype(float)
        d = x[:, None, :] - x[None, :, :]
        d -= edge * np.round(d / edge)
        counts += np.histogram(np.sqrt((d**2).sum(axis=2)), edges)[0]
    shells = 4 / 3 * np.pi * np.diff(edges**3) * 864 / edge**3
    radial = counts / len(steps) / 864 / shells
    assert radial.max() == pytest.approx(3.0, abs=0.1)
    assert edges[radial.argmax()] == pytest.approx(1.08, abs=0.04)


def test_energy_and_momentum_are_kept(ridge, folder):
    """A cutoff of 4, where the truncated potential's step is small."""
    out = ridge.good("md", "--lattice", 864, "--steps", 300, "--dt", 0.002, "--cutoff", 4, "--skin", 0.4,
                     "--temperature", 0.5, "--precision", "fp64", "--device", "cpu", "--json")
    lines = out.records()[0]["md"]["snapshots"]
    assert max(abs(line["drift_per_body"]) for line in lines) < 2e-3
    assert max(np.abs(line["momentum"]).max() for line in lines) < 1e-10


@pytest.mark.parametrize("device, precision", [("cpu", "fp32"), ("simt:64", "mixed")])
def test_restart_gives_the_same_bits(ridge, folder, device, precision):
    count, half, whole = (864, 60, 100) if device == "cpu" else (256, 5, 9)
    options = ["--cutoff", 2.4] if count == 864 else ["--cutoff", 1.6, "--dt", 0.02]
    start = ["md", "--lattice", count, "--device", device, "--precision", precision, *options]
    ridge.good(*start, "-o", "whole.h5", "--steps", whole)
    ridge.good(*start, "-o", "half.h5", "--steps", half, "--every", 7)
    out = ridge.good("md", "--restart", "half.h5", "-o", "more.h5", "--steps", whole - half, "--every", 11, "--json")
    builds = [ridge.good(*start, "--steps", n, "--json").records()[0]["md"]["builds"] for n in (half, whole)]
    assert out.records()[0]["md"]["builds"] == builds[1] - builds[0] + 1  # and those of the snapshot
    assert same_bits(snapshot("whole.h5", whole), snapshot("more.h5", whole))
    assert attributes("whole.h5", whole)["checksum"] == attributes("more.h5", whole)["checksum"]
    with h5py.File("half.h5", "r+") as h5:
        h5[f"snapshots/{half:010}/velocity"][3, 1] += 1
    ridge.bad("md", "--restart", "half.h5", "-o", "no.h5", says="its checksum differs")


@pytest.mark.parametrize("collapse", [False, True])
def test_steps_given_to_a_gpu_together(ridge, folder, collapse):
    """Lists are built between them without the host, but where they outgrow their memory."""
    if collapse:
        x = 2.2 * np.stack(np.meshgrid(*3 * [np.arange(5)]), axis=-1).reshape(-1, 3) + 0.3
        write_start("in.h5", x, 1.2 * (x.mean(axis=0) - x) + np.random.default_rng(2).uniform(-0.1, 0.1, x.shape))
        start = ["in.h5", "--box", "11x11x11", "--cutoff", 2]
    else:
        start = ["--lattice", 256, "--cutoff", 1.6, "--temperature", 3]
    start += ["--steps", 45, "--dt", 0.01, "--device", "simt:32", "--precision", "fp32", "--json"]
    together = ridge.good("md", *start, "-o", "together.h5", "--every", 45).records()[0]
    one_by_one = ridge.good("md", *start, "-o", "one.h5", "--every", 1).records()[0]
    assert same_bits(snapshot("together.h5", 45), snapshot("one.h5", 45))
    assert one_by_one["md"]["builds"] > 6
    assert together["md"]["builds"] == one_by_one["md"]["builds"]  # one that is begun again counts once
    if MPIRUN is None or not collapse:
        return
    # Where lists or messages of one rank outgrow their memory, all ranks stop.
    words = [MPIRUN, "-n", "3", ridge.program, "md", *map(str, start), "-o", "three.h5", "--every", "45"]
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert same_bits(snapshot("three.h5", 45), snapshot("one.h5", 45))
    assert json.loads(done.stdout)[0]["md"]["builds"] == one_by_one["md"]["builds"]


@pytest.mark.skipif(MPIRUN is None, reason="no mpirun here")
@pytest.mark.parametrize("device, precision, steps, half", [("cpu", "fp64", 30, 20), ("simt:64", "mixed", 6, 3)])
def test_ranks_have_the_bits_of_one(ridge, folder, device, precision, steps, half):
    def run(ranks, *words):
        done = subprocess.run([MPIRUN, "-n", str(ranks), ridge.program, *map(str, words)], capture_output=True,
                              text=True, env=ENVIRONMENT, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    start = ["md", "--lattice", 500, "--device", device, "--cutoff", 2, "--dt", 0.01, "--precision", precision]
    ridge.good(*start, "-o", "whole.h5", "--steps", steps)
    run(3, *start, "-o", "half.h5", "--steps", half)
    out = run(2, "md", "--restart", "half.h5", "-o", "more.h5", "--steps", steps - half)
    assert out.count("lists were built") == 1 and ", 2 ranks; share=" in out  # by one rank
    assert same_bits(snapshot("whole.h5", steps), snapshot("more.h5", steps))
    if device == "cpu":
        return
    x, v, _ = liquid(count=8)  # fewer groups than ranks
    write_start("few.h5", x, v)
    words = ["--steps", 5, "--cutoff", 1, "--skin", 0.1, "--box", "2.2x2.2x2.2", "--device", device]
    ridge.good("md", "few.h5", "-o", "one.h5", *words)
    run(3, "md", "few.h5", "-o", "three.h5", *words)
    assert same_bits(snapshot("one.h5", 5), snapshot("three.h5", 5))


@pytest.mark.skipif(MPIRUN is None, reason="no mpirun here")
@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_ranks_exchange_halos_alone(ridge, folder, device):
    """A long box: each of three ranks gets the positions near its two ends, not all others. GPUs sum beside that."""
    random = np.random.default_rng(5)
    count = 1500
    x = 1.1 * np.stack([np.arange(count) % 5, np.arange(count) // 5 % 5, np.arange(count) // 25], 1)
    write_start("in.h5", x + random.uniform(-0.05, 0.05, x.shape), random.standard_normal(x.shape))
    words = ["md", "in.h5", "-o", "out.h5", "--box", "5.5x5.5x66", "--cutoff", 1.5, "--skin", 0.2, "--steps", 10,
             "--device", device, "--json"]
    done = subprocess.run([MPIRUN, "-n", "3", ridge.program, *map(str, words)], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)
    assert 100 < record["halo_bodies"] < 400  # 2 ends of 1.7 + a unit, of 66 with 1500 bodies
    own = "look" if device == "cpu" else "forces_and_exchange"
    assert all(record[f"seconds_{part}"] > 0 for part in ("forces", "exchange", own, "build", "move"))
    if device != "cpu":
        ridge.good(*words[:2], "-o", "one.h5", *words[4:-1])
        assert same_bits(snapshot("one.h5", 10), snapshot("out.h5", 10))


def test_an_interaction_of_the_users_own(ridge, folder):
    (soft,) = re.findall(r"```cpp\n(struct Soft .*?)```", PAGE.read_text(), re.DOTALL)  # and further sums for it
    (folder / "soft.hpp").write_text(soft + """
struct Weights { static constexpr int targets = 3, sources = 4, sums = 3;
  template <class V> RIDGE_FN void operator()(const V* t, const V* s, V* sum) const { sum[0] += s[3] * t[0]; }
};
""")
    random = np.random.default_rng(3)
    x, v = random.uniform(0, 4, (100, 3)), np.zeros((100, 3))
    write_start("in.h5", x, v)
    started = ridge("md", "in.h5", "-o", "run.h5", "--steps", 1, "--dt", 0.01, "--cutoff", 1, "--box", "4x4x4",
                    "--interaction", "soft.hpp:Soft", "--set", "strength=2", "--device", "cpu",
                    "--precision", "fp64")
    assert started.code == 0, started.err  # where compiling takes long it says so
    d = x[:, None, :] - x[None, :, :]
    d -= 4 * np.round(d / 4)
    inside = np.maximum(0, 1 - (d**2).sum(axis=2))
    np.fill_diagonal(inside, 0)
    force = 8 * (d * inside[:, :, None]).sum(axis=1)
    assert np.abs(snapshot("run.h5", 1)["position"] - (x + force * 0.01**2 / 2)).max() < 1e-12
    assert snapshot("run.h5", 0)["potential"] == pytest.approx((inside**2).sum(axis=1), abs=1e-12)
    for interaction, schedule, why in [("Weights", "auto", "is no force between positions"),
                                       ("Soft", "half", "lists of half of the pairs gain nothing")]:
        refused = ridge("md", "in.h5", "-o", "no.h5", "--density", 1, "--cutoff", 1, "--device", "cpu", "--precision",
                        "fp64", "--interaction", f"soft.hpp:{interaction}", "--schedule", schedule)
        assert refused.code == 2 and why in refused.err
    with h5py.File("run.h5", "r+") as h5:  # as if soft.hpp had given that then
        h5["snapshots/0000000001"].attrs["pressure"] *= 1.01
    refused = ridge("md", "--restart", "run.h5", "-o", "no.h5")
    assert refused.code == 2 and "soft.hpp:Soft gives" in refused.err and "it was changed since" in refused.err
    assert not (folder / "no.h5").exists()


def test_ctrl_c_keeps_the_last_step(ridge, folder):
    run = ridge.start("md", "--lattice", 4000, "--steps", 1000000, "-o", "run.h5", "--device", "cpu")
    while not (folder / "run.h5").exists():
        assert run.poll() is None
        time.sleep(0.05)
    let_it_work(run)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert said.startswith("ridge: interrupted at step ") and "go on with --restart" in said
    ridge.good("md", "--restart", "run.h5", "-o", "more.h5", "--steps", 1)


@pytest.mark.parametrize("options, said", [
    (["--cutoff", 0], "--cutoff 0: it must be positive"),
    (["--cutoff", -1], "must be positive"),
    (["--cutoff", 3, "--skin", 0.5], "more than half of the period 5.5 along x"),
    (["--cutoff", 3, "--skin", 0.5], "2.75 together is possible"),
    (["--box", "6x6x3.359194", "--cutoff", 1.7], "1.67959 together is possible"),  # 1.6796 is not
    (["--box", "6x6x0.3", "--cutoff", 1], "0.15 together is possible"),
    (["--dt", 0], "a step must be positive"),
    (["--dt", 1e-50, "--precision", "fp32"], "half of it is 0 in fp32"),  # GPUs waited for steps that move bodies
    (["--box", "1e30x1e30x1e30"], "the period 1e+30 along x is too long for the cutoff 2"),
    (["--box", "1e9x1e9x1e9", "--precision", "fp32"], "fp32 rounds positions there by"),
    (["--skin", -1], "--skin -1"),
    (["--interaction", "springs"], "unknown interaction 'springs'; there is lennard-jones"),
    (["--lattice", 5], "several starts"),
    (["--density", 0], "give one of them"),
    (["--seed", 3], "go with --lattice"),
    (["--schedule", "tile=3"], "unknown schedule field"),
    (["--schedule", "share=2"], "share=2: sums of this precision are over packs of "),
    (["--schedule", "half=1"], "lists of half of the pairs gain nothing"),
])
def test_bad_options(ridge, folder, options, said):
    x, v, _ = liquid()
    write_start("in.h5", x, v)
    words = {"--cutoff": 2, "--device": "cpu", "--box": "5.5x5.5x5.5"}
    words.update(zip(options[::2], options[1::2]))
    ridge.bad("md", "in.h5", "-o", "run.h5", *(word for pair in words.items() for word in pair), says=said)
    assert left_in(folder) == ["in.h5"]


def test_wrong_files(ridge, folder):
    x, v, _ = liquid()
    write_start("in.h5", x, v)
    (folder / "text.h5").write_text("no bodies")
    with h5py.File("still.h5", "w") as h5:
        h5["position"], h5["mass"] = x, np.ones(len(x))
    md = ["--cutoff", 2, "--box", "5.5x5.5x5.5", "--device", "cpu", "--steps", 1]
    ridge.good("md", "in.h5", "-o", "run.h5", *md)
    others = built({"stars.h5": ["nbody", "in.h5", "--dt", 1e-3, "--softening", 0.1, "--steps", 1, "--device", "cpu"]})
    for name, words in others.items():
        ridge.good(*words, "-o", name)
    before = left_in(folder)
    for words, said in [(["none.h5"], "none.h5"), (["text.h5"], "text.h5"), (["still.h5"], "has no /velocity"),
                        (["in.h5:/run"], "in.h5 has the datasets /mass"),
                        (["run.h5"], "go on with ridge md --restart run.h5"),
                        *(([name], f"go on with ridge nbody --restart {name}") for name in others)]:
        ridge.bad("md", *words, "-o", "new.h5", *md, says=said)
    for file in ["in.h5", *others]:
        ridge.bad("md", "--restart", file, "-o", "new.h5", says=f"{file} is not the file of a run")
    ridge.bad("md", "in.h5", "-o", "run.h5", *md, says="--overwrite")
    ridge.bad("md", "in.h5", "-o", "in.h5", "--overwrite", *md, says="in.h5")
    ridge.bad("md", "--restart", "run.h5", "-o", "run.h5", "--overwrite", says="run.h5")
    ridge.bad("md", "--restart", "run.h5:/snapshots/0000000000", "-o", "new.h5",
              says="goes on from its last snapshot, by --restart run.h5")
    ridge.bad("md", "--restart", "run.h5", "-o", "new.h5", "--dt", 0.1, says="--dt cannot be given with --restart")
    with h5py.File("run.h5", "r+") as h5:
        for step in h5["snapshots"]:
            del h5["snapshots"][step].attrs["checksum"]
    ridge.bad("md", "--restart", "run.h5", "-o", "new.h5", says="no complete snapshot")
    assert left_in(folder) == before


def test_bodies_that_fly_apart(ridge, folder):
    """The first of them is named, and what was written before stays."""
    start = ["md", "--lattice", 256, "-o", "run.h5", "--cutoff", 2, "--device", "cpu", "--every", 1, "--overwrite"]
    for dt, said in [(0.3, "hundreds of periods of 6.71838 away"), (1e300, "of body 0 is infinite")]:
        ridge.bad(*start, "--dt", dt, code=1,
                  says=["between steps", said, "give a smaller --dt", "run.h5 keeps the snapshots up to step "])
        with h5py.File("run.h5") as h5:
            last = max(map(int, h5["snapshots"]))
        assert np.isfinite(snapshot("run.h5", last)["position"]).all()
        # Those of the run before are gone.
        assert left_in(folder) == run_files("run", *range(last + 1))


@pytest.mark.parametrize("device, ranks, precision", [("cpu", 2, "fp32"), ("simt:32", 1, "fp64")])
def test_bodies_that_drift_for_long(ridge, folder, device, ranks, precision):
    """They are brought back at each build: positions over all periods come out, with the digits of those in the box. The
    second crosses more than half of the box in a step. One that was stopped before goes on with the same bits."""
    if ranks > 1 and MPIRUN is None:
        pytest.skip("no mpirun here")
    x, v = np.array([[1.0, 1, 1], [2.0, 3, 3]]), np.array([[500.0, 0, 0], [0, 0, -704]])
    write_start("in.h5", x, v)

    def run(*words):
        words = [ridge.program, "md", *map(str, words), "--device", device]
        mpirun = [MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        done = subprocess.run(mpirun + words, capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
        assert done.returncode == 0, done.stderr

    options = ["--box", "5.5x5.5x5.5", "--cutoff", 1, "--dt", 0.00390625, "--precision", precision]
    run("in.h5", "-o", "run.h5", *options, "--steps", 1000, "--every", 1000)
    exact = x + 3.90625 * v
    assert np.abs(exact / 5.5).max() > 400
    assert np.abs(snapshot("run.h5", 1000)["position"] - exact).max() < (1e-10 if precision == "fp64" else 5e-5)
    with h5py.File("run.h5") as h5:
        in_box = h5["snapshots/0000001000/position_in_box"][:]
    assert in_box.min() > -0.1 and in_box.max() < 5.6
    run("in.h5", "-o", "half.h5", *options, "--steps", 881)
    run("--restart", "half.h5", "-o", "more.h5", "--steps", 119)
    assert same_bits(snapshot("run.h5", 1000), snapshot("more.h5", 1000))
    run("run.h5:/snapshots/0000001000", "-o", "anew.h5", *options, "--steps", 1)
    assert np.abs(snapshot("anew.h5", 0)["position"] - exact).max() < (1e-10 if precision == "fp64" else 5e-5)


def test_a_liquid_anywhere(ridge, folder):
    """Periods away, and as it moves through them as a whole, energies in fp32 are those of the liquid at rest."""
    x, v, box = liquid()
    x %= box
    moves = 40 * np.array([1.0, -0.5, 0.25])
    options = ["--box", "5.5x5.5x5.5", "--cutoff", 2, "--skin", 0.3, "--dt", 0.004, "--precision", "fp32", "--device",
               "cpu", "--steps", 100, "--every", 100]  # by 200 rounding parts paths, by 1.8e-4 in rms
    energy = {}
    for name, shift, boost in [("rest", 0, 0), ("away", 1800 * box, 0), ("moves", -350 * box, moves)]:
        write_start("in.h5", x + shift, v - v.mean(axis=0) + boost)
        ridge.good("md", "in.h5", "-o", f"{name}.h5", *options)
        bulk = 0.5 * len(x) * np.sum(np.square(boost))
        energy[name] = [(attributes(f"{name}.h5", step)["energy"] - bulk) / len(x) for step in (0, 100)]
        assert snapshot(f"{name}.h5", 0)["position"] == pytest.approx(x + shift, abs=1e-6 + 1e-9 * np.max(np.abs(shift)))
    for name in ("away", "moves"):
        assert energy[name][0] == pytest.approx(energy["rest"][0], abs=3e-4)
        assert energy[name][1] - energy[name][0] == pytest.approx(energy["rest"][1] - energy["rest"][0], abs=3e-4)


def test_lists_that_take_more_than_there_is(ridge, folder):
    """All bodies within the cutoff of each other: their lists would take gigabytes."""
    count = 1 << 17
    x = np.random.default_rng(4).uniform(0, 1, (count, 3))
    write_start("in.h5", x, np.zeros_like(x))
    ridge.bad("md", "in.h5", "-o", "run.h5", "--box", "8x8x8", "--cutoff", 2.5, "--device", "cpu", code=1,
              says=["lists of near pairs need at least", "are free"],
              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31)))
    assert left_in(folder) == ["in.h5"]


def test_a_snapshot_brings_its_box(ridge, folder):
    start = ["--cutoff", 2, "--precision", "fp64", "--device", "cpu"]
    ridge.good("md", "--lattice", 256, "-o", "melt.h5", "--steps", 20, "--every", 20, *start)
    box, energy = ((256 / 0.8442) ** (1 / 3),) * 3, attributes("melt.h5", 20)["potential_energy"]

    def begun(name, *words):
        result = ridge("md", name, "-o", "warm.h5", "--steps", 0, "--overwrite", *words, *start)
        assert result.code == 0, result.err
        assert left_in(folder) == sorted([*melt, *run_files("warm", 0)])
        with h5py.File("warm.h5") as h5:
            found = [h5.attrs[f"box_{axis}"] for axis in "xyz"]
        return found, attributes("warm.h5", 0)["potential_energy"], result.err

    melt = run_files("melt", 0, 20)
    for name in ["melt.h5:/snapshots/0000000020", "melt.0000000020.h5"]:
        found, now, err = begun(name)
        assert found == pytest.approx(box, rel=1e-15) and now == pytest.approx(energy, rel=1e-12) and err == ""
    found, now, err = begun(name, "--box", "6.7x6.7x6.7") # rounded
    assert found == [6.7] * 3 and abs(now - energy) > 1 and f"the box of {name} was 6.718" in err
    as_one_file("melt.h5")
    melt = ["melt.h5", "melt.xdmf"]
    found, now, err = begun("melt.h5:/snapshots/0000000020")
    assert found == pytest.approx(box, rel=1e-15) and now == pytest.approx(energy, rel=1e-12) and err == ""
    ridge.good("md", "--restart", "melt.h5", "-o", "more.h5", "--steps", 1)


def test_the_energy_of_a_start(ridge, folder):
    """LAMMPS' of its melt."""
    run = ridge.good("md", "--lattice", 500, "--steps", 0, "--precision", "fp64", "--device", "cpu",
                     "--json").records()[0]["md"]
    assert run["steps"] == 0 and [line["step"] for line in run["snapshots"]] == [0]
    assert run["snapshots"][0]["potential_energy"] / 500 == pytest.approx(-6.7733681, abs=1e-6)


def test_bad_bodies(ridge, folder):
    x, v, _ = liquid()
    start = ["md", "in.h5", "-o", "run.h5", "--density", 0.75, "--cutoff", 2, "--device", "cpu"]
    x[17, 2] = np.nan
    write_start("in.h5", x, v)
    ridge.bad(*start, says="z of body 17 is NaN")
    x[17] = x[3]
    write_start("in.h5", x, v)
    ridge.bad(*start, says=["at step 0 the energy is no longer finite", "of body 3 is"], code=1)
    write_start("in.h5", x, v, mass=0.0)
    ridge.bad(*start, says="m of body 0 is 0")
    write_start("in.h5", x, v, mass=np.where(np.arange(len(x)) == 7, 2.0, 1.0))
    ridge.bad(*start, says="m of body 7 is 2 and m of body 0 is 1; all bodies must have the same mass")
    x[17] = x[16] + 1
    x[30, 1] = 1e13
    write_start("in.h5", x, v)
    ridge.bad(*start, says="y of body 30 is 1e+13, more than 1e+09 periods of 5.5")
    x[30, 1] = -np.inf
    write_start("in.h5", x, v)
    ridge.bad(*start, says="y of body 30 is infinite")
    x[30, 1] = 1e39
    write_start("in.h5", x, v)
    ridge.bad(*start, "--precision", "fp32", says="y of body 30 is 1e+39, which fp32 cannot hold")
    write_start("in.h5", x, v[:100])  # other memory was read
    ridge.bad(*start, says="vx has 100 values and m has 125; each body has one")
    write_start("in.h5", x[:124], v)
    ridge.bad(*start, says="vx has 125 values and m has 124")
    ridge.bad("md", "--lattice", 50, says="4 c^3 bodies, such as 32 or 108")
    ridge.bad("md", says="nothing to start from")
    ridge.bad("md", "in.h5", "-o", "run.h5", "--box", "5x5", says="expected three periods")
