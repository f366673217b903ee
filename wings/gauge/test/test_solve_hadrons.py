"""Correlators of hadrons of `ridge solve`: against contractions in numpy with every index written out, momentum sums of
the free field, gauge and translation covariance; smeared sources and sinks; the residual mass; points without a solution."""

import itertools

import gauge_files
import h5py
import numpy as np
import pytest
import scipy.linalg
from test_gauge_observables import constant_fields
from test_gauge_smear import dagger, stout
from test_solve_domain_wall import dense_domain_wall, projector
from test_solve_wilson import GAMMAS, dense_wilson, point, propagator

SIZE = (4, 2, 2, 6)
KAPPA = 0.13
G5 = GAMMAS[0] @ GAMMAS[1] @ GAMMAS[2] @ GAMMAS[3]
ONE, TIME = np.eye(4), GAMMAS[3]
MESONS = {"pseudoscalar": [(G5, G5)], "vector": [(g, g) for g in GAMMAS[:3]], "scalar": [(ONE, ONE)],
          "axial": [(TIME @ G5, TIME @ G5)], "axial_vector": [(g @ G5, g @ G5) for g in GAMMAS[:3]],
          "tensor": [(g @ TIME, g @ TIME) for g in GAMMAS[:3]], "axial_pseudoscalar": [(TIME @ G5, G5)]}
PAIR = TIME @ GAMMAS[1] @ G5  # C gamma_5, C = gamma_4 gamma_2
NAMES = [*MESONS, "nucleon", "nucleon_negative"]
TURNS = [(p, round(np.linalg.det(np.eye(3)[list(p)]))) for p in itertools.permutations(range(3))]


def contracted(s):
    """All correlators by time, of s[t, site, sink spin, sink colour, source spin, source colour]."""
    found = {}
    back = np.einsum("jk,txlakb,li->txjbia", G5, s.conj(), G5)  # S(0, x)
    for name, pairs in MESONS.items():
        found[name] = np.mean([-np.einsum("ij,txjakb,kl,txlbia->t", sink, s, TIME @ dagger(source) @ TIME, back,
                                          optimize=True).real for sink, source in pairs], axis=0)
    both = np.zeros((s.shape[0], 4, 4), dtype=complex)
    for (a, b, c), one in TURNS:  # N = eps u_a C gamma_5 d_b u_c, Nbar = N^+ gamma_4
        for (d, e, f), two in TURNS:
            colours = lambda p, q: s[:, :, :, p, :, q]
            quark = np.einsum("ij,txjk,kl,nm,ml->txin", PAIR, colours(b, e), TIME, TIME, PAIR.conj(), optimize=True)
            direct = np.einsum("txin,txin,txgh->tgh", quark, colours(a, d), colours(c, f), optimize=True)
            crossed = np.einsum("txin,txih,txgn->tgh", quark, colours(a, f), colours(c, d), optimize=True)
            both += one * two * (direct - crossed)
    for name, sign in ("nucleon", 1), ("nucleon_negative", -1):
        found[name] = np.einsum("ij,tji->t", (ONE + sign * TIME) / 2, both).real
    return found


def columns_of(file, size):
    """The propagator as contracted() takes it, time from 0 on."""
    data, _ = propagator(file)
    nx, ny, nz, nt = size
    return data.reshape(4, 3, nt, nx * ny * nz, 4, 3).transpose(2, 3, 4, 5, 0, 1)


def solve(ridge, links, *words, file="p.h5", kind="wilson", device="cpu"):
    """Correlators of the record, which are those of the file."""
    mass = () if kind != "wilson" or "--kappa" in words else ("--kappa", KAPPA)
    (record,) = ridge.good("solve", kind, links, *mass, "--tol", 1e-12, "-o", file, "--overwrite", "--device", device,
                           "--json", "--no-roof", *words).records()
    found = {name: np.array([float(c) for c in record["correlator_" + name].split()]) for name in NAMES}
    with h5py.File(file) as h5:
        assert set(h5["correlators"]) >= set(NAMES)
        for name in NAMES:
            assert np.allclose(h5["correlators"][name][:], found[name], rtol=1e-13)
    return found, record


