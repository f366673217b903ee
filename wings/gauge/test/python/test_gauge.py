"""Gauge configurations and Wilson fermions from Python."""

import pathlib
import sys

import numpy as np
import pytest

import ridge
from ridge import gauge

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import gauge_files  # noqa: E402

SIZE = (4, 2, 2, 4)


@pytest.fixture(scope="module")
def links():
    return gauge_files.random_links(SIZE, seed=3, spread=0.3)


@pytest.fixture
def b(links, rng):
    shape = (*links.shape[:4], 4, 3)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def test_files_both_ways(tmp_path, links):
    gauge_files.write_nersc(tmp_path / "a", links, more=[("QUITE_NEW", "7")])
    found = gauge.read(tmp_path / "a")
    assert np.array_equal(found.links, links) and found.header["QUITE_NEW"] == "7"
    assert [what for what, _, _, right in found.checks if right] == ["checksum", "plaquette", "link trace",
                                                                     "distance from SU(3)"]
    for name, options in ("b", dict(precision="fp32", order="little", rows=2)), ("c.lime", {}):
        gauge.write(tmp_path / name, links, found.header, **options)
        again = gauge.read(tmp_path / name)
        assert np.abs(again.links - links).max() < (1e-6 if options else 1e-15)
        assert again.header["QUITE_NEW"] == "7"
    assert gauge_files.read_nersc(tmp_path / "b")[1].shape == (*links.shape[:5], 2, 3)
    with pytest.raises(ridge.UsageError, match="exists"):
        gauge.write(tmp_path / "b", links)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "c.lime"]
    gauge_files.write_nersc(tmp_path / "a", links, PLAQUETTE="0.5")
    with pytest.raises(ridge.Failure, match="its plaquette is .*expected 0.5"):
        gauge.read(tmp_path / "a")
    assert np.array_equal(gauge.read(tmp_path / "a", accept=True).links, links)


def test_plaquette_heatbath_and_smearing(links, device):
    assert abs(gauge.plaquette(links, device) - gauge_files.plaquette(links)) < 1e-14
    assert abs(gauge.link_trace(links, device) - gauge_files.link_trace(links)) < 1e-14
    start = gauge.cold(*links.shape[:4])
    assert gauge.plaquette(start, device) == 1
    whole = gauge.heatbath(start, beta=6, sweeps=3, seed=5, device=device)
    half = gauge.heatbath(gauge.heatbath(start, 6, 1, seed=5, device=device), 6, 2, seed=5, first_sweep=1, device="cpu")
    assert np.array_equal(whole, half) and np.array_equal(start, gauge.cold(*links.shape[:4]))
    assert gauge.plaquette(gauge.smear(whole, stout=0.1, device=device)) > gauge.plaquette(whole)
    assert gauge.plaquette(gauge.smear(whole, ape=0.5, steps=2, device=device)) > gauge.plaquette(whole)


@pytest.mark.parametrize("precision", ["mixed", "fp64"])
def test_solving(links, b, device, precision):
    d = gauge.Wilson(links, 0.12, precision=precision, device=device)
    x = gauge.cg(d, b, tol=1e-11)
    assert np.linalg.norm(b - d @ x) <= 1.1e-11 * np.linalg.norm(b)
    assert d.solved.converged and d.solved.iterations > 5 and d.solved.residual <= 1e-11
    again = gauge.cg(d, b, x=x)
    assert d.solved.iterations == 0 and np.array_equal(again, x)
    with pytest.raises(gauge.NotConverged, match="no convergence to 1e-12") as error:
        gauge.cg(d, b, tol=1e-12, iterations=3)
    assert 0 < np.linalg.norm(b - d @ error.value.x) < np.linalg.norm(b)
    assert isinstance(error.value, ridge.Failure)


