"""Gradients of elastic waves beside faces without traction: each number of them, against a scheme of NumPy's own whose
derivatives are those of complex steps, all of them at once."""

import itertools

import h5py
import numpy as np
import pytest

from system_runs import places, write

pytestmark = pytest.mark.usefixtures("folder")

#: By array: how many half spacings its points lie behind, along x, y and z.
HALVES = {"vx": (1, 0, 0), "vy": (0, 1, 0), "vz": (0, 0, 1), "sxx": (0, 0, 0), "syy": (0, 0, 0), "szz": (0, 0, 0),
          "sxy": (1, 1, 0), "sxz": (1, 0, 1), "syz": (0, 1, 1)}
MEDIA = ("rho", "lambda", "mu")
VELOCITIES = ("vx", "vy", "vz")
ENDS = 2  # points beyond either end


def stress(d, e):
    return "s" + "".join(sorted("xyz"[d] + "xyz"[e]))


def image(i, n, half, walls, traction, medium):
    """The point that point i of an array shows along an axis, and its sign."""
    if walls == "periodic":
        return i % n, 1
    for kind, end in zip(walls, (-1, 1)):
        wall = (0 if end < 0 else 2 * n - 2) + (end if kind == "mirror" else 0)  # in half spacings
        odd = not medium and (traction if kind == "free" else (half == 1) == (kind == "mirror"))
        if 2 * i + half == wall and odd:
            return 0, 0
        if (2 * i + half - wall) * end > 0:
            return (2 * wall - 2 * i - 2 * half) // 2, -1 if odd else 1
    return i, 1


class Elastic:
    """The scheme of docs/systems.md: x, y and z first, then whatever is computed at once."""

    def __init__(self, shape, h, dt, walls):
        self.shape, self.h, self.dt, self.walls = shape, h, dt, walls
        self.dims = [d for d in range(3) if shape[d] > 1]

    def images(self, name, d, low, high):
        half = HALVES[name][d] if name in HALVES else 0
        traction = name[0] == "s" and "xyz"[d] in name[1:]
        return [image(i, self.shape[d], half, self.walls[d], traction, name in MEDIA)
                for i in range(-low, self.shape[d] + high)]

    def wide(self, name, u):
        """With points beyond its ends, and those on walls as these say."""
        for d in self.dims:
            at, sign = np.array(self.images(name, d, ENDS, ENDS)).T
            u = np.take(u, at, d) * sign.reshape([-1 if a == d else 1 for a in range(u.ndim)])
        return u

    def at(self, u, *aside):
        """The points of a wide array so far aside: pairs of an axis and a distance."""
        for e in self.dims:
            begin = ENDS + sum(shift for d, shift in aside if d == e)
            u = np.take(u, range(begin, begin + self.shape[e]), e)
        return u

    def difference(self, u, d, half):
        if d not in self.dims:
            return 0
        k = -half
        there = lambda shift: self.at(u, (d, k + shift))
        return (9 / 8 * (there(1) - there(0)) - (there(2) - there(-1)) / 24) * self.dt / self.h[d]

    def set_free(self, v, media, d, side):
        """Velocities beyond a face of axis d."""
        n, end, sign = self.shape[d], 1 if side else -1, 1 if side == 0 else -1
        face = ENDS + (n - 1 if side else 0)
        along = [e for e in self.dims if e != d]

        def plane(u, i, **begins):
            """Points 0 to n of a plane along the face, or from others on."""
            for e in along:
                begin = ENDS + begins.get("xyz"[e], 0)
                u = np.take(u, range(begin, begin + self.shape[e] + 1), e)
            return np.take(u, i, d)
        def medium(u):
            for e in along:
                u = np.take(u, [*range(self.shape[e]), 0 if self.walls[e] == "periodic" else self.shape[e] - 1], e)
            return np.take(u, n - 1 if side else 0, d)
        def cut(u, e, begin):  # without d
            return np.take(u, range(begin, begin + self.shape[e]), e - (e > d))
        spread = sum(self.h[d] / self.h[e] * (plane(v[e], face) - plane(v[e], face, **{"xyz"[e]: -1})) for e in along)
        lam, mu = medium(media["lambda"]), medium(media["mu"])
        slopes = {d: sign * spread * lam / (lam + 2 * mu)} if along else {d: 0}
        normal = plane(v[d], face - side) + slopes[d] / 2
        for e in along:
            up, down = cut(normal, e, 1), cut(normal, e, 0)
            for f in along:
                if f != e:
                    up, down = cut(up, f, 0), cut(down, f, 0)
            slopes[e] = sign * self.h[d] / self.h[e] * (up - down)
        for e in along:
            if along:
                slopes[d] = cut(slopes[d], e, 0)
        inside = tuple(slice(None) if e == d or e not in self.dims else slice(ENDS, -ENDS) for e in range(3))
        for e in [d, *along]:
            made = v[e].copy()
            there = np.moveaxis(made[inside], d, 0)
            last = face - (e == d and side)
            for k in range(2):
                apart = (1 if e == d else 2) + 2 * k
                there[last + end * (k + 1)] = there[last + end * (k + 1) - end * apart] + slopes[e] * apart
            v[e] = made

    def shares(self, name, position):
        """Of the points around a place: a list of (point, weight)."""
        shares = [((), 1.0)]
        for d in range(3):
            place = position[d] / self.h[d] - HALVES[name][d] / 2 if d in self.dims else 0
            first = int(np.floor(place))
            shown = self.images(name, d, 1, 2) if d in self.dims else [(0, 1)] * 3
            both = [(*shown[i + 1], w) for i, w in ((first, 1 - (place - first)), (first + 1, place - first)) if w]
            shares = [((*index, i), w * weight * sign) for index, w in shares for i, sign, weight in both]
        return shares

    def traces(self, fields, sources, receivers, steps):
        """By receiver and step; sources are (array, position, values), receivers (array, position)."""
        u = dict(fields)
        media = {name: u.pop(name) for name in MEDIA}
        wide = {name: self.wide(name, field) for name, field in media.items()}
        rho, mu = wide["rho"], wide["mu"]
        heavy = [(self.at(rho) + self.at(rho, (d, 1))) / 2 for d in range(3)]
        stiff = {(d, e): sum(self.at(mu, (d, i), (e, j)) for i in (0, 1) for j in (0, 1)) / 4
                 for d, e in ((0, 1), (0, 2), (1, 2))}
        inject = [(name, self.shares(name, at), values) for name, at, values in sources]
        listen = [(name, self.shares(name, at)) for name, at in receivers]
        made = []
        for step in range(steps):
            s = {name: self.wide(name, field) for name, field in u.items() if name[0] == "s"}
            for d, name in enumerate(VELOCITIES):
                u[name] = u[name] + sum(self.difference(s[stress(d, e)], e, int(e != d)) for e in range(3)) / heavy[d]
            v = [self.wide(name, u[name]) for name in VELOCITIES]
            for d, side in itertools.product(self.dims, (0, 1)):
                if self.walls[d] != "periodic" and self.walls[d][side] == "free":
                    self.set_free(v, media, d, side)
            g = [self.difference(v[d], d, 1) for d in range(3)]
            for d in range(3):
                u[stress(d, d)] = u[stress(d, d)] + media["lambda"] * sum(g) + 2 * media["mu"] * g[d]
            for (d, e), m in stiff.items():
                u[stress(d, e)] = u[stress(d, e)] + m * (self.difference(v[e], d, 0) + self.difference(v[d], e, 0))
            for name, shares, values in inject:
                u[name] = u[name].copy()
                for index, weight in shares:
                    u[name][index] += weight * values[step]
            made.append([sum(weight * u[name][index] for index, weight in shares) for name, shares in listen])
        return np.moveaxis(np.array(made), 0, 1)