def close(found, right, tolerance=1e-9):
    for name in NAMES:
        assert np.abs(found[name] - right[name]).max() < tolerance * np.abs(right[name]).max(), name


@pytest.fixture(scope="module")
def links():
    return gauge_files.random_links(SIZE, seed=5, spread=0.3)


@pytest.fixture
def lattice(folder, links):
    gauge_files.write_nersc(folder / "lat.nersc", links)
    return folder


@pytest.mark.parametrize("words", [(), ("--csw", 1.2), ("--solver", "bicgstab", "--source", "point:1,0,1,0")])
def test_contractions_of_numpy(ridge, lattice, words):
    found, record = solve(ridge, "lat.nersc", *words)
    right = contracted(columns_of("p.h5", SIZE))
    close(found, right)
    pion = [float(c) for c in record["correlator"].split()]
    assert np.allclose(pion, found["pseudoscalar"], rtol=1e-12)
    assert all(np.abs(right[name]).max() > 1e-6 for name in NAMES)


def test_a_domain_wall_propagator_and_its_residual_mass(ridge, folder):
    ls, mass, m5, time, size = 4, 0.1, 1.6, 2, (2, 2, 2, 4)
    links = gauge_files.random_links(size, seed=6, spread=0.3)
    gauge_files.write_nersc(folder / "lat.nersc", links)
    found, record = solve(ridge, "lat.nersc", "--mass", mass, "--ls", ls, "--m5", m5, "--source", f"point:0,1,0,{time}",
                          kind="dwf")
    right = contracted(np.roll(columns_of("p.h5", size), -time, axis=0))
    for name in "nucleon", "nucleon_negative":
        right[name][-time:] *= -1  # quarks went through the boundary
    close(found, right)
    sites = links[..., 0, 0, 0].size
    columns = point(0 + 2 * (1 + 2 * (0 + 2 * time)), links)
    up, down = (np.kron(np.eye(sites), projector(sign)) for sign in (1, -1))
    source = np.zeros((ls, sites * 12, 12), dtype=complex)
    source[0], source[-1] = up @ columns.T, down @ columns.T
    x = np.linalg.solve(dense_domain_wall(links, mass, ls, m5, 1, 0)[0], source.reshape(-1, 12)).reshape(ls, -1, 12)
    middle = down @ x[ls // 2] + up @ x[ls // 2 - 1]
    squares = np.roll((np.abs(middle) ** 2).reshape(size[3], -1).sum(axis=1), -time)
    midpoint = np.array([float(c) for c in record["correlator_midpoint"].split()])
    assert np.allclose(midpoint, squares, rtol=1e-9)
    ratio = midpoint / found["pseudoscalar"]
    assert np.isclose(record["residual_mass"], ratio[size[3] // 4:3 * size[3] // 4 + 1].mean(), rtol=1e-12)


def test_free_quarks_are_sums_over_momenta(ridge, folder):
    size, kappa = (4, 2, 4, 8), 0.11
    links = np.zeros((*size[::-1], 4, 3, 3), dtype=complex)
    links[...] = np.eye(3)
    gauge_files.write_nersc(folder / "free.nersc", links)
    found, _ = solve(ridge, "free.nersc", "--kappa", kappa)
    space, nt = size[:3], size[3]
    momenta = list(np.ndindex(*space))
    s = np.zeros((nt, len(momenta), 4, 4), dtype=complex)  # S(t, p)
    for i, k in enumerate(momenta):
        for energy in range(nt):
            p = 2 * np.pi * np.array([*(np.array(k) / space), (energy + 0.5) / nt])
            inverse = (1 - 2 * kappa * np.cos(p).sum()) * np.eye(4) + 2j * kappa * np.tensordot(np.sin(p), GAMMAS, 1)
            s[:, i] += np.exp(1j * p[3] * np.arange(nt))[:, None, None] * np.linalg.inv(inverse) / nt
    right = {}
    for name, pairs in MESONS.items():
        right[name] = np.mean([-3 * np.einsum("ij,tpjk,kl,tpml,mi->t", sink, s, TIME @ dagger(source) @ TIME @ G5, s.conj(),
                                              G5).real for sink, source in pairs], axis=0) / len(momenta)
    index = {k: i for i, k in enumerate(momenta)}
    both = np.zeros((nt, 4, 4), dtype=complex)
    for p in momenta:  # three momenta whose sum is 0; eps eps gives 6
        quark = PAIR @ s[:, index[p]] @ (TIME @ dagger(PAIR) @ TIME.T)
        for q in momenta:
            a = s[:, index[q]]
            b = s[:, index[tuple((-np.add(p, q)) % space)]]
            both += 6 * np.einsum("tin,tin,tgh->tgh", quark, a, b) + 6 * np.einsum("tin,tih,tgn->tgh", quark, a, b)
    for name, sign in ("nucleon", 1), ("nucleon_negative", -1):
        right[name] = np.einsum("ij,tji->t", (ONE + sign * TIME) / 2, both).real / len(momenta) ** 2
    close(found, right)
    assert (found["nucleon"][:nt // 2] > 0).all() and (found["vector"] > 0).all()
    assert np.allclose(found["nucleon_negative"][1:], -found["nucleon"][:0:-1])


def test_correlators_mind_neither_gauge_nor_place(ridge, lattice, links):
    smearing = ("--source-smear", "3,0.4", "--sink-smear", "2,0.3", "--smear-links", "stout:0.1,2")
    g = gauge_files.random_links(SIZE, seed=9, spread=5)[..., 0, :, :]
    turned = np.stack([g @ links[..., mu, :, :] @ dagger(np.roll(g, -1, axis=3 - mu)) for mu in range(4)], axis=4)
    gauge_files.write_nersc(lattice / "turned.nersc", turned)
    x, y, z, t = 1, 1, 0, 4
    gauge_files.write_nersc(lattice / "moved.nersc", np.roll(links, (t, z, y, x), axis=(0, 1, 2, 3)))
    for words in (), smearing:
        before, _ = solve(ridge, "lat.nersc", *words)
        close(solve(ridge, "turned.nersc", *words)[0], before)
        close(solve(ridge, "moved.nersc", *words, "--source", f"point:{x},{y},{z},{t}")[0], before)


def smeared(links, psi, steps, alpha):
    """psi[..., t, z, y, x, spin, colour]."""
    for _ in range(steps):
        total = psi.copy()
        for mu in range(3):
            u, axis = links[..., mu, :, :], psi.ndim - 3 - mu
            total += alpha * np.einsum("tzyxab,...tzyxsb->...tzyxsa", u, np.roll(psi, -1, axis=axis))
            total += alpha * np.roll(np.einsum("tzyxba,...tzyxsb->...tzyxsa", u.conj(), psi), 1, axis=axis)
        psi = total / (1 + 6 * alpha)
    return psi


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
def test_smeared_source_and_sink(ridge, lattice, links, device):
    words = ("--source-smear", "3,0.4", "--sink-smear", "2,0.3", "--smear-links", "stout:0.1,2")
    found, _ = solve(ridge, "lat.nersc", *words, device=device)
    soft = stout(stout(links, 0.1, 3), 0.1, 3)
    source = smeared(soft, point(0, links).reshape(12, *SIZE[::-1], 4, 3), 3, 0.4)
    right = np.linalg.solve(dense_wilson(links, KAPPA), source.reshape(12, -1).T).T
    data, facts = propagator("p.h5")
    assert np.abs(data - right).max() < 1e-9 * np.abs(right).max()  # the file has the local sink
    assert [facts[k][0] for k in ("source_smear_steps", "source_smear_alpha", "sink_smear_steps", "stout_rho")] == [3, 0.4, 2, 0.1]
    ends = smeared(soft, data.reshape(12, *SIZE[::-1], 4, 3), 2, 0.3)
    nx, ny, nz, nt = SIZE
    close(found, contracted(ends.reshape(4, 3, nt, nx * ny * nz, 4, 3).transpose(2, 3, 4, 5, 0, 1)))


def test_bad_words(ridge, lattice):
    def bad(*words, says):
        ridge.bad("solve", "wilson", "lat.nersc", "--kappa", 0.1, "-o", "p.h5", *words, says=says)

    bad("--source-smear", "3", says="--source-smear 3: expected N,ALPHA")
    bad("--sink-smear", "2.5,1", says="--sink-smear 2.5,1: expected N,ALPHA")
    bad("--source-smear", "3,0.1", "--smear-links", "hyp:1,1", says="expected stout:RHO,N or ape:ALPHA,N")
    bad("--smear-links", "stout:0.1,1", says="is for --source-smear and --sink-smear")
    bad("--source-smear", "3,0.1", "--shifts", "0.1", says="not for --shifts")
    (record,) = ridge.good("solve", "wilson", "lat.nersc", "--kappa", 0.1, "-o", "p.h5", "--no-hadrons", "--device", "cpu",
                           "--json", "--no-roof").records()
    assert "correlator" in record and "correlator_vector" not in record
    with h5py.File("p.h5") as h5:
        assert "correlators" not in h5


@pytest.fixture(scope="module")
def charged():
    """A rough field of charge 2, whose real modes make D singular, and the kappa of the first."""
    size = (2, 2, 2, 4)
    links = gauge_files.random_links(size, seed=3, spread=0.1) @ constant_fields(size, (1, 1))
    hop = np.eye(384) - dense_wilson(links, 1.0)
    factors = scipy.linalg.lu_factor(hop - np.eye(384) / 0.1653)
    v = np.ones(384) + 1j * np.arange(384)
    for _ in range(8):
        v = scipy.linalg.lu_solve(factors, v)
        v /= np.linalg.norm(v)
    return links, float(1 / np.vdot(v, hop @ v).real)


@pytest.mark.parametrize("how", [(), ("--precision", "fp64"), ("--solver", "bicgstab"), ("--columns", 1),
                                 ("--precision", "fixed16"), ("--by-mass",)])
def test_a_kappa_where_the_operator_is_singular(ridge, folder, charged, how):
    """No solver can treat it: the best is kept, never a worse one, and the message says so."""
    links, kappa = charged
    gauge_files.write_nersc(folder / "lat.nersc", links)
    by = ("--mass", repr(0.5 / kappa - 4)) if "--by-mass" in how else ("--kappa", repr(kappa), *how)
    text = ridge.bad("solve", "wilson", "lat.nersc", *by, "--tol", 1e-10, "-o", "p.h5", "--iterations", 600, "--device", "cpu",
                     code=1, says=["did not converge", "p.h5 holds the best"]).err
    data, facts = propagator("p.h5")
    scale = 0.5 / kappa if "--by-mass" in how else 1
    rest = np.linalg.norm(point(0, links) - data @ (scale * dense_wilson(links, kappa)).T, axis=1)
    assert np.isfinite(data).all() and rest.max() <= 1 + 1e-9 and np.allclose(facts["residuals"], rest, rtol=1e-3, atol=1e-9)
    assert f"kappa {kappa:.7g} is exceptional" in text and f"singular near kappa {kappa:.3f}" in text, text


def test_why_it_did_not_converge(ridge, folder, charged):
    links, kappa = charged
    gauge_files.write_nersc(folder / "lat.nersc", links)
    def bad(kappa, iterations, says):
        ridge.bad("solve", "wilson", "lat.nersc", "--kappa", repr(kappa), "--iterations", iterations, "-o", "p.h5", "--overwrite",
                  "--device", "cpu", "--precision", "fp64", code=1, says=says)

    bad(0.12, 3, "3 iterations a column were too few")
    bad(0.17, 20, "kappa 0.17 is beyond critical on this configuration")


def test_over_ranks(ridge, mpi, lattice):
    words = ("solve", "wilson", "lat.nersc", "--kappa", KAPPA, "--tol", 1e-12, "--source-smear", "2,0.3", "--sink-smear", "1,0.2",
             "--device", "cpu", "--json", "--no-roof")
    (one,) = ridge.good(*words, "-o", "one.h5").records()
    (two,) = mpi(2, *words, "-o", "two.h5").records()
    for name in NAMES:
        a, b = (np.array([float(c) for c in r["correlator_" + name].split()]) for r in (one, two))
        assert two["ranks"] == 2 and np.abs(a - b).max() < 1e-10 * np.abs(a).max()
