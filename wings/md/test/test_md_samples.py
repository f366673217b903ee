"""`ridge md`: thermostats, tails, the radial distribution and diffusion, against NumPy; restarts and ranks."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import left_in, require_published_answers
from over_ranks import ENVIRONMENT, MPIRUN

SEED = 9007199254740993  # more than a double holds
SAMPLED = ["--rdf", 30, "--diffusion", "--window", 20, "--sample", 5]


def group_of(name, step):
    with h5py.File(name) as h5:
        group = h5[f"snapshots/{step:010}"]
        return {d: group[d][:] for d in group}, dict(group.attrs)


def require_same(a, b):
    """All values, bit by bit, and what the next step depends on."""
    (values, attributes), (others, their) = a, b
    assert values.keys() == others.keys() and "radial_counts" in values and "velocity_autocorrelation" in values
    for name in values:
        assert values[name].tobytes() == others[name].tobytes(), name
    for name in attributes:
        if name not in ("run", "schedule"):
            assert np.array_equal(attributes[name], their[name]), name


def mix(z):
    """The finaliser of splitmix64, of arrays or numbers."""
    with np.errstate(over="ignore"):
        z = np.asarray(z, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def normals(seed, step, bodies):
    """Three of each body: a function of seed, step and body alone."""
    draws = mix(mix(seed) ^ mix(step))
    number = np.arange(4 * bodies, dtype=np.uint64)
    uniform = ((mix(draws ^ mix(number)) >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    length, angle = np.sqrt(-2 * np.log(uniform[::2])), 2 * np.pi * uniform[1::2]
    return np.stack([length * np.cos(angle), length * np.sin(angle)], 1).reshape(bodies, 4)[:, :3]


@pytest.mark.parametrize("device", ["cpu", "simt:32"])
def test_langevin_is_its_formula(ridge, folder, device):
    """Bodies that do not meet, some steps, against NumPy: v = c v + sqrt((1 - c^2) T / m) R, then a drift."""
    random = np.random.default_rng(2)
    x, v, mass = np.arange(21).reshape(7, 3) * 1.0, random.standard_normal((7, 3)), 2.5
    with h5py.File("in.h5", "w") as h5:
        h5["position"], h5["velocity"], h5["mass"] = x, v, np.full(7, mass)
    ridge.good(
        "md",
        "in.h5",
        "-o",
        "run.h5",
        "--box",
        "30x30x30",
        "--cutoff",
        0.5,
        "--thermostat",
        "langevin",
        "--temperature",
        0.8,
        "--relaxation",
        0.3,
        "--seed",
        SEED,
        "--dt",
        0.02,
        "--steps",
        4,
        "--precision",
        "fp64",
        "--device",
        device,
    )
    kept = np.exp(-0.02 / 0.3)
    for step in range(4):
        v = kept * v + np.sqrt((1 - kept**2) * 0.8 / mass) * normals(SEED, step, 7)
        x = x + v * 0.02
    values, _ = group_of("run.h5", 4)
    assert np.abs(values["velocity"] - v).max() < 1e-13 and np.abs(values["position"] - x).max() < 1e-12


@pytest.mark.parametrize(
    "device, precision, thermostat",
    [
        ("cpu", "fp32", "langevin"),
        ("cpu", "mixed", "rescale"),
        ("simt:32", "mixed", "langevin"),
        ("simt:32", "fp64", "rescale"),
    ],
)
def test_restart_gives_the_same_bits(ridge, folder, device, precision, thermostat):
    """Wherever a run is stopped, at a sample or between two, and however often it is looked at."""
    whole, half = (60, 37) if device == "cpu" else (23, 12)
    start = [
        "md",
        "--lattice",
        256,
        "--cutoff",
        1.6,
        "--dt",
        0.01,
        "--temperature",
        1.5,
        "--thermostat",
        thermostat,
        "--relaxation",
        0.1,
        "--device",
        device,
        "--precision",
        precision,
        *SAMPLED,
    ]
    ridge.good(*start, "-o", "whole.h5", "--steps", whole, "--every", whole)
    ridge.good(*start, "-o", "half.h5", "--steps", half, "--every", 1)
    record = ridge.good("md", "--restart", "half.h5", "-o", "more.h5", "--steps", whole - half, "--json").records()[
        0
    ]["md"]
    require_same(group_of("whole.h5", whole), group_of("more.h5", whole))
    assert record["thermostat"]["kind"] == thermostat and record["diffusion"]["origins"][0] == whole // 20 + 1
    with h5py.File("half.h5", "r+") as h5:
        h5[f"snapshots/{half:010}/radial_counts"][7] += 1
    ridge.bad("md", "--restart", "half.h5", "-o", "no.h5", says="its checksum differs")
    ridge.bad("md", "--restart", "whole.h5", "-o", "no.h5", "--relaxation", 1, says="--relaxation cannot be given")


@pytest.mark.skipif(MPIRUN is None, reason="no mpirun here")
@pytest.mark.parametrize("device, thermostat", [("cpu", "langevin"), ("simt:64", "rescale")])
def test_ranks_have_the_bits_of_one(ridge, folder, device, thermostat):
    def run(ranks, *words):
        done = subprocess.run(
            [MPIRUN, "-n", str(ranks), ridge.program, *map(str, words)],
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    whole, half = (30, 20) if device == "cpu" else (7, 4)
    start = [
        "md",
        "--lattice",
        500,
        "--device",
        device,
        "--cutoff",
        2,
        "--dt",
        0.01,
        "--thermostat",
        thermostat,
        "--relaxation",
        0.05,
        *SAMPLED[:-3],
        6,
        "--sample",
        2,
    ]
    ridge.good(*start, "-o", "whole.h5", "--steps", whole)
    run(3, *start, "-o", "half.h5", "--steps", half)
    run(2, "md", "--restart", "half.h5", "-o", "more.h5", "--steps", whole - half)
    require_same(group_of("whole.h5", whole), group_of("more.h5", whole))


@pytest.mark.parametrize("device, precision", [("cpu", "fp32"), ("cpu", "mixed"), ("simt:64", "fp64")])
def test_samples_are_those_of_the_snapshots(ridge, folder, device, precision):
    """Every sample has its snapshot: pairs, displacements and velocities are summed again by NumPy."""
    steps, every, cutoff, shells, window = (40, 10, 2.5, 37, 20) if device == "cpu" else (8, 2, 2.5, 9, 6)
    ridge.good(
        "md",
        "--lattice",
        256,
        "-o",
        "run.h5",
        "--steps",
        steps,
        "--every",
        every,
        "--sample",
        every,
        "--cutoff",
        cutoff,
        "--skin",
        0.3,
        "--rdf",
        shells,
        "--diffusion",
        "--window",
        window,
        "--device",
        device,
        "--precision",
        precision,        *["--thermostat", "langevin", "--relaxation", 0.1],
    )
    box = (256 / 0.8442) ** (1 / 3)
    counts, edges = np.zeros(shells), np.linspace(0, cutoff, shells + 1)
    displacement, correlation = ([[] for _ in range(window // every + 1)] for _ in range(2))
    origin, first = 0, None
    for step in range(0, steps + 1, every):
        values, _ = group_of("run.h5", step)
        x, v = values["position"], values["velocity"].astype(float)
        first = first or (x, v)
        d = x[:, None] - x[None]
        d -= box * np.round(d / box)
        r = np.sqrt((d**2).sum(2))[~np.eye(256, dtype=bool)]
        counts += np.histogram(r, edges)[0]
        for begins in (False, True) if step - origin == window else (False,):
            if begins:
                origin, first = step, (x, v)
            d, u = x - first[0], v - v.mean(axis=0)  # the centre of mass moves
            displacement[(step - origin) // every].append(((d - d.mean(axis=0)) ** 2).sum(1).mean())
            correlation[(step - origin) // every].append((u * first[1]).sum(1).mean())
    values, attributes = group_of("run.h5", steps)
    rounded = 0 if precision == "fp64" else 8  # pairs at an edge of a shell
    assert np.abs(values["radial_counts"] - counts).max() <= rounded and counts.sum() > 10000
    samples = steps // every + 1
    assert attributes["radial_samples"] == samples
    shell = 4 / 3 * np.pi * np.diff(edges**3)
    assert values["radial_distribution"] == pytest.approx(
        values["radial_counts"] / samples / 256 / (0.8442 * shell), rel=1e-12
    )
    assert values["radial_distance"] == pytest.approx((edges[1:] + edges[:-1]) / 2, rel=1e-12)
    assert values["sample_time"] == pytest.approx(0.005 * np.arange(0, window + 1, every), abs=1e-14)
    assert values["mean_squared_displacement"] == pytest.approx(
        [np.mean(d) for d in displacement], abs=1e-9, rel=1e-7
    )
    assert values["velocity_autocorrelation"] == pytest.approx([np.mean(c) for c in correlation], abs=1e-9, rel=1e-7)


def test_coefficients_of_diffusion(ridge, folder):
    """Bodies that fly freely: (x - x0)^2 = v^2 t^2, and v . v0 stays."""
    out = ridge.good(
        "md",
        "--lattice",
        32,
        "--density",
        1e-6,
        "--cutoff",
        0.1,
        "--temperature",
        2,
        "--steps",
        100,
        "--dt",
        0.01,
        "--diffusion",
        "--sample",
        10,
        "--device",
        "cpu",
        "--precision",
        "fp64",
        "--json",
    )
    found = out.records()[0]["md"]["diffusion"]
    square = 2 * (3 * 32 - 3) / 32  # 2 K / N
    times = 0.1 * np.arange(11)
    assert found["mean_squared_displacement"] == pytest.approx(square * times**2, rel=1e-9, abs=1e-10)
    assert found["by_displacement"] == pytest.approx(
        np.polyfit(times[5:], square * times[5:] ** 2, 1)[0] / 6, rel=1e-9
    )
    assert found["by_velocity"] == pytest.approx(square * 1 / 3, rel=1e-9)


def test_tails_are_the_integrals(ridge, folder):
    """2 pi rho N int u r^2 dr and - 2/3 pi rho^2 int u' r^3 dr beyond the cutoff, by SciPy."""
    integrate = pytest.importorskip("scipy.integrate")
    start = [
        "md",
        "--lattice",
        256,
        "--cutoff",
        2.2,
        "--skin",
        0.2,
        "--density",
        0.7,
        "--steps",
        0,
        "--precision",
        "fp64",
        "--device",
        "cpu",
        "--json",
    ]
    plain, tailed = (ridge.good(*start, *words).records()[0]["md"] for words in ([], ["--tail"]))
    energy = integrate.quad(lambda r: 4 * (r**-12 - r**-6) * r**2, 2.2, np.inf)[0]
    pressure = integrate.quad(lambda r: -4 * (-12 * r**-13 + 6 * r**-7) * r**3, 2.2, np.inf)[0]
    difference = {k: tailed["snapshots"][0][k] - plain["snapshots"][0][k] for k in ("potential_energy", "pressure")}
    assert difference["potential_energy"] == pytest.approx(2 * np.pi * 0.7 * 256 * energy, rel=1e-10)
    assert difference["pressure"] == pytest.approx(2 / 3 * np.pi * 0.7**2 * pressure, rel=1e-10)
    assert tailed["tail"] and not plain["tail"]


