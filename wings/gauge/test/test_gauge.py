"""`ridge gauge info`, `plaquette` and `convert`: files that numpy has written, good and bad, and files that it reads."""

import json
import re

import gauge_files
import h5py
import numpy as np
import pytest
from conftest import left_in

SIZE = (4, 2, 6, 8)
POINTS = ["IEEE32BIG", "IEEE32LITTLE", "IEEE32", "IEEE64BIG", "IEEE64LITTLE", "IEEE64"]


@pytest.fixture(scope="module")
def links():
    return gauge_files.random_links(SIZE)


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_info_of_each_form(ridge, folder, links, point, rows):
    gauge_files.write_nersc(folder / "a.nersc", links, point, rows, more=[("ENSEMBLE_ID", "one = two"), ("QUITE_NEW", "7")])
    found = json.loads(ridge.good("gauge", "info", "a.nersc", "--json").out)
    assert found["size"] == list(SIZE)
    assert abs(found["plaquette"] - gauge_files.plaquette(links)) < (1e-7 if "32" in point else 1e-14)
    assert abs(found["link_trace"] - gauge_files.link_trace(links)) < (1e-7 if "32" in point else 1e-14)
    assert found["header"]["ENSEMBLE_ID"] == "one = two" and found["header"]["QUITE_NEW"] == "7"
    assert [c["what"] for c in found["checks"]] == ["checksum", "plaquette", "link trace", "distance from SU(3)"]
    assert all(c["ok"] for c in found["checks"])
    assert f"3x{rows}, fp{32 if '32' in point else 64}" in found["form"]


def test_an_unnamed_byte_order_is_the_one_whose_checksum_fits(ridge, folder, links):
    data = gauge_files.raw(links, "IEEE32BIG")
    gauge_files.write_nersc(folder / "a.nersc", links, "IEEE32BIG", FLOATING_POINT="IEEE32")
    assert "big-endian" in ridge.good("gauge", "info", "a.nersc").out
    assert data in (folder / "a.nersc").read_bytes()


@pytest.mark.parametrize("device", ["cpu", "simt:32", "simt:64"])
def test_the_device_finds_what_numpy_finds_with_equal_bits(ridge, folder, links, device):
    gauge_files.write_nersc(folder / "a.nersc", links)
    text = ridge.good("gauge", "plaquette", "a.nersc", "--device", device).out
    found = [float(x) for x in re.findall(r"-?\d\.\d{15}", text)]
    assert np.allclose(found, [gauge_files.plaquette(links), gauge_files.link_trace(links)], rtol=0, atol=2e-15)
    (record,) = ridge.good("gauge", "plaquette", "a.nersc", "--device", device, "--json").records()
    (of_cpu,) = ridge.good("gauge", "plaquette", "a.nersc", "--device", "cpu", "--json").records()
    assert record["plaquette"] == of_cpu["plaquette"] and record["link_trace"] == of_cpu["link_trace"]
    assert record["bytes_read"] == 4 * 144 * np.prod(SIZE)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("rows", [2, 3])
def test_numpy_reads_what_is_converted(ridge, folder, links, precision, order, rows):
    gauge_files.write_nersc(folder / "a.nersc", links, more=[("BOUNDARY_4", "ANTIPERIODIC"), ("QUITE_NEW", "7")])
    ridge.good("gauge", "convert", "a.nersc", "b", "--precision", precision, "--order", order, "--rows", rows)
    header, found = gauge_files.read_nersc(folder / "b")
    assert np.array_equal(found, links[..., :rows, :].astype(found.dtype))
    assert header["QUITE_NEW"] == "7" and header["BOUNDARY_4"] == "ANTIPERIODIC" and "BOUNDARY_1" not in header
    assert abs(float(header["PLAQUETTE"]) - gauge_files.plaquette(links)) < 1e-14
    ridge.good("gauge", "info", "b")


@pytest.mark.parametrize("bits", [32, 64])
def test_ildg_both_ways(ridge, folder, links, bits):
    gauge_files.write_ildg(folder / "a.lime", links, bits)
    ridge.good("gauge", "convert", "a.lime", "b.nersc")
    header, found = gauge_files.read_nersc(folder / "b.nersc")
    assert np.array_equal(found, links.astype(found.dtype))
    ridge.good("gauge", "convert", "b.nersc", "c.ildg", "--precision", f"fp{bits}")
    records = gauge_files.lime_records(folder / "c.ildg")
    data = records["ildg-binary-data"]
    assert data == gauge_files.raw(links, f"IEEE{bits}BIG")
    a, b = gauge_files.scidac_checksum(data, np.prod(SIZE))
    assert f"<suma>{a:x}</suma><sumb>{b:x}</sumb>" in records["scidac-checksum"].decode()
    assert f"<precision>{bits}</precision><lx>4</lx><ly>2</ly><lz>6</lz><lt>8</lt>" in records["ildg-format"].decode()


