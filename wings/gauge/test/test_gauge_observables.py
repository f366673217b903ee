"""`ridge gauge observables` against numpy: loops, the gradient flow in its definition, fields whose charge is known."""

import gauge_files
import numpy as np
import pytest
import scipy.linalg
from conftest import left_in
from test_gauge_smear import SIZE, dagger, paths


@pytest.fixture
def links(folder):
    made = gauge_files.random_links(SIZE, seed=4, spread=0.5)
    gauge_files.write_nersc(folder / "a", made)
    return made


def record_of(ridge, *words):
    (record,) = ridge.good("gauge", "observables", *words, "--json").records()
    return record


def numbers(record, name):
    return np.array([float(x) for x in record[name].split()])


def along(links, mu, length):
    """Products of so many links along mu."""
    line = links[..., mu, :, :]
    for _ in range(length - 1):
        line = links[..., mu, :, :] @ np.roll(line, -1, axis=3 - mu)
    return line


def test_loops(ridge, folder, links):
    record = record_of(ridge, "a", "--loops", "2x3")
    for r in 1, 2:
        for t in 1, 2, 3:
            values = []
            for mu in range(3):
                across, up = along(links, mu, r), along(links, 3, t)
                way = across @ np.roll(up, -r, axis=3 - mu) @ dagger(np.roll(across, -t, axis=0)) @ dagger(up)
                values.append(np.einsum("...ii", way).real.mean() / 3)
            assert np.isclose(record[f"loop_{r}x{t}"], np.mean(values), rtol=1e-12, atol=1e-14)
    assert "loop_3x1" not in record
    polyakov = np.einsum("...ii", along(links, 3, SIZE[3])).mean() / 3
    assert np.isclose(record["polyakov_real"] + 1j * record["polyakov_imaginary"], polyakov, rtol=1e-12)
    assert np.isclose(record["plaquette"], gauge_files.plaquette(links), rtol=1e-13)


def force(links):
    """Minus the traceless antihermitian part of U times its staples."""
    out = np.empty_like(links)
    for mu in range(4):
        product = links[..., mu, :, :] @ dagger(paths(links, mu, 4))
        product = (dagger(product) - product) / 2
        out[..., mu, :, :] = product - np.einsum("...ii", product)[..., None, None] / 3 * np.eye(3)
    return out


def clover(links):
    """G of each plane, from leaves that are walked."""
    def walk(steps):
        product, at = np.eye(3), [0, 0, 0, 0]
        for mu, by in steps:
            if by < 0:
                at[mu] -= 1
            u = np.roll(links[..., mu, :, :], [-n for n in reversed(at)], axis=(0, 1, 2, 3))
            product = product @ (u if by > 0 else dagger(u))
            if by > 0:
                at[mu] += 1
        assert at == [0, 0, 0, 0]
        return product

    planes = {}
    for mu in range(4):
        for nu in range(mu + 1, 4):
            m, n, back_m, back_n = (mu, 1), (nu, 1), (mu, -1), (nu, -1)
            q = sum(walk(way) for way in ((m, n, back_m, back_n), (n, back_m, back_n, m), (back_m, back_n, m, n),
                                          (back_n, m, n, back_m)))
            g = (q - dagger(q)) / 8
            planes[mu, nu] = g - np.einsum("...ii", g)[..., None, None] / 3 * np.eye(3)
    return planes


def energy_and_charge(links):
    g = clover(links)
    trace = lambda a, b: np.einsum("...ij,...ji", g[a], g[b]).real
    energy = -sum(trace(p, p) for p in g).mean()
    charge = -(trace((0, 1), (2, 3)) - trace((0, 2), (1, 3)) + trace((0, 3), (1, 2))).sum() / (4 * np.pi**2)
    return energy, charge


def test_the_flow(ridge, folder, links):
    step, right = 0.05, links.copy()
    record = record_of(ridge, "a", "--flow", 2 * step, "--step", step, "-o", "b")
    energies = [energy_and_charge(right)]
    for _ in range(2):
        first = step * force(right)
        right = scipy.linalg.expm(first / 4) @ right
        second = 8 / 9 * step * force(right) - 17 / 36 * first
        right = scipy.linalg.expm(second) @ right
        right = scipy.linalg.expm(3 / 4 * step * force(right) - second) @ right
        energies.append(energy_and_charge(right))
    assert np.abs(gauge_files.read_nersc(folder / "b")[1] - right).max() < 1e-12
    assert np.allclose(numbers(record, "energy_clover"), [e for e, _ in energies], rtol=1e-11)
    assert np.allclose(numbers(record, "charge"), [q for _, q in energies], rtol=1e-9, atol=1e-12)
    assert np.allclose(numbers(record, "energy_plaquette")[-1], 36 * (1 - gauge_files.plaquette(right)), rtol=1e-11)
    assert np.allclose(numbers(record, "flow_time"), [0, step, 2 * step])


