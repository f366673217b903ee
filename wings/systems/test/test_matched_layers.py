"""Layers of `--absorb-as cpml`, and gradients beside them, against an acoustic scheme of NumPy's own in which each
derivative has its convolution (Komatitsch and Martin, Geophysics 72, 2007), differentiated by complex steps."""

import re

import h5py
import numpy as np
import pytest

from conftest import ROOT
from system_runs import places, write
from test_layers import comes_back
from test_systems_gradient import FREE, SYSTEMS, WALLS, Acoustic, Case
from test_systems_ranks import everything, same, start

pytestmark = pytest.mark.usefixtures("folder")


class Matched(Acoustic):
    """A derivative along d becomes itself plus psi, where psi <- b psi + a times it."""

    def __init__(self, shape, spacing, dt, walls, layers, width, speed, frequency):
        super().__init__(shape, spacing, dt, walls)
        self.decay = {(d, half): self._decay(d, (1 - half) / 2, layers[d], width, speed, frequency)
                      for d in range(self.dims) for half in (0, 1)}

    def _decay(self, d, aside, sides, width, speed, frequency):
        n = self.shape[self.axes[d]]
        at = np.arange(n) + aside
        depth = np.zeros(n)
        for side in sides:
            depth = np.maximum(depth, np.minimum(1, (width - (at if side == 0 else n - 1 - at)) / width))
        sigma = depth**2 * 3 * speed * np.log(1e5) / (2 * width * self.h[d])
        alpha = np.pi * frequency * (1 - depth)
        b = np.exp(-(sigma + alpha) * self.dt)
        a = np.where(sigma > 0, sigma / np.where(sigma > 0, sigma + alpha, 1) * (b - 1), 0)
        return [v.reshape([-1 if e == self.axes[d] else 1 for e in range(self.dims)]) for v in (b, a)]

    def difference(self, u, d, half, low, high):
        made = super().difference(u, d, half, low, high)
        b, a = self.decay[d, half]
        self.psi[d, half] = b * self.psi.get((d, half), 0) + a * made
        return made + self.psi[d, half]

    def traces(self, *arguments):
        self.psi = {}
        return super().traces(*arguments)


class Layered(Case):
    """Two interfaces, 8 to 12 points a wave, layers of 10 points."""

    def __init__(self, shape, walls, layers, steps, kind=np.float64, frequency=25):
        super().__init__(shape, walls, layers, steps, kind=kind)
        depth = np.linspace(0, 1, shape[0]).reshape([-1] + [1] * (len(shape) - 1))
        bend = 0.07 * np.sin(np.linspace(0, 4, shape[-1]))
        self.c = np.where(depth < 0.4 + bend, 2000.0, np.where(depth < 0.7 - bend, 2400.0, 3000.0))
        self.c = np.broadcast_to(self.c, shape).copy()
        self.rho = 310 * self.c**0.25  # Gardner's rule
        with h5py.File("in.h5", "a") as h5:
            h5["c"][...], h5["rho"][...] = self.c, self.rho
        if kind == np.float32:
            self.c, self.rho = (v.astype(kind).astype(float) for v in (self.c, self.rho))
        self.scheme = Matched(shape, self.h, self.dt, walls, layers, 10, self.c.max(), frequency)
        self.options[self.options.index("--absorb-width") + 1] = "10"
        self.options += ["--absorb-as", f"cpml:{frequency}"]


BOTH = (0, 1)
CASES = {
    "section": ((40, 47), [WALLS, FREE], [BOTH, (1,)], 300),
    "round": ((33, 21), ["periodic", WALLS], [(), BOTH], 200),
    "line": ((101,), [FREE], [(1,)], 300),
    "solid": ((13, 12, 23), [WALLS, FREE, FREE], [BOTH, (1,), (1,)], 70),
}