def test_lines_of_a_header_survive_all_formats(ridge, folder, links):
    gauge_files.write_nersc(folder / "a.nersc", links, more=[("QUITE_NEW", "a = b")])
    for one, other in ("a.nersc", "b.lime"), ("b.lime", "c.h5"), ("c.h5", "d.nersc"):
        ridge.good("gauge", "convert", one, other)
    assert gauge_files.read_nersc(folder / "d.nersc")[0]["QUITE_NEW"] == "a = b"
    with h5py.File("c.h5") as h5:
        stored = h5["links"][...].view(complex).reshape(links.shape)
    assert np.array_equal(stored, links)


@pytest.mark.parametrize("kind", ["utf-8", "ascii", "fixed"])
def test_lines_of_a_header_that_h5py_writes_are_kept(ridge, folder, links, kind):
    gauge_files.write_nersc(folder / "a.nersc", links)
    ridge.good("gauge", "convert", "a.nersc", "b.h5")
    text = "QUITE_NEW = a = b\nENSEMBLE_ID = long " + "x" * 5000 + "\n"
    with h5py.File("b.h5", "a") as h5:
        stored = np.bytes_(text) if kind == "fixed" else text
        h5["links"].attrs.create("header", stored, dtype=None if kind == "fixed" else h5py.string_dtype(kind))
    ridge.good("gauge", "convert", "b.h5", "c.nersc")
    header = gauge_files.read_nersc(folder / "c.nersc")[0]
    assert header["QUITE_NEW"] == "a = b" and header["ENSEMBLE_ID"] == "long " + "x" * 5000


def test_a_header_that_is_not_one_text(ridge, folder, links):
    gauge_files.write_nersc(folder / "a.nersc", links)
    ridge.good("gauge", "convert", "a.nersc", "b.h5")
    for wrong in 7.0, ["A = 1", "B = 2"]:
        with h5py.File("b.h5", "a") as h5:
            h5["links"].attrs["header"] = wrong
        ridge.bad("gauge", "info", "b.h5", says=["b.h5", "header of its /links is not one text"])


def test_one_site_and_odd_extents(ridge, folder):
    for size in (1, 1, 1, 1), (3, 5, 1, 7):
        links = gauge_files.random_links(size)
        gauge_files.write_nersc(folder / "a.nersc", links)
        found = json.loads(ridge.good("gauge", "info", "a.nersc", "--json").out)
        assert abs(found["plaquette"] - gauge_files.plaquette(links)) < 1e-14
        ridge.bad("gauge", "plaquette", "a.nersc", "--device", "cpu", says="boxes")


# What is not as it should be.

CHECKS = {"checksum": (dict(CHECKSUM="1234abcd"), "1234abcd"), "plaquette": (dict(PLAQUETTE="0.5"), "expected 0.5;"),
          "link trace": (dict(LINK_TRACE="0.25"), "expected 0.25;")}


@pytest.mark.parametrize("what", CHECKS)
def test_a_header_that_is_not_met(ridge, folder, links, what):
    changed, expected = CHECKS[what]
    gauge_files.write_nersc(folder / "a.nersc", links, **changed)
    error = ridge.bad("gauge", "plaquette", "a.nersc", code=1, says=[f"its {what} is ", expected, "--accept"]).err
    assert error.count(".nersc") == 1
    said = ridge.bad("gauge", "info", "a.nersc", code=1, says=expected)
    assert re.search(rf"{what} .*WRONG, expected: ", said.out) and said.out.count("WRONG") == 1
    accepted = ridge("gauge", "plaquette", "a.nersc", "--accept", "--device", "cpu")
    assert accepted.code == 0 and "accepted" in accepted.err and f"{gauge_files.plaquette(links):.11f}"[:-1] in accepted.out


def test_one_bit_is_seen(ridge, folder, links):
    gauge_files.write_nersc(folder / "a.nersc", links)
    whole = bytearray((folder / "a.nersc").read_bytes())
    whole[-3000] ^= 1
    (folder / "a.nersc").write_bytes(whole)
    ridge.bad("gauge", "plaquette", "a.nersc", code=1, says="its checksum is ")
    gauge_files.write_ildg(folder / "a.lime", links)
    whole = bytearray((folder / "a.lime").read_bytes())
    whole[5000] ^= 1
    (folder / "a.lime").write_bytes(whole)
    ridge.bad("gauge", "info", "a.lime", code=1, says="its checksum is ")


