"""`ridge evolve --gradient`: derivatives of a loss of traces, against an acoustic scheme of NumPy's own, whose
derivatives are those of complex steps: exact but for rounding."""

import functools
import os
import re

import h5py
import numpy as np
import pytest

from system_runs import places, write

pytestmark = pytest.mark.usefixtures("folder")
WEIGHTS = [1225 / 1024, -245 / 3072, 49 / 5120, -5 / 7168]


def image(i, n, half, walls):
    """The point that point i of an array shows, and its sign; 0 where it lies on a wall. Places count in halves of
    the spacing."""
    at = 2 * i + half
    if walls == "periodic":
        return i % n, 1
    for wall, beyond in ((-1 if walls[0] == "mirror" else 0, lambda a, w: a < w),
                         (2 * n - (1 if walls[1] == "mirror" else 2), lambda a, w: a > w)):
        kind = walls[0] if wall <= 0 else walls[1]
        odd = (kind == "mirror") == (half == 1)
        if at == wall and odd:
            return 0, 0
        if beyond(at, wall):
            return (2 * wall - at - half) // 2, -1 if odd else 1
    return i, 1


class Acoustic:
    """The scheme of docs/systems.md on arrays of NumPy, z first; walls and layers by axis, x first."""

    def __init__(self, shape, spacing, dt, walls, layers=((), (), ()), width=20, speed=0):
        self.shape, self.dims = shape, len(shape)
        self.h, self.dt, self.walls = spacing, dt, walls
        self.axes = [self.dims - 1 - d for d in range(self.dims)]  # of NumPy's, by d
        self.factors = [self._factors(half, layers, width, speed) for half in [None, *range(self.dims)]]

    def _factors(self, staggered, layers, width, speed):
        total = np.ones(self.shape)
        for d, axis in enumerate(self.axes):
            n = self.shape[axis]
            at = np.arange(n) + (0.5 if d == staggered else 0)
            friction = np.zeros(n)
            for side in layers[d]:
                depth = (width - (at if side == 0 else n - 1 - at)) / width
                friction += np.where(depth > 0, depth, 0)**2 * 3 * speed * np.log(1e3) / (2 * width * self.h[d])
            total = total * np.exp(-friction * self.dt).reshape([-1 if a == axis else 1 for a in range(self.dims)])
        return total

    @functools.lru_cache
    def _images(self, d, half, low, high):
        n = self.shape[self.axes[d]]
        shown = [image(i, n, half, self.walls[d]) for i in range(-low, n + high)]
        return np.array([s[0] for s in shown]), np.array([s[1] for s in shown])

    def extended(self, u, d, half, low, high):
        """u with so many points beyond its ends along d, which walls say; those on walls are 0."""
        at, sign = self._images(d, half, low, high)
        axis = self.axes[d]
        return np.take(u, at, axis) * sign.reshape([-1 if a == axis else 1 for a in range(self.dims)])

    def difference(self, u, d, half, low, high):
        """Between points, over the spacing."""
        wide = np.moveaxis(self.extended(u, d, half, low, high), self.axes[d], 0)
        n = self.shape[self.axes[d]]
        made = sum(w * (wide[4 + k:4 + k + n] - wide[3 - k:3 - k + n]) for k, w in enumerate(WEIGHTS))
        return np.moveaxis(made, 0, self.axes[d]) / self.h[d]

    def walled(self, u, halves):
        for d in range(self.dims):
            u = self.extended(u, d, halves[d], 0, 0)
        return u

    def shares(self, halves, position):
        """Of the points around a place: a list of (point, weight)."""
        shares = [((), 1.0)]
        for d in reversed(range(self.dims)):
            n = self.shape[self.axes[d]]
            at = position[d] / self.h[d] - halves[d] / 2
            first = int(np.floor(at))
            both = []
            for i, weight in ((first, 1 - (at - first)), (first + 1, at - first)):
                if weight:
                    shown, sign = image(i, n, halves[d], self.walls[d])
                    both.append((shown, weight * sign))
            shares = [((*index, i), w * weight) for index, w in shares for i, weight in both]
        return shares

    def traces(self, c, rho, states, sources, receivers, steps):
        """Of each receiver; sources are (array, position, values), receivers (array, position)."""
        p, *v = states
        dims, dt = self.dims, self.dt
        halves = [[0] * dims] + [[int(e == d) for e in range(dims)] for d in range(dims)]
        inject = [(a, self.shares(halves[a], at), w) for a, at, w in sources]
        listen = [(a, self.shares(halves[a], at)) for a, at in receivers]
        made = []
        v = [self.walled(u, halves[1 + d]) for d, u in enumerate(v)]
        for step in range(steps):
            p = self.walled(p, halves[0])
            for d in range(dims):
                n = self.shape[self.axes[d]]
                beyond = 0 if self.walls[d] == "periodic" else n - 1 if self.walls[d][1] == "mirror" else n - 2
                beside = np.take(rho, [*range(1, n), beyond], self.axes[d])
                v[d] = v[d] - 2 * dt / (rho + beside) * self.difference(p, d, 0, 3, 4)
                v[d] = self.walled(v[d], halves[1 + d])
            p = p - dt * rho * c**2 * sum(self.difference(v[d], d, 1, 4, 3) for d in range(dims))
            p = p * self.factors[0]
            v = [u * self.factors[1 + d] for d, u in enumerate(v)]
            all_ = [p, *v]
            for a, shares, values in inject:
                for index, weight in shares:
                    all_[a][index] += weight * values[step]
            made.append([sum(weight * all_[a][index] for index, weight in shares) for a, shares in listen])
        return np.array(made).T