@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_that_of_numpy(ridge, case):
    run = Layered(*CASES[case])
    names = ["c", "rho", "p", "vx"]
    record, found = run.run(ridge, *names)
    assert record["loss"] == pytest.approx(run.loss(run.c, run.rho, run.states), rel=1e-11)
    random = np.random.default_rng(5)
    for name in names:
        largest = np.abs(found[name]).max()
        assert largest > 0
        points = [np.unravel_index(np.abs(found[name]).argmax(), run.shape), (2,) * len(run.shape)]
        for point in points if name in ("c", "rho") else []:
            unit = np.zeros(run.shape)
            unit[point] = 1
            assert found[name][point] == pytest.approx(run.derivative(name, unit), rel=1e-8, abs=1e-10 * largest), (
                name, point)
        all_ = random.standard_normal(run.shape)
        assert (found[name] * all_).sum() == pytest.approx(run.derivative(name, all_), rel=1e-9)


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
def test_emulated_gpus_give_the_gradient_of_the_cpu(ridge, device):
    run = Layered((23, 25), [WALLS, FREE], [BOTH, (1,)], 30)
    right = run.run(ridge, "c", "rho", "p")[1]
    for name, values in run.run(ridge, "c", "rho", "p", device=device)[1].items():
        np.testing.assert_allclose(values, right[name], rtol=0, atol=1e-12 * np.abs(right[name]).max())


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_check_proves_the_adjoint(ridge, kind):
    run = Layered((31, 29), [WALLS, FREE], [BOTH, (1,)], 250, kind=kind)
    record, found = run.run(ridge, "c", "rho", "--check")
    assert record["adjoint"]["dot_error"] < 1e-12
    assert record["adjoint"]["slope"] == pytest.approx(2, abs=0.1)  # interfaces bend the loss
    if kind == np.float64:
        return
    assert found["c"].dtype == np.float32
    all_ = np.random.default_rng(5).random(run.shape)
    assert (found["c"] * all_).sum() == pytest.approx(run.derivative("c", all_), rel=1e-3)


def test_memory_counts_what_layers_remember_and_changes_no_bit(ridge):
    run = Layered((25, 24), [WALLS, WALLS], [BOTH, BOTH], 60)
    record, right = run.run(ridge, "c")
    assert record["states_kept"] == 60
    refused = ridge.bad("evolve", "acoustic", "in.h5", *run.options, "--gradient", "h.h5:/c", "--memory", "1kB",
                        says="is the least that does")
    arrays, state = (float(v) * {"kB": 1e3, "MB": 1e6}[u]
                     for v, u in re.findall(r"([\d.]+) (kB|MB)", refused.err.split("1kB:")[1])[1:])
    # Layers remember p and a velocity before each face, 11 points deep.
    friction = [w for w in run.options if w not in ("--absorb-as", "cpml:25")]
    without = ridge.bad("evolve", "acoustic", "in.h5", *friction, "--gradient", "h.h5:/c", "--memory", "1kB",
                        says="is the least that does")
    less = [float(v) * {"kB": 1e3, "MB": 1e6}[u]
            for v, u in re.findall(r"([\d.]+) (kB|MB)", without.err.split("1kB:")[1])[2:]][0]
    assert state - less == pytest.approx(2 * 2 * 11 * (25 + 24) * 8, abs=1000)
    record, found = run.run(ridge, "c", "--memory", f"{(arrays * 1.005 + 4.3 * state) / 1e3:.1f}kB")
    assert 2 < record["states_kept"] < 6 and record["steps_again"] > 60
    np.testing.assert_array_equal(found["c"], right["c"])


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("shape, walls, absorb, steps, device", [
    ((31, 37), "y-=antimirror", "x,y+", 200, "cpu"), ((15, 16, 17), "x=periodic,z=antimirror", "y,z+", 60, "cpu"),
    ((9, 15, 10), "x=periodic", "y", 8, "simt:32"), ((23, 21), "y-=antimirror", "all", 20, "simt:64")])