def test_links_that_are_not_unitary(ridge, folder, links):
    odd = links.copy()
    odd[7, 0, 1, 2, 3] *= 1.01
    gauge_files.write_nersc(folder / "a.nersc", odd)
    site = ((7 * 6 + 0) * 2 + 1) * 4 + 2
    ridge.bad("gauge", "convert", "a.nersc", "b", code=1, says=["distance from SU(3)", f"at site {site} along t"])
    assert left_in(folder) == ["a.nersc"]
    assert ridge("gauge", "convert", "a.nersc", "b", "--reunitarise").code == 0
    ridge.good("gauge", "info", "b")
    _, restored = gauge_files.read_nersc(folder / "b")
    assert np.allclose(restored, links, atol=1e-12)
    odd[0, 0, 0, 0, 0, 1, 1] = np.nan
    gauge_files.write_nersc(folder / "a.nersc", odd, PLAQUETTE=None, LINK_TRACE=None)
    ridge.bad("gauge", "info", "a.nersc", code=1, says="is nan at site 0 along x")


def test_links_that_nothing_is_near(ridge, mpi, folder, links):
    site = ((5 * 6 + 0) * 2 + 1) * 4 + 2
    for value in 0, np.nan, [[1, 2, 3], [2, 4, 6], [1, 0, 0]]:
        odd = links.copy()
        odd[5, 0, 1, 2, 3] = value
        odd[6] = value
        gauge_files.write_nersc(folder / "a.nersc", odd, PLAQUETTE=None, LINK_TRACE=None)
        words = ("gauge", "convert", "a.nersc", "b", "--reunitarise")
        for result in ridge(*words), mpi(2, *words):
            assert result.code == 1 and result.err.count("is near no element of SU(3)") == 1
            assert f"a.nersc: the link at site {site} along t is near no element" in result.err
        assert left_in(folder) == ["a.nersc"]
    gauge_files.write_nersc(folder / "a.nersc", links * 1j)
    refused = ridge("gauge", "convert", "a.nersc", "b", "--accept", "--rows", 2)
    assert refused.code == 2 and "ridge: b: the link at site 0 along x cannot be stored by two rows" in refused.err
    assert left_in(folder) == ["a.nersc"]