def ricker(frequency, dt, steps):
    a = np.pi * frequency * (np.arange(steps) * dt - 1.2 / frequency)
    return (1 - 2 * a**2) * np.exp(-a**2)


class Case:
    """A run in in.h5, shots.csv, line.csv and seen.h5, and the same in NumPy."""

    NAMES = ["p", "vx", "vy", "vz"]

    def __init__(self, shape, walls, layers, steps, seed=0, kind=np.float64):
        random = np.random.default_rng(seed)
        dims = len(shape)
        self.shape, self.steps = shape, steps
        self.h = [10, 11, 9][:dims]
        self.dt = 9e-4
        self.c = 2200 + 500 * random.random(shape)
        self.rho = 1400 + 700 * random.random(shape)
        self.states = [random.standard_normal(shape)] + [1e-6 * random.standard_normal(shape) for _ in range(dims)]
        self.scheme = Acoustic(shape, self.h, self.dt, walls, layers, 8, self.c.max())
        ends = [(n - 1) * h for n, h in zip(reversed(shape), self.h)]
        middle = lambda *parts: [p * e for p, e in zip(parts, ends)]
        wavelet = ricker(25, self.dt, steps)
        self.sources = [(0, middle(0.31, 0.42, 0.37), 3 * wavelet), (0, middle(0.04, 0.03, 0.05), -2 * wavelet),
                        (1, middle(0.5, 0.6, 0.5), 1e-6 * wavelet)]
        self.receivers = [(0, middle(0.63, 0.55, 0.52)), (0, middle(0, 0, 0)), (0, middle(1, 0.97, 1)),
                          (1, middle(0.71, 0.2, 0.9)), (0, middle(0.02, 0.99, 0.4)),
                          (dims, middle(0.3, 0.37, 0.83))]
        self.seen = 0.1 * random.standard_normal((len(self.receivers), steps))
        write(**dict(zip(self.NAMES, (s.astype(kind) for s in self.states))), c=self.c.astype(kind),
              rho=self.rho.astype(kind))
        write("seen.h5", traces=self.seen)
        columns = "xyz"[:dims]
        places("shots.csv", *[(*at, self.NAMES[a], values[np.argmax(wavelet)] / wavelet.max())
                              for a, at, values in self.sources], columns=",".join([*columns, "array", "amplitude"]))
        places("line.csv", *[(*at, self.NAMES[a]) for a, at in self.receivers], columns=",".join([*columns, "array"]))
        entries, absorbing = [], []
        for d, axis in enumerate(columns):
            entries += [f"{axis}=periodic"] if walls[d] == "periodic" else [
                f"{axis}{side}={wall}" for side, wall in zip("-+", walls[d])]
            absorbing += [axis + "-+"[side] for side in layers[d]]
        self.options = ["--spacing", "x".join(map(str, self.h)), "--dt", str(self.dt), "--boundary", ",".join(entries),
                        "--source", "shots.csv", "--wavelet", "ricker:25", "--receivers", "line.csv",
                        "--observed", "seen.h5"]
        if absorbing:
            self.options += ["--absorb", ",".join(absorbing), "--absorb-width", "8"]

    def run(self, ridge, *asked, device="cpu"):
        """The record and the gradients of arrays, or with more options."""
        names = [a for a in asked if not str(a).startswith("-") and a in ("c", "rho", *self.NAMES)]
        others = [a for a in asked if a not in names]
        done = ridge("evolve", "acoustic", "in.h5", *self.options, *others, "--json", "--overwrite", "--device", device,
                     *[w for n in names for w in ("--gradient", f"g.h5:/by/{n}")])  # places in layers are told of
        record, = done.records()
        with h5py.File("g.h5") as h5:
            return record, {n: h5[f"by/{n}"][...] for n in names}

    def loss(self, c, rho, states):
        traces = self.scheme.traces(c, rho, states, self.sources, self.receivers, self.steps)
        return ((traces - self.seen)**2).sum() / 2

    def derivative(self, name, direction):
        """Along a direction, by a complex step."""
        step = 1e-30
        fields = {"c": self.c, "rho": self.rho, **dict(zip(self.NAMES, self.states))}
        fields = {n: f.astype(complex) for n, f in fields.items()}
        fields[name] = fields[name] + 1j * step * direction
        return self.loss(fields["c"], fields["rho"], [fields[n] for n in self.NAMES[:1 + len(self.shape)]]).imag / step