def test_other_systems_prove_theirs(ridge, system, shape, walls, absorb, steps, device):
    random = np.random.default_rng(4)
    depth = np.arange(shape[0]).reshape([-1] + [1] * (len(shape) - 1)) / shape[0]
    media = {name: np.where(depth < 0.5, 1.0, 1.4) + 0.1 * random.random(shape) for name in SYSTEMS[system]}
    write(**media)
    states = {"elastic": ["vx", "szz", "sxy"], "maxwell": ["ez", "hx", "hy"]}[system]
    columns = "xyz"[:len(shape)]
    ends = [n - 1 for n in reversed(shape)]
    places("shots.csv", *[(*[0.45 * e for e in ends], name, 1) for name in states],
           columns=",".join([*columns, "array", "amplitude"]))
    places("line.csv", *[(*[part * e for e in ends], name) for name in states for part in (0.61, 0.9)],
           columns=",".join([*columns, "array"]))
    write("seen.h5", traces=0.1 * random.standard_normal((6, steps)))
    record, = ridge("evolve", system, "in.h5", "--boundary", walls, "--source", "shots.csv", "--wavelet",
                    "ricker:0.1", "--receivers", "line.csv", "--observed", "seen.h5", "--absorb", absorb,
                    "--absorb-width", "6", "--absorb-as", "cpml:0.1", "--json", "--device", device, "--check",
                    *[w for n in [*media, states[0]] for w in ("--gradient", f"g.h5:/{n}")]).records()
    assert record["adjoint"]["dot_error"] < 1e-12
    assert record["adjoint"]["slope"] == pytest.approx(2, abs=0.05)
    with h5py.File("g.h5") as h5:
        assert all(np.abs(h5[n][...]).max() > 0 for n in media) and h5.attrs["loss"] == record["loss"]


def test_what_cannot_be_is_refused_in_one_line(ridge):
    run = Layered((25, 24), [WALLS, WALLS], [BOTH, BOTH], 20)
    words = ["evolve", "acoustic", "in.h5", *run.options[:-2]]
    words = [w for w in words if w not in ("--observed", "seen.h5")]
    for text in ("pml", "cpml:", "cpml:-1", "cpmls"):
        ridge.bad(*words, "-o", "out.h5", "--absorb-as", text, says="friction, cpml, or cpml:FREQUENCY")
    ridge.bad("evolve", "acoustic", "in.h5", "-o", "out.h5", "--absorb-as", "cpml", says="goes with --absorb")
    ridge.bad("evolve", "heat", "in.h5:/p", "-o", "out.h5", "--absorb-as", "cpml", says="are for systems")
    write(**{n: v.astype(np.float32) for n, v in (("p", run.states[0]), ("c", run.c))})
    ridge.bad(*words, "-o", "out.h5", "--absorb-as", "cpml", "--store-as", "fp16", says="leave out --store-as")
    ridge.good(*words, "-o", "out.h5", "--absorb-as", "cpml", "--steps", "4")
    ridge.bad("evolve", "--restart", "out.h5", "--steps", "8", says="cannot go on")


@pytest.mark.parametrize("system, device, shape, ranks, grid", [
    ("acoustic", "cpu", (31, 29, 23), 4, "2x1x2"), ("elastic", "simt:32", (29, 13, 15), 2, "2x1x1")])
def test_ranks_have_the_bits_of_one(ridge, mpi, system, device, shape, ranks, grid):
    start(system, shape)
    words = ("evolve", system, "in.h5", "--steps", 7, "--every", 3, "--device", device, "--absorb", "x,z+",
             "--absorb-width", "5", "--absorb-as", "cpml:0.1", "--boundary", "y-=antimirror")
    ridge.good(*words, "-o", "one.h5")
    over = mpi(ranks, *words, "-o", "several.h5", "--ranks", grid)
    assert over.code == 0, over.err
    same(everything("one"), everything("several"))


def table():
    """(system, width, degrees, points a wave): the part that comes back by docs/systems.md."""
    text = (ROOT / "docs" / "systems.md").read_text()
    lengths = [int(n) for n in re.search(r"^\| points a wave \|(.*)\|$", text, re.M)[1].split("|")]
    rows = re.findall(r"^\| `(\S+)`, CPML of (\d+) points(?:, (\d+)°)? \|(.*)\|$", text, re.M)
    assert len(rows) == 2
    return {(system, int(width), int(degrees or 0), length): float(part) for system, width, degrees, parts in rows
            for length, part in zip(lengths, parts.split("|")) if part.strip()}


class WithMatched:
    """Runs whose layers are matched."""

    def __init__(self, ridge):
        self.ridge = ridge

    def good(self, *words, **more):
        return self.ridge.good(*words, "--absorb-as", "cpml", **more)


def test_layers_send_back_what_is_said(ridge, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    found = {case: comes_back(WithMatched(ridge), *case) for case in table()}
    assert found == pytest.approx(table(), rel=0.1)
