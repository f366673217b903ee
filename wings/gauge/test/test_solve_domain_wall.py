"""`ridge solve dwf` and `mobius` against a dense operator in five dimensions, and against the closed
form of the free field; symmetries of the propagator; bad words."""

import gauge_files
import numpy as np
import pytest
from conftest import left_in
from test_solve_wilson import GAMMAS, dense_wilson, point, propagator

SIZE = (2, 2, 2, 4)
G5 = np.diag([1.0, 1, -1, -1])


def projector(sign):
    """P_+ or P_- on 12 components of a site."""
    return np.kron((np.eye(4) + sign * G5) / 2, np.eye(3))


def dense_domain_wall(links, mass, ls, m5, b, c, antiperiodic=True):
    """D and D_- as matrices: s slowest."""
    n = links[..., 0, 0, 0].size
    d_w = (4 - m5) * dense_wilson(links, 0.5 / (4 - m5), antiperiodic)
    one = np.eye(12 * n)
    hop = np.zeros((ls, n * 12, ls, n * 12), dtype=complex)
    for s in range(ls):
        hop[s, :, (s + 1) % ls] += (-mass if s == ls - 1 else 1) * np.kron(np.eye(n), projector(-1))
        hop[s, :, (s - 1) % ls] += (-mass if s == 0 else 1) * np.kron(np.eye(n), projector(1))
    hop = hop.reshape(ls * n * 12, -1)
    wide = lambda x: np.kron(np.eye(ls), x)
    return wide(b * d_w + one) + wide(c * d_w - one) @ hop, wide(one - c * d_w)


def dense_propagator(links, site, mass, ls, m5, b, c, antiperiodic=True):
    d, minus = dense_domain_wall(links, mass, ls, m5, b, c, antiperiodic)
    columns = point(site, links)
    n = columns.shape[1] // 12
    up, down = np.kron(np.eye(n), projector(1)), np.kron(np.eye(n), projector(-1))
    source = np.zeros((ls, n * 12, 12), dtype=complex)
    source[0] += up @ columns.T
    source[-1] += down @ columns.T
    x = np.linalg.solve(d, minus @ source.reshape(-1, 12)).reshape(ls, -1, 12)
    return (down @ x[0] + up @ x[-1]).T


@pytest.fixture(scope="module")
def links():
    return gauge_files.random_links(SIZE, seed=6, spread=0.3)


@pytest.fixture
def lattice(folder, links):
    gauge_files.write_nersc(folder / "lat.nersc", links)
    return folder


@pytest.mark.parametrize("words, numbers", [
    (("dwf", "--ls", 4), (4, 1.8, 1, 0)),
    (("dwf", "--ls", 3, "--m5", 1.3, "--boundary", "periodic"), (3, 1.3, 1, 0)),
    (("mobius", "--ls", 4, "--m5", 1.4, "--b5", 1.5, "--c5", 0.5), (4, 1.4, 1.5, 0.5)),
    (("mobius", "--ls", 2, "--b5", 2, "--c5", 1, "--precision", "fp64"), (2, 1.8, 2, 1)),
])
def test_the_dense_solution(ridge, lattice, links, words, numbers):
    (record,) = ridge.good("solve", words[0], "lat.nersc", *words[1:], "--mass", 0.1, "--tol", 1e-12, "--source",
                           "point:1,0,1,2", "-o", "p.h5", "--device", "cpu", "--json", "--no-roof").records()
    found, facts = propagator("p.h5")
    site = 1 + 2 * (0 + 2 * (1 + 2 * 2))
    right = dense_propagator(links, site, 0.1, *numbers, antiperiodic="periodic" not in words)
    assert np.abs(found - right).max() < 1e-9 * np.abs(right).max()
    assert record["check"]["ok"] and record["residual"] <= 1e-12 and record["kernel"] == words[0]
    assert record["precision"] == ("fp64" if "fp64" in words else "mixed")
    assert [facts[k][0] for k in ("ls", "m5", "b5", "c5")] == list(numbers) and facts["mass"][0] == 0.1
    pion = (np.abs(found) ** 2).sum(axis=0).reshape(4, -1).sum(axis=1)
    assert np.allclose([float(c) for c in record["correlator"].split()], pion, rtol=1e-10)


def test_the_emulated_gpu_gives_the_same(ridge, lattice):
    for device in "cpu", "simt:32":
        ridge.good("solve", "mobius", "lat.nersc", "--mass", 0.2, "--ls", 4, "-o", f"{device}.h5", "--tol", 1e-9, "--device",
                   device)
    assert np.allclose(propagator("cpu.h5")[0], propagator("simt:32.h5")[0], atol=1e-8)