WALLS = ("mirror", "mirror")
FREE = ("antimirror", "mirror")
CASES = {
    "line": ((101,), [FREE], [(1,)], 260),
    "layers": ((37, 43), [WALLS, FREE], [(0, 1), (1,)], 240),
    "rigid": ((19, 23), [WALLS, WALLS], [(), ()], 200),
    "free": ((21, 18), [("antimirror", "antimirror"), ("mirror", "antimirror")], [(), ()], 200),
    "round": ((22, 17), ["periodic", WALLS], [(), (1,)], 200),
    "solid": ((11, 13, 15), [WALLS, "periodic", FREE], [(0,), (), (1,)], 200),
}


@pytest.mark.in_turn
@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_that_of_numpy(ridge, case):
    run = Case(*CASES[case])
    names = ["c", "rho", *run.NAMES[:1 + len(run.shape)]]
    record, found = run.run(ridge, *names)
    loss = run.loss(run.c, run.rho, run.states)
    assert record["loss"] == pytest.approx(loss, rel=1e-11)
    random = np.random.default_rng(5)
    for name in names:
        largest = np.abs(found[name]).max()
        assert largest > 0
        # The point that matters most, one at faces, and a direction in which all count.
        points = [np.unravel_index(np.abs(found[name]).argmax(), run.shape), (0,) * len(run.shape),
                  tuple(n - 1 for n in run.shape)]
        for point in points if name in ("c", "rho") else []:
            unit = np.zeros(run.shape)
            unit[point] = 1
            assert found[name][point] == pytest.approx(run.derivative(name, unit), rel=1e-8, abs=1e-10 * largest), (
                name, point)
        all_ = random.standard_normal(run.shape)
        assert (found[name] * all_).sum() == pytest.approx(run.derivative(name, all_), rel=1e-9)


@pytest.mark.parametrize("device", ["simt:32", "simt:64"])
def test_emulated_gpus_give_the_gradient_of_the_cpu(ridge, device):
    for shape, walls, layers in (((17, 19), [WALLS, FREE], [(0, 1), (1,)]),
                                 ((9, 10, 12), [FREE, "periodic", WALLS], [(1,), (), (0,)])):
        run = Case(shape, walls, layers, 40)
        right = run.run(ridge, "c", "rho", "p")[1]
        found = run.run(ridge, "c", "rho", "p", device=device)[1]
        for name, values in found.items():
            np.testing.assert_allclose(values, right[name], rtol=0, atol=1e-12 * np.abs(right[name]).max())