def test_one_configuration_and_one_line_a_key(ridge, folder, links):
    gauge_files.write_ildg(folder / "a.lime", links)
    (folder / "a.lime").write_bytes(2 * (folder / "a.lime").read_bytes())
    ridge.bad("gauge", "info", "a.lime", "--accept", says="it holds 2 configurations, ildg-binary-data at bytes ")
    other = gauge_files.random_links((2, 4, 2, 2), seed=8)
    one = (folder / "a.lime").read_bytes()
    gauge_files.write_ildg(folder / "a.lime", other)
    (folder / "a.lime").write_bytes(one[: len(one) // 2] + (folder / "a.lime").read_bytes())
    ridge.good("gauge", "convert", "a.lime", "second.nersc", "--configuration", 2)
    assert np.array_equal(gauge_files.read_nersc(folder / "second.nersc")[1], other)
    told = json.loads(ridge.good("gauge", "info", "a.lime", "--configuration", 2, "--json").out)
    assert told["size"] == [2, 4, 2, 2] and abs(told["plaquette"] - gauge_files.plaquette(other)) < 1e-12
    for words in (["gauge", "plaquette", "a.lime"], ["gauge", "smear", "a.lime", "b", "--stout", 0.1],
                  ["gauge", "heatbath", "--start", "a.lime", "-o", "b"], ["solve", "wilson", "a.lime", "--kappa", 0.1, "-o", "p.h5"]):
        ridge.bad(*words, "--configuration", 3, says="choose configuration 1 to 2")
    ridge.bad("gauge", "heatbath", "--size", "4x4x4x4", "-o", "b", "--configuration", 2, says="for a file that --start names")
    ridge.bad("gauge", "plaquette", "second.nersc", "--configuration", 2, says="it holds one configuration")
    gauge_files.write_nersc(folder / "a.nersc", links, more=[("A", "1"), ("A ", "2")])
    ridge.bad("gauge", "plaquette", "a.nersc", code=1, says="its header's A is given twice, as 1 and 2; expected one line")
    accepted = ridge("gauge", "convert", "a.nersc", "b.nersc", "--accept")
    assert accepted.code == 0 and gauge_files.read_nersc(folder / "b.nersc")[0]["A"] == "1"


def test_links_of_h5py(ridge, folder, links):
    with h5py.File("a.h5", "w") as h5:
        h5["links"] = np.stack([links.real, links.imag], -1).reshape(*links.shape[:4], 36, 2)
    ridge.bad("gauge", "plaquette", "a.h5", code=1,
              says=["its checksum is ", "ridge_checksum of /links, which is not there; --accept goes on"])
    accepted = ridge("gauge", "convert", "a.h5", "b.nersc", "--accept")
    assert accepted.code == 0 and np.array_equal(gauge_files.read_nersc(folder / "b.nersc")[1], links)
    for wrong in links.real.astype("f2"), links.real.astype("i8"):
        with h5py.File("a.h5", "w") as h5:
            h5["links"] = np.zeros((*links.shape[:4], 36, 2), wrong.dtype)
        ridge.bad("gauge", "info", "a.h5", "--accept", says="its /links is not of fp32 or fp64 numbers")
    with h5py.File("a.h5", "w") as h5:
        h5.create_dataset("links", (1000, 1000, 1000, 1000, 36, 2), "f8", chunks=(1, 1, 1, 10, 36, 2))
    ridge.bad("gauge", "info", "a.h5", "--accept", code=1, says="holds 0 bytes: most of it was never written")


@pytest.mark.parametrize("cut", [1, 100, 3000])
def test_truncated_files(ridge, folder, links, cut):
    for write, name in (gauge_files.write_nersc, "a.nersc"), (gauge_files.write_ildg, "a.lime"):
        if name == "a.lime" and cut == 1:
            continue  # of what fills up the last record
        write(folder / name, links)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[:-cut])
        ridge.bad("gauge", "info", name, code=1, says=f"ends after {len(whole) - cut} bytes")
    gauge_files.write_nersc(folder / "a.nersc", links)
    (folder / "a.nersc").write_bytes((folder / "a.nersc").read_bytes() + b"more")
    ridge.bad("gauge", "info", "a.nersc", code=1, says="its length is")


WRONG = {"DIMENSION_3": "DIMENSION_3 = x: expected a number", "DATATYPE": "DATATYPE = x: expected 4D_SU3",
         "FLOATING_POINT": "FLOATING_POINT = x: expected IEEE32", "CHECKSUM": "CHECKSUM = x: expected up to eight"}


@pytest.mark.parametrize("key", WRONG)
def test_headers_that_cannot_be_read(ridge, folder, links, key):
    gauge_files.write_nersc(folder / "a.nersc", links, **{key: "x"})
    ridge.bad("gauge", "info", "a.nersc", says=WRONG[key])
    if key != "CHECKSUM":
        gauge_files.write_nersc(folder / "a.nersc", links, **{key: None})
        ridge.bad("gauge", "info", "a.nersc", says=f"its header has no {key}")


def test_extents_that_nobody_has(ridge, folder, links):
    huge = {f"DIMENSION_{d}": 1 << 20 for d in (1, 2)}
    gauge_files.write_nersc(folder / "a", links, **huge, DIMENSION_3=1000)
    ridge.bad("gauge", "info", "a", code=1, says="need far more")
    gauge_files.write_nersc(folder / "a", links, **huge, DIMENSION_3=1 << 20, DIMENSION_4=1 << 20)
    ridge.bad("gauge", "info", "a", says="1048576x1048576")
    gauge_files.write_nersc(folder / "a", links, DIMENSION_1=0)
    ridge.bad("gauge", "info", "a", says="DIMENSION_1 = 0: expected a number of sites")
    data = gauge_files.lime_record("ildg-binary-data", b"x" * 100)
    (folder / "a").write_bytes(data[:8] + b"\xff" * 8 + data[16:])
    ridge.bad("gauge", "info", "a", code=1, says="it ends after 248 bytes, within its record ildg-binary-data")


def test_files_that_are_none(ridge, folder, links):
    (folder / "a").write_text("hello")
    ridge.bad("gauge", "info", "a", says="BEGIN_HEADER")
    (folder / "a").write_text("")
    ridge.bad("gauge", "info", "a", says="BEGIN_HEADER")
    (folder / "a").write_text("BEGIN_HEADER\nDATATYPE = 4D_SU3_GAUGE\n")
    ridge.bad("gauge", "info", "a", code=1, says="END_HEADER")
    ridge.bad("gauge", "info", "none", says="there is no file none")
    gauge_files.write_ildg(folder / "a.lime", links, field="su2gauge")
    ridge.bad("gauge", "info", "a.lime", says="su3gauge")
    (folder / "a.lime").write_bytes(gauge_files.lime_record("xlf-info", b"hello"))
    ridge.bad("gauge", "info", "a.lime", says="no record ildg-binary-data")
    (folder / "a.lime").write_bytes(gauge_files.lime_record("xlf-info", b"hello") + b"x" * 200)
    ridge.bad("gauge", "info", "a.lime", says="at byte 152 no LIME record begins")
    with h5py.File("a.h5", "w") as h5:
        h5["other"] = 1
    ridge.bad("gauge", "info", "a.h5", says="/links")


def test_words_of_the_command(ridge, folder, links):
    gauge_files.write_nersc(folder / "a.nersc", links)
    ridge.bad("gauge", says="see --help")
    ridge.bad("gauge", "plaquette", "a.nersc", "--size", "4x4x4x4", says="its lattice is 4x2x6x8; 4x4x4x4 was asked")
    ridge.bad("gauge", "convert", "a.nersc", "b", "--precision", "fp16", says="expected fp32 or fp64")
    ridge.bad("gauge", "convert", "a.nersc", "b.lime", "--rows", 2, says="--rows is for NERSC")
    ridge.bad("gauge", "convert", "a.nersc", "a.nersc", "--overwrite", says="the input")
    (folder / "b").write_text("mine")
    ridge.bad("gauge", "convert", "a.nersc", "b", says="--overwrite")
    assert (folder / "b").read_text() == "mine"
    ridge.good("gauge", "convert", "a.nersc", "b", "--overwrite")
    assert left_in(folder) == ["a.nersc", "b"]


@pytest.mark.parametrize("ranks", [3, 4])
def test_ranks_do_not_change_what_is_said_or_written(ridge, mpi, folder, ranks):
    gauge_files.write_nersc(folder / "a.nersc", gauge_files.random_links((4, 2, 6, 3)), more=[("QUITE_NEW", "7")])
    before = "a.nersc"
    for name, words in (("b.nersc", ("--precision", "fp32", "--rows", "2")), ("b.lime", ()), ("b.h5", ()), ("c.nersc", ())):
        convert = ("gauge", "convert", before, name, *words)
        alone = ridge.good(*convert).out
        bytes_of_one = (folder / name).read_bytes()
        result = mpi(ranks, *convert, "--overwrite")
        assert (result.code, result.out, result.err) == (0, alone, "")
        if name != "b.h5":
            assert (folder / name).read_bytes() == bytes_of_one
        info = ("gauge", "info", name, "--json")
        result = mpi(ranks, *info)
        assert (result.code, result.out) == (0, ridge.good(*info).out)
        before = name
    assert left_in(folder) == ["a.nersc", "b.h5", "b.lime", "b.nersc", "c.nersc"]


def test_bad_files_over_ranks(mpi, folder):
    links = gauge_files.random_links((4, 2, 2, 4))
    gauge_files.write_nersc(folder / "a.nersc", links)
    whole = (folder / "a.nersc").read_bytes()
    (folder / "a.nersc").write_bytes(whole[:-100] + bytes(100))  # of the last rank
    result = mpi(2, "gauge", "convert", "a.nersc", "b.lime")
    assert result.code == 1 and result.err.count("its checksum is") == 1 and "--accept goes on" in result.err
    result = mpi(2, "gauge", "convert", "a.nersc", "b.lime", "--accept", "--reunitarise")  # a row is 0
    assert result.code == 1 and result.err.count("a.nersc: the link at site 63 along t is near no element of SU(3)") == 1
    (folder / "a.nersc").write_bytes(whole[:-40] + bytes(40))  # of the third row
    assert mpi(2, "gauge", "convert", "a.nersc", "b.lime", "--accept", "--reunitarise").code == 0
    (folder / "a.nersc").write_bytes(whole[:-100])
    result = mpi(2, "gauge", "info", "a.nersc")
    assert result.code == 1 and result.err.count("it ends after") == 1
    assert left_in(folder) == ["a.nersc", "b.lime"]


@pytest.mark.parametrize("words, says", [
    (("solve",), ["solve needs a command; the commands are poisson, wilson, dwf, "]),
    (("gauge", "plaquete", "a.nersc"), ["gauge has no command plaquete; the commands are ", "plaquette"]),
    (("solve", "wilson", "a", "-o", "b.h5", "--kappa", "0.1", "--picture", "c.jpg"), ["--picture: ", "give FILE.png"]),
])
def test_words(ridge, folder, words, says):
    ridge.bad(*words, says=says)
