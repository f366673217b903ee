"""`ridge gauge smear` against numpy: stout by scipy's exponential, APE by what its maximum is."""

import gauge_files
import numpy as np
import pytest
import scipy.linalg
from over_ranks import refused

SIZE = (4, 2, 4, 6)


def dagger(u):
    return u.conj().swapaxes(-1, -2)


def paths(links, mu, dimensions):
    """The sum of the paths from x to x + mu beside the link."""
    total = 0
    for nu in range(dimensions):
        if nu == mu:
            continue
        u, v = links[..., mu, :, :], links[..., nu, :, :]
        total = total + v @ np.roll(u, -1, axis=3 - nu) @ dagger(np.roll(v, -1, axis=3 - mu))
        below = np.roll(v, 1, axis=3 - nu)
        total = total + dagger(below) @ np.roll(u, 1, axis=3 - nu) @ np.roll(below, -1, axis=3 - mu)
    return total


def stout(links, rho, dimensions):
    result = links.copy()
    for mu in range(dimensions):
        u = links[..., mu, :, :]
        omega = rho * paths(links, mu, dimensions) @ dagger(u)
        q = 0.5j * (dagger(omega) - omega)
        q = q - np.einsum("...ii", q)[..., None, None] / 3 * np.eye(3)
        result[..., mu, :, :] = scipy.linalg.expm(1j * q) @ u
    return result


@pytest.fixture
def links(folder):
    made = gauge_files.random_links(SIZE, seed=4, spread=0.5)
    gauge_files.write_nersc(folder / "a", made)
    return made


def smear(ridge, output, *words):
    text = ridge.good("gauge", "smear", "a", output, "--overwrite", *words).out
    return gauge_files.read_nersc(output)[1], text


@pytest.mark.parametrize("spatial", [(), ("--spatial",)])
def test_stout(ridge, folder, links, spatial):
    right = links
    for _ in range(2):
        right = stout(right, 0.12, 3 if spatial else 4)
    found, text = smear(ridge, folder / "b", "--stout", 0.12, "--steps", 2, *spatial)
    assert np.abs(found - right).max() < 1e-13
    assert f"-> {gauge_files.plaquette(right):.11f}"[:-1] in text


@pytest.mark.parametrize("spatial", [(), ("--spatial",)])
def test_ape_is_where_the_trace_is_largest(ridge, folder, links, spatial):
    found, _ = smear(ridge, folder / "b", "--ape", 0.6, *spatial)
    n = 3 if spatial else 4
    for mu in range(4):
        new, old = found[..., mu, :, :], links[..., mu, :, :]
        if mu >= n:
            assert np.array_equal(new, old)
            continue
        target = 0.4 * old + 0.6 / (2 * (n - 1)) * paths(links, mu, n)
        product = new @ dagger(target)
        force = product - dagger(product)
        force -= np.einsum("...ii", force)[..., None, None] / 3 * np.eye(3)
        assert np.abs(force).max() < 1e-12  # stationary
        assert np.allclose(new @ dagger(new), np.eye(3), atol=1e-14)
        trace = np.einsum("...ii", product).real
        rng = np.random.default_rng(1)
        for _ in range(5):  # and nothing near it is larger
            turn = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
            turn = turn - dagger(turn)
            turn = scipy.linalg.expm(0.1 * (turn - np.trace(turn) / 3 * np.eye(3)))
            assert (np.einsum("...ii", turn @ product).real < trace).all()


@pytest.mark.parametrize("how", [("--ape", 0.5), ("--stout", 0.1)])
def test_all_devices_write_equal_bytes_and_smooth(ridge, folder, links, how):
    files = []
    for device in "cpu", "simt:32", "simt:64":
        found, _ = smear(ridge, folder / "b", *how, "--steps", 2, "--device", device)
        files.append((folder / "b").read_bytes())
    assert files[0] == files[1] == files[2]
    assert gauge_files.plaquette(found) > gauge_files.plaquette(links) + 0.1


def test_smearing_minds_no_gauge_transformation(ridge, folder, links):
    g = gauge_files.random_links(SIZE, seed=9, spread=5)[..., 0, :, :]
    turned = np.stack([g @ links[..., mu, :, :] @ dagger(np.roll(g, -1, axis=3 - mu)) for mu in range(4)], axis=4)
    for how in ("--ape", 0.5), ("--stout", 0.1):
        gauge_files.write_nersc(folder / "a", links)
        before, _ = smear(ridge, folder / "b", *how)
        gauge_files.write_nersc(folder / "a", turned)
        after, _ = smear(ridge, folder / "c", *how)
        for mu in range(4):
            right = g @ before[..., mu, :, :] @ dagger(np.roll(g, -1, axis=3 - mu))
            assert np.abs(after[..., mu, :, :] - right).max() < 1e-12


def test_bad_words(ridge, folder, links):
    ridge.bad("gauge", "smear", "a", "b", says="either --ape ALPHA or --stout RHO")
    ridge.bad("gauge", "smear", "a", "b", "--ape", 1.5, says="between 0 and 1")
    ridge.bad("gauge", "smear", "a", "b", "--stout", 0.1, "--steps", -1, says="--steps -1: expected at least 0")
    ridge.bad("gauge", "smear", "a", "b", "--stout", 0.1, "--ape", 0.5, says="--ape and --stout: give one of them")
    found, text = smear(ridge, folder / "b", "--stout", 0.1, "--steps", 0)
    assert np.array_equal(found, links) and "0 steps" in text


def test_links_that_are_no_numbers_are_not_written(ridge, folder, links):
    gauge_files.write_nersc(folder / "a", links)
    ridge.bad("gauge", "smear", "a", "b", "--stout", 1e300, code=1, says="the links are no numbers after 1 step with --stout 1e+300")
    assert [file.name for file in folder.iterdir()] == ["a"]


@pytest.mark.parametrize("words, ranks, grid", [
    (("--stout", 0.1, "--steps", 2), 2, ()), (("--ape", 0.6), 4, ("--ranks", "1x2x2x1")),
    (("--stout", 0.1, "--spatial"), 3, ("--ranks", "1x1x1x3"))])
def test_ranks_do_not_change_bits(ridge, mpi, folder, links, words, ranks, grid):
    one = ridge.good("gauge", "smear", "a", "one", *words, "--device", "cpu").out
    result = mpi(ranks, "gauge", "smear", "a", "two", *words, *grid, "--device", "cpu")
    assert result.code == 0, result.err
    assert result.out.replace("two", "one") == one
    assert (folder / "two").read_bytes() == (folder / "one").read_bytes()
    refused(mpi(2, "gauge", "smear", "a", "b", *words, "--ranks", "1x1x1x3"), "product is 2")