def test_fp32_is_near_fp64(ridge):
    right = Case(*CASES["layers"]).run(ridge, "c", "rho")
    found = Case(*CASES["layers"], kind=np.float32).run(ridge, "c", "rho")
    assert found[0]["precision"] == "fp32" and found[1]["c"].dtype == np.float32
    assert found[0]["loss"] == pytest.approx(right[0]["loss"], rel=1e-5)
    for name, values in found[1].items():
        np.testing.assert_allclose(values, right[1][name], rtol=0, atol=2e-4 * np.abs(right[1][name]).max())


@functools.lru_cache(None)
def fewest(steps, room):
    """Steps taken by the best of all plans, but for the last one."""
    if steps < 2:
        return 0
    if room == 0:
        return steps * (steps - 1) // 2
    return min(m + fewest(steps - m, room - 1) + fewest(m, room) for m in range(1, steps))


def test_memory_changes_the_plan_and_no_bit(ridge):
    run = Case((9, 14), [FREE, WALLS], [(), ()], 60)
    record, right = run.run(ridge, "c")
    assert record["states_kept"] == 60 and record["steps_again"] == 0
    refused = ridge.bad("evolve", "acoustic", "in.h5", *run.options, "--gradient", "h.h5:/c", "--memory", "1kB",
                        says="is the least that does")
    least, arrays, state = (float(v) * {"kB": 1e3, "MB": 1e6}[u] for v, u in
                            re.findall(r"([\d.]+) (kB|MB)", refused.err.split("1kB:")[1]))
    assert least == pytest.approx(arrays + state, rel=0.01)
    seen = set()
    for states in (1, 2, 3, 5, 9, 30):
        record, found = run.run(ridge, "c", "--memory", f"{(arrays * 1.005 + (states + 0.3) * state) / 1e3:.1f}kB")
        kept = int(record["states_kept"])
        seen.add(kept)
        # The traces take the last step, too, and behind it the last part that no state is kept of once more.
        assert fewest(60, kept - 1) - 59 <= record["steps_again"] <= fewest(60, kept - 1)
        np.testing.assert_array_equal(found["c"], right["c"])
    assert len(seen) > 4 and min(seen) < 4


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_check_proves_the_adjoint(ridge, kind):
    run = Case((17, 23), [WALLS, FREE], [(0, 1), (1,)], 220, kind=kind)
    adjoint = run.run(ridge, "c", "rho", "--check")[0]["adjoint"]
    assert adjoint["dot_error"] < 1e-12
    assert adjoint["slope"] == pytest.approx(2, abs=0.05)
    text = ridge("evolve", "acoustic", "in.h5", *run.options, "--gradient", "g.h5:/c", "--overwrite", "--check").out
    assert "the adjoint is right" in text and "220 states kept, 0 steps computed again" in text


def test_values_at_walls_count(ridge):
    run = Case((15, 19), [WALLS, WALLS], [(), ()], 200)
    walls = run.options.index("--boundary") + 1
    for boundary in ("p.x-=dirichlet:0.5,y=neumann:0.01", "x=untouched,vy.y+=dirichlet:1e-7"):
        run.options[walls] = boundary
        adjoint = run.run(ridge, "c", "p", "--check")[0]["adjoint"]
        assert adjoint["dot_error"] < 1e-12 and abs(adjoint["slope"] - 2) < 0.05


#: Systems with their media, and walls for each.
SYSTEMS = {"elastic": ("rho", "lambda", "mu"), "maxwell": ("eps",)}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("shape, walls, steps, device", [
    ((23, 31), "x=periodic,y-=antimirror", 220, "cpu"), ((61,), "x-=antimirror", 220, "cpu"),
    ((11, 13, 15), "x-=dirichlet:0.1,x+=neumann:0.01,z=antimirror,y+=untouched", 200, "cpu"),
    ((9, 8, 11), "y=periodic", 30, "simt:32")])
