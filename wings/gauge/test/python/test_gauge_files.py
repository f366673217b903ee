"""Files of links from Python: what is written comes back, or is refused."""

import pathlib
import sys

import numpy as np
import pytest

import ridge
from ridge import gauge

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import gauge_files  # noqa: E402


@pytest.fixture(scope="module")
def links():
    return gauge_files.random_links((2, 1, 3, 2), seed=5)


def test_all_forms(tmp_path, links):
    header = {"ENSEMBLE_ID": "a = b", "EMPTY": "", "ÉTÉ": "\udcff"}
    for precision in "fp32", "fp64":
        for name, options in (("a", {"rows": rows, "order": order}) for rows in (2, 3) for order in ("big", "little")):
            gauge.write(tmp_path / name, links, header, precision, overwrite=True, **options)
            found = gauge.read(str(tmp_path / name))
            rows = options["rows"]
            right = links.astype(np.complex64) if precision == "fp32" else links
            assert np.array_equal(found.links[..., :rows, :], right[..., :rows, :])
            assert np.allclose(found.links, links, atol=1e-6 if precision == "fp32" else 1e-14)
            assert found.header.items() >= header.items()
        gauge.write(tmp_path / "a.lime", links, header, precision, overwrite=True)
        found = gauge.read(tmp_path / "a.lime")
        assert np.array_equal(found.links, right) and found.header.items() >= header.items()
        gauge.write(tmp_path / "b", found.links, found.header, precision, overwrite=True)  # once more


def changed(links, at, value):
    other = links.copy()
    other[at] = value
    return other


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("name", ["a", "a.lime"])
def test_numbers_that_are_none(tmp_path, links, name, precision):
    wrong = [np.nan, np.inf, 1j * np.nan] + [1e39] * (precision == "fp32")
    for value in wrong:
        for accept in False, True:
            with pytest.raises(ridge.UsageError, match=f"{name}: the link at site 3 along y is not finite in {precision}"):
                gauge.write(tmp_path / name, changed(links, (0, 1, 0, 1, 1, 2, 0), value), precision=precision, accept=accept)
    assert list(tmp_path.iterdir()) == []


def test_links_outside_of_su3(tmp_path, links):
    for other in -links, 2 * links, 0 * links, changed(links, (1, 2, 0, 0, 3), 1.001 * links[1, 2, 0, 0, 3]):
        with pytest.raises(ridge.UsageError, match="from SU.3., more than 1e-05, and reading would refuse it; accept=True"):
            gauge.write(tmp_path / "a", other)
        for accept in False, True:
            if not other.any():  # whose third row readers find, too
                continue
            with pytest.raises(ridge.UsageError, match="cannot be stored by two rows: .*; three rows hold any link"):
                gauge.write(tmp_path / "a", other, rows=2, accept=accept)
        assert list(tmp_path.iterdir()) == []
        gauge.write(tmp_path / "a", other, accept=True)
        with pytest.raises(ridge.Failure, match="distance from SU"):
            gauge.read(tmp_path / "a")
        assert np.array_equal(gauge.read(tmp_path / "a", accept=True).links, other)
        (tmp_path / "a").unlink()


@pytest.mark.parametrize("name", ["a", "a.lime"])
def test_headers(tmp_path, links, name):
    for header, says in (({"A": "1\nB = 2"}, "'A' cannot be stored: it has a line break"),
                         ({"A\nB": "1"}, "line break"), ({"A": "\0"}, "zero byte"), ({"A": "1 "}, "blanks"),
                         ({"A=": "1"}, "without ="), ({"": "1"}, "without ="), ({"A": "x" * 2**20}, "at most")):
        with pytest.raises(ridge.UsageError, match=says):
            gauge.write(tmp_path / name, links, header)
    for header, says in ({"A": 7}, "'A'.=7: texts are right"), ([("A", "b")], "a dict of texts"):
        with pytest.raises(TypeError, match=says):
            gauge.write(tmp_path / name, links, header)
    assert list(tmp_path.iterdir()) == []


def test_options(tmp_path, links):
    for name, options, says in (("a.h5", {}, "HDF5 is not among the formats"), ("a.lime", {"rows": 2}, "of NERSC files"),
                                ("a.ildg", {"order": "little"}, "of NERSC files"), ("a", {"rows": 4}, "expected 2 or 3"),
                                ("a", {"precision": "fp16"}, "expected 'fp32' or 'fp64'")):
        with pytest.raises(ridge.UsageError, match=says):
            gauge.write(tmp_path / name, links, **options)
    for options in {"rows": "2"}, {"rows": 2.0}, {"precision": 64}, {"order": None}:
        with pytest.raises(TypeError, match=next(iter(options))):
            gauge.write(tmp_path / "a", links, **options)
    with pytest.raises(TypeError, match="the name of a file"):
        gauge.read(7)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ridge.Failure, match="nowhere/a"):
        gauge.write(tmp_path / "nowhere" / "a", links)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ridge.Failure, match="writing .*folder: Is a directory"):
        gauge.write(tmp_path / "folder", links, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_repeated_keys_and_several_configurations(tmp_path, links):
    gauge_files.write_nersc(tmp_path / "a", links, more=[("A", "1")])
    whole = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(whole.replace(b"END_HEADER\n", b"A = 2\nEND_HEADER\n", 1))
    with pytest.raises(ridge.Failure, match="its header's A is given twice, as 1 and 2; .*accept=True"):
        gauge.read(tmp_path / "a")
    assert gauge.read(tmp_path / "a", accept=True).header["A"] == "1"
    gauge_files.write_ildg(tmp_path / "a.lime", links)
    (tmp_path / "a.lime").write_bytes(2 * (tmp_path / "a.lime").read_bytes())
    with pytest.raises(ridge.UsageError, match="it holds 2 configurations"):
        gauge.read(tmp_path / "a.lime", accept=True)
    one = (tmp_path / "a.lime").read_bytes()
    gauge_files.write_ildg(tmp_path / "a.lime", links.conj())
    (tmp_path / "a.lime").write_bytes(one[: len(one) // 2] + (tmp_path / "a.lime").read_bytes())
    assert np.array_equal(gauge.read(tmp_path / "a.lime", configuration=1).links, links)
    assert np.array_equal(gauge.read(tmp_path / "a.lime", configuration=2).links, links.conj())
    for wrong, says in (3, "choose configuration 1 to 2"), (0, "configuration=0: at least 1 is right"):
        with pytest.raises(ridge.UsageError, match=says):
            gauge.read(tmp_path / "a.lime", configuration=wrong)