def test_rescaling_tells_its_heat(ridge, folder):
    """From 0.5 to 2: the energy less what was brought is kept."""
    out = ridge.good(
        "md",
        "--lattice",
        500,
        "--thermostat",
        "rescale",
        "--temperature",
        2,
        "--relaxation",
        0.05,
        "--steps",
        400,
        "--cutoff",
        3.5,
        "--dt",
        0.002,
        "--precision",
        "fp64",
        "--device",
        "cpu",
        "--json",
    )
    md = out.records()[0]["md"]
    assert md["thermostat"]["heat"] > 100 and abs(md["snapshots"][-1]["drift_per_body"]) < 0.02
    assert md["snapshots"][-1]["temperature"] == pytest.approx(2, abs=0.25)


@pytest.mark.parametrize(
    "words, said",
    [
        (["--thermostat", "nose"], "unknown thermostat 'nose'; there are langevin, rescale and none"),
        (["--thermostat", "langevin", "--temperature", 0], "the thermostat's must be positive"),
        (["--thermostat", "rescale", "--relaxation", -1], "--relaxation -1: it must be positive"),
        (["--relaxation", 1], "--relaxation goes with --thermostat"),
        (["--sample", 5], "--sample goes with --rdf or --diffusion"),
        (["--diffusion", "--sample", 0], "--sample 0: at least 1 is needed"),
        (["--window", 10], "--window goes with --diffusion"),
        (["--diffusion", "--window", 15], "--window 15: it must be a multiple of --sample 10"),
        (["--rdf", 0], "--rdf 0: 1 to 100000 shells are possible"),
        (["--rdf", 1000000], "1 to 100000 shells are possible"),
        (["--tail", "--interaction", "soft.hpp:Soft"], "--tail is of lennard-jones"),
    ],
)
def test_bad_options(ridge, folder, words, said):
    ridge.bad("md", "--lattice", 256, "-o", "run.h5", "--device", "cpu", *words, says=said)
    assert left_in(folder) == []


def test_a_thermostat_of_bodies_wants_a_temperature(ridge, folder):
    (folder / "in.csv").write_text("x,y,z,vx,vy,vz,m\n1,1,1,0,0,0,1\n")
    start = ["md", "in.csv", "-o", "run.h5", "--box", "6x6x6", "--device", "cpu", "--steps", 2]
    ridge.bad(*start, "--thermostat", "langevin", says="--temperature is needed: what --thermostat langevin holds")
    ridge.bad(
        *start, "--thermostat", "rescale", "--temperature", 1, says="one body at rest as a whole has no temperature"
    )
    ridge.bad(*start, "--temperature", 1, says="go with --lattice or --thermostat")
    ridge.good(*start, "--thermostat", "langevin", "--temperature", 1)


@pytest.mark.in_turn
@pytest.mark.parametrize("script", ["lennard_jones", "diffusion", "thermostats"])
def test_published_answers(ridge, folder, script):
    require_published_answers(ridge, script)