def test_other_systems_prove_theirs(ridge, system, shape, walls, steps, device):
    random = np.random.default_rng(4)
    media = {name: 1 + 0.3 * random.random(shape) for name in SYSTEMS[system]}
    write(**media)
    states = {"elastic": ["vx", "szz", "sxy"], "maxwell": ["ez", "hx", "hy"]}[system]
    columns = "xyz"[:len(shape)]
    ends = [n - 1 for n in reversed(shape)]
    places("shots.csv", *[(*[0.4 * e for e in ends], name, 1) for name in states],
           columns=",".join([*columns, "array", "amplitude"]))
    places("line.csv", *[(*[part * e for e in ends], name) for name in states for part in (0.61, 0.97)],
           columns=",".join([*columns, "array"]))
    write("seen.h5", traces=0.1 * random.standard_normal((6, steps)))
    layers = ["--absorb", "y+" if len(shape) > 1 else "x+", "--absorb-width", "5"] if len(shape) < 3 else []
    record, = ridge("evolve", system, "in.h5", "--boundary", walls, "--source", "shots.csv", "--wavelet",
                         "ricker:0.05", "--receivers", "line.csv", "--observed", "seen.h5", *layers, "--json",
                         "--device", device, "--check", *[w for n in [*media, states[0]]
                                                          for w in ("--gradient", f"g.h5:/{n}")]).records()
    assert record["adjoint"]["dot_error"] < 1e-12
    assert record["adjoint"]["slope"] == pytest.approx(2, abs=0.05)
    with h5py.File("g.h5") as h5:
        assert all(np.abs(h5[n][...]).max() > 0 for n in media) and h5.attrs["loss"] == record["loss"]


def test_what_cannot_be_is_refused_in_one_line(ridge):
    run = Case((9, 14), [FREE, WALLS], [(), ()], 20)
    words = ["evolve", "acoustic", "in.h5", *run.options]
    asked = ["--gradient", "h.h5:/c"]

    def without(name):
        at = words.index(name)
        return [*words[:at], *words[at + 2:]]
    ridge.bad(*words, "--gradient", "h.h5:/speed", says="NAME is one of p, vx, vy, vz, c, rho")
    ridge.bad(*words, *asked, *asked, says="given twice")
    ridge.bad(*without("--observed"), *asked, says="--observed FILE.h5")
    ridge.bad(*without("--receivers"), *asked, says="--receivers FILE.csv")
    ridge.bad(*words, *asked, "-o", "out.h5", says="-o does not go with --gradient")
    ridge.bad(*words, *asked, "--steps", "19", says="--steps 20 is right")
    ridge.bad(*words, *asked, "--memory", "much", says="a size such as 4GB")
    ridge.bad(*words, "-o", "out.h5", says="go with --gradient")
    ridge.bad(*words, *asked, "--store-as", "fp16", says="--store-as does not go")
    ridge.bad("evolve", "shallow-water", "in.h5", *words[3:], *asked, says="there is one of acoustic, elastic, maxwell")
    ridge.bad("evolve", "heat", "in.h5:/p", "-o", "out.h5", "--memory", "1GB", says="are for systems")
    ridge.bad("bench", "acoustic", "--adjoint", says=["acoustic has no adjoint by --adjoint", "ridge evolve"])
    write("few.h5", traces=run.seen[:3])
    ridge.bad(*without("--observed"), *asked, "--observed", "few.h5", says="it has 3 rows, and line.csv has 6")
    run.seen[1, 7] = np.nan
    write("nan.h5", traces=run.seen)
    ridge.bad(*without("--observed"), *asked, "--observed", "nan.h5", says="value 7 of row 1 is not finite")
    ridge.bad(*without("--observed"), *asked, "--observed", "line.csv", says="line.csv")
    ridge.bad(*words, "--gradient", "seen.h5:/c", "--overwrite", says="seen.h5")
    ridge.bad(*words, "--gradient", "in.h5:/by/c", says="in.h5")
    assert not [name for name in os.listdir() if name.startswith((".", "h.h5", "out"))]


def test_a_run_reproduces_itself_without_loss(ridge):
    run = Case((15, 19), [WALLS, WALLS], [(), ()], 100)
    at = run.options.index("--observed")
    ridge("evolve", "acoustic", "in.h5", "-o", "out.h5", "--steps", "100", *run.options[:at], *run.options[at + 2:])
    run.options[at + 1] = "out.traces.h5"
    record, found = run.run(ridge, "c")
    assert record["steps"] == 100 and record["loss"] == 0 and not found["c"].any()