def test_the_free_field_has_its_closed_form(ridge, folder):
    """q = ((D_4)^-1 - 1) / (1 - m), D_4 = (1 + m) / 2 + (1 - m) / 2 gamma_5 sign(H) with the rational form of the
    sign, at each momentum (Brower, Neff and Orginos 2012)."""
    size, mass, ls, m5, b, c = (4, 2, 2, 6), 0.15, 6, 1.6, 1.5, 0.5
    links = np.zeros((*size[::-1], 4, 3, 3), dtype=complex)
    links[...] = np.eye(3)
    gauge_files.write_nersc(folder / "free.nersc", links)
    ridge.good("solve", "mobius", "free.nersc", "--mass", mass, "--ls", ls, "--m5", m5, "--b5", b, "--c5", c, "-o", "p.h5",
               "--device", "cpu", "--tol", 1e-11)
    found = propagator("p.h5")[0].reshape(4, 3, *size[::-1], 4, 3)
    assert np.abs(found[:, 0, ..., 1]).max() < 1e-12  # colours stay
    right = np.zeros((*size[::-1], 4, 4), dtype=complex)
    x = np.indices(size[::-1])[::-1]  # x, y, z, t
    for k in np.ndindex(*size):
        p = 2 * np.pi * (np.array(k) + [0, 0, 0, 0.5]) / size
        d_w = (4 - m5 - np.cos(p).sum()) * np.eye(4) + 1j * np.tensordot(np.sin(p), GAMMAS, 1)
        h = G5 @ ((b + c) * d_w @ np.linalg.inv(2 * np.eye(4) + (b - c) * d_w))
        plus, minus = (np.linalg.matrix_power(np.eye(4) + s * h, ls) for s in (1, -1))
        sign = (plus - minus) @ np.linalg.inv(plus + minus)
        d4 = (1 + mass) / 2 * np.eye(4) + (1 - mass) / 2 * G5 @ sign
        q = (np.linalg.inv(d4) - np.eye(4)) / (1 - mass)
        right += np.exp(1j * np.tensordot(p, x, 1))[..., None, None] * q / np.prod(size)
    got = np.moveaxis(found[:, 1, ..., 1], 0, -1)  # sites, sink spin, source spin
    assert np.abs(got - right).max() < 1e-9


def test_gamma5_relates_source_and_sink(ridge, lattice):
    """q(y, x) = gamma_5 q(x, y)^+ gamma_5."""
    sites = {"point:0,0,0,0": 0, "point:1,1,0,3": 1 + 2 * (1 + 2 * (0 + 2 * 3))}
    q = {}
    for source in sites:
        ridge.good("solve", "mobius", "lat.nersc", "--mass", 0.1, "--ls", 4, "--source", source, "-o", "p.h5", "--overwrite",
                   "--device", "cpu", "--tol", 1e-11)
        q[source] = propagator("p.h5")[0].reshape(12, -1, 12)
    here, there = sites
    one = q[here][:, sites[there]].T  # from here to there: sink, source
    back = q[there][:, sites[here]].T
    turn = np.kron(G5, np.eye(3))
    assert np.abs(one - turn @ back.conj().T @ turn).max() < 1e-9 and np.abs(one).max() > 1e-3


def test_bad_words(ridge, lattice, links):
    def bad(kind, *words, says, code=2):
        ridge.bad("solve", kind, "lat.nersc", "-o", "p.h5", *words, code=code, says=says)
        assert left_in(lattice) == ["lat.nersc"]

    bad("dwf", says="--mass is needed")
    bad("dwf", "--mass", 0.1, "--ls", 1, says="--ls 1: expected 2 to 128")
    bad("dwf", "--mass", 0.1, "--precision", "fp32", says="--precision fp32: expected mixed or fp64")
    bad("dwf", "--mass", 0.1, "--m5", 2.5, says="between 0 and 2")
    bad("mobius", "--mass", 0.1, "--b5", 0.5, "--c5", -0.5, says="expected a positive sum")
    bad("dwf", "--mass", 0.1, "--source", "wall", says="expected point")
    bad("dwf", "--mass", 0.1, "--size", "2x2x2x2", says="2x2x2x2 was asked for")
    ridge.bad("solve", "dwf", "lat.nersc", "--mass", 0.01, "--ls", 4, "--iterations", 3, "-o", "p.h5", "--device", "cpu",
              code=1, says=["did not converge", "p.h5 holds the best"])
    assert max(propagator("p.h5")[1]["residuals"]) > 1e-10
    gauge_files.write_nersc(lattice / "odd.nersc", gauge_files.random_links((3, 2, 2, 4), seed=8, spread=0.3))
    ridge.bad("solve", "dwf", "odd.nersc", "--mass", 0.1, "-o", "q.h5", "--device", "cpu", code=2,
              says="all extents are even")