def test_the_operator(links, b, rng, device):
    """gamma_5 D gamma_5 = D^+, which is the adjoint; by mass it is another factor."""
    d = gauge.Wilson(links, 0.12, boundary="periodic", device=device)
    gamma5 = np.array([1, 1, -1, -1])[:, None]
    assert np.allclose(gamma5 * (d @ (gamma5 * b)), d.apply(b, dagger=True), atol=1e-13)
    a = rng.normal(size=b.shape)
    assert abs(np.vdot(a, d @ b) - np.vdot(d.apply(a, dagger=True), b)) < 1e-11
    by_mass = gauge.Wilson(links, mass=1 / 0.24 - 4, boundary="periodic", device=device)
    assert np.allclose(0.24 * (by_mass @ b), d @ b, atol=1e-13)
    assert np.allclose(gauge.Wilson(gauge.cold(4, 2, 2, 4), 0.1, boundary="periodic") @ np.ones_like(b), 0.2)


def test_hadrons_and_smeared_fermions(links, rng, device):
    """Mesons of a propagator by their traces; a step of smearing in numpy, of each of several."""
    s = rng.normal(size=(12, *links.shape[:4], 4, 3)) + 1j * rng.normal(size=(12, *links.shape[:4], 4, 3))
    found = gauge.hadrons(s)
    assert np.allclose(found["pseudoscalar"], (abs(s) ** 2).sum(axis=(0, 2, 3, 4, 5, 6)))
    whole = s.reshape(4, 3, *s.shape[1:])
    signs = np.array([1, 1, -1, -1])
    scalar = np.einsum("i,j,jbtzyxia,jbtzyxia->t", signs, signs, whole, whole.conj()).real
    assert np.allclose(found["scalar"], -scalar)
    later = gauge.hadrons(np.roll(s, 2, axis=1), source_time=2)
    assert np.allclose(later["vector"], found["vector"]) and set(found) >= {"axial", "nucleon", "nucleon_negative"}
    assert np.allclose(later["nucleon"], found["nucleon"] * np.repeat([1, -1], [links.shape[0] - 2, 2]))
    assert np.allclose(gauge.hadrons(np.roll(s, 2, axis=1), 2, "periodic")["nucleon"], found["nucleon"])
    right = s.copy()
    for mu in range(3):
        u = links[..., mu, :, :]
        right += 0.3 * np.einsum("tzyxab,ctzyxsb->ctzyxsa", u, np.roll(s, -1, axis=4 - mu))
        right += 0.3 * np.roll(np.einsum("tzyxba,ctzyxsb->ctzyxsa", u.conj(), s), 1, axis=4 - mu)
    assert np.allclose(gauge.smear_fermion(links, s, 1, 0.3, device), right / 2.8, atol=1e-13)
    assert np.allclose(gauge.smear_fermion(links, s[3], 1, 0.3, device), right[3] / 2.8, atol=1e-13)
    for wrong, says in ((lambda: gauge.hadrons(s[:11]), "expected \\(12, t"), (lambda: gauge.hadrons(s, 4), "source_time"),
                        (lambda: gauge.smear_fermion(links, s, 1, -1), "at least 0")):
        with pytest.raises(ridge.UsageError, match=says):
            wrong()


def test_flow_and_loops(links, device):
    flowed = gauge.flow(links, 0.1, step=0.05, device=device)
    assert np.allclose(flowed.time, [0, 0.05, 0.1]) and (np.diff(flowed.energy) < 0).all() and flowed.t0 is None
    assert np.isclose(flowed.energy_plaquette[-1], 36 * (1 - gauge.plaquette(flowed.links)), rtol=1e-11)
    stout = links  # Euler's steps of the same flow
    for _ in range(100):
        stout = gauge.smear(stout, stout=0.001, device=device)
    assert np.abs(stout - flowed.links).max() < 2e-3
    loops = gauge.wilson_loops(links, 2, 1, device)
    assert loops.shape == (2, 1)
    walk = lambda a, mu: np.roll(a, -1, axis=3 - mu)
    for r in 1, 2:
        total = 0
        for mu in range(3):
            u, v = links[..., mu, :, :], links[..., 3, :, :]
            across = u if r == 1 else u @ walk(u, mu)
            there = np.roll(v, -r, axis=3 - mu)
            total += np.einsum("...ij,...ij", across @ there, (v @ walk(across, 3)).conj()).real.mean() / 9
        assert np.isclose(loops[r - 1, 0], total)
    line = links[0, ..., 3, :, :]
    for t in range(1, links.shape[0]):
        line = line @ links[t, ..., 3, :, :]
    assert np.isclose(gauge.polyakov_loop(links, device), np.einsum("...ii", line).mean() / 3)
    with pytest.raises(ridge.Failure, match="flow: the links are no numbers at time 1"):
        gauge.flow(links * np.nan, 1)
    for wrong, says in ((lambda: gauge.flow(links, 1, step=0), "at most 0.5"), (lambda: gauge.wilson_loops(links, 9, 1), "1 to 2")):
        with pytest.raises(ridge.UsageError, match=says):
            wrong()