class Case:
    """A run in in.h5, shots.csv, line.csv and seen.h5, and the same in NumPy."""

    def __init__(self, shape, walls, steps, kind=np.float64):
        random = np.random.default_rng(3)
        self.shape, self.steps = shape, steps
        self.scheme = Elastic(shape, [1.1, 0.9, 1.3], 0.11, walls)
        self.dims = self.scheme.dims
        fields = {name: random.standard_normal(shape) for name in HALVES}
        fields |= {name: least + most * random.random(shape)
                   for name, least, most in (("rho", 1, 1), ("lambda", 0, 2), ("mu", 0.3, 1))}
        self.fields = {name: field.astype(kind).astype(np.float64) for name, field in fields.items()}
        ends = [(n - 1) * h for n, h in zip(shape, self.scheme.h)]
        self.sources = [(name, [part * end for part, end in zip(parts, ends)], np.sin(1 + i + np.arange(steps)))
                        for i, (name, *parts) in enumerate([("vx", 0, 0.1, 0.03), ("sxy", 0.9, 0.06, 1),
                                                            ("szz", 0.4, 0.53, 0.7)])]
        self.receivers = [(name, [part * end for part, end in zip(parts, ends)]) for name, *parts in [
            ("vx", 0, 0, 0), ("vy", 1, 1, 1), ("vz", 0.98, 0.04, 0), ("sxx", 0.3, 1, 0.45), ("syz", 0, 0.6, 0.07)]]
        self.seen = random.standard_normal((len(self.receivers), steps))
        cut = tuple(slice(None) if d in self.dims else 0 for d in range(3))
        self.of_file = lambda field: np.ascontiguousarray(field[cut].T)
        write(**{name: self.of_file(field).astype(kind) for name, field in self.fields.items()})
        write("seen.h5", traces=self.seen)
        columns = ",".join(["xyz"[d] for d in self.dims] + ["array"])
        where = lambda at: [at[d] for d in self.dims]
        for i, (name, at, values) in enumerate(self.sources):
            np.savetxt(f"wavelet{i}", values)
        places("shots.csv", *[(*where(at), name, f"wavelet{i}") for i, (name, at, _) in enumerate(self.sources)],
               columns=columns + ",wavelet")
        places("line.csv", *[(*where(at), name) for name, at in self.receivers], columns=columns)
        entries = []
        for d in self.dims:
            axis = "xyz"[d]
            entries += [f"{axis}=periodic"] if walls[d] == "periodic" else [
                f"{axis}{side}={wall}" for side, wall in zip("-+", walls[d])]
        self.options = ["--spacing", "x".join(str(self.scheme.h[d]) for d in self.dims), "--dt", "0.11", "--boundary",
                        ",".join(entries), "--source", "shots.csv", "--receivers", "line.csv", "--observed", "seen.h5"]

    def run(self, ridge, *more, device="cpu", names=(*MEDIA, *HALVES)):
        record, = ridge("evolve", "elastic", "in.h5", *self.options, *more, "--json", "--overwrite", "--device", device,
                        *[w for n in names for w in ("--gradient", f"g.h5:/{n}")]).records()
        with h5py.File("g.h5") as h5:
            return record, {n: h5[n][...] for n in names}

    def right(self):
        """The loss, and its derivative by each value of each array."""
        step, points = 1e-30, int(np.prod(self.shape))
        names = [*MEDIA, *HALVES]
        fields = {}
        for i, name in enumerate(names):
            fields[name] = np.repeat(self.fields[name][..., None].astype(complex), points * len(names), 3)
            mine = slice(i * points, (i + 1) * points)
            fields[name][..., mine] += 1j * step * np.eye(points).reshape(*self.shape, points)
        traces = self.scheme.traces(fields, self.sources, self.receivers, self.steps)
        loss = ((traces - self.seen[..., None])**2).sum((0, 1)) / 2
        by = loss.imag.reshape(len(names), *self.shape) / step
        return loss[0].real, {name: self.of_file(one) for name, one in zip(names, by)}