def test_its_order_is_three(ridge, folder, links):
    ends = [numbers(record_of(ridge, "a", "--flow", 0.4, "--step", 0.4 / n), "energy_clover")[-1] for n in (4, 8, 64)]
    order = np.log2(abs(ends[0] - ends[2]) / abs(ends[1] - ends[2]))
    assert 2.6 < order < 3.6, order


def constant_fields(size, fluxes):
    """In the planes of x, y and z, t, of diag(1, -1, 0), so many quanta of flux."""
    x, y, z, t = np.indices(size[::-1])[::-1]
    links = np.zeros((*size[::-1], 4, 3, 3), dtype=complex)
    links[...] = np.eye(3)
    for (a, b), (first, second), n in (((0, 1), (x, y), fluxes[0]), ((2, 3), (z, t), fluxes[1])):
        angle = 2 * np.pi * n / (size[a] * size[b])
        for mu, phase in (b, angle * first), (a, np.where(first == size[a] - 1, -angle * size[a] * second, 0)):
            links[..., mu, :, :] *= np.exp(1j * phase[..., None] * np.array([1, -1, 0]))[..., None]
    return links


@pytest.mark.parametrize("fluxes", [(1, 1), (1, -2)])
def test_fields_of_known_charge(ridge, folder, fluxes):
    """The charge is twice the product of the quanta."""
    size = (6, 4, 4, 6)
    links = constant_fields(size, fluxes)
    gauge_files.write_nersc(folder / "c", links)
    record = record_of(ridge, "c", "--flow", 0.02)
    angles = [2 * np.pi * n / (size[a] * size[b]) for (a, b), n in (((0, 1), fluxes[0]), ((2, 3), fluxes[1]))]
    charge = 2 * np.prod(fluxes) * np.sin(angles[0]) * np.sin(angles[1]) / (angles[0] * angles[1])
    assert np.isclose(numbers(record, "charge")[0], charge, rtol=1e-10)
    assert np.isclose(numbers(record, "energy_clover")[0], 2 * (np.sin(angles) ** 2).sum(), rtol=1e-10)


def test_t0_and_w0(ridge, folder):
    """Where the printed curves cross 0.3."""
    ridge.good("gauge", "heatbath", "--size", "4x4x4x6", "--beta", 5.6, "--sweeps", 30, "--start", "hot", "-o", "d")
    record = record_of(ridge, "d", "--flow", 2, "--step", 0.1)
    t, e = numbers(record, "flow_time"), numbers(record, "energy_clover")
    curve = t * t * e
    rises = np.flatnonzero((curve[:-1] < 0.3) & (curve[1:] >= 0.3))
    assert len(rises) > 0, curve
    i = rises[0]
    assert np.isclose(record["t0"], np.interp(0.3, curve[i:i + 2], t[i:i + 2]), rtol=1e-12)
    middle, slope = (t[1:] + t[:-1]) / 2, np.diff(curve) / np.diff(t)
    i = np.flatnonzero((middle[:-1] * slope[:-1] < 0.3) & (middle[1:] * slope[1:] >= 0.3))[0]
    assert np.isclose(record["w0"] ** 2, np.interp(0.3, (middle * slope)[i:i + 2], middle[i:i + 2]), rtol=1e-12)


def test_devices_and_gauges_agree(ridge, folder, links):
    g = gauge_files.random_links(SIZE, seed=9, spread=5)[..., 0, :, :]
    turned = np.stack([g @ links[..., mu, :, :] @ dagger(np.roll(g, -1, axis=3 - mu)) for mu in range(4)], axis=4)
    gauge_files.write_nersc(folder / "turned", turned)
    words = ("--loops", "2x2", "--flow", 0.1, "--step", 0.05)
    found = [record_of(ridge, "a", *words, "--device", device) for device in ("cpu", "simt:32", "simt:64")]
    other = record_of(ridge, "turned", *words, "--device", "cpu")
    for name in "loop_2x2", "polyakov_imaginary", "energy_clover", "charge":
        assert found[0][name] == found[1][name] == found[2][name]
        as_numbers = lambda r: numbers(r, name) if isinstance(r[name], str) else np.array([r[name]])
        assert np.allclose(as_numbers(other), as_numbers(found[0]), rtol=1e-9, atol=1e-11)


def test_bad_words(ridge, folder, links):
    def bad(*words, says, code=2):
        ridge.bad("gauge", "observables", "a", *words, code=code, says=says)
        assert left_in(folder) == ["a"]

    bad("--loops", "2", says="--loops 2: expected RxT")
    bad("--loops", "3x2", says="expected 1 to 2 by 1 to 6")
    bad("--flow", -1, says="--flow -1: expected a time")
    bad("--flow", 1, "--step", 0, says="--step 0: expected a number above 0")
    bad("-o", "b", says="there is no --flow")