def test_several_right_hand_sides(links, b, rng, device):
    d = gauge.Wilson(links, 0.12, device=device)
    many = np.stack([b, 1j * b, rng.normal(size=b.shape)])
    assert np.array_equal((d @ many)[1], d @ many[1])
    x = gauge.cg(d, many, tol=1e-11)
    assert x.shape == many.shape and np.linalg.norm(many - d @ x) < 1e-10 * np.linalg.norm(many)
    assert np.allclose(x[1], 1j * x[0])
    at_once = gauge.cg(d, many, tol=1e-11, columns=2)  # two, then one
    assert np.linalg.norm(many - d @ at_once) < 1e-10 * np.linalg.norm(many) and d.solved.converged
    took = d.solved.iterations
    again = gauge.cg(d, many, tol=1e-11, x=at_once, columns=3)
    assert d.solved.iterations < took / 2 and np.allclose(again, x, atol=1e-9)
    with pytest.raises(gauge.NotConverged):
        gauge.cg(d, many, tol=1e-11, iterations=3, columns=12)
    for wrong, says in ((lambda: gauge.cg(gauge.Clover(links, 0.12, csw=1, device=device), many, columns=3), "for Wilson"),
                        (lambda: gauge.cg(d, many, columns=2, shifts=[0.1]), "without shifts="),
                        (lambda: gauge.cg(d, many, columns=129), "at most 128 is right")):
        with pytest.raises(ridge.UsageError, match=says):
            wrong()


def test_domain_walls(links, b, rng):
    """The adjoint, the reflection of Shamir's, solutions, and the propagator of the command's conventions."""
    d = gauge.DomainWall(links, 0.1, ls=4, m5=1.6, device="cpu")
    assert d.shape == (4, *links.shape[:4])
    five = rng.normal(size=(4, *b.shape)) + 1j * rng.normal(size=(4, *b.shape))
    gamma5 = np.array([1, 1, -1, -1])[:, None]
    turned = lambda x: (gamma5 * x)[::-1]
    assert np.allclose(turned(d @ turned(five)), d.apply(five, dagger=True), atol=1e-13)
    x = gauge.cg(d, five, tol=1e-11)
    assert np.linalg.norm(five - d @ x) < 1e-11 * np.linalg.norm(five) and d.solved.converged
    source = np.zeros_like(five)
    source[0, ..., :2, :], source[-1, ..., 2:, :] = b[..., :2, :], b[..., 2:, :]
    x = gauge.cg(d, source, tol=1e-11)
    q = d.propagate(np.stack([b, 2 * b]), tol=1e-11)
    assert np.allclose(q[0][..., :2, :], x[-1][..., :2, :], atol=1e-9)
    assert np.allclose(q[0][..., 2:, :], x[0][..., 2:, :], atol=1e-9) and np.allclose(q[1], 2 * q[0], atol=1e-9)
    assert np.allclose(d.midpoint[0][..., :2, :], x[1][..., :2, :], atol=1e-9)
    assert np.allclose(d.midpoint[1][..., 2:, :], 2 * x[2][..., 2:, :], atol=1e-9)
    moebius = gauge.DomainWall(links, 0.1, ls=4, b5=1.5, c5=0.5, precision="fp64", device="cpu")
    wide = gauge.DomainWall(links, 0.1, ls=4, m5=1.6, precision="fp64", device="cpu")
    assert np.abs(gauge.cg(d, five, tol=1e-12) - gauge.cg(wide, five, tol=1e-12)).max() < 1e-10
    assert abs(np.vdot(source, moebius @ five) - np.vdot(moebius.apply(source, dagger=True), five)) < 1e-10
    with pytest.raises(gauge.NotConverged):
        gauge.cg(d, five, tol=1e-11, iterations=3)