ROUND, FREE = "periodic", ("free", "free")
LOW, HIGH, OTHER = ("free", "mirror"), ("mirror", "free"), ("antimirror", "free")
CASES = {
    "round": ((4, 5, 4), [ROUND, ROUND, OTHER]),
    "edge": ((5, 4, 4), [LOW, HIGH, ROUND]),
    "corner": ((4, 5, 4), [HIGH, OTHER, LOW]),
    "all": ((4, 4, 5), [FREE, FREE, FREE]),
    "plane": ((9, 8, 1), [FREE, LOW, None]),
    "line": ((11, 1, 1), [FREE, None, None]),
}


@pytest.mark.in_turn
@pytest.mark.parametrize("case", CASES)
def test_all_derivatives_are_those_of_numpy(ridge, case):
    run = Case(*CASES[case], 5)
    loss, right = run.right()
    for device in ["cpu", "simt:32", "simt:64"] if case in ("round", "all") else ["cpu"]:
        record, found = run.run(ridge, device=device)
        assert record["loss"] == pytest.approx(loss, rel=1e-12)
        for name, values in found.items():
            atol = 1e-12 * np.abs(right[name]).max()
            np.testing.assert_allclose(values, right[name], rtol=0, atol=atol, err_msg=f"{name} {device}")


@pytest.mark.parametrize("faces, kind, memory", [("x-,y", "cpml:0.05", "10MB"), ("y+", "friction", "5MB")])
def test_beside_layers_on_any_device_and_plan(ridge, faces, kind, memory):
    shape, walls = (14, 13, 9), [HIGH, ("mirror", "mirror"), LOW]
    layers = ["--absorb", faces, "--absorb-width", "4", "--absorb-as", kind]
    run = Case(shape, walls, 40)
    record, right = run.run(ridge, *layers, "--check")
    assert record["adjoint"]["dot_error"] < 1e-12 and record["adjoint"]["slope"] == pytest.approx(2, abs=0.05)
    fewer, found = run.run(ridge, *layers, "--memory", memory)
    assert fewer["states_kept"] < record["states_kept"] == 40
    for name, values in found.items():
        np.testing.assert_array_equal(values, right[name])
    on_gpu = run.run(ridge, *layers, device="simt:32")[1]
    narrow = Case(shape, walls, 40, np.float32).run(ridge, *layers)[1]
    for name, values in right.items():
        largest = np.abs(values).max()
        assert largest > 0 and narrow[name].dtype == np.float32
        np.testing.assert_allclose(on_gpu[name], values, rtol=0, atol=1e-12 * largest, err_msg=name)
        np.testing.assert_allclose(narrow[name], values, rtol=0, atol=1e-4 * largest, err_msg=name)