def test_bad_input(links, b):
    for wrong, says in ((lambda: gauge.plaquette(links[0]), "expected .t, z, y, x, 4, 3, 3"),
                        (lambda: gauge.Wilson(links), "kappa or mass"),
                        (lambda: gauge.Wilson(links, 0.1, boundary="open"), "antiperiodic"),
                        (lambda: gauge.Wilson(links, 0.1) @ b[1:], "the links are of"),
                        (lambda: gauge.cg(gauge.Wilson(links, 0.1), b, tol=2), "between 0 and 1"),
                        (lambda: gauge.DomainWall(links, 0.1, ls=1), "at least 2 values"),
                        (lambda: gauge.DomainWall(links, 0.1, m5=3), "between 0 and 2"),
                        (lambda: gauge.DomainWall(links, 0.1, precision="fp32"), "'mixed' or 'fp64'"),
                        (lambda: gauge.DomainWall(links[1:], 0.1, ls=4), "all extents are even"),
                        (lambda: gauge.DomainWall(links, 0.1, ls=4) @ b, "has shape"),
                        (lambda: gauge.smear(links), "either ape= or stout="),
                        (lambda: gauge.heatbath(links[:3], 6), "four even extents|boxes"),
                        (lambda: gauge.read(__file__), "BEGIN_HEADER")):
        with pytest.raises(ridge.UsageError, match=says):
            wrong()
    with pytest.raises(ridge.Failure, match="nowhere"):
        gauge.read("nowhere")
    with pytest.raises(ridge.Failure, match="no numbers after 1 steps of weight 1e\\+300"):
        gauge.smear(links, stout=1e300)


def test_shifts(links, b, device):
    d = gauge.Wilson(links, 0.12, device=device)
    shifts = [0.2, 0.0, 3.0]
    many = np.stack([b, 1j * b])
    x = gauge.cg(d, many, tol=1e-11, shifts=shifts)
    assert x.shape == (3, *many.shape) and d.solved.converged
    right = d.apply(b, dagger=True)
    for i, shift in enumerate(shifts):
        rest = d.apply(d @ x[i, 0], dagger=True) + shift * x[i, 0] - right
        assert np.linalg.norm(rest) < 1e-10 * np.linalg.norm(right)
    assert np.allclose(x[:, 1], 1j * x[:, 0]) and np.allclose(d @ x[1, 0], b)
    with pytest.raises(gauge.NotConverged):
        gauge.cg(d, b, tol=1e-11, iterations=3, shifts=shifts)
    for wrong in (lambda: gauge.cg(d, b, shifts=[-1.0]), lambda: gauge.cg(d, b, shifts=[]),
                  lambda: gauge.cg(d, b, x=b, shifts=[1.0])):
        with pytest.raises(ridge.UsageError, match="shift"):
            wrong()


OPERATORS = {
    "wilson-fp64": lambda links, device: gauge.Wilson(links, 0.12, precision="fp64", device=device),
    "wilson-mixed": lambda links, device: gauge.Wilson(links, 0.12, precision="mixed", device=device),
    "clover": lambda links, device: gauge.Clover(links, 0.12, csw=1.5, device=device),
    "domain-wall": lambda links, device: gauge.DomainWall(links, 0.1, ls=4, device=device),
    "staggered": lambda links, device: gauge.Staggered(links, 0.3, device=device),
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_reason_is_rounding(links, rng, operator):
    """Of a tolerance below it: the best is kept, and said to be that."""
    d = OPERATORS[operator](links, "cpu")
    b = rng.normal(size=(*d.shape, *d._site)) + 0j
    with pytest.raises(gauge.NotConverged, match="and falls no further: rounding; x of this error") as caught:
        gauge.cg(d, b, tol=1e-18)
    assert d.solved.rounding and not d.solved.converged and 0 < d.solved.residual < 1e-13
    assert np.isclose(np.linalg.norm(b - d @ caught.value.x) / np.linalg.norm(b), d.solved.residual, rtol=0.1)
    gauge.cg(d, b, tol=1e-8)
    assert not d.solved.rounding


def test_what_goes_on_in_fp64_says_so(rng):
    links = gauge.heatbath(gauge_files.random_links((4, 4, 2, 4), seed=3, spread=3.0), beta=1e-4, device="cpu")
    b = rng.normal(size=(*links.shape[:4], 4, 3)) + 0j
    for mass, goes_on in ((-2.3, True), (0.1, False)):
        d = gauge.Wilson(links, mass=mass, device="cpu")
        gauge.cg(d, b)
        assert d.solved.in_fp64 == goes_on and d.solved.residual <= 1e-10, (mass, d.solved)


@pytest.mark.parametrize("operator", OPERATORS)
def test_right_hand_sides_of_any_size(links, rng, device, operator):
    """Squares of such norms are no numbers, or 0."""
    d = OPERATORS[operator](links, device)
    shape = (*d.shape, *d._site)
    b = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    right = gauge.cg(d, b)
    for size in 2.0**531, 2.0**-665:
        x = gauge.cg(d, size * b)
        assert np.linalg.norm(x / size - right) < 1e-8 * np.linalg.norm(right)
        assert d.solved.converged and d.solved.iterations > 5 and 0 < d.solved.residual <= 1e-10
        if operator in ("wilson-fp64", "staggered"):
            x = gauge.cg(d, size * b, shifts=[0.2, 3])
            assert np.allclose(x / size, gauge.cg(d, b, shifts=[0.2, 3]), rtol=0, atol=1e-8)
    for none in np.nan, np.inf:
        wrong = b.copy()
        wrong[1, 1, 0, 1, 0] = none
        with pytest.raises(gauge.NotConverged):
            gauge.cg(d, wrong, iterations=50)
        assert not d.solved.converged and d.solved.iterations <= 50


def forward(psi, mu, sign):
    """psi at x + mu, with the boundary's sign where that is beyond the end of t."""
    moved = np.roll(psi, -1, axis=3 - mu)
    if mu == 3:
        moved[-1] *= sign
    return moved


def hops(u, psi, mu, sign):
    """U psi(x + mu) and U^+(x - mu) psi(x - mu)."""
    link = u[..., mu, :, :]
    times = lambda m, v: np.einsum("tzyxab,tzyxb->tzyxa", m, v)
    back = times(link.conj().swapaxes(-1, -2), psi)
    if mu == 3:
        back[-1] *= sign
    return times(link, forward(psi, mu, sign)), np.roll(back, 1, axis=3 - mu)


@pytest.mark.parametrize("boundary, sign", [("antiperiodic", -1), ("periodic", 1)])
def test_staggered(links, rng, device, boundary, sign):
    """Of phases 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z), by NumPy."""
    psi = rng.normal(size=(*links.shape[:4], 3)) + 1j * rng.normal(size=(*links.shape[:4], 3))
    t, z, y, x = np.meshgrid(*map(np.arange, links.shape[:4]), indexing="ij")
    d = gauge.Staggered(links, 0.3, boundary=boundary, device=device)
    right = 0.3 * psi
    for mu, phase in enumerate((0 * x, x, x + y, x + y + z)):
        ahead, behind = hops(links, psi, mu, sign)
        right = right + 0.5 * ((-1.0) ** phase)[..., None] * (ahead - behind)
    assert np.allclose(d @ psi, right, atol=1e-13)
    assert np.allclose(d.apply(psi, dagger=True), 0.6 * psi - right, atol=1e-13)
    found = gauge.cg(d, np.stack([psi, 2 * psi]), tol=1e-11)
    assert np.allclose(d @ found[1], 2 * psi, atol=1e-9) and d.solved.converged
    shifted = gauge.cg(d, psi, tol=1e-11, shifts=[0.0, 0.5])
    assert np.allclose(shifted[0], found[0], atol=1e-9)
    rest = d.apply(d @ shifted[1], dagger=True) + 0.5 * shifted[1] - d.apply(psi, dagger=True)
    assert np.linalg.norm(rest) < 1e-9


def test_clover(links, b, device):
    """Without the term Wilson's; with it gamma_5-hermitian, the term's part even under reflection of kappa."""
    gamma5 = np.array([1, 1, -1, -1])[:, None]
    plain = gauge.Wilson(links, 0.12, precision="fp64", device=device)
    assert np.allclose(gauge.Clover(links, 0.12, csw=0, device=device) @ b, plain @ b, atol=1e-13)
    d = gauge.Clover(links, 0.12, csw=1.5, device=device)
    assert np.allclose(gamma5 * (d @ (gamma5 * b)), d.apply(b, dagger=True), atol=1e-13)
    term = d @ b - plain @ b
    twice = gauge.Clover(links, 0.12, csw=3, device=device) @ b - plain @ b
    assert np.allclose(twice, 2 * term, atol=1e-13) and np.abs(term).max() > 1e-3
    assert np.allclose(gauge.Clover(gauge.cold(*links.shape[:4]), 0.12, csw=1, device=device) @ b,
                       gauge.Wilson(gauge.cold(*links.shape[:4]), 0.12, device=device) @ b, atol=1e-13)
    x = gauge.cg(d, b, tol=1e-11)
    assert np.linalg.norm(b - d @ x) < 1.1e-11 * np.linalg.norm(b) and d.solved.converged
    with pytest.raises(ridge.UsageError, match="shifts= is for Wilson and Staggered"):
        gauge.cg(d, b, shifts=[0.1])
    with pytest.raises(ridge.UsageError, match="mass"):
        gauge.Staggered(links, 0)


def test_gradients_by_fermions(links, b, rng, device):
    """All operators, with matter that no gamma_5 tells apart: <w, D v> = <D^+ w, v>, by ridge.grad and by torch."""
    v, w = (rng.normal(size=b.shape) + 1j * rng.normal(size=b.shape) for _ in range(2))
    gamma5 = np.array([1, 1, -1, -1])[:, None]
    for d in gauge.Wilson(links, 0.12, device=device), gauge.Clover(links, 0.12, csw=1.2, device=device):
        found = ridge.grad(d)(b, w).psi
        assert np.vdot(found, v) == pytest.approx(np.vdot(w, d @ v), rel=1e-12)
        assert np.allclose(found, gamma5 * (d @ (gamma5 * w)), atol=1e-13)
    d = gauge.Staggered(links, 0.1, device=device)
    found = ridge.grad(d)(b[..., 0, :], w[..., 0, :]).psi
    assert np.vdot(found, v[..., 0, :]) == pytest.approx(np.vdot(w[..., 0, :], d @ v[..., 0, :]), rel=1e-12)
    with pytest.raises(TypeError, match="Staggered has no derivative by mass: it is by psi and by links"):
        ridge.grad(d, by="mass")
    with pytest.raises(ridge.UsageError, match="cotangent has shape"):
        ridge.grad(d)(b[..., 0, :], w)


def operators(links, device, boundary):
    """Each with the parts of D psi that have links, and how many links these multiply."""
    yield gauge.Wilson(links, 0.12, boundary=boundary, device=device), lambda d, x: [(1, d @ x - x)]
    yield gauge.Clover(links, mass=0.3, csw=1.2, boundary=boundary, device=device), lambda d, x: [
        (1, (rest := gauge.Wilson(links, mass=0.3, boundary=boundary, device=device) @ x) - 4.3 * x), (4, d @ x - rest)]
    yield gauge.Staggered(links, 0.1, boundary=boundary, device=device), lambda d, x: [(1, d @ x - 0.1 * x)]
    yield gauge.DomainWall(links, 0.1, ls=4, boundary=boundary, device=device), None
    yield gauge.DomainWall(links, 0.1, ls=4, b5=1.5, c5=0.5, boundary=boundary, device=device), None


@pytest.mark.parametrize("boundary", ["antiperiodic", "periodic"])
def test_gradients_by_links(links, rng, device, boundary):
    """Each operator's gradients equal differences of fourth order along links that stay in SU(3), and, as D is a
    polynomial of known degree in its links, exact ones along the links themselves."""
    algebra = gauge_files.random_links(SIZE, seed=4, spread=1)
    algebra = algebra - algebra.conj().swapaxes(-1, -2)
    algebra -= np.trace(algebra, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) / 3
    values, vectors = np.linalg.eigh(1j * algebra)

    def moved(h):
        return (vectors * np.exp(-1j * h * values)[..., None, :]) @ vectors.conj().swapaxes(-1, -2) @ links

    for d, parts in operators(links, device, boundary):
        shape = (*((2,) if isinstance(d, gauge.Wilson) else ()), *d.shape, *d._site)
        psi, w = (rng.normal(size=shape) + 1j * rng.normal(size=shape) for _ in range(2))
        both = ridge.grad(d, by=("links", "psi"))(psi, w)
        assert both._fields == ("links", "psi") and np.array_equal(both.psi, ridge.grad(d)(psi, w).psi)
        h = 1e-2
        near = [np.vdot(w, type(d)(moved(k * h), **d._options) @ psi).real for k in (-2, -1, 1, 2)]
        difference = (8 * (near[2] - near[1]) - (near[3] - near[0])) / (12 * h)
        found = np.vdot(both.links, algebra @ links).real
        assert found == pytest.approx(difference, abs=1e-7 * np.linalg.norm(both.links) * np.linalg.norm(algebra))
        if parts:
            right = sum(degree * np.vdot(w, part).real for degree, part in parts(d, psi))
            assert np.vdot(both.links, links).real == pytest.approx(right, rel=1e-11)


def test_tensors_of_links(links, b):
    torch = pytest.importorskip("torch")
    u, psi = (torch.utils.dlpack.from_dlpack(a.copy()).requires_grad_() for a in (links, b))
    d = gauge.Clover(u, 0.12, csw=1.2, device="cpu")
    y = d @ psi
    (y.abs() ** 2).sum().backward()
    right = ridge.grad(d, by=("links", "psi"))(b, 2 * d.apply(b))
    for tensor, gradient in (u, right.links), (psi, right.psi):
        assert np.allclose(np.from_dlpack(tensor.grad), gradient, atol=1e-11)
    of_array = d @ b  # fermions of NumPy, links of torch
    (of_array.abs() ** 2).sum().backward()
    assert np.allclose(np.from_dlpack(u.grad), 2 * right.links, atol=1e-11)
    y = d @ psi
    with torch.no_grad():
        psi.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.abs().sum().backward()


def test_tensors(links, b):
    torch = pytest.importorskip("torch")
    d = gauge.Wilson(links, 0.12, device="cpu")
    psi = torch.utils.dlpack.from_dlpack(b.copy()).requires_grad_()
    found = d @ psi
    (found.abs() ** 2).sum().backward()
    right = 2 * d.apply(d @ b, dagger=True)
    assert np.allclose(np.from_dlpack(psi.grad), right, atol=1e-12)
    with pytest.raises(TypeError, match="has no gradient here, but psi and links of D @ psi"):
        gauge.cg(d, psi)
